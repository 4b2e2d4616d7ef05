// Formulas of the named matrices, for host and device: every entry follows from its indices alone.
#pragma once

#include <cmath>
#include <cstdint>

#include "lib/base/host_device.hpp"

namespace matrices {

using Index = std::int64_t;

/// The names are in matrices.cpp.
enum class Kind {
  phi,
  ties,
  ties_graded,
  identity,
  one_hot,
  permutation,
  diagonal,
  banded,
  poisson1d,
  block_diagonal,
  triangular,
  poisson,
  gauss,
  exponential,
  decay,
  vandermonde,
  hilbert,
  integers,
  sparse,
  ends,
  tiny,
  file
};

/// The operand of C = A B that a matrix is. `phi`, `ties`, `block-diagonal`, `triangular`, `ends` and `tiny` differ
/// between A and B.
enum class Side { a, b };

/// Returns SplitMix64's finaliser of x, a random number for every index.
ACCUBLAS_HD inline std::uint64_t hash(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}
/// Returns a random number in (0, 1).
ACCUBLAS_HD inline double uniform(std::uint64_t x) { return (static_cast<double>(hash(x) >> 11) + 0.5) * 0x1p-53; }

/// Returns (rand - 0.5) exp(phi randn).
ACCUBLAS_HD inline double spread(double phi, std::uint64_t seed, std::uint64_t index) {
  const std::uint64_t x = hash(seed) + 3 * index;
  const double normal = std::sqrt(-2 * std::log(uniform(x + 1))) * std::cos(6.283185307179586 * uniform(x + 2));
  return (uniform(x) - 0.5) * std::exp(phi * normal);
}

/// Returns the image of i under a random permutation of 0 .. n - 1. A bijection of the numbers below a power of two is
/// applied until the number is below n.
ACCUBLAS_HD inline Index permuted(Index i, Index n) {
  int bits = 1;
  while (Index{1} << bits < n) ++bits;
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  std::uint64_t x = static_cast<std::uint64_t>(i);
  do {
    for (int round = 0; round < 3; ++round) {
      x = (x * 0x9E3779B97F4A7C15u + 1) & mask;
      x ^= x >> (bits + 1) / 2;
    }
  } while (x >= static_cast<std::uint64_t>(n));
  return static_cast<Index>(x);
}

/// A named matrix of known size, as an operand of C = A B. In its formulas p is the index of a term, and `line` that of
/// a row of A or a column of B.
struct Formula {
  Kind kind;
  double parameter;  ///< the number after the colon of the name
  Side side;
  bool single;  ///< numbers are of single precision, so that scales have a narrower range
  Index rows, columns;
  Index number = 0;  ///< number of the matrix in a batch

