// The numbers of the CPU that decide speed. They change no bit of a mode that defines bits. An instruction set uses the
// default unless its own file (baseline.hpp, avx2.hpp, ...) has another value. Each group names the command that
// measures it (docs/internals/tuning.md). A `static` number also sizes an array, and is equal for all.
#pragma once

#include <cstddef>

#include "lib/call/problem.hpp"
#include "lib/numerics/moduli.hpp"

namespace accublas::cpu {

/// The engine of small products. Measured by `accublas-bench -r dgemm,sgemm -m cr -n 64,96,128,160,256,512` with
/// ACCUBLAS_ENGINE int8, fp64 and sums. cr's sums take 4 to 5 times as long for a term as DGEMM, and nothing else for a
/// call. An INT8 call takes at least 17 us with AVX-512 VNNI, and 3.5 times as long as DGEMM for large matrices;
/// without VNNI it takes 12 to 30 times as long, as slices do. Matrices of a batch in the other modes are multiplied in
/// plain integers, at 3 to 15 ns a term and some 20 ns an element.
struct EngineTuning {
  double dgemm_cr, sgemm_cr;  ///< terms m n k of a product in cr up to which engine sums is faster; -1: never
  double batched;             ///< terms of a matrix of a batch up to which engine sums is faster, in any mode
  /// Order of a product in fixed:T without a target, for each bit of T, up to which engine sums is faster: the time of
  /// residues grows with T, and that of sums of rounded entries does not.
  double dgemm_fixed = 0, sgemm_fixed = 0;
  bool slices = false;      ///< engine fp64 is faster than int8: residues in portable code take some 2 us an element
  Index deep_terms = 2048;  ///< terms k beyond which products are deep: they read a few terms of a few rows at a time
  /// Elements m n of a deep product up to which engine sums is faster, in any mode: converting operands with a long
  /// inner dimension to residues costs more than all their sums. At 128 x 128 x 100,000 residues take 2 to 5 times as
  /// long, except for DGEMM in dp:repro and fixed:T, where they take as long.
  Index narrow_elements = 128 * 128;
  Index narrow = 32;  ///< rows, columns or terms up to which engine sums is faster in fixed:T, whatever the order
  Index fixed_gemv_entries = Index{1} << 14;  ///< entries of GEMV's matrix up to which fixed:T takes GEMM's panels
};

/// Batches. Measured by `accublas-bench --small-table`.
struct BatchTuning {
  double serial_work = 1.5e6;     ///< terms of a matrix up to which engines use one thread anyway
  double shared_work = 1.7e7;     ///< terms of a matrix up to which the caches hold the operands of all threads
  double blas_serial = 262144;    ///< terms of a matrix up to which OpenBLAS itself uses one thread
  double matrix_cost = 1e5;       ///< terms that a matrix costs besides its own
  double blas_matrix_cost = 5e2;  ///< terms that a call of OpenBLAS costs besides its own
  double thread_pays = 1e6;       ///< terms that are worth waking another thread
  double task_work = 5e5;         ///< terms of a task: some 30 us
  /// Bytes of workspace of a thread. With less, its blocks are so small that it loses more than it gains.
  std::size_t thread_bytes = std::size_t{4} << 20;
};

/// GEMM by residues. Measured by `accublas-bench -r dgemm -m cr,dp:repro,fixed:53` with ACCUBLAS_ENGINE=int8.
struct Int8Tuning {
  Index tile_rows = 96, tile_cols = 256;  ///< tile of C; larger if products are faster than L2 feeds small tiles
  Index tiles_a_thread = 4;               ///< least tiles for each thread; with fewer, tiles are halved
  Index least_tile_rows = 48, least_tile_cols = 64;          ///< tile of C, if tiles are halved for threads
  int dgemm_moduli = max_moduli, sgemm_moduli = max_moduli;  ///< cr: moduli beyond which sums cost less
  Index least_chunk = 1024;       ///< terms: shorter chunks of k are worse than blocks of less than 4 tiles a side
  Index packed = Index{1} << 17;  ///< entries of an operand that is kept as doubles, since the caches hold it
  double thread_work = 1.5e6;     ///< terms that are worth other threads: 0.1 ms
  Index pair_elements = 1024;     ///< elements of a product modulo one p that cost as much as a pair of lines
  /// dp:repro, sp:repro: moduli of a pass over C that costs as much as sums of all elements that T* bits suffice for.
  int dgemm_accepted = 20, sgemm_accepted = 14;
  int part_misses = 2;     ///< tiles that a quarter of the certificate's terms may leave open in vain, a thread
  Index part_share = 384;  ///< one element of a tile in so many that this quarter leaves open is certified by itself
};

/// How cr chooses the moduli, and how many elements a pass may leave undecided. Measured by `accublas-bench --targets`.
struct UndecidedTuning {
  Index cached_bytes = 1 << 18;   ///< bytes of operands that the caches hold: exact accumulators are faster there
  double accepted_cached = 1e-3;  ///< part of the elements; recomputing them costs less than one more modulus
  double accepted = 1e-4;         ///< part of the elements if the operands are larger
  Index few = 64;  ///< one element of a tile or block in so many is computed by itself, not by another pass
  Index small_elements = 20000, small_samples = 16;  ///< elements of a small C, and of it that are sampled
  Index sample_terms = 131072;                       ///< terms of all samples together
  int at_ends = 16;  ///< one sampled element in so many near an end of the range takes the product to sums
};

/// GEMM in cr by sums. Measured by `accublas-bench -r dgemm -m cr` with ACCUBLAS_ENGINE=sums.
struct CrGemmTuning {
  Index task_lines = 256;        ///< rows (columns) of an operand in a task: their panels stay in L2
  Index task_entries = 1 << 16;  ///< entries of an operand in a task
  double thread_work = 1.5e6;    ///< terms that are worth other threads
  int few_open = 1;              ///< elements of a tile that are computed one by one sooner than by another speed
  /// One element in so many that a speed leaves open makes the next speed the first. For float that costs little more.
  int dgemm_hard = 4, sgemm_hard = 16;
};

/// Deep products by sums. Measured by `accublas-bench -r dgemm -m cr,dp:repro` with ACCUBLAS_ENGINE=sums, and by timing
/// accublas_dgemm of 32 x 32 results with 100,000 terms.
struct DeepTuning {
  Index most_terms = 1024;                    ///< terms of a chain
  static constexpr Index survey_terms = 256;  ///< terms that a survey packs at a time; least terms of a chain
  static constexpr Index block_lines = 64;    ///< rows (columns) of an operand in a block: their panels stay in L2
  Index segment_terms = 8192;                 ///< least terms of a segment of a survey
  Index segments_a_thread = 4;                ///< segments of a survey
  int hard_elements = 12;      ///< one element of a block in so many undecided takes the block to the next step
  Index few_terms = 8;         ///< terms: from so many on a pair of plain sums beats chains, for an exact sum
  double thread_work = 1.5e6;  ///< terms that are worth other threads
};

/// DOT and GEMV in cr and fixed:T. Measured by `accublas-bench -r ddot,dgemv:n,dgemv:t -m cr,fixed:60`.
struct VectorTuning {
  static constexpr Index packed_rows = 8, packed_terms = 480;  ///< rows and terms of a copied block: 30 KiB, 4 KiB of x
  Index probed_rows = 32, probed_by_columns = 16;              ///< rows that say how many bits the others need
  Index most_masked = 1 << 18;  ///< terms whose zeros in x are kept as bits: 32 KiB a thread
  Index hard_rows = 16;         ///< one row in so many that `swift` leaves undecided makes `full` the first step
  Index task_terms = 1 << 17;   ///< terms of a task by rows
  Index segment_terms = 8192;   ///< terms of a sum that are worth a task of their own
};

/// dot2. Measured by `accublas-bench -r ddot,dgemv:n,dgemv:t,dgemm -m dot2`.
struct Dot2Tuning {
  Index thread_work = 1 << 15;              ///< terms that are worth another thread
  Index dot_run = 16 * 1024;                ///< DOT: terms of a run that are worth handing to another thread
  static constexpr Index most_runs = 1024;  ///< DOT: runs, of 512 bytes of workspace each
  Index runs_a_thread = 4;                  ///< DOT: runs that even out threads of unequal speed
  Index most_rows = 4096;                   ///< GEMV: rows of a task, whose pairs stay in L2
  Index least_rows = 64;                    ///< GEMV: rows of a task, and not fewer for the sake of another thread
  Index x_chunk = 4096;                     ///< GEMV: entries of x that are copied at a time; a multiple of the block
  Index copy_rows = 64;                     ///< GEMV: rows of A that are copied at a time if neither stride is 1
  Index few_rows = 7;                       ///< GEMV: contiguous rows that would leave lanes of a vector empty
  Index split_pairs = 1 << 16;              ///< GEMV: block pairs that are kept at a time if threads share k
  Index task_rows = 256, task_cols = 256;   ///< GEMM: of C; task_rows x slab entries of A stay in L2, and the pairs
  Index slab = 128;                         ///< GEMM: terms that are packed at a time; a multiple of the block
  Index tasks_a_thread = 2;                 ///< GEMM: tasks
  Index split_values = 1 << 17;             ///< GEMM: doubles of block pairs that are kept at a time if threads share k
};

/// Digits and slices. Measured by `accublas-bench -r dgemm -m cr,slices:8` with ACCUBLAS_ENGINE=fp64.
struct Fp64Tuning {
  static constexpr Index tile_lines = 8, tile_terms = 256;  ///< rows (columns) and terms of a tile, which stays in L1
  Index task_terms = 8192;                                  ///< terms of a task
  Index longest_edge = 4096;                                ///< rows and columns of a block of C
  Index longest_chunk = Index{1} << 20;                     ///< terms of a chunk of k
};

/// TRSM, TRSV, LU and Cholesky's factorization in cr. Measured by `accublas-bench -r dtrsm,dgetrf,dpotrf -m cr`.
struct TriangularTuning {
  static constexpr Index most_together = 64;  ///< right-hand sides (LU: rows) of a thread at a time
  Index cached = 1 << 16;                     ///< numbers of the unknowns (LU: rows) of a thread at a time
  Index hard_share = 16;    ///< one unknown in so many that sums leave undecided makes the next ones more precise
  Index lu_columns = 64;    ///< LU: columns of a block, which use what was loaded
  Index least_columns = 8;  ///< LU: columns of a block in a small workspace
  Index least_rows = 128;   ///< LU: rows that a thread takes at a time
};

/// Level 2 and 3 with structured operands. Measured by `accublas-bench -r dsymm,dtrmm,zgemm,dsymv,dger -m cr`.
struct StructuredTuning {
  Index band = 128;              ///< columns of a band of a triangular operand; a multiple of dot2's block
  std::size_t lines_share = 4;   ///< part of the workspace, one in so many, for rows and columns that are written out
  Index cached = 1 << 16;        ///< entries of a thread's rows in a product with a vector
  double element_work = 2e4;     ///< terms, element by element, that are worth other threads
  double integer_work = 1e5;     ///< terms in plain integers that are worth other threads
  Index update_elements = 4096;  ///< elements of an update (GER) that are worth other threads
  Index update_columns = 256;    ///< columns of a task of an update
  Index hard_share = 32;         ///< one sum of SYMV in so many undecided makes `full` the first step
};

/// Copies for the real BLAS. Measured by `accublas-bench -r dgemm,dsyrk -m native`, with unusual strides by timing
/// calls.
struct NativeTuning {
  Index least_edge = 64;                           ///< rows and columns of a copied block
  std::size_t pack_bytes = std::size_t{64} << 20;  ///< bytes of copies at a time: beyond that nothing is gained
  Index triangle_columns = 32;                     ///< GEMMT: columns of a strip
};

/// Register tiles and loads of kernels. The numbers are compiled into the kernels of their instruction set; one that
/// runs the kernels of a lower one (lib/cpu/meson.build) has no numbers. Measured by `accublas-bench -r
/// ddot,dgemv:n,dgemv:t,dgemm -m cr,dot2` with ACCUBLAS_ENGINE=sums.
struct KernelTuning {
  int cr_vectors, cr_cols;          ///< cr: tile in vectors by columns; the sums of `swift` fill half the registers
  int pair_vectors, pair_cols;      ///< dot2, double: tile in vectors by columns; 16 accumulators are enough
  int chain_vectors, chain_cols;    ///< dot2, float: tile in vectors by columns, as in an ordinary DGEMM
  int gemv_strip, gemv_row_groups;  ///< dot2's GEMV: vectors of outputs in turn by columns, by rows
};

struct Tuning {
  EngineTuning engine;
  KernelTuning kernels{};
  BatchTuning batch{};
  Int8Tuning int8{};
  UndecidedTuning undecided{};
  CrGemmTuning cr_gemm{};
  DeepTuning deep{};
  VectorTuning vector{};
  Dot2Tuning dot2{};
  Fp64Tuning fp64{};
  TriangularTuning triangular{};
  StructuredTuning structured{};
  NativeTuning native{};
};

/// Returns the terms of a product of square matrices.
constexpr double cube(double order) { return order * order * order; }

}  // namespace accublas::cpu
