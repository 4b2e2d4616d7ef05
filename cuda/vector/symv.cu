// SYMV and HEMV in dot2, cr and fixed:T. The stored triangle is read once, in tiles. A tile has one block of dot2's
// definition in both directions: 128 x 128 real entries, or 64 x 64 complex ones. A thread block copies a tile to
// shared memory, 64 rows at a time. Its first warps add up the tile's rows. The other warps add up its columns, which
// are rows of the mirror image. A tile on the diagonal is completed by its own mirror image, and has rows only. Every
// row has one partial sum in scratch for each block of terms, and a second kernel combines them from left to right.
#include <algorithm>
#include <atomic>
#include <type_traits>
#include <utility>

#include "cuda/core/carver.hpp"
#include "cuda/core/check.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/ptx_entry.hpp"
#include "cuda/core/rehearsal.hpp"
#include "cuda/vector/pair_row.hpp"
#include "cuda/vector/row_terms.hpp"
#include "cuda/vector/triple_row.hpp"
#include "cuda/vector/vector_device.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

namespace {

constexpr int symv_terms = 128;  ///< block of the definition
template <class E>
constexpr int symv_edge = symv_terms / component_count<E>;  ///< rows and columns of a tile
constexpr int piece_rows = 64;                              ///< rows of a tile in shared memory at a time
constexpr int piece_pitch = piece_rows + 1;                 ///< odd: no bank conflicts either way
template <class E>
constexpr int symv_threads = piece_rows + symv_edge<E>;
template <class E>
constexpr std::size_t piece_bytes = sizeof(E[symv_edge<E> * piece_pitch]);
constexpr int symv_resident = 3;  ///< thread blocks of a multiprocessor; some compute while others wait for their tiles

template <class E>
struct SymvArguments {
  RowProblem<E> p;  ///< a column of A is adjacent in memory, if any vector is
  FixedScaling fixed;
  OpenRows open;
  void* partial;        ///< partial sum (block sums() + sum)
  std::uint64_t* most;  ///< fixed:T: bits of the largest magnitudes, which LargestOfBlock raises
  bool all_undecided;
  ACCUBLAS_HD Index sums() const { return component_count<E> * p.m; }
  ACCUBLAS_HD Index blocks() const { return ceil_div(p.m, Index{symv_edge<E>}); }
  template <class Partial>
  __device__ Partial* partial_sums(Index block, Index row) const {
    return static_cast<Partial*>(partial) + block * sums() + row * component_count<E>;
  }
};

// The next three structures are the sums of a row, or of a row of the mirror image, over a block of terms. add() takes
// group_entries<E> entries of the row, and of x in the form of of_x(). put() ends the block; all lanes of a warp call
// both. The row may not exist: its entries are zeros then.

/// dot2's pairs.
template <class E>
struct PairsOfBlock {
  using Partial = Pair;
  using OfX = E;
  static constexpr int parts = 1;  ///< threads that combine a sum: the definition has one order
  Pair pairs[component_count<E>]{};

  __device__ PairsOfBlock(const SymvArguments<E>&, Index) {}
  __device__ static E of_x(const SymvArguments<E>&, const E& x) { return x; }
  __device__ void add(const E* u, const E* v, bool conjugate) {
#pragma unroll
    for (int j = 0; j < group_entries<E>; ++j) step_terms(pairs, u[j], v[j], conjugate);
  }
  __device__ void put(const SymvArguments<E>& g, Index block, Index row) {
    if (row >= g.p.m) return;
#pragma unroll
    for (int c = 0; c < component_count<E>; ++c) store_pair(g.template partial_sums<Pair>(block, row) + c, pairs[c]);
  }

  __device__ static Pair load(const Pair* p) { return load_pair(p); }
  __device__ static void append(Pair& sum, const Pair& next) { sum = combine<RealOf<E>>(sum, next); }
  __device__ static void finish(const SymvArguments<E>& g, Index sum, const Pair& pair) {
    finish_by_pair(g.p, g.open, sum, pair);
  }
};

/// Rounds the entries of a row; in cr it returns them unchanged. x is rounded once, when it is loaded.
template <class T, bool Fixed>
struct RoundedRow {
  Rounding row;
  __device__ RoundedRow(const FixedScaling& fixed, Index i) : row(rounding_of<T>(fixed, i)) {}
  __device__ double of_row(T a) const { return row(a); }
  __device__ static double of_x(double x) { return x; }
};
template <class T>
struct RoundedRow<T, false> {
  __device__ RoundedRow(const FixedScaling&, Index) {}
  __device__ double of_row(T a) const { return a; }
  __device__ static double of_x(double x) { return x; }
};

/// cr's sums, of the entries as they are or rounded to fixed:T.
template <class E, bool Fixed>
struct TriplesOfBlock {
  using Partial = TripleSum;
  using OfX = std::conditional_t<is_complex<E>, Complex<double>, double>;
  static constexpr int parts = 4;
  ChainOf<E, false> chains[component_count<E>];
  RoundedRow<RealOf<E>, Fixed> rounded;

