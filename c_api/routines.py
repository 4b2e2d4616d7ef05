"""The routines of accublas, one row each: the only place that lists their names and arguments.

c_api/generate.py makes from this table their declarations in accublas.h, the functions that the library exports, and their names of BLAS
and LAPACK; c_api/generate_fortran.py makes the Fortran module's interfaces, generics and routines with netlib's arguments. Tests and tools
take signatures from it. A new routine is one row here, one definition in C++ and one oracle.
"""

from dataclasses import dataclass, field, replace

from arguments import ARGUMENTS, LEADING, OUTPUT, PIVOTS_IN, PIVOTS_OUT, POINTERS_IN, POINTERS_OUT, STRIDE


@dataclass(frozen=True)
class Shaped:
    """A call that passes the arguments by value except the layout as one shape (lib/call/), and then the operands."""

    name: str  # of the functions in C++ that make the call
    members: str  # of the shape, in its order
    operands: str  # in order; "=": the one that is overwritten, whose own place stays empty
    none: str = "{}"  # the value of a factor that the routine lacks, in the struct of the call
    renamed: dict = field(default_factory=dict)  # arguments that the shape and the operands have under other names
    lapack: bool = False  # the function takes info, too
    function: bool = False  # whether the drop-in for BLAS and LAPACK makes the call by a function, not as a struct


@dataclass(frozen=True)
class Row:
    """One operation: its names for each of `types` (d, s, z, c), without the prefix accublas_."""

    names: str
    arguments: str  # names of ARGUMENTS in order; "!": the call writes what it points to, "*": an array of pointers
    comment: str
    body: "str | Shaped"  # what the exported function returns, in C++; {E} is the type of a number
    stored: dict = field(default_factory=dict)  # matrices: rows and columns as stored without transposition
    comments: dict = field(default_factory=dict)  # of arguments that mean something of their own here
    types: str = "dszc"  # q: binary128, w: pairs of doubles, x: numbers of several types
    real: str = ""  # arguments that are real whatever the numbers are
    single: str = ""  # arguments of single precision whatever the type is
    generic: str = ""  # the stem of its Fortran generic, where it is not that of the name
    of_reals: str = ""  # the operation that this one is for real numbers, where it has no name for them
    kind: str = ""  # the Operation of a Shaped body, where it is not the stem of the name
    work: bool = False  # whether LAPACK's routine has a workspace
    blas: bool = True  # whether a Shaped routine has its own name in BLAS or LAPACK, besides ALIASES
    cublas: str = "?_v2"  # names of cuBLAS, a word each: the letters of its types and the rest, which "?" stands for; see generate.py
    of_cublas: str = ""  # its arguments there, where they are others

    def functions(self):
        """(name, letter of its type) of each function."""
        names = self.names.split()
        if len(names) != len(self.types):
            raise ValueError(f"{self.names}: there are {len(names)} names for {len(self.types)} types")
        return list(zip(names, self.types))

    def stem(self, name):
        """Returns the name without the letters of its type. Norms of complex vectors have two letters; DSDOT and SDSDOT keep theirs."""
        if len(self.types) == 1 and self.types != "q":
            return name
        return name[2:] if name.startswith(("dz", "sc")) and "dz" + name[2:] in self.names.split() else name[1:]

    def operation(self, name):
        """The Operation of lib/call/routine.hpp."""
        return self.kind or self.stem(name)

    def signature(self):
        """The arguments after the context."""
        return [self.argument(word) for word in self.arguments.split()]

    def argument(self, word):
        name = word.rstrip("*!")
        argument = ARGUMENTS[name]
        if "*" in word:
            argument = replace(argument, kind=POINTERS_OUT if "!" in word else POINTERS_IN)
        elif "!" in word:
            argument = replace(argument, kind=PIVOTS_OUT if argument.kind == PIVOTS_IN else OUTPUT)
        if argument.kind == LEADING:
            argument = replace(argument, comment=self.leading_dimension(name))
        if name in self.comments:
            argument = replace(argument, comment=self.comments[name])
        return argument

    def leading_dimension(self, name):
        matrix = "radius" if name == "ldr" and "radius" in self.stored else name[2:]
        rows, columns = self.stored[matrix]
        least = f"max(1, {rows})" if rows == columns else f"max(1, {rows}) column-major, max(1, {columns}) row-major"
        return f"leading dimension of {matrix}, at least {least}"


PREFIXES = "d s z c"


def names(stem):
    return " ".join(prefix + stem for prefix in PREFIXES.split())


OP_A, OP_B = ("rows of A as stored", "columns of A as stored"), ("rows of B as stored", "columns of B as stored")

LEVEL1_CALL = Shaped("Level1", "n incx incy", "sb x y =")
LEVEL1 = [
    Row("ddot sdot zdotu cdotu", "n x incx y incy result!",
        "*result = sum over i < n of x_i y_i. n <= 0 gives +0. Increments may be 0: the first element counts n times.",
        LEVEL1_CALL, comments={"n": "elements of x and y"}),
    Row("zdotc cdotc", "n x incx y incy result!",
        "*result = sum over i < n of conj(x_i) y_i. n <= 0 gives +0, and increments may be 0.",
        LEVEL1_CALL, comments={"n": "elements of x and y"}, types="zc", of_reals="dot"),
    Row("dnrm2 snrm2 dznrm2 scnrm2", "n x incx result!",
        "*result = the Euclidean norm of x, sqrt(sum over i < n of abs(x_i)^2). n <= 0 gives +0. No square overflows or underflows in cr and "
        "dot2; cr is the exact norm rounded once for every finite x. A NaN in x gives NaN, else an infinity gives +Inf. The mode is that of "
        "ACCUBLAS_FAMILY_DOT, but norms have no fixed and no slices: such a mode is ACCUBLAS_ERROR_MODE in the options of the call, and is "
        "ignored elsewhere.",
        LEVEL1_CALL, comments={"n": "elements of x"}, real="result"),
    Row("dasum sasum dzasum scasum", "n x incx result!",
        "*result = sum over i < n of abs(x_i), for complex numbers of abs(Re x_i) + abs(Im x_i). n <= 0, special values and modes are as in nrm2. (The "
        "BLAS name gives 0 for increments that are not positive, as netlib's does.)",
        LEVEL1_CALL, comments={"n": "elements of x"}, real="result"),
    Row("dsdot", "n x incx y incy result!",
        "*result = sum over i < n of x_i y_i in double precision, for vectors of single precision. n <= 0 gives +0. In every mode that defines bits the "
        "result is the exact sum rounded once. The modes are those of norms.",
        LEVEL1_CALL, {}, {"n": "elements of x and y"}, "d", single="x y", kind="mixed_dot", cublas=""),
    Row("sdsdot", "n sb x incx y incy result!",
        "*result = sb + sum over i < n of x_i y_i in single precision. n <= 0 gives sb. Rounding and modes are as in dsdot.",
        LEVEL1_CALL, {}, {"n": "elements of x and y"}, "s", kind="mixed_dot", cublas=""),
]

