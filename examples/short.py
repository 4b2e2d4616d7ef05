"""A product, correctly rounded, and a linear system with proved error bounds."""
import accublas

with accublas.mode("cr"):
    print(accublas.matmul([[1e16, 1.0, -1e16]], [[1.0], [1.0], [1.0]]))  # the exact product is 1; NumPy may give 0
x, radii, certificate = accublas.solve_certified([[3.0, 1.0], [1.0, 3.0]], [1.0, 0.0])
print(x, radii)  # the exact solution, 3/8 and -1/8, is proved to be within the radii
