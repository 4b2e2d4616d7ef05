"""Makes declarations and functions from the table of routines (c_api/routines.py).

usage: generate.py header ACCUBLAS_H [--check]    writes the declarations into the header, or only tells whether they are current
       generate.py functions GROUP                the exported functions of a group, in C++
       generate.py drop-in GROUP                  the names of BLAS and LAPACK for a group, in C++
       generate.py cublas GROUP                   the names of cuBLAS for a group, in C++
       generate.py names                          the names of all functions, a line each
"""

import re
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import routines
from arguments import (
    BY_VALUE, CERTIFICATE, COUNT, ENUM, FACTOR, INFO, INPUT, LEADING, OUTPUT, PIVOTS_IN, PIVOTS_OUT, POINTERS_IN, POINTERS_OUT, SIZE, WRITTEN)
from routines import Shaped

WIDTH = 119  # and a semicolon
C_TYPES = {"d": "double", "s": "float", "z": "void", "c": "void", "q": "void", "w": "void", "x": "void"}
REAL_TYPES = {"d": "double", "s": "float", "z": "double", "c": "float", "w": "double"}
LIBRARY_TYPES = {"d": "double", "s": "float", "z": "Complex<double>", "c": "Complex<float>", "q": "quad::Format::binary128", "w": "quad::Format::pair", "x": "void"}

HOST_OR_DEVICE = "in host or device memory"
POINTED = {FACTOR: "where accublas_set_pointer_mode says", INPUT: HOST_OR_DEVICE, OUTPUT: HOST_OR_DEVICE, PIVOTS_IN: HOST_OR_DEVICE,
           PIVOTS_OUT: HOST_OR_DEVICE, POINTERS_IN: HOST_OR_DEVICE, POINTERS_OUT: HOST_OR_DEVICE}
STATUSES = ("ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS, _NO_DEVICE, _DEVICE, _C_UNDEFINED, "
            "_ENVIRONMENT, _NO_BLAS or _INTERNAL")
QUAD_STATUSES = "ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ACCURACY, _ENGINE, _UNAVAILABLE, _MEMORY, _POINTERS, _DEVICE, _C_UNDEFINED, _ENVIRONMENT or _INTERNAL"
OWN_STATUSES = {"certified": STATUSES.replace(" or _INTERNAL", ", _NOT_CERTIFIED or _INTERNAL"), "quad_level1": QUAD_STATUSES, "quad": QUAD_STATUSES,
                "quad_solvers": QUAD_STATUSES.replace(" or _INTERNAL", ", _NOT_CERTIFIED or _INTERNAL").replace(" _ACCURACY,", "")}


def unknown_aliases(aliases):
    """The aliases of a routine that this table lacks or whose arguments the drop-in for BLAS and LAPACK cannot pass."""
    stems = {row.stem(name) for rows in routines.GROUPS.values() for row in rows if isinstance(row.body, Shaped) for name, _ in row.functions()}
    return {alias: stem for alias, stem in aliases.items() if stem not in stems}


for unknown, wrong in unknown_aliases(routines.ALIASES).items():
    raise ValueError(f'ALIASES: "{unknown}" is an alias of "{wrong}"; expected the name of a routine of this table without the letter of its type, as "gemm"')


def wrapped(text, first, rest):
    return "\n".join(textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False))


# ---- C ----


def c_type(row, argument, letter):
    """The type in front of an argument's name, with the asterisk where it is a pointer."""
    if argument.kind in BY_VALUE:
        return argument.type
    if argument.kind in (PIVOTS_IN, PIVOTS_OUT, INFO, COUNT):
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
    """Returns whether the header is current; without `check` writes it, so that it is current afterwards."""
    old = path.read_text()
    groups = [group for _, group in PART.findall(old)]
    if groups != list(routines.GROUPS):
        sys.exit(f"{path} has the parts {groups}, and the table has the groups {list(routines.GROUPS)}")
    new = PART.sub(lambda part: part.group(1) + declarations(part.group(2)), old)
    if new != old and not check:
        path.write_text(new)
    return new == old


