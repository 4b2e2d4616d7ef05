// The fused multiword product for compute capability 9.0: one persistent kernel. In every block two warpgroups of
// producers read FP32 entries of A and B, split them into words in registers and store the words to a ring of stages in
// shared memory, k-major and swizzled whatever way the operands lie; two warpgroups of consumers multiply from it by
// warpgroup MMAs of 64 x 128 or 64 x 256. A cluster of two blocks, one above the other, splits its columns once, half
// of them in each, and sends the words to the other's shared memory.
//
// Lines are taken 64 at a time. Line l of such a unit is line l / 2 + 32 (l % 2) of the MMA: a lane that reads two
// adjacent lines then stores without bank conflicts, and a thread of the MMA owns four neighbouring columns of C.
#include "cuda/core/arithmetic.hpp"
#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/occupancy.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/core/operand_tiles.hpp"
#include "cuda/core/ptx_hopper.hpp"
#include "cuda/core/ptx_words.hpp"
#include "cuda/elements/open_elements.hpp"
#include "cuda/multiword/product.hpp"
#include "cuda/multiword/words.hpp"
#include "lib/base/error.hpp"
#include "lib/numerics/finish.hpp"
#include "lib/numerics/multiword.hpp"

namespace accublas::cuda::hopper {

namespace {

constexpr int unit_lines = 64, unit_bytes = unit_lines * 128;
constexpr int rows = 2 * unit_lines;  // of a block's tile
constexpr int consumers = 2;          // warpgroups
constexpr int producer_threads = 256, producer_warps = producer_threads / 32,
              threads = 128 * consumers + producer_threads;
constexpr int kept_terms = 256;  // of sums in a tensor core, which truncates, before they are added to those kept
constexpr int half_top = multiword_scale({MultiwordFormat::fp16, 1}, 0);  // lines of FP16 words are below 2^this
constexpr int band = 8;  // clusters' tiles above each other that are computed together

/// A kernel. `stages` fill shared memory; with two accumulators a thread the small products are added up apart.
template <WordKind words_, int products_, int cols_, int cluster_, int stages_>
struct Config {
  static constexpr WordKind words = words_;
  static constexpr int products = products_, cols = cols_, cluster = cluster_, stages = stages_;

  static constexpr int step = words == WordKind::tf32 ? 32 : 64;  ///< of k: 128 bytes
  static constexpr int word_sets = products == 1 ? 1 : 2;
  static constexpr bool apart = products > 1 && cols == 128;
  static constexpr int row_bytes = rows * 128, col_bytes = cols * 128;  ///< of one word
  static constexpr int stage_bytes = (row_bytes + col_bytes) * word_sets;
  static constexpr int own_cols = cols / cluster;  ///< columns that a block splits
  static constexpr int peer_bytes = cluster > 1 ? own_cols * 128 * word_sets : 0;
  static constexpr int row_units = rows / unit_lines, col_units = own_cols / unit_lines;
  static constexpr int scales_bytes = 2 * (rows + own_cols) * static_cast<int>(sizeof(float2));
  static constexpr int kept_bytes = apart ? 128 * consumers * 64 * static_cast<int>(sizeof(float)) : 0;
  static constexpr int shared_bytes = stages * stage_bytes + kept_bytes + scales_bytes + 16 * stages + 1024;
  /// Of a thread; 512 threads have 128 each at the start. Producers hold the entries of their next stage.
  static constexpr int consumer_registers = row_units + col_units > 3 ? 160 : 168;
  static constexpr int producer_registers = 256 - consumer_registers;
  static constexpr bool scaled = words != WordKind::tf32, separate_scales = words == WordKind::half;
};

/// Shared memory: a ring of stages (words of the rows, then of the columns), sums that consumers keep, scales of the
/// lines of two tiles, a barrier `full` and one `empty` for each stage.
template <class C>
struct Ring {
  std::uint32_t base;
  float4* kept;    ///< [16][consumer threads]
  float2* scales;  ///< [2][rows + own_cols]

