"""The structs of accublas.h for ctypes, read from the header: what Python knows of their layout.

structs.py HEADER writes them to standard output as a Python module.
"""

import ast
import ctypes
import re
import sys
from pathlib import Path

TYPES = {"size_t": "c_size_t", "int32_t": "c_int32", "int64_t": "c_int64", "uint64_t": "c_uint64", "double": "c_double",
         "char": "c_char", "const char*": "c_char_p"}


def structs(header):
    """{struct: [(member, type of ctypes, length of the array or 0)]} in the header's order."""
    text = re.sub(r"/\*.*?\*/", "", Path(header).read_text(), flags=re.DOTALL)
    types = dict.fromkeys(re.findall(r"typedef int32_t (\w+);", text), "c_int32") | TYPES
    result = {}
    for struct, body in re.findall(r"typedef struct (\w+) \{(.*?)\}", text, re.DOTALL):
        result[struct] = []
        for declaration in filter(None, map(str.strip, body.split(";"))):
            kind, names = re.fullmatch(r"((?:const )?\w+\*?)\s+(.*)", declaration).groups()
            for name in names.split(","):
                name, length = re.fullmatch(r"(\w+)(?:\[(\d+)\])?", name.strip()).groups()
                result[struct].append((name, types[kind], int(length or 0)))
    return result


def structure(header, struct):
    """Returns the ctypes.Structure of a struct of the header."""
    members = [(name, getattr(ctypes, kind) * length if length else getattr(ctypes, kind))
               for name, kind, length in structs(header)[struct]]
    return type(struct, (ctypes.Structure,), {"_fields_": members})


def initial_options(header):
    """Returns the members of ACCUBLAS_OPTIONS_INIT after the size of the struct."""
    members = re.search(r"#define ACCUBLAS_OPTIONS_INIT[\s\\]*{ sizeof\(accublas_options\), (.*?) }", Path(header).read_text()).group(1)
    return ast.literal_eval(f"({members.replace('NULL', 'None')})")


def module(header):
    lines = ['"""The structs of accublas.h, made from it."""', "", "import ctypes"]
    for struct, members in structs(header).items():
        lines += ["", "", f"class {struct}(ctypes.Structure):", "    _fields_ = ["]
        lines += [f'        ("{name}", ctypes.{kind}{f" * {length}" if length else ""}),' for name, kind, length in members]
        lines.append("    ]")
    return "\n".join(lines)


if __name__ == "__main__":
    print(module(sys.argv[1]))
