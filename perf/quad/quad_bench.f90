! accublas-quad-bench: products of real(real128) beside gfortran's matmul and dot_product, on uniform numbers in (-1, 1).
! usage: accublas-quad-bench [ORDER ...]. A rate counts 2 n^3 (dot and gemv: 2 n and 2 n^2) operations; times are the best
! of three. The intrinsics run at an order of at most 400, since their rate does not depend on it. The row ddgemm has
! products of double-double numbers beside loops over QD's dd_real (0 where QD was not found).
program quad_bench
  use, intrinsic :: ieee_arithmetic, only: ieee_is_nan
  use, intrinsic :: iso_c_binding, only: c_double, c_int64_t
  use, intrinsic :: iso_fortran_env, only: int64, real64, real128
  use accublas
  implicit none

  integer, parameter :: wp = real128, repeats = 3, most = 400
  interface
    subroutine dd_rates(n, ours, of_qd) bind(c, name='accublas_bench_dd_rates')
      import :: c_double, c_int64_t
      integer(c_int64_t), value :: n
      real(c_double), intent(out) :: ours, of_qd
    end subroutine dd_rates
  end interface
  character(16) :: word
  integer :: i, n

  print '(a6, 3a14, a8)', 'order', 'routine', 'Mflop/s', 'peer', 'ratio'
  if (command_argument_count() == 0) then
    call measure(1000)
    call measure(2000)
  end if
  do i = 1, command_argument_count()
    call get_command_argument(i, word)
    read (word, *) n
    call measure(n)
  end do

contains

  subroutine measure(n)
    integer, intent(in) :: n
    real(wp), allocatable :: a(:, :), b(:, :), c(:, :)
    real(wp) :: r
    real(real64) :: best, own, time
    real(c_double) :: dd, qd
    integer :: m, t

    m = min(n, most)
    allocate (a(n, n), b(n, n), c(n, n))
    call random_number(a)
    call random_number(b)
    a = 2*a - 1
    b = 2*b - 1

    best = huge(best)
    own = huge(own)
    do t = 1, repeats
      time = now()
      call accublas_gemm(a, b, c)
      best = min(best, now() - time)
      time = now()
      c(:m, :m) = matmul(a(:m, :m), b(:m, :m))
      own = min(own, now() - time)
    end do
    call row(n, 'gemm', 2*real(n, real64)**3/best, 2*real(m, real64)**3/own)
    call dd_rates(int(n, c_int64_t), dd, qd)
    call row(n, 'ddgemm', dd, qd)

    best = huge(best)
    own = huge(own)
    do t = 1, repeats
      time = now()
      call accublas_gemv(a, b(:, 1), c(:, 1))
      best = min(best, now() - time)
      time = now()
      c(:, 1) = matmul(a, b(:, 1))
      own = min(own, now() - time)
    end do
    call row(n, 'gemv', 2*real(n, real64)**2/best, 2*real(n, real64)**2/own)

    best = huge(best)
    own = huge(own)
    do t = 1, repeats
      time = now()
      r = accublas_dot(a(:, t), b(:, t))
      best = min(best, now() - time)
      time = now()
      r = r + dot_product(a(:, t), b(:, t))
      own = min(own, now() - time)
    end do
    c(1, 1) = r
    call row(n, 'dot', 2*real(n, real64)/best, 2*real(n, real64)/own)
    if (ieee_is_nan(c(1, 1))) error stop 'a result is NaN'
  end subroutine measure

  subroutine row(n, routine, rate, of_peer)
    integer, intent(in) :: n
    character(*), intent(in) :: routine
    real(real64), intent(in) :: rate, of_peer
    real(real64) :: ratio

    ratio = 0
    if (of_peer > 0) ratio = rate/of_peer
    print '(i6, a14, 2f14.1, f8.1)', n, routine, rate*1e-6_real64, of_peer*1e-6_real64, ratio
  end subroutine row

  function now() result(seconds)
    real(real64) :: seconds
    integer(int64) :: count, rate

    call system_clock(count, rate)
    seconds = real(count, real64)/real(rate, real64)
  end function now
end program quad_bench