  __device__ TriplesOfBlock(const SymvArguments<E>& g, Index row) : rounded(g.fixed, row < g.p.m ? row : g.p.m - 1) {}
  __device__ static OfX of_x(const SymvArguments<E>& g, const E& x) {
    const RoundedRow<RealOf<E>, Fixed> all(g.fixed, g.p.m);
    if constexpr (is_complex<E>)
      return {all.of_row(x.re), all.of_row(x.im)};
    else
      return all.of_row(x);
  }
  __device__ void add(const E* u, const OfX* v, bool conjugate) { add_entries(rounded, conjugate, u, v, chains); }
  __device__ void put(const SymvArguments<E>& g, Index block, Index row) {
    if (row >= g.p.m) return;
#pragma unroll
    for (int c = 0; c < component_count<E>; ++c) {
      const TripleSum sum = chains[c].result();
      auto* const to = reinterpret_cast<double2*>(g.template partial_sums<TripleSum>(block, row) + c);
      to[0] = {sum.a1, sum.a2};
      to[1] = {sum.a3, sum.error};
    }
  }

  __device__ static TripleSum load(const TripleSum* p) { return load_sum(p); }
  __device__ static void append(TripleSum& sum, const TripleSum& next) { triple_add(sum, next); }
  __device__ static void finish(const SymvArguments<E>& g, Index number, const TripleSum& sum) {
    finish_by_triple<E, Fixed>(g.p, g.fixed, g.open, g.all_undecided, number, sum);
  }
};

/// The largest magnitudes of fixed:T.
template <class E>
struct LargestOfBlock {
  using F = FloatFormat<RealOf<E>>;
  using OfX = E;
  typename F::Bits most = 0;

