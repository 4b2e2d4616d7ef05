"""The declarations in accublas.h are those that the table of routines makes, and the generator makes what it made before of a routine that
has every kind of argument: routines_test.py SOURCE."""

import sys
import unittest
from pathlib import Path

SOURCE = Path(sys.argv.pop(1))
sys.path.insert(0, str(SOURCE / "c_api"))
import generate  # noqa: E402
import generate_fortran  # noqa: E402
import generate_python  # noqa: E402
import routines  # noqa: E402

ROW = routines.Row("dtoy stoy zhoy choy", "layout n k alpha a lda b* ipiv! c! ldc info", "C becomes a toy of A.", "toy<{E}>(a, b, c, options)",
                   {"a": ("n", "k"), "c": ("n", "n")}, {"b": "pointers to B"}, real="alpha")
COMMENT = """/** C becomes a toy of A.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] n columns, at least 0
 * @param[in] k terms of an inner product, at least 0
 * @param[in] alpha one number; if it is 0, what it multiplies is not read; where accublas_set_pointer_mode says
 * @param[in] a A; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, n) column-major, max(1, k) row-major
 * @param[in] b pointers to B; in host or device memory
 * @param[out] ipiv n numbers from getrf; in host or device memory
 * @param[in,out] c C, m x n, overwritten by the result; in host or device memory
 * @param[in] ldc leading dimension of c, at least max(1, n)
 * @param[out] info 0, or the positive number that is described above; as it was if the call fails; in host or device
 *   memory, not NULL"""
FUNCTIONS = """accublas_status accublas_choy_ex(accublas_context* ctx, accublas_layout layout, int64_t n, int64_t k,
    const float* alpha, const void* a, int64_t lda, const void* const* b, int64_t* ipiv, void* c, int64_t ldc,
    int64_t* info, const accublas_options* options) {
  return toy<Complex<float>>(a, b, c, options);
}
accublas_status accublas_choy(accublas_context* ctx, accublas_layout layout, int64_t n, int64_t k, const float* alpha,
    const void* a, int64_t lda, const void* const* b, int64_t* ipiv, void* c, int64_t ldc, int64_t* info) {
  return accublas_choy_ex(ctx, layout, n, k, alpha, a, lda, b, ipiv, c, ldc, info, nullptr);
}"""
INTERFACE = """    function c_toy(ctx, layout, n, k, alpha, a, lda, b, ipiv, c, ldc, info, options) result(status) bind(c, &
      name='accublas_choy_ex')
      use, intrinsic :: iso_c_binding, only: c_ptr, c_int32_t, c_int64_t
      type(c_ptr), value :: ctx, alpha, a, b, ipiv, c, info, options
      integer(c_int32_t), value :: layout
      integer(c_int64_t), value :: n, k, lda, ldc
      integer(c_int32_t) :: status
    end function c_toy"""
GENERIC = """  subroutine her(x, a, uplo, alpha, mode, context, options, stat, errmsg)
    complex(real32), intent(in), target :: x(:)
    complex(real32), intent(inout), target :: a(:, :)
    character, intent(in), optional :: uplo
    real(real32), intent(in), target, optional :: alpha
    character(*), intent(in), optional :: mode
    type(accublas_context), intent(in), optional :: context
    type(accublas_options), intent(in), optional :: options
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    complex(real32), allocatable, target :: copy_a(:, :)
    type(call_state), target :: call
    type(matrix_view) :: va
    type(vector_view) :: vx
    character(:), allocatable :: bad
    integer(int64) :: n
    integer(int32) :: status

    call view_or_copy(a, va, copy_a)
    vx = vector_of(x)
    n = va%rows
    bad = wrong(all([va%cols, vx%length] == [n, n]), [va%aligned, vx%aligned])
    call start_call(call, mode, context, options)
    call%reads_result = .true.
    do
      if (bad /= '') then
        status = fails(call, 'accublas_her: '//bad)
      else
        status = c_her(call%ctx%handle, ACCUBLAS_COL_MAJOR, uplo_code(uplo), n, real_address(alpha, real_one), &
          vx%address, vx%increment, va%address, va%col_stride, options_address(call))
      end if
      if (.not. call_again(call, status, stat, errmsg)) exit
    end do
    if (allocated(copy_a)) a = copy_a
  end subroutine her"""
