// The numbers of a GPU that decide speed. They change no bit of a mode that defines bits. An architecture uses the
// default unless its own file (sm_80.hpp, sm_90.hpp, sm_103.hpp) has another value; most defaults were measured on
// compute capability 9.0. Each group names the command that measures it (docs/internals/tuning.md).
#pragma once

#include <optional>

#include "include/accublas.h"
#include "lib/call/problem.hpp"

namespace accublas::cuda {

/// The tiles of the INT8 product kernels. A cluster computes (rows cluster) x cols elements of C, and its thread blocks
/// share the bytes of the columns. The tiles of sm_80 are compiled into the portable kernel, those of sm_90 into
/// Hopper's. The cost model (GemmCost) needs the tiles of the kernel that the architecture runs. Measured by
/// `accublas-gpu-bench gemm -r dgemm -m cr/int8`.
struct TileConfig {
  int rows, cols;      ///< rows and columns of C that a thread block computes
  int step;            ///< bytes of k in shared memory at a time
  int stages;          ///< steps in flight
  int cluster;         ///< thread blocks of a cluster, along the rows
  int threads;         ///< threads of a thread block
  int blocks;          ///< thread blocks resident on a multiprocessor
  int raster_rows;     ///< rows of C in a stripe, inside which tiles are taken column by column
  int lockstep_steps;  ///< steps between two barriers of the cluster; 0: none
  constexpr int cluster_rows() const { return rows * cluster; }
  constexpr int stage_bytes() const { return (rows + cols) * step; }
};

/// Costs of a GEMM in microseconds, fitted to single calls of 28 shapes: square, deep, flat and narrow, with m and n
/// from 512 to 16384 and k from 256 to 65536. The data have a narrow range of exponents (phi 0.5, docs/gpu.md). dp and
/// sp take the cheaper of cuBLAS and engine int8 (cuda/gemm_cost.hpp). The model is within a tenth of both. Measured by
/// `accublas-gpu-bench shapes -r dgemm,sgemm`.
struct GemmCost {
  double native_start;     ///< a call of cuBLAS
  double native_product;   ///< a term of a sum
  double native_result;    ///< an element of C
  double start;            ///< launches of engine int8
  double operand;          ///< an entry of A or B: read
  double operand_modulus;  ///< an entry of A or B: converted for each modulus
  double product_modulus;  ///< a term of a sum, in a wave of tiles that fills the device
  double result_modulus;   ///< an element of C: residues written and read again
  int most_moduli;         ///< moduli; more are not measured (double: reconstruction spills)
};

/// GEMM on operands in host memory. Measured by `accublas-gpu-bench host` and `accublas-gpu-bench devices`, real
/// products alone.
struct HostTuning {
  double least_operations = 1e10;  ///< operations, 2 m n k, from which on a call is worth copying
  double bus_words = 5e9;          ///< matrix elements a second over the bus
  double operations = 5e11;        ///< operations a second that the device saves
  double copies = 2;               ///< least ratio of the time that a product saves to that of its copies
  Index least_split = 4096;   ///< longer edge of C from which on products start before all operands are on the device
  Index least_border = 1024;  ///< least rows or columns of C that such a product adds
  Index least_divided = 4;    ///< multiples of least_operations from which on several devices share a product
  /// Columns of a narrow buffer. If operands do not fit, A's block of rows is as low as two narrow buffers of B ask
  /// for.
  Index narrow_cols = 1024;
};

/// Engines that cut products into parts for cuBLAS. Measured by `accublas-gpu-bench gemm` with the modes named.
struct PartsTuning {
  Index long_edge = 512;          ///< edges of a block, and chunks, that are longer are shortened first
  Index slices_terms = 4096;      ///< terms of a chunk of `slices` (-m slices:8)
  Index multiword_terms = 16384;  ///< terms of a chunk of the portable multiword engine (-m tf32x3,fp16x3,tf64x3)
};

/// Triangular systems. Measured by `accublas-gpu-bench level3 dtrsm,strsm,ztrsm` with as many right-hand sides as
/// unknowns.
struct TrsmTuning {
  // These numbers are for dp and sp, which halve the unknowns.
  Index least_order = 512, least_sides = 512;  ///< double: unknowns, right-hand sides from which on halves beat cuBLAS
  Index at_once = 2048, at_once_complex = 1024;  ///< unknowns that cuBLAS's routine solves at a time (double: a kernel)
  Index least_emulated_terms = 1536;             ///< double: terms from which on a product may be engine int8's
  Index least_emulated = 2048, least_emulated_complex = 4096;  ///< unknowns from which on engine int8 is considered
  // These numbers are for cr, which computes sums.
  Index least_residue_terms = 128;                ///< terms from which on engine int8 adds up known unknowns
  Index least_residue_elements = Index{1} << 18;  ///< sums, unknowns times right-hand sides, from which on it does
};

/// LU and Cholesky's factorization in dp and sp. Measured by `accublas-gpu-bench factor dgetrf,dpotrf`.
struct LuTuning {
  Index block_columns = 512;       ///< columns whose panels exchange their rows at once
  Index ahead_columns = 256;       ///< columns that are factored concurrently with the update of the others
  Index small_order = 8192;        ///< order up to which all levels look ahead
  Index most_ahead = 4096;         ///< columns of a level that looks ahead in a larger matrix
  Index triangle_columns = 256;    ///< out of core: columns of Cholesky's triangle that are copied at a time
  Index least_block_columns = 32;  ///< out of core: least columns of a block of L
};

/// QR in dp and sp. Measured by `accublas-gpu-bench factor dgeqrf`.
struct QrTuning {
  /// Columns of a block, from `from` reflectors on. Wider blocks take more work within themselves.
  struct Width {
    Index from, columns;
  } blocks[3] = {{12288, 512}, {1024, 256}, {0, 128}};
  // These blocks are wider. They are used if engine int8 computes the products that apply a block to other columns:
  // with more terms it is faster than cuBLAS.
  Width deep = {24576, 4096};    ///< blocks of a factorization
  Width applied = {2048, 1024};  ///< blocks of a product Q C: `from` bounds its reflectors, and C's columns
  Index most_concurrent = 512;   ///< columns that are factored concurrently with products
  Index most_of_triangle = 512;  ///< order of a triangle that is multiplied as a whole
  Index kernel_columns = 256;    ///< columns of a block whose panels are applied by kernels
};

/// The other products of level 3. Measured by `accublas-gpu-bench level3 dtrmm,dsymm`.
struct Level3Tuning {
  Index least_band = 1024;  ///< columns of a triangular operand; wider bands are halved
};

/// GEMM by residues. Measured by `accublas-gpu-bench gemm -r dgemm -m cr/int8`.
struct Int8Tuning {
  Index beside_rows = 2048;   ///< most columns of C that a block is assumed to have when its rows are chosen
  Index least_halved = 4096;  ///< terms of a chunk of k that is worth halving
  Index long_tiles = 16;      ///< tiles of a conversion, for each multiprocessor, from which on it writes long rows
};

/// dot2's GEMM. Measured by `accublas-gpu-bench gemm -r dgemm,sgemm -m dot2 -n MxNxK` with small M and N and a large K.
/// Its tile shapes are template arguments (cuda/dot2/dot2_gemm_table.hpp).
struct Dot2Tuning {
  Index most_pairs = Index{1} << 21;  ///< pairs in scratch at a time, if thread blocks share k
};

/// Pending elements of cr by tiles. Measured by `accublas-gpu-bench data dgemm` with orders from 512 to 4096.
struct ExactTuning {
  Index pending = 512;  ///< for each multiprocessor: pending elements up to which sums one by one are faster
  int of_tile = 32;     ///< pending elements of a tile of 1024 from which on computing the tile is faster
  // The next two numbers replace the two above if tiles leave out terms that do not matter.
  Index pending_of_short = 32;
  int of_short_tile = 8;
  // The following times are in units of one term of one sum in a product of residues.
  double tile_term = 560;        ///< one term of a sum in a tile
  double tile_element = 34000;   ///< one element of a tile without terms
  double single_term = 56000;    ///< one term of a sum that is computed by itself
  double residue_element = 800;  ///< writing and reading the residue of an element of C, for one modulus
  double residue_entry = 420;    ///< converting an entry of A or B, for one modulus