GEMV = {"a": ("m", "n")}
SQUARE = {"a": ("n", "n")}
ORDER = {"n": "order of A, at least 0"}
NOT_ZERO = {f"inc{name}": STRIDE.format(name) + "; not 0" for name in "xy"}


LEVEL2_CALL = Shaped("Level2", "uplo trans diag m n lda incx incy", "alpha a x y beta =", "{1}")

LEVEL2 = [
    Row(names("gemv"), "layout trans m n alpha a lda x incx beta y! incy",
        "y = alpha op(A) x + beta y, A m x n.",
        LEVEL2_CALL, GEMV, {"m": "rows of A, at least 0", "n": "columns of A, at least 0", "a": "A, m x n", "y": "y, overwritten by the result", **NOT_ZERO}),
    Row(names("gemv_strided"), "m n alpha a rsa csa x incx beta y! incy",
        "y = alpha A x + beta y with A(i,j) at a[i rsa + j csa]. No copy of A is made. There is no transposition (exchange m with n and rsa with csa) "
        "and no conjugation.",
        "gemv_strided<{E}>(ctx, m, n, as<{E}>(alpha), as<{E}>(a), rsa, csa, as<{E}>(x), incx, as<{E}>(beta), as<{E}>(y), incy, options)",
        {}, {"m": "length of y, at least 0", "n": "length of x, at least 0", "y": "y, overwritten by the result", **NOT_ZERO}),
    Row("dsymv ssymv zhemv chemv", "layout uplo n alpha a lda x incx beta y! incy",
        "y = alpha A x + beta y, A symmetric (hemv: Hermitian) of order n. Only the triangle uplo of A is read, and only the real parts of a Hermitian "
        "diagonal.",
        LEVEL2_CALL, SQUARE, {**ORDER, "y": "y, overwritten by the result", **NOT_ZERO}),
    Row(names("trmv"), "layout uplo trans diag n a lda x! incx",
        "x becomes op(A) x, A triangular of order n. The other triangle is not read.",
        LEVEL2_CALL, SQUARE, {**ORDER, "x": "x, overwritten by the result", **NOT_ZERO}),
    Row(names("trsv"), "layout uplo trans diag n a lda x! incx",
        "x becomes the solution x' of op(A) x' = x, A triangular of order n. The other triangle is not read. The modes are those of trsm.",
        LEVEL2_CALL, SQUARE, {**ORDER, "x": "x, overwritten by the result", **NOT_ZERO}),
    Row("dger sger zgeru cgeru", "layout m n alpha x incx y incy a! lda",
        "A += alpha x y^T, A m x n. Updates (the routines from here to syr2 and her2) are exact sums that are rounded once in every mode that defines "
        "bits. They lack the modes fixed and slices, as norms do.",
        LEVEL2_CALL, GEMV, {"m": "rows of A, at least 0", "n": "columns of A, at least 0", "a": "A, m x n, overwritten by the result", **NOT_ZERO}, kind="ger"),
    Row("zgerc cgerc", "layout m n alpha x incx y incy a! lda",
        "A += alpha x y^H, A m x n.",
        LEVEL2_CALL, GEMV, {"m": "rows of A, at least 0", "n": "columns of A, at least 0", "a": "A, m x n, overwritten by the result", **NOT_ZERO}, "zc", of_reals="ger"),
    Row("dsyr ssyr zher cher", "layout uplo n alpha x incx a! lda",
        "A += alpha x x^T (her: alpha x x^H, alpha real) in the triangle uplo of A, of order n. The other triangle is neither read nor written. The "
        "imaginary parts of a Hermitian diagonal are not read and become +0, unless alpha is 0, which leaves A alone.",
        LEVEL2_CALL, SQUARE, {**ORDER, "a": "A, overwritten by the result", **NOT_ZERO}, real="alpha"),
    Row("dsyr2 ssyr2 zher2 cher2", "layout uplo n alpha x incx y incy a! lda",
        "A += alpha x y^T + alpha y x^T (her2: alpha x y^H + conj(alpha) y x^H) in the triangle uplo of A. The other triangle and "
        "the diagonal are treated as in syr and her.",
        LEVEL2_CALL, SQUARE, {**ORDER, "a": "A, overwritten by the result", **NOT_ZERO}),
]

GEMM = {"a": OP_A, "b": OP_B, "c": ("m", "n")}
GEMM_COMMENTS = {"m": "rows of op(A) and C, at least 0", "n": "columns of op(B) and C, at least 0", "a": "A: op(A) is m x k", "b": "B: op(B) is k x n"}


LEVEL3_CALL = Shaped("Level3", "side uplo transa transb diag m n k lda ldb ldc", "alpha a b beta =", renamed={"trans": "transa"})

