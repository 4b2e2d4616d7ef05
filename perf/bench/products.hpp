// Complex GEMM, the other products of level 3, level 2 beside GEMV, LAPACK's factorizations and certified eigenvectors
// beside its SYEVD, of square operands.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "accublas.h"

namespace bench {

/// C = A B, or what the routine computes of A and B in the upper triangle or from the left, no operand transposed; TRMM
/// and TRSM take B in C's place, POTRF (of the lower triangle), GETRF, GEQRF and SYEVD (of the upper triangle) A. The
/// diagonal of TRSM's and POTRF's A is larger by so much, 4 n at least, that it dominates. Vectors are first columns;
/// updates (GER and its kind) add to C, call after call. Operands are of order n, complex ones as pairs of reals.
struct Product {
  std::function<void(std::int64_t n, const void* a, const void* b, void* c)> openblas;
  std::function<accublas_status(accublas_context*, std::int64_t n, const void* a, const void* b, void* c)> accublas;
};

/// "zgemm", "dsyrk", ...: all that product() knows.
std::vector<std::string> product_names();

/// `symbol`: OpenBLAS's functions by their names. Both calls are empty where there is no such product.
Product product(const std::string& name, const std::function<void*(const std::string&)>& symbol);

}  // namespace bench
