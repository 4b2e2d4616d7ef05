// The final rounding of an accumulator in device memory.
#pragma once

#include <algorithm>
#include <new>
#include <optional>
#include <vector>

#include "cuda/accumulator/residues.hpp"
#include "cuda/core/matrices.hpp"
#include "cuda/core/memory.hpp"
#include "cuda/core/scalar_argument.hpp"
#include "cuda/exact/combined_parts.hpp"
#include "cuda/exact/open_elements.hpp"
#include "cuda/int8/reconstruct.hpp"

namespace accublas::cuda {

inline Lines part_of(const Lines& all, Index first, Index count) {
  Lines part = all;
  part.count = count;
  part.exponent += first;
  part.last_bit += first;
  part.norm += first;
  part.lambda += first;
  part.special += first;
  return part;
}

/// Copies a matrix of numbers of any strides.
template <class E>
void copy_numbers(const Matrix<const E>& from, const Matrix<E>& to, Index m, Index n, cudaStream_t stream) {
  using T = RealOf<E>;
  if constexpr (!is_complex<E>) {
    copy_matrix<T>(from, to, m, n, nullptr, stream);
  } else {
    const T* const source = reinterpret_cast<const T*>(from.data);
    T* const target = reinterpret_cast<T*>(to.data);
    if (from.row_stride == 1 && to.row_stride == 1)
      return copy_matrix<T>({source, 1, 2 * from.col_stride}, {target, 1, 2 * to.col_stride}, 2 * m, n, nullptr,
                            stream);
    for (const int part : {0, 1})
      copy_matrix<T>({source + part, 2 * from.row_stride, 2 * from.col_stride},
                     {target + part, 2 * to.row_stride, 2 * to.col_stride}, m, n, nullptr, stream);
  }
}

/// The final rounding, some columns of C at a time. Where elements may be undecided, C must stay as it was until all
/// are known: then either one block is all of C, or a first round over all blocks writes nothing.
template <class E>
class FinalRounding {
 public:
  using T = RealOf<E>;
  static constexpr int parts = is_complex<E> ? 2 : 1;

  /// Throws Error(ACCUBLAS_ERROR_MEMORY) if the workspace is too small.
  FinalRounding(HeldResidues<E>& sums, const DeviceRounding<E>& rounding, const DeviceUse& use)
      : sums_(sums),
        r_(rounding),
        space_(use.space),
        stream_(sums.steps_.stream()),
        combines_(is_combined()),
        reads_c_(!(rounding.beta == T(0))),
        keeps_c_(combines_ && reads_c_),
        adjacent_(rounding.c.row_stride == 1 || sums.m_ == 1) {
    in_place_ = r_.exact && space_.c_there && adjacent_ && r_.known.empty() && !keeps_c_;
    // With exact sums in device memory the host knows all numbers that it computes.
    lists_ = !in_place_ && !(r_.exact && space_.c_there);
    const Index words = OpenBits::words_per_row(sums.cols()), m = sums.m_,
                copies = (space_.c_there ? 0 : 1) + 1 + (keeps_c_ ? 1 : 0);
    const std::size_t column = size(words) * sizeof(std::uint32_t) + (in_place_ ? 0 : size(copies * m) * sizeof(E)),
                      listed = lists_ ? size(m) * sizeof(Index) : 0, ends = 2048,  // of the arrays
        some = in_place_ ? 0 : size(least_numbers) * number_bytes();
    const std::size_t waiting = sums.waiting_bytes(), needed = column + listed + ends + some;
    if (use.cap < waiting + needed) refuse_cap(use.cap, waiting + needed, "the results of an accumulator");
    // The numbers that the host computes get an eighth of the memory, or room for 64. The list has room for all numbers
    // of a block, or for all that the host may compute.
    const std::size_t room = use.cap - waiting;
    numbers_ = in_place_
                   ? 0
                   : std::max(least_numbers,
                              static_cast<Index>(std::min(room / 8, room - ends - column - listed) / number_bytes()));
    const std::size_t rest = room - ends - size(numbers_) * number_bytes(),
                      most_list = r_.exact ? rest : size(r_.most_open) * sizeof(Index);
    std::size_t fit = rest / (column + listed);
    if (most_list < rest) fit = std::max(fit, (rest - most_list) / column);
    columns_ = static_cast<Index>(std::clamp<std::size_t>(fit, 1, size(sums.n_)));
    capacity_ = !lists_ ? 0 : r_.exact ? m * columns_ : std::min(r_.most_open, m * columns_);
  }