SIDED = {"m": "rows of the result, at least 0", "n": "columns of the result, at least 0"}
SIDED_A = ("order of A", "order of A")
RANK_K = {"a": OP_A, "b": OP_B, "c": ("n", "n")}
RANK_K_COMMENTS = {"n": "order of C, at least 0", "a": "A: n x k if trans is ACCUBLAS_NO_TRANS, else k x n", "b": "B, stored as A is",
                   "c": "C, of order n, whose triangle uplo is overwritten by the result",
                   "trans": "ACCUBLAS_NO_TRANS or ACCUBLAS_TRANS (real numbers: or ACCUBLAS_CONJ_TRANS); herk and her2k: ACCUBLAS_NO_TRANS or ACCUBLAS_CONJ_TRANS"}
LEVEL3 = [
    Row(names("gemm"), "layout transa transb m n k alpha a lda b ldb beta c! ldc",
        "C = alpha op(A) op(B) + beta C.",
        LEVEL3_CALL, GEMM, GEMM_COMMENTS, cublas="?_v2 ZC:gemm3m SC:gemmEx C:gemm3mEx GemmEx"),
    Row(names("gemm_strided"), "m n k alpha a rsa csa b rsb csb beta c! rsc csc",
        "C = alpha A B + beta C with A(i,p) at a[i rsa + p csa], B(p,j) at b[p rsb + j csb] and C(i,j) at c[i rsc + j csc]. There is no conjugation.",
        "gemm_strided<{E}>(ctx, m, n, k, as<{E}>(alpha), as<{E}>(a), rsa, csa, as<{E}>(b), rsb, csb, as<{E}>(beta), as<{E}>(c), rsc, csc, options)",
        {}, {"m": "rows of A and C, at least 0", "n": "columns of B and C, at least 0"}),
    Row("dsymm ssymm zsymm csymm zhemm chemm", "layout side uplo m n alpha a lda b ldb beta c! ldc",
        "C = alpha A B + beta C (side LEFT) or alpha B A + beta C (RIGHT), C and B m x n, A symmetric (hemm: Hermitian) of order m (LEFT) or n. Only the "
        "triangle uplo of A is read, and only the real parts of a Hermitian diagonal.",
        LEVEL3_CALL, {"a": SIDED_A, "b": ("m", "n"), "c": ("m", "n")}, SIDED, "dszczc"),
    Row("dsyrk ssyrk zsyrk csyrk", "layout uplo trans n k alpha a lda beta c! ldc",
        "Computes the triangle uplo of C = alpha A A^T + beta C (trans NO_TRANS) or alpha A^T A + beta C (TRANS).",
        LEVEL3_CALL, RANK_K, RANK_K_COMMENTS),
    Row("zherk cherk", "layout uplo trans n k alpha a lda beta c! ldc",
        "Computes the triangle uplo of C = alpha A A^H + beta C (trans NO_TRANS) or alpha A^H A + beta C (CONJ_TRANS), alpha and beta real. The imaginary "
        "parts of the diagonal of C are not read and become +0.",
        LEVEL3_CALL, RANK_K, RANK_K_COMMENTS, "zc",
        real="alpha beta", of_reals="syrk"),
    Row("dsyr2k ssyr2k zsyr2k csyr2k", "layout uplo trans n k alpha a lda b ldb beta c! ldc",
        "Computes the triangle uplo of C = alpha A B^T + alpha B A^T + beta C (trans NO_TRANS) or alpha A^T B + alpha B^T A + beta C (TRANS). Each element "
        "is one inner product of 2k terms.",
        LEVEL3_CALL, RANK_K, RANK_K_COMMENTS),
    Row("zher2k cher2k", "layout uplo trans n k alpha a lda b ldb beta c! ldc",
        "Computes the triangle uplo of C = alpha A B^H + conj(alpha) B A^H + beta C (trans NO_TRANS) or alpha A^H B + conj(alpha) B^H A + beta C "
        "(CONJ_TRANS), beta real. The imaginary parts of the diagonal of C are not read and become +0.",
        LEVEL3_CALL, RANK_K, RANK_K_COMMENTS, "zc",
        real="beta", of_reals="syr2k"),
    Row(names("trmm"), "layout side uplo transa diag m n alpha a lda b! ldb",
        "B = alpha op(A) B (side LEFT) or alpha B op(A) (RIGHT), B m x n, A triangular of order m (LEFT) or n. The other triangle of A is not read and "
        "makes no terms.",
        LEVEL3_CALL, {"a": SIDED_A, "b": ("m", "n"), "c": ("m", "n")}, {**SIDED, "b": "B, m x n, overwritten by the result"},
        of_cublas="side uplo transa diag m n alpha a lda b ldb c! ldc"),
    Row(names("trsm"), "layout side uplo transa diag m n alpha a lda b! ldb",
        "Solves op(A) X = alpha B (side LEFT) or X op(A) = alpha B (RIGHT) for X, which overwrites B; A is triangular of order m (LEFT) or n. The modes "
        "native, dp and sp have a small residual, as BLAS has, but no bound of an element. The others are dot2, cr, and dp:repro and sp:repro, which are "
        "cr here. In cr every unknown, in the order of substitution, is the exact quotient of the exact alpha b - sum a x over the unknowns before it, "
        "rounded once, whatever the blocking (docs/modes.md, \"TRSM and TRSV\"). The bound of the report is that of this rounding.",
        LEVEL3_CALL, {"a": SIDED_A, "b": ("m", "n")}, {**SIDED, "b": "B, m x n, overwritten by X"}),
    Row(names("gemmt"), "layout uplo transa transb n k alpha a lda b ldb beta c! ldc",
        "Computes the triangle uplo of C = alpha op(A) op(B) + beta C.",
        LEVEL3_CALL, RANK_K, {"n": RANK_K_COMMENTS["n"], "c": RANK_K_COMMENTS["c"], "a": "A: op(A) is n x k", "b": "B: op(B) is k x n"}, cublas=""),
]