  __device__ LargestOfBlock(const SymvArguments<E>&, Index) {}
  __device__ static E of_x(const SymvArguments<E>&, const E& x) { return x; }
  __device__ void take(const E& entry) {
    const auto raise_to = [&](RealOf<E> number) {
      const auto bits = to_bits(number) & ~F::sign;
      most = bits > most ? bits : most;
    };
    if constexpr (is_complex<E>)
      raise_to(entry.re), raise_to(entry.im);
    else
      raise_to(entry);
  }
  __device__ void add(const E* u, const E*, bool) {
#pragma unroll
    for (int j = 0; j < group_entries<E>; ++j) take(u[j]);
  }
  /// `row` may be m, which stands for x.
  __device__ void raise(const SymvArguments<E>& g, Index row) const {
    atomicMax(reinterpret_cast<unsigned long long*>(g.most + row), static_cast<unsigned long long>(most));
  }
  __device__ void put(const SymvArguments<E>& g, Index, Index row) const {
    if (row < g.p.m) raise(g, row);
  }
};

/// Starts the copies of piece_rows rows and symv_edge columns, from (first_row, first_column) on, into `tile`. Entries
/// outside of the matrix are zeros. On the diagonal, entries that are not held come from the mirror image.
template <class E>
__device__ void copy_piece(const RowProblem<E>& p, Index first_row, Index first_column, bool diagonal, E* tile) {
  constexpr int step = symv_threads<E> / piece_rows;
  const int row = threadIdx.x % piece_rows;
  const Index i = first_row + row, columns = i < p.m ? p.m - first_column : 0;
  for (int c = threadIdx.x / piece_rows; c < symv_edge<E>; c += step) {
    E* const to = tile + c * piece_pitch + row;
    const bool inside = c < columns;
    if (diagonal) {
      *to = inside ? mirrored_entry(p, i, first_column + c) : E{};
    } else {
      ptx::copy_entry<sizeof(E)>(ptx::shared_address(to), inside ? &p.a(i, first_column + c) : p.a.data, inside);
    }
  }
}

/// Computes the sums of a tile. The grid has blocks() + 1 columns. Its row y has the tiles of row y of the lower
/// triangle of tiles, and those of its row blocks() - 1 - y.
template <class E, class Sums>
__global__ void __launch_bounds__(symv_threads<E>, symv_resident)
    symv_tiles(const __grid_constant__ SymvArguments<E> g) {
  constexpr int edge = symv_edge<E>, pieces = edge / piece_rows, group = group_entries<E>;
  extern __shared__ __align__(16) unsigned char symv_memory[];
  using OfX = typename Sums::OfX;
  __shared__ __align__(16) unsigned char memory_of_x[2 * edge * sizeof(OfX)];
  E* const tile = reinterpret_cast<E*>(symv_memory);  // entry (i, j) at j piece_pitch + i
  OfX* const x_of_rows = reinterpret_cast<OfX*>(memory_of_x);
  OfX* const x_of_columns = x_of_rows + edge;
  const RowProblem<E>& p = g.p;
  const Index x = blockIdx.x, y = blockIdx.y, other_y = g.blocks() - 1 - y;
  await_predecessor();
  if (x > y && other_y == y) return;  // the middle row of an odd number
  const Index high = x > y ? other_y : y, low = x > y ? x - y - 1 : x;
  const bool upper = p.held == Triangle::upper, diagonal = low == high;
  const Index row_block = upper ? low : high, column_block = upper ? high : low;
  const Index first_row = row_block * edge, first_column = column_block * edge;
  for (int t = threadIdx.x; t < 2 * edge; t += symv_threads<E>) {
    const Index q = t < edge ? first_row + t : first_column + t - edge;
    x_of_rows[t] = Sums::of_x(g, q < p.m ? load_entry(p.x.data + q * p.x.stride) : E{});
  }
  const bool of_row = threadIdx.x < piece_rows;
  const int at = of_row ? threadIdx.x : threadIdx.x - piece_rows;
  const bool conjugate = of_row ? p.conjugate : p.conjugate_mirrored;
  Index own = (of_row ? first_row : first_column) + at;
  Sums sums(g, own);
#pragma unroll 1
  for (int piece = 0; piece < pieces; ++piece) {
    if (piece > 0) {
      __syncthreads();
      if (of_row) {
        own += piece_rows;
        sums = Sums(g, own);
      }
    }
    copy_piece(p, first_row + piece * piece_rows, first_column, diagonal, tile);
    ptx::copies_wait();
    __syncthreads();
    if (!of_row && diagonal) continue;
    const E* a = of_row ? tile + at : tile + at * piece_pitch;
    const OfX* of_x = of_row ? x_of_columns : x_of_rows + piece * piece_rows;
    const int step = of_row ? piece_pitch : 1, count = of_row ? edge : piece_rows;
#pragma unroll 1
    for (int q = 0; q < count; q += group, a += group * step, of_x += group) {
      E u[group];
      OfX v[group];
#pragma unroll
      for (int j = 0; j < group; ++j) u[j] = read_shared(a + j * step), v[j] = read_shared(of_x + j);
      sums.add(u, v, conjugate);
    }
    if (of_row) {
      sums.put(g, column_block, own);
    } else if (piece == pieces - 1) {
      sums.put(g, row_block, own);
    }
  }
  if constexpr (std::is_same_v<Sums, LargestOfBlock<E>>)
    if (diagonal && !of_row) {
      sums.take(x_of_columns[at]);
      sums.raise(g, p.m);
    }
}

constexpr int combined_ahead = 8;  ///< partial sums that a thread loads at a time

/// Combines the partial sums of 32 sums and finishes them.
template <class E, class Sums>
__global__ void __launch_bounds__(32 * Sums::parts) symv_combine(const __grid_constant__ SymvArguments<E> g) {
  await_predecessor();
  using Partial = typename Sums::Partial;
  constexpr int parts = Sums::parts;
  const int lane = threadIdx.x % 32, part = threadIdx.x / 32;
  const Index sum = static_cast<Index>(blockIdx.x) * 32 + lane, sums = g.sums(), blocks = g.blocks();
  Partial total{};
  if (sum < sums) {
    const Partial* const from = static_cast<const Partial*>(g.partial) + sum;
    Index b = part;
    for (; b + (combined_ahead - 1) * parts < blocks; b += combined_ahead * parts) {
      Partial next[combined_ahead];
#pragma unroll
      for (int j = 0; j < combined_ahead; ++j) next[j] = Sums::load(from + (b + j * parts) * sums);
#pragma unroll
      for (int j = 0; j < combined_ahead; ++j) Sums::append(total, next[j]);
    }
    for (; b < blocks; b += parts) Sums::append(total, Sums::load(from + b * sums));
  }
  if constexpr (parts > 1) {
    __shared__ Partial totals[parts][32];
    totals[part][lane] = total;
    __syncthreads();
    if (part == 0)
      for (int other = 1; other < parts; ++other) Sums::append(total, totals[other][lane]);
  }
  if (part == 0 && sum < sums) Sums::finish(g, sum, total);
}

struct SymvScratch {
  ExactScratch exact;
  void* partial;
  std::uint64_t* most;
};

SymvScratch carve_symv(Carver& carver, const DeviceModel& model, VectorMode mode, Index n, int components) {
  SymvScratch s{};
  const Index partial = components * n * ceil_div(n, Index{symv_terms / components});
  s.exact = ExactScratch::carve(carver, model, components * n);
  if (mode == VectorMode::dot2)
    s.partial = carver.take<Pair>(partial);
  else
    s.partial = carver.take<TripleSum>(partial);
  s.most = carver.take<std::uint64_t>(mode == VectorMode::fixed ? n + 1 : 0);
  return s;
}

template <class E, class Sums>
void launch_tiles(const VectorCall& call, const SymvArguments<E>& g) {
  const auto kernel = symv_tiles<E, Sums>;
  static std::atomic<std::uint64_t> set_up{0};  // bits of the devices on which the shared memory was set
  const std::uint64_t device = call.model.device < 64 ? std::uint64_t{1} << call.model.device : 0;
  if (device == 0 || (set_up.load(std::memory_order_relaxed) & device) == 0) {
    allow_shared_bytes(kernel, piece_bytes<E>, "symv_tiles");
    set_up.fetch_or(device, std::memory_order_relaxed);
  }
  const dim3 grid(static_cast<unsigned>(g.blocks() + 1), static_cast<unsigned>(ceil_div(g.blocks(), 2)));
  launch(call.model, "symv_tiles", kernel, {grid, symv_threads<E>, piece_bytes<E>}, call.stream, g);
}

template <class E, class Sums>
void launch_sums(const VectorCall& call, const SymvArguments<E>& g) {
  launch_tiles<E, Sums>(call, g);
  launch(call.model, "symv_combine", symv_combine<E, Sums>,
         {static_cast<unsigned>(ceil_div(g.sums(), 32)), 32 * Sums::parts}, call.stream, g);
}

}  // namespace

