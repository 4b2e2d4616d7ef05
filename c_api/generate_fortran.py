"""Makes sources of the Fortran module from the table of routines (c_api/routines.py) and from accublas.h.

usage: generate_fortran.py FOLDER (-- FILE CONTENTS)...

It writes files into a folder. CONTENTS are one of:
  interfaces TYPE           the C functions of the routines for a type of numbers: d, s, z or c
  generics GROUP TYPES      a module of the generics of a group, a key of GENERICS
  netlib GROUP TYPE INT...  a module of routines with netlib's arguments, for integers of kind int32, int64 or both
  constants ACCUBLAS_H      the enumerators of the header
  functions ACCUBLAS_H      its functions other than routines
  template SOURCE TYPE      a source with @VARIABLES@ for a type of numbers
  template SOURCE ACCUBLAS_H [INT]  such a source for the header, and a kind of integers
"""

import re
import sys
from pathlib import Path

import routines
from arguments import ENUM, FACTOR, LEADING, OUTPUT, SIZE, VALUE, WRITTEN
from fortran_generics import GENERICS, NETLIB, NETLIB_COMMENTS
from fortran_header import constants, functions, report_structs, settings
from fortran_mp import mp_procedures
from fortran_text import LAST_ARGUMENTS, comment, declarations, indented, statement

MODULES = {"d": "real64", "s": "real32", "z": "complex_real64", "c": "complex_real32", "q": "real128"}
KINDS = {"d": "real64", "s": "real32", "z": "real64", "c": "real32", "q": "real128"}
REALS = "dsq"
CODES = {"layout": "ACCUBLAS_COL_MAJOR", "side": "side_code(side)", "uplo": "uplo_code(uplo)", "diag": "diag_code(diag)"} | {
    name: f"transpose_code({name})" for name in ("trans", "transa", "transb")} | {"jobz": "ACCUBLAS_VECTORS", "range": "part%range"}


def named_rows(letter):
    """{stem: (row, name of the C function)}. Real and complex numbers have the same stems: herk is DSYRK for real numbers, symv ZHEMV for
    complex ones."""
    rows = [row for group in routines.GROUPS.values() for row in group]
    found = {}
    for row in rows:
        own = [name for name, of in row.functions() if of == letter]
        found |= {row.generic or row.stem(name): (row, name) for name in own}
        if own and not row.generic:
            found |= {stem: (row, own[0]) for stem in map(row.stem, row.names.split()) if stem not in found}
    return found | {row.stem(row.names.split()[0]): found[row.of_reals] for row in rows if row.of_reals in found and letter not in row.types}


# ---- The C functions of the routines ----

BY_VALUE = {ENUM: "integer(c_int32_t), value", SIZE: "integer(c_int64_t), value", LEADING: "integer(c_int64_t), value", VALUE: "real(c_double), value"}


def interface(row, stem, name):
    """The function with options, which Fortran knows as c_ and the stem."""
    pointer = "type(c_ptr), value"
    declared = [(pointer, "ctx"), *((BY_VALUE.get(argument.kind, pointer), argument.name) for argument in row.signature()), (pointer, "options")]
    lines = [f"function c_{stem}({', '.join(word for _, word in declared)}) result(status) bind(c, name='accublas_{name}_ex')",
             f"  use, intrinsic :: iso_c_binding, only: c_ptr, c_int32_t, c_int64_t{', c_double' * any(argument.kind == VALUE for argument in row.signature())}", *(f"  {line}" for line in declarations(declared)),
             "  integer(c_int32_t) :: status", f"end function c_{stem}"]
    return indented(lines, 4)


def interfaces(letter):
    made = [interface(row, stem, name) for stem, (row, name) in named_rows(letter).items()]
    module = f"accublas_routines_c_{MODULES[letter]}"
    return "\n\n".join([f"!> The C functions of the routines for {MODULES[letter].replace('_', ' ')}, made from c_api/routines.py.\nmodule {module}\n"
                        "  implicit none\n  public\n\n  interface", *made, f"  end interface\nend module {module}"])