BATCHED = {"m": GEMM_COMMENTS["m"], "n": GEMM_COMMENTS["n"]}
BATCHED_CALL = Shaped("Batched", "transa transb m n k lda ldb ldc stride_a stride_b stride_c batch_count", "alpha a b beta =", function=True)
BATCHES = [
    Row(names("gemm_strided_batched"), "layout transa transb m n k alpha a lda stride_a b ldb stride_b beta c! ldc stride_c batch_count",
        "C_i = alpha op(A_i) op(B_i) + beta C_i for 0 <= i < batch_count, where A_i begins at a + i stride_a. The elements of one result may lie between "
        "those of another.",
        BATCHED_CALL, GEMM, {**BATCHED, "a": "the first A", "b": "the first B", "c": "the first C, overwritten by the result"},
        kind="gemm_batched", blas=False, cublas="DSZC:gemmStridedBatched C:gemm3mStridedBatched GemmStridedBatchedEx"),
    Row(names("gemm_batched"), "layout transa transb m n k alpha a* lda b* ldb beta c*! ldc batch_count",
        "C_i = alpha op(A_i) op(B_i) + beta C_i for 0 <= i < batch_count, where A_i begins at a[i]. The arrays of pointers are in the memory of the "
        "matrices, host or device. In device memory they are read when the stream comes to the call. The results must not overlap. Messages name an "
        "element of an array of pointers: \"a[3]\".",
        BATCHED_CALL, GEMM, {**BATCHED, "a": "batch_count pointers to A", "b": "batch_count pointers to B", "c": "batch_count pointers to C, overwritten by the results"},
        blas=False, cublas="DSZC:gemmBatched C:gemm3mBatched GemmBatchedEx"),
]


FACTORIZATION_CALL = Shaped("Factorization", "uplo trans m n nrhs lda ldb diag", "a ipiv b", lapack=True, function=True)
FACTOR_OF = {"a": "the factor from potrf"}
SOLVED = {"b": "B, n x nrhs, overwritten by X"}
SYSTEM = {"a": ("n", "n"), "b": ("n", "nrhs")}
PIVOTS = {"ipiv": "row exchanges, min(m, n) numbers from 1 on, where A is: row i and row ipiv[i - 1] changed places, i = 1, 2, ... in this order"}
FACTORIZATIONS = [
    Row(names("potrf"), "layout uplo n a! lda info",
        "Computes A = U^H U (uplo UPPER) or A = L L^H (LOWER) for a Hermitian positive definite A of order n. Only the triangle uplo of A is read; the "
        "factor, whose diagonal is positive, overwrites it. *info = i: the leading minor of order i is not positive, or is NaN. The columns of L (rows of U) "
        "before the i-th are then those of the factor; in the modes that define bits the rest is as it was. After ACCUBLAS_ERROR_MEMORY A is as it was.",
        FACTORIZATION_CALL, SQUARE, {**ORDER, "a": "A, overwritten by the factor"}),
    Row(names("potrs"), "layout uplo n nrhs a lda b! ldb",
        "Solves A X = B with the factor that potrf left in a.",
        FACTORIZATION_CALL, SYSTEM, {**ORDER, **FACTOR_OF, **SOLVED}),
    Row(names("posv"), "layout uplo n nrhs a! lda b! ldb info",
        "Solves A X = B for a Hermitian positive definite A by Cholesky's factorization: potrf, then potrs if *info is 0. Otherwise B is as it was.",
        FACTORIZATION_CALL, SYSTEM, {**ORDER, "a": "A, overwritten by the factor", **SOLVED}),
    Row(names("getrf"), "layout m n a! lda ipiv! info",
        "Computes P A = L U with partial pivoting, A m x n. L (without its unit diagonal) and U overwrite A. *info = i: column i is the first one whose "
        "pivot is zero. After ACCUBLAS_ERROR_MEMORY A is as it was. In dp, sp and native a NaN in A may become 0 below an infinite pivot, with info 0 "
        "(OpenBLAS 0.3.21).",
        FACTORIZATION_CALL, GEMV, {"m": "rows of A, at least 0", "n": "columns of A, at least 0", "a": "A, overwritten by L and U", **PIVOTS}),
    Row(names("getrs"), "layout trans n nrhs a lda ipiv b! ldb",
        "Solves op(A) X = B with the factors that getrf left in a and ipiv. An ipiv in host memory that names a row which A lacks is "
        "ACCUBLAS_ERROR_ARGUMENT.",
        FACTORIZATION_CALL, SYSTEM, {**ORDER, "a": "the factors from getrf", **SOLVED}),
    Row(names("gesv"), "layout n nrhs a! lda ipiv! b! ldb info",
        "Solves A X = B by LU with partial pivoting: getrf, then getrs if *info is 0. Otherwise B is as it was.",
        FACTORIZATION_CALL, SYSTEM, {**ORDER, "a": "A, overwritten by L and U", "ipiv": PIVOTS["ipiv"].replace("min(m, n)", "n"), **SOLVED}),
]


def factorization_batches():
    """The batched forms of FACTORIZATIONS: by strides, and by arrays of pointers."""
    call = Shaped("Factorization_batch", "uplo trans m n nrhs lda ldb stride_a stride_b batch_count", "a ipiv b", lapack=True, function=True)
    made = []
    for row in FACTORIZATIONS:
        stem, plain, info = row.stem(row.names.split()[0]), row.arguments.replace(" info", "").split(), ["info"] * ("info" in row.arguments.split())
        written = {word[0] for word in plain if word.endswith("!")}
        comments = {**row.comments, "info": f"batch_count numbers, each as in {stem}; as they were if the call fails; in host or device memory"}
        own = comments.get("ipiv", "n numbers each, from getrf_batched or getrf_strided_batched")
        comments["ipiv"] = "the ipiv of each matrix, one after the other: " + own
        for strided in (True, False):
            words, of_form = [], dict(comments)
            for word in plain:
                name = word.rstrip("!")
                words.append(word.replace(name, name + "*") if name in ("a", "b") and not strided else word)
                if strided and name in ("lda", "ldb"):
                    words.append("stride_" + name[2:])
            for name in ("a", "b"):
                if f"ld{name}" in words:
                    of_form[name] = ("the first matrix: " if strided else "batch_count pointers to matrices, each: ") + comments[name]
                    if strided and name in written:
                        whole = ", nor one of the other triangle" * (name == "a" and stem.startswith("po"))
                        of_form[f"stride_{name}"] = f"elements from one {name.upper()} to the next; no element may belong to two matrices{whole}"
            where = ("A_i begins at a + i stride_a." if strided else "A_i begins at a[i]. The arrays of pointers are in the memory of the matrices, host or "
                     "device. Messages name an element of them: \"a[3]\".")
            made.append(Row(names(f"{stem}_{'strided_' * strided}batched"), " ".join([*words, *info, "batch_count"]),
                            f"{stem} for each of batch_count matrices of one shape; {where}", call, row.stored, of_form, kind=stem, blas=False))
    return made


