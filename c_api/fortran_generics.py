"""The Fortran module adds this to the table of routines: the generics with the shapes of their operands, the routines with netlib's
arguments, and the comments of both and of the settings. c_api/generate_fortran.py makes sources from it."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Generic:
    """A generic accublas_<stem>. The table of routines has its arguments under the stem."""

    stem: str
    shapes: str  # "c m n, op(a) n k, x n": a size belongs to the operand that has it first, and the others must agree
    comment: str
    also: str = ""  # a further condition on the operands
    of: str = ""  # the stem of the generic that this is another name of
    types: str = "dszc"

    def operands(self):
        """[operand, extent ...] each."""
        return [operand.split() for operand in re.split(r", (?!n\))", self.shapes)]


ARGUMENTS = "The arguments are those of accublas_{NAME}, and"
CONTIGUOUS_ROWS = "Matrices with a row stride other than 1 are copied, and results are copied back."
PIVOTS = "size(ipiv, kind=int64) >= min(va%rows, va%cols)"
EIGENVALUES = "min(size(w), size(radius), size(angle), size(cluster)) >= n"
PART_OF_EIGENVALUES = "k >= part%most .and. min(size(w), size(radius), size(angle), size(cluster)) >= part%most"
SINGULAR_VALUES = "min(size(s), size(radius), size(angle), size(cluster)) >= k .and. k == min(m, n)"
SIDED, RANK_K, SYSTEM = "m n, a order order", "c n n, op(a) n k", "a n n, b n nrhs"

# {group: (comment of its module, its generics)}.
GENERICS = {
    "level1": ("", [  # in fortran/accublas_routines.f90.in, whose comment says what the arguments are
        Generic("dot", "x n, y n", "Returns sum(x*y), or a NaN if the call fails.", types="dszcq"),
        Generic("dotc", "x n, y n", "Returns dot_product(x, y), which for complex vectors is sum(conjg(x)*y), or a NaN if the call fails."),
        Generic("nrm2", "x n", "Returns norm2(x), for complex vectors that of their components, or a NaN if the call fails.", types="dszcq"),
        Generic("asum", "x n", "Returns sum(abs(x)), for complex vectors that of their components, or a NaN if the call fails."),
    ]),
    "mixed_dots": ("Inner products of single-precision vectors with the arguments of accublas_real32: DSDOT and SDSDOT.", [
        Generic("dsdot", "x n, y n", "Returns sum(x*y) in double precision, or a NaN if the call fails.", types="d"),
        Generic("sdsdot", "x n, y n",
                "Returns sb + sum(x*y) in single precision, rounded once in modes that define bits, or a NaN if the call fails.", types="s"),
    ]),
    "level2": (f"""The routines of level 2 other than GEMV for {{NUMBERS}} as generics.

{ARGUMENTS}
  uplo    'U' (default) or 'L': the triangle of a that is stored, or that is computed if a is the result
  diag    'N' (default), or 'U': the diagonal is ones and not read
Vectors may have any stride. {CONTIGUOUS_ROWS}
For real numbers the Hermitian routines are the symmetric ones, and have their names too: accublas_symv, accublas_syr and
accublas_syr2.""", [
        Generic("hemv", "a n n, x n, y n", "y = alpha a x + beta y, a Hermitian: imaginary parts of its diagonal are not read."),
        Generic("symv", "", "y = alpha a x + beta y, a symmetric.", of="hemv", types="ds"),
        Generic("trmv", "a n n, x n", "x = op(a) x, a triangular."),
        Generic("trsv", "a n n, x n", "x becomes the solution of op(a) solution = x, a triangular."),
        Generic("ger", "a m n, x m, y n", "a = a + alpha x transpose(y)."),
        Generic("geru", "", "accublas_ger by the name that BLAS has for complex numbers.", of="ger"),
        Generic("gerc", "a m n, x m, y n", "a = a + alpha x conjg(transpose(y))."),
        Generic("her", "a n n, x n",
                "The triangle uplo of a = a + alpha x conjg(transpose(x)), alpha real; imaginary parts of the diagonal become zero."),
        Generic("syr", "", "The triangle uplo of a = a + alpha x transpose(x).", of="her", types="ds"),
        Generic("her2", "a n n, x n, y n", "The triangle uplo of a = a + alpha x conjg(transpose(y)) + conjg(alpha) y conjg(transpose(x)); "
                "imaginary parts of the diagonal become zero."),
        Generic("syr2", "", "The triangle uplo of a = a + alpha x transpose(y) + alpha y transpose(x).", of="her2", types="ds"),
    ]),
    "level3": (f"""The products of level 3 other than GEMM, and TRSM, for {{NUMBERS}} as generics.

