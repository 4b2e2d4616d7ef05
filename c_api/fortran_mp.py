"""The Fortran procedures of multiple-precision arrays, made from their C functions in accublas.h and a row for each."""

import re
from dataclasses import dataclass, field

from fortran_header import header_functions
from fortran_text import LAST_ARGUMENTS, comment, declarations, indented, statement


@dataclass(frozen=True)
class Procedure:
    """A procedure accublas_mp_<name of the row>. Its dummy arguments are words name, name(:), name=C's name, or name:default for an optional
    integer; those behind the bar are optional. C's offset is first."""

    dummies: str
    comment: str = ""
    generic: str = ""  # if it is not the name of the row
    function: str = ""  # the C function accublas_mp_<function>, if it is not the name of the row
    passed: dict = field(default_factory=dict)  # {C argument: expression}, if no dummy argument alone is passed
    check: str = ""  # an expression whose status must be ACCUBLAS_SUCCESS before the C function is called


VECTOR = {"ld": "value_or(inc, 1_int64)", "m": "1_int64", "n": "size(numbers, kind=int64)", "lda": "1_int64"}
MATRIX = {"ld": "value_or(ld, rows_of(numbers))", "m": "size(numbers, 1, int64)", "n": "size(numbers, 2, int64)", "lda": "rows_of(numbers)"}
LIMBS = {"passed": {"size": "size(limbs, 1, int64)"}, "check": "room_for(m, n, limbs, exponents, signs, context)"}

# The procedures whose integers have one kind, and those that exist once per kind of integers.
ARRAYS = {
    "move": Procedure("array place", "Moves the array; place is ACCUBLAS_MP_HOST or ACCUBLAS_MP_DEVICE."),
    "drop_aligned": Procedure("array", "Drops the aligned form, if there is one."),
    "precision": Procedure("array", "Returns the precision in bits; 0 for an array that was never created."),
    "length": Procedure("array", "Returns the number of elements; 0 for an array that was never created."),
    "get_place": Procedure("array", "Returns the memory of the array: ACCUBLAS_MP_HOST or ACCUBLAS_MP_DEVICE."),
    "bytes": Procedure("array", "Returns the bytes of memory that the array and its aligned form take."),
}
GENERICS = {
    "create": Procedure("array precision length", "Creates an array of `length` zeros of `precision` bits in host memory."),
    "set_vector": Procedure("array numbers(:)=values first | inc", "Sets the elements first, first + inc, ... (inc > 0).", "set", "set_double", VECTOR),
    "get_vector": Procedure("array numbers(:)=values first | inc", "", "get", "get_double", VECTOR),
    "set_matrix": Procedure("array numbers(:,:)=values first | ld", "Sets the matrix at `first` with leading dimension ld.", "set", "set_double", MATRIX),
    "get_matrix": Procedure("array numbers(:,:)=values first | ld", "", "get", "get_double", MATRIX),
    "set_string": Procedure("array text index | base:0", "Sets an element from a string; base is 10, 16 or 0 (the default: 16 after 0x, else 10).",
                            "set"),
    "set_limbs": Procedure("array m n limbs(:,:) exponents(:) signs(:) | first ld", "Number t of the m x n block at `first`, from 1 and column by "
                           "column, is (-1)^signs(t) N 2^exponents(t), N the integer of the 64-bit limbs(:, t), least significant first.", **LIMBS),
    "get_limbs": Procedure("array m n limbs(:,:) exponents(:) signs(:) | first ld", **LIMBS),
    "set_mpfr": Procedure("array number=value index", "Sets an element from an mpfr_t, whose address is `number`."),
    "get_mpfr": Procedure("array number=value index"),
    "copy": Procedure("m n from to | first_from ld_from first_to ld_to", "Copies an m x n block between arrays of one precision."),
    "convert": Procedure("m n from to | first_from ld_from first_to ld_to",
                         "Copies a block of elements between arrays, rounded to the precision of `to`."),
    "compare": Procedure("x index_x y index_y order=result", "Compares two numbers: order is -1 if x < y, 0 if x = y, 1 if x > y, 2 if one is NaN."),
    "classify": Procedure("x index class=result", "Gets the class of a number: ACCUBLAS_MP_ZERO, _FINITE, _INFINITE or _NAN."),
    "sign": Procedure("x index sign=result"),
    "exponent": Procedure("x index exponent", "Gets the e with 2^(e-1) <= abs(x) < 2^e, or one of ACCUBLAS_MP_EXPONENT_*."),
    "evaluation": Procedure("x index lower upper"),
    "align": Procedure("m n a=array | first lda spread:-1", "Keeps the aligned form of the m x n matrix at `first`; spread: 0 .. 64 (default 64)."),
    "gemv": Procedure("m n a x y | trans alpha beta first_a lda first_x incx first_y incy index_alpha index_beta",
                      "y = alpha op(A) x + beta y, A m x n."),
    "dot": Procedure("n x y result | first_x incx first_y incy index_result", "Element index_result (default 1) of result = sum of x_i y_i, i <= n."),
    "axpy": Procedure("n x y | alpha first_x incx first_y incy index_alpha", "y = alpha x + y."),
    "scal": Procedure("n alpha x | first_x incx index_alpha", "x = alpha x."),
    "gemm": Procedure("m n k a b c | transa transb alpha beta first_a lda first_b ldb first_c ldc index_alpha index_beta",
                      "C = alpha op(A) op(B) + beta C; op(A) m x k, op(B) k x n.",
                      passed={"lda": "value_or(lda, stored_rows(transa, m, k))", "ldb": "value_or(ldb, stored_rows(transb, k, n))"}),
    "syrk": Procedure("n k a c | uplo trans alpha beta first_a lda first_c ldc index_alpha index_beta",
                      "The triangle uplo ('U' by default) of C = alpha A transpose(A) + beta C, or (trans 'T') alpha transpose(A) A + beta C; C n x n.",
                      passed={"lda": "value_or(lda, stored_rows(trans, n, k))", "ldc": "value_or(ldc, max(1_int64, int(n, int64)))"}),
}
TYPES = {"int32_t*": "integer(int32)", "int64_t*": "integer(int64)", "uint64_t*": "integer(int64)", "double*": "real(real64)",
         "accublas_mp_array*": "type(accublas_mp_array)", "accublas_mp_array**": "type(accublas_mp_array)", "mpfr_ptr": "type(c_ptr)",
         "mpfr_srcptr": "type(c_ptr)", "char*": "character(*)"}