def arguments_of(row, name, element, expression, none="nullptr"):
    """The shape and the operands of a Shaped routine, in C++. expression(argument) is what stands for an argument, `none` for a factor that the
    routine lacks."""
    shaped = row.body
    signature = row.signature()
    given = {shaped.renamed.get(argument.name, argument.name): argument for argument in signature}
    written = [argument for argument in signature if argument.kind in (OUTPUT, POINTERS_OUT)]
    members = {"kind": f"Operation::{row.operation(name)}", "complex": "is_complex<E>" if element == "E" else str(element.startswith("Complex")).lower()}
    members |= {member: expression(given[member]) for member in shaped.members.split() if member in given}
    operands = []
    for operand in shaped.operands.split():
        if operand == "=":
            operands.append(expression(written[0]) if written else "nullptr")
        elif operand not in given or ("=" in shaped.operands and given[operand] in written):
            operands.append("{}" if operand == "ipiv" else none if operand in ("alpha", "beta", "sb") else "nullptr")
        else:
            passed = expression(given[operand])
            operands.append(f"pivots({passed})" if operand == "ipiv" else passed)
    shape = "{" + ", ".join(f".{member} = {value}" for member, value in members.items()) + "}"
    return ", ".join([shape, *operands])


def body(row, name, letter):
    """The expression that an exported function with options returns."""
    if not isinstance(row.body, Shaped):
        return row.body.format(E=LIBRARY_TYPES[letter])
    info = [", info" if "info" in row.arguments.split() else ", nullptr"] * row.body.lapack
    made = arguments_of(row, name, LIBRARY_TYPES[letter], lambda argument: argument.name)
    layout = "layout, " if "layout" in row.arguments else ""
    return f"{row.body.name.lower()}<{LIBRARY_TYPES[letter]}>(ctx, {layout}{made}{''.join(info)}, options)"


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


def number(row, argument, letter):
    """The type of an argument's numbers in the library."""
    name = argument.name
    return REAL_TYPES[letter] if name in row.real.split() else "float" if name in row.single.split() else LIBRARY_TYPES[letter]


class Convention:
    """How F77 and CBLAS pass the arguments of a row. Complex numbers are void to CBLAS, and then factors are passed by address. If matrices are
    given by pointers, the routine has groups: what others pass by value is an array with an element for each group."""

    def __init__(self, cblas, row, letter, integer):
        self.cblas, self.row, self.letter, self.integer = cblas, row, letter, integer
        self.element = LIBRARY_TYPES[letter]
        self.grouped = any(argument.kind == POINTERS_IN for argument in row.signature())

    def number(self, argument):
        return number(self.row, argument, self.letter)

    def parameter(self, argument):
        name, number = argument.name, self.number(argument)
        if self.cblas and number.startswith("Complex"):
            number = "void"
        by_value = self.cblas and not self.grouped
        if argument.kind == ENUM:
            type_ = argument.type if self.cblas else "char"
            return f"{type_} {name}" if by_value else f"const {type_}* {name}"
        if argument.kind in (SIZE, LEADING):
            return f"{self.integer} {name}" if by_value else f"const {self.integer}* {name}"
        if argument.kind == FACTOR and by_value and number != "void":
            return f"{number} {name}"
        if argument.kind in (POINTERS_IN, POINTERS_OUT):
            return f"{'const ' if argument.kind == POINTERS_IN else ''}{number}* const* {name}"
        type_ = self.integer if argument.kind in (PIVOTS_IN, PIVOTS_OUT, INFO) else number
        return f"{'' if argument.kind in WRITTEN else 'const '}{type_}* {name}"

    def passed(self, argument):
        """An argument as the library takes it; a result is what a function returns."""
        name, by_value = argument.name, argument.kind in (ENUM, SIZE, LEADING, FACTOR)
        if name == "result":
            return "nullptr"
        if argument.kind in (POINTERS_IN, POINTERS_OUT):
            return f"{name} + first"
        if self.cblas and self.number(argument).startswith("Complex") and argument.kind not in (ENUM, SIZE, LEADING):
            name = f"static_cast<{'' if argument.kind in WRITTEN else 'const '}{self.element}*>({name})"
        if by_value and self.grouped:
            name = f"{name}[group]"
        elif by_value and (not self.cblas or name != argument.name):
            name = f"*{name}"
        if argument.kind == ENUM and not self.cblas:
            name = f"f77_{argument.type.removeprefix('accublas_')}({name})"
        return f"{{{name}}}" if argument.kind == FACTOR and self.element.startswith("Complex") else name