# ---- Generics ----


class Procedure:
    """The specific procedure of a generic for one type of numbers: its C call, with operands as addresses and strides."""

    def __init__(self, generic, group, row, letter):
        self.generic, self.row, self.letter = generic, row, letter
        # Where numbers are real, messages have the name of the symmetric routine.
        symmetric = [other.stem for other in group if other.of == generic.stem and other.types == "ds"]
        self.message = symmetric[0] if symmetric and letter in REALS else generic.stem
        self.arguments = row.signature()
        names = [argument.name for argument in self.arguments]
        self.matrices = [name for name in names if "ld" + name.replace("radius", "r") in names]
        self.vectors = [name for name in names if "inc" + name in names or name == "tau"]
        self.arrays = [name for name in names if name in ("w", "s", "angle", "cluster") or (name == "radius" and "ldr" not in names)]  # real, or integers
        self.written = [argument.name for argument in self.arguments if argument.kind in WRITTEN]
        self.pivots, self.info, self.result, self.certificate, self.partial = (name in names for name in ("ipiv", "info", "result", "certificate", "range"))
        self.factors = [argument.name for argument in self.arguments if argument.kind == FACTOR]
        self.letters = [argument.name for argument in self.arguments if argument.kind == ENUM and argument.name not in ("layout", "jobz", "range")]
        # Operands come first, and then what is optional, both in C's order.
        operands = [name for name in names if name in [*self.matrices, *self.vectors, *self.arrays, "ipiv", "sb"]]
        self.dummies = (operands + ["info"] * self.info + ["found"] * self.partial + self.letters + [name for name in self.factors if name != "sb"] +
                        ["vl", "vu", "il", "iu"] * self.partial + ["certificate"] * self.certificate)

    def number(self, name):
        kind = "real32" if name in self.row.single.split() else KINDS[self.letter]
        return f"real({kind})" if name in self.row.real.split() or self.letter in REALS else f"complex({kind})"

    def real_factor(self, name):
        return name in self.row.real.split() and self.letter in "zc"

    def declared(self, name, integer="int64"):
        """(type, name) of a dummy argument."""
        intent = "inout" if name in self.written else "in"
        if name in self.matrices:
            return f"{self.number(name)}, intent({intent}), target", f"{name}(:, :)"
        if name in self.vectors:
            return f"{self.number(name)}, intent({intent}), target{', contiguous' * (name == 'tau')}", f"{name}(:)"
        if name in self.arrays:
            return f"{'integer(int64)' if name == 'cluster' else self.number(name)}, intent({intent}), target, contiguous", f"{name}(:)"
        if name in self.letters:
            return "character, intent(in), optional", name
        if name in self.factors:
            return f"{self.number(name)}, intent(in), target{', optional' * (name != 'sb')}", name
        if name in ("vl", "vu", "il", "iu"):
            return f"{'integer(int32)' if name[0] == 'i' else f'real({KINDS[self.letter]})'}, intent(in), optional", name
        return {"info": ("integer(int32), intent(out)", "info"), "found": ("integer(int32), intent(out)", "found"),
                "ipiv": (f"integer({integer}), intent({intent}){', target' * (integer == 'int64')}", "ipiv(:)"),
                "certificate": ("type(accublas_certificate_t), intent(out), optional", "certificate")}[name]

    def passed(self, argument):
        """The expression that C gets for an argument."""
        name = argument.name
        if argument.kind == ENUM:
            return CODES[name]
        if argument.kind == LEADING:
            return f"v{name[2:].replace('r', 'radius')}%col_stride"
        if name.startswith("inc"):
            return f"v{name[3:]}%increment"
        if name in self.arrays:
            return f"c_loc({name})"
        if name in self.matrices + self.vectors:
            return f"v{name}%address"
        if name in ("alpha", "beta"):
            default = "one" if name == "alpha" else "zero"
            return f"real_address({name}, real_{default})" if self.real_factor(name) else f"address_or({name}, {default})"
        if name in ("vl", "vu", "il", "iu"):
            return f"part%{name}"
        return {"info": "c_loc(wide_info)", "found": "c_loc(wide_found)", "ipiv": "pivots", "result": "c_loc(r)", "certificate": "c_loc(proof)", "sb": "c_loc(sb)"}.get(
            name, name)

    def shapes(self):
        """Views of op(A) and op(B); sizes, by the operand that has them first; the condition that the others conform."""
        views, sizes, left, right = [], {}, [], []
        for operand, *extents in self.generic.operands():
            view = f"v{operand}"
            if operand.startswith("op("):
                operand = operand[3:-1]
                view = f"op{operand}"
                views.append(f"{view} = op_of(v{operand}, {CODES[self.transposition(operand)]})")
            members = ("rows", "cols") if operand in self.matrices else ("length",)
            for member, extent in zip(members, extents):
                if extent.isidentifier() and extent not in sizes and extent != "order":
                    sizes[extent] = f"{view}%{member}"
                else:
                    left.append(f"{view}%{member}")
                    right.append(extent)
                    if extent == "order":
                        sizes["order"] = "merge(n, m, side_code(side) == ACCUBLAS_RIGHT)"
        equal = [f"{left[0]} == {right[0]}"] if len(left) == 1 else [f"all([{', '.join(left)}] == [{', '.join(right)}])"] * bool(left)
        conform = " .and. ".join(equal + [self.generic.also] * bool(self.generic.also)) or ".true."
        return views, sizes, conform

    def transposition(self, operand):
        return "trans" if "trans" in self.letters else "trans" + operand

    def local_variables(self, views, sizes):
        result = [(f"{self.number(name)}, allocatable, target", f"copy_{name}(:, :)") for name in self.matrices]
        result += [("integer(int64), allocatable, target", "copy_ipiv(:)"), ("type(c_ptr)", "pivots")] * self.pivots
        result += [(f"{self.number('result')}, target", "r")] * self.result
        result += [("type(call_state), target", "call")]
        result += [("type(matrix_view)", name) for name in [f"v{name}" for name in self.matrices] + [view.split()[0] for view in views]]
        result += [("type(vector_view)", f"v{name}") for name in self.vectors]
        result += [("type(c_certificate), target", "proof")] * self.certificate
        result += [("type(eigenvalue_part)", "part"), ("integer(int64), target", "wide_found")] * self.partial
        result += [("character(:), allocatable", "bad")]
        result += [("integer(int64)", size) for size in sizes] + [("integer(int64), target", "wide_info")] * self.info
        return result + [("integer(int32)", "status")]

    def preparation(self, views, sizes, conform):
        """Operands as C has them, the sizes, and the error in them."""
        viewed = self.matrices + self.vectors
        lines = [f"call view_or_copy({name}, v{name}, copy_{name})" for name in self.matrices]
        lines += [f"v{name} = vector_of({name})" for name in self.vectors]
        lines += ["call pivots_or_copy(ipiv, pivots, copy_ipiv)"] * self.pivots
        lines += views + [f"{size} = {value}" for size, value in sizes.items()]
        lines += ["part = part_of(n, present(vl) .or. present(vu), il, iu)", "if (present(vl)) part%vl = vl", "if (present(vu)) part%vu = vu",
                  "wide_found = 0"] * self.partial
        lines += ["bad = wrong_pair(vx, vy)" if self.result and "y" in viewed else
                  f"bad = wrong({conform}, [{', '.join(f'v{name}%aligned' for name in viewed)}])"]
        lines += ["if (part%range == 0) bad = 'il or iu and vl or vu are both present'"] * self.partial
        transpositions = list(dict.fromkeys(self.transposition(view[2]) for view in views))
        if transpositions:
            lines += [f"if ({' .or. '.join(f'{CODES[name]} == 0' for name in transpositions)}) "
                      f"bad = '{' or '.join(transpositions)} is none of N, T, C'"]
        return lines + ["wide_info = 0"] * self.info + ["proof%struct_size = c_sizeof(proof)"] * self.certificate

    def call(self):
        """The call of C, which is made again after some failures if the program has no status."""
        lines = ["call start_call(call, mode, context, options)"]
        if not (self.result or self.certificate):
            reads = f"reads{'_real' * self.real_factor('beta')}(beta)" if "beta" in self.factors else ".true."
            lines += [f"call%reads_result = {reads}"]
        passed = ", ".join(["call%ctx%handle", *map(self.passed, self.arguments), "options_address(call)"])
        lines += ["do", "  if (bad /= '') then", f"    status = fails(call, 'accublas_{self.message}: '//bad)", "  else",
                  f"    status = c_{self.generic.stem}({passed})", "  end if"]
        lines += ["  if (status == ACCUBLAS_ERROR_NOT_CERTIFIED .and. .not. present(stat)) exit"] * self.certificate
        return lines + ["  if (.not. call_again(call, status, stat, errmsg)) exit", "end do"]

    def results(self):
        """Results that were copied or that have other types in C."""
        lines = [f"if (allocated(copy_{name})) {name} = copy_{name}" for name in self.dummies
                 if name in self.written and name in [*self.matrices, "ipiv"]]
        lines += ["info = int(wide_info, int32)"] * self.info + ["found = int(wide_found, int32)"] * self.partial + ["if (present(certificate)) certificate = certificate_of(proof)"] * self.certificate
        nan = f"ieee_value(1._{KINDS[self.letter]}, ieee_quiet_nan)"
        nan = nan if self.number("result").startswith("real") else f"cmplx({nan}, {nan}, {KINDS[self.letter]})"
        return lines + [f"if (status /= ACCUBLAS_SUCCESS) r = {nan}"] * self.result

    def text(self):
        stem, kind, shapes = self.generic.stem, "function" if self.result else "subroutine", self.shapes()
        lines = [f"{kind} {stem}({', '.join(self.dummies + [name for _, name in LAST_ARGUMENTS])}){' result(r)' * self.result}"]
        lines += ["  " + line for line in declarations([*map(self.declared, self.dummies), *LAST_ARGUMENTS, *self.local_variables(*shapes[:2])])]
        lines += ["", *("  " + line for line in self.preparation(*shapes) + self.call() + self.results())]
        return indented([*lines, f"end {kind} {stem}"], 2)

    def narrow(self):
        """The procedure for pivots that are INTEGER(4)."""
        stem, written, names = self.generic.stem, "ipiv" in self.written, ", ".join(self.dummies + [name for _, name in LAST_ARGUMENTS])
        lines = [f"subroutine {stem}_narrow({names})"]
        lines += ["  " + line for line in declarations([*(self.declared(name, "int32") for name in self.dummies), *LAST_ARGUMENTS])]
        lines += ["  integer(int64) :: wide(size(ipiv))", "", f"  wide = {'0' if written else 'ipiv'}", f"  call {stem}({names.replace('ipiv', 'wide')})"]
        lines += ["  if (size(ipiv) > 0) ipiv = int(wide, int32)"] * written
        return indented([*lines, f"end subroutine {stem}_narrow"], 2)


