#include "lib/mp/align.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "lib/mp/transfer.hpp"
#include "lib/thread_pool.hpp"

namespace accublas::mp {

namespace {

constexpr Exponent none = std::numeric_limits<Exponent>::max();
constexpr int band_width = shifts;

/// From plane to plane: an odd number of cache lines past a multiple of 4096 bytes where planes are long, because a
/// conversion writes to all of them at once and strides near a power of two would send all to the same set of the
/// caches.
std::int64_t spread_planes(std::int64_t residues) {
  constexpr std::int64_t page = 1024, lines = 5 * cpu::mp_padding;
  return residues < 16 * page ? residues : round_up(residues, page) + lines;
}

/// Moduli that the integers of elements of at most `width` significant bits are recovered from: the elements' own, or,
/// where that saves half of the work and more, the few that hold the significant bits.
int source_moduli(const Format& format, int width) {
  constexpr int few = 8;
  const int needed = moduli_for_bits(std::max(width, 1));
  return needed <= few && 2 * needed <= format.moduli ? needed : format.moduli;
}

}  // namespace

PlaneMaker::PlaneMaker(const Elements& elements, const cpu::MpKernels& kernels, int moduli)
    : format_(elements.format),
      kernels_(kernels),
      source_(source_moduli(format_, elements.width)),
      kept_(source_ == format_.moduli ? source_ : 0),
      basis_(basis(source_)),
      residues_(format_.moduli * chunk),
      digits_((source_ + 1) * chunk) {
  if (kept_ == 0)
    make_short_tables(format_.precision - std::max(elements.width, 1), moduli);
  else if (moduli > kept_)
    extension_ = extension(kept_, moduli);
}

void PlaneMaker::make_short_tables(int up, int count) {
  const RnsModulus* modulus = moduli(count);
  for (int k = 0; k < source_; ++k) {
    const std::uint32_t down = rns_inverse(rns_power(2, up, modulus[k]), modulus[k]);
    inverse_.push_back(make_factor(rns_mul(basis_.inverse[k].w, down, modulus[k]), modulus[k]));
  }
  for (int j = 0; j < count; ++j) {
    const std::uint32_t power = rns_power(2, up, modulus[j]);
    std::uint32_t product = power;
    for (int k = 0; k < source_; ++k) {
      std::uint32_t weight = power;
      for (int l = 0; l < source_; ++l)
        if (l != k) weight = rns_mul(weight, rns_reduce(modulus[l].m, modulus[j]), modulus[j]);
      weight_.push_back(weight);
      product = rns_mul(product, rns_reduce(modulus[k].m, modulus[j]), modulus[j]);
    }
    weight_.push_back(rns_negate(product, modulus[j]));
  }
}

void PlaneMaker::make(const Elements& elements, const Block& block, std::int64_t i, std::int64_t j, std::int64_t count,
                      const std::uint8_t* shift, int from, int to, std::uint32_t* out, std::int64_t plane_stride) {
  const RnsModulus* modulus = moduli(to);
  const RnsPowers* power = powers(to);
  std::int64_t stride = 0;
  const std::uint32_t* residues = gather(elements, block, i + j * block.rows, count, residues_.data(), stride);
  std::uint8_t negative[chunk], any_negative = 0, any_shift = 0;
  for (std::int64_t t = 0; t < count; ++t) {
    negative[t] = elements.sign[block.at(i + t, j)];
    any_negative |= negative[t];
    any_shift |= shift[t];
  }
  const std::uint8_t *shifts_given = any_shift ? shift : nullptr, *negative_given = any_negative ? negative : nullptr;
  if (from < kept_)
    kernels_.scale({residues + from * stride, stride, modulus + from, power + from, std::min(to, kept_) - from, count,
                    shifts_given, negative_given, out, plane_stride});
  if (to <= kept_) return;
  const int first = std::max(from, kept_);
  const RnsFactor* inverse = kept_ == 0 ? inverse_.data() : basis_.inverse.data();
  const std::uint32_t* weight = kept_ == 0 ? weight_.data() : extension_->weight.data();
  kernels_.crt_digits(
      {residues, stride, modulus, inverse, basis_.reciprocal.data(), source_, count, digits_.data(), chunk});
  kernels_.combine({digits_.data(), chunk, source_ + 1,
                    weight + static_cast<std::size_t>(first - kept_) * (source_ + 1), source_ + 1, modulus + first,
                    power + first, to - first, count, shifts_given, negative_given, out + (first - from) * plane_stride,
                    plane_stride});
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

/// Exponents less the largest of their column lie in -2^31 + 2 .. 0, and their differences in 0 .. 2^31 - 2: 32 bits
/// do. The codes of what is no finite nonzero number are below every exponent.
void HostAligned::find_exponents(const Elements& elements, int threads) {
  const std::int64_t rows = block_.rows, columns = block_.columns, parts = std::min<std::int64_t>(threads, columns);
  Buffer<std::int32_t> least(rows * parts);
  Buffer<std::uint8_t> nonfinite(parts);
  least.zero();
  parallel_for(parts, threads, [&](std::int64_t part, int) {
    std::int32_t* row = least.data() + part * rows;
    bool any = false;
    for (std::int64_t j = columns * part / parts; j < columns * (part + 1) / parts; ++j) {
      const std::int32_t* e = elements.exponent + block_.at(0, j);
      const std::int64_t step = block_.row_stride;
      std::int32_t largest = exponent_zero;
      for (std::int64_t i = 0; i < rows; ++i) {
        largest = std::max(largest, e[i * step]);
        any |= e[i * step] == exponent_infinity || e[i * step] == exponent_nan;
      }
      column_largest_[j] = largest;
      column_exponent_[j] = is_special(largest) ? 0 : std::int64_t{largest} - elements.format.precision;
      for (std::int64_t i = 0; i < rows; ++i)
        row[i] = std::min(row[i], is_special(e[i * step]) ? 0 : e[i * step] - largest);
    }
    nonfinite[part] = any;
  });
  for (std::int64_t i = 0; i < rows; ++i) {
    std::int32_t smallest = 0;
    for (std::int64_t part = 0; part < parts; ++part) smallest = std::min(smallest, least[part * rows + i]);
    row_exponent_[i] = row_least_[i] = smallest;
  }
  for (std::int64_t part = 0; part < parts; ++part) nonfinite_ |= nonfinite[part] != 0;
}

std::int32_t HostAligned::above(const Elements& elements, std::int64_t i, std::int64_t j) const {
  const std::int32_t e = elements.exponent[block_.at(i, j)];
  return is_special(e) ? 0 : e - column_largest_[j] - row_least_[i];
}

void HostAligned::find_bands(const Elements& elements, int threads) {
  const std::int64_t columns = block_.columns, parts = std::min<std::int64_t>(threads, columns);
  Buffer<std::int32_t> highest(parts), spread(parts);
  parallel_for(parts, threads, [&](std::int64_t part, int) {
    std::int32_t high = 0, rest = 0;
    for (std::int64_t j = columns * part / parts; j < columns * (part + 1) / parts; ++j)
      for (std::int64_t i = 0; i < block_.rows; ++i) {
        const std::int32_t here = above(elements, i, j);
        high = std::max(high, here);
        rest = std::max(rest, here % band_width);
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

void HostAligned::ensure(const Elements& elements, int count, const cpu::MpKernels& kernels, int threads) {
  if (count <= count_ || block_.size() == 0) return;
  Segment segment{count_, count, Buffer<std::uint32_t>((count - count_) * plane_stride_)};
  const std::int64_t row_chunks = chunks_of(block_.rows);
  std::vector<PlaneMaker> makers;
  const int workers = static_cast<int>(std::min<std::int64_t>(threads, row_chunks * block_.columns));
  for (int t = 0; t < workers; ++t) makers.emplace_back(elements, kernels, count);
  segments_.reserve(segments_.size() + 1);
  parallel_for(row_chunks * block_.columns, workers, [&](std::int64_t task, int thread) {
    const std::int64_t j = task / row_chunks, i = task % row_chunks * chunk, rows = std::min(chunk, block_.rows - i);
    std::uint8_t shift[chunk];
    for (std::int64_t t = 0; t < rows; ++t)
      shift[t] = static_cast<std::uint8_t>(above(elements, i + t, j) % band_width);
    std::uint32_t* out = segment.planes.data() + j * ld_ + i;
    makers[thread].make(elements, block_, i, j, rows, shift, segment.from, segment.to, out, plane_stride_);
    if (i + rows < block_.rows) return;
    for (int k = segment.from; k < segment.to; ++k)
      std::fill(out + (k - segment.from) * plane_stride_ + rows, out + (k - segment.from) * plane_stride_ + ld_ - i, 0);
  });
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

/// Residues q .. q + rows - 1 of vector v, all in its first column, to the columns of their bands.
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
  std::vector<PlaneMaker> makers;
  const std::int64_t row_chunks = chunks_of(block_.rows);
  const int workers = static_cast<int>(std::min<std::int64_t>(threads, row_chunks * block_.columns));
  for (int t = 0; t < workers; ++t) makers.emplace_back(*elements_, kernels, count);
  parallel_for(row_chunks * block_.columns, workers, [&](std::int64_t task, int thread) {
    const std::int64_t v = task / row_chunks, q = task % row_chunks * chunk, rows = std::min(chunk, block_.rows - q);
    std::uint32_t* out = planes_.data() + first_column(v) * ld_ + q;
    makers[thread].make(*elements_, block_, q, v, rows, &rest_[q + v * block_.rows], 0, count, out, plane_stride());
    if (first_column(v + 1) - first_column(v) > 1) separate(v, q, rows, count);
    if (q + rows < block_.rows) return;
    for (int k = 0; k < count; ++k)
      for (std::int64_t w = first_column(v); w < first_column(v + 1); ++w) {
        std::uint32_t* column = planes_.data() + k * plane_stride() + w * ld_;
        std::fill(column + block_.rows, column + ld_, 0);
      }
  });
}

}  // namespace accublas::mp
