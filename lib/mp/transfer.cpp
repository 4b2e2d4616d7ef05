#include "lib/mp/transfer.hpp"

#include <algorithm>
#include <cstring>

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

/// The leading 64 bits of X.
std::uint64_t leading(const std::uint32_t* limb, const Format& format) {
  const int from = format.precision - 64, at = from / 32, shift = from % 32;
  std::uint64_t top = limb[at] | static_cast<std::uint64_t>(limb[at + 1]) << 32;
  if (shift != 0) top = top >> shift | static_cast<std::uint64_t>(limb[at + 2]) << (64 - shift);
  return top;
}

constexpr int double_digits = 2;  ///< of 31 bits, for 53

}  // namespace

Encoder::Encoder(const Format& format, const cpu::MpKernels& kernels)
    : format_(format),
      kernels_(kernels),
      limb_weights_(digit_weights(format.moduli, (format.precision + 30) / 31, 0)),
      double_weights_(digit_weights(format.moduli, double_digits, format.precision - 53)),
      factor_(eval_factor(format.precision)),
      digits_(std::max(limb_weights_->digits, double_digits) * chunk),
      residues_(format.moduli * chunk) {}

void Encoder::limbs(Elements& to, const Block& block, std::int64_t first, std::int64_t count,
                    const ConstNumbers& numbers) {
  std::uint64_t top[chunk];
  kernels_.split({numbers.limb, format_.limbs, format_.limbs, count, digits_.data(), chunk, limb_weights_->digits});
  reduce(to, block, first, count, *limb_weights_);
  for (std::int64_t t = 0; t < count; ++t)
    top[t] = is_special(numbers.exponent[t]) ? 0 : leading(numbers.limb + t * format_.limbs, format_);
  store(to, block, first, count, top, numbers.exponent, numbers.sign);
}

void Encoder::doubles(Elements& to, const Block& block, std::int64_t first, std::int64_t count, const double* values) {
  std::uint64_t top[chunk];
  std::int32_t exponent[chunk];
  std::uint8_t sign[chunk];
  for (std::int64_t t = 0; t < count; ++t) {
    const std::uint64_t bits = to_bits(values[t]), magnitude = bits & ~FloatFormat<double>::sign;
    std::uint64_t mantissa = 0;
    sign[t] = bits >> 63;
    if (magnitude == 0) {
      exponent[t] = exponent_zero;
    } else if (magnitude >= FloatFormat<double>::infinity) {
      exponent[t] = magnitude == FloatFormat<double>::infinity ? exponent_infinity : exponent_nan;
      if (exponent[t] == exponent_nan) sign[t] = 0;
    } else {
      const int field = static_cast<int>(magnitude >> 52);
      mantissa = field == 0 ? magnitude : (magnitude & 0xFFFFFFFFFFFFFu) | 0x10000000000000u;
      const int zeros = leading_zeros(mantissa) - 11;
      mantissa <<= zeros;
      exponent[t] = (field == 0 ? 1 : field) - 1022 - zeros;
    }
    digits_[t] = static_cast<std::uint32_t>(mantissa) & 0x7FFFFFFFu;
    digits_[chunk + t] = static_cast<std::uint32_t>(mantissa >> 31);
    top[t] = mantissa << 11;
  }
  reduce(to, block, first, count, *double_weights_);
  store(to, block, first, count, top, exponent, sign);
}

/// Digits to residues, straight into the planes where the elements are neighbours.
void Encoder::reduce(Elements& to, const Block& block, std::int64_t first, std::int64_t count,
                     const DigitWeights& weights) {
  const std::int64_t i = first % block.rows, j = first / block.rows;
  const bool neighbours = block.row_stride == 1 && i + count <= block.rows;
  std::uint32_t* out = neighbours ? to.digits + block.at(i, j) : residues_.data();
  const std::int64_t stride = neighbours ? to.stride : chunk;
  kernels_.combine({digits_.data(), chunk, weights.digits, weights.weight.data(), weights.digits,
                    moduli(format_.moduli), nullptr, format_.moduli, count, nullptr, nullptr, out, stride});
  if (neighbours) return;
  for_runs(block, first, count, [&](std::int64_t at, std::int64_t t, std::int64_t run) {
    for (int k = 0; k < format_.moduli; ++k) std::copy_n(out + k * chunk + t, run, to.digits + k * to.stride + at);
  });
}