std::size_t symv_scratch_bytes(const DeviceModel& model, VectorMode mode, Index n, int components) {
  Carver carver(nullptr);
  carve_symv(carver, model, mode, n, components);
  return carver.used();
}

template <class E>
void symv(const VectorCall& call, VectorMode mode, const Symv<E>& s, int bits, Scalar<RealOf<E>> alpha,
          Scalar<RealOf<E>> beta) {
  Carver carver(call.scratch);
  const SymvScratch scratch = carve_symv(carver, call.model, mode, s.n, component_count<E>);
  const bool hermitian = s.a.structure == Structure::hermitian;
  RowProblem<E> p{s.n, s.n, s.a.stored, s.x, s.y, alpha, beta, s.a.conjugate};
  p.held = s.a.part;
  p.conjugate_mirrored = s.a.conjugate != hermitian;
  p.real_diagonal = hermitian;
  const auto size = [](Index stride) { return stride < 0 ? -stride : stride; };
  if (size(p.a.col_stride) < size(p.a.row_stride)) {
    // The matrix is the mirror image of its transpose.
    p.a = p.a.transposed();
    p.held = transposed(p.held);
    std::swap(p.conjugate, p.conjugate_mirrored);
  }
  SymvArguments<E> g{
      p, {nullptr, 0}, {call.state, scratch.exact.list}, scratch.partial, scratch.most, call.all_undecided};
  if (mode == VectorMode::dot2) {
    launch_sums<E, PairsOfBlock<E>>(call, g);
  } else if (mode == VectorMode::cr) {
    launch_sums<E, TriplesOfBlock<E, false>>(call, g);
  } else {
    set_on_stream(g.most, 0, static_cast<std::size_t>(s.n + 1) * sizeof(std::uint64_t), call.stream, "clear exponents");
    launch_tiles<E, LargestOfBlock<E>>(call, g);
    g.fixed = {g.most, bits};
    launch_sums<E, TriplesOfBlock<E, true>>(call, g);
  }
  exact_rows(call, g.p, g.fixed, scratch.exact);
}

#define ACCUBLAS_INSTANTIATE(E) \
  template void symv(const VectorCall&, VectorMode, const Symv<E>&, int, Scalar<RealOf<E>>, Scalar<RealOf<E>>);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