  __device__ explicit Ring(std::uint8_t* shared) {
    const std::uint32_t start = ptx::shared_address(shared);
    base = (start + 1023) & ~1023u;
    kept = reinterpret_cast<float4*>(shared + (base - start) + C::stages * C::stage_bytes);
    scales = reinterpret_cast<float2*>(kept + C::kept_bytes / sizeof(float4));
  }
  __device__ std::uint32_t row_words(int stage, int word) const {
    return base + stage * C::stage_bytes + word * C::row_bytes;
  }
  __device__ std::uint32_t col_words(int stage, int word) const {
    return base + stage * C::stage_bytes + C::word_sets * C::row_bytes + word * C::col_bytes;
  }
  __device__ std::uint32_t full(int stage) const {
    return base + C::stages * C::stage_bytes + C::kept_bytes + C::scales_bytes + 8 * stage;
  }
  __device__ std::uint32_t empty(int stage) const { return full(stage) + 8 * C::stages; }

  __device__ void initialise() const {
    for (int stage = 0; stage < C::stages; ++stage) {
      ptx::barrier_init(full(stage), 1);
      // Every warp of both blocks' consumers frees a stage, because both blocks' producers write to it.
      ptx::barrier_init(empty(stage), C::cluster * consumers * 4);
    }
    ptx::publish_barriers();
  }
};

template <class C>
struct Position {
  int stage;
  std::uint32_t parity;

