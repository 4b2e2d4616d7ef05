! The multiple-precision part of the C interface as Fortran sees it. Names are those of accublas.h with the prefix c_. Users take
! module accublas.
module accublas_mp_c
  use, intrinsic :: iso_c_binding, only: c_ptr, c_char, c_size_t, int32 => c_int32_t, int64 => c_int64_t, real64 => c_double
  implicit none
  private :: c_ptr, c_char, c_size_t, int32, int64, real64

  type, bind(c) :: c_mp_report_t
    integer(c_size_t) :: struct_size
    character(kind=c_char) :: routine(16), backend(8), device(64)
    integer(int64) :: m, n, k
    integer(int32) :: precision, element_moduli, moduli, spread, bands, threads
    integer(int64) :: outputs_in_bands, aligned_bytes, copied_bytes
    integer(int32) :: aligned_kept, level
    real(real64) :: ms_total, ms_align, ms_product, ms_finish
  end type c_mp_report_t

  interface
    function c_mp_create(ctx, precision, length, array) result(status) bind(c, name='accublas_mp_create')
      import :: c_ptr, int32, int64
      type(c_ptr), value :: ctx
      integer(int32), value :: precision
      integer(int64), value :: length
      type(c_ptr), intent(out) :: array
      integer(int32) :: status
    end function c_mp_create

    function c_mp_destroy(array) result(status) bind(c, name='accublas_mp_destroy')
      import :: c_ptr, int32
      type(c_ptr), value :: array
      integer(int32) :: status
    end function c_mp_destroy

    function c_mp_precision(array) result(precision) bind(c, name='accublas_mp_precision')
      import :: c_ptr, int32
      type(c_ptr), value :: array
      integer(int32) :: precision
    end function c_mp_precision

    function c_mp_length(array) result(length) bind(c, name='accublas_mp_length')
      import :: c_ptr, int64
      type(c_ptr), value :: array
      integer(int64) :: length
    end function c_mp_length

    function c_mp_get_place(array) result(place) bind(c, name='accublas_mp_get_place')
      import :: c_ptr, int32
      type(c_ptr), value :: array
      integer(int32) :: place
    end function c_mp_get_place

    function c_mp_bytes(array) result(bytes) bind(c, name='accublas_mp_bytes')
      import :: c_ptr, int64
      type(c_ptr), value :: array
      integer(int64) :: bytes
    end function c_mp_bytes

    function c_mp_move(ctx, array, place) result(status) bind(c, name='accublas_mp_move')
      import :: c_ptr, int32
      type(c_ptr), value :: ctx, array
      integer(int32), value :: place
      integer(int32) :: status
    end function c_mp_move

    function c_mp_set_double(ctx, array, offset, ld, m, n, values, lda) result(status) bind(c, name='accublas_mp_set_double')
      import :: c_ptr, int32, int64, real64
      type(c_ptr), value :: ctx, array
      integer(int64), value :: offset, ld, m, n, lda
      real(real64), intent(in) :: values(*)
      integer(int32) :: status
    end function c_mp_set_double

    function c_mp_get_double(ctx, array, offset, ld, m, n, values, lda) result(status) bind(c, name='accublas_mp_get_double')
      import :: c_ptr, int32, int64, real64
      type(c_ptr), value :: ctx, array
      integer(int64), value :: offset, ld, m, n, lda
      real(real64), intent(inout) :: values(*)
      integer(int32) :: status
    end function c_mp_get_double

    function c_mp_set_limbs(ctx, array, offset, ld, m, n, limbs, size, exponents, signs) result(status) &
      bind(c, name='accublas_mp_set_limbs')
      import :: c_ptr, int32, int64
      type(c_ptr), value :: ctx, array
      integer(int64), value :: offset, ld, m, n, size
      integer(int64), intent(in) :: limbs(*), exponents(*)
      integer(int32), intent(in) :: signs(*)
      integer(int32) :: status
    end function c_mp_set_limbs

    function c_mp_get_limbs(ctx, array, offset, ld, m, n, limbs, size, exponents, signs) result(status) &
      bind(c, name='accublas_mp_get_limbs')
      import :: c_ptr, int32, int64
      type(c_ptr), value :: ctx, array
      integer(int64), value :: offset, ld, m, n, size
      integer(int64), intent(inout) :: limbs(*), exponents(*)
      integer(int32), intent(inout) :: signs(*)
      integer(int32) :: status
    end function c_mp_get_limbs

    function c_mp_set_string(ctx, array, index, text, base) result(status) bind(c, name='accublas_mp_set_string')
      import :: c_ptr, c_char, int32, int64
      type(c_ptr), value :: ctx, array
      integer(int64), value :: index
      character(kind=c_char), intent(in) :: text(*)
      integer(int32), value :: base
      integer(int32) :: status
    end function c_mp_set_string

    function c_mp_get_string(ctx, array, index, base, digits, text, size, needed) result(status) &
      bind(c, name='accublas_mp_get_string')
      import :: c_ptr, c_size_t, int32, int64
      type(c_ptr), value :: ctx, array, text
      integer(int64), value :: index
      integer(int32), value :: base, digits
      integer(c_size_t), value :: size
      integer(c_size_t), intent(out) :: needed
      integer(int32) :: status
    end function c_mp_get_string

    function c_mp_set_mpfr(ctx, array, index, number) result(status) bind(c, name='accublas_mp_set_mpfr')
      import :: c_ptr, int32, int64
      type(c_ptr), value :: ctx, array, number
      integer(int64), value :: index
      integer(int32) :: status
    end function c_mp_set_mpfr

    function c_mp_get_mpfr(ctx, array, index, number) result(status) bind(c, name='accublas_mp_get_mpfr')
      import :: c_ptr, int32, int64
      type(c_ptr), value :: ctx, array, number
      integer(int64), value :: index
      integer(int32) :: status
    end function c_mp_get_mpfr

    function c_mp_copy(ctx, m, n, from, offset_from, ld_from, to, offset_to, ld_to) result(status) &
      bind(c, name='accublas_mp_copy')
      import :: c_ptr, int32, int64
      type(c_ptr), value :: ctx, from, to
      integer(int64), value :: m, n, offset_from, ld_from, offset_to, ld_to
      integer(int32) :: status
    end function c_mp_copy

    function c_mp_convert(ctx, m, n, from, offset_from, ld_from, to, offset_to, ld_to) result(status) &
      bind(c, name='accublas_mp_convert')
      import :: c_ptr, int32, int64
      type(c_ptr), value :: ctx, from, to
      integer(int64), value :: m, n, offset_from, ld_from, offset_to, ld_to
      integer(int32) :: status
    end function c_mp_convert

    function c_mp_compare(ctx, x, index_x, y, index_y, order) result(status) bind(c, name='accublas_mp_compare')
      import :: c_ptr, int32, int64
      type(c_ptr), value :: ctx, x, y
      integer(int64), value :: index_x, index_y
      integer(int32), intent(inout) :: order
      integer(int32) :: status
    end function c_mp_compare

    function c_mp_classify(ctx, x, index, class) result(status) bind(c, name='accublas_mp_classify')
      import :: c_ptr, int32, int64
      type(c_ptr), value :: ctx, x
      integer(int64), value :: index
      integer(int32), intent(inout) :: class
      integer(int32) :: status
    end function c_mp_classify

    function c_mp_sign(ctx, x, index, sign) result(status) bind(c, name='accublas_mp_sign')
      import :: c_ptr, int32, int64
      type(c_ptr), value :: ctx, x
      integer(int64), value :: index
      integer(int32), intent(inout) :: sign
      integer(int32) :: status
    end function c_mp_sign

    function c_mp_exponent(ctx, x, index, exponent) result(status) bind(c, name='accublas_mp_exponent')
      import :: c_ptr, int32, int64
      type(c_ptr), value :: ctx, x
      integer(int64), value :: index
      integer(int64), intent(inout) :: exponent
      integer(int32) :: status
    end function c_mp_exponent

    function c_mp_evaluation(ctx, x, index, lower, upper) result(status) bind(c, name='accublas_mp_evaluation')
      import :: c_ptr, int32, int64, real64
      type(c_ptr), value :: ctx, x
      integer(int64), value :: index
      real(real64), intent(inout) :: lower, upper
      integer(int32) :: status
    end function c_mp_evaluation

    function c_mp_align(ctx, array, offset, lda, m, n, spread) result(status) bind(c, name='accublas_mp_align')
      import :: c_ptr, int32, int64
      type(c_ptr), value :: ctx, array
      integer(int64), value :: offset, lda, m, n
      integer(int32), value :: spread
      integer(int32) :: status
    end function c_mp_align

    function c_mp_drop_aligned(ctx, array) result(status) bind(c, name='accublas_mp_drop_aligned')
      import :: c_ptr, int32
      type(c_ptr), value :: ctx, array
      integer(int32) :: status
    end function c_mp_drop_aligned

    function c_mp_gemv(ctx, trans, m, n, alpha, index_alpha, a, offset_a, lda, x, offset_x, incx, beta, index_beta, y, &
      offset_y, incy) result(status) bind(c, name='accublas_mp_gemv')
      import :: c_ptr, int32, int64
      type(c_ptr), value :: ctx, alpha, a, x, beta, y
      integer(int32), value :: trans
      integer(int64), value :: m, n, index_alpha, offset_a, lda, offset_x, incx, index_beta, offset_y, incy
      integer(int32) :: status
    end function c_mp_gemv

    function c_mp_dot(ctx, n, x, offset_x, incx, y, offset_y, incy, result, index_result) result(status) &
      bind(c, name='accublas_mp_dot')
      import :: c_ptr, int32, int64
      type(c_ptr), value :: ctx, x, y, result
      integer(int64), value :: n, offset_x, incx, offset_y, incy, index_result
      integer(int32) :: status
    end function c_mp_dot

    function c_mp_axpy(ctx, n, alpha, index_alpha, x, offset_x, incx, y, offset_y, incy) result(status) &
      bind(c, name='accublas_mp_axpy')
      import :: c_ptr, int32, int64
      type(c_ptr), value :: ctx, alpha, x, y
      integer(int64), value :: n, index_alpha, offset_x, incx, offset_y, incy
      integer(int32) :: status
    end function c_mp_axpy

    function c_mp_scal(ctx, n, alpha, index_alpha, x, offset_x, incx) result(status) bind(c, name='accublas_mp_scal')
      import :: c_ptr, int32, int64
      type(c_ptr), value :: ctx, alpha, x
      integer(int64), value :: n, index_alpha, offset_x, incx
      integer(int32) :: status
    end function c_mp_scal

    function c_mp_gemm(ctx, transa, transb, m, n, k, alpha, index_alpha, a, offset_a, lda, b, offset_b, ldb, beta, &
      index_beta, c, offset_c, ldc) result(status) bind(c, name='accublas_mp_gemm')
      import :: c_ptr, int32, int64
      type(c_ptr), value :: ctx, alpha, a, b, beta, c
      integer(int32), value :: transa, transb
      integer(int64), value :: m, n, k, index_alpha, offset_a, lda, offset_b, ldb, index_beta, offset_c, ldc
      integer(int32) :: status
    end function c_mp_gemm

    !> Relative error bound of the published multiple-precision GEMV for n terms; accublas.h has all three.
    pure function accublas_mp_published_bound(n, log2_m) result(bound) bind(c, name='accublas_mp_published_bound')
      !> The factor (n + 2) u / (1 - (n + 2) u), u = 4 / sqrt(M), M = 2^log2_m.
      import :: int64, real64
      integer(int64), value, intent(in) :: n
      real(real64), value, intent(in) :: log2_m
      real(real64) :: bound
    end function accublas_mp_published_bound

    !> Binary logarithm of its bound of the absolute error.
    pure function accublas_mp_log2_absolute_bound(n, log2_m, log2_magnitude) result(bound) &
      bind(c, name='accublas_mp_log2_absolute_bound')
      !> Returns the bound for the sum over the elements.
      import :: int64, real64
      integer(int64), value, intent(in) :: n
      real(real64), value, intent(in) :: log2_m, log2_magnitude
      real(real64) :: bound
    end function accublas_mp_log2_absolute_bound

    !> Binary logarithm of its bound of the relative error.
    pure function accublas_mp_log2_relative_bound(n, log2_m, log2_magnitude, log2_exact) result(bound) &
      bind(c, name='accublas_mp_log2_relative_bound')
      !> Relative to the exact sum over the elements.
      import :: int64, real64
      integer(int64), value, intent(in) :: n
      real(real64), value, intent(in) :: log2_m, log2_magnitude, log2_exact
      real(real64) :: bound
    end function accublas_mp_log2_relative_bound

    function c_mp_report(ctx, report) result(status) bind(c, name='accublas_mp_report')
      import :: c_ptr, int32, c_mp_report_t
      type(c_ptr), value :: ctx
      type(c_mp_report_t), intent(inout) :: report
      integer(int32) :: status
    end function c_mp_report
  end interface
end module accublas_mp_c
