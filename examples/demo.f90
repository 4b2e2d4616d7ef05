! This program shows the accuracy modes on a real matrix. It reads a Matrix Market file, forms transpose(A) A and A x in
! several modes, and prints for each the engine that computed it, the time, the largest componentwise error against the
! correctly rounded result, and whether one and two threads return the same bits.
program demo
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64, error_unit, output_unit
  use, intrinsic :: ieee_arithmetic, only: ieee_value, ieee_positive_inf
  use accublas
  use matrix_market, only: read_matrix
  implicit none

  character(*), parameter :: gemm_modes(*) = [character(9) :: 'native', 'dp:repro', 'fixed:40', 'fixed:70', 'slices:3', &
    'dot2', 'cr']
  character(*), parameter :: gemv_modes(*) = [character(9) :: 'native', 'dp:repro', 'fixed:40', 'dot2', 'cr']
  real(real64), parameter :: enough = 100  ! milliseconds for the repetitions of a call

  type :: stopwatch
    real(real64) :: least = huge(0._real64), spent = 0
  end type stopwatch

  type(accublas_context) :: ctx
  real(real64), allocatable :: a(:, :), x(:), c(:, :), y(:), exact_c(:, :), exact_y(:)
  character(:), allocatable :: message
  character(1024) :: path
  integer :: i, m, n

  if (command_argument_count() /= 1) call give_up('usage: demo FILE.mtx')
  call get_command_argument(1, path)
  call read_matrix(trim(path), a, message)
  if (message /= '') call give_up(message)
  m = size(a, 1)
  n = size(a, 2)
  x = [(merge(1._real64, -1._real64, mod(i, 2) == 0)/i, i=1, n)]
  allocate (c(n, n), y(m), exact_c(n, n), exact_y(m))

  call accublas_create(ctx)
  call accublas_set_report_level(ctx, 1)
  call accublas_gemm(a, a, exact_c, transa='T', mode='cr', context=ctx)
  call accublas_gemv(a, x, exact_y, mode='cr', context=ctx)

  print '(a, a, 2(i0, a), i0, a)', trim(path), ': ', m, ' x ', n, ', ', count(abs(a) > 0), ' nonzero entries'
  print '(/, 2x, a)', 'C = transpose(A) A'
  call print_header()
  do i = 1, size(gemm_modes)
    call try_gemm(trim(gemm_modes(i)))
  end do
  print '(/, 2x, a)', 'y = A x,  x(j) = (-1)^j / j'
  call print_header()
  do i = 1, size(gemv_modes)
    call try_gemv(trim(gemv_modes(i)))
  end do
  print '(a)', ''
  call accublas_destroy(ctx)

contains

  subroutine print_header()
    print '(2x, a10, a9, a12, a16, 2x, a)', 'mode      ', 'engine   ', 'ms', 'largest error', '1 and 2 threads'
  end subroutine print_header

  subroutine try_gemm(mode)
    character(*), intent(in) :: mode
    real(real64), allocatable :: one_thread(:, :)
    type(stopwatch) :: timer
    integer(int32) :: stat
    character(200) :: why

    allocate (one_thread(n, n))
    call accublas_set_num_threads(ctx, 1)
    call accublas_gemm(a, a, one_thread, transa='T', mode=mode, context=ctx, stat=stat, errmsg=why)
    if (stat /= ACCUBLAS_SUCCESS) then
      call print_failure(mode, why)
      return
    end if
    call accublas_set_num_threads(ctx, 2)
    do while (timer%spent < enough)
      call accublas_gemm(a, a, c, transa='T', mode=mode, context=ctx)
      call add_time(timer)
    end do
    call print_row(mode, timer%least, largest_error([c], [exact_c]), same_bits([c], [one_thread]))
  end subroutine try_gemm

  subroutine try_gemv(mode)
    character(*), intent(in) :: mode
    real(real64), allocatable :: one_thread(:)
    type(stopwatch) :: timer
    integer(int32) :: stat
    character(200) :: why

    allocate (one_thread(m))
    call accublas_set_num_threads(ctx, 1)
    call accublas_gemv(a, x, one_thread, mode=mode, context=ctx, stat=stat, errmsg=why)
    if (stat /= ACCUBLAS_SUCCESS) then
      call print_failure(mode, why)
      return
    end if
    call accublas_set_num_threads(ctx, 2)
    do while (timer%spent < enough)
      call accublas_gemv(a, x, y, mode=mode, context=ctx)
      call add_time(timer)
    end do
    call print_row(mode, timer%least, largest_error(y, exact_y), same_bits(y, one_thread))
  end subroutine try_gemv

  !> Adds the time of the context's last call.
  subroutine add_time(timer)
    type(stopwatch), intent(inout) :: timer
    type(accublas_report_t) :: report

    call accublas_report(ctx, report)
    timer%least = min(timer%least, report%ms_total)
    timer%spent = timer%spent + max(report%ms_total, 0.001_real64)
  end subroutine add_time

  subroutine print_row(mode, ms, error, same)
    character(*), intent(in) :: mode
    real(real64), intent(in) :: ms, error
    logical, intent(in) :: same
    type(accublas_report_t) :: report
    character(16) :: error_text

    call accublas_report(ctx, report)
    write (error_text, '(es10.1)') error
    if (error <= 0) error_text = '         0'
    print '(2x, a10, a9, f12.3, a16, 2x, a)', mode//repeat(' ', 10), report%engine, ms, error_text, &
      trim(merge('the same bits', 'other bits   ', same))
    flush (output_unit)
  end subroutine print_row

  subroutine print_failure(mode, why)
    character(*), intent(in) :: mode, why

    print '(2x, a10, a)', mode//repeat(' ', 10), trim(why)
  end subroutine print_failure

  !> Largest abs(got - exact) / abs(exact); infinite where an exact zero is missed.
  pure function largest_error(got, exact) result(error)
    real(real64), intent(in) :: got(:), exact(:)
    real(real64) :: error

    error = 0
    if (any(abs(exact) > 0)) error = maxval(abs(got - exact)/abs(exact), mask=abs(exact) > 0)
    if (any(abs(got) > 0 .and. .not. abs(exact) > 0)) error = ieee_value(error, ieee_positive_inf)
  end function largest_error

  pure function same_bits(first, second)
    real(real64), intent(in) :: first(:), second(:)
    logical :: same_bits

    same_bits = all(transfer(first, [0_int64]) == transfer(second, [0_int64]))
  end function same_bits

  subroutine give_up(why)
    character(*), intent(in) :: why

    write (error_unit, '(2a)') 'demo: ', why
    stop 2, quiet=.true.
  end subroutine give_up
end program demo
