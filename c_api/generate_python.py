"""Makes the Python package's module _prototypes from the table of routines (c_api/routines.py) and from accublas.h.

usage: generate_python.py ACCUBLAS_H    writes the module to standard output

The module has the enumerators, the structs, and the prototypes of all functions for ctypes.
"""

import sys
from pathlib import Path

import routines
import structs
from arguments import ENUM, LEADING, SIZE, VALUE
from header import header_enums, header_functions

HEAD = '''"""What ctypes needs of accublas.h, made from it and from the table of routines by c_api/generate_python.py."""

import ctypes
from ctypes import c_char_p, c_double, c_int32, c_int64, c_size_t, c_void_p
'''
TYPES = {"accublas_status": "c_int32", "int32_t": "c_int32", "int64_t": "c_int64", "size_t": "c_size_t", "double": "c_double", "const char*": "c_char_p"}
BY_VALUE = {ENUM: "c_int32", SIZE: "c_int64", LEADING: "c_int64", VALUE: "c_double"}


def constants(header):
    lines = []
    for heading, members in header_enums(header):
        lines += ["", *(f"# {line.strip(' *')}" for line in heading.split("\n")), *(f"{name.removeprefix('ACCUBLAS_')} = {value}" for name, value, _ in members)]
    return lines


def prototype(name, result, arguments):
    """A member of the dictionary of functions."""
    return f'    "{name}": ({result}, ({"".join(f"{argument}, " for argument in arguments).rstrip()})),'


def row_prototypes(row):
    """The prototypes of a routine's functions with options."""
    arguments = ["c_void_p", *(BY_VALUE.get(argument.kind, "c_void_p") for argument in row.signature()), "c_void_p"]
    return [prototype(f"{name}_ex", "c_int32", arguments) for name, _ in row.functions()]


def prototypes(header):
    """A dictionary {name without accublas_: (type of the result, types of the arguments)}. Whatever is not a number or a string is an address."""
    lines = [prototype(name, TYPES.get(kind, "c_void_p"), [TYPES.get(type_, "c_void_p") for type_, _ in parameters])
             for _, kind, name, parameters in header_functions(header)]
    return ["FUNCTIONS = {", *lines, *(line for group in routines.GROUPS.values() for row in group for line in row_prototypes(row)), "}"]


def module(path):
    header = Path(path).read_text()
    # Classes follow the imports, without the comment and the import of their own module.
    classes = structs.module(path).partition("import ctypes\n")[2]
    options = f"OPTIONS = {structs.initial_options(path)}  # the initial members of accublas_options after its size"
    return "\n".join([HEAD + "\n".join(constants(header)), classes, "", "", options, "", *prototypes(header)])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(module(sys.argv[1]))
