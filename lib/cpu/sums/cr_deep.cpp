// cr for GEMM with a long inner dimension by the sums of cr_gemm.cpp: chains over some terms at a time, whose sums add
// up with their bounds. No operand is converted or copied as a whole, which would cost more than the product of a few
// rows and columns. Threads share blocks of C, and the terms of few blocks.
#include <algorithm>
#include <atomic>

#include "lib/base/integers.hpp"
#include "lib/call/accuracy.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/cpu/sums/cr_panels.hpp"
#include "lib/numerics/bounds.hpp"
#include "lib/numerics/exact_sum.hpp"
#include "lib/numerics/ziv.hpp"

namespace accublas::cpu {

namespace {

template <class T>
class CrDeep {
 public:
  CrDeep(const DeepGemm<T>& sizes, Execution& execution)
      : g_(sizes), execution_(execution), kernels_(cr_kernels<T>(execution.isa)), kernel_(*kernels_.gemm) {}

  /// Takes all memory; false where there is not enough.
  bool divide();

  void run(const DeepGemm<T>& g) {
    PhaseTimer timer(execution_, &accublas_report_t::ms_product);
    g_ = g;
    std::fill_n(open_, g_.m * g_.n, std::uint8_t{1});
    for (Index b = 0; b < blocks_; ++b) hard_[b] = any_wanted(rows_of(b), cols_of(b));
    add_up(Speed::swift);
    add_up(Speed::full);
    resolve();
    execution_.report.undecided += undecided_.exchange(0);
  }

 private:
  // Tuning.
  static constexpr Index most_terms = 1024, least_terms = 128;  // of a chain
  static constexpr Index block_lines = 64;                      // of each operand: their panels stay in L2
  static constexpr Index copied_terms = 64;  // of all lines of a panel at a time: elements of one term may be adjacent
  static constexpr Index spread = 8;  // between copied lines, so that they do not share sets of the first-level cache
  static constexpr int hard_elements =
      64;  // one element of a block in so many that `swift` leaves open takes all of it to `full`
  static constexpr double thread_work = 1.5e6;  // terms that are worth other threads

  struct Range {
    Index begin, count;
  };

  Index copy_bytes() const { return round_up(kernel_.lines * (terms_ + spread) * Index{sizeof(T)}, 64); }
  Index thread_bytes() const { return CrPanels::bytes(rows_, terms_) + CrPanels::bytes(cols_, terms_) + copy_bytes(); }

  Range rows_of(Index block) const {
    const Index begin = block % ceil_div(g_.m, rows_) * rows_;
    return {begin, std::min(rows_, g_.m - begin)};
  }
  Range cols_of(Index block) const {
    const Index begin = block / ceil_div(g_.m, rows_) * cols_;
    return {begin, std::min(cols_, g_.n - begin)};
  }
  bool wanted(Index i, Index j) const { return holds(g_.wanted, i + g_.shift, j); }
  bool any_wanted(Range rows, Range cols) const {
    return wanted(rows.begin, cols.begin + cols.count - 1) || wanted(rows.begin + rows.count - 1, cols.begin);
  }

  /// The sums of hard blocks, and what of their elements they decide; blocks that `swift` leaves hard stay so.
  void add_up(Speed speed) {
    if (std::none_of(hard_, hard_ + blocks_, [](std::uint8_t hard) { return hard != 0; })) return;
    const Index size = rows_ * cols_, chains = ceil_div(g_.k, terms_);
    parallel_for(blocks_ * splits_, threads_, [&](Index task, int thread) {
      const Index block = task / splits_, split = task % splits_;
      if (!hard_[block]) return;
      TripleSum* const sums = sums_ + (splits_ > 1 ? task : thread) * size;
      std::fill_n(sums, size, TripleSum{0, 0, 0, 0});
      for (Index chain = chains * split / splits_; chain < chains * (split + 1) / splits_; ++chain)
        add_chains(speed, rows_of(block), cols_of(block), chain * terms_, memory_ + thread * thread_bytes(), sums);
      if (splits_ == 1) finish_block(speed, block, sums);
    });
    if (splits_ == 1) return;
    for (Index block = 0; block < blocks_; ++block) {
      if (!hard_[block]) continue;
      TripleSum* const sums = sums_ + block * splits_ * size;
      for (Index split = 1; split < splits_; ++split)
        for (Index e = 0; e < size; ++e) triple_add(sums[e], sums[split * size + e]);
      finish_block(speed, block, sums);
    }
  }

