// GEMM with a long inner dimension, by the sums of cr_gemm.cpp in chains over some terms at a time, which add up with
// their error bounds. No operand is converted or copied as a whole, which would cost more than the product of a few
// rows and columns. Threads take blocks of C; if there are few blocks, they share the terms of a block.
//
// cr sums the entries as given, and scales them by powers of two if products leave the range. fixed:T scales entries to
// magnitudes below 1 and rounds them to T bits while panels are made, and puts the exponents of row and column back at
// the end. dp and sp reproducible find T* first, by a survey of the lines and the certificate's sums; the elements that
// no T suffices for take cr's sums.
#include <bit>

#include "lib/call/accuracy.hpp"
#include "lib/cpu/sums/deep.hpp"
#include "lib/cpu/sums/fullest_sum.hpp"
#include "lib/cpu/tuning/tuning.hpp"
#include "lib/numerics/bounds.hpp"

namespace accublas::cpu {

template <class T>
bool Deep<T>::divide() {
  const Index unit = kernel_.lines;
  terms_ = std::min(tuning_.most_terms, round_up(g_.k, tuning_.survey_terms));
  rows_ = std::min(round_up(g_.m, unit), round_up(tuning_.block_lines, unit));
  cols_ = std::min(round_up(g_.n, unit), round_up(tuning_.block_lines, unit));
  const double work = static_cast<double>(g_.m) * static_cast<double>(parts_ * g_.n) * static_cast<double>(g_.k);
  threads_ = work < tuning_.thread_work ? 1 : execution_.threads;
  const Index left = static_cast<Index>(execution_.workspace.left()) - 4096;
  Index segments = 0, sums = 0;
  const Index elements = parts_ * g_.m * g_.n, lines = g_.m + g_.n, addends = keeps_addends() ? elements : 0;
  for (;;) {
    blocks_ = ceil_div(g_.m, rows_) * ceil_div(g_.n, cols_);
    const Index chains = ranges() * chains_of_range();
    splits_ = threads_ == 1 || blocks_ >= 2 * threads_ ? 1 : std::min(ceil_div(Index{2} * threads_, blocks_), chains);
    // Every task has its own sums if several tasks share a block; otherwise every thread has its own.
    sums = (splits_ > 1 ? blocks_ * splits_ : threads_) * block_size();
    segments = ceil_div(std::max(g_.m, g_.n), unit) * deep_segments(g_.k, threads_);
    const Index bytes = threads_ * thread_bytes() + arrays * sums * Index{sizeof(double)} + blocks_ + elements +
                        addends * Index{sizeof(T)} + lines * Index{sizeof(Line)} +
                        segments * Index{sizeof(DeepSegment)};
    if (bytes <= left) break;
    if (threads_ > 1)
      --threads_;
    else if (rows_ > unit || cols_ > unit)
      (rows_ > cols_ ? rows_ : cols_) = unit;
    else if (terms_ > tuning_.survey_terms)
      terms_ /= 2;
    else
      return false;
  }
  Workspace& workspace = execution_.workspace;
  const auto size = [](Index count) { return static_cast<std::size_t>(count); };
  memory_ = workspace.template take<unsigned char>(size(threads_ * thread_bytes()));
  sums_ = workspace.template take<double>(size(arrays * sums));
  hard_ = workspace.template take<std::uint8_t>(size(blocks_));
  elements_ = workspace.template take<std::uint8_t>(size(elements));
  if (keeps_addends()) addends_ = workspace.template take<T>(size(elements));
  rows_side_.known = workspace.template take<Line>(size(lines));
  cols_side_.known = one_survey_ ? rows_side_.known : rows_side_.known + g_.m;
  segments_ = workspace.template take<DeepSegment>(size(segments));
  return true;
}

template <class T>
void Deep<T>::run() {
  put_bound(execution_.report, rounded_once<T>());
  const Element most = surveys() ? rounded : as_given;
  for (Index part = 0; part < parts_; ++part)
    for (Index j = 0; j < g_.n; ++j) {
      if (g_.wanted == Triangle::all)
        std::fill_n(&element(0, j, part), g_.m, most);
      else
        for (Index i = 0; i < g_.m; ++i) element(i, j, part) = has_sum(i, j, part) ? most : final;
      for (Index i = 0; keeps_addends() && i < g_.m; ++i)
        if (element(i, j, part) != final) addends_[index(i, j, part)] = *result(i, j, part);
    }
  for (Index block = 0; block < blocks_; ++block)
    hard_[block] =
        any_wanted(rows_of(block), cols_of(block), 0) || (parts_ == 2 && any_wanted(rows_of(block), cols_of(block), 1));
  if (surveys()) survey();
  for (Index j = 0; ranges() == 2 && j < g_.n; ++j)
    for (Index i = 0; i < g_.m; ++i)
      if (!wanted(i, j, 1)) element(i, j, 1) = final;
  if (bits_ > 0) {
    execution_.report.bits = std::max(execution_.report.bits, bits_);
    compute(rounded);
  }
  compute(as_given);
  execution_.report.undecided += undecided_.load();
}

// ---- sums ----

template <class T>
CrChange Deep<T>::change(bool of_columns, Index part) const {
  CrChange change;
  if (!g_.complex) return change;
  const DeepLines<T>& from = of_columns ? g_.cols : g_.rows;
  const bool conjugate = from.conjugate && !from.copy;
  if (!of_columns) {
    change.negated[1] = conjugate;
  } else if (part == 0) {  // Re b, -Im b
    change.negated[1] = !conjugate;
  } else {  // Im b, Re b
    change.swapped = true;
    change.negated[0] = conjugate;
  }
  return change;
}

/// Computes the elements that wait for sums of this kind. Blocks with many of them take one speed after the other; the
/// remaining elements are computed one by one.
template <class T>
void Deep<T>::compute(Element which) {
  PhaseTimer timer(execution_, &accublas_report_t::ms_product);
  which_ = which;
  for (Index block = 0; block < blocks_; ++block) {
    Index all = 0, some = 0;
    for_elements(block, [&](Index i, Index j, Index part, Index) {
      all += wanted(i, j, part);
      some += element(i, j, part) == which;
    });
    hard_[block] = some * tuning_.hard_elements > all;
  }
  add_up(Speed::swift);
  if (which == as_given && leaves_range_) {
    if (!surveys()) measure_lines();
    scale_lines();
    add_up(Speed::swift);
  }
  add_up(Speed::compensated);
  add_up(Speed::full);
  resolve();
}

template <class T>
void Deep<T>::scale_lines() {
  scaled_ = true;
  for (const bool of_columns : {false, true}) {
    const DeepSide<T>& side = of_columns ? cols_side_ : rows_side_;
    int excess = 0;
    for (Index i = 0; i < side.count; ++i)
      excess = std::max(excess, scaled_excess(side.known[i].exponent, side.known[i].last_bit));
    top_[!of_columns] -= excess;
  }
}

template <class T>
void Deep<T>::add_up(Speed speed) {
  for_sums(
      ranges() * chains_of_range(), arrays * block_size(),
      [&](Index block, Index chain, int thread, double* sums) { add_chains(speed, block, chain, thread, sums); },
      [&](double* sums, const double* others) { join_triples(sums, others); },
      [&](Index block, const double* sums) { finish_block(block, sums); });
}

/// Makes panels of a chain's terms from `first` on of one operand's lines: as rows, as columns, or as both.
template <class T>
void Deep<T>::make_panels(const DeepSide<T>& side, Range range, Index first, Index k, unsigned char* memory,
                          const CrPanels* as_rows, const CrPanels* as_cols) const {
  const Index unit = kernel_.lines;
  const bool of_columns = &side == &cols_side_;
  for (Index i = 0; i < range.count; i += unit) {
    const Index line = range.begin + i, lines = std::min(unit, range.count - i);
    const bool apart = parts_ == 2 && as_cols;  // one panel of stored entries becomes several
    double* const natural = apart ? spare_panel(memory) : (as_rows ? as_rows : as_cols)->entries + i * k;
    side.pack(kernel_, line, lines, first, k, natural, copies(memory));
    CrScale scale;
    if (which_ == rounded || scaled_)
      scale = scale_of(lines, 0, [&](Index l) { return this->unit(of_columns, line + l); });
    const auto make = [&](const CrPanels& to, Index at, CrChange how) {
      if (which_ == rounded || scaled_) how.scale = &scale;
      if (which_ == rounded) how.magic = power_of_two(52 - bits_);
      double* const entries = to.entries + at * k;
      if (entries == natural && !how.scale && !how.negated[0] && !how.negated[1])
        panels_.measure(k, lines, entries, to.known(at));
      else
        panels_.change(k, lines, natural, how, entries, to.known(at));
    };
    if (as_rows) make(*as_rows, i, change(false, 0));
    if (apart || !as_rows)
      for (Index part = 0; part < parts_; ++part) make(*as_cols, part * cols_ + i, change(true, part));
  }
}

/// Adds the sums over the terms of a chain to `sums`.
template <class T>
void Deep<T>::add_chains(Speed speed, Index block, Index chain, int thread, double* sums) const {
  const Range rows = rows_of(block), cols = cols_of(block);
  const Index of_range = chain / chains_of_range(), begin = chain % chains_of_range() * terms_, unit = kernel_.lines;
  const Index first = of_range * terms_of_range() + begin, k = std::min(terms_, terms_of_range() - begin);
  sums += of_range * arrays * (block_size() / ranges());
  unsigned char* const memory = memory_of(thread);
  const CrPanels a = row_panels(memory, k), col_panels_of_b = col_panels(memory, k);
  const bool same = one_side_ && rows.begin == cols.begin && rows.count == cols.count;
  const CrPanels& b = same && parts_ == 1 ? a : col_panels_of_b;
  make_panels(rows_side_, rows, first, k, memory, &a, same && parts_ == 2 ? &b : nullptr);
  if (!same) make_panels(cols_side_, cols, first, k, memory, nullptr, &b);
  double high[64], low[64], rest[64]{};
  T out[64];
  CrTile<T> tile = tile_of_terms<T>(k);
  tile.error = tile_error<T>(speed, k);
  tile.high = high;
  tile.low = low;
  tile.rest = rest;
  tile.out = out;
  // Products of entries rounded to T bits are at most 1, and multiples of 2^(-2 T).
  const Index exact_terms = which_ == rounded && 2 * bits_ <= 50 ? Index{1} << std::min(53 - 2 * bits_, 20) : 0;
  for (Index part = 0; part < parts_; ++part)
    for (Index i = 0; i < rows.count; i += unit) {
      tile.rows = std::min<Index>(unit, rows.count - i);
      tile.a = a.entry(i);
      tile.row = a.known(i);
      for (Index j = 0; j < cols.count; j += kernel_.cols) {
        const Index count = std::min<Index>(kernel_.cols, cols.count - j), at = part * cols_ + j;
        if (!any_wanted({rows.begin + i, tile.rows}, {cols.begin + j, count}, part_of_sums(part))) continue;
        tile.b = b.entry(at);
        tile.col = b.known(at);
        if (exact_terms >= tuning_.few_terms) {
          panels_.products(k, exact_terms, tile.a, tile.b, high, low);
        } else {
          kernel_.tile[static_cast<int>(speed)](tile);
        }
        for (Index c = 0; c < count; ++c)
          triples_.add(tile.rows, high + c * unit, low + c * unit, rest + c * unit, triple(sums, (at + c) * rows_ + i),
                       rows_);
      }
    }
}

template <class T>
void Deep<T>::join_triples(double* sums, const double* others) const {
  for (Index at = 0; at < block_size(); ++at) {
    double* const to = triple(sums, at);
    TripleSum sum = triple_sum(sums, at);
    triple_add(sum, triple_sum(others, at));
    to[0] = sum.a1, to[rows_] = sum.a2, to[2 * rows_] = sum.a3, to[3 * rows_] = sum.error;
  }
}

/// Rounds the elements of a block that their sums decide.
template <class T>
void Deep<T>::finish_block(Index block, const double* sums) {
  const Range rows = rows_of(block), cols = cols_of(block);
  Index all = 0, left = 0;
  for (Index part = 0; part < parts_; ++part)
    for (Index j = cols.begin; j < cols.begin + cols.count; ++j) {
      const Index at = (part * cols_ + j - cols.begin) * rows_;
      for (Index r = 0; r < rows.count; ++r) all += wanted(rows.begin + r, j, part);
      left += std::popcount(round_column(rows, j, part, at, sums));
    }
  hard_[block] = left * tuning_.hard_elements > all;
}

/// Sets sums[of] to the sum of part `of`: that of `part`, and that of the other part if parts are joined.
template <class T>
void Deep<T>::sums_of(const double* sums, Index at, Index part, TripleSum (&to)[2]) const {
  for (Index of = 0; of < 2; ++of)
    to[of] = of == part || joins_parts() ? whole_sum(sums, at + (of - part) * cols_ * rows_, of != part) : TripleSum{};
}

/// Rounds one part of the rows of a block's column, whose first sum is number `at`. Vector kernels come first, and the
/// elements that they leave pending follow one by one. Returns the elements that wait for these sums and are still
/// pending, a bit each.
template <class T>
std::uint64_t Deep<T>::round_column(Range rows, Index j, Index part, Index at, const double* sums) {
  static_assert(round_up(DeepTuning::block_lines, Index{CrScale::most_lines}) <= round_most);
  std::uint8_t* const elements = &element(rows.begin, j, part);
  std::uint64_t open = 0;
  for (Index r = 0; r < rows.count; ++r) open |= static_cast<std::uint64_t>(elements[r] == which_) << r;
  if (open == 0) return 0;
  T out[round_most];
  std::uint64_t left = open, waiting = 0;
  const bool as_they_are = which_ == as_given && !scaled_;
  // The sums of two ranges of terms are not those of the results, and those of scaled entries have other units.
  if (as_they_are && ranges() == 1) left = round_in_place(rows, j, part, at, sums, open, out);
  if (left != 0) {
    ScaledResults<T> results = scaled_results(part);
    TripleSum parts[round_most][2];
    for_bits(left, [&](Index r) {
      sums_of(sums, at + r, part, parts[r]);
      if (as_they_are && (leaves_range(parts[r][0]) || leaves_range(parts[r][1])))
        waiting |= std::uint64_t{1} << r;  // for sums of scaled entries
      else
        set(results, r, rows.begin + r, j, part, parts[r]);
    });
    if (waiting != 0) leaves_range_.store(true, std::memory_order_relaxed);
    if (left != waiting) left = results.round(left & ~waiting, out);
    for_bits(left & ~waiting, [&](Index r) {
      if (round(rows.begin + r, j, part, parts[r], results.terms(r), &out[r])) left &= ~(std::uint64_t{1} << r);
    });
    left |= waiting;
  }
  for_bits(open & ~left, [&](Index r) {
    *result(rows.begin + r, j, part) = out[r];
    elements[r] = final;
  });
  return left;
}

/// Rounds elements of a column from its sums where they are. Returns the pending ones of those in `open`.
template <class T>
std::uint64_t Deep<T>::round_in_place(Range rows, Index j, Index part, Index at, const double* sums, std::uint64_t open,
                                      T* out) const {
  T own[round_most], other[round_most];
  const auto alpha = ComponentTerms<T>::factors(g_.alpha, part == 1),
             beta = ComponentTerms<T>::factors(g_.beta, part == 1);
  // The elements of C outside its wanted triangle are not read.
  for (Index r = std::countr_zero(open); r < static_cast<Index>(std::bit_width(open)); ++r) {
    own[r] = addend(rows.begin + r, j, part);
    other[r] = other_addend(rows.begin + r, j, part);
  }
  const auto terms = [&](T of_alpha, Index first, T of_beta, const T* c) {
    const double* const a1 = triple(sums, first);
    return RoundTerms<T>{of_alpha, of_beta, a1, a1 + rows_, a1 + 2 * rows_, a1 + 3 * rows_, c};
  };
  RoundRun<T> run{rows.count, terms(alpha.own, at, beta.own, own), {}, out};
  if (joins_parts()) run.other = terms(alpha.other, at + (1 - 2 * part) * cols_ * rows_, beta.other, other);
  return triples_.round(run) & open;
}

template <class T>
DeepGemm<T> deep_problem(const Gemm<T>& g) {
  return {g.m, g.n, g.k, {g.alpha}, {.stored = g.a}, {.stored = g.b.transposed()}, {g.beta}, g.c};
}
template DeepGemm<double> deep_problem(const Gemm<double>&);
template DeepGemm<float> deep_problem(const Gemm<float>&);

template <class T>
bool deep_gemm(const DeepGemm<T>& problem, const Mode& mode, Execution& execution) {
  // A rehearsal counts the memory of the caller's other way, which is used if a workspace is too small for this one.
  if (execution.workspace.rehearses()) return false;
  Deep<T> deep(problem, mode, execution);
  if (!deep.divide()) return false;
  deep.run();
  return true;
}

template CrChange Deep<double>::change(bool, Index) const;
template CrChange Deep<float>::change(bool, Index) const;
template bool deep_gemm(const DeepGemm<double>&, const Mode&, Execution&);
template bool deep_gemm(const DeepGemm<float>&, const Mode&, Execution&);

}  // namespace accublas::cpu
