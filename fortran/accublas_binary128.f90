!> Stops the compilation if real(real128) is not IEEE binary128. The build compiles this file first and then leaves out the
!> generics for real128; in the source of the whole module, delete this module and those with real128 in their names.
module accublas_binary128
  use, intrinsic :: iso_fortran_env, only: real128
  implicit none
  private

  !> A division by zero here means that 113 bits and 15 bits of exponent are not what real(real128) has.
  integer, parameter, public :: real128_is_binary128 = &
    1/merge(1, 0, digits(1._real128) == 113 .and. maxexponent(1._real128) == 16384)
end module accublas_binary128