  /// sums += those over the terms of a chain from `first` on.
  void add_chains(Speed speed, Range rows, Range cols, Index first, unsigned char* memory, TripleSum* sums) const {
    const Index k = std::min(terms_, g_.k - first), unit = kernel_.lines;
    const CrPanels a(memory, unit, rows_, k), b(memory + CrPanels::bytes(rows_, terms_), unit, cols_, k);
    T* const copies = reinterpret_cast<T*>(memory + thread_bytes() - copy_bytes());
    pack(g_.rows, rows, first, a, copies);
    pack(g_.cols, cols, first, b, copies);
    double high[64], low[64], rest[64];
    T out[64];
    const Grid grid{ceil_log2(k) + 1};
    const double terms = static_cast<double>(k);
    CrTile<T> tile{};
    tile.k = k;
    tile.base1 = grid.base1();
    tile.base2 = grid.base2();
    tile.quantum2 = grid.quantum2();
    tile.error = speed == Speed::full ? grid.error(terms, terms) : grid.swift_error(terms);
    tile.high = high;
    tile.low = low;
    tile.rest = rest;
    tile.out = out;
    for (Index i = 0; i < rows.count; i += unit) {
      tile.rows = std::min<Index>(unit, rows.count - i);
      tile.a = a.entry(i);
      tile.row = a.known(i);
      for (Index j = 0; j < cols.count; j += kernel_.cols) {
        const Index count = std::min<Index>(kernel_.cols, cols.count - j);
        if (!any_wanted({rows.begin + i, tile.rows}, {cols.begin + j, count})) continue;
        tile.b = b.entry(j);
        tile.col = b.known(j);
        kernel_.tile[static_cast<int>(speed)](tile);
        for (Index c = 0; c < count; ++c)
          for (Index r = 0; r < tile.rows; ++r)
            triple_add(sums[(j + c) * rows_ + i + r], {high[c * unit + r], low[c * unit + r], 0, rest[c * unit + r]});
      }
    }
  }

  void pack(const DeepLines<T>& lines, Range range, Index first, const CrPanels& to, T* copies) const {
    const Index unit = kernel_.lines, k = to.k, stride = terms_ + spread;
    for (Index i = 0; i < range.count; i += unit) {
      const Index line = range.begin + i, count = std::min<Index>(unit, range.count - i);
      double* const panel = to.entries + i * k;
      if (lines.copy) {
        for (Index p = 0; p < k; p += copied_terms)
          lines.copy(line, count, first + p, std::min(copied_terms, k - p), copies + p, stride);
        kernel_.pack(k, count, copies, stride, 1, panel);
      } else {
        const Matrix<const T>& x = lines.stored;
        kernel_.pack(k, count, &x(line, first), x.row_stride, x.col_stride, panel);
      }
      kernel_.measure(k, panel, to.known(i));
    }
  }

  /// Rounds the open elements of a block that their sums decide.
  void finish_block(Speed speed, Index block, const TripleSum* sums) {
    const Range rows = rows_of(block), cols = cols_of(block);
    Index all = 0, left = 0;
    for (Index j = 0; j < cols.count; ++j)
      for (Index i = 0; i < rows.count; ++i) {
        const Index row = rows.begin + i, col = cols.begin + j;
        std::uint8_t& open = open_[row + col * g_.m];
        if (!wanted(row, col)) open = 0;
        all += wanted(row, col);
        if (!open) continue;
        T* const c = &g_.c(row, col);
        T out = 0;
        if (ziv_test(g_.alpha, sums[j * rows_ + i], g_.beta, read_addend(g_.beta, c), &out))
          *c = out, open = 0;
        else
          ++left;
      }
    hard_[block] = speed == Speed::swift && left * hard_elements > all;
  }

  /// The elements that are still open, one by one.
  void resolve() {
    for (Index b = 0; b < blocks_; ++b)
      if (!any_wanted(rows_of(b), cols_of(b))) clear(rows_of(b), cols_of(b));
    if (std::none_of(open_, open_ + g_.m * g_.n, [](std::uint8_t open) { return open != 0; })) return;
    parallel_for(g_.m * g_.n, threads_, [&](Index at, int thread) {
      if (open_[at]) resolve_element(at % g_.m, at / g_.m, reinterpret_cast<T*>(memory_ + thread * thread_bytes()));
    });
  }
  void clear(Range rows, Range cols) {
    for (Index j = 0; j < cols.count; ++j)
      std::fill_n(open_ + rows.begin + (cols.begin + j) * g_.m, rows.count, std::uint8_t{0});
  }

  /// body(terms, row, column) for all terms of an element, some at a time.
  template <class Body>
  void for_terms(Index i, Index j, T* copies, Body&& body) const {
    T* const other = copies + terms_;
    for (Index p = 0; p < g_.k; p += terms_) {
      const Index terms = std::min(terms_, g_.k - p);
      const auto entries = [&](const DeepLines<T>& lines, Index line, T* to) {
        if (lines.copy) return lines.copy(line, 1, p, terms, to, terms);
        for (Index t = 0; t < terms; ++t) to[t] = lines.stored(line, p + t);
      };
      entries(g_.rows, i, copies);
      entries(g_.cols, j, other);
      if (!body(terms, copies, other)) return;
    }
  }

