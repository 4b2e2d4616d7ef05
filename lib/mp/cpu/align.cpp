#include "lib/mp/cpu/align.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "lib/base/thread_pool.hpp"
#include "lib/mp/transfer.hpp"

namespace accublas::mp {

namespace {

constexpr Exponent none = std::numeric_limits<Exponent>::max();
constexpr int band_width = shifts;
static_assert((band_width & (band_width - 1)) == 0);

/// Returns the distance of planes. If planes are long, it is an odd number of cache lines past a multiple of 4096
/// bytes: a conversion writes to all planes at once, and strides near a power of two would map all of them to the same
/// set of the caches.
std::int64_t spread_planes(std::int64_t residues) {
  constexpr std::int64_t page = 1024, lines = 5 * cpu::mp_padding;
  return residues < 16 * page ? residues : round_up(residues, page) + lines;
}

/// Number of digits that a shift below a band's width adds.
constexpr int shifted_digits = 3;
static_assert(band_width <= 31 * shifted_digits);

bool all_zero(const std::uint32_t* digit, std::int64_t count) {
  std::uint32_t any = 0;
  for (std::int64_t t = 0; t < count; ++t) any |= digit[t];
  return any == 0;
}

}  // namespace

PlaneMaker::PlaneMaker(const Elements& elements, const cpu::MpKernels& kernels, int moduli)
    : format_(elements.format), kernels_(kernels), gathered_(format_.moduli * chunk) {
  if (elements.positional) {
    const int digits = digits_of(format_) + shifted_digits;
    digits_ = Buffer<std::uint32_t>(digits * chunk);
    room_ = Buffer<std::uint64_t>(cpu::mp_room(digits));
    if (kernels.combine_wide)
      reciprocals_ = wide_reciprocals(moduli, cpu::mp_wide_digits(digits));
    else
      digit_weights_ = digit_weights(moduli, digits, 0);
    return;
  }
  basis_ = &basis(format_.moduli);
  digits_ = Buffer<std::uint32_t>((format_.moduli + 1) * chunk);
  room_ = Buffer<std::uint64_t>(cpu::mp_room(format_.moduli + 1));
  if (moduli > format_.moduli) extension_ = extension(format_.moduli, moduli);
}

void PlaneMaker::make(const Elements& elements, const Block& block, std::int64_t i, std::int64_t j, std::int64_t count,
                      const std::uint8_t* shift, int from, int to, std::uint32_t* out, std::int64_t plane_stride) {
  const RnsModulus* modulus = moduli(to);
  const RnsPowers* power = powers(to);
  std::int64_t stride = 0;
  const std::uint32_t* planes = gather(elements, block, i + j * block.rows, count, gathered_.data(), stride);
  std::uint8_t sign[chunk];
  const std::uint8_t* negative = elements.sign + block.at(i, j);
  if (block.row_stride != 1 && count > 1) {
    for (std::int64_t t = 0; t < count; ++t) sign[t] = elements.sign[block.at(i + t, j)];
    negative = sign;
  }
  if (elements.positional) {
    int digits = digits_of(format_), low = std::min(elements.low, digits - 1);
    while (low + 1 < digits && all_zero(planes + low * stride, count)) ++low;
    digits -= low;
    planes += low * stride;
    if (shift) {  // two or three digits more cost less than a shift modulo each modulus
      kernels_.shift({planes, stride, digits, shift, count, digits_.data(), chunk});
      planes = digits_.data();
      stride = chunk;
      digits += shifted_digits;
      while (digits > 1 && all_zero(planes + (digits - 1) * stride, count)) --digits;
    }
    if (reciprocals_)
      return kernels_.combine_wide({planes, stride, low, digits, reciprocals_->tables(), modulus, from, to, count,
                                    negative, out, plane_stride, room_.data()});
    const std::int64_t width = digit_weights_->digits;
    kernels_.combine({planes, stride, digits, digit_weights_->weight.data() + from * width + low, width, modulus + from,
                      power + from, to - from, count, nullptr, negative, out, plane_stride, room_.data()});
    return;
  }
  const int own = format_.moduli;
  if (from < own)
    kernels_.scale({planes + from * stride, stride, modulus + from, power + from, std::min(to, own) - from, count,
                    shift, negative, out, plane_stride});
  if (to <= own) return;
  const int first = std::max(from, own);
  kernels_.crt_digits(
      {planes, stride, modulus, basis_->inverse.data(), basis_->reciprocal.data(), own, count, digits_.data(), chunk});
  kernels_.combine({digits_.data(), chunk, own + 1,
                    extension_->weight.data() + static_cast<std::size_t>(first - own) * (own + 1), own + 1,
                    modulus + first, power + first, to - first, count, shift, negative,
                    out + (first - from) * plane_stride, plane_stride, room_.data()});
}

HostAligned::HostAligned(const Elements& elements, const Block& block, int threads)
    : block_(block),
      ld_(round_up(block.rows, cpu::mp_padding)),
      plane_stride_(spread_planes(ld_ * block.columns)),
      row_exponent_(block.rows),
      column_exponent_(block.columns),
      row_least_(block.rows),
      column_largest_(block.columns) {
  find_exponents(elements, threads);
  find_bands(elements, threads);
}

/// Finds the exponents. Exponents minus the largest of their column lie in -2^31 + 2 .. 0, and their differences in 0
/// .. 2^31 - 2, so 32 bits suffice. The codes of zeros, infinities and NaN are below every exponent.
void HostAligned::find_exponents(const Elements& elements, int threads) {
  const std::int64_t rows = block_.rows, columns = block_.columns, parts = std::min<std::int64_t>(threads, columns);
  Buffer<std::int32_t> least(rows * parts), apart(block_.row_stride == 1 ? 0 : rows * parts);
  Buffer<std::uint8_t> nonfinite(parts);
  least.zero();
  parallel_for(parts, threads, [&](std::int64_t part, int) {
    std::int32_t* row = least.data() + part * rows;
    std::int32_t any = 0;
    for (std::int64_t j = columns * part / parts; j < columns * (part + 1) / parts; ++j) {
      const std::int32_t* e = neighbouring_exponents(elements, j, apart.data() + part * rows);
      std::int32_t largest = exponent_zero;
      for (std::int64_t i = 0; i < rows; ++i) {
        largest = std::max(largest, e[i]);
        any |= static_cast<std::int32_t>(e[i] == exponent_infinity) | static_cast<std::int32_t>(e[i] == exponent_nan);
      }
      column_largest_[j] = largest;
      column_exponent_[j] = is_special(largest) ? 0 : std::int64_t{largest} - elements.format.precision;
      for (std::int64_t i = 0; i < rows; ++i) row[i] = std::min(row[i], is_special(e[i]) ? 0 : e[i] - largest);
    }
    nonfinite[part] = any != 0;
  });
  for (std::int64_t i = 0; i < rows; ++i) {
    std::int32_t smallest = 0;
    for (std::int64_t part = 0; part < parts; ++part) smallest = std::min(smallest, least[part * rows + i]);
    row_exponent_[i] = row_least_[i] = smallest;
  }
  for (std::int64_t part = 0; part < parts; ++part) nonfinite_ |= nonfinite[part] != 0;
}

/// Returns the exponents of column j as an array of neighbours: in place if they lie so, otherwise copied to `apart`.
const std::int32_t* HostAligned::neighbouring_exponents(const Elements& elements, std::int64_t j,
                                                        std::int32_t* apart) const {
  const std::int32_t* e = elements.exponent + block_.at(0, j);
  if (block_.row_stride == 1) return e;
  for (std::int64_t i = 0; i < block_.rows; ++i) apart[i] = e[i * block_.row_stride];
  return apart;
}

std::int32_t HostAligned::above(const Elements& elements, std::int64_t i, std::int64_t j) const {
  const std::int32_t e = elements.exponent[block_.at(i, j)];
  return is_special(e) ? 0 : e - column_largest_[j] - row_least_[i];
}

void HostAligned::find_bands(const Elements& elements, int threads) {
  const std::int64_t rows = block_.rows, columns = block_.columns, parts = std::min<std::int64_t>(threads, columns);
  Buffer<std::int32_t> highest(parts), spread(parts), apart(block_.row_stride == 1 ? 0 : rows * parts);
  parallel_for(parts, threads, [&](std::int64_t part, int) {
    std::int32_t high = 0, rest = 0;
    for (std::int64_t j = columns * part / parts; j < columns * (part + 1) / parts; ++j) {
      const std::int32_t *e = neighbouring_exponents(elements, j, apart.data() + part * rows),
                         *least = row_least_.data(), largest = column_largest_[j];
      for (std::int64_t i = 0; i < rows; ++i) {
        const std::int32_t here = is_special(e[i]) ? 0 : e[i] - largest - least[i];
        high = std::max(high, here);
        rest = std::max(rest, here & (band_width - 1));
      }
    }
    highest[part] = high;
    spread[part] = rest;
  });
  std::int32_t high = 0;
  for (std::int64_t part = 0; part < parts; ++part) {
    high = std::max(high, highest[part]);
    spread_ = std::max(spread_, spread[part]);
  }
  if (high >= band_width) fill_bands(elements);
}

void HostAligned::fill_bands(const Elements& elements) {
  band_ = Buffer<std::int32_t>(block_.size());
  row_banded_ = Buffer<std::uint8_t>(block_.rows);
  column_banded_ = Buffer<std::uint8_t>(block_.columns);
  row_banded_.zero();
  column_banded_.zero();
  for (std::int64_t j = 0; j < block_.columns; ++j)
    for (std::int64_t i = 0; i < block_.rows; ++i) {
      const std::int32_t band = above(elements, i, j) / band_width;
      band_[i + j * block_.rows] = band;
      if (band == 0) continue;
      row_banded_[i] = column_banded_[j] = 1;
    }
}

/// Finds the shifts of elements (i .. i + count - 1, j): the remainder of `above` within the elements' bands.
void HostAligned::find_shifts(const Elements& elements, std::int64_t i, std::int64_t j, std::int64_t count,
                              std::uint8_t* shift) const {
  const std::uint32_t mask = band_width - 1, largest = static_cast<std::uint32_t>(column_largest_[j]);
  const std::int32_t *e = elements.exponent + block_.at(i, j), *least = &row_least_[i];
  std::int32_t apart[chunk];
  if (block_.row_stride != 1) {
    for (std::int64_t t = 0; t < count; ++t) apart[t] = e[t * block_.row_stride];
    e = apart;
  }
  // The loop has no branches and cannot overflow, whatever the exponents' storage holds, so that compilers vectorize
  // it.
  for (std::int64_t t = 0; t < count; ++t)
    shift[t] =
        static_cast<std::uint8_t>((static_cast<std::uint32_t>(e[t]) - largest - static_cast<std::uint32_t>(least[t])) &
                                  (is_special(e[t]) ? 0 : mask));
}

void HostAligned::ensure(const Elements& elements, int count, const cpu::MpKernels& kernels, int threads) {
  if (count <= count_ || block_.size() == 0) return;
  Segment segment{count_, count, Buffer<std::uint32_t>((count - count_) * plane_stride_)};
  const bool streamed = segment.planes.bytes() >= streamed_bytes;
  struct Worker {
    PlaneMaker maker;
    Buffer<std::uint32_t> planes;
  };
  segments_.reserve(segments_.size() + 1);
  const auto make = [&] { return Worker{{elements, kernels, count}, Buffer<std::uint32_t>((count - count_) * chunk)}; };
  const auto fill = [&](Worker& worker, std::int64_t i, std::int64_t j, std::int64_t rows) {
    std::uint8_t shift[chunk];
    if (spread_ > 0) find_shifts(elements, i, j, rows, shift);
    std::uint32_t* made = worker.planes.data();
    worker.maker.make(elements, block_, i, j, rows, spread_ > 0 ? shift : nullptr, segment.from, segment.to, made,
                      chunk);
    const std::int64_t padded = i + rows < block_.rows ? rows : ld_ - i;
    for (int k = segment.from; k < segment.to; ++k, made += chunk) {
      std::fill(made + rows, made + padded, 0);
      std::uint32_t* out = segment.planes.data() + (k - segment.from) * plane_stride_ + j * ld_ + i;
      if (streamed)
        stream(made, padded, out);
      else
        std::copy_n(made, padded, out);
    }
    if (streamed) stream_fence();
  };
  for_chunks(block_.rows, block_.columns, threads, make, fill);
  segments_.push_back(std::move(segment));
  count_ = count;
}

const std::uint32_t* HostAligned::plane(int k) const {
  for (const Segment& segment : segments_)
    if (k < segment.to) return segment.planes.data() + (k - segment.from) * plane_stride_;
  return nullptr;
}

std::int64_t HostAligned::bytes() const {
  std::int64_t sum = row_least_.bytes() + column_largest_.bytes() + row_exponent_.bytes() + column_exponent_.bytes() +
                     band_.bytes() + row_banded_.bytes() + column_banded_.bytes();
  for (const Segment& segment : segments_) sum += segment.planes.bytes();
  return sum;
}

AlignedVectors::AlignedVectors(const Elements& elements, const Block& block, const Exponent* scale)
    : elements_(&elements),
      block_(block),
      ld_(round_up(block.rows, cpu::mp_padding)),
      unit_(block.columns),
      band_(block.rows * block.columns),
      rest_(block.rows * block.columns),
      banded_(block.columns) {
  const int precision = elements.format.precision;
  for (std::int64_t v = 0; v < block.columns; ++v) {
    Exponent least = none;
    for (std::int64_t q = 0; q < block.rows; ++q) {
      const std::int32_t e = elements.exponent[block.at(q, v)];
      nonfinite_ |= e == exponent_infinity || e == exponent_nan;
      if (!is_special(e)) least = std::min(least, e - precision + scale[q]);
    }
    unit_[v] = least == none ? 0 : least;
    banded_[v] = 0;
    for (std::int64_t q = 0; q < block.rows; ++q) {
      const std::int32_t e = elements.exponent[block.at(q, v)];
      const Exponent above = is_special(e) ? 0 : e - precision + scale[q] - unit_[v];
      const std::int64_t at = q + v * block.rows;
      rest_[at] = static_cast<std::uint8_t>(above % band_width);
      band_[at] = static_cast<std::int32_t>(above / band_width);
      spread_ = std::max(spread_, static_cast<int>(rest_[at]));
      banded_[v] |= band_[at] != 0;
    }
    any_banded_ |= banded_[v] != 0;
  }
}

AlignedVectors::AlignedVectors(const Exponent* scale)
    : block_{0, 1, 1, 1, 1}, ld_(cpu::mp_padding), unit_(1), band_(1), rest_(1), banded_(1) {
  unit_[0] = scale[0];
  band_[0] = 0;
  rest_[0] = 0;
  banded_[0] = 0;
}

bool AlignedVectors::split_bands(int most) {
  std::vector<std::int64_t> first{0};
  std::vector<std::int32_t> bands;
  for (std::int64_t v = 0; v < block_.columns; ++v) {
    std::vector<std::int32_t> found;
    for (std::int64_t q = 0; q < block_.rows; ++q) {
      if (std::find(found.begin(), found.end(), band(q, v)) != found.end()) continue;
      if (static_cast<int>(found.size()) == most) return false;
      found.push_back(band(q, v));
    }
    std::sort(found.begin(), found.end(), std::greater<>());
    bands.insert(bands.end(), found.begin(), found.end());
    first.push_back(static_cast<std::int64_t>(bands.size()));
  }
  first_ = std::move(first);
  column_band_ = std::move(bands);
  return true;
}

/// Moves residues q .. q + rows - 1 of vector v, all of which are in its first column, to the columns of their bands.
void AlignedVectors::separate(std::int64_t v, std::int64_t q, std::int64_t rows, int count) {
  const std::int64_t source = first_column(v);
  for (int k = 0; k < count; ++k) {
    std::uint32_t* from = planes_.data() + k * plane_stride() + source * ld_ + q;
    for (std::int64_t w = first_column(v + 1) - 1; w >= source; --w) {  // the first column last: it is the source
      std::uint32_t* to = from + (w - source) * ld_;
      for (std::int64_t t = 0; t < rows; ++t) to[t] = band(q + t, v) == column_band(w) ? from[t] : 0;
    }
  }
}

void AlignedVectors::make_planes(int count, const cpu::MpKernels& kernels, int threads) {
  planes_ = Buffer<std::uint32_t>(count * plane_stride());
  if (!elements_) {
    planes_.zero();
    for (int k = 0; k < count; ++k) planes_[k * plane_stride()] = 1;
    return;
  }
  const auto make = [&] { return PlaneMaker(*elements_, kernels, count); };
  const auto fill = [&](PlaneMaker& maker, std::int64_t q, std::int64_t v, std::int64_t rows) {
    std::uint32_t* out = planes_.data() + first_column(v) * ld_ + q;
    maker.make(*elements_, block_, q, v, rows, spread_ > 0 ? &rest_[q + v * block_.rows] : nullptr, 0, count, out,
               plane_stride());
    if (first_column(v + 1) - first_column(v) > 1) separate(v, q, rows, count);
    if (q + rows < block_.rows) return;
    for (int k = 0; k < count; ++k)
      for (std::int64_t w = first_column(v); w < first_column(v + 1); ++w) {
        std::uint32_t* column = planes_.data() + k * plane_stride() + w * ld_;
        std::fill(column + block_.rows, column + ld_, 0);
      }
  };
  for_chunks(block_.rows, block_.columns, threads, make, fill);
}

}  // namespace accublas::mp
