"""The deliberate defects that the library with hooks knows."""

import ctypes


def names(library):
    function = ctypes.CDLL(library).accublas_test_mutant_name
    function.restype = ctypes.c_char_p
    function.argtypes = [ctypes.c_int]
    result = []
    while (name := function(len(result))) is not None:
        result.append(name.decode())
    return result
