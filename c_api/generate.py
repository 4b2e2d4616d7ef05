"""Makes declarations, functions and interfaces from the table of routines (c_api/routines.py).

usage: generate.py header ACCUBLAS_H [--check]    writes the declarations into the header, or only tells whether they are current
       generate.py functions GROUP                the exported functions of a group, in C++
       generate.py fortran TYPE                   the interfaces of the C functions for a type of numbers: d, s, z or c
       generate.py names                          the names of all functions, a line each
"""

import re
import sys
import textwrap
from pathlib import Path

import routines
from routines import CERTIFICATE, ENUM, FACTOR, INFO, INPUT, LEADING, OUTPUT, PIVOTS_IN, PIVOTS_OUT, POINTERS_IN, POINTERS_OUT, SIZE, WRITTEN

WIDTH = 119  # and a semicolon
C_TYPES = {"d": "double", "s": "float", "z": "void", "c": "void"}
REAL_TYPES = {"d": "double", "s": "float", "z": "double", "c": "float"}
LIBRARY_TYPES = {"d": "double", "s": "float", "z": "Complex<double>", "c": "Complex<float>"}

HOST_OR_DEVICE = "in host or device memory"
POINTED = {FACTOR: "where accublas_set_pointer_mode says", INPUT: HOST_OR_DEVICE, OUTPUT: HOST_OR_DEVICE, PIVOTS_IN: HOST_OR_DEVICE,
           PIVOTS_OUT: HOST_OR_DEVICE, POINTERS_IN: HOST_OR_DEVICE, POINTERS_OUT: HOST_OR_DEVICE}
STATUSES = ("ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS, _NO_DEVICE, _DEVICE, _C_UNDEFINED, "
            "_ENVIRONMENT, _NO_BLAS or _INTERNAL")
OWN_STATUSES = {"certified": STATUSES.replace(" or _INTERNAL", ", _NOT_CERTIFIED or _INTERNAL")}


def wrapped(text, first, rest):
    return "\n".join(textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False))


# ---- C ----


def c_type(row, argument, letter):
    """The type in front of an argument's name, with the asterisk where it is a pointer."""
    if argument.kind in (ENUM, SIZE, LEADING):
        return argument.type
    if argument.kind in (PIVOTS_IN, PIVOTS_OUT, INFO):
        return "const int64_t*" if argument.kind == PIVOTS_IN else "int64_t*"
    if argument.kind == CERTIFICATE:
        return "accublas_certificate_t*"
    number = REAL_TYPES[letter] if argument.name in row.real.split() else "float" if argument.name in row.single.split() else C_TYPES[letter]
    return {POINTERS_IN: f"const {number}* const*", POINTERS_OUT: f"{number}* const*", OUTPUT: f"{number}*"}.get(argument.kind, f"const {number}*")


def parameters(row, letter, options):
    result = ["accublas_context* ctx"] + [f"{c_type(row, argument, letter)} {argument.name}" for argument in row.signature()]
    return result + ["const accublas_options* options"] * options


def declaration(row, name, letter, options, before=""):
    start = f"{before}accublas_status accublas_{name}{'_ex' * options}("
    text = ", ".join(parameters(row, letter, options)) + ")"
    # A parameter's type and name stay on one line.
    return wrapped(text.replace(" ", "\0").replace(",\0", ", "), start, " " * 4).replace("\0", " ")


def comment(row, group):
    lines = [wrapped(row.comment, "/** ", " * "), wrapped("context, or NULL: the default context of the thread", " * @param[in] ctx ", " *   ")]
    for argument in row.signature():
        direction = "out" if argument.kind in WRITTEN + (POINTERS_OUT,) else "in"
        if argument.kind in (OUTPUT, POINTERS_OUT, CERTIFICATE) and argument.name != "result":
            direction = "in,out"
        place = POINTED.get(argument.kind)
        if argument.name == "result":
            place = POINTED[FACTOR]
        lines.append(wrapped(argument.comment + (f"; {place}" if place else ""), f" * @param[{direction}] {argument.name} ", " *   "))
    lines.append(wrapped(OWN_STATUSES.get(group, STATUSES), " * @return ", " *   ") + " */")
    return "\n".join(lines)


def declarations(group):
    """The part of accublas.h that belongs to a group."""
    parts = []
    for row in routines.GROUPS[group]:
        parts.append(comment(row, group))
        parts += [f"{declaration(row, name, letter, False, 'ACCUBLAS_API ')};" for name, letter in row.functions()]
        parts.append("/** The functions above with options for this call (NULL: none). */")
        parts += [f"{declaration(row, name, letter, True, 'ACCUBLAS_API ')};" for name, letter in row.functions()]
        parts.append("")
    return "\n".join(parts)


