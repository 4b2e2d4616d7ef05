#include "lib/cpu/int8/int8_certify.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "lib/base/integers.hpp"
#include "lib/cpu/int8/int8_blocks.hpp"
#include "lib/cpu/tuning/tuning.hpp"
#include "lib/numerics/certificate.hpp"

namespace accublas::cpu {

namespace {

/// Lines with Inf or NaN take no part: no test is passed with this lambda.
constexpr double never = 0x1p900;

/// Sums and tests are exact in doubles: (k + 1) X < 2^53, lambda < 2^53.
constexpr Index most_terms_in_doubles = Index{1} << 18;

/// Calls body(task, sums) with the tiles' sums: std::int32_t where k allows it, else double, both tile_cols apart; of
/// the former not for tiles whose verdict known(task, sums) finds without them, with `sums` as its scratch.
template <class T, class Known, class Body>
void for_each_sums(const Int8Call<T>& call, Known&& known, Body&& body) {
  PhaseTimer timer(call.execution, &accublas_report_t::ms_product);
  const Index terms = certificate_terms(call.problem.k);
  auto blocking = [&](std::size_t size) {
    return int8_blocking(call.rows.operand.count, call.cols.operand.count, terms, 1, call.tiling.rows, call.tiling.cols,
                         size, call.threads, call.arena_bytes);
  };
  Int8Blocking b = blocking(sizeof(std::int32_t));
  const bool simple = call.problem.k <= most_terms_in_doubles && b.chunks == 1;
  if (!simple) b = blocking(sizeof(double));
  if (b.chunks > 1 && b.chunk % certificate_block != 0) {
    // Chunks are whole blocks of the certificate; the least blocking has half a one, and room for a whole one is always
    // there.
    b.chunk = b.chunk < certificate_block ? certificate_block : b.chunk / certificate_block * certificate_block;
    b.chunks = ceil_div(terms, b.chunk);
  }
  Int8Bytes row_bytes{false, true, nullptr, 1, 1, call.arena, b.row_stride, 0};
  Int8Bytes col_bytes{true, true, nullptr, 1, 1, call.arena + b.row_bytes, 0, 0};
  int8_for_each_tile(call, b, row_bytes, col_bytes, terms, [&](const Int8TileTask& task) {
    if (simple) {
      std::int32_t* const sums = reinterpret_cast<std::int32_t*>(task.result);
      if (known(task, sums)) return;
      call.kernels.product.sums(task.product, sums, call.tiling.cols);
      body(task, sums);
      return;
    }
    std::int32_t* const part = call.tiles[task.thread].sums;
    double* const sums = reinterpret_cast<double*>(task.result);
    call.kernels.product.sums(task.product, part, call.tiling.cols);
    for (Index i = 0; i < task.rows * call.tiling.cols; ++i) sums[i] = (task.first_chunk ? 0 : sums[i]) + part[i];
    if (task.last_chunk) body(task, sums);
  });
}

/// Tile by tile, what each thread finds in its Int8Counts.
template <class T>
class Certifier {
 public:
  Certifier(const Int8Call<T>& call, const Int8Verdict& verdict)
      : call_(call), verdict_(verdict), most_rejected_(call.execution.most_rejected(call.problem.m * call.problem.n)) {}

  /// Whether only some elements count.
  static bool of_some(const Int8Call<T>& call) {
    return call.execution.measuring() && call.execution.shared->elements != Triangle::all;
  }

  /// Returns how many elements of finite lines are rejected so far.
  Index rejected() const { return rejected_.load(std::memory_order_relaxed); }
  /// Returns whether these are so many that the other tiles do not matter.
  bool fails() const { return rejected() > most_rejected_; }

  /// Whether T* of the tile is at most what this thread found before, by X over a quarter of the terms: terms are not
  /// negative, so what part of them accepts is accepted. Few elements that it does not accept are given all terms.
  bool certify_by_part(const Int8TileTask& task, std::int32_t* sums) const;
  /// Counts the accepted elements rung by rung; acceptance grows with T, so T* of the tile is the first rung that
  /// accepts as many as the last.
  void certify(const Int8TileTask& task, const std::int32_t* sums);
  /// Certifies a tile with sums in integers of any size.
  void certify(const Int8TileTask& task, const double* sums) { certify_each(task, sums); }

 private:
  Index count_accepted(const Int8TileTask& task, const std::int32_t* sums, int rung, std::uint8_t* accepted) const;
  /// Element by element, those that count.
  template <class Sum>
  void certify_each(const Int8TileTask& task, const Sum* sums);
  /// Returns how many elements of a tile have a line with Inf or NaN.
  Index special_in(const Int8TileTask& task) const;

