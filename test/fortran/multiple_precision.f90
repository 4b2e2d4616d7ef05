! Multiple-precision arrays: both kinds of integers, in and out, queries, routines with their optional arguments, statuses. That every
! result is correctly rounded is other suites' affair.
program multiple_precision
  use, intrinsic :: ieee_arithmetic, only: ieee_value, ieee_positive_inf, ieee_quiet_nan
  use, intrinsic :: iso_c_binding, only: c_int, c_loc, c_long, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  use accublas
  use testing
  implicit none

  integer, parameter :: bits = 120
  real(real64), parameter :: big = 2._real64**60, tiny_part = 2._real64**(-59)
  !> mpfr_t, so that the test needs no MPFR of its own: (-1) is its minus sign, the limb's highest bit is worth 2^(exponent-1).
  type, bind(c) :: mpfr_number
    integer(c_long) :: precision = 64
    integer(c_int) :: sign = 1
    integer(c_long) :: exponent = 1
    type(c_ptr) :: limb = c_null_ptr
  end type mpfr_number
  type(mpfr_number), target :: mpfr
  integer(int64), target :: mpfr_limb
  type(accublas_mp_array) :: a, x, y, z, scalars, narrow
  type(accublas_mp_report_t) :: report
  type(accublas_context) :: ctx
  real(real64) :: matrix(5, 4), back(5, 4), vector(7), got(7), number, lower, upper
  character(:), allocatable :: text
  character(200) :: message, line
  integer(int32) :: stat, order, class, sign
  integer(int32) :: signs(2)
  integer(int64) :: exponent, exponents(2), limbs(2, 2)
  integer :: i, j, unit

  call accublas_create(ctx)
  call accublas_mp_create(a, bits, 40)
  call accublas_mp_create(x, int(bits, int64), 40_int64, ctx)
  call accublas_mp_create(y, bits, 40)
  call accublas_mp_create(z, bits, 40)
  call accublas_mp_create(scalars, bits, 2)
  call check(accublas_mp_precision(a) == bits, 'precision')
  call check(accublas_mp_length(x) == 40, 'length')
  call check(accublas_mp_get_place(a) == ACCUBLAS_MP_HOST, 'place')
  call check(accublas_mp_bytes(a) > 0, 'bytes')
  call accublas_mp_create(narrow, 10, 3, stat=stat, errmsg=message)
  call check(stat == ACCUBLAS_ERROR_ARGUMENT .and. len_trim(message) > 0, 'a precision out of range')

  ! In and out, with sections and leading dimensions.
  do j = 1, 4
    matrix(:, j) = [(real(10*i + j, real64)/3, i=1, 5)]
  end do
  call accublas_mp_set(a, matrix, 1)
  call accublas_mp_get(a, back, 1)
  do j = 1, 4
    call check_same(back(:, j), matrix(:, j), 'a matrix and back')
  end do
  call accublas_mp_set(y, matrix(1:5:2, 2:4), 2, 6)
  call accublas_mp_get(y, got(1:3), 8)
  call check_same(got(1:3), matrix(1:5:2, 3), 'a section at an offset with a leading dimension')
  vector = [(i*0.1_real64, i=1, 7)]
  call accublas_mp_set(x, vector, 3_int64, 5_int64)
  call accublas_mp_get(x, number, 13)
  call check(transfer(number, 0_int64) == transfer(vector(3), 0_int64), 'a vector with an increment')
  call accublas_mp_set(x, -0.0_real64, 1)
  call accublas_mp_get(x, number, 1)
  call check(transfer(number, 0_int64) == transfer(-0.0_real64, 0_int64), 'a negative zero')

  limbs(:, 1) = [1_int64, ishft(1_int64, 55)]
  limbs(:, 2) = [3_int64, 0_int64]
  call accublas_mp_set_limbs(z, 2, 1, limbs, [-119_int64, 4_int64], [0_int32, 1_int32])
  call accublas_mp_get(z, got(1:2), 1)
  call check_same(got(1:2), [1._real64, -48._real64], 'numbers from limbs')
  call accublas_mp_get_limbs(z, 2, 1, limbs, exponents, signs)
  call check(limbs(1, 1) == 1 .and. limbs(2, 1) == ishft(1_int64, 55) .and. exponents(1) == -119, 'limbs and back')
  call check(all(signs == [0, 1]), 'signs')
  call accublas_mp_set_limbs(z, 3, 1, limbs, exponents, signs, context=ctx, stat=stat, errmsg=message)
  call check(stat == ACCUBLAS_ERROR_ARGUMENT .and. index(message, 'm n numbers') > 0, 'more numbers than limbs are given for')
  call accublas_mp_get_limbs(z, 1, 2, limbs, exponents, signs(1:1), stat=stat)
  call check(stat == ACCUBLAS_ERROR_ARGUMENT, 'no room for the signs')
  call accublas_mp_set(x, [ieee_value(number, ieee_positive_inf), ieee_value(number, ieee_quiet_nan)], 1)
  call accublas_mp_classify(x, 1, class)
  call check(class == ACCUBLAS_MP_INFINITE, 'an infinity')
  call accublas_mp_classify(x, 2, class)
  call check(class == ACCUBLAS_MP_NAN, 'a NaN')

  call accublas_mp_set(z, '0x1.8p+4', 1, stat=stat)
  if (stat /= ACCUBLAS_ERROR_UNAVAILABLE) then
    call check(stat == 0, 'a string')
    call accublas_mp_get(z, number, 1)
    call check(transfer(number, 0_int64) == transfer(24._real64, 0_int64), 'a hexadecimal string')
    call accublas_mp_get(z, text, 1, 16, 2)
    call check(text == '0x1.8p+4', 'and back: '//text)
    call accublas_mp_set(z, '-1.8@2', 2, 16)
    open (newunit=unit, status='scratch', form='formatted')
    call accublas_mp_print(z, 2, digits=3, unit=unit)
    call accublas_mp_print(z, 1, first=2, inc=3, base=16, digits=2, unit=unit, context=ctx)
    rewind (unit)
    read (unit, '(a)') line
    call check(line == '2.40e+1', 'print, the first line: '//trim(line))
    read (unit, '(a)') line
    call check(line == '-3.84e+2', 'print, the second line: '//trim(line))
    read (unit, '(a)') line
    call check(line == '-0x1.8p+8', 'print in base 16: '//trim(line))
    close (unit)
    call accublas_mp_print(z, 1, first=41, stat=stat)
    call check(stat == ACCUBLAS_ERROR_ARGUMENT, 'print beyond the array')

    mpfr%limb = c_loc(mpfr_limb)
    mpfr_limb = -ishft(1_int64, 62)  ! the two highest bits: 1.5
    mpfr%sign = -1
    call accublas_mp_set_mpfr(z, c_loc(mpfr), 3)
    call accublas_mp_get(z, number, 3)
    call check(transfer(number, 0_int64) == transfer(-1.5_real64, 0_int64), 'from an mpfr_t')
    call accublas_mp_get_mpfr(z, c_loc(mpfr), 1)
    call check(mpfr%sign == 1 .and. mpfr%exponent == 5 .and. mpfr_limb == -ishft(1_int64, 62), 'to an mpfr_t')

    call accublas_mp_set(z, ' -1.25e-1 ', 1, 10)
    call accublas_mp_get(z, text, 1, 10, 5)
    call accublas_mp_set(z, text, 2)
    call accublas_mp_compare(z, 1, z, 2, order)
    call check(order == 0, 'a decimal string and back: '//text)
    call accublas_mp_set(z, '1.5 apples', 1, stat=stat)
    call check(stat == ACCUBLAS_ERROR_FORMAT, 'no number')
  end if

  ! Queries.
  call accublas_mp_set(x, [1.5_real64, -2._real64, 0._real64], 1)
  call accublas_mp_compare(x, 1, x, 2, order)
  call check(order == 1, 'compare')
  call accublas_mp_classify(x, 3, class)
  call check(class == ACCUBLAS_MP_ZERO, 'class')
  call accublas_mp_sign(x, 2_int64, sign)
  call check(sign == -1, 'sign')
  call accublas_mp_exponent(x, 2, exponent)
  call check(exponent == 2, 'exponent')
  call accublas_mp_exponent(x, 3, exponent)
  call check(exponent == ACCUBLAS_MP_EXPONENT_ZERO, 'exponent of a zero')
  call accublas_mp_evaluation(x, 1, lower, upper)
  call check(lower > 0 .and. lower <= upper .and. upper < 1, 'interval evaluation')

  ! y = 2 A x - y with A = (big, 1, -big; 0, tiny, 0), x = (1, tiny, 1): a sum that cancels and a product below it.
  call accublas_mp_set(a, reshape([big, 0._real64, 1._real64, tiny_part, -big, 0._real64], [2, 3]), 4, 5)
  call accublas_mp_set(x, [1._real64, tiny_part, 1._real64], 10, 2)
  call accublas_mp_set(scalars, [2._real64, -1._real64], 1)
  call accublas_mp_set(y, [0.5_real64, 0.25_real64], 1, 3)
  call accublas_mp_align(2, 3, a, first=4, lda=5)
  call accublas_mp_gemv(2, 3, a, x, y, alpha=scalars, beta=scalars, index_beta=2, first_a=4, lda=5, first_x=10, incx=2, incy=3, &
    context=ctx)
  call accublas_mp_get(y, got(1:2), 1, 3)
  call check_same(got(1:2), [2*tiny_part - 0.5_real64, 2*tiny_part**2 - 0.25_real64], 'gemv')
  call accublas_mp_report(report, ctx)
  call check(report%routine == 'mp_gemv' .and. report%precision == bits .and. report%m == 2 .and. report%k == 3, 'report')

  ! Transposed, from the far end; without alpha and beta y is not read.
  call accublas_mp_set(y, huge(1._real64), 1)
  call accublas_mp_gemv(2_int64, 3_int64, a, x, y, 'T', first_a=4_int64, lda=5_int64, first_x=10_int64, incx=-2_int64)
  call accublas_mp_get(y, got(1:3), 1)
  call check_same(got(1:3), [big*tiny_part, tiny_part + tiny_part, -big*tiny_part], 'gemv, transposed, backwards')

  call accublas_mp_dot(3, x, x, z, first_x=10, incx=2, first_y=10, incy=2, index_result=5)
  call accublas_mp_get(z, number, 5)
  call check(transfer(number, 0_int64) == transfer(2._real64, 0_int64), 'dot')
  call accublas_mp_set(y, [1._real64, 2._real64], 1)
  call accublas_mp_axpy(2, x, y, alpha=scalars, first_x=10, incx=2)
  call accublas_mp_axpy(2, x, y, first_x=10, incx=2)
  call accublas_mp_scal(2, scalars, y, index_alpha=2)
  call accublas_mp_get(y, got(1:2), 1)
  call check_same(got(1:2), -[4._real64, 2 + 3*tiny_part], 'axpy and scal')

  call accublas_mp_set(x, reshape([1._real64, 2._real64, 3._real64, 4._real64, 5._real64, 6._real64], [3, 2]), 1)
  call accublas_mp_set(y, reshape([1._real64, 0._real64, 0._real64, 1._real64], [2, 2]), 1)
  call accublas_mp_gemm(3, 2, 2, x, y, z, alpha=scalars)
  call accublas_mp_get(z, got(1:6), 1)
  call check_same(got(1:6), [2._real64, 4._real64, 6._real64, 8._real64, 10._real64, 12._real64], 'gemm')
  call accublas_mp_gemm(2, 2, 3, x, x, z, transa='T')
  call accublas_mp_get(z, got(1:4), 1)
  call check_same(got(1:4), [14._real64, 32._real64, 32._real64, 77._real64], 'gemm, transposed')
  call accublas_mp_set(z, [0._real64, 0._real64, 0._real64, 0._real64], 1)
  call accublas_mp_syrk(2, 3, x, z, uplo='L', trans='T')
  call accublas_mp_get(z, got(1:4), 1)
  call check_same(got(1:4), [14._real64, 32._real64, 0._real64, 77._real64], 'syrk')
  call accublas_mp_syrk(2, 3, x, z, trans='T')
  call accublas_mp_get(z, got(1:4), 1)
  call check_same(got(1:4), [14._real64, 32._real64, 32._real64, 77._real64], 'syrk, upper triangle')

  ! Other precisions.
  call accublas_mp_create(narrow, 64, 4)
  call accublas_mp_copy(2, 2, z, narrow, stat=stat)
  call check(stat == ACCUBLAS_ERROR_PRECISION, 'copy between precisions')
  call accublas_mp_convert(2, 2, z, narrow)
  call accublas_mp_get(narrow, got(1:4), 1)
  call check_same(got(1:4), [14._real64, 32._real64, 32._real64, 77._real64], 'convert')
  call accublas_mp_copy(1, 2, z, y, ld_from=3, first_to=3, ld_to=2)
  call accublas_mp_get(y, got(1:2), 3, 2)
  call check_same(got(1:2), [14._real64, 77._real64], 'copy of a block')

  ! Statuses, and nothing written.
  call accublas_mp_gemv(2, 3, a, x, y, first_a=39, stat=stat, errmsg=message)
  call check(stat == ACCUBLAS_ERROR_ARGUMENT .and. len_trim(message) > 0, 'a matrix beyond its array')
  call accublas_mp_gemv(2, 2, a, narrow, y, stat=stat)
  call check(stat == ACCUBLAS_ERROR_PRECISION, 'a vector of another precision')
  call accublas_mp_gemv(2, 2, a, x, y, trans='X', stat=stat)
  call check(stat == ACCUBLAS_ERROR_ARGUMENT, 'an unknown transposition')
  call accublas_mp_drop_aligned(a)
  call accublas_mp_move(a, ACCUBLAS_MP_DEVICE, stat=stat)
  if (stat == 0) call accublas_mp_move(a, ACCUBLAS_MP_HOST)
  call check(stat == 0 .or. stat == ACCUBLAS_ERROR_NO_DEVICE, 'move')
  call check(accublas_mp_published_bound(1000_int64, 800._real64) < 1e-100_real64, 'published bound')
  number = log(1002._real64)/log(2._real64) + 2 - 1697
  call check(abs(accublas_mp_log2_absolute_bound(1000_int64, 3394._real64, 7._real64) - (number + 7)) < 1e-9_real64, 'bound (16)')
  call check(abs(accublas_mp_log2_relative_bound(1000_int64, 3394._real64, 7._real64, 5._real64) - (number + 2)) < 1e-9_real64, &
    'bound (17)')

  call accublas_mp_destroy(a)
  call accublas_mp_destroy(a)
  call check(accublas_mp_length(a) == 0, 'destroyed')
  call accublas_mp_destroy(x)
  call accublas_mp_destroy(y)
  call accublas_mp_destroy(z)
  call accublas_mp_destroy(scalars)
  call accublas_mp_destroy(narrow)
  if (allocated(text)) deallocate (text)
  call accublas_destroy(ctx)
  call finish()
end program multiple_precision
