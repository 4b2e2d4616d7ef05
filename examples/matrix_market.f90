! Reads Matrix Market files with real or integer entries into a dense array.
module matrix_market
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: read_matrix

contains

  !> `message` is '' on success, else one line that says what is wrong with the file.
  subroutine read_matrix(path, a, message)
    character(*), intent(in) :: path
    real(real64), allocatable, intent(out) :: a(:, :)
    character(:), allocatable, intent(out) :: message
    character(1024) :: line
    character(32) :: banner, object, layout, field, symmetry
    integer :: unit, status, rows, cols, entries

    message = ''
    open (newunit=unit, file=path, status='old', action='read', iostat=status)
    if (status /= 0) then
      message = path//': cannot be opened'
      return
    end if
    read (unit, '(a)', iostat=status) line
    if (status == 0) read (line, *, iostat=status) banner, object, layout, field, symmetry
    if (status /= 0 .or. banner /= '%%MatrixMarket' .or. object /= 'matrix') then
      message = path//': no Matrix Market file'
    else if (all(layout /= [character(10) :: 'coordinate', 'array']) .or. &
      all(field /= [character(7) :: 'real', 'integer', 'double']) .or. &
      all(symmetry /= [character(14) :: 'general', 'symmetric', 'skew-symmetric'])) then
      message = path//': cannot read '//trim(layout)//' '//trim(field)//' '//trim(symmetry)//' matrices'
    else
      do
        read (unit, '(a)', iostat=status) line
        if (status /= 0 .or. (line(1:1) /= '%' .and. line /= '')) exit
      end do
      entries = 0
      if (status == 0 .and. layout == 'array') read (line, *, iostat=status) rows, cols
      if (status == 0 .and. layout /= 'array') read (line, *, iostat=status) rows, cols, entries
      if (status /= 0 .or. min(rows, cols, entries) < 0) then
        message = path//': bad size line'
      else
        allocate (a(rows, cols), source=0._real64)
        if (layout == 'array') then
          call read_array(unit, a, symmetry, status)
        else
          call read_entries(unit, a, entries, symmetry, status)
        end if
        if (status /= 0) message = path//': bad entry, or too few of them'
      end if
    end if
    close (unit)
  end subroutine read_matrix

  subroutine read_entries(unit, a, entries, symmetry, status)
    integer, intent(in) :: unit, entries
    real(real64), intent(inout) :: a(:, :)
    character(*), intent(in) :: symmetry
    integer, intent(out) :: status
    real(real64) :: value
    integer :: e, i, j

    status = 0
    do e = 1, entries
      read (unit, *, iostat=status) i, j, value
      if (status == 0 .and. (i < 1 .or. i > size(a, 1) .or. j < 1 .or. j > size(a, 2))) status = 1
      if (status /= 0) return
      a(i, j) = value
      if (symmetry == 'symmetric') a(j, i) = value
      if (symmetry == 'skew-symmetric') a(j, i) = -value
    end do
  end subroutine read_entries

  !> Columns one after another; of symmetric matrices the lower triangle only.
  subroutine read_array(unit, a, symmetry, status)
    integer, intent(in) :: unit
    real(real64), intent(inout) :: a(:, :)
    character(*), intent(in) :: symmetry
    integer, intent(out) :: status
    integer :: i, j, first

    status = 0
    do j = 1, size(a, 2)
      first = 1
      if (symmetry == 'symmetric') first = j
      if (symmetry == 'skew-symmetric') first = j + 1
      do i = first, size(a, 1)
        read (unit, *, iostat=status) a(i, j)
        if (status /= 0) return
        if (symmetry == 'symmetric') a(j, i) = a(i, j)
        if (symmetry == 'skew-symmetric') a(j, i) = -a(i, j)
      end do
    end do
  end subroutine read_array
end module matrix_market