  /// Returns entry (i, j), or with `part` 1 the imaginary part of an entry of a random complex matrix.
  ACCUBLAS_HD double operator()(Index i, Index j, int part) const {
    const bool of_a = side == Side::a;
    const Index n = rows > columns ? rows : columns, distance = i > j ? i - j : j - i;
    const Index line = of_a ? i : j, p = of_a ? j : i, lines = of_a ? rows : columns, k = of_a ? columns : rows;
    const std::uint64_t seed = (of_a ? 1 : 2) + 2 * static_cast<std::uint64_t>(part);
    const std::uint64_t index = static_cast<std::uint64_t>(i + j * rows + number * rows * columns);
    const double scaled_distance = static_cast<double>(distance) / static_cast<double>(n > 1 ? n - 1 : 1);
    switch (kind) {
      case Kind::phi:
        return spread(parameter, seed, index);
      case Kind::ties:
      case Kind::ties_graded: {
        const double entry = tie(of_a, p, hash(seed) + index);
        if (kind == Kind::ties) return entry;
        const int shift = static_cast<int>(hash(static_cast<std::uint64_t>(p) + 7) % 81) - 40;
        return std::ldexp(entry, of_a ? shift : -shift);
      }
      case Kind::identity:
        return i == j;
      case Kind::one_hot:
        return j == static_cast<Index>(hash(static_cast<std::uint64_t>(i) + 5) % static_cast<std::uint64_t>(columns));
      case Kind::permutation:
        return j == permuted(i, n);
      case Kind::diagonal:
        return i == j ? spread(1, seed, index) : 0;
      case Kind::banded: {
        const Index bands = static_cast<Index>(parameter);
        return j - i >= -((bands - 1) / 2) && j - i <= bands / 2 ? spread(0, seed, index) : 0;
      }
      case Kind::poisson1d:
        return distance == 0 ? 2 : distance == 1 ? -1 : 0;
      case Kind::block_diagonal: {
        if (parameter > 0) {
          const Index size = static_cast<Index>(parameter);
          return i / size == j / size ? spread(0, seed, index) : 0;
        }
        const Index block = p * 8 / k;
        if (line * 8 / lines != block) return 0;
        const int range = single ? 20 : 40;
        const std::uint64_t scale = hash(100 * (of_a ? 1 : 2) + static_cast<std::uint64_t>(block));
        return std::ldexp(spread(1, seed, index), static_cast<int>(scale % (2 * range + 1)) - range);
      }
      case Kind::triangular:
        return line < p ? 0 : spread(1, seed, index);
      case Kind::poisson: {
        Index width = 1;  // width of the grid
        while (width * width < n) ++width;
        const Index first = i < j ? i : j;
        return distance == 0 ? 4 : (distance == 1 && (first + 1) % width != 0) || distance == width ? -1 : 0;
      }
      case Kind::gauss:
        return std::exp(-scaled_distance * scaled_distance / (2 * parameter * parameter));
      case Kind::exponential:
        return std::exp(-scaled_distance / parameter);
      case Kind::decay:
        return std::pow(parameter, static_cast<double>(distance));
      case Kind::vandermonde:
        return std::pow(static_cast<double>(i + 1) / static_cast<double>(rows), static_cast<double>(j));
      case Kind::hilbert:
        return 1 / static_cast<double>(i + j + 1);
      case Kind::integers: {  // below 2^parameter in magnitude
        const double least = 1 - std::ldexp(1.0, static_cast<int>(parameter));
        return least + std::floor((1 - 2 * least) * uniform(hash(seed) + index));
      }
      case Kind::sparse:
        return uniform(hash(9) + index) < parameter ? spread(1, seed, index) : 0;
      case Kind::ends: {  // products keep their sizes, and most leave the range if a line is scaled as a whole
        const int shift = (single ? 60 : 1000) * (p % 2 == 0 ? 1 : -1);
        return std::ldexp(spread(0, seed, index), of_a ? shift : -shift);
      }
      case Kind::tiny:  // A is subnormal, and so are results
        return std::ldexp(spread(0, seed, index), !of_a ? 0 : single ? -130 : -1030);
      case Kind::file:
        break;
    }
    return 0;
  }

 private:
  /// Returns an entry of `ties`. The products of p = 0 fill the format and one bit more, 1 * 1 of p = 1 sets that last
  /// bit, and all others add even numbers.
  ACCUBLAS_HD double tie(bool of_a, Index p, std::uint64_t x) const {
    const double large = single ? 4390 : 101709100;  // near 2^12.1, 2^26.6
    if (p == 0) return large + 2 * std::floor(0.07 * large * uniform(x));
    if (p == 1) return 1;
    return of_a ? 2 * (static_cast<double>(hash(x) % 5) - 2) : static_cast<double>(hash(x) % 7) - 3;
  }
};

/// Returns whether the parts of a complex matrix are independent random numbers.
ACCUBLAS_HD inline bool has_random_parts(Kind kind) {
  return kind == Kind::phi || kind == Kind::ties || kind == Kind::ties_graded || kind == Kind::diagonal ||
         kind == Kind::banded || kind == Kind::block_diagonal || kind == Kind::triangular || kind == Kind::integers ||
         kind == Kind::sparse || kind == Kind::ends || kind == Kind::tiny;
}

/// Returns component `part` of entry (i, j) of a complex matrix. A matrix that is not random is the real one times
/// exp(i (row - column)), so that symmetric ones become Hermitian, and definite ones stay definite.
template <class Entry>
ACCUBLAS_HD double complex_entry(Kind kind, const Entry& entry, Index i, Index j, int part) {
  if (has_random_parts(kind)) return entry(i, j, part);
  const double angle = static_cast<double>(i - j);
  return entry(i, j, 0) * (part ? std::sin(angle) : std::cos(angle));
}

}  // namespace matrices