def declared(c_type, name, shape, kind, optional):
    """(type, name) of the dummy argument of a C argument."""
    type_ = "character" if name.startswith(("trans", "uplo")) else TYPES.get(c_type.removeprefix("const "), f"integer({kind})")
    written = c_type.endswith("*") and not c_type.startswith("const ") and "accublas_mp_array" not in c_type
    intent = "out" if c_type.endswith("**") else "inout" if written else "in"
    return f"{type_}, intent({intent}){', optional' * optional}", name + shape.replace(",", ", ")


def expression(c_type, name, kind, default, optional):
    """Returns the C argument that a dummy argument becomes."""
    if name.startswith("trans"):
        return f"transpose_code({name})"
    if name == "uplo":
        return "uplo_code(uplo)"
    if "accublas_mp_array" in c_type:
        return f"handle_of({name})" if optional else f"{name}%handle"
    if c_type == "const char*":
        return f"c_string({name})"
    if c_type not in ("int32_t", "int64_t"):
        return name
    if name.startswith(("first", "index")):
        return f"offset({name})"
    if optional:
        value = f"value_or({name}, {'max(1_int64, int(m, int64))' if name.startswith('ld') else f'{default or 1}_int64'})"
        return value if c_type == "int64_t" else f"int({value}, int32)"
    return name if c_type.startswith(kind) else f"int({name}, {c_type[:-2]})"


def procedure(name, row, c_function, kind):
    """The procedure of a row for integers of a kind; c_function is (type, name, parameters) of its C function."""
    answer, c_name, parameters = c_function
    types = {word: c_type for c_type, word in parameters}
    words = re.findall(r"(\w+)(\(\S+\))?(?:=(\w+))?(?::(\S+))?", row.dummies)
    options = re.findall(r"\w+", row.dummies.partition("|")[2])
    dummies = {of or re.sub("^first", "offset", word): (word, shape, default) for word, shape, of, default in words}
    pairs = [declared(types.get(of, "int64_t"), word, shape, kind, word in options) for of, (word, shape, _) in dummies.items()]
    passed = []
    for c_type, of in parameters:
        word, _, default = dummies.get(of, ("", "", ""))
        passed.append("context_handle(context)" if of == "ctx" else row.passed.get(of) or expression(c_type, word, kind, default, word in options))
    c_call = f"c_{c_name}({', '.join(passed)})"
    if "ctx" in types:
        last = [*LAST_ARGUMENTS[1:2], *LAST_ARGUMENTS[3:]]
        head = f"subroutine {name}({', '.join(word for word, *_ in [*words, *(argument[1:] for argument in last)])})"
        lines = [f"call hand_over_call(context, {c_call}, stat, errmsg)"]
    else:
        last, head, lines = [(TYPES[f"{answer}*"], "answer")], f"function {name}({words[0][0]}) result(answer)", [f"answer = {c_call}"]
    if row.check:
        last.append(("integer(int32)", "status"))
        lines = [f"status = {row.check}", f"if (status == ACCUBLAS_SUCCESS) status = {c_call}", "call hand_over_call(context, status, stat, errmsg)"]
    lines = [head, *(f"  {line}" for line in declarations([*pairs, *last])), "", *(f"  {line}" for line in lines), f"end {head[:head.index('(')]}"]
    return f"{comment(row.comment, 2)}\n" * bool(row.comment) + indented(lines, 2)


def mp_procedures(header, kind):
    """The names, the interfaces and the procedures for integers of a kind; without one, those that exist once."""
    functions = {name: (answer, name, parameters) for _, answer, name, parameters in header_functions(header)}
    rows = GENERICS if kind else ARRAYS
    made = [procedure(f"{'' if kind else 'accublas_'}mp_{name}", row, functions[f"mp_{row.function or name}"], kind or "int32")
            for name, row in rows.items()]
    generics = {}
    for name, row in rows.items():
        generics.setdefault(row.generic or name, []).append(name)
    interfaces = [f"  interface accublas_mp_{name}\n    module procedure {', '.join(f'mp_{member}' for member in members)}\n  end interface"
                  for name, members in generics.items()]
    return {"MP_PUBLIC": statement(f"public :: {', '.join(f'accublas_mp_{name}' for name in generics)}", 2).lstrip(),
            "MP_INTERFACES": "\n\n".join(interfaces).lstrip(), "MP_PROCEDURES": "\n\n".join(made).lstrip()}
