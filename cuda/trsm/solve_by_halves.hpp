// Runs TRSM on a device.
#pragma once

#include <type_traits>

#include "cuda/core/staging.hpp"
#include "cuda/trsm/solve_leaf.hpp"
#include "lib/base/integers.hpp"
#include "lib/call/level3.hpp"

namespace accublas::cuda {

/// Whether solve_leaf, and not cuBLAS, solves the last unknowns.
template <class E>
inline constexpr bool has_leaf = std::is_same_v<E, double>;

/// Returns whether solve_by_halves is faster than cuBLAS's routine even if all its products are cuBLAS's.
template <class E>
bool pays_by_halves(const TrsmTuning& tuning, const TriangularSystem<E>& system) {
  return has_leaf<E> && system.order >= tuning.least_order && system.sides >= tuning.least_sides;
}

/// Solves `count` unknowns from `first` on, whose right-hand sides are alpha times the numbers stored there. It
/// recurses on halves, one after the other, with multiply(Gemm) between them; at_once(first, count, alpha) solves few
/// unknowns at once.
template <class E, class AtOnce, class Multiply>
void for_halves(const TrsmTuning& tuning, const TriangularSystem<E>& system, Index first, Index count, const E& alpha,
                const AtOnce& at_once, const Multiply& multiply) {
  const Index most = has_leaf<E> ? leaf_unknowns : is_complex<E> ? tuning.at_once_complex : tuning.at_once;
  if (count <= most) return at_once(first, count, alpha);
  const bool forward = system.m.part == Triangle::lower;
  const Index half = round_up(count / 2, has_leaf<E> ? leaf_unknowns : 256), rest = count - half;
  const Index early = forward ? first : first + rest, late = forward ? first + half : first;
  for_halves(tuning, system, early, half, alpha, at_once, multiply);
  multiply(Gemm<E>{rest,
                   system.sides,
                   half,
                   E{RealOf<E>(-1)},
                   system.m.stored.block(late, early),
                   {&system.x(early, 0), system.x.row_stride, system.x.col_stride},
                   alpha,
                   system.x.block(late, 0),
                   system.m.conjugate});
  for_halves(tuning, system, late, rest, E{RealOf<E>(1)}, at_once, multiply);
}

/// Serves TRSM in dp and sp with device operands. It recurses on halves of the unknowns, one after the other. The
/// product between two halves is computed by `serve`, or by cuBLAS if it has few terms. The last halves are solved by
/// solve_leaf or by `native`, cuBLAS's routine. The result is within (n + 3) u abs(A) abs(X) of alpha B (docs/modes.md,
/// "TRSM").
template <class E>
void solve_by_halves(State&, const Call<Level3<E>, E>&, Execution&, DeviceGemmFunction<E> serve,
                     void (*native)(State&, const Level3<E>&, Execution&));

}  // namespace accublas::cuda