  /// These functions return times for an m x n result with sums of k terms, in units of a pass with one modulus:
  /// all_tiles that of all tiles with all terms, no_terms that of all tiles without terms, and all_single that of all
  /// elements one by one.
  constexpr double all_tiles(Index m, Index n, Index k) const {
    return tile_term * static_cast<double>(m * n) * static_cast<double>(k) / modulus(m, n, k);
  }
  constexpr double no_terms(Index m, Index n, Index k) const {
    return tile_element * static_cast<double>(m * n) / modulus(m, n, k);
  }
  constexpr double all_single(Index m, Index n, Index k) const {
    return single_term * static_cast<double>(m * n) * static_cast<double>(k) / modulus(m, n, k);
  }
  /// Returns the time of a pass with one modulus, in units of one term of one sum in a product of residues.
  constexpr double modulus(Index m, Index n, Index k) const {
    return static_cast<double>(m * n) * (static_cast<double>(k) + residue_element) +
           static_cast<double>((m + n) * k) * residue_entry;
  }
};

/// Products of cr by slabs. Measured by `accublas-gpu-bench data`. Times are in units of a pass with one modulus.
struct SlabTuning {
  double least_work = 0x1p30;               ///< m n k from which on cr and dp:repro consider slabs
  double least_time = 32;                   ///< time of the plan without slabs from which on slabs are considered
  Index small_order = 2048;                 ///< C with fewer rows or columns has squares of 256, other C of 512
  Index short_sum = 2048, long_sum = 4096;  ///< k from which on slabs have 256 and 512 terms
  double start = 8;                         ///< time of the plan and the launches
  double modulus = 2.5;                     ///< time of one modulus in all slabs
  double slab = 0.3;                        ///< time of one slab of all squares that does not depend on the moduli
};

/// DOT, GEMV and norms. Measured by `accublas-gpu-bench vectors`.
struct VectorTuning {
  Index rows_for_warps = 1500;  ///< cr: rows from which on a warp takes two; with fewer, thread blocks share a row
  Index few_rows = 8;           ///< cr, fixed:T: rows so few that lanes of a warp would be idle
  Index most_rounds = 6;        ///< cr: rounds of thread blocks, to limit the idle time in the last one
  Index fixed_terms = 2048;     ///< fixed:T: least terms of a warp along a row; its atomic operation then costs nothing
  Index fixed_column_terms = 128;  ///< fixed:T: least terms of a warp down 32 rows
  Index fixed_tasks = 32;          ///< fixed:T: warps for each multiprocessor
  Index half_blocks = 3;       ///< dot2: warps take fewer rows until half as many thread blocks fill a multiprocessor
  Index warp_rows = 16;        ///< dot2: least rows of a warp, if the matrix has as many
  Index most_pairs = 1 << 20;  ///< dot2: pairs in scratch at a time
  Index stream_terms = 2048;   ///< dot2: terms up to which a thread block takes 32 rows, however few there are
};

/// Multiple precision. Measured by `accublas-mp-bench --gpu`.
struct MpTuning {
  Index early_bytes = Index{160} << 20;  ///< bytes of A up to which products with A start before the vectors are ready
  Index cached_bytes = Index{40} << 20;  ///< bytes of a matrix from which on columns are loaded ahead
  int ahead_rows = 32, ahead_columns = 8;    ///< loads of a thread ahead, of A and of A^T
  int most_segments = 64;                    ///< segments of a sum unless shared memory requires more
  Index short_sum = 2000;                    ///< terms up to which a sum has one segment
  Index segments = 8;                        ///< segments of longer sums that fill the device
  Index resident = 2, resident_columns = 3;  ///< thread blocks for each multiprocessor that fill it, of A and of A^T
  Index band_blocks = 4, band_terms = 64;    ///< bands: thread blocks for each multiprocessor, least terms of a segment
};

struct Tuning {
  /// The engine of integer products: INT8, except on hardware with few INT8 units. Measured by
  /// `accublas-gpu-bench gemm -r dgemm -m cr/int8,cr/fp16`.
  accublas_engine integer_engine = ACCUBLAS_ENGINE_INT8;
  TileConfig int8_tiles{};
  std::optional<GemmCost> dgemm{}, sgemm{};  ///< devices without costs use cuBLAS in dp and sp
  HostTuning host{};
  PartsTuning parts{};
  TrsmTuning trsm{};
  LuTuning lu{};
  QrTuning qr{};
  Level3Tuning level3{};
  Int8Tuning int8{};
  Dot2Tuning dot2{};
  ExactTuning exact{};
  SlabTuning slabs{};
  VectorTuning vector{};
  MpTuning mp{};
};

}  // namespace accublas::cuda
