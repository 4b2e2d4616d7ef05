! Eigenvalues of a x = w b x. a is the Hilbert matrix of order 14 times the least common multiple of 1 .. 27, whose elements are
! integers, and b is the mass matrix of linear finite elements, times 6. LAPACK's smallest eigenvalue has no correct digit, and
! LAPACK reports no error. Each certified one comes with a proved bound of its error, and b is proved to be positive definite.
program general_eigenvalues
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use accublas
  implicit none
  interface
    subroutine dsygv(itype, jobz, uplo, n, a, lda, b, ldb, w, work, lwork, info)
      import :: real64
      integer, intent(in) :: itype, n, lda, ldb, lwork
      character, intent(in) :: jobz, uplo
      real(real64), intent(inout) :: a(lda, *), b(ldb, *)
      real(real64), intent(out) :: w(*), work(*)
      integer, intent(out) :: info
    end subroutine dsygv
  end interface
  integer, parameter :: n = 14
  real(real64) :: a(n, n), b(n, n), copy_a(n, n), copy_b(n, n), lapack(n), work(8*n), w(n), radius(n), v(n, n), angle(n)
  integer(int64) :: cluster(n)
  integer :: i, j, info
  type(accublas_certificate_t) :: certificate

  b = 0
  do j = 1, n
    a(:, j) = [(80313433200._real64/(i + j - 1), i=1, n)]
    b(j, j) = 4
  end do
  do j = 2, n
    b(j - 1, j) = 1
    b(j, j - 1) = 1
  end do
  copy_a = a
  copy_b = b
  call dsygv(1, 'N', 'U', n, copy_a, n, copy_b, n, lapack, work, size(work), info)
  if (info /= 0) error stop 'dsygv'
  call accublas_sygv_certified(a, b, w, radius, v, angle, cluster, certificate=certificate)

  print '(a)', 'LAPACK           certified                 abs(w - exact) <=   angle <='
  print '(es16.9, es25.17, es10.1, es20.1)', (lapack(i), w(i), radius(i), angle(i), i=1, n)
  print '(a, es8.1, a, es8.1, a, i0, a, l1)', 'norm of I - X^T B X at most', certificate%contraction, ', least distance at least', &
    certificate%gap, ', ', certificate%iterations, ' steps, B positive definite: ', certificate%positive_definite
  ! Thirteen digits of the smallest one are proved, though it is 1e-19 of the largest one.
  if (.not. all(radius <= 1e-13_real64*abs(w) .and. cluster == [(int(i, int64), i=1, n)])) error stop 'not certified'
  if (.not. certificate%positive_definite) error stop 'b is not proved to be positive definite'
  if (abs(lapack(1) - w(1)) <= abs(w(1))) error stop 'LAPACK has a correct digit'
end program general_eigenvalues
