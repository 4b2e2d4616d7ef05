// Cost model of a GEMM by cuBLAS and by engine int8. dp and sp take the cheaper one if the caller names none. No bit of
// a mode that promises bits depends on it.
#pragma once

#include "cuda/int8/even_moduli.hpp"
#include "cuda/int8/tile_config.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/capacity.hpp"
#include "lib/numerics/moduli.hpp"

namespace accublas::cuda {

struct GemmShape {
  Index m, n, k;

  double products() const { return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }
  double results() const { return static_cast<double>(m) * static_cast<double>(n); }
  double operands() const { return static_cast<double>(m + n) * static_cast<double>(k); }
};

/// Costs in microseconds, fitted to single calls on even data (phi 0.5) of 28 shapes: square, deep, flat and narrow,
/// with sides from 512 to 16384 and k from 256 to 65536. The model is within a tenth of both. `accublas-gpu-bench
/// shapes` measures them.
struct GemmCost {
  int major, minor;
  bool single;
  double native_start, native_product, native_result;
  double start;                     ///< launches
  double operand, operand_modulus;  ///< an entry of A or B: read, and converted for each modulus
  double product_modulus;           ///< a term of a sum, in a wave of tiles that fills the device
  double result_modulus;            ///< an element of C: residues written and read again
  int most_moduli;                  ///< more moduli are not measured; double: reconstruction spills

  double native(const GemmShape& s) const {
    return native_start + native_product * s.products() + native_result * s.results();
  }
  double emulated(const GemmShape& s, int moduli, int processors) const {
    const Index tiles = ceil_div(s.m, hopper_tiles.rows) * ceil_div(s.n, hopper_tiles.cols) * moduli;
    const double waves = static_cast<double>(ceil_div(tiles, processors) * processors) / static_cast<double>(tiles);
    return start + s.operands() * (operand + operand_modulus * moduli) +
           product_modulus * s.products() * moduli * waves + result_modulus * s.results() * moduli;
  }
  /// These two functions price complex numbers by complex residues: A is written out as four parts, and those and B's
  /// are read.
  double native_complex(const GemmShape& s) const { return native({2 * s.m, s.n, 2 * s.k}); }
  double emulated_complex(const GemmShape& s, int moduli, int processors) const {
    const int planes = complex_planes(moduli);
    const double written = 12 * static_cast<double>(s.m) * static_cast<double>(s.k) * operand;
    return emulated(s, planes, processors) + 1.5 * s.operands() * operand_modulus * planes + written;
  }
};

inline constexpr GemmCost gemm_costs[] = {
    {9, 0, false, 10.6, 3.30e-8, 4.2e-7, 67.8, 4.3e-6, 4.5e-7, 1.068e-9, 8.55e-7, 16},
    {9, 0, true, 15.2, 3.94e-8, 1.2e-6, 60.7, 4.2e-6, 4.5e-7, 1.12e-9, 1.141e-6, max_moduli},
};

/// Returns null for devices that were not measured; these use cuBLAS.
inline const GemmCost* gemm_cost(int major, int minor, bool single) {
  for (const GemmCost& cost : gemm_costs)
    if (cost.major == major && cost.minor == minor && cost.single == single) return &cost;
  return nullptr;
}

/// Returns the most moduli with which emulation pays, if the data need them; 0 if cuBLAS is faster on even data. Two
/// moduli more than even data need are always allowed: the first look (cuda/int8/first_look.hpp) judges by samples,
/// and rejects even data if there are none to spare. One more modulus costs less than starting in vain.
inline int moduli_that_pay(const GemmCost& cost, const GemmShape& shape, int processors,
                           ResidueKind residues = ResidueKind::real) {
  if (shape.products() == 0) return 0;
  const bool complex = residues == ResidueKind::complex;
  const double native = complex ? cost.native_complex(shape) : cost.native(shape);
  const auto pays = [&](int moduli) {
    return (complex ? cost.emulated_complex(shape, moduli, processors) : cost.emulated(shape, moduli, processors)) <=
           native;
  };
  const int most = complex ? complex_moduli : cost.most_moduli;
  int moduli = even_moduli(cost.single, shape.k, residues).most;
  if (!pays(moduli)) return 0;
  moduli += 2;
  while (moduli < most && pays(moduli + 1)) ++moduli;
  return moduli;
}

}  // namespace accublas::cuda
