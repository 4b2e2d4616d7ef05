"""The arguments of the routines (routines.py) by name, with their kinds, their C types and their comments in accublas.h."""

from dataclasses import dataclass

# Kinds of arguments. The first four are passed by value, the others are pointers.
ENUM, SIZE, LEADING, VALUE, INPUT, OUTPUT, FACTOR = "enum", "size", "leading dimension", "value", "input", "output", "factor"
PIVOTS_IN, PIVOTS_OUT, INFO, COUNT, POINTERS_IN, POINTERS_OUT, CERTIFICATE = (
    "pivots in", "pivots out", "info", "count", "pointers in", "pointers out", "certificate")
BY_VALUE = (ENUM, SIZE, LEADING, VALUE)
WRITTEN = (OUTPUT, PIVOTS_OUT, INFO, COUNT, CERTIFICATE)


@dataclass(frozen=True)
class Argument:
    name: str
    kind: str
    comment: str
    type: str = "int64_t"  # the C type of an argument that is passed by value


def enum(name, kind, comment):
    return Argument(name, ENUM, comment, f"accublas_{kind}")


TRANSPOSE = "ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS or ACCUBLAS_CONJ_TRANS (for real numbers the same as ACCUBLAS_TRANS)"
STRIDE = "stride of {0} in elements; if it is negative, the first element is at the far end, as in BLAS"
ARGUMENTS = {
    argument.name: argument
    for argument in [
        enum("layout", "layout", "ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call"),
        enum("trans", "transpose", "op(A): " + TRANSPOSE),
        enum("transa", "transpose", "op(A): " + TRANSPOSE),
        enum("transb", "transpose", "op(B), with the values of transa"),
        *[enum(f"type{name}", "number", f"the numbers of {name.upper()}: ACCUBLAS_BINARY64, ACCUBLAS_BINARY128 or ACCUBLAS_DOUBLE_DOUBLE") for name in "abc"],
        enum("uplo", "uplo", "ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle that is read or written"),
        enum("diag", "diag", "ACCUBLAS_NON_UNIT, or ACCUBLAS_UNIT: the diagonal of A is ones and is not read"),
        enum("side", "side", "ACCUBLAS_LEFT or ACCUBLAS_RIGHT: where A stands in the product"),
        enum("jobz", "job", "ACCUBLAS_VALUES, or ACCUBLAS_VECTORS: the vectors, their angles and the clusters are computed too"),
        enum("range", "range", "ACCUBLAS_ALL, ACCUBLAS_INTERVAL or ACCUBLAS_INDICES: which eigenvalues are returned"),
        Argument("m", SIZE, "rows, at least 0"),
        Argument("n", SIZE, "columns, at least 0"),
        Argument("k", SIZE, "terms of an inner product, at least 0"),
        Argument("nrhs", SIZE, "right-hand sides, at least 0"),
        Argument("batch_count", SIZE, "matrices, at least 0"),
        Argument("vl", VALUE, "ACCUBLAS_INTERVAL: the lower end of the interval (vl, vu], may be -infinity; else not used", "double"),
        Argument("vu", VALUE, "ACCUBLAS_INTERVAL: the upper end, larger than vl, may be infinity; else not used", "double"),
        Argument("il", SIZE, "ACCUBLAS_INDICES: the number of the first eigenvalue that is returned, counted from 1 for the smallest one; else not used"),
        Argument("iu", SIZE, "ACCUBLAS_INDICES: the number of the last one, from il to n (n = 0: il is 1 and iu is 0); else not used"),
        *[Argument(f"ld{name}", LEADING, "") for name in ("a", "b", "c", "x", "r", "v", "u", "vt")],
        *[Argument(f"inc{name}", SIZE, STRIDE.format(name)) for name in "xy"],
        *[Argument(f"{unit[0]}s{name}", SIZE, f"stride from a {unit} of {name.upper()} to the next; it may be 0 or negative")
          for name in "ab" for unit in ("row", "column")],
        Argument("rsc", SIZE, "stride from a row of C to the next"),
        Argument("csc", SIZE, "stride from a column of C to the next; rsc and csc must not let two elements coincide"),
        *[Argument(f"stride_{name}", SIZE, f"elements from one {name.upper()} to the next; it may be 0 or negative") for name in "ab"],
        Argument("stride_c", SIZE, "elements from one C to the next; no element may belong to two results"),
        Argument("alpha", FACTOR, "one number; if it is 0, what it multiplies is not read"),
        Argument("beta", FACTOR, "one number; if it is 0, the old result is not read"),
        Argument("sb", FACTOR, "one number"),
        *[Argument(name, INPUT, name.upper()) for name in "ab"],
        *[Argument(name, INPUT, name) for name in "xy"],
        *[Argument(f"{name}{part}", INPUT, f"the {word} parts of {name.upper()}") for name in "ab" for part, word in (("hi", "high"), ("lo", "low"))],
        *[Argument(f"c{part}", OUTPUT, f"the {word} parts of C, m x n, overwritten by the result") for part, word in (("hi", "high"), ("lo", "low"))],
        Argument("c", OUTPUT, "C, m x n, overwritten by the result"),
        Argument("tau", INPUT, "the factors of the k reflectors, k numbers, from geqrf"),
        Argument("ipiv", PIVOTS_IN, "n numbers from getrf"),
        Argument("r", OUTPUT, "R, n x n, upper triangular; zeros are written below its diagonal"),
        Argument("result", OUTPUT, "one number"),
        Argument("radius", OUTPUT, "bounds of the errors of X, n x nrhs"),
        Argument("w", OUTPUT, "the eigenvalues, n numbers, ascending"),
        Argument("v", OUTPUT, "the eigenvectors, n x n; with ACCUBLAS_VALUES not written, and may be NULL"),
        Argument("s", OUTPUT, "the singular values, k numbers, descending"),
        Argument("u", OUTPUT, "the left singular vectors, m x k; with ACCUBLAS_VALUES not written, and may be NULL"),
        Argument("vt", OUTPUT, "V^H, whose rows are the conjugates of the right singular vectors, k x n; with ACCUBLAS_VALUES not written, and may be NULL"),
        Argument("angle", OUTPUT, "bounds of the angles of the vectors, in radians; with ACCUBLAS_VALUES not written, and may be NULL"),
        Argument("cluster", PIVOTS_IN, "for each value the number, counted from 1, of the first value of its cluster; with ACCUBLAS_VALUES not written, and may be NULL"),
        Argument("found", COUNT, "how many eigenvalues are returned, one number; in host memory. With ACCUBLAS_REASON_INTERVAL it counts those that may lie in the interval"),
        Argument("info", INFO, "0, or the positive number that is described above; as it was if the call fails; in host or device memory, not NULL"),
        Argument("certificate", CERTIFICATE, "how the solution was certified, in host memory with struct_size set, or NULL"),
    ]
}