PART = re.compile(r"(/\* Made from c_api/routines\.py: (\w+) \*/\n/\* clang-format off \*/\n).*?(?=/\* clang-format on \*/\n)", re.S)


def header(path, check):
    """Whether the header is current; without `check` it is afterwards."""
    old = path.read_text()
    groups = [group for _, group in PART.findall(old)]
    if groups != list(routines.GROUPS):
        sys.exit(f"{path} has the parts {groups}, and the table has the groups {list(routines.GROUPS)}")
    new = PART.sub(lambda part: part.group(1) + declarations(part.group(2)), old)
    if new != old and not check:
        path.write_text(new)
    return new == old


def functions(group):
    """Each function with options calls the definition, and the one without calls that with NULL."""
    parts = [f"// The exported functions of {group}, made from c_api/routines.py."]
    for row in routines.GROUPS[group]:
        for name, letter in row.functions():
            element, real = LIBRARY_TYPES[letter], REAL_TYPES[letter]
            factors = {factor: real if word in row.real.split() else element for factor, word in (("A", "alpha"), ("B", "beta"))}
            body = row.body.format(E=element, stem=row.stem(name), **factors)
            parts.append(f"{declaration(row, name, letter, True)} {{\n{wrapped(f'return {body};', '  ', '      ')}\n}}")
            passed = ", ".join(["ctx"] + [argument.name for argument in row.signature()] + ["nullptr"])
            parts.append(f"{declaration(row, name, letter, False)} {{\n{wrapped(f'return accublas_{name}_ex({passed});', '  ', '      ')}\n}}")
    return "\n".join(parts)


# ---- Fortran ----

MODULES = {"d": "real64", "s": "real32", "z": "complex_real64", "c": "complex_real32"}
FORTRAN_TYPES = {ENUM: "integer(c_int32_t), value", SIZE: "integer(c_int64_t), value", LEADING: "integer(c_int64_t), value"}


def interface(row, stem, name):
    """The function with options, which Fortran knows as c_ and the stem."""
    declared = {"type(c_ptr), value": ["ctx"], "integer(c_int32_t), value": [], "integer(c_int64_t), value": []}
    for argument in row.signature():
        declared[FORTRAN_TYPES.get(argument.kind, "type(c_ptr), value")].append(argument.name)
    declared["type(c_ptr), value"].append("options")
    passed = ", ".join(["ctx"] + [argument.name for argument in row.signature()] + ["options"])
    lines = [f"{line} &" for line in textwrap.wrap(passed + ")", 100, initial_indent=f"function c_{stem}(", subsequent_indent="  ")]
    lines += [f"  result(status) bind(c, name='accublas_{name}_ex')",
             "  use, intrinsic :: iso_c_binding, only: c_ptr, c_int32_t, c_int64_t"]
    lines += [f"  {kind} :: {', '.join(members)}" for kind, members in declared.items() if members]
    lines += ["  integer(c_int32_t) :: status", f"end function c_{stem}"]
    return "\n".join(f"    {line}" for line in lines)


def fortran(letter):
    """Real and complex numbers have the same names there: c_herk is accublas_dsyrk_ex for real numbers, c_symv accublas_zhemv_ex for complex ones."""
    rows = [row for group in routines.GROUPS.values() for row in group]
    found = {}  # stem: (row, name of the C function)
    for row in rows:
        own = [name for name, of in row.functions() if of == letter]
        found |= {row.stem(name): (row, name) for name in own}
        if own:
            found |= {stem: (row, own[0]) for stem in map(row.stem, row.names.split()) if stem not in found}
    found |= {row.stem(row.names.split()[0]): found[row.of_reals] for row in rows if row.of_reals and letter not in row.types}
    interfaces = [interface(row, stem, name) for stem, (row, name) in found.items()]
    module = f"accublas_routines_c_{MODULES[letter]}"
    return "\n\n".join([f"!> The C functions of the routines for {MODULES[letter].replace('_', ' ')}, made from c_api/routines.py.\nmodule {module}\n"
                        "  implicit none\n  public\n\n  interface", *interfaces, f"  end interface\nend module {module}"])


def names():
    return [f"accublas_{name}{end}" for rows in routines.GROUPS.values() for row in rows for name, _ in row.functions() for end in ("", "_ex")]


def main(arguments):
    match arguments:
        case ["header", path, *options] if options in ([], ["--check"]):
            if not header(Path(path), bool(options)) and options:
                sys.exit(f"{path} is not what c_api/routines.py makes: run c_api/generate.py header {path}")
        case ["functions", group]:
            print(functions(group))
        case ["fortran", letter]:
            print(fortran(letter))
        case ["names"]:
            print("\n".join(names()))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