{ARGUMENTS}
  side    'L' (default) or 'R', the side on which the square matrix stands
  uplo    'U' (default) or 'L': the triangle of the square matrix that is stored, or the triangle of c that is computed
  diag    'N' (default), or 'U': the diagonal is ones and not read
{CONTIGUOUS_ROWS}
For real numbers the routines of Hermitian matrices are the symmetric ones.""", [
        Generic("symm", f"c m n, b {SIDED}", "c = alpha a b + beta c (side 'L') or alpha b a + beta c, a symmetric."),
        Generic("hemm", f"c m n, b {SIDED}",
                "c = alpha a b + beta c (side 'L') or alpha b a + beta c, a Hermitian: imaginary parts of its diagonal are not read."),
        Generic("syrk", RANK_K, "The triangle uplo of c = alpha a transpose(a) + beta c, or (trans 'T') alpha transpose(a) a + beta c.", types="dszcq"),
        Generic("herk", RANK_K, "The triangle uplo of c = alpha a conjg(transpose(a)) + beta c, or (trans 'C') alpha conjg(transpose(a)) a + "
                "beta c, alpha and beta real; imaginary parts of c's diagonal become zero."),
        Generic("syr2k", f"{RANK_K}, op(b) n k", "The triangle uplo of c = alpha a transpose(b) + alpha b transpose(a) + beta c, or (trans 'T') "
                "of the transposes first."),
        Generic("her2k", f"{RANK_K}, op(b) n k", "The triangle uplo of c = alpha a conjg(transpose(b)) + conjg(alpha) b conjg(transpose(a)) + "
                "beta c, or (trans 'C') of the conjugate transposes first, beta real."),
        Generic("trmm", f"b {SIDED}", "b = alpha op(a) b (side 'L') or alpha b op(a), a triangular."),
        Generic("trsm", f"b {SIDED}", "b = alpha times the solution x of op(a) x = b (side 'L') or x op(a) = b, a triangular.", types="dszcq"),
        Generic("gemmt", f"{RANK_K}, op(b) k n", "The triangle uplo of c = alpha op(a) op(b) + beta c."),
    ]),
    "factorizations": (f"""LAPACK's factorizations of matrices of {{NUMBERS}}, and solutions and inverses from them, as generics
(docs/factorizations.md).

{ARGUMENTS}
  uplo    'U' (default) or 'L', the triangle of a that is stored
  diag    'N' (default), or 'U': the diagonal is ones and not stored
  ipiv    INTEGER(4) or INTEGER(8): row i and row ipiv(i) changed places
  info    LAPACK's: 0, or the position at which the factorization failed (stat is ACCUBLAS_SUCCESS even so)
{CONTIGUOUS_ROWS}""", [
        Generic("potrf", "a n n", "a = transpose(u) u or l transpose(l) (conjugate transposes), which overwrites the triangle uplo of a."),
        Generic("potrs", SYSTEM, "b = the solution x of a x = b, by accublas_potrf's factor in a."),
        Generic("posv", SYSTEM, "accublas_potrf, then accublas_potrs if info is 0."),
        Generic("getrf", "a m n", "a with rows exchanged = l u, which overwrite a; l has ones on its diagonal, which are not stored.", PIVOTS),
        Generic("getrs", SYSTEM, "b = the solution x of op(a) x = b, by accublas_getrf's factors in a.", PIVOTS),
        Generic("gesv", SYSTEM, "accublas_getrf, then accublas_getrs if info is 0.", PIVOTS),
        Generic("trtri", "a n n", "a = the inverse of a triangular a."),
        Generic("lauum", "a n n", "a = u transpose(u) or transpose(l) l (conjugate transposes), of which the triangle uplo is written."),
        Generic("potri", "a n n", "a = the triangle uplo of the inverse, by accublas_potrf's factor in a."),
        Generic("getri", "a n n", "a = the inverse, by accublas_getrf's factors in a.", PIVOTS),
    ]),
    "orthogonal": (f"""LAPACK's QR factorization of matrices of {{NUMBERS}}, products with its reflectors, and least squares, as
generics (docs/factorizations.md).

