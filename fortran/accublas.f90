!> accublas: a BLAS that states how accurate its answer is and keeps its word.
!>
!>   use accublas
!>   call accublas_gemm(a, b, c, mode='cr')                 ! c = a b, correctly rounded
!>   call accublas_gemm_batched(a, b, c, mode='cr')         ! the same for every c(:, :, i), a and b of rank 3
!>   call accublas_gemv(a, x, y, trans='T', alpha=2d0)      ! y = 2 transpose(a) x in the mode set
!>   r = accublas_dot(x(n:1:-2), y, mode='dot2')            ! sections are not copied
!>   r = accublas_nrm2(x)                                   ! and accublas_asum(x)
!>
!> The further routines of level 2 are accublas_symv, accublas_hemv, accublas_trmv, accublas_trsv, accublas_ger (or
!> accublas_geru), accublas_gerc, accublas_syr, accublas_her, accublas_syr2 and accublas_her2:
!>
!>   call accublas_ger(x, y, a, alpha=-1d0)                 ! a = a - x transpose(y), every element rounded once in mode cr
!>   call accublas_trsv(a, x, uplo='L', trans='T')          ! x becomes the solution of transpose(a) solution = x
!>
!> The further routines of level 3 are accublas_symm, accublas_hemm, accublas_syrk, accublas_herk, accublas_syr2k,
!> accublas_her2k, accublas_trmm, accublas_trsm and accublas_gemmt:
!>
!>   call accublas_syrk(a, c, uplo='L', mode='cr')          ! the lower triangle of a transpose(a)
!>   call accublas_trsm(a, b, transa='T')                   ! b becomes the solution x of transpose(a) x = b
!>
!> The routines of LAPACK are accublas_potrf, accublas_potrs, accublas_posv, accublas_potri, accublas_getrf,
!> accublas_getrs, accublas_gesv, accublas_getri, accublas_trtri and accublas_lauum:
!>
!>   call accublas_gesv(a, ipiv, b, info, mode='cr')        ! b becomes the solution x of a x = b
!>
!> and accublas_geqrf, accublas_orgqr, accublas_ormqr and accublas_gels (for complex numbers, accublas_orgqr and
!> accublas_ormqr are LAPACK's ungqr and unmqr):
!>
!>   call accublas_gels(a, b, info, mode='cr')              ! b becomes the solution of least squares
!>
!> accublas_gesv_certified and accublas_posv_certified return solutions with proved error bounds (docs/certified.md):
!>
!>   call accublas_gesv_certified(a, b, x, radius)          ! abs(x - exact) <= radius for the solution of a exact = b
!>
!> accublas_heev_certified returns eigenvalues and eigenvectors with proved bounds (docs/eigenvalues.md). For real numbers
!> it has the name accublas_syev_certified, too:
!>
!>   call accublas_syev_certified(a, w, radius, v, angle, cluster)   ! abs(w - exact) <= radius
!>
!> All of these take complex arrays, too: trans='C' is the conjugate transpose, accublas_dotc(x, y) is dot_product(x,
!> y), and accublas_dot(x, y) is sum(x*y). Symmetric matrices of level 2 are real. For vectors of real32 there are
!> accublas_dsdot(x, y), sum(x*y) in real64, and accublas_sdsdot(sb, x, y), sb + sum(x*y).
!>
!> For callers that pass leading dimensions and the first element of an array there are routines with netlib's
!> arguments: accublas_dgemm, accublas_sgemm, accublas_dgemv, accublas_sgemv, accublas_ddot, accublas_sdot,
!> accublas_dnrm2, accublas_snrm2, accublas_dasum, accublas_sasum, and all of level 3: accublas_dsyrk, accublas_ztrsm,
!> ..., accublas_zgemm too. The routines with the suffix _64 take INTEGER(8). They are not generics: a generic would
!> refuse a(i,j) or a vector where it expects a matrix.
!>
!> Accumulators multiply in panels, with the bits of one call: type(accublas_accumulator), accublas_accumulator_create,
!> accublas_accumulator_add, accublas_accumulator_finish, ... (docs/accumulators.md).
!>
!> Multiple-precision arrays have type(accublas_mp_array), accublas_mp_create, accublas_mp_set, accublas_mp_gemv, ...
!> (docs/multiple-precision.md). Their integers may be INTEGER(4) or INTEGER(8), but all integers of a call must have
!> one kind.
module accublas
  use accublas_constants
  use accublas_functions_c, only: accublas_version, accublas_mp_published_bound, accublas_mp_log2_absolute_bound, &
    accublas_mp_log2_relative_bound
  use accublas_contexts
  use accublas_real64
  use accublas_real32
  use accublas_complex_real64
  use accublas_complex_real32
  use accublas_mixed_dots
  use accublas_level2_real64
  use accublas_level2_real32
  use accublas_level2_complex_real64
  use accublas_level2_complex_real32
  use accublas_level3_real64
  use accublas_level3_real32
  use accublas_level3_complex_real64
  use accublas_level3_complex_real32
  use accublas_factorizations_real64
  use accublas_factorizations_real32
  use accublas_factorizations_complex_real64
  use accublas_factorizations_complex_real32
  use accublas_orthogonal_real64
  use accublas_orthogonal_real32
  use accublas_orthogonal_complex_real64
  use accublas_orthogonal_complex_real32
  use accublas_certificates, only: accublas_certificate_t
  use accublas_certified_real64
  use accublas_certified_real32
  use accublas_certified_complex_real64
  use accublas_certified_complex_real32
  use accublas_eigenvalues_real64
  use accublas_eigenvalues_real32
  use accublas_eigenvalues_complex_real64
  use accublas_eigenvalues_complex_real32
  use accublas_netlib_real64
  use accublas_netlib_real32
  use accublas_netlib_level3_real64_int32
  use accublas_netlib_level3_real64_int64
  use accublas_netlib_level3_real32_int32
  use accublas_netlib_level3_real32_int64
  use accublas_netlib_level3_complex_real64_int32
  use accublas_netlib_level3_complex_real64_int64
  use accublas_netlib_level3_complex_real32_int32
  use accublas_netlib_level3_complex_real32_int64
  use accublas_netlib_hermitian_complex_real64_int32
  use accublas_netlib_hermitian_complex_real64_int64
  use accublas_netlib_hermitian_complex_real32_int32
  use accublas_netlib_hermitian_complex_real32_int64
  use accublas_mp_arrays
  use accublas_mp_int32
  use accublas_mp_int64
  use accublas_accumulators
  use accublas_panels_real64
  use accublas_panels_real32
  use accublas_panels_complex_real64
  use accublas_panels_complex_real32
  implicit none
  private :: accumulator_misused
  private :: c_string, fixed_string, hand_over, context_handle, hand_over_call
end module accublas