def uses(module, text, names):
    """The names of a module that a text has."""
    found = [name for name in names.split() if re.search(rf"\b{name}\b", text)]
    return [statement(f"use{', intrinsic ::' * module.startswith('i')} {module}, only: {', '.join(found)}", 2)] * bool(found)


def generic_parts(group, letter):
    """The names, the interface blocks and the procedures of a group's generics."""
    found, names, blocks, made = named_rows(letter), [], [], []
    for generic in GENERICS[group][1]:
        if letter not in generic.types:
            continue
        specifics = [generic.of or generic.stem]
        if not generic.of:
            procedure = Procedure(generic, GENERICS[group][1], found[generic.stem][0], letter)
            made.append(procedure.text())
            if procedure.pivots:
                made.append(procedure.narrow())
                specifics.append(f"{generic.stem}_narrow")
        names.append(f"accublas_{generic.stem}")
        blocks.append(f"{comment(generic.comment, 2)}\n  interface accublas_{generic.stem}\n    procedure :: {', '.join(specifics)}\n"
                      f"  end interface accublas_{generic.stem}")
    return statement(f"public :: {', '.join(names)}", 2).lstrip(), "\n".join(blocks).lstrip(), "\n\n".join(made).lstrip()


def generics(group, letters):
    """A module of a group's generics; `letters` are several where one module has all types of numbers."""
    parts = [generic_parts(group, letter) for letter in letters]
    text, module = "\n\n  ".join(part[2] for part in parts), f"accublas_{group}" + (f"_{MODULES[letters]}" if len(letters) == 1 else "")
    head = [comment(f"{GENERICS[group][0].format(**values(letters[0]))}\nMade by c_api/generate_fortran.py.", 0), f"module {module}"]
    head += uses("iso_c_binding", text, "c_ptr c_loc c_sizeof") + uses("iso_fortran_env", text, "int32 int64 real32 real64 real128")
    head += uses("ieee_arithmetic", text, "ieee_value ieee_quiet_nan")
    head += uses("accublas_constants", text, "ACCUBLAS_SUCCESS ACCUBLAS_ERROR_NOT_CERTIFIED ACCUBLAS_COL_MAJOR ACCUBLAS_RIGHT ACCUBLAS_VECTORS")
    head += ["  use accublas_contexts, only: accublas_context, accublas_options", "  use accublas_calls"]
    head += ["  use accublas_certificates"] * ("certificate" in text)
    for letter in letters:
        head += uses(f"accublas_operands_{MODULES[letter]}", text, "one zero real_one real_zero view_or_copy address_or real_address reads reads_real") * (
            len(letters) == 1)
        head += uses(f"accublas_routines_c_{MODULES[letter]}", text, " ".join(f"c_{generic.stem}" for generic in GENERICS[group][1]
                                                                          if letter in generic.types))
    head += uses(f"accublas_operands_{MODULES[letters[-1]]}", text, "vector_of")
    head += ["  implicit none", "  private", "", *("  " + part[0] for part in parts), "", *("  " + part[1] for part in parts)]
    return "\n".join([*head, "", "contains", "", "  " + text, f"end module {module}"])


