! A Hilbert system of order 12, whose condition number is 1.6e16. LAPACK's solution is wrong in the second digit or before, and
! LAPACK reports no error. The certified solution comes with a proved bound of the error of every unknown.
program certified
  use, intrinsic :: iso_fortran_env, only: int32, real64
  use accublas
  implicit none
  integer, parameter :: n = 12
  real(real64) :: a(n, n), b(n, 1), x(n, 1), radius(n, 1), lu(n, n), lapack(n, 1)
  integer(int32) :: pivots(n), info
  integer :: i, j
  type(accublas_certificate_t) :: certificate

  ! The Hilbert matrix times the least common multiple of 1 .. 23: A and b are integers, exact, and the solution is all ones.
  do j = 1, n
    a(:, j) = [(5354228880._real64/(i + j - 1), i=1, n)]
  end do
  b(:, 1) = sum(a, dim=2)

  lu = a
  lapack = b
  call accublas_gesv(lu, pivots, lapack, info, mode='native')
  call accublas_gesv_certified(a, b, x, radius, certificate)

  print '(a)', 'LAPACK      certified             abs(x - exact) <='
  print '(f8.6, f23.17, es12.1)', (lapack(i, 1), x(i, 1), radius(i, 1), i=1, n)
  print '(a, es8.1, a, es8.1, a, i0, a)', 'condition number about', certificate%condition, ', norm of I - R A at most', &
    certificate%contraction, ', ', certificate%iterations, ' steps'
  if (.not. all(abs(x - 1) <= radius .and. radius < 1e-15_real64)) error stop 'not certified'
end program certified
