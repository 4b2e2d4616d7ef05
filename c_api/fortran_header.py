"""The Fortran module takes this from accublas.h: constants, the interfaces of the functions other than routines, structs of reports, and settings."""

from fortran_generics import SETTINGS
from fortran_text import LAST_ARGUMENTS, comment, declarations, indented, statement
from header import header_enums, header_functions
from structs import structs

NUMBERS = {"accublas_status": "integer(c_int32_t)", "int32_t": "integer(c_int32_t)", "int64_t": "integer(c_int64_t)", "uint64_t": "integer(c_int64_t)",
           "size_t": "integer(c_size_t)", "double": "real(c_double)"}
MEMBERS = {"c_size_t": "integer(c_size_t)", "c_int32": "integer(int32)", "c_int64": "integer(int64)", "c_uint64": "integer(int64)",
           "c_double": "real(real64)"}
POINTERS = {"accublas_failure_handler": "type(c_funptr)", "mpfr_ptr": "type(c_ptr)", "mpfr_srcptr": "type(c_ptr)"}


def constants(header):
    """A module of the enumerators. The comment above an enum is the one of its section."""
    lines = ["!> The constants of accublas.h, made from it by c_api/generate_fortran.py.", "module accublas_constants",
             "  use, intrinsic :: iso_fortran_env, only: int32", "  implicit none", "  private :: int32"]
    for heading, members in header_enums(header):
        lines += ["", f"  ! {heading}"]
        for name, value, meaning in members:
            lines += [comment(meaning, 2), f"  integer(int32), parameter :: {name} = {value}"]
    return "\n".join([*lines, "end module accublas_constants"])


def header_parameter(type_, name):
    """(type, name) of a parameter of C in an interface. A pointer to numbers is an array if its name is a plural."""
    base = type_.removeprefix("const ").removesuffix("*")
    intent = "in" if type_.startswith("const ") else "inout"
    if type_ in NUMBERS:
        return f"{NUMBERS[type_]}, value", name
    if type_ == "const char*":
        return "character(kind=c_char), intent(in)", f"{name}(*)"
    if base in NUMBERS:
        return f"{NUMBERS[base]}, intent({intent})", name + "(*)" * name.endswith("s")
    return ("type(c_ptr), intent(out)" if type_.endswith("**") else f"{POINTERS.get(type_, 'type(c_ptr)')}, value"), name


def functions(header):
    """A module of interfaces, whose names are c_ and that of C. Functions of numbers alone are for users, and have accublas_ in front."""
    made = []
    for meaning, kind, name, parameters in header_functions(header):
        types = [type_ for type_, _ in parameters]
        if "FILE*" in types:
            continue
        public = set(types) <= set(NUMBERS) and kind in NUMBERS and kind != "accublas_status"
        prefix, own = ("pure ", "accublas_") if public else ("", "c_")
        declared = declarations([header_parameter(*parameter) for parameter in parameters])
        lines = [f"{prefix}function {own}{name}({', '.join(word for _, word in parameters)}) result(answer) bind(c, name='accublas_{name}')",
                 *["  !> The C function of this name."] * public, "  use, intrinsic :: iso_c_binding", *(f"  {line.replace('value', 'value, intent(in)') if public else line}" for line in declared),
                 f"  {NUMBERS.get(kind, 'type(c_ptr)')} :: answer", f"end function {own}{name}"]
        made.append(f"{comment(meaning, 4)}\n" * public + indented(lines, 4))
    return "\n\n".join(["! The functions of accublas.h that are no routines, made from it by c_api/generate_fortran.py.\nmodule accublas_functions_c\n"
                        "  implicit none\n  public\n\n  interface", *made, "  end interface\nend module accublas_functions_c"])


def report_structs(path):
    """The structs that the library fills, which Fortran knows as c_ and the name."""
    made = []
    for struct in ("report_t", "counter_t", "mp_report_t", "accumulator_report_t"):
        members = [f"character(kind=c_char) :: {name}({length})" if length else f"{MEMBERS[kind]} :: {name}"
                   for name, kind, length in structs(path)[f"accublas_{struct}"]]
        made.append("\n".join([f"type, bind(c) :: c_{struct}", *(f"    {member}" for member in members), f"  end type c_{struct}"]))
    return {"STRUCTS": "\n\n  ".join(made)}


SETTING_TYPES = {"int32_t": ("integer(int32), intent(in)", "{}"), "int64_t": ("integer(int64), intent(in)", "{}"),
                 "size_t": ("integer(int64), intent(in)", "int({}, c_size_t)"), "double": ("real(real64), intent(in)", "{}"),
                 "const char*": ("character(*), intent(in)", "c_string({})"), "void*": ("type(c_ptr), intent(in)", "{}"),
                 "int32_t*": ("integer(int32), intent(out)", "{}"), "const int32_t*": ("integer(int32), intent(in)", "{}"), "void**": ("type(c_ptr), intent(out)", "{}"),
                 "accublas_context*": ("type(accublas_context), intent(in)", "{}%handle")}


def settings(header):
    """The names and the procedures of SETTINGS."""
    made = []
    for _, _, name, parameters in header_functions(header):
        if name not in SETTINGS:
            continue
        given = [(*SETTING_TYPES[type_], word) for type_, word in parameters]
        declared = [*((kind, word) for kind, _, word in given), *LAST_ARGUMENTS[3:]]
        arrays = [word for type_, word in parameters if type_ == "const int32_t*"]
        if arrays:  # an array has its size
            declared = [(kind, f"{word}(:)" if word in arrays else word) for kind, word in declared if word != "count"]
            given = [(kind, f"size({arrays[0]}, kind=int32)" if word == "count" else form, word) for kind, form, word in given]
        passed = ", ".join(form.format(word) for _, form, word in given)
        ctx = "ctx" if passed.startswith("ctx") else "accublas_context()"
        lines = [f"subroutine accublas_{name}({', '.join(word.removesuffix('(:)') for _, word in declared)})", *(f"  {line}" for line in declarations(declared)), "",
                 f"  call hand_over({ctx}, c_{name}({passed}), stat, errmsg)", f"end subroutine accublas_{name}"]
        made.append(f"{comment(SETTINGS[name], 2)}\n{indented(lines, 2)}")
    return {"SETTINGS_PUBLIC": statement(f"public :: {', '.join(f'accublas_{name}' for name in SETTINGS)}", 2).lstrip(),
            "SETTINGS": "\n\n".join(made).lstrip()}