# ---- Templates ----


def values(letter):
    """The values of @NAME@ and the other variables in a source for a type of numbers."""
    real, is_complex = KINDS[letter], letter in "zc"
    return {"NAME": MODULES[letter], "REAL": real, "NUMBERS": f"complex numbers of {real}" if is_complex else real,
            "TYPE": "complex" if is_complex else "real", "TYPE_CODE": f"ACCUBLAS_TYPE_{letter.upper()}", "COMPLEX": f".{str(is_complex).lower()}.", "CONJG": "conjg" if is_complex else "",
            "LAST_ARGUMENTS": "\n    ".join(declarations(LAST_ARGUMENTS))}


def template(path, word, kind=None):
    """A source with its variables replaced, for a type of numbers or what a header says, of routines for an integer kind if there is one."""
    if word in MODULES:
        replaced = values(word) | dict(zip(("LEVEL1_PUBLIC", "LEVEL1_INTERFACES", "LEVEL1_PROCEDURES"), generic_parts("level1", word)))
        replaced["LEVEL1_C"] = ", ".join(f"c_{generic.stem}" for generic in GENERICS["level1"][1] if word in generic.types)
    else:
        header = Path(word).read_text()
        last = LAST_ARGUMENTS[1:2] * bool(kind) + LAST_ARGUMENTS[3:]
        replaced = settings(header) | report_structs(word) | mp_procedures(header, kind) | {"INT": kind, "LAST_ARGUMENTS": "\n    ".join(declarations(last))}
    return re.sub(r"@(\w+)@", lambda variable: replaced[variable.group(1)], Path(path).read_text())