NETLIB = """  !> The triangle uplo of C = alpha A A^H + beta C, or (trans C) alpha A^H A + beta C, C n x n.
  subroutine accublas_zherk(uplo, trans, n, k, alpha, a, lda, beta, c, ldc)
    character, intent(in) :: uplo, trans
    integer(int32), intent(in) :: n, k, lda, ldc
    real(wp), intent(in), target :: alpha, beta
    complex(wp), intent(in), target :: a(*)
    complex(wp), intent(inout), target :: c(*)
    type(call_state), target :: call
    integer(int32) :: status

    call%reads_result = .not. abs(beta) <= 0
    do
      status = c_herk(call%ctx%handle, ACCUBLAS_COL_MAJOR, uplo_code(uplo), transpose_code(trans), int(n, int64), &
        int(k, int64), c_loc(alpha), c_loc(a), int(lda, int64), c_loc(beta), c_loc(c), int(ldc, int64), &
        options_address(call))
      if (.not. call_again(call, status)) exit
    end do
  end subroutine accublas_zherk"""
HEADER = '''/** Toys. */
typedef int32_t accublas_toy;
enum {
  ACCUBLAS_TOY_BALL = 1, /**< it rolls */
  ACCUBLAS_TOY_KITE = 2  /**< it flies */
};
/** Sets the numbers of a toy. */
ACCUBLAS_API accublas_status accublas_toy_set(accublas_context* ctx, accublas_toy toy, const double* values,
                                              const char* word, size_t size, int64_t* count);
/** The weight of a toy. */
ACCUBLAS_API double accublas_toy_weight(int64_t size);
'''
CONSTANTS = """  ! Toys.
  !> it rolls
  integer(int32), parameter :: ACCUBLAS_TOY_BALL = 1
  !> it flies
  integer(int32), parameter :: ACCUBLAS_TOY_KITE = 2
"""
HEADER_FUNCTIONS = """    function c_toy_set(ctx, toy, values, word, size, count) result(answer) bind(c, name='accublas_toy_set')
      use, intrinsic :: iso_c_binding
      type(c_ptr), value :: ctx
      integer(c_int32_t), value :: toy
      real(c_double), intent(in) :: values(*)
      character(kind=c_char), intent(in) :: word(*)
      integer(c_size_t), value :: size
      integer(c_int64_t), intent(inout) :: count
      integer(c_int32_t) :: answer
    end function c_toy_set

    !> The weight of a toy.
    pure function accublas_toy_weight(size) result(answer) bind(c, name='accublas_toy_weight')
      !> The C function of this name.
      use, intrinsic :: iso_c_binding
      integer(c_int64_t), value, intent(in) :: size
      real(c_double) :: answer
    end function accublas_toy_weight
"""
SETTING = """  !> CUDA device number, from 0.
  subroutine accublas_set_device(ctx, device, stat, errmsg)
    type(accublas_context), intent(in) :: ctx
    integer(int32), intent(in) :: device
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call hand_over(ctx, c_set_device(ctx%handle, device), stat, errmsg)
  end subroutine accublas_set_device
"""
MP_PROCEDURE = """  !> Keeps the aligned form of the m x n matrix at `first`; spread: 0 .. 64 (default 64).
  subroutine mp_align(m, n, a, first, lda, spread, context, stat, errmsg)
    integer(int64), intent(in) :: m, n
    type(accublas_mp_array), intent(in) :: a
    integer(int64), intent(in), optional :: first, lda, spread
    type(accublas_context), intent(in), optional :: context
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call hand_over_call(context, c_mp_align(context_handle(context), a%handle, offset(first), value_or(lda, &
      max(1_int64, int(m, int64))), m, n, int(value_or(spread, -1_int64), int32)), stat, errmsg)
  end subroutine mp_align
"""

