! The Hilbert matrix of order 14 times the least common multiple of 1 .. 27: its elements are integers, exact. No digit of
! LAPACK's smallest eigenvalue is correct, and LAPACK reports no error. Each certified eigenvalue comes with a proved bound of its
! error, and each eigenvector with one of its angle to the exact one. The number of eigenvalues in an interval is proved, too.
program eigenvalues
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use accublas
  implicit none
  interface
    subroutine dsyev(jobz, uplo, n, a, lda, w, work, lwork, info)
      import :: real64
      character, intent(in) :: jobz, uplo
      integer, intent(in) :: n, lda, lwork
      real(real64), intent(inout) :: a(lda, *)
      real(real64), intent(out) :: w(*), work(*)
      integer, intent(out) :: info
    end subroutine dsyev
  end interface
  integer, parameter :: n = 14
  real(real64) :: a(n, n), copy(n, n), lapack(n), work(8*n), w(n), radius(n), v(n, n), angle(n)
  integer(int64) :: cluster(n)
  integer :: i, j, info, found
  type(accublas_certificate_t) :: certificate

  do j = 1, n
    a(:, j) = [(80313433200._real64/(i + j - 1), i=1, n)]
  end do
  copy = a
  call dsyev('N', 'U', n, copy, n, lapack, work, size(work), info)
  if (info /= 0) error stop 'dsyev'
  call accublas_syev_certified(a, w, radius, v, angle, cluster, certificate=certificate)

  print '(a)', 'LAPACK           certified                 abs(w - exact) <=   angle <='
  print '(es16.9, es25.17, es10.1, es20.1)', (lapack(i), w(i), radius(i), angle(i), i=1, n)
  print '(a, es8.1, a, es8.1, a, i0, a, l1)', 'norm of I - X^T X at most', certificate%contraction, ', least distance at least', &
    certificate%gap, ', ', certificate%iterations, ' steps, positive definite: ', certificate%positive_definite
  ! Thirteen digits of the smallest one are proved, though it is 5e-20 of the largest one.
  if (.not. all(radius <= 1e-13_real64*abs(w) .and. cluster == [(int(i, int64), i=1, n)])) error stop 'not certified'
  if (abs(lapack(1) - w(1)) <= abs(w(1))) error stop 'LAPACK has a correct digit'

  ! The eigenvalues in (0, 1], whose number is proved.
  call accublas_syevx_certified(a, w, radius, v, angle, cluster, found, vl=0._real64, vu=1._real64)
  print '(i0, a)', found, ' eigenvalues lie in (0, 1]'
  if (found /= 4) error stop 'wrong number'
end program eigenvalues