def symbols(row, name):
    """(symbol, name of the routine, spelling, whether it is CBLAS's) of each name under which the drop-in serves a routine of the library."""
    if not isinstance(row.body, Shaped):
        return
    # CBLAS returns complex numbers by address, under a name of its own.
    by_address = "_sub" if "result" in row.arguments and dict(row.functions())[name] in "zc" and "result" not in row.real else ""
    stem = row.stem(name)
    aliases = [alias.rpartition(":")[::2] for alias, of in routines.ALIASES.items() if of == stem]
    for called in [name] * row.blas + [name.removesuffix(stem) + alias for types, alias in aliases if not types or dict(row.functions())[name] in types]:
        for spelling in spellings():
            yield f"{spelling['prefix']}{called}{spelling['f77']}", called, spelling, False
            if not row.body.lapack:
                yield f"{spelling['prefix']}cblas_{called}{by_address}{spelling['cblas']}", called, spelling, True


def entry(row, name, letter, symbol, called, spelling, cblas):
    """One function under a name of BLAS, CBLAS or LAPACK."""
    convention = Convention(cblas, row, letter, spelling["Int"])
    arguments = [argument for argument in row.signature() if argument.name not in ("layout", "info")]
    scalar = [argument for argument in arguments if argument.name == "result"]  # what functions return
    arguments = [argument for argument in arguments if argument not in scalar]
    parameters = ["accublas_layout layout"] * (cblas and not scalar) + list(map(convention.parameter, arguments))
    made, result = arguments_of(row, name, convention.element, convention.passed, f"{convention.element}{row.body.none}"), "void"
    if row.body.function:
        made = f"{row.body.name.lower()}<{convention.element}>({made})"
    else:
        made = f"{row.body.name}<{convention.element}>{{{made}}}"
    f77_name, cblas_name = f'"{called.upper():<6}"', f'"cblas_{called}"'
    if row.body.lapack:
        parameters += [f"{convention.element}* work", f"const {spelling['Int']}* lwork"] * row.work + [f"{spelling['Int']}* info"]
        statement = f"lapack({', '.join([spelling_of(spelling), f77_name, made, 'info'] + ['work', '*lwork'] * row.work)})"
    elif not scalar:
        passed = ["cblas(" + spelling_of(spelling), cblas_name, f77_name, "layout"] if cblas else ["f77(" + spelling_of(spelling), f77_name]
        if convention.grouped:
            parameters.insert(-1, f"{spelling['Int']} group_count" if cblas else f"const {spelling['Int']}* group_count")
            passed += ["group_count" if cblas else "*group_count", arguments[-1].name]
            made = f"[&](auto group, auto first) {{ return {made}; }}"
        statement = ", ".join([*passed, f"{made})"])
    else:
        number = convention.number(scalar[0])
        value = f"returned<{number}>({made})"
        if not number.startswith("Complex"):
            result, statement = number, f"return {value}"
        elif cblas:
            parameters.append("void* result")
            statement = f"*static_cast<{number}*>(result) = {value}"
        else:
            result, statement = f"cpu::F77{number}", f"return f77_complex({value})"
    return function(result, symbol, parameters, statement)


def spelling_of(spelling):
    return f"Spelling::{spelling['name']}"


def function(result, symbol, parameters, *statements):
    start = f'extern "C" ACCUBLAS_API {result} {symbol}('
    return "\n".join([f"{joined(start, parameters)} {{", *(wrapped(statement + ";", "  ", "      ") for statement in statements), "}"])


def drop_in(group):
    """The names of BLAS and CBLAS, or LAPACK, that call a group's routines, in every spelling."""
    parts = [f"// The names of BLAS and LAPACK for {group}, made from c_api/routines.py."]
    parts += [entry(row, name, letter, *symbol) for row in routines.GROUPS[group] for name, letter in row.functions() for symbol in symbols(row, name)]
    return "\n".join(parts)