DROP_IN = [
    ("level3", '''extern "C" ACCUBLAS_API void zherk_(const char* uplo, const char* trans, const std::int32_t* n, const std::int32_t* k,
    const double* alpha, const Complex<double>* a, const std::int32_t* lda, const double* beta, Complex<double>* c,
    const std::int32_t* ldc) {
  f77(Spelling::lp64, "ZHERK ", Level3<Complex<double>>{{.kind = Operation::herk, .complex = true, .uplo =
      f77_uplo(*uplo), .transa = f77_transpose(*trans), .n = *n, .k = *k, .lda = *lda, .ldc = *ldc}, {*alpha}, a,
      nullptr, {*beta}, c});
}'''),
    ("level3", '''extern "C" ACCUBLAS_API void cblas_zherk(accublas_layout layout, accublas_uplo uplo, accublas_transpose trans,
    std::int32_t n, std::int32_t k, double alpha, const void* a, std::int32_t lda, double beta, void* c,
    std::int32_t ldc) {
  cblas(Spelling::lp64, "cblas_zherk", "ZHERK ", layout, Level3<Complex<double>>{{.kind = Operation::herk, .complex =
      true, .uplo = uplo, .transa = trans, .n = n, .k = k, .lda = lda, .ldc = ldc}, {alpha}, static_cast<const
      Complex<double>*>(a), nullptr, {beta}, static_cast<Complex<double>*>(c)});
}'''),
    ("inverses", '''extern "C" ACCUBLAS_API void cgetri_(const std::int32_t* n, Complex<float>* a, const std::int32_t* lda,
    const std::int32_t* ipiv, Complex<float>* work, const std::int32_t* lwork, std::int32_t* info) {
  lapack(Spelling::lp64, "CGETRI", factorization<Complex<float>>({.kind = Operation::getri, .complex = true, .n = *n,
      .lda = *lda}, a, pivots(ipiv), nullptr), info, work, *lwork);
}'''),
    ("level1", '''extern "C" ACCUBLAS_API void cblas_zdotc_sub(std::int32_t n, const void* x, std::int32_t incx, const void* y,
    std::int32_t incy, void* result) {
  *static_cast<Complex<double>*>(result) = returned<Complex<double>>(Level1<Complex<double>>{{.kind = Operation::dotc,
      .complex = true, .n = n, .incx = incx, .incy = incy}, Complex<double>{}, static_cast<const Complex<double>*>(x),
      static_cast<const Complex<double>*>(y), nullptr});
}'''),
    ("batched", '''extern "C" ACCUBLAS_API void cblas_zgemm_batch(accublas_layout layout, const accublas_transpose* transa,
    const accublas_transpose* transb, const std::int32_t* m, const std::int32_t* n, const std::int32_t* k,
    const void* alpha, const void* const* a, const std::int32_t* lda, const void* const* b, const std::int32_t* ldb,
    const void* beta, void* const* c, const std::int32_t* ldc, std::int32_t group_count,
    const std::int32_t* batch_count) {
  cblas(Spelling::lp64, "cblas_zgemm_batch", "ZGEMM_BATCH", layout, group_count, batch_count, [&](auto group, auto
      first) { return batched<Complex<double>>({.kind = Operation::gemm_batched, .complex = true, .transa =
      transa[group], .transb = transb[group], .m = m[group], .n = n[group], .k = k[group], .lda = lda[group], .ldb =
      ldb[group], .ldc = ldc[group], .batch_count = batch_count[group]}, {static_cast<const
      Complex<double>*>(alpha)[group]}, a + first, b + first, {static_cast<const Complex<double>*>(beta)[group]}, c +
      first); });
}'''),
]

CUBLAS = [
    ("level3", '''extern "C" ACCUBLAS_API cublasStatus_t cublasZherk_v2_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, std::int64_t n, std::int64_t k, const double* alpha, const cuDoubleComplex* a,
    std::int64_t lda, const double* beta, cuDoubleComplex* c, std::int64_t ldc) {
  static constinit Real real("cublasZherk_v2_64");
  return serve(real, level3<Complex<double>>({.kind = Operation::herk, .complex = true, .uplo = uplo_of(uplo), .transa
      = transpose_of(trans), .n = n, .k = k, .lda = lda, .ldc = ldc}, nullptr, a, nullptr, nullptr, c), alpha, beta,
      handle, uplo, trans, n, k, alpha, a, lda, beta, c, ldc);
}'''),
    ("level3", '''extern "C" ACCUBLAS_API cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, std::int32_t m, std::int32_t n, std::int32_t k, const float* alpha, const void* a,
    cudaDataType type_a, std::int32_t lda, const void* b, cudaDataType type_b, std::int32_t ldb, const float* beta,
    void* c, cudaDataType type_c, std::int32_t ldc) {
  static constinit Real real("cublasSgemmEx");
  return serve_typed(real, {type_a, type_b, type_c, CUBLAS_COMPUTE_32F}, [&](auto element) { using E =
      decltype(element); return level3<E>({.kind = Operation::gemm, .complex = is_complex<E>, .transa =
      transpose_of(transa), .transb = transpose_of(transb), .m = m, .n = n, .k = k, .lda = lda, .ldb = ldb, .ldc =
      ldc}, nullptr, a, b, nullptr, c); }, alpha, beta, handle, transa, transb, m, n, k, alpha, a, type_a, lda, b,
      type_b, ldb, beta, c, type_c, ldc);
}'''),
    ("batched", '''extern "C" ACCUBLAS_API cublasStatus_t cublasCgemm3mStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, std::int32_t m, std::int32_t n, std::int32_t k, const cuComplex* alpha,
    const cuComplex* a, std::int32_t lda, long long stride_a, const cuComplex* b, std::int32_t ldb, long long stride_b,
    const cuComplex* beta, cuComplex* c, std::int32_t ldc, long long stride_c, std::int32_t batch_count) {'''),
]