void Encoder::store(Elements& to, const Block& block, std::int64_t first, std::int64_t count, const std::uint64_t* top,
                    const std::int32_t* exponent, const std::uint8_t* sign) {
  for_runs(block, first, count, [&](std::int64_t at, std::int64_t t, std::int64_t run) {
    std::copy_n(exponent + t, run, to.exponent + at);
    std::copy_n(sign + t, run, to.sign + at);
    for (std::int64_t r = 0; r < run; ++r) {
      const Interval interval = is_special(exponent[t + r]) ? Interval{0, 0} : evaluate(top[t + r], factor_);
      to.eval[at + r] = interval.lower;
      to.eval[to.length + at + r] = interval.upper;
    }
  });
}

const std::uint32_t* gather(const Elements& from, const Block& block, std::int64_t first, std::int64_t count,
                            std::uint32_t* out, std::int64_t& stride) {
  const std::int64_t i = first % block.rows, j = first / block.rows;
  if ((block.row_stride == 1 && i + count <= block.rows) || count == 1) {
    stride = from.stride;
    return from.digits + block.at(i, j);
  }
  for_runs(block, first, count, [&](std::int64_t at, std::int64_t t, std::int64_t run) {
    for (int k = 0; k < from.format.moduli; ++k)
      std::copy_n(from.digits + k * from.stride + at, run, out + k * chunk + t);
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
      limbs_(format.limbs * chunk),
      exponent_(chunk),
      sign_(chunk) {}

void Decoder::limbs(const Elements& from, const Block& block, std::int64_t first, std::int64_t count,
                    const Numbers& numbers) {
  std::int64_t stride = 0;
  const std::uint32_t* residues = gather(from, block, first, count, residues_.data(), stride);
  kernels_.crt_digits({residues, stride, moduli(format_.moduli), basis_.inverse.data(), basis_.reciprocal.data(),
                       format_.moduli, count, digits_.data(), chunk});
  kernels_.integers({digits_.data(), chunk, format_.moduli + 1, basis_.column.data(), format_.moduli + 1,
                     format_.moduli, count, integers_.data(), basis_.limbs});
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
    const std::uint64_t* integer = &integers_[t * basis_.limbs];
    for (int l = 0; l < format_.limbs / 2; ++l) {
      limb[2 * l] = static_cast<std::uint32_t>(integer[l]);
      limb[2 * l + 1] = static_cast<std::uint32_t>(integer[l] >> 32);
    }
  }
}

void Decoder::doubles(const Elements& from, const Block& block, std::int64_t first, std::int64_t count,
                      double* values) {
  limbs(from, block, first, count, {limbs_.data(), exponent_.data(), sign_.data()});
  for (std::int64_t t = 0; t < count; ++t)
    values[t] = round_to_double(sign_[t] != 0, exponent_[t], &limbs_[t * format_.limbs], format_);
}

double round_to_double(bool negative, std::int32_t exponent, const std::uint32_t* limb, const Format& format) {
  constexpr std::uint64_t infinity = FloatFormat<double>::infinity;
  const std::uint64_t sign = negative ? FloatFormat<double>::sign : 0;
  if (exponent == exponent_zero) return from_bits<double>(sign);
  if (exponent == exponent_nan) return from_bits<double>(FloatFormat<double>::quiet_nan);
  if (exponent == exponent_infinity || exponent > 1024) return from_bits<double>(sign | infinity);
  if (exponent < -1074) return from_bits<double>(sign);  // below half of the least subnormal
  // `keep` bits of the leading 64, fewer than 53 for subnormals; the rest decides.
  const std::uint64_t top = leading(limb, format);
  const bool rest = limbs_any_below(limb, format.limbs, format.precision - 64);
  const int keep = exponent >= -1021 ? 53 : exponent + 1074, drop = 64 - keep;
  std::uint64_t kept = keep == 0 ? 0 : top >> drop;
  const bool half = (top >> (drop - 1) & 1) != 0;
  const bool more = rest || (top & ((std::uint64_t{1} << (drop - 1)) - 1)) != 0;
  if (half && (more || (kept & 1))) ++kept;
  // The carry of a full mantissa runs into the exponent's field, from the largest subnormal and finite numbers too.
  const std::uint64_t field = exponent >= -1021 ? static_cast<std::uint64_t>(exponent + 1021) << 52 : 0;
  return from_bits<double>(sign | (field + kept));
}

}  // namespace accublas::mp
