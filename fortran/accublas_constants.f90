! The constants of accublas.h.
module accublas_constants
  use, intrinsic :: iso_fortran_env, only: int32
  implicit none
  private :: int32

  ! Status codes.
  integer(int32), parameter :: ACCUBLAS_SUCCESS = 0            ! the result is the one that the mode defines
  integer(int32), parameter :: ACCUBLAS_ERROR_ARGUMENT = 1     ! a bad argument or shape; nothing was written
  integer(int32), parameter :: ACCUBLAS_ERROR_MODE = 2         ! unknown mode word, or one that this routine lacks
  integer(int32), parameter :: ACCUBLAS_ERROR_ENGINE = 3       ! unknown engine, or one that cannot serve this mode
  integer(int32), parameter :: ACCUBLAS_ERROR_UNAVAILABLE = 4  ! not available in this build or on this device
  integer(int32), parameter :: ACCUBLAS_ERROR_MEMORY = 5       ! out of memory; C is as it was
  integer(int32), parameter :: ACCUBLAS_ERROR_ACCURACY = 6     ! the target set cannot be promised; C is as it was
  integer(int32), parameter :: ACCUBLAS_ERROR_POINTERS = 7     ! host and device operands mixed
  integer(int32), parameter :: ACCUBLAS_ERROR_NO_DEVICE = 8    ! a device function or pointer, and no GPU
  integer(int32), parameter :: ACCUBLAS_ERROR_DEVICE = 9       ! the device failed before C was written
  integer(int32), parameter :: ACCUBLAS_ERROR_C_UNDEFINED = 10 ! a failure after the first write to C
  integer(int32), parameter :: ACCUBLAS_ERROR_ENVIRONMENT = 11 ! an environment variable has an invalid value
  integer(int32), parameter :: ACCUBLAS_ERROR_NO_BLAS = 12     ! no real BLAS could be loaded for native
  integer(int32), parameter :: ACCUBLAS_ERROR_INTERNAL = 13    ! a defect in accublas
  integer(int32), parameter :: ACCUBLAS_ERROR_PRECISION = 14   ! multiple-precision operands of different precisions
  integer(int32), parameter :: ACCUBLAS_ERROR_FORMAT = 15      ! a string that is no number

  ! Memory layout and transposition, CBLAS's values.
  integer(int32), parameter :: ACCUBLAS_ROW_MAJOR = 101, ACCUBLAS_COL_MAJOR = 102
  integer(int32), parameter :: ACCUBLAS_NO_TRANS = 111, ACCUBLAS_TRANS = 112, ACCUBLAS_CONJ_TRANS = 113

  ! Modes and the flags that go with them.
  integer(int32), parameter :: ACCUBLAS_MODE_DEFAULT = 0, ACCUBLAS_MODE_NATIVE = 1, ACCUBLAS_MODE_DP = 2, &
    ACCUBLAS_MODE_SP = 3, ACCUBLAS_MODE_FIXED = 4, ACCUBLAS_MODE_SLICES = 5, ACCUBLAS_MODE_DOT2 = 6, &
    ACCUBLAS_MODE_CR = 7, ACCUBLAS_MODE_TF32X1 = 16, ACCUBLAS_MODE_TF32X3 = 17, ACCUBLAS_MODE_TF32X4 = 18, &
    ACCUBLAS_MODE_FP16X1 = 19, ACCUBLAS_MODE_FP16X3 = 20, ACCUBLAS_MODE_TF64X1 = 24, ACCUBLAS_MODE_TF64X3 = 25, &
    ACCUBLAS_MODE_TF64X4 = 26
  integer(int32), parameter :: ACCUBLAS_MODE_FAST = 1, ACCUBLAS_MODE_REPRODUCIBLE = 2

  ! Families of routines that have a mode of their own.
  integer(int32), parameter :: ACCUBLAS_FAMILY_DGEMM = 0, ACCUBLAS_FAMILY_SGEMM = 1, ACCUBLAS_FAMILY_DOT = 2, &
    ACCUBLAS_FAMILY_GEMV = 3

  ! Backends, engines, where scalars live, what the default failure handler does.
  integer(int32), parameter :: ACCUBLAS_BACKEND_AUTO = 0, ACCUBLAS_BACKEND_CPU = 1, ACCUBLAS_BACKEND_CUDA = 2
  integer(int32), parameter :: ACCUBLAS_ENGINE_AUTO = 0, ACCUBLAS_ENGINE_NATIVE = 1, ACCUBLAS_ENGINE_INT8 = 2, &
    ACCUBLAS_ENGINE_FP64 = 3, ACCUBLAS_ENGINE_FP16 = 4, ACCUBLAS_ENGINE_DOT2 = 5, ACCUBLAS_ENGINE_SUMS = 6, &
    ACCUBLAS_ENGINE_MULTIWORD = 7
  integer(int32), parameter :: ACCUBLAS_POINTER_HOST = 0, ACCUBLAS_POINTER_DEVICE = 1
  integer(int32), parameter :: ACCUBLAS_ON_FAILURE_ABORT = 0, ACCUBLAS_ON_FAILURE_NATIVE = 1
end module accublas_constants