TAU_OF_BATCH = "the tau of each matrix, one after the other: min(m, n) numbers each"
QR_OF_BATCH = {"m": "rows of A, at least 0", "n": "columns of A, at least 0", "tau": TAU_OF_BATCH}
QR_BATCH = "orthogonal_batch<{{E}}>(ctx, layout, {{{{.kind = Operation::geqrf, .complex = is_complex<{{E}}>, .m = m, .n = n, .lda = lda}}}}, a, {stride}, tau, batch_count, options)"
FACTORIZATION_BATCHES = factorization_batches() + [
    Row(names("geqrf_strided_batched"), "layout m n a! lda stride_a tau! batch_count",
        "geqrf for each of batch_count matrices of one shape; A_i begins at a + i stride_a.",
        QR_BATCH.format(stride="stride_a"), GEMV,
        {**QR_OF_BATCH, "a": "the first matrix: A, overwritten by R and the reflectors", "stride_a": "elements from one A to the next; no element may belong to two matrices"}),
    Row(names("geqrf_batched"), "layout m n a*! lda tau! batch_count",
        "geqrf for each of batch_count matrices of one shape; A_i begins at a[i]. The array of pointers is in host memory, also if the matrices are in device memory.",
        QR_BATCH.format(stride="0"), GEMV,
        {**QR_OF_BATCH, "a": "batch_count pointers to matrices, each: A, overwritten by R and the reflectors"})]
INVERSES = [
    Row(names("trtri"), "layout uplo diag n a! lda info",
        "Inverts the triangular matrix A in place. The other triangle, and a unit diagonal (diag UNIT), are neither read nor written. *info = i: element i "
        "is the first one of the diagonal that is zero, and A is as it was.",
        FACTORIZATION_CALL, SQUARE, {**ORDER, "a": "A, overwritten by X"}),
    Row(names("lauum"), "layout uplo n a! lda",
        "Computes U U^H (uplo UPPER) or L^H L (LOWER) from the triangle uplo of A, which the same triangle of the product overwrites.",
        FACTORIZATION_CALL, SQUARE, {**ORDER, "a": "U or L, overwritten by the product"}),
    Row(names("potri"), "layout uplo n a! lda info",
        "Computes the inverse from the factor that potrf left in the triangle uplo of A, which the same triangle of the inverse overwrites. It is trtri, "
        "then lauum if *info is 0.",
        FACTORIZATION_CALL, SQUARE, {**ORDER, "a": "the factor from potrf, overwritten by the inverse"}),
    Row(names("getri"), "layout n a! lda ipiv info",
        "Computes the inverse from the factors that getrf left in a and ipiv. The inverse overwrites a. *info = i: column i is the first one whose pivot is "
        "zero, and A is as it was.",
        FACTORIZATION_CALL, SQUARE, {**ORDER, "a": "the factors from getrf, overwritten by the inverse"}, work=True),
]


QR_CALL = Shaped("Orthogonal", "side trans m n k nrhs lda ldc", "a tau c", renamed={"b": "c", "ldb": "ldc"}, lapack=True, function=True)
REFLECTORS = {"a": "the vectors of the reflectors, from geqrf"}
QR = [
    Row(names("geqrf"), "layout m n a! lda tau!",
        "Computes A = Q R, A m x n. R is min(m, n) x n and upper triangular with a real diagonal, and overwrites the upper triangle of A. Q = H_1 H_2 ... H_k "
        "is a product of k = min(m, n) reflectors H_i = I - tau_i v_i v_i^H. v_i has zeros above row i and 1 in row i, which are not stored; its other "
        "elements are in column i below the diagonal of A.",
        QR_CALL, GEMV, {"m": "rows of A, at least 0", "n": "columns of A, at least 0", "a": "A, overwritten by R and the reflectors",
               "tau": "the factors of the reflectors, min(m, n) numbers"}, work=True),
    Row("dorgqr sorgqr zungqr cungqr", "layout m n k a! lda tau",
        "Computes the first n <= m columns of Q, of order m, from the k <= n reflectors that geqrf left in the columns of a and in tau. These columns of Q "
        "overwrite a.",
        QR_CALL, GEMV, {"m": "rows of Q, at least 0", "n": "columns of Q, from 0 to m", "k": "reflectors, from 0 to n",
               "a": "the vectors of the reflectors, overwritten by Q, m x n"}, kind="orgqr", work=True),
    Row("dormqr sormqr zunmqr cunmqr", "layout side trans m n k a lda tau c! ldc",
        "Computes C = op(Q) C (side LEFT) or C op(Q) (RIGHT), C m x n. Q of order m (LEFT) or n is given by k reflectors in the columns of a, which has as "
        "many rows as Q.",
        QR_CALL, {"a": ("order of Q", "k"), "c": ("m", "n")},
        {"side": "ACCUBLAS_LEFT or ACCUBLAS_RIGHT: where Q stands in the product",
         "trans": "ACCUBLAS_NO_TRANS, or ACCUBLAS_TRANS of real numbers, ACCUBLAS_CONJ_TRANS of complex ones", "m": "rows of C, at least 0",
         "n": "columns of C, at least 0", "k": "reflectors, from 0 to the order of Q", **REFLECTORS}, kind="ormqr", work=True),
    Row(names("gels"), "layout trans m n nrhs a! lda b! ldb info",
        "Solves least-squares and least-norm problems with op(A) of full rank, A m x n. If there are more equations than unknowns, X minimizes the norm of "
        "each column of B - op(A) X; otherwise X is the solution of op(A) X = B with the least norm. The right-hand sides are the first rows of B, and X "
        "overwrites as many rows as it has. (In least squares the other rows become parts of Q^H B.) geqrf's result overwrites A; a wide A gets the "
        "conjugate transpose of geqrf's result for A^H, which is LAPACK's LQ factorization. If A is zero, or m, n or nrhs is 0, then B becomes zero and A "
        "stays. *info = i: element i is the first one of the diagonal of R that is zero, and X is not computed.",
        QR_CALL, {"a": ("m", "n"), "b": ("m and n", "nrhs")},
        {"trans": "op(A): ACCUBLAS_NO_TRANS, or ACCUBLAS_TRANS of real numbers, ACCUBLAS_CONJ_TRANS of complex ones", "m": "rows of A, at least 0",
         "n": "columns of A, at least 0", "a": "A, overwritten by its factorization", "b": "B, max(m, n) x nrhs, overwritten by X",
         "ldb": "leading dimension of b, at least max(1, m, n) column-major, max(1, nrhs) row-major"}, work=True),
]

