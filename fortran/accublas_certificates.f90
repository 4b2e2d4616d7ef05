!> How a certified solution was proved (docs/certified.md), or certified eigenvalues (docs/eigenvalues.md).
module accublas_certificates
  use, intrinsic :: iso_c_binding, only: c_double, c_int32_t, c_int64_t, c_size_t
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  use accublas_constants, only: ACCUBLAS_REASON_NONE
  implicit none
  private

  public :: accublas_certificate_t, c_certificate, certificate_of

  !> The certificate of a solution; accublas.h explains the components.
  type :: accublas_certificate_t
    integer(int32) :: reason = ACCUBLAS_REASON_NONE
    logical :: positive_definite = .false.
    integer(int32) :: parts = 0
    integer(int64) :: iterations = 0
    real(real64) :: condition = 0, contraction = 0, residual = 0, gap = 0
  end type accublas_certificate_t

  ! The certificate as the C library has it.
  type, bind(c) :: c_certificate
    integer(c_size_t) :: struct_size = 0
    integer(c_int32_t) :: reason = ACCUBLAS_REASON_NONE, positive_definite = 0, parts = 0
    integer(c_int64_t) :: iterations = 0
    real(c_double) :: condition = 0, contraction = 0, residual = 0, gap = 0
  end type c_certificate

contains

  pure function certificate_of(c) result(certificate)
    type(c_certificate), intent(in) :: c
    type(accublas_certificate_t) :: certificate

    certificate = accublas_certificate_t(c%reason, c%positive_definite /= 0, c%parts, c%iterations, c%condition, c%contraction, &
      c%residual, c%gap)
  end function certificate_of
end module accublas_certificates