# ---- cuBLAS ----

CUBLAS_TYPES = {"d": "double", "s": "float", "z": "cuDoubleComplex", "c": "cuComplex"}
CUBLAS_WORDS = {"transpose": "cublasOperation_t", "uplo": "cublasFillMode_t", "side": "cublasSideMode_t", "diag": "cublasDiagType_t"}


def cublas_names(row):
    """(name, name of the routine that it calls, its letter) of each name of cuBLAS, but for the ending _64. A name without a letter of a
    type has the letter None, and takes types as arguments, as every name that ends in Ex does."""
    if not isinstance(row.body, Shaped) or row.body.lapack:
        return
    own = {letter: name for name, letter in reversed(row.functions())}
    for word in row.cublas.split():
        letters, _, form = word.rpartition(":")
        if form.startswith("?"):
            yield from ((f"cublas{name.capitalize()}{form[1:]}", name, letter) for name, letter in row.functions())
        else:
            yield from ((f"cublas{letter}{form}", own[letter.lower()], letter.lower()) for letter in letters)
        if not letters and not form.startswith("?"):
            yield f"cublas{form}", own["d"], None


def cublas_entry(row, symbol, name, letter, integer):
    typed, row = symbol.removesuffix("_64").endswith("Ex"), replace(row, arguments=row.of_cublas or row.arguments)
    parameters, arguments, factors = ["cublasHandle_t handle"], ["handle"], {"alpha": "no_factor", "beta": "no_factor"}
    for argument in row.signature()[row.arguments.startswith("layout"):]:
        type_ = "void" if letter is None or (typed and argument.kind != FACTOR) else CUBLAS_TYPES[letter]
        if letter and argument.name in row.real.split():
            type_ = REAL_TYPES[letter]
        type_ = {ENUM: CUBLAS_WORDS.get(argument.type.removeprefix("accublas_")), SIZE: integer, LEADING: integer, OUTPUT: f"{type_}*",
                 POINTERS_IN: f"const {type_}* const*", POINTERS_OUT: f"{type_}* const*"}.get(argument.kind, f"const {type_}*")
        parameters.append(f"{'long long' if argument.name.startswith('stride_') else type_} {argument.name}")
        arguments.append(argument.name)
        if argument.name in factors:
            factors[argument.name] = argument.name
        if typed and argument.name in ("a", "b", "c"):
            parameters.append(f"cudaDataType type_{argument.name}")
            arguments.append(f"type_{argument.name}")
    if letter is None:
        parameters += ["cublasComputeType_t compute", "cublasGemmAlgo_t algo"]
        arguments += ["compute", "algo"]

    def passed(argument):
        word = argument.type.removeprefix("accublas_")
        return f"{word}_of({argument.name})" if argument.kind == ENUM else "nullptr" if argument.kind == FACTOR else argument.name

    element = "E" if typed else LIBRARY_TYPES[letter]
    made = f"{row.body.name.lower()}<{element}>({arguments_of(row, name, element, passed)})"
    rest = ", ".join([*factors.values(), *arguments])
    if typed:
        compute = "compute" if letter is None else "CUBLAS_COMPUTE_32F"
        statement = (f"return serve_typed(real, {{type_a, type_b, type_c, {compute}}}, [&](auto element) {{ using E = decltype(element); "
                     f"return {made}; }}, {rest})")
    else:
        statement = f"return serve(real, {made}, {rest})"
    return function("cublasStatus_t", symbol, parameters, f'static constinit Real real("{symbol}")', statement)


def cublas(group):
    """The names of cuBLAS that call a group's routines."""
    parts = [f"// The names of cuBLAS for {group}, made from c_api/routines.py."]
    parts += [cublas_entry(row, symbol + end, name, letter, f"std::int{64 if end else 32}_t")
              for row in routines.GROUPS[group] for symbol, name, letter in cublas_names(row) for end in ("", "_64")]
    return "\n".join(parts)


def names():
    return [f"accublas_{name}{end}" for rows in routines.GROUPS.values() for row in rows for name, _ in row.functions() for end in ("", "_ex")]


def main(arguments):
    makers = {"functions": functions, "drop-in": drop_in, "cublas": cublas}
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