{ARGUMENTS}
  tau     the factors of the reflectors, one each: min(shape(a)) from accublas_geqrf
  trans   'N' (default), or 'T' for real and 'C' for complex matrices, as in LAPACK
  info    LAPACK's: 0, or the position of a zero on the diagonal of r (stat is ACCUBLAS_SUCCESS even so)
{CONTIGUOUS_ROWS}""", [
        Generic("geqrf", "a m n", "a = q r: r overwrites the upper triangle of a, and the vectors of q's reflectors overwrite the rest.",
                "vtau%length >= min(m, n)"),
        Generic("orgqr", "a m n, tau k", "a = the first size(a, 2) columns of q, from the reflectors in the first columns of a and in tau (for complex "
                "numbers LAPACK's ungqr).", "k <= n"),
        Generic("ormqr", "c m n, tau k, a order", "c = op(q) c (side='L', the default) or c op(q) (side='R'), by the reflectors in a and tau "
                "(LAPACK's unmqr).", "k <= va%cols"),
        Generic("gels", "a m n, b max(m,n) nrhs", "b = the x that minimizes the norms of b - op(a) x, or the solution of least norm if a system has more "
                "unknowns than equations. b has max(m, n) rows; the factors of a overwrite a."),
    ]),
    "certified": ("""Solutions of linear systems of {NUMBERS} with proved error bounds, as generics (docs/certified.md).

The arguments are those of the modules accublas_factorizations_*, and
  x            the solution
  radius       abs(x - exact) <= radius, for complex numbers part by part; infinity if nothing is proved
  certificate  what was proved, and the reason if a radius is infinite
An infinite radius sets stat to ACCUBLAS_ERROR_NOT_CERTIFIED; without stat the program goes on. Matrices with a row stride
other than 1 are copied, and results are copied back.""", [
        Generic("gesv_certified", f"{SYSTEM}, x n nrhs, radius n nrhs", "x = the solution of a x = b.", types="dszcq"),
        Generic("posv_certified", f"{SYSTEM}, x n nrhs, radius n nrhs",
                "x = the solution of a x = b with a symmetric (Hermitian) a, of which the triangle uplo is read.", types="dszcq"),
    ]),
    "eigenvalues": ("""Eigenvalues of Hermitian matrices and singular values of matrices of {NUMBERS}, their vectors, and proved bounds, as
generics (docs/eigenvalues.md).

