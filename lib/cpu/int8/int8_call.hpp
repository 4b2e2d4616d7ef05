// A call of the int8 engine as its steps share it: the operands and what is known of their lines, the tiles of C, the
// kernels, and the buffers.
//
// int8.cpp has the flow. int8_moduli.hpp says how many moduli a pass takes, int8_certify.hpp which elements T bits
// suffice for, int8_pass.hpp is one pass over C, int8_finish.hpp what becomes of a tile of residues.
#pragma once

#include <cstdint>

#include "lib/call/execution.hpp"
#include "lib/call/problem.hpp"
#include "lib/cpu/int8/int8_blocking.hpp"
#include "lib/cpu/int8/int8_operand.hpp"

namespace accublas::cpu {

/// How the lines of a side are scaled in a pass; arrays of `count` rounded up to 32.
struct Int8Scaling {
  std::int32_t* scale;     ///< a' = a 2^scale rounded
  std::int32_t* exponent;  ///< -scale; rows: and the exponent of alpha, where the kernels round S
  double *error, *drop;    ///< interval passes: LineError of every line
};

/// A side of the product: the rows of op(A) or the columns of op(B), in the engine's coordinates.
template <class T>
struct Int8Side {
  Int8Operand<T> operand;
  Int8Lines lines;
  Int8Scaling scaling;
};

/// Tiles of C, the unit of work of a thread.
struct Int8Tiling {
  Index rows, cols;    ///< of a tile
  Index down, across;  ///< how many of them
  Index count() const { return down * across; }
  Index tile_of(Index row, Index col) const { return row / rows * across + col / cols; }
};

/// Properties of alpha and beta that the kernels use.
struct Int8Scalars {
  bool simple;         ///< beta = 0 and alpha = +-2^alpha_exponent: they round S
  bool combine;        ///< they round alpha S + beta c
  int alpha_exponent;  ///< 0 where not simple
};

struct Int8Kernels {
  const Int8ProductKernels& product;
  const Int8ConvertKernels& convert;
  const Int8ReconstructKernels& reconstruct;
};

/// Counters of a thread and, at report level 2, its working times.
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
  T* results;          ///< of the current tile: `out`, or C itself
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
struct Int8Call {
  /// Cuts C into tiles and takes all memory but the arena. With `given` tiles the rows are those of C, whatever its
  /// strides.
  Int8Call(const Gemm<T>& gemm, const Mode& mode, Execution& call_execution, const Int8Tiling* given = nullptr);

  /// Fills the sides' lines.
  void measure();
  /// Takes the memory of the passes, before any of them writes C: what the residues of a whole pass with `moduli` take,
  /// if the workspace has it.
  void take_arena(int moduli);
  /// Whether some tile is wanted.
  bool any_wanted() const;

  /// No term of the element is other than zero. Costs a pass over bits; false where they are not kept.
  bool structural_zero(Index row, Index col) const;
  /// The correctly rounded element.
  T exact(Index row, Index col) const;

  const Gemm<T>& problem;
  bool transposed;  ///< rows are columns of C
  Execution& execution;
  Matrix<T> at;  ///< C in the engine's coordinates
  Int8Side<T> rows, cols;
  Int8Tiling tiling;
  Int8Scalars scalars;
  Int8Kernels kernels;
  int threads;
  bool any_special;  ///< some line has Inf or NaN
  // Each thread has one of these three.
  Int8Pack* packs;
  Int8Tile<T>* tiles;
  Int8Counts* counts;
  std::uint8_t* wanted;  ///< per tile: part of the next pass
  std::uint8_t* arena = nullptr;
  std::size_t arena_bytes = 0;
};

}  // namespace accublas::cpu
