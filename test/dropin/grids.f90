! The bits of PDGEMM and of PDGESV's solution on a process grid: a checksum that is the same wherever every element is.
!   gfortran grids.f90 -lscalapack-openmpi -o grids;  mpirun -n ROWS*COLUMNS ./grids ROWS COLUMNS [TERMS]
program grids
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  integer, parameter :: n = 200, block = 32
  integer :: terms, me, procs, rows, cols, grid, myrow, mycol, local_rows, local_cols, info, desc(9), i, j
  integer, external :: numroc
  character(8) :: word
  real(real64), allocatable :: a(:, :), b(:, :), c(:, :)
  integer, allocatable :: pivots(:)

  call get_command_argument(1, word)
  read (word, *) rows
  call get_command_argument(2, word)
  read (word, *) cols
  terms = n
  if (command_argument_count() > 2) then
    call get_command_argument(3, word)
    read (word, *) terms
  end if
  call blacs_pinfo(me, procs)
  call blacs_get(0, 0, grid)
  call blacs_gridinit(grid, 'Row', rows, cols)
  call blacs_gridinfo(grid, rows, cols, myrow, mycol)
  local_rows = numroc(n, block, myrow, 0, rows)
  local_cols = numroc(n, block, mycol, 0, cols)
  call descinit(desc, n, n, block, block, 0, 0, grid, max(1, local_rows), info)
  allocate (a(max(1, local_rows), max(1, local_cols)), pivots(local_rows + block))
  allocate (b, c, mold=a)

  call fill(a, 1)
  call fill(b, 2)
  c = 0
  call pdgemm('N', 'N', n, n, terms, 1._real64, a, 1, 1, desc, b, 1, 1, desc, 0._real64, c, 1, 1, desc)
  call tell('pdgemm', c)
  call pdgesv(n, n, a, 1, 1, desc, pivots, b, 1, 1, desc, info)
  call tell('pdgesv', b)
  call blacs_exit(0)

contains

  ! Entry (i, j) of the whole matrix, independent of the process that holds it.
  subroutine fill(x, seed)
    real(real64), intent(out) :: x(:, :)
    integer, intent(in) :: seed

    do j = 1, local_cols
      do i = 1, local_rows
        x(i, j) = sin(1e3_real64*seed + 37*global(i, myrow, rows) + 0.1_real64*global(j, mycol, cols)**2)
      end do
    end do
  end subroutine fill

  pure integer function global(i, mine, count)
    integer, intent(in) :: i, mine, count

    global = ((i - 1)/block*count + mine)*block + mod(i - 1, block) + 1
  end function global

  subroutine tell(name, x)
    character(*), intent(in) :: name
    real(real64), intent(in) :: x(:, :)
    integer(int64) :: word
    integer :: part(3)

    part = 0
    do j = 1, local_cols
      do i = 1, local_rows
        word = transfer(x(i, j), word)
        word = ieor(word, ishft(word, -29))*(2*global(i, myrow, rows) + 1001_int64*global(j, mycol, cols) + 1)
        part = part + [int(ibits(word, 0, 16)), int(ibits(word, 20, 16)), int(ibits(word, 40, 16))]
      end do
    end do
    call igsum2d(grid, 'All', ' ', 3, 1, part, 3, -1, -1)
    if (me == 0) print '(a, " on ", i0, " x ", i0, ": ", 3z8.8)', name, rows, cols, part
  end subroutine tell
end program grids