QR.append(
    Row(names("qr_explicit"), "layout m n a! lda r! ldr",
        "Computes A = Q R, A m x n with m >= n: Q has n orthonormal columns, which overwrite A, and R is upper triangular with a real diagonal. In the modes "
        "that define bits, R is that of geqrf, and Q that of orgqr. The report and the counters name geqrf.",
        "qr_explicit<{E}>(ctx, layout, m, n, a, lda, r, ldr, options)",
        {"a": ("m", "n"), "r": ("n", "n")}, {"m": "rows of A, at least 0", "n": "columns of A, from 0 to m", "a": "A, overwritten by Q"}))

CERTIFIED_SYSTEM = {"a": ("n", "n"), "b": ("n", "nrhs"), "x": ("n", "nrhs"), "radius": ("n", "nrhs")}
CERTIFIED = [
    Row(names("gesv_certified"), "layout n nrhs a lda b ldb x! ldx radius! ldr certificate",
        "Solves A X = B with a bound of every error: abs(x - exact) <= radius for every element, proved for A and B as they are given. For complex types the "
        "real part of a radius bounds the error of the real part of x, and the imaginary part that of the imaginary part. A and B are only read. X, the radii "
        "and A must not overlap. If a radius cannot be proved, it is infinite, X is an approximation, the status is ACCUBLAS_ERROR_NOT_CERTIFIED, and the "
        "certificate gives the reason. After another error X and the radii are as they were.",
        "certified_solution<{E}>(ctx, {{layout, false, ACCUBLAS_UPPER, n, nrhs, lda, ldb, ldx, ldr}}, a, b, x, radius, certificate, options)",
        CERTIFIED_SYSTEM, {**ORDER, "a": "A", "b": "B, n x nrhs", "x": "X, n x nrhs"}),
    Row(names("posv_certified"), "layout uplo n nrhs a lda b ldb x! ldx radius! ldr certificate",
        "Solves A X = B as gesv_certified does, for a Hermitian A, of which only the triangle uplo is read. The radii are proved whether or not A is positive "
        "definite; certificate->positive_definite says whether that is proved too.",
        "certified_solution<{E}>(ctx, {{layout, true, uplo, n, nrhs, lda, ldb, ldx, ldr}}, a, b, x, radius, certificate, options)",
        CERTIFIED_SYSTEM, {**ORDER, "a": "A", "b": "B, n x nrhs", "x": "X, n x nrhs"}),
    Row("dsyev_certified ssyev_certified zheev_certified cheev_certified",
        "layout jobz uplo n a lda w! radius! v! ldv angle! cluster! certificate",
        "Computes the eigenvalues of a Hermitian A of order n, each with a proved bound: the k-th smallest eigenvalue of A, as it is given, lies within "
        "radius[k] of w[k]. Only the triangle uplo of A is read, and only the real parts of its diagonal. Column k of V approximates a unit eigenvector, "
        "and lies within angle[k] of the span of the exact eigenvectors of its cluster. A cluster is a group of adjacent eigenvalues that are not proved to "
        "differ; an eigenvalue that is proved to differ from all others is a cluster by itself. If nothing can be proved, the bounds are infinite, the "
        "values are approximations, the status is ACCUBLAS_ERROR_NOT_CERTIFIED, and the certificate gives the reason. After another error all results are "
        "as they were. LAPACK's syevd or heevd of the real BLAS computes the first approximation. Proofs: docs/eigenvalues.md.",
        "certified_eigenvalues<{E}>(ctx, {{layout, jobz, uplo, n, lda, ldv}}, a, nullptr, w, radius, v, angle, cluster, certificate, options)",
        {"a": ("n", "n"), "v": ("n", "n")},
        {**ORDER, "a": "A", "radius": "bounds of the errors of w, n numbers"}, real="w radius angle"),
    Row("dsyevx_certified ssyevx_certified zheevx_certified cheevx_certified",
        "layout jobz range uplo n a lda vl vu il iu found w! radius! v! ldv angle! cluster! certificate",
        "Computes some eigenvalues of a Hermitian A as syev_certified does: all, those from number il to number iu in ascending order, or those in "
        "the interval (vl, vu]. The first *found elements of w, radius, angle and cluster and columns of V are written. For the interval their number is "
        "proved, too. If an eigenvalue is not proved to lie inside or outside, those that may lie inside are returned with their bounds, the status is "
        "ACCUBLAS_ERROR_NOT_CERTIFIED, and the reason is ACCUBLAS_REASON_INTERVAL. Otherwise only the "
        "eigenvalues that are returned affect the status. cluster[k] is the number of the first eigenvalue of the cluster among all of A, from 1, and may exceed "
        "*found. The report and the counters name syev_certified. "
        "Proofs: docs/eigenvalues.md.",
        "certified_eigenvalues<{E}>(ctx, {{layout, jobz, uplo, n, lda, ldv, false, 0, true, {{range, vl, vu, il, iu}}}}, a, nullptr, w, radius, v, angle, cluster, certificate, "
        "options, found)",
        {"a": ("n", "n"), "v": ("n", "n")},
        {**ORDER, "a": "A", "w": "the eigenvalues, ascending: iu - il + 1 numbers with ACCUBLAS_INDICES, else n", "radius": "bounds of the errors of w, as many numbers",
         "v": "the eigenvectors, n rows with a column for each number of w; with ACCUBLAS_VALUES not written, and may be NULL",
         "ldv": "leading dimension of v, at least max(1, n) column-major, max(1, the numbers of w) row-major"}, real="w radius angle"),
    Row("dsygv_certified ssygv_certified zhegv_certified chegv_certified",
        "layout jobz uplo n a lda b ldb w! radius! v! ldv angle! cluster! certificate",
        "Computes the eigenvalues of A x = w B x for Hermitian A and B of order n, each with a proved bound as syev_certified does, and proves that B is positive "
        "definite. Only the triangle uplo of A and of B is read. Column k of V has about x^H B x = 1, and angle[k] is measured in the inner product x^H B y. "
        "If B is not proved to be positive definite, the reason is ACCUBLAS_REASON_ILL_CONDITIONED. LAPACK's sygvd or hegvd of the real BLAS computes the "
        "first approximation. Proofs: docs/eigenvalues.md.",
        "certified_eigenvalues<{E}>(ctx, {{layout, jobz, uplo, n, lda, ldv, true, ldb}}, a, b, w, radius, v, angle, cluster, certificate, options)",
        {"a": ("n", "n"), "b": ("n", "n"), "v": ("n", "n")},
        {**ORDER, "a": "A", "b": "B", "radius": "bounds of the errors of w, n numbers"}, real="w radius angle"),
    Row(names("gesvd_certified"), "layout jobz m n a lda s! radius! u! ldu vt! ldvt angle! cluster! certificate",
        "Computes the k = min(m, n) singular values of A, m x n, each with a proved bound: the i-th largest singular value of A, as it is given, lies within "
        "radius[i] of s[i]. Column i of U and row i of V^H approximate unit singular vectors. Each lies within angle[i] of the span of the exact left (right) "
        "singular vectors of its cluster. A cluster is a group of adjacent singular values that are not proved to differ. If the last cluster is not proved "
        "to differ from 0 and m is not n, then its vectors of the longer side include those that A^H (m > n) or A (m < n) maps to 0. If nothing can be "
        "proved, the bounds are infinite, the values are approximations, the status is ACCUBLAS_ERROR_NOT_CERTIFIED, and the certificate gives the reason. "
        "After another error all results are as they were. LAPACK's gesdd of the real BLAS, on a GPU cuSOLVER, computes the first approximation. Proofs: docs/eigenvalues.md.",
        "certified_singular_values<{E}>(ctx, {{layout, jobz, m, n, lda, ldu, ldvt}}, a, s, radius, u, vt, angle, cluster, certificate, options)",
        {"a": ("m", "n"), "u": ("m", "k"), "vt": ("k", "n")},
        {"m": "rows of A, at least 0", "n": "columns of A, at least 0", "a": "A", "radius": "bounds of the errors of s, k numbers"}, real="s radius angle"),
]