The arguments are those of accublas_certified_{NAME}, and
  w            the eigenvalues in ascending order
  radius       abs(w - exact) <= radius; infinity if nothing is proved
  v            the eigenvectors, a column for each
  angle        bounds of the angles, in radians, of the columns of v to the exact eigenvectors of their clusters
  cluster      the number of the first eigenvalue of each one's cluster, INTEGER(8)
  found        how many eigenvalues accublas_heevx_certified returns, INTEGER(4): those in (vl, vu], or those from number il to number
               iu, INTEGER(4), or all; an end that is missing is an infinity, 1 or the order of a""", [
        Generic("heev_certified", "a n n, v n n", "w, v = the eigenvalues and eigenvectors of a, of which the triangle uplo is read.",
                EIGENVALUES),
        Generic("syev_certified", "", "accublas_heev_certified by the name that LAPACK has for real numbers.", of="heev_certified", types="ds"),
        Generic("heevx_certified", "a n n, v n k",
                "w, v = some eigenvalues of a and their eigenvectors; their number, found, is proved.", PART_OF_EIGENVALUES),
        Generic("syevx_certified", "", "accublas_heevx_certified by the name that LAPACK has for real numbers.", of="heevx_certified", types="ds"),
        Generic("hegv_certified", "a n n, b n n, v n n",
                "w, v = the eigenvalues and eigenvectors of a v = b v diag(w), of which the triangles uplo are read; b is proved positive definite.",
                EIGENVALUES),
        Generic("sygv_certified", "", "accublas_hegv_certified by the name that LAPACK has for real numbers.", of="hegv_certified", types="ds"),
        Generic("gesvd_certified", "a m n, u m k, vt k n",
                "s, u, vt = the singular values of a in descending order, and their vectors: a = u diag(s) vt, and radius bounds the errors of s.",
                SINGULAR_VALUES),
    ]),
}

# The routines with netlib's arguments, by their modules, and their comments.
NETLIB = {"netlib": "dot nrm2 asum gemv gemm", "netlib_level3": "symm syrk syr2k trmm trsm gemmt", "netlib_hermitian": "gemm hemm herk her2k"}
NETLIB_COMMENTS = {
    "dot": "sum of x_i y_i, i <= n.",
    "nrm2": "sqrt(sum of x_i^2), i <= n.",
    "asum": "sum of abs(x_i), i <= n.",
    "gemv": "y = alpha op(A) x + beta y, A m x n.",
    "gemm": "C = alpha op(A) op(B) + beta C, op(A) m x k, op(B) k x n.",
    "symm": "C = alpha A B + beta C (side L) or alpha B A + beta C, C m x n, A symmetric.",
    "hemm": "C = alpha A B + beta C (side L) or alpha B A + beta C, C m x n, A Hermitian.",
    "syrk": "The triangle uplo of C = alpha A A^T + beta C, or (trans T) alpha A^T A + beta C, C n x n.",
    "herk": "The triangle uplo of C = alpha A A^H + beta C, or (trans C) alpha A^H A + beta C, C n x n.",
    "syr2k": "The triangle uplo of C = alpha A B^T + alpha B A^T + beta C, or (trans T) of the transposes first, C n x n.",
    "her2k": "The triangle uplo of C = alpha A B^H + conjg(alpha) B A^H + beta C, or (trans C) of the conjugate transposes first.",
    "trmm": "B = alpha op(A) B (side L) or alpha B op(A), B m x n, A triangular.",
    "trsm": "B = the solution X of op(A) X = alpha B (side L) or X op(A) = alpha B, B m x n, A triangular.",
    "gemmt": "The triangle uplo of C = alpha op(A) op(B) + beta C, C n x n.",
}

# The settings, functions of accublas.h whose arguments are words or passed by value, or one number that is returned, with their comments in
# Fortran.
SETTINGS = {
    "set_mode_name": "Sets the mode of every family by its word, for instance 'dp:repro'; a family that lacks it keeps its mode. '' unsets it.",
    "set_family_mode_name": "Sets the mode of one family (ACCUBLAS_FAMILY_DGEMM, ...), which wins over accublas_set_mode_name.",
    "set_reproducible": "Sets whether dp and sp promise bits: 0 or 1; -1 unsets it.",
    "set_backend": "Sets the backend: ACCUBLAS_BACKEND_AUTO, ACCUBLAS_BACKEND_CPU or ACCUBLAS_BACKEND_CUDA.",
    "set_device": "CUDA device number, from 0.",
    "set_devices": "Numbers, from 0, of the CUDA devices that share large products with operands in host memory; an array of size 0 restores the environment's list.",
    "set_engine": "Sets the engine: ACCUBLAS_ENGINE_AUTO, ... A call whose mode the engine cannot compute is ACCUBLAS_ERROR_ENGINE.",
    "set_engine_name": "Sets the engine by a word: 'auto', 'native', 'int8', 'fp64', 'fp16', 'dot2', 'sums', 'multiword'.",
    "set_workspace_mib": "Sets the cap of the workspace in MiB; 0 restores the default. The cap never changes bits.",
    "set_workspace": "Sets the user's own workspace, which calls use in place of the pool; c_null_ptr and 0 end this.",
    "set_num_threads": "Sets the number of threads of accublas's own pool; 0 restores the default.",
    "set_verbose": "Sets what calls print on standard error: 0 nothing, 1 a line for each call of the program, 2 also a line for each inner call "
                   "(accublas.h).",
    "set_report_level": "Sets the report level: 0 no times, 1 the total time, 2 also the time of each phase.",
    "set_target": "Sets an accuracy target: a call that cannot promise the bound returns ACCUBLAS_ERROR_ACCURACY and leaves C as it was. 0 unsets it.",
    "set_pointer_mode": "Sets where alpha, beta and dot's result are. With ACCUBLAS_POINTER_DEVICE their addresses must be device addresses, which only "
                        "the assumed-size procedures and the C interface can pass.",
    "set_stream": "Sets the CUDA stream that device calls run on; c_null_ptr is the legacy default stream.",
    "get_stream": "Gets the stream that is set, c_null_ptr by default.",
    "device_count": "Gets the number of usable CUDA devices: 0 without a GPU, a driver, or CUDA in the build.",
    "set_on_failure": "Sets the action of the default handler: ACCUBLAS_ON_FAILURE_ABORT or ACCUBLAS_ON_FAILURE_NATIVE. The setting is process wide.",
    "reset_counters": "Sets all counters to 0.",
    "sync": "Waits for the context's calls on the device; returns and clears their first error.",
}