  DeviceOutcome run() {
    write_finish_lines(sums_.model_, no_terms(with_exponents(sums_.rows_, sums_.row_exponent_)), sums_.row_errors_,
                       stream_);
    write_finish_lines(sums_.model_, no_terms(with_exponents(sums_.cols_lines_, sums_.col_exponent_)),
                       sums_.col_errors_, stream_);
    CallState& state = *sums_.state_;
    choose_moduli(sums_.model_, sums_.row_errors_, sums_.col_errors_,
                  {{&state.pass[HeldResidues<E>::exact_pass], &state.pass[HeldResidues<E>::interval_pass]},
                   sums_.n_,
                   sums_.cols(),
                   sums_.terms_,
                   sums_.moduli_},
                  stream_);
    const ArrayMemory<PoolMemory> memory([&](Carver& carver) { lay_out(carver); }, sums_.device(), stream_);
    sums_.workspace_bytes_ = bytes_ = memory.bytes();
    try {
      return round_all();
    } catch (const Error& error) {
      if (wrote_) throw Error(ACCUBLAS_ERROR_C_UNDEFINED, error.what(), error.cause());
      throw;
    } catch (const std::bad_alloc&) {
      if (wrote_) throw Error(ACCUBLAS_ERROR_C_UNDEFINED, "no host memory", ACCUBLAS_ERROR_MEMORY);
      throw;
    }
  }

 private:
  /// Numbers that the host computes at a time, at least.
  static constexpr Index least_numbers = 64;

  static std::size_t size(Index count) { return static_cast<std::size_t>(count); }
  /// Device memory for a number that the host computes.
  std::size_t number_bytes() const { return sizeof(Index) + size(parts * sums_.moduli_) + sizeof(E); }

  DeviceOutcome round_all() {
    const bool looks_first = !r_.exact && columns_ < sums_.n_;
    for (const bool writes : {false, true}) {
      if (!writes && !looks_first) continue;
      found_ = 0;
      for (Index first = 0; first < sums_.n_; first += columns_)
        if (!round(first, std::min(columns_, sums_.n_ - first), writes)) return DeviceOutcome::for_the_host;
      if (!writes && !r_.may_write()) break;
    }
    if (!space_.c_there) sums_.steps_.wait();
    return DeviceOutcome::done;
  }
  bool is_combined() const {
    if constexpr (is_complex<E>)
      return r_.alpha.im != 0 || r_.beta.im != 0;
    else
      return false;
  }
  static Lines no_terms(Lines lines) {
    lines.k = 0;
    return lines;
  }
  void lay_out(Carver& carver) {
    const Index numbers = sums_.m_ * columns_;
    open_ = carver.take<std::uint32_t>(columns_ * OpenBits::words_per_row(sums_.cols()));
    count_ = carver.take<unsigned long long>(1);
    if (in_place_) return;
    if (!space_.c_there) staged_ = carver.take<E>(numbers);
    out_ = carver.take<E>(numbers);
    if (keeps_c_) kept_ = carver.take<E>(numbers);
    list_ = carver.take<Index>(capacity_);
  }

  /// Rounds columns first .. first + count - 1. Returns false if too many numbers are pending.
  bool round(Index first, Index count, bool writes) {
    const Index m = sums_.m_;
    Matrix<E> c = r_.c.block(0, first);
    std::optional<StagedMatrix<E>> host;
    if (!space_.c_there) {
      host.emplace(c, m, count);
      std::byte* next = reinterpret_cast<std::byte*>(staged_);
      c = host->take(next);
      if (reads_c_) host->copy_in(stream_);
    }
    Matrix<E> out{in_place_ ? c.data : out_, 1, in_place_ ? c.col_stride : m};
    if (!in_place_ && reads_c_) copy_numbers<E>(read_only(c), out, m, count, stream_);
    wrote_ = wrote_ || in_place_;
    reconstruct_block(first, count, c, out);
    if (in_place_) return true;
    if (!resolve(first, count, c)) return false;
    if (!writes || (columns_ == sums_.n_ && !r_.may_write())) return true;
    wrote_ = true;
    copy_numbers<E>(read_only(out), c, m, count, stream_);
    if (host) host->copy_out(stream_);
    return true;
  }

  void reconstruct_block(Index first, Index count, const Matrix<E>& c, const Matrix<E>& out) {
    ReconstructArguments<T> block{};
    block.result = sums_.result_ + first * sums_.block_cols_;
    block.rows = part_of(no_terms(with_exponents(sums_.rows_, sums_.row_exponent_)), first, count);
    block.cols = no_terms(with_exponents(sums_.cols_lines_, sums_.col_exponent_));
    block.at = {reinterpret_cast<T*>(out.data), parts * out.col_stride, 1};
    block.open = open_;
    block.index = r_.exact ? HeldResidues<E>::exact_pass : HeldResidues<E>::interval_pass;
    block.fine = true;
    block.state = sums_.state_;
    if constexpr (is_complex<E>) {
      block.alpha = {combines_ ? T(1) : r_.alpha.re, nullptr};
      block.beta = {combines_ ? T(0) : unsigned_zero(r_.beta.re), nullptr};
      if (combines_) {
        CombinedParts<T> combined{{r_.alpha, nullptr}, {unsigned_zero(r_.beta), nullptr}};
        if (keeps_c_) {
          copy_numbers<E>(read_only(c), {kept_, 1, sums_.m_}, sums_.m_, count, stream_);
          combined.addend = reinterpret_cast<const T*>(kept_);
          combined.addend_stride = sums_.cols();
        }
        return reconstruct<T>(sums_.model_, block, &combined, stream_);
      }
    } else {
      block.alpha = {r_.alpha, nullptr};
      block.beta = {unsigned_zero(r_.beta), nullptr};
    }
    reconstruct<T>(sums_.model_, block, nullptr, stream_);
  }