QUAD_NUMBERS = "Numbers of q are IEEE binary128, 16 bytes each; numbers of dd are pairs of doubles (high, low), which stand for their exact sum."
QUAD_LEVEL1 = [
    Row("qdot dddot", "n x incx y incy result!",
        "*result = sum over i < n of x_i y_i. n <= 0 gives +0. Increments may be 0: the first element counts n times. " + QUAD_NUMBERS,
        "quad::dot<{E}>(ctx, n, x, incx, y, incy, result, options)", comments={"n": "elements of x and y"}, types="qw"),
    Row("qnrm2", "n x incx result!",
        "*result = the Euclidean norm of x, the exact root rounded once. n <= 0 gives +0. A NaN in x gives NaN, else an infinity gives +Inf. The increment may be 0: the "
        "first element counts n times.",
        "quad::nrm2(ctx, n, x, incx, result, options)", comments={"n": "elements of x"}, types="q"),
]
QUAD = [
    Row("qgemv ddgemv", "layout trans m n alpha a lda x incx beta y! incy",
        "y = alpha op(A) x + beta y, A m x n. " + QUAD_NUMBERS,
        "quad::gemv<{E}>(ctx, layout, trans, m, n, alpha, a, lda, x, incx, beta, y, incy, options)",
        GEMV, {"m": "rows of A, at least 0", "n": "columns of A, at least 0", "a": "A, m x n", "y": "y, overwritten by the result", **NOT_ZERO}, "qw"),
    Row("qgemv_strided ddgemv_strided", "m n alpha a rsa csa x incx beta y! incy",
        "y = alpha A x + beta y with A(i,j) at a[i rsa + j csa]. If A is on a device and x or y is not on it, the status is ACCUBLAS_ERROR_UNAVAILABLE.",
        "quad::gemv_strided<{E}>(ctx, m, n, alpha, a, rsa, csa, x, incx, beta, y, incy, options)",
        {}, {"m": "length of y, at least 0", "n": "length of x, at least 0", "y": "y, overwritten by the result", **NOT_ZERO}, "qw"),
    Row("qgemm ddgemm", "layout transa transb m n k alpha a lda b ldb beta c! ldc",
        "C = alpha op(A) op(B) + beta C. " + QUAD_NUMBERS,
        "quad::gemm<{E}>(ctx, layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, options)", GEMM, GEMM_COMMENTS, "qw"),
    Row("qgemm_strided ddgemm_strided", "m n k alpha a rsa csa b rsb csb beta c! rsc csc",
        "C = alpha A B + beta C with A(i,p) at a[i rsa + p csa], B(p,j) at b[p rsb + j csb] and C(i,j) at c[i rsc + j csc]. If some of the matrices are on a device and not all on it, "
        "the status is ACCUBLAS_ERROR_UNAVAILABLE.",
        "quad::gemm_strided<{E}>(ctx, m, n, k, alpha, a, rsa, csa, b, rsb, csb, beta, c, rsc, csc, options)",
        {}, {"m": "rows of A and C, at least 0", "n": "columns of B and C, at least 0"}, "qw"),
    Row("qgemm_strided_batched ddgemm_strided_batched",
        "layout transa transb m n k alpha a lda stride_a b ldb stride_b beta c! ldc stride_c batch_count",
        "C_i = alpha op(A_i) op(B_i) + beta C_i for 0 <= i < batch_count, where A_i begins at a + i stride_a.",
        "quad::gemm_batched<{E}>(ctx, layout, transa, transb, m, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc, stride_c, batch_count, options)",
        GEMM, {"m": GEMM_COMMENTS["m"], "n": GEMM_COMMENTS["n"], "a": "the first A", "b": "the first B", "c": "the first C, overwritten by the result"}, "qw"),
    Row("ddgemm_split", "layout transa transb m n k alpha ahi alo lda bhi blo ldb beta chi! clo! ldc",
        "C = alpha op(A) op(B) + beta C for pairs of doubles whose high and low parts are two arrays. alpha and beta are pairs.",
        "quad::gemm_split(ctx, layout, transa, transb, m, n, k, alpha, ahi, alo, lda, bhi, blo, ldb, beta, chi, clo, ldc, options)",
        GEMM, {"m": GEMM_COMMENTS["m"], "n": GEMM_COMMENTS["n"]}, "w", real="ahi alo bhi blo chi clo"),
    Row("gemm_mixed", "layout transa transb m n k alpha a typea lda b typeb ldb beta c! typec ldc",
        "C = alpha op(A) op(B) + beta C for operands of different numbers, for instance doubles with a binary128 result. alpha and beta are numbers of C.",
        "quad::gemm_mixed(ctx, layout, transa, transb, m, n, k, alpha, a, typea, lda, b, typeb, ldb, beta, c, typec, ldc, options)",
        GEMM, GEMM_COMMENTS, "x"),
    Row("qsyrk", "layout uplo trans n k alpha a lda beta c! ldc",
        "Computes the triangle uplo of C = alpha A A^T + beta C (trans NO_TRANS) or alpha A^T A + beta C (TRANS).",
        "quad::syrk(ctx, layout, uplo, trans, n, k, alpha, a, lda, beta, c, ldc, options)", RANK_K,
        {**RANK_K_COMMENTS, "trans": "ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS or ACCUBLAS_CONJ_TRANS (the same as ACCUBLAS_TRANS)"}, "q"),
    Row("qtrsm", "layout side uplo transa diag m n alpha a lda b! ldb",
        "Solves op(A) X = alpha B (side LEFT) or X op(A) = alpha B (RIGHT) for X, which overwrites B; A is triangular of order m (LEFT) or n. Every unknown, "
        "in the order of substitution, is the exact quotient of the exact alpha b - sum a x over the unknowns before it, rounded once "
        "(docs/modes.md, \"TRSM and TRSV\").",
        "quad::trsm(ctx, layout, side, uplo, transa, diag, m, n, alpha, a, lda, b, ldb, options)",
        {"a": SIDED_A, "b": ("m", "n")}, {**SIDED, "b": "B, m x n, overwritten by X"}, "q"),
]

