"""Every bad argument of every routine in the table (c_api/routines.py): the status, the message that names it, and memory that stays as it
was; and the least leading dimensions that accublas.h states are good: bad_arguments_test.py LIBRARY."""

import ctypes
import sys
import unittest
from ctypes import addressof, byref, c_char_p, c_double, c_int32, c_int64, c_void_p
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "c_api"))
from arguments import ENUM, FACTOR, LEADING, PIVOTS_IN, POINTERS_IN, POINTERS_OUT, SIZE, VALUE  # noqa: E402
from routines import GROUPS  # noqa: E402
from structs import structure  # noqa: E402

COL_MAJOR, ROW_MAJOR = 102, 101
SUCCESS, ERROR_ARGUMENT, ERROR_NOT_CERTIFIED = 0, 1, 16
ENUMS = {"trans": 111, "transa": 111, "transb": 111, "uplo": 121, "diag": 131, "side": 141, "jobz": 152, "range": 162, "typea": 1, "typeb": 2,
         "typec": 3}
SIZES = {"m": 5, "n": 4, "k": 3, "nrhs": 2, "batch_count": 2}
ROUTINES = [(group, row, name) for group, rows in GROUPS.items() for row in rows for name, _ in row.functions()]
BYTES = 1024  # enough for each operand
Certificate = structure(Path(__file__).resolve().parents[2] / "include" / "accublas.h", "accublas_certificate_t")


def size(row, text):
    """A size of a matrix as the table states it, for plain matrices and side LEFT."""
    m, n = SIZES["m"], SIZES["n"]
    k = SIZES["k"] if " k " in f" {row.arguments} " else min(m, n)
    product, transb = " m " in f" {row.arguments} ", "transb" in row.arguments.split()
    sizes = {**SIZES, "k": k, "order of A": m, "order of Q": m, "m and n": max(m, n), "rows of A as stored": m if product else n, "columns of A as stored": k,
             "rows of B as stored": k if transb else n, "columns of B as stored": n if transb else k}
    return sizes[text]


class Call:
    """A good call, in which a test spoils one argument."""

    def __init__(self, group, row, name, layout):
        self.group, self.row, self.name = group, row, name
        self.arguments = {argument.name: argument for argument in row.signature()}
        self.memory = {}  # what pointers point to
        self.values = {argument.name: self.good(argument, layout) for argument in self.arguments.values()}

    def good(self, argument, layout):
        name = argument.name
        if argument.kind == ENUM:
            return c_int32(layout if name == "layout" else ENUMS[name])
        if argument.kind == LEADING:
            rows, columns = self.row.stored["radius" if name == "ldr" and "radius" in self.row.stored else name[2:]]
            return c_int64(size(self.row, rows if layout == COL_MAJOR else columns))
        if argument.kind == SIZE:  # else a stride along rows or matrices, or one that is 1
            return c_int64(SIZES.get(name, 8 if name.startswith("cs") else 32 if name.startswith("stride") else 1))
        if argument.kind == VALUE:
            return c_double({"vl": -1, "vu": 1}[name])
        if name == "certificate":
            self.memory[name] = Certificate(struct_size=ctypes.sizeof(Certificate))
        elif argument.kind == PIVOTS_IN:
            self.memory[name] = (c_int64 * 8)(*[1] * 8)
        elif argument.kind in (POINTERS_IN, POINTERS_OUT):
            self.memory |= {f"{name}[{i}]": (ctypes.c_char * BYTES)() for i in range(SIZES["batch_count"])}
            self.memory[name] = (c_void_p * 2)(*[addressof(self.memory[f"{name}[{i}]"]) for i in range(2)])
        else:  # factors are not zero in any type
            self.memory[name] = (ctypes.c_char * BYTES)(*(b"\x3f" * 16 if argument.kind == FACTOR else b""))
        return c_void_p(addressof(self.memory[name]))

    def bad(self):
        """(name, value) of each bad argument."""
        for name, argument in self.arguments.items():
            if argument.kind == ENUM:
                yield from ((name, c_int32(value)) for value in (0, 78, -1))
            elif argument.kind == LEADING:
                yield from ((name, c_int64(value)) for value in (self.values[name].value - 1, 0, -1, -2**63, 2**62, 2**63 - 1))
            elif argument.kind == SIZE:
                if name in SIZES and not self.group.endswith("level1"):
                    yield from ((name, c_int64(value)) for value in (-1, -2**63))
                if "not 0" in argument.comment:
                    yield name, c_int64(0)
            elif argument.kind == VALUE:
                yield name, c_double(float("nan"))
            elif name != "certificate":
                yield name, c_void_p()


class BadArguments(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.library = ctypes.CDLL(LIBRARY)
        cls.library.accublas_last_error.restype = c_char_p
        cls.context = c_void_p()
        assert cls.library.accublas_create(byref(cls.context)) == SUCCESS

    def run_call(self, call, options, **spoilt):
        function = getattr(self.library, f"accublas_{call.name}{'_ex' * options}")
        status = function(self.context, *(call.values | spoilt).values(), *[c_void_p()] * options)
        return status, self.library.accublas_last_error(self.context).decode()

    def test_each(self):
        for group, row, name in ROUTINES:
            for layout in (COL_MAJOR, ROW_MAJOR) if "layout" in row.arguments.split() else (COL_MAJOR,):
                call = Call(group, row, name, layout)
                before = {key: bytes(memory) for key, memory in call.memory.items()}
                for argument, value in call.bad():
                    for options in (False, True):
                        with self.subTest(routine=name, layout=layout, argument=argument, value=value, options=options):
                            status, message = self.run_call(call, options, **{argument: value})
                            self.assertEqual(status, ERROR_ARGUMENT, message)
                            self.assertIn(f"argument {argument} ", message)
                self.assertEqual({key: bytes(memory) for key, memory in call.memory.items()}, before, name)
                with self.subTest(routine=name, layout=layout):
                    status, message = self.run_call(call, False)
                    self.assertIn(status, (SUCCESS, ERROR_NOT_CERTIFIED) if group in ("certified", "quad_solvers") else (SUCCESS,), message)


if __name__ == "__main__":
    LIBRARY = sys.argv.pop(1)
    unittest.main()