# ---- netlib's arguments ----


def netlib_routine(row, stem, name, letter, integer):
    """accublas_<name>, or accublas_<name>_64 if its integers are INTEGER(8)."""
    arguments = [argument for argument in row.signature() if argument.name not in ("layout", "result")]
    result, declared, passed = row.arguments.endswith("result!"), [], {"layout": CODES["layout"], "result": "c_loc(r)"}
    for argument in arguments:
        name_, number = argument.name, "real(wp)" if letter in REALS or argument.name in row.real.split() else "complex(wp)"
        if argument.kind == ENUM:
            declared.append(("character, intent(in)", name_))
            passed[name_] = CODES[name_]
        elif argument.kind in (SIZE, LEADING):
            declared.append((f"integer({integer}), intent(in)", name_))
            passed[name_] = name_ if integer == "int64" else f"int({name_}, int64)"
        else:
            declared.append((f"{number}, intent({'inout' if argument.kind == OUTPUT else 'in'}), target", name_ + "(*)" * (argument.kind != FACTOR)))
            passed[name_] = f"c_loc({name_})"
    kind, full = "function" if result else "subroutine", f"accublas_{name}{'_64' * (integer == 'int64')}"
    c_call = ", ".join(["call%ctx%handle", *(passed[argument.name] for argument in row.signature()), "options_address(call)"])
    lines = [f"{kind} {full}({', '.join(argument.name for argument in arguments)}){' result(r)' * result}"]
    lines += ["  " + line for line in declarations([*declared, *[("real(wp), target", "r")] * result])]
    lines += ["  type(call_state), target :: call", "  integer(int32) :: status", ""]
    if not result:
        lines.append(f"  call%reads_result = {'.not. abs(beta) <= 0' if 'beta' in passed else '.true.'}")
    lines += ["  do", f"    status = c_{stem}({c_call})", "    if (.not. call_again(call, status)) exit", "  end do", f"end {kind} {full}"]
    return full, f"{comment(NETLIB_COMMENTS[stem], 2)}\n{indented(lines, 2)}"