  /// Lets the host compute the pending and the known numbers of a block. Returns false if too many are pending.
  bool resolve(Index first, Index count, const Matrix<E>& c) {
    const Index m = sums_.m_;
    const NumberBlock block{first * m, count, m, parts};
    std::vector<Index> numbers(std::lower_bound(r_.known.begin(), r_.known.end(), first * m),
                               std::lower_bound(r_.known.begin(), r_.known.end(), (first + count) * m));
    if (lists_) {
      sums_.steps_.fill(count_, 0, sizeof *count_);
      list_open<T>(sums_.model_, block, open_, space_.c_there ? nullptr : reinterpret_cast<const T*>(out_), capacity_,
                   list_, count_, stream_);
      unsigned long long open = 0;
      sums_.steps_.fetch(&open, count_, 1);
      sums_.steps_.wait();
      if (open > static_cast<unsigned long long>(capacity_)) return false;
      found_ += static_cast<Index>(open);
      if (!r_.exact && found_ > r_.most_open) return false;
      const std::size_t before = numbers.size();
      numbers.resize(before + open);
      sums_.steps_.fetch(numbers.data() + before, list_, static_cast<Index>(open));
      sums_.steps_.wait();
      std::sort(numbers.begin(), numbers.end());
      numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    }
    for (std::size_t at = 0; at < numbers.size(); at += size(numbers_)) {
      const auto some = numbers.begin() + static_cast<std::ptrdiff_t>(at);
      compute(block, {some, some + std::min<std::ptrdiff_t>(numbers_, numbers.end() - some)}, c);
    }
    return true;
  }

  void compute(const NumberBlock& block, const std::vector<Index>& numbers, const Matrix<E>& c) {
    const Index count = static_cast<Index>(numbers.size()), residues_count = count * parts * sums_.moduli_;
    Index* list = nullptr;
    std::int8_t* residues = nullptr;
    E* elements = nullptr;
    const ArrayMemory<PoolMemory> memory(
        [&](Carver& carver) {
          list = carver.take<Index>(count);
          residues = carver.take<std::int8_t>(residues_count);
          elements = carver.take<E>(count);
        },
        sums_.device(), stream_);
    sums_.workspace_bytes_ = std::max(sums_.workspace_bytes_, bytes_ + memory.bytes());
    const OrderedStream& steps = sums_.steps_;
    steps.send(list, numbers.data(), count);
    const Matrix<const T> of_c{reads_c_ ? reinterpret_cast<const T*>(c.data) : nullptr, parts * c.row_stride,
                               parts * c.col_stride};
    gather_numbers<T>(sums_.model_, {sums_.result_, sums_.block_cols_, sums_.plane(), sums_.moduli_, parts}, block,
                      list, count, of_c, residues, reinterpret_cast<T*>(elements), stream_);
    std::vector<std::int8_t> residues_here(size(residues_count));
    std::vector<E> c_here(numbers.size()), results(numbers.size());
    steps.fetch(residues_here.data(), residues, residues_count);
    steps.fetch(c_here.data(), elements, count);
    steps.wait();
    r_.resolve({numbers, residues_here.data(), c_here.data()}, results.data());
    steps.send(elements, results.data(), count);
    scatter_numbers<T>(sums_.model_, block, list, count, reinterpret_cast<const T*>(elements),
                       reinterpret_cast<T*>(out_), stream_);
    steps.wait();
  }

  HeldResidues<E>& sums_;
  const DeviceRounding<E>& r_;
  const OperandSpace space_;
  const cudaStream_t stream_;
  const bool combines_;
  const bool reads_c_;   ///< beta is not zero
  const bool keeps_c_;   ///< results need both parts of C as they were
  const bool adjacent_;  ///< the numbers of a column of C are
  bool wrote_ = false;   ///< some of C may be written
  bool in_place_;        ///< the kernels write C, and nothing is left to the host
  bool lists_;           ///< the device lists the numbers that it leaves to the host
  std::size_t bytes_ = 0;
  Index capacity_, columns_, numbers_;  ///< of the list; of a block; that the host computes at a time
  Index found_ = 0;                     ///< numbers that were listed
  std::uint32_t* open_ = nullptr;
  unsigned long long* count_ = nullptr;
  Index* list_ = nullptr;
  E *staged_ = nullptr, *out_ = nullptr, *kept_ = nullptr;
};

}  // namespace accublas::cuda