class Routines(unittest.TestCase):
    def setUp(self):
        self.addCleanup(setattr, routines, "GROUPS", routines.GROUPS)

    def test_header_is_current(self):
        self.assertTrue(generate.header(SOURCE / "include" / "accublas.h", True), "run c_api/generate.py header include/accublas.h")

    def test_names_are_unique(self):
        self.assertEqual(len(set(generate.names())), len(generate.names()))

    def test_comment(self):
        made = generate.comment(ROW, "toys").splitlines()
        self.assertEqual(made[:14], COMMENT.splitlines())
        self.assertTrue(made[14].startswith(" * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT") and made[-1].endswith("_INTERNAL */"))

    def test_functions(self):
        routines.GROUPS = {"toys": [ROW]}
        self.assertTrue(generate.functions("toys").endswith(FUNCTIONS), generate.functions("toys"))

    def test_prototypes(self):
        pointer, enum, size = "c_void_p", "c_int32", "c_int64"
        arguments = ", ".join([pointer, enum, size, size, pointer, pointer, size, pointer, pointer, pointer, size, pointer, pointer])
        self.assertEqual(generate_python.row_prototypes(ROW)[3], f'    "choy_ex": (c_int32, ({arguments},)),')
        self.assertIn('    "set_target": (c_int32, (c_void_p, c_double,)),', generate_python.prototypes((SOURCE / "include" / "accublas.h").read_text()))

    def expect_functions(self, made, expected):
        """`made` has each function of `expected`, as far as that goes."""
        for group, function in expected:
            start = made(group).find(function[:function.index("(") + 1])
            self.assertEqual(made(group)[start:start + len(function)], function)

    def test_drop_in(self):
        self.expect_functions(generate.drop_in, DROP_IN)

    def test_cublas(self):
        self.expect_functions(generate.cublas, CUBLAS)

    def test_aliases(self):
        """A line of ALIASES gives every type and spelling another name, which complaints have."""
        self.addCleanup(setattr, routines, "ALIASES", routines.ALIASES)
        routines.ALIASES = {"toy": "gemmt", "zc:hoy": "gemmt"}
        made = generate.drop_in("level3")
        for name in ("dtoy_", "ctoy_64_", "cblas_stoy", "scipy_cblas_ztoy64_"):
            self.assertIn(f" {name}(", made)
        self.assertIn('f77(Spelling::lp64, "DTOY  ", Level3<double>', made)
        self.assertIn(" zhoy_(", made)
        self.assertNotIn(" dhoy_(", made)
        self.assertEqual(generate.unknown_aliases({"toy": "gemmt", "dtoy": "dgemm", "toy_batched": "gemm_batched", "hoy": "gemm_strided"}),
                         {"dtoy": "dgemm", "hoy": "gemm_strided"})

    def test_fortran_interface(self):
        routines.GROUPS = {"toys": [ROW]}
        made = generate_fortran.interfaces("c")
        self.assertIn(INTERFACE, made)
        self.assertIn("function c_hoy(", made)

    def test_fortran_routines(self):
        self.assertIn(f"{GENERIC}\n", generate_fortran.generics("level2", "c"))
        self.assertIn(f"{NETLIB}\n", generate_fortran.netlib("netlib_hermitian", "z", "int32"))

    def test_fortran_header(self):
        self.assertIn(CONSTANTS, generate_fortran.constants(HEADER))
        self.assertIn(HEADER_FUNCTIONS, generate_fortran.functions(HEADER))
        header = str(SOURCE / "include" / "accublas.h")
        self.assertIn(SETTING, generate_fortran.template(SOURCE / "fortran" / "accublas_context.f90.in", header))
        self.assertIn(MP_PROCEDURE, generate_fortran.template(SOURCE / "fortran" / "accublas_mp.f90.in", header, "int64"))


if __name__ == "__main__":
    unittest.main()
