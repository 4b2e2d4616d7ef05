!> accublas: a BLAS that states how accurate its answer is and keeps its word.
!>
!>   use accublas
!>   call accublas_gemm(a, b, c, mode='cr')                 ! c = a b, correctly rounded
!>   call accublas_gemm_batched(a, b, c, mode='cr')         ! the same for every c(:, :, i), a and b of rank 3
!>   call accublas_gemv(a, x, y, trans='T', alpha=2d0)      ! y = 2 transpose(a) x in the mode set
!>   r = accublas_dot(x(n:1:-2), y, mode='dot2')            ! sections are not copied
!>   r = accublas_nrm2(x)                                   ! and accublas_asum(x)
!>
!> For callers that pass leading dimensions and the first element of an array there are accublas_dgemm, accublas_sgemm,
!> accublas_dgemv, accublas_sgemv, accublas_ddot, accublas_sdot, accublas_dnrm2, accublas_snrm2, accublas_dasum and
!> accublas_sasum with netlib's arguments, and the same with the suffix _64 for INTEGER(8). They are no generics: a generic would refuse a(i,j) or a vector where it expects a matrix.
module accublas
  use accublas_constants
  use accublas_contexts
  use accublas_real64
  use accublas_real32
  implicit none
  private :: c_string, settle
end module accublas