  void resolve_element(Index i, Index j, T* copies) {
    T* const c = &g_.c(i, j);
    const T addend = read_addend(g_.beta, c);
    TripleSum sum{0, 0, 0, 0};
    bool any_nan = false;
    for_terms(i, j, copies, [&](Index terms, const T* row, const T* col) {
      for (Index t = 0; t < terms; ++t) any_nan |= is_nan(row[t]) || is_nan(col[t]);
      const double last_bit = kernels_.last_bit(terms, row);
      TripleSum part;
      kernels_.rows[static_cast<int>(Speed::full)](1, terms, row, terms, col,
                                                   {&last_bit, kernels_.last_bit(terms, col)}, &part);
      triple_add(sum, part);
      return !any_nan;
    });
    T out = 0;
    if (any_nan) {
      *c = finish_special(g_.alpha, canonical_nan<T>(), g_.beta, addend);
    } else if (ziv_test(g_.alpha, sum, g_.beta, addend, &out)) {
      *c = out;
    } else {
      ExactSum<T> exact;
      for_terms(i, j, copies, [&](Index terms, const T* row, const T* col) {
        exact.add(0, terms, row, col);
        return true;
      });
      *c = exact.finish(g_.alpha, g_.beta, c);
      undecided_.fetch_add(1, std::memory_order_relaxed);
    }
  }

  DeepGemm<T> g_;
  Execution& execution_;
  const CrKernels<T>& kernels_;
  const CrGemmKernel<T>& kernel_;
  int threads_ = 1;
  Index terms_ = 0, rows_ = 0, cols_ = 0;  ///< of a chain, of a block
  Index blocks_ = 0, splits_ = 1;          ///< tasks of a block
  unsigned char* memory_ = nullptr;        ///< of threads
  TripleSum* sums_ = nullptr;
  std::uint8_t *hard_ = nullptr, *open_ = nullptr;  ///< blocks and elements that are not final
  std::atomic<std::int64_t> undecided_{0};
};

template <class T>
bool CrDeep<T>::divide() {
  const Index unit = kernel_.lines;
  terms_ = std::min(most_terms, round_up(g_.k, 64));
  rows_ = std::min(round_up(g_.m, unit), round_up(block_lines, unit));
  cols_ = std::min(round_up(g_.n, unit), round_up(block_lines, unit));
  const double work = static_cast<double>(g_.m) * static_cast<double>(g_.n) * static_cast<double>(g_.k);
  threads_ = work < thread_work ? 1 : execution_.threads;
  const Index left = static_cast<Index>(execution_.workspace.left()) - 4096;
  for (;;) {
    blocks_ = ceil_div(g_.m, rows_) * ceil_div(g_.n, cols_);
    const Index chains = ceil_div(g_.k, terms_);
    splits_ = threads_ == 1 || blocks_ >= 2 * threads_ ? 1 : std::min(ceil_div(Index{2} * threads_, blocks_), chains);
    const Index of_sums = rows_ * cols_ * Index{sizeof(TripleSum)};
    // Every task has sums where several tasks share a block, else every thread.
    const Index bytes =
        threads_ * thread_bytes() + (splits_ > 1 ? blocks_ * splits_ : threads_) * of_sums + blocks_ + g_.m * g_.n;
    if (bytes <= left) break;
    if (threads_ > 1)
      --threads_;
    else if (rows_ > unit || cols_ > unit)
      (rows_ > cols_ ? rows_ : cols_) = unit;
    else if (terms_ > least_terms)
      terms_ /= 2;
    else
      return false;
  }
  Workspace& workspace = execution_.workspace;
  const auto size = [](Index count) { return static_cast<std::size_t>(count); };
  memory_ = workspace.template take<unsigned char>(size(threads_ * thread_bytes()));
  sums_ = workspace.template take<TripleSum>(size((splits_ > 1 ? blocks_ * splits_ : threads_) * rows_ * cols_));
  hard_ = workspace.template take<std::uint8_t>(size(blocks_));
  open_ = workspace.template take<std::uint8_t>(size(g_.m * g_.n));
  return true;
}
}  // namespace

template <class T>
bool cr_deep_gemm(std::span<const DeepGemm<T>> problems, Execution& execution) {
  if (execution.workspace.rehearses()) return false;  // any workspace will do
  CrDeep<T> deep(problems[0], execution);
  if (!deep.divide()) return false;
  for (const DeepGemm<T>& g : problems) deep.run(g);
  return true;
}

template bool cr_deep_gemm(std::span<const DeepGemm<double>>, Execution&);
template bool cr_deep_gemm(std::span<const DeepGemm<float>>, Execution&);

}  // namespace accublas::cpu
