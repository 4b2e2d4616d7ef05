#include "lib/accumulator/device_sums.hpp"

#include <algorithm>
#include <cstring>

#include "cuda/accumulator/listed_sums.hpp"
#include "cuda/accumulator/residues.hpp"
#include "cuda/accumulator/rounding.hpp"
#include "cuda/core/memory.hpp"
#include "cuda/exact/engine_call.hpp"
#include "cuda/int8/convert.hpp"
#include "cuda/int8/product.hpp"
#include "cuda/int8/whole_pass.hpp"
#include "cuda/scaling/measure.hpp"

namespace accublas {

namespace cuda {

/// Panels of fewer terms wait: the product of this many takes ten times as long as reading and writing its sums.
constexpr Index most_waiting_terms = 8192, term_step = 128;

template <class E>
HeldResidues<E>::HeldResidues(const Accumulator& of, int device, std::size_t cap)
    : model_(device_model(device)),
      n_(of.n),
      m_(of.m),
      moduli_(of.moduli),
      rounds_(of.rounds()),
      row_bits_(of.b.bits),
      col_bits_(of.a.bits),
      block_rows_(padded_lines(of.n)),
      block_cols_(padded_lines(parts * of.m)),
      most_terms_(parts * std::max<Index>(of.k, 1)),
      terms_(parts * of.added),
      most_digits_(digits_of(of)) {
  fit_waiting(cap);
  bytes_ = bytes_of_arrays([&](Carver& carver) { lay_out(carver); });
  memory_ = std::make_unique<PoolMemory>(device, steps_.stream(), bytes_);
  Carver carver(memory_->data());
  lay_out(carver);
  start(of);
}

template <class E>
void HeldResidues<E>::fit_waiting(std::size_t cap) {
  const Index lines = (block_rows_ + block_cols_) * moduli_;
  const Index fits = static_cast<Index>(cap / waiting_share) / lines / term_step * term_step;
  if (fits < term_step) refuse_cap(cap, waiting_share * size(lines * term_step), "a panel of an accumulator");
  const Index wanted = std::min({fits, most_waiting_terms, round_up(most_terms_, term_step)});
  if (wanted == depth_ || (wanted > depth_ && waiting_ > 0)) return;
  empty_waiting(0);
  const std::size_t rows = size(block_rows_ * moduli_ * wanted), cols = size(block_cols_ * moduli_ * wanted);
  waiting_memory_ = std::make_unique<PoolMemory>(device(), steps_.stream(), rows + cols);
  row_residues_ = reinterpret_cast<std::uint8_t*>(waiting_memory_->data());
  col_residues_ = row_residues_ + rows;
  row_bytes_ = rows;
  col_bytes_ = cols;
  depth_ = wanted;
}

template <class E>
void HeldResidues<E>::empty_waiting(std::size_t cap) {
  if (waiting_ > 0) multiply();
  if (waiting_bytes() <= cap / waiting_share) return;
  waiting_memory_.reset();
  depth_ = 0;
  row_bytes_ = col_bytes_ = 0;
}

template <class E>
void HeldResidues<E>::lay_out(Carver& carver) {
  const auto take = [&](Index count) {
    Operand<T> shape{};
    shape.count = count;
    return take_lines(carver, shape, false);
  };
  const auto errors = [&](Index count, int of, int bits, const std::int32_t* limits) {
    LineErrors side{limits, of, bits, nullptr, nullptr, nullptr};
    side.error = carver.take<double>(count);
    side.dropped = carver.take<std::uint8_t>(count);
    side.squares = carver.take<double>(count);
    return side;
  };
  state_ = carver.take<CallState>(1);  // what `start` sends, up to the limits of the columns
  row_limits_ = carver.take<std::int32_t>(2 * n_);
  col_limits_ = carver.take<std::int32_t>(2 * m_);
  notes_ = carver.take<PanelNotes>(1);
  rows_ = take(n_);
  numbers_ = take(m_);
  cols_lines_ = parts == 2 ? take(cols()) : numbers_;
  row_errors_ = errors(n_, 1, row_bits_, row_limits_);
  col_errors_ = errors(cols(), parts, col_bits_, col_limits_);
  row_exponent_ = carver.take<std::int32_t>(block_rows_);
  col_exponent_ = carver.take<std::int32_t>(block_cols_);
  row_flags_ = carver.take<std::uint8_t>(n_);
  number_flags_ = carver.take<std::uint8_t>(m_);
  result_ = carver.take<std::int8_t>(plane() * moduli_);
}

template <class E>
void HeldResidues<E>::start(const Accumulator& of) {
  CallState state{};
  for (const int pass : {product_pass, exact_pass, interval_pass})
    state.pass[pass] = whole_pass(pass == interval_pass, row_bits_, col_bits_, moduli_, block_rows_, block_cols_);
  steps_.fill(notes_, 0xFF, sizeof *notes_);
  // One copy is faster than three. The host's memory stays until the accumulator ends.
  std::byte* const first = reinterpret_cast<std::byte*>(state_);
  constants_.resize(size(reinterpret_cast<std::byte*>(col_limits_ + 2 * m_) - first));
  const auto put = [&](const void* to, const void* from, std::size_t bytes) {
    std::memcpy(constants_.data() + (static_cast<const std::byte*>(to) - first), from, bytes);
  };
  static_assert(sizeof(LineExponents) == 2 * sizeof(std::int32_t));
  put(state_, &state, sizeof state);
  put(row_limits_, of.b.exponents.data(), size(n_) * sizeof(LineExponents));
  put(col_limits_, of.a.exponents.data(), size(m_) * sizeof(LineExponents));
  steps_.send(first, constants_.data(), static_cast<Index>(constants_.size()));
  const auto begin = [&](const AccumulatorSide& side, const LineErrors& to, std::int32_t* exponent, Index padded) {
    // The magnitudes of earlier entries are at most 2^E.
    start_lines(model_, to, side.lines(), padded, static_cast<double>(parts * of.added), exponent, steps_.stream());
    if (!rounds_ || of.added == 0) return;
    steps_.send(to.error, side.error.data(), side.lines());
    steps_.send(to.dropped, side.dropped.data(), side.lines());
  };
  begin(of.b, row_errors_, row_exponent_, block_rows_);
  begin(of.a, col_errors_, col_exponent_, block_cols_);
}

template <class E>
Operand<RealOf<E>> HeldResidues<E>::cols_of(const AccumulatorPanel<E>& panel) const {
  if constexpr (is_complex<E>) {
    const auto product = [&](Matrix<const E> a, Matrix<const E> b) {
      Gemm<T> g{cols(), n_, 2 * panel.k, T(1), {}, {}, T(0), {nullptr, 1, cols()}};
      g.a = {reinterpret_cast<const T*>(a.data), a.row_stride, a.col_stride};
      g.b = {reinterpret_cast<const T*>(b.data), b.row_stride, 2 * b.col_stride};
      g.numbers_as_stored = true;
      g.conjugate_a = panel.conjugate_a;
      g.conjugate_b = panel.conjugate_b;
      g.row_pairs = g.conjugate_b ? RowPairs::conjugated : RowPairs::complex;
      return g;
    };
    const Gemm<T> g = product(panel.a, panel.b);
    const T one = 1, zero = 0;
    const Mode mode{};
    const Call<Gemm<T>, T> call{g, {&one, false}, {&zero, false}, true, true, mode, ACCUBLAS_ENGINE_INT8};
    return EngineCall<T>(call).cols;
  } else {
    return {panel.a.data, panel.a.row_stride, panel.a.col_stride, m_, panel.k};
  }
}

template <class E>
void HeldResidues<E>::measure_part(const AccumulatorPanel<E>& part) {
  const Operand<T> of_b = rows_of(part), of_a = cols_of(part), numbers = parts == 2 ? of_a.numbers() : of_a;
  rows_.k = numbers_.k = cols_lines_.k = of_b.k;
  measure(model_, of_b, rows_, numbers, numbers_, rounds_, state_, steps_.stream());
}

template <class E>
void HeldResidues<E>::measure_panel(PanelParts<E>& parts_of_panel) {
  for (Index i = 0, count = parts_of_panel.count(); i < count; ++i) {
    measure_part(parts_of_panel.at(i));
    check_lines(model_, {rows_, row_errors_.limits, row_bits_, row_flags_},
                {numbers_, col_errors_.limits, col_bits_, number_flags_}, {i == 0, i == count - 1}, notes_,
                steps_.stream());
  }
  publish_notes(model_, notes_, notes_here_.get(), steps_.stream());
  steps_.mark();
  if (parts == 2) spread_over_pairs(model_, numbers_, cols_lines_, rounds_, steps_.stream());
}

template <class E>
void HeldResidues<E>::measure_again(PanelParts<E>& parts_of_panel, Index i) {
  if (parts_of_panel.count() == 1) return;
  measure_part(parts_of_panel.at(i));
  clear_special_lines(model_, {rows_, row_errors_.limits, row_bits_, row_flags_},
                      {numbers_, col_errors_.limits, col_bits_, number_flags_}, steps_.stream());
  if (parts == 2) spread_over_pairs(model_, numbers_, cols_lines_, rounds_, steps_.stream());
}

template <class E>
PanelFindings HeldResidues<E>::findings() {
  steps_.await_mark();
  const PanelNotes& notes = *notes_here_.get();
  PanelFindings found;
  constexpr unsigned long long none = ~0ull;
  if (notes.bad[0] != none) found.bad_column = static_cast<Index>(notes.bad[0]);
  if (notes.bad[1] != none) found.bad_row = static_cast<Index>(notes.bad[1]);
  found.drops = notes.keeps == 0;
  if (notes.finite == 0) {
    const auto read = [&](std::vector<std::uint8_t>& special, const std::uint8_t* flags, Index count) {
      special.resize(size(count));
      steps_.fetch(special.data(), flags, count);
      steps_.wait();
      for (std::uint8_t& line : special) line = (line & line_has_nan) != 0 ? 2 : line & line_has_inf;
    };
    read(found.special_rows, number_flags_, m_);
    read(found.special_columns, row_flags_, n_);
  }
  return found;
}

template <class E>
void HeldResidues<E>::convert_terms(const AccumulatorPanel<E>& part, Index first, Index terms) {
  ConvertSide<T> rows{rows_of(part), with_exponents(rows_, row_exponent_), 0, row_residues_ + waiting_, true},
      cols{cols_of(part), with_exponents(cols_lines_, col_exponent_), 0, col_residues_ + waiting_, true};
  rows.line_bytes = cols.line_bytes = depth_;
  convert<T>(model_, rows, cols, GroupTerms{}, &state_->pass[product_pass], first, terms, round_up(terms, panel_step),
             steps_.stream());
}

template <class E>
void HeldResidues<E>::convert_part(const AccumulatorPanel<E>& part, BackendState* users) {
  for (Index first = 0; first < real_terms(part);) {
    if (waiting_ == depth_) multiply();
    const Index terms = std::min(real_terms(part) - first, depth_ - waiting_);
    convert_terms(part, first, terms);
    let_wait(terms);
    first += terms;
  }
  steps_.lead(users);
}

template <class E>
void HeldResidues<E>::multiply() {
  const Index terms = round_up(waiting_, term_step);
  if (terms > waiting_) {
    const auto clear_end = [&](std::uint8_t* residues, Index lines) {
      check(cudaMemset2DAsync(residues + waiting_, size(depth_), 0, size(terms - waiting_), size(lines * moduli_),
                              steps_.stream()),
            "clearing residues");
    };
    clear_end(row_residues_, block_rows_);
    clear_end(col_residues_, block_cols_);
  }
  ProductArguments product{};
  product.rows = row_residues_;
  product.cols = col_residues_;
  product.rows_bytes = row_bytes_;
  product.cols_bytes = col_bytes_;
  product.result = result_;
  product.k_padded = terms;
  product.line_bytes = depth_;
  product.m = n_;
  product.n = cols();
  product.accumulate = !empty_;
  product.plan = &state_->pass[product_pass];
  product.state = state_;
  residue_product(model_, product, steps_.stream());
  empty_ = false;
  waiting_ = 0;
}

template <class E>
void HeldResidues<E>::add_errors_of_part() {
  add_errors(model_, {rows_, row_errors_}, {cols_lines_, col_errors_}, rounds_, steps_.stream());
  terms_ += rows_.k;
}

template <class E>
DeviceOutcome HeldResidues<E>::finish(const DeviceRounding<E>& rounding, const DeviceUse& use) {
  DeviceOutcome outcome = DeviceOutcome::done;
  in_scope(
      [&] {
        steps_.follow(use.space.users);
        again_.reset();
        empty_waiting(use.cap);
        outcome = FinalRounding(*this, rounding, use).run();
        steps_.lead(use.space.users);
      },
      use.space.users);
  return outcome;
}

template <class E>
void HeldResidues<E>::add(const AccumulatorPanel<E>& panel, const DeviceUse& use,
                          const std::function<void(const PanelFindings&)>& known) {
  in_scope(
      [&] {
        workspace_bytes_ = 0;
        steps_.follow(use.space.users);
        fit_waiting(use.cap);
        PanelParts<E> staged(panel, m_, n_, use, use.cap - waiting_bytes(), steps_);
        workspace_bytes_ = staged.bytes();
        measure_panel(staged);
        // The device goes on with the conversion while the host waits for the findings. The residues wait, and count,
        // only afterwards.
        const bool ahead = staged.count() == 1 && round_up(real_terms(panel), panel_step) <= depth_ - waiting_;
        if (ahead) convert_terms(staged.at(0), 0, real_terms(panel));
        known(findings());
        unfinished_ = true;
        for (Index i = 0; i < staged.count(); ++i) {
          measure_again(staged, i);
          if (ahead)
            let_wait(real_terms(panel)), steps_.lead(use.space.users);
          else
            convert_part(staged.at(i), use.space.users);
          add_errors_of_part();
        }
        if (waiting_ == depth_) multiply();
        // The second copies of host operands may still read the caller's memory, if that is pinned.
        if (staged.count() > 1) steps_.wait();
        unfinished_ = false;
      },
      use.space.users);
}

template <class E>
void HeldResidues<E>::fit_second_round(Index listed, std::size_t cap) {
  const std::size_t sum = SecondRound::bytes_a_sum(most_digits_), ends = 1024;  // of the arrays
  const std::size_t room = cap / second_round_share;
  const Index fits = room > ends ? static_cast<Index>((room - ends) / sum) : 0, wanted = std::min(fits, listed);
  if (wanted < 1) refuse_cap(cap, second_round_share * (sum + ends), "an exact sum of an accumulator");
  if (again_ && again_->count == wanted) return;
  again_.reset();
  again_ = std::make_unique<SecondRound>(wanted, most_digits_, device(), steps_.stream());
}

template <class E>
void HeldResidues<E>::sum_part(const AccumulatorPanel<E>& part, const std::vector<Index>& listed, Index first) {
  SecondRound& r = *again_;
  const Index count = std::min(r.count, static_cast<Index>(listed.size()) - first);
  if (r.sent != first) steps_.send(r.list, listed.data() + first, count);
  r.sent = first;
  sum_listed<T>(model_, rows_of(part), rows_, cols_of(part), cols_lines_, r.list, count, most_digits_, r.found,
                r.of_digits, steps_.stream());
}

template <class E>
void HeldResidues<E>::take_sums(const std::vector<Index>& listed, Index first, std::vector<LongAccumulator>& sums) {
  SecondRound& r = *again_;
  const Index count = std::min(r.count, static_cast<Index>(listed.size()) - first);
  steps_.fetch(r.found_here.data(), r.found, count);
  steps_.fetch(r.digits_here.data(), r.of_digits, count * most_digits_);
  steps_.wait();
  for (Index i = 0; i < count; ++i)
    sums[size(first + i)].add_digits(&r.digits_here[size(i * most_digits_)], r.found_here[size(i)].count,
                                     r.found_here[size(i)].first);
}

template <class E>
void HeldResidues<E>::add_again(const AccumulatorPanel<E>& panel, const DeviceUse& use,
                                const std::vector<Index>& listed,
                                const std::function<void(const PanelFindings&)>& known,
                                std::vector<LongAccumulator>& sums) {
  in_scope(
      [&] {
        workspace_bytes_ = 0;
        steps_.follow(use.space.users);
        empty_waiting(use.cap);
        fit_second_round(static_cast<Index>(listed.size()), use.cap);
        PanelParts<E> staged(panel, m_, n_, use, use.cap / second_round_share, steps_);
        workspace_bytes_ = staged.bytes() + again_->memory.bytes();
        measure_panel(staged);
        const bool ahead = staged.count() == 1;
        if (ahead) sum_part(staged.at(0), listed, 0);
        known(findings());
        unfinished_ = true;
        for (Index i = 0; i < staged.count(); ++i) {
          measure_again(staged, i);
          for (Index first = 0; first < static_cast<Index>(listed.size()); first += again_->count) {
            if (!ahead || first > 0) sum_part(staged.at(i), listed, first);
            take_sums(listed, first, sums);
          }
        }
        steps_.lead(use.space.users);
        unfinished_ = false;
      },
      use.space.users);
}

}  // namespace cuda

template <class E>
std::unique_ptr<DeviceSums<E>> make_device_sums(const Accumulator& of, int device, std::size_t cap) {
  cuda::require_device(device);
  std::unique_ptr<DeviceSums<E>> made;
  with_stack(cuda::needed_stack, [&] {
    const cuda::DeviceScope scope(device);
    made = std::make_unique<cuda::HeldResidues<E>>(of, device, cap);
  });
  return made;
}

#define ACCUBLAS_INSTANTIATE(E) \
  template std::unique_ptr<DeviceSums<E>> make_device_sums(const Accumulator&, int, std::size_t);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas
