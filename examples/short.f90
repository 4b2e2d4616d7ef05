! A matrix times its transpose, correctly rounded. The exact c(1, 2) is 1; a plain BLAS may give 0.
program short
  use, intrinsic :: iso_fortran_env, only: real64
  use accublas
  implicit none
  real(real64) :: a(2, 3), c(2, 2)

  a(1, :) = [1e8_real64, 1._real64, -1e8_real64]
  a(2, :) = [1e8_real64, 1._real64, 1e8_real64]
  call accublas_gemm(a, a, c, transb='T', mode='cr')
  print *, c(1, 2)
end program short
