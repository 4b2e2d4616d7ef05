// The int8 engine's call: its state and its steps. int8.cpp has the flow, int8_certify.cpp the certificate,
// int8_pass.cpp one pass over C with a given number of moduli, int8_finish.cpp what becomes of a tile of residues.
#pragma once

#include <cstdint>

#include "lib/base/test_hooks.hpp"
#include "lib/call/execution.hpp"
#include "lib/call/problem.hpp"
#include "lib/cpu/int8/int8_blocking.hpp"
#include "lib/cpu/int8/int8_operand.hpp"
#include "lib/numerics/escalation.hpp"
#include "lib/numerics/float_bits.hpp"

namespace accublas::cpu {

/// One pass over (some tiles of) C.
struct Int8Pass {
  enum class Elements { all, accepted, rejected };  ///< by the certificate
  bool interval;  ///< cr: the sum is known up to an error, Ziv's test decides; else fixed:T
  Elements elements;
  int row_bits, col_bits;  ///< fixed: T. cr: every line is scaled to a norm of at most 2^bits
  int moduli;
  bool may_escalate;  ///< tiles with too many undecided elements are left to the next pass
};

/// Bits of the two sides that the moduli hold, whatever the norms.
void int8_split_bits(int moduli, Index k, int& row_bits, int& col_bits);

/// What a thread counts and, at report level 2, how long it worked.
struct alignas(64) Int8Counts {
  std::int64_t undecided;
  std::int64_t product_ns, reconstruct_ns, exact_ns;
  int rung;         ///< largest of the certificate
  int part_misses;  ///< tiles for which part of the certificate's terms did not do
  double worst;     ///< largest componentwise bound
};

/// Buffers of one thread for a tile.
template <class T>
struct Int8Tile {
  T* out;              ///< room for results, tile_rows + 32 rows of tile_cols
  T* results;          ///< of the tile at hand: `out`, or C itself
  Index stride;        ///< of `results`
  std::uint8_t* open;  ///< per element: 0 result in `results`, 1 open, 2 not of this pass
  std::int32_t* sums;  ///< part of the certificate's sums, in the memory of `out`
  double* columns;     ///< 2 tile_cols
};

/// A tile of C in the engine's coordinates, in one chunk of k.
struct Int8TileTask {
  Index row, col, rows, cols;
  Index tile;           ///< number in C
  Int8Product product;  ///< of the first modulus
  bool first_chunk, last_chunk;
  std::uint8_t* result;
  int thread;
};

template <class T>
class Int8Gemm {
 public:
  Int8Gemm(const Gemm<T>& problem, const Mode& mode, Execution& execution);
  void run();

 private:
  // Steps of run().
  void run_fixed(int t);
  void run_certified();
  void run_cr(Int8Pass::Elements elements);
  void take_arena(int moduli);
  int fixed_moduli(int t) const;
  int fewest_moduli(int t) const;

  // int8_certify.cpp.
  /// T*, and which elements are rejected. 0 if every element is.
  int certify();
  /// Upper bound of the error of fixed:t over abs(A) abs(B), by the certificate's sums: Inf where they say nothing.
  double componentwise_bound(int t);
  template <class Known, class Body>
  void for_each_sums(Known&& known, Body&& body);
  Index count_accepted(const Int8TileTask& task, const std::int32_t* sums, int rung, std::uint8_t* accepted);
  bool certify_by_part(const Int8TileTask& task, std::int32_t* sums);
  void certify_tile(const Int8TileTask& task, const std::int32_t* sums);
  void certify_tile_slowly(const Int8TileTask& task, const double* sums);

  // int8_pass.cpp.
  void run_pass(const Int8Pass& pass);
  void prepare_pass(const Int8Pass& pass);
  /// Fewest moduli that leave at most a small fraction undecided, from sampled elements of the wanted tiles; at least
  /// `least`.
  int choose_moduli(int least) const;
  int sample_elements(UndecidedSample* samples) const;
  template <class Body>
  void for_each_tile(const Int8Blocking& blocking, const Int8Bytes& row_bytes, const Int8Bytes& col_bytes, Index terms,
                     Body&& body);

  // int8_finish.cpp.
  void finish_tile(const Int8Pass& pass, const CrtTable& crt, const Int8TileTask& task);
  template <int L>
  void resolve(const Int8Pass& pass, const CrtTable& crt, const Int8TileTask& task);
  Index mark_elements(const Int8Pass& pass, const Int8TileTask& task);
  template <class Body>
  void for_each_open(const Int8TileTask& task, Body&& body);
  void place_results(const Int8Pass& pass, const Int8TileTask& task);
  void read_tile(const Int8TileTask& task);
  void write_tile(const Int8TileTask& task, bool partial);
  bool structural_zero(Index row, Index col) const;
  T exact(Index row, Index col) const;

  Matrix<T> at_;  // C in the engine's coordinates
  const Gemm<T>& problem_;
  const Mode& mode_;
  Execution& execution_;
  Int8Operand<T> rows_, cols_;
  Int8Lines row_lines_, col_lines_;
  const Int8ProductKernels& product_;
  const Int8ConvertKernels& convert_;
  const Int8ReconstructKernels& reconstruct_;
  int threads_;
  bool simple_;   ///< beta = 0 and alpha = +-2^alpha_exponent_: the kernels round S
  bool combine_;  ///< the kernels round alpha S + beta c
  int alpha_exponent_;
  bool any_special_;
  Index tile_rows_, tile_cols_, row_tiles_, col_tiles_;
  Int8Pack* packs_;
  Int8Tile<T>* tiles_;
  Int8Counts* counts_;
  std::uint8_t* wanted_;         ///< per tile: part of the next pass
  std::int32_t* tile_rejected_;  ///< per tile: elements that the certificate rejected
  std::uint8_t* accepted_bits_;  ///< per tile and element, the certificate's
  Index accepted_bytes_;         ///< per tile
  std::uint8_t* arena_;
  std::size_t arena_bytes_;
  // Per line, for a pass.
  std::int32_t *row_scale_, *col_scale_, *row_exponent_, *col_exponent_;
  double *row_error_, *row_drop_, *col_error_, *col_drop_;
  bool decide_ties_;
};

}  // namespace accublas::cpu