def netlib(group, letter, *integers):
    """A module of routines with netlib's arguments; its name has the kind of the integers, where this is one."""
    stems, found = NETLIB[group].split(), named_rows(letter)
    made = [netlib_routine(found[stem][0], stem, found[stem][1], letter, integer) for integer in integers for stem in stems]
    text, module = "\n\n".join(routine for _, routine in made), f"accublas_{group}_{MODULES[letter]}" + (f"_{integers[0]}" if len(integers) == 1 else "")
    head = [comment(f"Routines for {values(letter)['NUMBERS']} with netlib's arguments, on the calling thread's default context: leading\n"
                    "dimensions, increments, and the first element of an array. They are not generics.\nMade by c_api/generate_fortran.py.", 0)]
    head += [f"module {module}", "  use, intrinsic :: iso_c_binding, only: c_loc"]
    head += [f"  use, intrinsic :: iso_fortran_env, only: int32, int64, wp => {KINDS[letter]}"]
    head += ["  use accublas_constants, only: ACCUBLAS_COL_MAJOR", "  use accublas_calls"]
    head += uses(f"accublas_routines_c_{MODULES[letter]}", text, " ".join(f"c_{stem}" for stem in stems))
    head += ["  implicit none", "  private", "", statement(f"public :: {', '.join(name for name, _ in made)}", 2), "", "contains", ""]
    return "\n".join([*head, text, f"end module {module}"])


MAKERS = {"interfaces": interfaces, "generics": generics, "netlib": netlib, "template": template,
          "constants": lambda header: constants(Path(header).read_text()), "functions": lambda header: functions(Path(header).read_text())}


def main(arguments):
    starts = [at for at, word in enumerate(arguments) if word == "--"]
    if starts[:1] != [1]:
        sys.exit(__doc__)
    for start, end in zip(starts, [*starts[1:], len(arguments)]):
        file, what, *words = arguments[start + 1 : end]
        path, text = Path(arguments[0]) / file, MAKERS[what](*words) + "\n"
        if not path.exists() or path.read_text() != text:  # else what is compiled from it stays
            path.write_text(text)


if __name__ == "__main__":
    main(sys.argv[1:])
