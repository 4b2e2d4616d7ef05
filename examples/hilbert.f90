! A Hilbert system of order 20 in binary128, whose condition number is 2.5e28. The certified solution has 33 digits, and a
! proved bound of the error of every unknown.
program hilbert
  use, intrinsic :: iso_fortran_env, only: int64, real128
  use accublas
  implicit none
  integer, parameter :: n = 20
  real(real128) :: a(n, n), b(n, 1), x(n, 1), radius(n, 1)
  type(accublas_certificate_t) :: certificate
  integer :: i, j

  ! The Hilbert matrix times the least common multiple of 1 .. 39: A and b are integers, exact, and the solution is all ones.
  do j = 1, n
    a(:, j) = [(real(5342931457063200_int64, real128)/(i + j - 1), i=1, n)]
  end do
  b(:, 1) = sum(a, dim=2)

  call accublas_gesv_certified(a, b, x, radius, certificate)

  print '(a)', 'certified                             abs(x - exact) <='
  print '(f36.33, es12.1)', (x(i, 1), radius(i, 1), i=1, n)
  print '(a, es8.1, a, es8.1, a, i0, a, i0, a)', 'condition number about', certificate%condition, ', norm of I - R A at most', &
    certificate%contraction, ', ', certificate%parts, ' parts, ', certificate%iterations, ' steps'
  if (.not. all(abs(x - 1) <= radius .and. radius < 1e-33_real128)) error stop 'not certified'
end program hilbert
