// The certificate over a whole call (docs/modes.md, dp): one product of 7-bit magnitudes, T* and the rejected elements.
#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/integers.hpp"
#include "lib/cpu/int8/int8_blocks.hpp"
#include "lib/numerics/certificate.hpp"

namespace accublas::cpu {

namespace {

/// Lines with Inf or NaN take no part: no test is passed with this lambda.
constexpr double never = 0x1p900;

/// Sums and tests are exact in doubles: (k + 1) X < 2^53, lambda < 2^53.
constexpr Index most_terms_in_doubles = Index{1} << 18;

}  // namespace

/// Calls body(task, sums) with the tiles' sums: std::int32_t where k allows it, else double, both tile_cols apart; of
/// the former not for tiles whose verdict known(task, sums) finds without them, with `sums` as its scratch.
template <class T>
template <class Known, class Body>
void Int8Gemm<T>::for_each_sums(Known&& known, Body&& body) {
  PhaseTimer timer(execution_, &accublas_report_t::ms_product);
  const Index terms = certificate_terms(problem_.k);
  auto blocking = [&](std::size_t size) {
    return int8_blocking(rows_.count, cols_.count, terms, 1, tile_rows_, tile_cols_, size, threads_, arena_bytes_);
  };
  Int8Blocking b = blocking(sizeof(std::int32_t));
  const bool simple = problem_.k <= most_terms_in_doubles && b.chunks == 1;
  if (!simple) b = blocking(sizeof(double));
  if (b.chunks > 1 && b.chunk % certificate_block != 0) {
    // Chunks are whole blocks of the certificate; the least blocking has half a one, and room for a whole one is always
    // there.
    b.chunk = b.chunk < certificate_block ? certificate_block : b.chunk / certificate_block * certificate_block;
    b.chunks = ceil_div(terms, b.chunk);
  }
  Int8Bytes row_bytes{false, true, nullptr, 1, 1, arena_, b.row_stride, 0};
  Int8Bytes col_bytes{true, true, nullptr, 1, 1, arena_ + b.row_bytes, 0, 0};
  for_each_tile(b, row_bytes, col_bytes, terms, [&](const Int8TileTask& task) {
    if (simple) {
      std::int32_t* const sums = reinterpret_cast<std::int32_t*>(task.result);
      if (known(task, sums)) return;
      product_.sums(task.product, sums, tile_cols_);
      body(task, sums);
      return;
    }
    std::int32_t* const part = tiles_[task.thread].sums;
    double* const sums = reinterpret_cast<double*>(task.result);
    product_.sums(task.product, part, tile_cols_);
    for (Index i = 0; i < task.rows * tile_cols_; ++i) sums[i] = (task.first_chunk ? 0 : sums[i]) + part[i];
    if (task.last_chunk) body(task, sums);
  });
}

/// How many elements of the tile are accepted at a rung; `accepted`, if not null, says which.
template <class T>
Index Int8Gemm<T>::count_accepted(const Int8TileTask& task, const std::int32_t* sums, int rung,
                                  std::uint8_t* accepted) {
  constexpr CertificateRungs rungs = certificate_rungs<T>();
  double* const mu = tiles_[task.thread].columns;
  double* const mu_exact = mu + tile_cols_;
  const CertificateTest test = certificate_test(rungs.t[rung], rungs.digits, problem_.k);
  for (Index c = 0; c < task.cols; ++c) {
    const Index col = task.col + c;
    mu[c] = col_lines_.special[col] ? never : col_lines_.lambda[col];
    // Where nothing is dropped on either side, T suffices whatever X is.
    mu_exact[c] = !col_lines_.special[col] && col_lines_.needed_bits(col) <= rungs.t[rung] ? -never : mu[c];
  }
  Int8Certificate t{};
  t.n = task.cols;
  t.factor = static_cast<double>(test.factor);
  t.least = static_cast<double>(test.least);
  Index sum = 0;
  for (Index r = 0; r < task.rows; ++r) {
    const Index row = task.row + r;
    const bool exact = !row_lines_.special[row] && row_lines_.needed_bits(row) <= rungs.t[rung];
    t.sums = sums + r * tile_cols_;
    t.lambda = row_lines_.special[row] ? 2 * never : row_lines_.lambda[row];
    t.mu = exact ? mu_exact : mu;
    sum += reconstruct_.certify(t, accepted ? accepted + r * tile_cols_ / 8 : nullptr);
  }
  return sum;
}

/// Whether T* of the tile is at most what this thread found before, by X over a quarter of the terms: terms are not
/// negative, so what part of them accepts is accepted. Few elements that it does not accept are given all terms.
template <class T>
bool Int8Gemm<T>::certify_by_part(const Int8TileTask& task, std::int32_t* sums) {
  constexpr int most_misses = 2;
  Int8Counts& counts = counts_[task.thread];
  Int8Product part = task.product;
  part.k = part.k / 4 / int8_k_step * int8_k_step;
  if (counts.rung < 0 || counts.part_misses >= most_misses || part.k == 0) return false;
  product_.sums(part, sums, tile_cols_);
  const Index all = task.rows * task.cols;
  std::uint8_t* const accepted = accepted_bits_ + task.tile * accepted_bytes_;
  Index left = all - count_accepted(task, sums, counts.rung, accepted);
  if (left > 0 && left <= all / 384) {
    for (Index r = 0; r < task.rows; ++r) {
      const std::uint8_t* const row = task.product.rows_data + r * task.product.row_stride;
      for (Index c = 0; c < task.cols; ++c) {
        const Index at = r * tile_cols_ + c;
        if ((accepted[at / 8] >> at % 8 & 1) != 0) continue;
        const std::int8_t* const column =
            task.product.columns_data + c / int8_panel * task.product.panel_stride + 4 * (c % int8_panel);
        for (Index p = part.k; p < task.product.k; ++p) sums[at] += row[p] * column[p / 4 * (4 * int8_panel) + p % 4];
      }
    }
    left = all - count_accepted(task, sums, counts.rung, nullptr);
  }
  counts.part_misses += left > 0;
  tile_rejected_[task.tile] = 0;
  return left == 0;
}

/// Counts the accepted elements rung by rung; acceptance grows with T, so T* of the tile is the first rung that accepts
/// as many as the last.
template <class T>
void Int8Gemm<T>::certify_tile(const Int8TileTask& task, const std::int32_t* sums) {
  constexpr CertificateRungs rungs = certificate_rungs<T>();
  Int8Counts& counts = counts_[task.thread];
  const Index most = count_accepted(task, sums, rungs.count - 1, accepted_bits_ + task.tile * accepted_bytes_);
  tile_rejected_[task.tile] = static_cast<std::int32_t>(task.rows * task.cols - most);
  if (most == 0 || (mutant(Mutant::certificate_call_rung) && task.tile != 0)) return;
  if (counts.rung < 0) counts.rung = 0;
  while (counts.rung < rungs.count - 1 && count_accepted(task, sums, counts.rung, nullptr) < most) ++counts.rung;
}

/// The same in integers of any size.
template <class T>
void Int8Gemm<T>::certify_tile_slowly(const Int8TileTask& task, const double* sums) {
  constexpr CertificateRungs rungs = certificate_rungs<T>();
  Int8Counts& counts = counts_[task.thread];
  CertificateTest tests[6];
  for (int i = 0; i < rungs.count; ++i) tests[i] = certificate_test(rungs.t[i], rungs.digits, problem_.k);
  std::uint8_t* const accepted = accepted_bits_ + task.tile * accepted_bytes_;
  Index rejected = 0;
  for (Index r = 0; r < task.rows; ++r) {
    for (Index c = 0; c < task.cols; ++c) {
      const Index row = task.row + r, col = task.col + c, at = r * tile_cols_ + c;
      if (at % 8 == 0 || c == 0) accepted[at / 8] = 0;
      int rung = rungs.count;
      if (!row_lines_.special[row] && !col_lines_.special[col]) {
        const std::int64_t bits = std::max(row_lines_.needed_bits(row), col_lines_.needed_bits(col));
        const std::int64_t lambda_mu =
            static_cast<std::int64_t>(row_lines_.lambda[row]) + static_cast<std::int64_t>(col_lines_.lambda[col]);
        for (rung = 0; rung < rungs.count; ++rung)
          if (bits <= rungs.t[rung] ||
              certificate_suffices(tests[rung], lambda_mu, static_cast<std::int64_t>(sums[at])))
            break;
      }
      if (rung == rungs.count) {
        ++rejected;
        continue;
      }
      accepted[at / 8] = static_cast<std::uint8_t>(accepted[at / 8] | 1 << at % 8);
      if (rung > counts.rung) counts.rung = rung;
    }
  }
  tile_rejected_[task.tile] = static_cast<std::int32_t>(rejected);
}

template <class T>
int Int8Gemm<T>::certify() {
  constexpr CertificateRungs rungs = certificate_rungs<T>();
  const Index tiles = row_tiles_ * col_tiles_;
  accepted_bytes_ = tile_rows_ * tile_cols_ / 8;
  accepted_bits_ = execution_.workspace.template take<std::uint8_t>(static_cast<std::size_t>(tiles * accepted_bytes_));
  tile_rejected_ = execution_.workspace.template take<std::int32_t>(static_cast<std::size_t>(tiles));
  if (mutant(Mutant::certificate_accepts)) {
    for (Index t = 0; t < tiles; ++t) tile_rejected_[t] = 0;
    return rungs.t[0];
  }
  for (int t = 0; t < threads_; ++t) {
    counts_[t].rung = -1;
    counts_[t].part_misses = 0;
  }
  for_each_sums([&](const Int8TileTask& task, std::int32_t* sums) { return certify_by_part(task, sums); },
                [&](const Int8TileTask& task, auto* sums) {
                  if constexpr (sizeof(*sums) == sizeof(std::int32_t)) {
                    certify_tile(task, sums);
                  } else {
                    certify_tile_slowly(task, sums);
                  }
                });
  int rung = -1;
  for (int t = 0; t < threads_; ++t) rung = std::max(rung, counts_[t].rung);
  // Elements of special lines are counted as rejected so far.
  Index special_rows = 0, special_cols = 0, rejected = 0;
  for (Index i = 0; i < rows_.count; ++i) special_rows += row_lines_.special[i] != 0;
  for (Index j = 0; j < cols_.count; ++j) special_cols += col_lines_.special[j] != 0;
  for (Index t = 0; t < tiles; ++t) rejected += tile_rejected_[t];
  execution_.report.rejected +=
      rejected - special_rows * cols_.count - special_cols * rows_.count + special_rows * special_cols;
  return rung < 0 ? 0 : rungs.t[rung];
}

/// abs(S - exact) <= (2^(t-23) (lambda + mu) + k) / 4 and abs(A) abs(B) >= 2^(2t-14) X, both in units of 2^(E+F-2t).
template <class T>
double Int8Gemm<T>::componentwise_bound(int t) {
  for (int i = 0; i < threads_; ++i) counts_[i].worst = 0;
  auto none_known = [](const Int8TileTask&, std::int32_t*) { return false; };
  for_each_sums(none_known, [&](const Int8TileTask& task, auto* sums) {
    double worst = counts_[task.thread].worst;
    for (Index r = 0; r < task.rows; ++r) {
      for (Index c = 0; c < task.cols; ++c) {
        const Index row = task.row + r, col = task.col + c;
        if (row_lines_.norm[row] <= 0 || col_lines_.norm[col] <= 0) continue;
        if (std::max(row_lines_.needed_bits(row), col_lines_.needed_bits(col)) <= t) continue;
        const double x = static_cast<double>(sums[r * tile_cols_ + c]);
        const double error =
            (std::ldexp(row_lines_.lambda[row] + col_lines_.lambda[col], t - 23) + static_cast<double>(problem_.k)) / 4;
        const double bound =
            x > 0 ? std::ldexp(error / x, 14 - 2 * t) * (1 + 0x1p-40) : std::numeric_limits<double>::infinity();
        if (bound > worst) worst = bound;
      }
    }
    counts_[task.thread].worst = worst;
  });
  double worst = 0;
  for (int i = 0; i < threads_; ++i) worst = std::max(worst, counts_[i].worst);
  return worst;
}

template int Int8Gemm<double>::certify();
template int Int8Gemm<float>::certify();
template double Int8Gemm<double>::componentwise_bound(int);
template double Int8Gemm<float>::componentwise_bound(int);

}  // namespace accublas::cpu
