// Cost model of a GEMM by cuBLAS and by engine int8. dp and sp take the cheaper one if the caller names none. No bit of
// a mode that promises bits depends on it.
#pragma once

#include "cuda/int8/even_moduli.hpp"
#include "cuda/tuning/tuning.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/capacity.hpp"

namespace accublas::cuda {

struct GemmShape {
  Index m, n, k;

  double products() const { return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }
  double results() const { return static_cast<double>(m) * static_cast<double>(n); }
  double operands() const { return static_cast<double>(m + n) * static_cast<double>(k); }
};

/// The costs of a GEMM in microseconds.
struct GemmPrice {
  const Tuning& tuning;
  bool single;
  int processors;

  /// Returns the costs that were measured on the architecture; empty elsewhere.
  const std::optional<GemmCost>& cost() const { return single ? tuning.sgemm : tuning.dgemm; }
  double native(const GemmShape& s) const {
    return cost()->native_start + cost()->native_product * s.products() + cost()->native_result * s.results();
  }
  double emulated(const GemmShape& s, int moduli) const {
    const Index tiles = ceil_div(s.m, tuning.int8_tiles.rows) * ceil_div(s.n, tuning.int8_tiles.cols) * moduli;
    const double waves = static_cast<double>(ceil_div(tiles, processors) * processors) / static_cast<double>(tiles);
    return cost()->start + s.operands() * (cost()->operand + cost()->operand_modulus * moduli) +
           cost()->product_modulus * s.products() * moduli * waves + cost()->result_modulus * s.results() * moduli;
  }
  /// These two functions price complex numbers by complex residues: A is written out as four parts, and those and B's
  /// are read.
  double native_complex(const GemmShape& s) const { return native({2 * s.m, s.n, 2 * s.k}); }
  double emulated_complex(const GemmShape& s, int moduli) const {
    const int planes = complex_planes(moduli);
    const double written = 12 * static_cast<double>(s.m) * static_cast<double>(s.k) * cost()->operand;
    return emulated(s, planes) + 1.5 * s.operands() * cost()->operand_modulus * planes + written;
  }
};

/// Returns the most moduli with which emulation pays, if the data need them; 0 if cuBLAS is faster on even data, or if
/// the architecture was not measured. Two moduli more than even data need are always allowed: the first look
/// (cuda/int8/first_look.hpp) judges by samples, and rejects even data if there are none to spare. One more modulus
/// costs less than starting in vain.
inline int moduli_that_pay(const GemmPrice& price, const GemmShape& shape, ResidueKind residues = ResidueKind::real) {
  if (!price.cost() || shape.products() == 0) return 0;
  const bool complex = residues == ResidueKind::complex;
  const double native = complex ? price.native_complex(shape) : price.native(shape);
  const auto pays = [&](int moduli) {
    return (complex ? price.emulated_complex(shape, moduli) : price.emulated(shape, moduli)) <= native;
  };
  const int most = complex ? complex_moduli : price.cost()->most_moduli;
  int moduli = even_moduli(price.single, shape.k, residues).most;
  if (!pays(moduli)) return 0;
  moduli += 2;
  while (moduli < most && pays(moduli + 1)) ++moduli;
  return moduli;
}

}  // namespace accublas::cuda