  __device__ void advance() {
    if (++stage == C::stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

struct Job {
  MultiwordProduct product;
  bool rows_along, cols_along;      ///< whether the operand lies along the terms
  bool rows_vectors, cols_vectors;  ///< and whether it can be read by vectors of numbers
};

/// The tiles of a cluster one after the other, those of the wanted kind.
template <class C>
class Walk {
 public:
  Index row, col;  ///< of the cluster's tile

  __device__ explicit Walk(const Job& job) : product_(job.product), t_(blockIdx.x / C::cluster) {
    row_tiles_ = ceil_div(product_.rows.count, Index{C::cluster} * rows);
    count_ = row_tiles_ * ceil_div(product_.cols.count, Index{C::cols});
    settle();
  }
  __device__ bool ended() const { return t_ >= count_; }
  __device__ void advance() {
    t_ += gridDim.x / C::cluster;
    settle();
  }

 private:
  __device__ void settle() {
    const Index col_tiles = count_ / row_tiles_;
    for (; !ended(); t_ += gridDim.x / C::cluster) {
      const Index first = t_ / (band * col_tiles) * band, height = min(row_tiles_ - first, Index{band});
      const Index rest = t_ - first * col_tiles;
      row = (first + rest % height) * C::cluster * rows;
      col = rest / height * C::cols;
      if (product_.tiles == Tiles::all) return;
      const bool fits = product_.rows_fit[row / line_group] != 0 && product_.cols_fit[col / line_group] != 0;
      if (fits == (product_.tiles == Tiles::fitting)) return;
    }
  }

  const MultiwordProduct& product_;
  Index t_, row_tiles_, count_;
};

// ---- producers ----------------------------------------------------------------------------------------------------

/// What a thread holds of a unit. Along the terms: four neighbouring terms of each of some lines; else two neighbouring
/// lines of some terms.
template <class C, bool along>
struct Entries {
  static constexpr int count = unit_lines * C::step / producer_threads;
  static constexpr int lanes = C::step / 4;  ///< that share a line, along the terms
  static constexpr int lines_at_once = producer_threads / lanes;
  static constexpr int terms = C::step / producer_warps;  ///< of a warp, across them
  float x[count];

  __device__ __forceinline__ void load(const Operand<float>& operand, bool vectors, Index first, Index p0) {
    const int t = static_cast<int>(threadIdx.x) - 128 * consumers;
    const Index line = first + (along ? t / lanes : 2 * (t % 32)), p = p0 + (along ? 4 * (t % lanes) : t / 32 * terms);
    const float* at = operand.data + line * operand.stride + p * operand.k_stride;
    const Index far = along ? operand.stride * lines_at_once : operand.k_stride;
    if (vectors && first + unit_lines <= operand.count && p0 + C::step <= operand.k) {
      if constexpr (along) {
#pragma unroll
        for (int r = 0; r < count / 4; ++r, at += far) {
          const float4 v = ptx::load_numbers_once(reinterpret_cast<const float4*>(at));
          x[4 * r] = v.x, x[4 * r + 1] = v.y, x[4 * r + 2] = v.z, x[4 * r + 3] = v.w;
        }
      } else {
#pragma unroll
        for (int i = 0; i < terms; ++i, at += far) {
          const float2 v = ptx::load_numbers_once(reinterpret_cast<const float2*>(at));
          x[2 * i] = v.x, x[2 * i + 1] = v.y;
        }
      }
    } else if constexpr (along) {
#pragma unroll
      for (int r = 0; r < count / 4; ++r, at += far)
#pragma unroll
        for (int i = 0; i < 4; ++i)
          x[4 * r + i] =
              line + r * lines_at_once < operand.count && p + i < operand.k ? at[i * operand.k_stride] : 0.0f;
    } else {
#pragma unroll
      for (int i = 0; i < terms; ++i, at += far)
#pragma unroll
        for (int j = 0; j < 2; ++j)
          x[2 * i + j] = line + j < operand.count && p + i < operand.k ? at[j * operand.stride] : 0.0f;
    }
  }

  /// Scales a number by both factors where both are kept.
  __device__ __forceinline__ static float pre(float x, float2 scale) { return C::separate_scales ? x * scale.y : x; }

  /// Words to the unit's lines at `first` and `second` in shared memory.
  __device__ __forceinline__ void store(const float2* scales, std::uint32_t first, std::uint32_t second) const {
    using Pair = words::Pair<C::words>;
    const int t = static_cast<int>(threadIdx.x) - 128 * consumers;
    const auto scale_of = [&](int line) { return C::scaled ? scales[line] : float2{1.0f, 1.0f}; };
    if constexpr (along) {
#pragma unroll
      for (int r = 0; r < count / 4; ++r) {
        const int line = t / lanes + r * lines_at_once, n = line / 2 + 32 * (line % 2);
        const float2 s = scale_of(line);
        const float* const v = x + 4 * r;
        const Pair low(pre(v[0], s), pre(v[1], s), s.x, s.x), high(pre(v[2], s), pre(v[3], s), s.x, s.x);
        if constexpr (C::words == WordKind::tf32) {
          const std::uint32_t at = n * 128 + ((t % lanes ^ (n & 7)) << 4);
          ptx::store_shared(first + at, low.first[0], low.first[1], high.first[0], high.first[1]);
          if constexpr (C::word_sets > 1)
            ptx::store_shared(second + at, low.second[0], low.second[1], high.second[0], high.second[1]);
        } else {
          const std::uint32_t at = n * 128 + ((t % lanes / 2 ^ (n & 7)) << 4) + t % 2 * 8;
          ptx::store_shared(first + at, low.first, high.first);
          if constexpr (C::word_sets > 1) ptx::store_shared(second + at, low.second, high.second);
        }
      }
    } else {
      const int lane = t % 32;
      const std::uint32_t at = lane * 128 + ((t / 32 ^ (lane & 7)) << 4);
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const float2 s = scale_of(2 * lane + j);
        const auto pair = [&](int i) { return Pair(pre(x[2 * i + j], s), pre(x[2 * i + 2 + j], s), s.x, s.x); };
        if constexpr (C::words == WordKind::tf32) {
          const Pair a = pair(0), b = pair(2);
          ptx::store_shared(first + at + j * 4096, a.first[0], a.first[1], b.first[0], b.first[1]);
          if constexpr (C::word_sets > 1)
            ptx::store_shared(second + at + j * 4096, a.second[0], a.second[1], b.second[0], b.second[1]);
        } else {
          const Pair a = pair(0), b = pair(2), d = pair(4), e = pair(6);
          ptx::store_shared(first + at + j * 4096, a.first, b.first, d.first, e.first);
          if constexpr (C::word_sets > 1)
            ptx::store_shared(second + at + j * 4096, a.second, b.second, d.second, e.second);
        }
      }
    }
  }
};

/// The factors that bring a line below 2^exponent to 2^half_top: the first alone where it is a float.
__device__ float2 scale_factors(int exponent) {
  const int power = half_top - exponent, first = min(power, 127);
  return {__int_as_float((127 + first) << 23), __int_as_float((127 + power - first) << 23)};
}

/// What the producers load next: a step of a tile.
template <class C>
struct Source {
  Walk<C> walk;
  Index row, col;  ///< of the lines that this block splits
  Index p = 0;
  int tile = 0;

  __device__ explicit Source(const Job& job) : walk(job) {}
  __device__ void begin_tile(const Job& job, float2* scales) {
    const int rank = C::cluster > 1 ? static_cast<int>(ptx::cluster_rank()) : 0;
    row = walk.row + rank * rows;
    col = walk.col + rank * C::own_cols;
    if constexpr (C::scaled) {
      float2* const to = scales + tile % 2 * (rows + C::own_cols);
      const MultiwordProduct& m = job.product;
      for (int i = static_cast<int>(threadIdx.x) - 128 * consumers; i < rows + C::own_cols; i += producer_threads) {
        const bool of_rows = i < rows;
        const Lines& lines = of_rows ? m.row_lines : m.col_lines;
        const Index line = of_rows ? row + i : col + i - rows;
        to[i] = scale_factors(line < lines.count ? lines.exponent[line] : 0);
      }
    }
  }
  /// Another tile begins.
  __device__ bool advance(Index k) {
    p += C::step;
    if (p < k) return false;
    p = 0;
    ++tile;
    walk.advance();
    return true;
  }
};

template <class C, bool rows_along, bool cols_along>
__device__ void produce(const Job& job, const Ring<C>& ring) {
  const MultiwordProduct& m = job.product;
  const int rank = C::cluster > 1 ? static_cast<int>(ptx::cluster_rank()) : 0;
  const bool leader = threadIdx.x == 128 * consumers;
  constexpr int table = rows + C::own_cols;
  Source<C> source(job);
  if (source.walk.ended()) return;
  Entries<C, rows_along> of_rows[C::row_units];
  Entries<C, cols_along> of_cols[C::col_units];
  // All loads of a step together: ptxas gives them one scoreboard, so that who waits for one waits for all.
  const auto load = [&] {
#pragma unroll
    for (int u = 0; u < C::col_units; ++u)
      of_cols[u].load(m.cols, job.cols_vectors, source.col + u * unit_lines, source.p);
#pragma unroll
    for (int u = 0; u < C::row_units; ++u)
      of_rows[u].load(m.rows, job.rows_vectors, source.row + u * unit_lines, source.p);
  };
  source.begin_tile(job, ring.scales);
  load();
  ptx::barrier_sync(1, producer_threads);  // the scales
  for (Position<C> at{0, 1};; at.advance()) {
    const float2* const scales = ring.scales + source.tile % 2 * table;
    if (source.advance(m.rows.k) && !source.walk.ended()) source.begin_tile(job, ring.scales);
    const bool more = !source.walk.ended();
    ptx::barrier_wait(ring.empty(at.stage), at.parity);
    // The columns first, which have further to go.
#pragma unroll
    for (int u = 0; u < C::col_units; ++u) {
      const std::uint32_t offset = (rank * C::own_cols + u * unit_lines) * 128;
      of_cols[u].store(scales + rows + u * unit_lines, ring.col_words(at.stage, 0) + offset,
                       ring.col_words(at.stage, 1) + offset);
    }
#pragma unroll
    for (int u = 0; u < C::row_units; ++u) {
      const std::uint32_t offset = u * unit_bytes;
      of_rows[u].store(scales + u * unit_lines, ring.row_words(at.stage, 0) + offset,
                       ring.row_words(at.stage, 1) + offset);
    }
    if (more) load();
    ptx::publish_shared_writes();
    ptx::barrier_sync(1, producer_threads);
    if (leader) {
      ptx::barrier_expect(ring.full(at.stage), C::peer_bytes);
      if constexpr (C::cluster > 1) {
        for (int word = 0; word < C::word_sets; ++word)
          ptx::copy_to_peer(ring.col_words(at.stage, word) + rank * C::own_cols * 128, C::own_cols * 128,
                            ring.full(at.stage), rank ^ 1);
      }
    }
    if (!more) return;
  }
}

// ---- consumers ----------------------------------------------------------------------------------------------------

/// Accumulators of 64 rows and 128 columns a piece.
template <int pieces>
using Sums = float[pieces][64];

/// sums = (add ? sums : 0) + words of rows times words of columns.
template <WordKind words, int pieces>
__device__ __forceinline__ void mma(Sums<pieces>& sums, std::uint64_t rows, std::uint64_t cols, int add) {
#pragma unroll
  for (int i = 0; i < pieces; ++i, cols += 128 * 128 / 16) {
    if constexpr (words == WordKind::tf32)
      ptx::mma_tf32(sums[i], rows, cols, add);
    else
      ptx::mma_half(sums[i], rows, cols, add);
  }
}

/// Writes the elements of a tile that a thread owns: of two rows 16 apart, four neighbouring columns at a time.
template <class C>
class Output {
 public:
  __device__ Output(const Job& job, Index row)
      : m_(job.product),
        row_(row),
        alpha_(m_.alpha.get()),
        beta_(m_.beta.get()),
        specials_(m_.state->rows.special != 0 || m_.state->cols.special != 0),
        vectors_(m_.at.col_stride == 1 && m_.at.row_stride % 4 == 0 &&
                 reinterpret_cast<std::uintptr_t>(m_.at.data) % 16 == 0) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const Index at = row + 16 * half;
      wanted_[half] = at < m_.rows.count && !(specials_ && m_.row_lines.special[at] != 0);
      exponent_[half] = C::scaled && wanted_[half] ? m_.row_lines.exponent[at] - 2 * half_top : 0;
    }
  }

