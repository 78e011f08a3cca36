! The forms of short.par, float.par and int.par with whole-array expressions of Fortran. KIND_OF is the type of the elements, and PART the
! part of an element that is added.
#ifndef PART
#define PART(v) v
#endif
program expression
  implicit none
  integer :: form, n, times, k, i
  KIND_OF, allocatable :: a(:), b(:), c(:), x(:), t(:)
  read (*, *) form, n, times
  allocate (a(n), b(n), c(n), x(n), t(n))
  x = 0
  do i = 1, n
    a(i) = CONVERT(mod((i - 1) * 7 + 3, 1000))
    b(i) = CONVERT(mod((i - 1) * 5 + 1, 900))
    c(i) = CONVERT(mod((i - 1) * 3 + 2, 800))
  end do
  do k = 0, times - 1
    a(1) = CONVERT(iand(k, 32767))
    if (form == 0) then
      call two(a, b, c, t, x)
    else
      call one(a, b, c, x)
    end if
  end do
  write (*, *) sum_of(x)
contains
  subroutine two(a, b, c, t, x)
    KIND_OF, contiguous, intent(in) :: a(:), b(:), c(:)
    KIND_OF, contiguous, intent(out) :: t(:), x(:)
    t = b - c
    x = a * t
  end subroutine
  subroutine one(a, b, c, x)
    KIND_OF, contiguous, intent(in) :: a(:), b(:), c(:)
    KIND_OF, contiguous, intent(out) :: x(:)
    x = a * (b - c)
  end subroutine
  function sum_of(x) result(s)
    KIND_OF, intent(in) :: x(:)
    real(8) :: s
    s = sum(real(PART(x), 8))
  end function
end program
