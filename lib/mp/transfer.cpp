#include "lib/mp/transfer.hpp"

#include <algorithm>
#include <utility>

#include "lib/numerics/float_bits.hpp"
#include "lib/numerics/limbs.hpp"

namespace accublas::mp {

namespace {

/// Calls body(at, t, run) for the elements first .. first + count - 1 of a block, counted down its columns, in runs of
/// neighbours: `run` elements from index `at` on are numbers t .. t + run - 1 of the chunk.
template <class Body>
void for_runs(const Block& block, std::int64_t first, std::int64_t count, Body&& body) {
  std::int64_t i = first % block.rows, j = first / block.rows;
  for (std::int64_t t = 0; t < count;) {
    const std::int64_t column = std::min(block.rows - i, count - t), run = block.row_stride == 1 ? column : 1;
    for (std::int64_t done = 0; done < column; done += run) body(block.at(i + done, j), t + done, run);
    t += column;
    i = 0;
    ++j;
  }
}

/// Returns the leading 64 bits of X.
std::uint64_t leading(const std::uint32_t* limb, const Format& format) {
  const int from = format.precision - 64, at = from / 32, shift = from % 32;
  const auto half = [limb](int l) { return static_cast<std::uint64_t>(limb[half_position(l)]); };
  std::uint64_t top = half(at) | half(at + 1) << 32;
  if (shift != 0) top = top >> shift | half(at + 2) << (64 - shift);
  return top;
}

/// Returns whether X has a bit below the leading 64.
bool any_below_leading(const std::uint32_t* limb, const Format& format) {
  const int from = format.precision - 64, at = from / 32, shift = from % 32;
  for (int l = 0; l < at; ++l)
    if (limb[half_position(l)] != 0) return true;
  return shift != 0 && limb[half_position(at)] << (32 - shift) != 0;
}

/// Converts the digits of an integer to its limbs.
void join(const std::uint32_t* digit, std::int64_t stride, int digits, std::uint32_t* limb, int limbs) {
  std::uint64_t bits = 0;
  int have = 0, l = 0;
  for (int k = 0; k < digits; ++k) {
    bits |= static_cast<std::uint64_t>(digit[k * stride]) << have;
    have += 31;
    if (have < 32 || l == limbs) continue;
    limb[half_position(l++)] = static_cast<std::uint32_t>(bits);
    bits >>= 32;
    have -= 32;
  }
  for (; l < limbs; ++l, bits >>= 32) limb[half_position(l)] = static_cast<std::uint32_t>(bits);
}

constexpr int double_digits = 2;  ///< of 31 bits, for 53

constexpr std::int64_t least_streamed = 64;  ///< neighbours that are worth it

/// Converts a double to an element: sets exponent (or code) and sign, and returns its 53 bits, the highest set, or 0.
std::uint64_t mantissa_of(double value, std::int32_t& exponent, std::uint8_t& sign) {
  const std::uint64_t bits = to_bits(value), magnitude = bits & ~FloatFormat<double>::sign;
  sign = bits >> 63;
  if (magnitude == 0) {
    exponent = exponent_zero;
    return 0;
  }
  if (magnitude >= FloatFormat<double>::infinity) {
    exponent = magnitude == FloatFormat<double>::infinity ? exponent_infinity : exponent_nan;
    if (exponent == exponent_nan) sign = 0;
    return 0;
  }
  const int field = static_cast<int>(magnitude >> 52);
  const std::uint64_t mantissa = field == 0 ? magnitude : (magnitude & 0xFFFFFFFFFFFFFu) | 0x10000000000000u;
  const int zeros = leading_zeros(mantissa) - 11;
  exponent = (field == 0 ? 1 : field) - 1022 - zeros;
  return mantissa << zeros;
}

/// Returns whether `count` elements of a block from `first` on are contiguous.
bool neighbours(const Block& block, std::int64_t first, std::int64_t count) {
  return block.row_stride == 1 && first % block.rows + count <= block.rows;
}

}  // namespace

Encoder::Encoder(const Elements& elements, const cpu::MpKernels& kernels)
    : format_(elements.format),
      kernels_(kernels),
      streamed_(4 * elements.length * format_.moduli >= streamed_bytes),
      digits_(std::max(digits_of(format_), 3) * chunk) {
  if (elements.positional) return;
  limb_weights_ = digit_weights(format_.moduli, digits_of(format_), 0);
  double_weights_ = digit_weights(format_.moduli, double_digits, format_.precision - 53);
  factor_ = eval_factor(format_.precision);
  residues_ = Buffer<std::uint32_t>(format_.moduli * chunk);
  room_ = Buffer<std::uint64_t>(cpu::mp_room(std::max(limb_weights_->digits, double_weights_->digits)));
}

void Encoder::limbs(Elements& to, const Block& block, std::int64_t first, std::int64_t count,
                    const ConstNumbers& numbers) {
  const int digits = digits_of(format_);
  kernels_.split({numbers.limb, format_.limbs, format_.limbs, count, digits_.data(), chunk, digits});
  if (to.positional)
    return write_planes(to, block, first, count, 0, digits, digits_.data(), numbers.exponent, numbers.sign);
  std::uint64_t top[chunk];
  for (std::int64_t t = 0; t < count; ++t)
    top[t] = is_special(numbers.exponent[t]) ? 0 : leading(numbers.limb + t * format_.limbs, format_);
  write_residues(to, block, first, count, *limb_weights_, top, numbers.exponent, numbers.sign);
}

void Encoder::doubles(Elements& to, const Block& block, std::int64_t first, std::int64_t count, const double* values) {
  std::uint64_t top[chunk];
  std::int32_t exponent[chunk];
  std::uint8_t sign[chunk];
  const int from = lowest_double_digit(format_), end = std::min(digits_of(format_), from + 3),
            shift = (format_.precision - 53) % 31;
  for (std::int64_t t = 0; t < count; ++t) {
    const std::uint64_t mantissa = mantissa_of(values[t], exponent[t], sign[t]);
    const Uint128 digits = to.positional ? static_cast<Uint128>(mantissa) << shift : mantissa;
    for (int k = 0; k < 3; ++k) digits_[k * chunk + t] = static_cast<std::uint32_t>(digits >> (31 * k)) & 0x7FFFFFFFu;
    top[t] = mantissa << 11;
  }
  if (!to.positional) return write_residues(to, block, first, count, *double_weights_, top, exponent, sign);
  write_planes(to, block, first, count, from, end, digits_.data(), exponent, sign);
  for_runs(block, first, count, [&](std::int64_t at, std::int64_t, std::int64_t run) {
    for (int k = to.low; k < from; ++k) std::fill_n(to.digits + k * to.stride + at, run, 0);
  });
}

/// Writes planes from .. end - 1, given at planes[(k - from) chunk], and the data that belongs to them.
void Encoder::write_planes(Elements& to, const Block& block, std::int64_t first, std::int64_t count, int from, int end,
                           const std::uint32_t* planes, const std::int32_t* exponent, const std::uint8_t* sign) {
  for_runs(block, first, count, [&](std::int64_t at, std::int64_t t, std::int64_t run) {
    for (int k = from; k < end; ++k) {
      const std::uint32_t* plane = planes + (k - from) * chunk + t;
      std::uint32_t* out = to.digits + k * to.stride + at;
      if (streamed_ && run >= least_streamed)
        stream(plane, run, out);
      else
        std::copy_n(plane, run, out);
    }
    std::copy_n(exponent + t, run, to.exponent + at);
    std::copy_n(sign + t, run, to.sign + at);
  });
  if (streamed_) stream_fence();
}

/// Converts the digits at digits_ to residues, and writes the intervals.
void Encoder::write_residues(Elements& to, const Block& block, std::int64_t first, std::int64_t count,
                             const DigitWeights& weights, const std::uint64_t* top, const std::int32_t* exponent,
                             const std::uint8_t* sign) {
  kernels_.combine({digits_.data(), chunk, weights.digits, weights.weight.data(), weights.digits,
                    moduli(format_.moduli), nullptr, format_.moduli, count, nullptr, nullptr, residues_.data(), chunk,
                    room_.data()});
  write_planes(to, block, first, count, 0, format_.moduli, residues_.data(), exponent, sign);
  for_runs(block, first, count, [&](std::int64_t at, std::int64_t t, std::int64_t run) {
    for (std::int64_t r = 0; r < run; ++r) {
      const Interval interval = is_special(exponent[t + r]) ? Interval{0, 0} : evaluate(top[t + r], factor_);
      to.eval[at + r] = interval.lower;
      to.eval[to.length + at + r] = interval.upper;
    }
  });
}

void leave_positional_form(Elements& elements, const cpu::MpKernels& kernels, int threads) {
  if (!elements.positional || elements.length == 0) {
    elements.positional = false;
    return;
  }
  Elements converted = elements;
  converted.positional = false;
  const Block all{0, elements.length, 1, 1, elements.length};
  struct Worker {
    Decoder decoder;
    Encoder encoder;
    NumberBuffer numbers;
  };
  const auto make = [&] { return Worker{{elements.format, kernels}, {converted, kernels}, {elements.format, chunk}}; };
  for_chunks(elements.length, 1, threads, make, [&](Worker& w, std::int64_t first, std::int64_t, std::int64_t count) {
    w.decoder.limbs(elements, all, first, count, w.numbers.view());
    w.encoder.limbs(converted, all, first, count, std::as_const(w.numbers).view());
  });
  elements.positional = false;
}

const std::uint32_t* gather(const Elements& from, const Block& block, std::int64_t first, std::int64_t count,
                            std::uint32_t* out, std::int64_t& stride) {
  const std::int64_t i = first % block.rows, j = first / block.rows;
  if (neighbours(block, first, count) || count == 1) {
    stride = from.stride;
    return from.digits + block.at(i, j);
  }
  for_runs(block, first, count, [&](std::int64_t at, std::int64_t t, std::int64_t run) {
    const int planes = from.positional ? digits_of(from.format) : from.format.moduli;
    for (int k = 0; k < planes; ++k) std::copy_n(from.digits + k * from.stride + at, run, out + k * chunk + t);
  });
  stride = chunk;
  return out;
}

Decoder::Decoder(const Format& format, const cpu::MpKernels& kernels)
    : format_(format),
      kernels_(kernels),
      basis_(basis(format.moduli)),
      residues_(format.moduli * chunk),
      digits_((format.moduli + 1) * chunk),
      integers_(basis_.limbs * chunk),
      room_(cpu::mp_room(format.moduli + 1)),
      numbers_(format, chunk) {}

void Decoder::limbs(const Elements& from, const Block& block, std::int64_t first, std::int64_t count,
                    const Numbers& numbers) {
  std::int64_t stride = 0;
  const std::uint32_t* residues = gather(from, block, first, count, residues_.data(), stride);
  if (!from.positional) {
    kernels_.crt_digits({residues, stride, moduli(format_.moduli), basis_.inverse.data(), basis_.reciprocal.data(),
                         format_.moduli, count, digits_.data(), chunk});
    kernels_.integers({digits_.data(), chunk, format_.moduli + 1, basis_.column.data(), format_.moduli + 1,
                       format_.moduli, count, integers_.data(), basis_.limbs, room_.data()});
  }
  for_runs(block, first, count, [&](std::int64_t at, std::int64_t t, std::int64_t run) {
    for (std::int64_t r = 0; r < run; ++r) {
      numbers.exponent[t + r] = from.exponent[at + r];
      numbers.sign[t + r] = from.sign[at + r];
    }
  });
  for (std::int64_t t = 0; t < count; ++t) {
    std::uint32_t* limb = numbers.limb + t * format_.limbs;
    if (is_special(numbers.exponent[t])) {
      std::fill_n(limb, format_.limbs, 0);
      continue;
    }
    if (from.positional) {
      join(residues + t, stride, digits_of(format_), limb, format_.limbs);
      continue;
    }
    const std::uint64_t* integer = &integers_[t * basis_.limbs];
    for (int l = 0; l < format_.limbs / 2; ++l) {
      limb[half_position(2 * l)] = static_cast<std::uint32_t>(integer[l]);
      limb[half_position(2 * l + 1)] = static_cast<std::uint32_t>(integer[l] >> 32);
    }
  }
}

void Decoder::doubles(const Elements& from, const Block& block, std::int64_t first, std::int64_t count,
                      double* values) {
  const Numbers numbers = numbers_.view();
  limbs(from, block, first, count, numbers);
  for (std::int64_t t = 0; t < count; ++t)
    values[t] = round_to_double(numbers.sign[t] != 0, numbers.exponent[t], numbers.limb + t * format_.limbs, format_);
}

double round_to_double(bool negative, std::int32_t exponent, const std::uint32_t* limb, const Format& format) {
  constexpr std::uint64_t infinity = FloatFormat<double>::infinity;
  const std::uint64_t sign = negative ? FloatFormat<double>::sign : 0;
  if (exponent == exponent_zero) return from_bits<double>(sign);
  if (exponent == exponent_nan) return from_bits<double>(FloatFormat<double>::quiet_nan);
  if (exponent == exponent_infinity || exponent > 1024) return from_bits<double>(sign | infinity);
  if (exponent < -1074) return from_bits<double>(sign);  // below half of the least subnormal
  // The result keeps `keep` bits of the leading 64, fewer than 53 for subnormals; the remaining bits decide the
  // rounding.
  const std::uint64_t top = leading(limb, format);
  const bool rest = any_below_leading(limb, format);
  const int keep = exponent >= -1021 ? 53 : exponent + 1074, drop = 64 - keep;
  std::uint64_t kept = keep == 0 ? 0 : top >> drop;
  const bool half = (top >> (drop - 1) & 1) != 0;
  const bool more = rest || (top & ((std::uint64_t{1} << (drop - 1)) - 1)) != 0;
  if (half && (more || (kept & 1))) ++kept;
  // The carry of a full mantissa runs into the exponent's field, also from the largest subnormal and the largest finite
  // number.
  const std::uint64_t field = exponent >= -1021 ? static_cast<std::uint64_t>(exponent + 1021) << 52 : 0;
  return from_bits<double>(sign | (field + kept));
}

}  // namespace accublas::mp
