"""Makes declarations and functions from the table of routines (c_api/routines.py).

usage: generate.py header ACCUBLAS_H [--check]    writes the declarations into the header, or only tells whether they are current
       generate.py functions GROUP                the exported functions of a group, in C++
       generate.py drop-in GROUP                  the names of BLAS and LAPACK for a group, in C++
       generate.py names                          the names of all functions, a line each
"""

import re
import sys
import textwrap
from pathlib import Path

import routines
from routines import (CERTIFICATE, ENUM, FACTOR, INFO, INPUT, LEADING, OUTPUT, PIVOTS_IN, PIVOTS_OUT, POINTERS_IN, POINTERS_OUT, SIZE, WRITTEN,
                      Shaped)

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


def joined(start, parameters):
    """The beginning of a declaration and its parameters; the type and the name of one stay on one line."""
    text = ", ".join(parameter.replace(" ", "\0") for parameter in parameters) + ")"
    return wrapped(text, start.replace(" ", "\0"), " " * 4).replace("\0", " ")


def declaration(row, name, letter, options, before=""):
    return joined(f"{before}accublas_status accublas_{name}{'_ex' * options}(", parameters(row, letter, options))


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


def shape_and_operands(row, name, letter, expression):
    """The arguments of a function whose call has a shape, but for info. expression(argument) is the C++ that stands for an argument."""
    call = row.body
    given = {call.renamed.get(argument.name, argument.name): argument for argument in row.signature()}
    written = [argument for argument in row.signature() if argument.kind == OUTPUT]
    members = {"kind": f"Operation::{row.kind or row.stem(name)}", "complex": str(letter in "zc").lower()}
    members |= {member: expression(given[member]) for member in call.members.split() if member in given}
    operands = []
    for operand in call.operands.split():
        if operand == "=":
            operands.append(expression(written[0]))
        elif operand not in given or ("=" in call.operands and given[operand] in written):
            operands.append("{}" if operand == "ipiv" else "nullptr")
        else:
            passed = expression(given[operand])
            operands.append(f"pivots({passed})" if operand == "ipiv" else passed)
    return ", ".join(["{" + ", ".join(f".{member} = {value}" for member, value in members.items()) + "}", *operands])


def body(row, name, letter):
    """The expression that an exported function with options returns."""
    element, real = LIBRARY_TYPES[letter], REAL_TYPES[letter]
    types = {"E": element} | {factor: real if word in row.real.split() else element for factor, word in (("A", "alpha"), ("B", "beta"))}
    if not isinstance(row.body, Shaped):
        return row.body.format(**types)
    info = [", info" if "info" in row.arguments.split() else ", nullptr"] * row.body.lapack
    passed = shape_and_operands(row, name, letter, lambda argument: argument.name)
    return f"{row.body.name.lower()}<{row.body.types.format(**types)}>(ctx, layout, {passed}{''.join(info)}, options)"


def functions(group):
    """Each function with options calls the definition, and the one without calls that with NULL."""
    parts = [f"// The exported functions of {group}, made from c_api/routines.py."]
    for row in routines.GROUPS[group]:
        for name, letter in row.functions():
            parts.append(f"{declaration(row, name, letter, True)} {{\n{wrapped(f'return {body(row, name, letter)};', '  ', '      ')}\n}}")
            passed = ", ".join(["ctx"] + [argument.name for argument in row.signature()] + ["nullptr"])
            parts.append(f"{declaration(row, name, letter, False)} {{\n{wrapped(f'return accublas_{name}_ex({passed});', '  ', '      ')}\n}}")
    return "\n".join(parts)


# ---- BLAS, CBLAS and LAPACK ----

SPELLING = re.compile(r"ROW\((?P<name>\w+), (?P<Int>[\w:]+), (?P<prefix>\w*), (?P<f77>\w*), (?P<cblas>(?!__)\w+)?")


def spellings():
    """The spellings of the names of BLAS: the rows of the C++ table."""
    table = Path(__file__).resolve().parents[1] / "lib" / "call" / "blas_spellings.hpp"
    return [row.groupdict("") for row in SPELLING.finditer(table.read_text())]