  struct Columns {
    int exponent[4];
    bool wanted[4], all;
  };
  /// What is known of the lines of four columns; per-line arrays are padded.
  __device__ Columns columns(Index col) const {
    Columns c{{}, {}, true};
    if (C::scaled && col < m_.cols.count) {
      const int4 e = __ldg(reinterpret_cast<const int4*>(m_.col_lines.exponent + col));
      c.exponent[0] = e.x, c.exponent[1] = e.y, c.exponent[2] = e.z, c.exponent[3] = e.w;
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      c.wanted[i] = col + i < m_.cols.count && !(specials_ && m_.col_lines.special[col + i] != 0);
      c.all &= c.wanted[i];
    }
    return c;
  }

  __device__ void store(const double (&sums)[4], int half, Index col, const Columns& c) const {
    if (!wanted_[half]) return;
    float* const to = m_.at.data + (row_ + 16 * half) * m_.at.row_stride + col * m_.at.col_stride;
    double result[4];
    bool finite = true;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      finite &= isfinite(sums[i]) != 0;
      result[i] = static_cast<double>(alpha_) * sums[i];
      if (C::scaled) result[i] *= power_of_two(exponent_[half] + c.exponent[i]);
    }
    if (vectors_ && c.all && finite) {
      if (!is_zero(beta_)) {
        const float4 old = *reinterpret_cast<const float4*>(to);
        result[0] += static_cast<double>(beta_) * static_cast<double>(old.x);
        result[1] += static_cast<double>(beta_) * static_cast<double>(old.y);
        result[2] += static_cast<double>(beta_) * static_cast<double>(old.z);
        result[3] += static_cast<double>(beta_) * static_cast<double>(old.w);
      }
      *reinterpret_cast<float4*>(to) = {static_cast<float>(result[0]), static_cast<float>(result[1]),
                                        static_cast<float>(result[2]), static_cast<float>(result[3])};
      return;
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (!c.wanted[i]) continue;
      if (!isfinite(sums[i])) {
        leave_open(half, col + i);
        continue;
      }
      float* const at = to + i * m_.at.col_stride;
      if (!is_zero(beta_)) result[i] += static_cast<double>(beta_) * static_cast<double>(*at);
      *at = static_cast<float>(result[i]);
    }
  }

