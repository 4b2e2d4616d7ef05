!> The constants of accublas.h.
module accublas_constants
  use, intrinsic :: iso_fortran_env, only: int32
  implicit none
  private :: int32

  ! Status codes.
  integer(int32), parameter :: ACCUBLAS_SUCCESS = 0            !< the result is the one that the mode defines
  integer(int32), parameter :: ACCUBLAS_ERROR_ARGUMENT = 1     !< a bad argument or shape; nothing was written
  integer(int32), parameter :: ACCUBLAS_ERROR_MODE = 2         !< unknown mode word, or one that this routine lacks
  integer(int32), parameter :: ACCUBLAS_ERROR_ENGINE = 3       !< unknown engine, or one that cannot serve this mode
  integer(int32), parameter :: ACCUBLAS_ERROR_UNAVAILABLE = 4  !< not available in this build or on this device
  integer(int32), parameter :: ACCUBLAS_ERROR_MEMORY = 5       !< out of memory; C is as it was
  integer(int32), parameter :: ACCUBLAS_ERROR_ACCURACY = 6     !< the target set cannot be promised; C is as it was
  integer(int32), parameter :: ACCUBLAS_ERROR_POINTERS = 7     !< host and device operands mixed
  integer(int32), parameter :: ACCUBLAS_ERROR_NO_DEVICE = 8    !< a device function or pointer, and no GPU
  integer(int32), parameter :: ACCUBLAS_ERROR_DEVICE = 9       !< the device failed before C was written
  integer(int32), parameter :: ACCUBLAS_ERROR_C_UNDEFINED = 10 !< a failure after the first write to C
  integer(int32), parameter :: ACCUBLAS_ERROR_ENVIRONMENT = 11 !< an environment variable has an invalid value
  integer(int32), parameter :: ACCUBLAS_ERROR_NO_BLAS = 12     !< no real BLAS could be loaded for native
  integer(int32), parameter :: ACCUBLAS_ERROR_INTERNAL = 13    !< a defect in accublas
  integer(int32), parameter :: ACCUBLAS_ERROR_PRECISION = 14   !< multiple-precision operands of different precisions
  integer(int32), parameter :: ACCUBLAS_ERROR_FORMAT = 15      !< a string that is not a number
  integer(int32), parameter :: ACCUBLAS_ERROR_NOT_CERTIFIED = 16  !< a solution whose error has no proved bound

  ! Why a solution is not certified.
  integer(int32), parameter :: ACCUBLAS_REASON_NONE = 0             !< the solution is certified
  integer(int32), parameter :: ACCUBLAS_REASON_NOT_FINITE = 1       !< an infinity or a NaN in A or B
  integer(int32), parameter :: ACCUBLAS_REASON_SINGULAR = 2         !< a pivot of A is zero
  integer(int32), parameter :: ACCUBLAS_REASON_ILL_CONDITIONED = 3  !< no inverse that was tried proves A to be regular
  integer(int32), parameter :: ACCUBLAS_REASON_OVERFLOW = 4         !< an unknown or its radius is beyond the largest number

  ! Memory layout and transposition, CBLAS's values.
  integer(int32), parameter :: ACCUBLAS_ROW_MAJOR = 101 !< rows are contiguous
  integer(int32), parameter :: ACCUBLAS_COL_MAJOR = 102 !< columns are contiguous, as in Fortran
  integer(int32), parameter :: ACCUBLAS_NO_TRANS = 111   !< op(A) = A
  integer(int32), parameter :: ACCUBLAS_TRANS = 112      !< op(A) is the transpose of A
  integer(int32), parameter :: ACCUBLAS_CONJ_TRANS = 113 !< the same for real types

  ! Which triangle, whether the diagonal is ones, on which side, CBLAS's values.
  integer(int32), parameter :: ACCUBLAS_UPPER = 121    !< the upper triangle
  integer(int32), parameter :: ACCUBLAS_LOWER = 122    !< the lower triangle
  integer(int32), parameter :: ACCUBLAS_NON_UNIT = 131 !< the diagonal as it is
  integer(int32), parameter :: ACCUBLAS_UNIT = 132     !< the diagonal is ones
  integer(int32), parameter :: ACCUBLAS_LEFT = 141     !< the square matrix stands on the left
  integer(int32), parameter :: ACCUBLAS_RIGHT = 142    !< the square matrix stands on the right

  ! Modes and the flags that go with them.
  integer(int32), parameter :: ACCUBLAS_MODE_DEFAULT = 0 !< not set here: context, then environment, then build
  integer(int32), parameter :: ACCUBLAS_MODE_NATIVE = 1  !< what OpenBLAS or cuBLAS returns
  integer(int32), parameter :: ACCUBLAS_MODE_DP = 2      !< FP64-grade (in a family of single precision: sp)
  integer(int32), parameter :: ACCUBLAS_MODE_SP = 3      !< FP32-grade (in a family of double precision: dp)
  integer(int32), parameter :: ACCUBLAS_MODE_FIXED = 4   !< fixed:T, parameter T from 2 to 150
  integer(int32), parameter :: ACCUBLAS_MODE_SLICES = 5  !< slices:D, parameter D from 1 to 50; flag ACCUBLAS_MODE_FAST
  integer(int32), parameter :: ACCUBLAS_MODE_DOT2 = 6    !< as if in twice the precision
  integer(int32), parameter :: ACCUBLAS_MODE_CR = 7      !< correctly rounded
  integer(int32), parameter :: ACCUBLAS_MODE_TF32X1 = 16 !< one product of TF32 words
  integer(int32), parameter :: ACCUBLAS_MODE_TF32X3 = 17 !< three products of TF32 words
  integer(int32), parameter :: ACCUBLAS_MODE_TF32X4 = 18 !< four products of TF32 words
  integer(int32), parameter :: ACCUBLAS_MODE_FP16X1 = 19 !< one product of FP16 words
  integer(int32), parameter :: ACCUBLAS_MODE_FP16X3 = 20 !< three products of FP16 words
  integer(int32), parameter :: ACCUBLAS_MODE_TF64X1 = 24 !< one product of FP32 words, summed in FP64
  integer(int32), parameter :: ACCUBLAS_MODE_TF64X3 = 25 !< three of these products
  integer(int32), parameter :: ACCUBLAS_MODE_TF64X4 = 26 !< four of these products
  integer(int32), parameter :: ACCUBLAS_MODE_FAST = 1         !< slices:D:fast, pairs with p + q <= D + 1 only
  integer(int32), parameter :: ACCUBLAS_MODE_REPRODUCIBLE = 2 !< dp:repro, sp:repro

  ! Families of routines that have a mode of their own.
  integer(int32), parameter :: ACCUBLAS_FAMILY_DGEMM = 0 !< DGEMM, batched or not
  integer(int32), parameter :: ACCUBLAS_FAMILY_SGEMM = 1 !< SGEMM, batched or not
  integer(int32), parameter :: ACCUBLAS_FAMILY_DOT = 2   !< DOT, NRM2 and ASUM of both types
  integer(int32), parameter :: ACCUBLAS_FAMILY_GEMV = 3  !< GEMV of both types

  ! Backends, engines, where scalars live, what the default failure handler does.
  integer(int32), parameter :: ACCUBLAS_BACKEND_AUTO = 0 !< where the operands are, or where it is faster
  integer(int32), parameter :: ACCUBLAS_BACKEND_CPU = 1  !< the CPU
  integer(int32), parameter :: ACCUBLAS_BACKEND_CUDA = 2 !< a GPU
  integer(int32), parameter :: ACCUBLAS_ENGINE_AUTO = 0   !< the mode's first choice
  integer(int32), parameter :: ACCUBLAS_ENGINE_NATIVE = 1 !< OpenBLAS or cuBLAS
  integer(int32), parameter :: ACCUBLAS_ENGINE_INT8 = 2   !< INT8 residue products and the Chinese remainder theorem
  integer(int32), parameter :: ACCUBLAS_ENGINE_FP64 = 3   !< FP64 digits or slices on DGEMM
  integer(int32), parameter :: ACCUBLAS_ENGINE_FP16 = 4   !< FP16 tensor cores, CUDA only
  integer(int32), parameter :: ACCUBLAS_ENGINE_DOT2 = 5   !< error-free transformations in FP64
  integer(int32), parameter :: ACCUBLAS_ENGINE_SUMS = 6   !< sums with a rigorous bound, or in integers; exact accumulators behind
  integer(int32), parameter :: ACCUBLAS_ENGINE_MULTIWORD = 7 !< products of words of 11 or 24 bits, accumulated in floating point
  integer(int32), parameter :: ACCUBLAS_POINTER_HOST = 0   !< alpha, beta and scalar results are in host memory
  integer(int32), parameter :: ACCUBLAS_POINTER_DEVICE = 1 !< they are in device memory
  integer(int32), parameter :: ACCUBLAS_ON_FAILURE_ABORT = 0  !< a failure without a status ends the process
  integer(int32), parameter :: ACCUBLAS_ON_FAILURE_NATIVE = 1 !< the real BLAS serves the call
end module accublas_constants
