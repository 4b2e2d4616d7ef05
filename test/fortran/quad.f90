! The generics for real(real128): products of numbers of 50 bits, whose sums real128 holds exactly; sections and
! transpositions; sums that only one rounding gets right; failures.
program quad
  use, intrinsic :: iso_fortran_env, only: int32, real64, real128
  use accublas
  use testing
  implicit none

  integer, parameter :: wp = real128, m = 9, n = 7, k = 8
  real(wp) :: a(m, k), b(k, n), c(m, n), old(m, n), wide(2*m, 3*k), x(2*k), y(3*m), s(m, m), batch(m, n, 2)
  real(wp), parameter :: big = 2._wp**113
  integer :: i, j

  a = numbers(m, k)
  b = numbers(k, n)
  old = numbers(m, n)
  c = old
  call accublas_gemm(a, b, c)
  call check(all(c == matmul(a, b)), 'gemm')
  c = old
  call accublas_gemm(transpose(a), transpose(b), c, transa='T', transb='T', alpha=-2._wp, beta=4._wp)
  call check(all(c == 4*old - 2*matmul(a, b)), 'gemm of transposes')
  wide = 0
  wide(::2, ::3) = a
  c = old
  call accublas_gemm(wide(::2, ::3), b, c, mode='cr')
  call check(all(c == matmul(a, b)), 'gemm of a section')
  call accublas_gemm_batched(spread(a, 3, 1), spread(b, 3, 2), batch)
  call check(all(batch(:, :, 1) == matmul(a, b)) .and. all(batch(:, :, 2) == matmul(a, b)), 'gemm_batched')

  x = reshape(numbers(2*k, 1), [2*k])
  y = 1
  call accublas_gemv(a, x(2*k:1:-2), y(::3), beta=3._wp)
  call check(all(y(::3) == matmul(a, x(2*k:1:-2)) + 3), 'gemv')
  y = 1
  call accublas_gemv(wide(::2, ::3), x(::2), y(2::3))
  call check(all(y(2::3) == matmul(a, x(::2))) .and. all(y(::3) == 1), 'gemv of a section')

  call check(accublas_dot([big, 1._wp, -big], [1._wp, 1._wp, 1._wp]) == 1, 'dot with cancellation')
  call check(accublas_dot([1._wp, epsilon(1._wp)/2, tiny(1._wp)], [1._wp, 1._wp, 1._wp]) == 1 + epsilon(1._wp), &
    'dot just above a tie')
  call check(accublas_nrm2([3*big, 4*big]) == 5*big, 'nrm2')
  call check(accublas_nrm2([huge(1._wp)]) == huge(1._wp), 'nrm2 of the largest number')

  s = -1
  call accublas_syrk(a, s, uplo='L')
  call check(all([((s(i, j) == merge(dot_product(a(i, :), a(j, :)), -1._wp, i >= j), i=1, m), j=1, m)]), 'syrk')
  s = numbers(m, m)
  do i = 1, m
    s(i, i) = 2
  end do
  c = old
  call accublas_trsm(s, c, diag='U', uplo='L')
  call check(all(c(2, :) == old(2, :) - s(2, 1)*old(1, :)), 'trsm')
  call test_certified()
  call test_failures()
  call finish()

contains

  !> Solutions of systems whose exact solutions are known, sections, and failures with and without stat.
  subroutine test_certified()
    integer, parameter :: order = 6
    real(wp) :: system(order, order), wanted(order, 2), solution(order, 2), radius(order, 2), two(2*order, 2)
    type(accublas_certificate_t) :: certificate
    integer(int32) :: status
    character(200) :: message
    character, parameter :: triangles(*) = ['U', 'L']
    integer :: p

    system = anint(numbers(order, order)/2._wp**20)
    wanted = anint(numbers(order, 2)/2._wp**20)
    call accublas_gesv_certified(system, matmul(system, wanted), solution, radius, certificate)
    call check(all(abs(solution - wanted) <= radius .and. radius <= epsilon(1._wp)*abs(wanted)), 'gesv_certified')
    call check(certificate%condition >= 1 .and. certificate%contraction < 1 .and. certificate%parts == 1, 'certificate')

    system = matmul(system, transpose(system))
    do p = 1, 2
      two = 7
      call accublas_posv_certified(system, matmul(system, wanted), two(2::2, :), radius, triangles(p), certificate, mode='cr')
      solution = two(2::2, :)
      call check(all(abs(solution - wanted) <= radius .and. radius <= epsilon(1._wp)*abs(wanted)), 'posv_certified')
      call check(all(abs(two(1::2, :) - 7) <= 0) .and. certificate%positive_definite, 'posv_certified: section')
    end do

    system = 1
    call accublas_gesv_certified(system, wanted, solution, radius, certificate)
    call check(.not. any(radius <= huge(1._wp)) .and. certificate%reason == ACCUBLAS_REASON_SINGULAR, 'singular')
    call accublas_gesv_certified(system, wanted, solution, radius, stat=status, errmsg=message)
    call check(status == ACCUBLAS_ERROR_NOT_CERTIFIED .and. index(message, 'not certified') > 0, 'singular: stat')
    call accublas_gesv_certified(system, wanted(2:, :), solution, radius, stat=status, errmsg=message)
    call check(status == ACCUBLAS_ERROR_ARGUMENT .and. index(message, 'conform') > 0, 'shapes')
  end subroutine test_certified

  !> Numbers of 50 bits.
  function numbers(rows, columns) result(r)
    integer, intent(in) :: rows, columns
    real(wp) :: r(rows, columns)
    real(real64) :: u(rows, columns)

    call random_number(u)
    r = nint(2._real64**50*u - 2._real64**49, selected_int_kind(18))
  end function numbers

  subroutine test_failures()
    integer(int32) :: status
    character(80) :: message

    call accublas_gemm(a, b, c(:m - 1, :), stat=status, errmsg=message)
    call check(status == ACCUBLAS_ERROR_ARGUMENT .and. index(message, 'accublas_gemm: ') == 1, 'shapes: '//message)
    call accublas_gemm(a, b, c, mode='dot2', stat=status, errmsg=message)
    call check(status == ACCUBLAS_ERROR_MODE, 'a mode other than cr: '//message)
  end subroutine test_failures
end program quad