  const Int8Call<T>& call_;
  const Int8Verdict& verdict_;
  const Index most_rejected_;
  std::atomic<Index> rejected_{0};
  static constexpr CertificateRungs rungs = certificate_rungs<T>();
};

/// How many elements of the tile are accepted at a rung; `accepted`, if not null, says which.
template <class T>
Index Certifier<T>::count_accepted(const Int8TileTask& task, const std::int32_t* sums, int rung,
                                   std::uint8_t* accepted) const {
  double* const mu = call_.tiles[task.thread].columns;
  double* const mu_exact = mu + call_.tiling.cols;
  const CertificateTest test = certificate_test(rungs.t[rung], rungs.digits, call_.problem.k);
  for (Index c = 0; c < task.cols; ++c) {
    const Index col = task.col + c;
    mu[c] = call_.cols.lines.special[col] ? never : call_.cols.lines.lambda[col];
    // Where nothing is dropped on either side, T suffices whatever X is.
    mu_exact[c] = !call_.cols.lines.special[col] && call_.cols.lines.needed_bits(col) <= rungs.t[rung] ? -never : mu[c];
  }
  Int8Certificate t{};
  t.n = task.cols;
  t.factor = static_cast<double>(test.factor);
  t.least = static_cast<double>(test.least);
  Index sum = 0;
  for (Index r = 0; r < task.rows; ++r) {
    const Index row = task.row + r;
    const bool exact = !call_.rows.lines.special[row] && call_.rows.lines.needed_bits(row) <= rungs.t[rung];
    t.sums = sums + r * call_.tiling.cols;
    t.lambda = call_.rows.lines.special[row] ? 2 * never : call_.rows.lines.lambda[row];
    t.mu = exact ? mu_exact : mu;
    sum += call_.kernels.reconstruct.certify(t, accepted ? accepted + r * call_.tiling.cols / 8 : nullptr);
  }
  return sum;
}

template <class T>
bool Certifier<T>::certify_by_part(const Int8TileTask& task, std::int32_t* sums) const {
  if (of_some(call_)) return false;
  Int8Counts& counts = call_.counts[task.thread];
  Int8Product part = task.product;
  part.k = part.k / 4 / int8_k_step * int8_k_step;
  if (counts.rung < 0 || counts.part_misses >= tuning().int8.part_misses || part.k == 0) return false;
  call_.kernels.product.sums(part, sums, call_.tiling.cols);
  const Index all = task.rows * task.cols;
  std::uint8_t* const accepted = verdict_.accepted_in(task.tile);
  Index left = all - count_accepted(task, sums, counts.rung, accepted);
  if (left > 0 && left <= all / tuning().int8.part_share) {
    for (Index r = 0; r < task.rows; ++r) {
      const std::uint8_t* const row = task.product.rows_data + r * task.product.row_stride;
      for (Index c = 0; c < task.cols; ++c) {
        const Index at = r * call_.tiling.cols + c;
        if ((accepted[at / 8] >> at % 8 & 1) != 0) continue;
        const std::int8_t* const column =
            task.product.columns_data + c / int8_panel * task.product.panel_stride + 4 * (c % int8_panel);
        for (Index p = part.k; p < task.product.k; ++p) sums[at] += row[p] * column[p / 4 * (4 * int8_panel) + p % 4];
      }
    }
    left = all - count_accepted(task, sums, counts.rung, nullptr);
  }
  counts.part_misses += left > 0;
  verdict_.rejected[task.tile] = 0;
  return left == 0;
}

template <class T>
Index Certifier<T>::special_in(const Int8TileTask& task) const {
  if (!call_.any_special) return 0;
  const auto count = [](const std::uint8_t* special, Index lines) {
    return static_cast<Index>(lines - std::count(special, special + lines, std::uint8_t{0}));
  };
  const Index rows = count(call_.rows.lines.special + task.row, task.rows),
              cols = count(call_.cols.lines.special + task.col, task.cols);
  return rows * task.cols + cols * task.rows - rows * cols;
}

template <class T>
void Certifier<T>::certify(const Int8TileTask& task, const std::int32_t* sums) {
  if (of_some(call_)) return certify_each(task, sums);
  Int8Counts& counts = call_.counts[task.thread];
  const Index most = count_accepted(task, sums, rungs.count - 1, verdict_.accepted_in(task.tile));
  verdict_.rejected[task.tile] = static_cast<std::int32_t>(task.rows * task.cols - most);
  rejected_ += task.rows * task.cols - most - special_in(task);
  if (most == 0) return;
  if (counts.rung < 0) counts.rung = 0;
  while (counts.rung < rungs.count - 1 && count_accepted(task, sums, counts.rung, nullptr) < most) ++counts.rung;
}

template <class T>
template <class Sum>
void Certifier<T>::certify_each(const Int8TileTask& task, const Sum* sums) {
  Int8Counts& counts = call_.counts[task.thread];
  CertificateTest tests[6];
  for (int i = 0; i < rungs.count; ++i) tests[i] = certificate_test(rungs.t[i], rungs.digits, call_.problem.k);
  std::uint8_t* const accepted = verdict_.accepted_in(task.tile);
  Index rejected = 0, special_ones = 0;
  for (Index r = 0; r < task.rows; ++r) {
    for (Index c = 0; c < task.cols; ++c) {
      const Index row = task.row + r, col = task.col + c, at = r * call_.tiling.cols + c;
      if (at % 8 == 0 || c == 0) accepted[at / 8] = 0;
      const bool special = call_.rows.lines.special[row] || call_.cols.lines.special[col];
      if (of_some(call_) &&
          (special || !call_.execution.shared->counts(call_.transposed ? col : row, call_.transposed ? row : col)))
        continue;
      int rung = rungs.count;
      if (!special) {
        const std::int64_t bits = std::max(call_.rows.lines.needed_bits(row), call_.cols.lines.needed_bits(col));
        const std::int64_t lambda_mu = static_cast<std::int64_t>(call_.rows.lines.lambda[row]) +
                                       static_cast<std::int64_t>(call_.cols.lines.lambda[col]);
        for (rung = 0; rung < rungs.count; ++rung)
          if (bits <= rungs.t[rung] ||
              certificate_suffices(tests[rung], lambda_mu, static_cast<std::int64_t>(sums[at])))
            break;
      }
      if (rung == rungs.count) {
        ++rejected;
        special_ones += special;
        continue;
      }
      accepted[at / 8] = static_cast<std::uint8_t>(accepted[at / 8] | 1 << at % 8);
      if (rung > counts.rung) counts.rung = rung;
    }
  }
  verdict_.rejected[task.tile] = static_cast<std::int32_t>(rejected);
  rejected_ += rejected - special_ones;
}

}  // namespace

template <class T>
Int8Verdict int8_take_verdict(const Int8Call<T>& call) {
  const Index tiles = call.tiling.count();
  Int8Verdict verdict;
  verdict.accepted_bytes = call.tiling.rows * call.tiling.cols / 8;
  verdict.accepted =
      call.execution.workspace.template take<std::uint8_t>(static_cast<std::size_t>(tiles * verdict.accepted_bytes));
  verdict.rejected = call.execution.workspace.template take<std::int32_t>(static_cast<std::size_t>(tiles));
  return verdict;
}

template <class T>
Int8Verdict int8_certify(const Int8Call<T>& call) {
  constexpr CertificateRungs rungs = certificate_rungs<T>();
  Int8Verdict verdict = int8_take_verdict(call);
  for (int t = 0; t < call.threads; ++t) {
    call.counts[t].rung = -1;
    call.counts[t].part_misses = 0;
  }
  Certifier<T> certifier(call, verdict);
  for_each_sums(
      call,
      [&](const Int8TileTask& task, std::int32_t* sums) {
        return certifier.fails() || certifier.certify_by_part(task, sums);
      },
      [&](const Int8TileTask& task, const auto* sums) { certifier.certify(task, sums); });
  int rung = -1;
  for (int t = 0; t < call.threads; ++t) rung = std::max(rung, call.counts[t].rung);
  verdict.bits = call.execution.certified_bits(rung < 0 ? 0 : rungs.t[rung], certifier.rejected(),
                                               call.problem.m * call.problem.n);
  return verdict;
}

/// abs(S - exact) <= (2^(t-23) (lambda + mu) + k) / 4 and abs(A) abs(B) >= 2^(2t-14) X, both in units of 2^(E+F-2t).
template <class T>
double int8_componentwise_bound(const Int8Call<T>& call, int t) {
  for (int i = 0; i < call.threads; ++i) call.counts[i].worst = 0;
  auto none_known = [](const Int8TileTask&, std::int32_t*) { return false; };
  for_each_sums(call, none_known, [&](const Int8TileTask& task, auto* sums) {
    double worst = call.counts[task.thread].worst;
    for (Index r = 0; r < task.rows; ++r) {
      for (Index c = 0; c < task.cols; ++c) {
        const Index row = task.row + r, col = task.col + c;
        if (call.rows.lines.norm[row] <= 0 || call.cols.lines.norm[col] <= 0) continue;
        if (std::max(call.rows.lines.needed_bits(row), call.cols.lines.needed_bits(col)) <= t) continue;
        const double x = static_cast<double>(sums[r * call.tiling.cols + c]);
        const double error = (std::ldexp(call.rows.lines.lambda[row] + call.cols.lines.lambda[col], t - 23) +
                              static_cast<double>(call.problem.k)) /
                             4;
        const double bound =
            x > 0 ? std::ldexp(error / x, 14 - 2 * t) * (1 + 0x1p-40) : std::numeric_limits<double>::infinity();
        if (bound > worst) worst = bound;
      }
    }
    call.counts[task.thread].worst = worst;
  });
  double worst = 0;
  for (int i = 0; i < call.threads; ++i) worst = std::max(worst, call.counts[i].worst);
  return worst;
}

template Int8Verdict int8_take_verdict(const Int8Call<double>&);
template Int8Verdict int8_take_verdict(const Int8Call<float>&);
template Int8Verdict int8_certify(const Int8Call<double>&);
template Int8Verdict int8_certify(const Int8Call<float>&);
template double int8_componentwise_bound(const Int8Call<double>&, int);
template double int8_componentwise_bound(const Int8Call<float>&, int);

}  // namespace accublas::cpu