 private:
  __device__ void leave_open(int half, Index col) const {
    atomicOr(m_.open + (row_ + 16 * half) * OpenBits::words_per_row(m_.cols.count) + col / 32, 1u << (col % 32));
    atomicAdd(&m_.state->rejected, 1ull);
  }

  const MultiwordProduct& m_;
  const Index row_;
  const float alpha_, beta_;
  const bool specials_, vectors_;
  bool wanted_[2];
  int exponent_[2];
};

template <class C>
__device__ void consume(const Job& job, const Ring<C>& ring) {
  const int warpgroup = threadIdx.x / 128, warp = threadIdx.x % 128 / 32, lane = threadIdx.x % 32;
  const int rank = C::cluster > 1 ? static_cast<int>(ptx::cluster_rank()) : 0;
  const Index steps = ceil_div(job.product.rows.k, Index{C::step});
  const auto free_stage = [&](int stage) {
    if (lane < C::cluster) ptx::barrier_arrive(ring.empty(stage), lane);
  };
  // Sums are added to those kept by plain additions, which round to nearest.
  float4* const mine = ring.kept + threadIdx.x;
  const auto add_kept = [&](auto& sums, int i) {
    const float4 old = mine[i * 128 * consumers];
    float* const s = &sums[0][4 * i];
    s[0] += old.x, s[1] += old.y, s[2] += old.z, s[3] += old.w;
  };
  const auto keep = [&](auto& sums, bool any) {
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      if (any) add_kept(sums, i);
      const float* const s = &sums[0][4 * i];
      mine[i * 128 * consumers] = {s[0], s[1], s[2], s[3]};
    }
  };
  constexpr double minor_scale = C::words == WordKind::tf32_half ? 1 / static_cast<double>(words::second_scale) : 1.0;
  Position<C> at{0, 0};
  for (Walk<C> walk(job); !walk.ended(); walk.advance()) {
    Sums<C::cols / 128> major, minor;  // minor: where small products are added up apart
    for (Index step = 0; step < steps; ++step, at.advance()) {
      const bool keeps = C::apart && step > 0 && step % (kept_terms / C::step) == 0;
      if (keeps) keep(major, step > kept_terms / C::step);
      ptx::barrier_wait(ring.full(at.stage), at.parity);
      const std::uint64_t rows1 = ptx::line_descriptor(ring.row_words(at.stage, 0) + warpgroup * unit_bytes);
      const std::uint64_t cols1 = ptx::line_descriptor(ring.col_words(at.stage, 0));
      const std::uint64_t rows2 = rows1 + C::row_bytes / 16, cols2 = cols1 + C::col_bytes / 16;
      ptx::mma_begin();
#pragma unroll
      for (int part = 0; part < 4; ++part) {
        const int add = step > 0 || part > 0;
        const std::uint64_t on = 2 * part;
        if constexpr (C::apart) {
          if constexpr (C::products > 3) mma<C::words>(minor, rows2 + on, cols2 + on, add);
          mma<C::words>(minor, rows2 + on, cols1 + on, C::products > 3 ? 1 : add);
          mma<C::words>(minor, rows1 + on, cols2 + on, 1);
        }
        mma<C::words>(major, rows1 + on, cols1 + on, part > 0 || (step > 0 && !keeps));
      }
      ptx::mma_commit();
      // The other warpgroup's MMAs fill the gap; a stage that is freed later is missed by the producers.
      ptx::mma_wait<0>();
      free_stage(at.stage);
    }
    if (C::apart && steps > kept_terms / C::step) {
#pragma unroll
      for (int i = 0; i < 16; ++i) add_kept(major, i);
    }

    Output<C> output(job, walk.row + rank * rows + warpgroup * unit_lines + 2 * (warp * 16 + lane / 4) % 64 +
                              (warp * 16 + lane / 4) / 32);
#pragma unroll
    for (int group = 0; group < C::cols / 16; ++group) {
      const Index col = walk.col + group * 16 + 4 * (lane % 4);
      const auto columns = output.columns(col);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        double sums[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const int q = 4 * (group % 8 / 4 * 8 + group % 4 + 4 * (i % 2)) + 2 * half + i / 2;
          sums[i] = static_cast<double>(major[group / 8][q]);
          if constexpr (C::apart) sums[i] += minor_scale * static_cast<double>(minor[group / 8][q]);
        }
        output.store(sums, half, col, columns);
      }
    }
  }
}