class Convention:
    """How F77 and CBLAS pass the arguments of a row. Complex numbers are void to CBLAS, and then factors are passed by address."""

    def __init__(self, cblas, row, letter, integer):
        self.cblas, self.row, self.letter, self.integer = cblas, row, letter, integer
        self.element, self.real = LIBRARY_TYPES[letter], REAL_TYPES[letter]

    def number(self, argument):
        """The type of an argument's numbers in the library."""
        row = self.row
        return self.real if argument.name in row.real.split() else "float" if argument.name in row.single.split() else self.element

    def parameter(self, argument):
        name, number = argument.name, self.number(argument)
        if self.cblas and number.startswith("Complex"):
            number = "void"
        if argument.kind == ENUM:
            return f"{argument.type} {name}" if self.cblas else f"const char* {name}"
        if argument.kind in (SIZE, LEADING):
            return f"{self.integer} {name}" if self.cblas else f"const {self.integer}* {name}"
        if argument.kind == FACTOR and self.cblas and number != "void":
            return f"{number} {name}"
        type_ = self.integer if argument.kind in (PIVOTS_IN, PIVOTS_OUT, INFO) else number
        return f"{'' if argument.kind in WRITTEN else 'const '}{type_}* {name}"

    def passed(self, argument):
        """An argument as the library takes it."""
        name, by_value = argument.name, argument.kind in (ENUM, SIZE, LEADING, FACTOR)
        if not self.cblas:
            return f"f77_{argument.type.removeprefix('accublas_')}(*{name})" if argument.kind == ENUM else f"*{name}" if by_value else name
        if argument.kind in (ENUM, SIZE, LEADING) or not self.number(argument).startswith("Complex"):
            return name
        return f"{'*' if by_value else ''}static_cast<{'' if argument.kind in WRITTEN else 'const '}{self.element}*>({name})"


def in_lapack(row):
    """Whether LAPACK has the routine, and not BLAS."""
    return isinstance(row.body, Shaped) and row.body.lapack


def symbols(row, name):
    """(symbol, spelling, whether it is CBLAS's) of each name under which the drop-in serves a routine of the library."""
    if not row.drop_in and not isinstance(row.body, Shaped):
        return
    # CBLAS returns complex numbers by address, under a name of its own.
    by_address = "_sub" if "result" in row.arguments and dict(row.functions())[name] in "zc" and "result" not in row.real else ""
    for spelling in spellings():
        yield f"{spelling['prefix']}{name}{spelling['f77']}", spelling, False
        if not in_lapack(row):
            yield f"{spelling['prefix']}cblas_{name}{by_address}{spelling['cblas']}", spelling, True


def entry(row, name, letter, symbol, spelling, cblas):
    """One function under a name of BLAS, CBLAS or LAPACK."""
    convention = Convention(cblas, row, letter, spelling["Int"])
    arguments = [argument for argument in row.signature() if argument.name not in ("layout", "info")]
    scalar = [argument for argument in arguments if argument.name == "result"]  # what functions return
    arguments = [argument for argument in arguments if argument not in scalar]
    parameters = ["accublas_layout layout"] * (cblas and not scalar) + list(map(convention.parameter, arguments))
    of, element = f"Spelling::{spelling['name']}", convention.element
    values = {"E": element, "name": name, "arguments": ", ".join(map(convention.passed, arguments))}
    call = row.drop_in.format(**values)
    if isinstance(row.body, Shaped):
        which = f"Operation::{row.kind or row.stem(name)}"
        call = f"{row.body.name}Call<{which}, {element}>({shape_and_operands(row, name, letter, convention.passed)})"
    result = "void"
    if in_lapack(row):
        work = ["work", "*lwork"] * row.work
        parameters += [f"{element}* work", f"const {spelling['Int']}* lwork"] * row.work + [f"{spelling['Int']}* info"]
        statement = f"lapack({', '.join([of, call, 'info', *work])})"
    elif not scalar:
        statement = f"cblas({of}, layout, {call})" if cblas else f"f77({of}, {call})"
    elif not convention.number(scalar[0]).startswith("Complex"):
        result, statement = convention.number(scalar[0]), f"return {call}"
    elif cblas:
        parameters.append("void* result")
        statement = f"*{convention.passed(scalar[0])} = {call}"
    else:
        result, statement = f"cpu::F77Complex<{convention.real}>", f"return f77_complex({call})"
    start = f'extern "C" ACCUBLAS_API {result} {symbol}('
    return f"{joined(start, parameters)} {{\n{wrapped(statement + ';', '  ', '      ')}\n}}"


def drop_in(group):
    """The names of BLAS and CBLAS, or LAPACK, that call a group's routines, in every spelling."""
    parts = [f"// The names of BLAS and LAPACK for {group}, made from c_api/routines.py."]
    parts += [entry(row, name, letter, *symbol) for row in routines.GROUPS[group] for name, letter in row.functions() for symbol in symbols(row, name)]
    return "\n".join(parts)


def names():
    return [f"accublas_{name}{end}" for rows in routines.GROUPS.values() for row in rows for name, _ in row.functions() for end in ("", "_ex")]


def main(arguments):
    makers = {"functions": functions, "drop-in": drop_in}
    if arguments[:1] == ["header"] and (len(arguments) == 2 or arguments[2:] == ["--check"]):
        path, check = Path(arguments[1]), len(arguments) == 3
        if not header(path, check) and check:
            sys.exit(f"{path} is not what c_api/routines.py makes: run c_api/generate.py header {path}")
    elif len(arguments) == 2 and arguments[0] in makers:
        print(makers[arguments[0]](arguments[1]))
    elif arguments == ["names"]:
        print("\n".join(names()))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
