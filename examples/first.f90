! A matrix times its transpose, as OpenBLAS computes it and correctly rounded. The exact c(1, 2) is 1.
program first
  use, intrinsic :: iso_fortran_env, only: real64
  use accublas
  implicit none
  real(real64) :: a(2, 3), c(2, 2), d(2, 2)

  a(1, :) = [1e8_real64, 1._real64, -1e8_real64]
  a(2, :) = [1e8_real64, 1._real64, 1e8_real64]
  call accublas_gemm(a, a, c, transb='T', mode='native')
  call accublas_gemm(a, a, d, transb='T', mode='cr')
  print '(a, g0)', 'native ', c(1, 2), 'cr     ', d(1, 2)

  ! Sections are not copied; alpha, beta, trans and mode are keywords.
  call accublas_gemv(a(:, 1:3:2), d(:, 1), c(:, 1), alpha=2._real64, mode='dot2')
  print '(a, g0)', 'a scalar product, correctly rounded: ', accublas_dot(c(:, 1), d(2:1:-1, 2), mode='cr')
end program first