template <class C>
__global__ void __launch_bounds__(threads, 1) fused_product(const __grid_constant__ Job job) {
  extern __shared__ std::uint8_t shared[];
  const Ring<C> ring(shared);
  if (threadIdx.x == 0) ring.initialise();
  __syncthreads();
  if constexpr (C::cluster > 1) ptx::cluster_sync();
  await_predecessor();
  if (leaves_c(*job.product.state, job.product.alpha)) return;
  if (threadIdx.x >= 128 * consumers) {
    ptx::give_registers_up<C::producer_registers>();
    if (job.rows_along)
      job.cols_along ? produce<C, true, true>(job, ring) : produce<C, true, false>(job, ring);
    else
      job.cols_along ? produce<C, false, true>(job, ring) : produce<C, false, false>(job, ring);
    __syncwarp();
  } else {
    ptx::take_registers<C::consumer_registers>();
    consume(job, ring);
  }
  if constexpr (C::cluster > 1) ptx::cluster_sync();  // no block leaves while its peer may still write to it
}

template <class C>
void launch(const DeviceModel& model, const Job& job, cudaStream_t stream) {
  LaunchShape shape{1, threads, C::shared_bytes, C::cluster};
  shape.grid = static_cast<unsigned>(resident_blocks(model, "multiword product", fused_product<C>, shape));
  cuda::launch(model, "multiword product", fused_product<C>, shape, stream, job);
}

