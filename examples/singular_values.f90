! Lauchli's matrix with the rows e, 2 e, 3 e, 4 e for e = 2^-60: three singular values are below 4 e, but LAPACK, whose rounding is
! 2^-53 of the largest one, may return anything below that. Each certified singular value comes with a proved bound of its error.
program singular_values
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use accublas
  implicit none
  integer, parameter :: n = 4, m = n + 1
  real(real64) :: a(m, n), s(n), radius(n), u(m, n), vt(n, n), angle(n)
  integer(int64) :: cluster(n)
  integer :: j
  type(accublas_certificate_t) :: certificate

  a = 0
  do j = 1, n
    a(1, j) = 1
    a(j + 1, j) = j*2._real64**(-60)
  end do
  call accublas_gesvd_certified(a, s, radius, u, vt, angle, cluster, certificate)

  print '(a)', 'certified                 abs(s - exact) <=   angle <='
  print '(es23.16, es10.1, es20.1)', (s(j), radius(j), angle(j), j=1, n)
  print '(a, es8.1, a, es8.1, a, i0, a)', 'norm of I - U^T U at most', certificate%contraction, ', least distance at least', &
    certificate%gap, ', ', certificate%iterations, ' steps'
  ! Full rank is proved, though the smallest one is 5e-19 of the largest one.
  if (.not. all(radius <= 1e-9_real64*s)) error stop 'not certified'
end program singular_values
