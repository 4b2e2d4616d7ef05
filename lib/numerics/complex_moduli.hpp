// The moduli of complex residue products, and the planes that they take. Modulo p with j^2 = -1 the Gaussian integers
// are two copies of Z_p, x + i y -> (x + j y, x - j y), so a complex product is two real ones. Modulo any other p it is
// three real products (Karatsuba): those of x, of y and of x + y.
#pragma once

#include "lib/numerics/moduli.hpp"

namespace accublas {

/// The first `split_moduli` moduli have a root of -1, and the others do not. All `complex_moduli` together carry 204
/// bits in max_planes planes.
inline constexpr int split_moduli = 20, complex_moduli = 28;

/// Planes of the first `count` moduli.
ACCUBLAS_HD constexpr int complex_planes(int count) {
  return count <= split_moduli ? 2 * count : 2 * split_moduli + 3 * (count - split_moduli);
}
static_assert(complex_planes(complex_moduli) == max_planes);

struct ComplexModulus {
  int p;
  int root;  ///< root^2 = -1 modulo p, balanced; 0: none
};
struct ComplexModuliList {
  ComplexModulus of[complex_moduli];
};

/// The least root of -1 modulo p in 1 .. p / 2; 0: there is none.
ACCUBLAS_HD constexpr int root_of_minus_one(int p) {
  for (int j = 1; 2 * j <= p; ++j)
    if ((j * j + 1) % p == 0) return j;
  return 0;
}

/// The list starts with the greedy list of pairwise coprime odd numbers with a root of -1, from 255 down: 241, 233,
/// 229, 221, 205, 197, 193, ..., 53. The greedy list of the remaining coprime numbers follows, from 256 down: 256, 253,
/// 251, 239, 227, 223, 217, 211. A modulus with a root below 53 is not used: its two planes would carry less than three
/// planes with 256.
ACCUBLAS_HD constexpr ComplexModuliList complex_moduli_list() {
  ComplexModuliList list{};
  int found = 0;
  const auto fits = [&](int p) {
    for (int i = 0; i < found; ++i) {
      int a = list.of[i].p, b = p;
      while (b != 0) {
        const int r = a % b;
        a = b;
        b = r;
      }
      if (a != 1) return false;
    }
    return true;
  };
  for (int p = 255; found < split_moduli; p -= 2)
    if (root_of_minus_one(p) != 0 && fits(p)) list.of[found++] = {p, root_of_minus_one(p)};
  for (int p = 256; found < complex_moduli; --p)
    if (fits(p)) list.of[found++] = {p, 0};
  return list;
}

/// A plane holds the residues of real x + imag y modulo its modulus.
struct ComplexPlane {
  int modulus;  ///< its number in the list
  int real, imag;
};
ACCUBLAS_HD constexpr ComplexPlane complex_plane(int index) {
  constexpr ComplexModuliList list = complex_moduli_list();
  if (index < 2 * split_moduli) {
    const int root = list.of[index / 2].root;
    return {index / 2, 1, index % 2 == 0 ? root : -root};
  }
  const int behind = index - 2 * split_moduli;
  return {split_moduli + behind / 3, behind % 3 != 1, behind % 3 != 0};
}

/// Factors with which the planes of a product's residues give its real or its imaginary part. For a modulus with a root
/// j these parts are half of the sum of both planes, and half of their difference times -j = 1 / j. For any other
/// modulus they are x x' - y y', and (x + y) (x' + y') - x x' - y y'.
ACCUBLAS_HD constexpr ResiduePlanes component_planes(int count, bool imaginary) {
  constexpr ComplexModuliList list = complex_moduli_list();
  ResiduePlanes planes{complex_planes(count), {}};
  for (int h = 0; h < planes.count; ++h) {
    const int l = complex_plane(h).modulus;
    const auto [p, root] = list.of[l];
    const bool first = h == 0 || complex_plane(h - 1).modulus != l;
    int factor = 0;
    if (root != 0) {
      const int half = inverse_residue(2, p);
      factor = !imaginary ? half : balanced_residue((first ? -root : root) * half, p);
    } else {
      const int place = (h - 2 * split_moduli) % 3;
      factor = !imaginary ? (place == 0) - (place == 1) : place == 2 ? 1 : -1;
    }
    planes.plane[h] = {p, factor, first};
  }
  return planes;
}

namespace detail {
constexpr bool complex_moduli_serve() {
  constexpr ComplexModuliList list = complex_moduli_list();
  for (int i = 0; i < complex_moduli; ++i) {
    const auto [p, root] = list.of[i];
    if (p > 256 || (i < split_moduli && (p % 2 == 0 || (root * root + 1) % p != 0))) return false;
    for (int q = i + 1; q < complex_moduli; ++q)
      for (int divisor = 2; divisor <= p; ++divisor)
        if (p % divisor == 0 && list.of[q].p % divisor == 0) return false;
  }
  return true;
}
}  // namespace detail
static_assert(detail::complex_moduli_serve(), "pairwise coprime, and each root is one of -1");
static_assert(complex_moduli_list().of[split_moduli - 1].p == 53 && complex_moduli_list().of[split_moduli].p == 256);

}  // namespace accublas