bool multiple(const void* pointer, std::size_t of) { return reinterpret_cast<std::uintptr_t>(pointer) % of == 0; }

/// Whether four neighbouring terms, or two neighbouring lines, can be read at once.
bool reads_vectors(const Operand<float>& x, bool along) {
  return along ? x.k_stride == 1 && x.stride % 4 == 0 && multiple(x.data, 16)
               : x.stride == 1 && x.k_stride % 2 == 0 && multiple(x.data, 8);
}

}  // namespace

void multiword_product(const DeviceModel& model, WordKind words, int products, const MultiwordProduct& product,
                       cudaStream_t stream) {
  const bool rows_along = lies_along_terms(product.rows), cols_along = lies_along_terms(product.cols);
  const Job job{product, rows_along, cols_along, reads_vectors(product.rows, rows_along),
                reads_vectors(product.cols, cols_along)};
  switch (words) {
    case WordKind::tf32:
      if (products == 1) return launch<Config<WordKind::tf32, 1, 256, 2, 4>>(model, job, stream);
      if (products == 3) return launch<Config<WordKind::tf32, 3, 128, 2, 2>>(model, job, stream);
      return launch<Config<WordKind::tf32, 4, 128, 2, 2>>(model, job, stream);
    case WordKind::tf32_half:
      if (products == 1) return launch<Config<WordKind::tf32_half, 1, 256, 2, 4>>(model, job, stream);
      if (products == 3) return launch<Config<WordKind::tf32_half, 3, 128, 2, 2>>(model, job, stream);
      break;
    case WordKind::half:
      if (products == 1) return launch<Config<WordKind::half, 1, 256, 2, 4>>(model, job, stream);
      if (products == 3) return launch<Config<WordKind::half, 3, 128, 2, 2>>(model, job, stream);
  }
  throw Error(ACCUBLAS_ERROR_INTERNAL, "no fused kernel for these words");
}

}  // namespace accublas::cuda::hopper
