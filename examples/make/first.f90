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

  ! DOT gives that number from the two rows alone. Sections of any stride are not copied.
  print '(a, g0)', 'dot2   ', accublas_dot(a(1, :), a(2, :), mode='dot2')
end program first