QUAD_SOLVERS = [
    Row("qgesv", "layout n nrhs a lda b ldb x! ldx radius! ldr certificate",
        "Solves A X = B in binary128 with a bound of every error: abs(x - exact) <= radius for every element, proved for A and B as they are given. A and B are "
        "only read. X and the radii must not overlap A, B or each other. If a radius cannot be proved, it is infinite, X is an approximation (NaN where A or B is not finite), the status is "
        "ACCUBLAS_ERROR_NOT_CERTIFIED, and the certificate gives the reason. After another error X and the radii are as they were. A target has no effect. "
        "Proofs: docs/certified.md.",
        "quad::certified_solution(ctx, {{layout, false, ACCUBLAS_UPPER, n, nrhs, lda, ldb, ldx, ldr}}, a, b, x, radius, certificate, options)",
        CERTIFIED_SYSTEM, {**ORDER, "a": "A", "b": "B, n x nrhs", "x": "X, n x nrhs"}, "q", generic="gesv_certified"),
    Row("qposv", "layout uplo n nrhs a lda b ldb x! ldx radius! ldr certificate",
        "Solves A X = B as qgesv does, for a symmetric A, of which only the triangle uplo is read. The radii are proved whether or not A is positive definite; "
        "certificate->positive_definite says whether that is proved too.",
        "quad::certified_solution(ctx, {{layout, true, uplo, n, nrhs, lda, ldb, ldx, ldr}}, a, b, x, radius, certificate, options)",
        CERTIFIED_SYSTEM, {**ORDER, "a": "A", "b": "B, n x nrhs", "x": "X, n x nrhs"}, "q", generic="posv_certified"),
]

# Other names of routines in the drop-in for BLAS and LAPACK, each without the letter of its type: the new name, after its types and a colon
# if it lacks some, and the routine's.
ALIASES = {
    "gemmtr": "gemmt",  # LAPACK 3.13's name
    "zc:gemm3m": "gemm",  # OpenBLAS's and MKL's names from here on
    "gemm_batch": "gemm_batched",
    "gemm_batch_strided": "gemm_strided_batched",
}

# The tables by the file of c_api/ that defines their functions, and in the order of accublas.h.
GROUPS = {"level1": LEVEL1, "level2": LEVEL2, "level3": LEVEL3, "batched": BATCHES, "factorizations": FACTORIZATIONS,
          "factorization_batches": FACTORIZATION_BATCHES, "inverses": INVERSES, "orthogonal": QR, "certified": CERTIFIED,
          "quad_level1": QUAD_LEVEL1, "quad": QUAD, "quad_solvers": QUAD_SOLVERS}
