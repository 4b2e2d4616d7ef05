#include "lib/mp/numbers.hpp"

#include <algorithm>
#include <utility>

#include "lib/mp/basis.hpp"
#include "lib/numerics/limbs.hpp"
#include "lib/numerics/sparse_sum.hpp"

namespace accublas::mp {

namespace {

using Rounding = SparseSum<std::uint64_t>;

}  // namespace

void set_special(NumberBuffer& to, std::int64_t t, std::int32_t code, bool negative) {
  std::fill_n(to.x(t), to.limbs, 0);
  to.exponent[t] = code;
  to.sign[t] = code != exponent_nan && negative;
}

Rounder::Rounder(const Format& format, int limbs)
    : format_(format),
      capacity_(Rounding::capacity(format.precision, 64 * limbs)),
      accumulator_(capacity_),
      scratch_(capacity_) {}

void Rounder::round(const std::uint64_t* integer, int limbs, std::int64_t exponent, bool negative, NumberBuffer& to,
                    std::int64_t t) {
  const int last = to.limbs - 1;
  const bool near = exponent > least_exponent && exponent < greatest_exponent - format_.precision;
  if (near && limbs == to.limbs &&
      integer[last] >> ((format_.precision - 1) % 64) == 1) {  // nothing to round, as usual
    std::uint64_t* x = to.x(t);
    for (int l = 0; l < limbs; ++l) x[l] = integer[l];
    to.exponent[t] = static_cast<std::int32_t>(exponent + format_.precision);
    to.sign[t] = negative;
    return;
  }
  const int bits = limbs_bit_length(integer, limbs);
  if (bits == 0) return set_special(to, t, exponent_zero, negative);
  // The sum below must not overflow for exponents far outside of the range.
  constexpr std::int64_t far = std::int64_t{1} << 40;
  exponent = std::clamp(exponent, -far, far);
  const std::int64_t e = exponent + bits;
  if (bits <= format_.precision && e >= least_exponent && e <= greatest_exponent) {
    limbs_extract(to.x(t), to.limbs, integer, limbs, bits - format_.precision);
    to.exponent[t] = static_cast<std::int32_t>(e);
    to.sign[t] = negative;
    return;
  }
  Rounding sum(format_.precision, least_exponent, accumulator_.data(), scratch_.data(), capacity_, to.x(t));
  sum.add({integer, limbs, bits, exponent, negative}, Rounding::no_rest);
  if (sum.underflow()) return set_special(to, t, exponent_zero, negative);
  if (sum.exponent() > greatest_exponent) return set_special(to, t, exponent_infinity, negative);
  to.exponent[t] = static_cast<std::int32_t>(sum.exponent());
  to.sign[t] = negative;
}

void Reader::read(std::int64_t first, std::int64_t count, NumberBuffer& to, std::int64_t at) {
  for (std::int64_t t = first; t < first + count; ++t, ++at) {
    const bool negative = from_.sign && from_.sign[t] != 0;
    const std::int64_t exponent = from_.exponent[t];
    if (exponent <= ACCUBLAS_MP_EXPONENT_NAN)
      set_special(to, at, exponent_zero + static_cast<std::int32_t>(exponent - ACCUBLAS_MP_EXPONENT_ZERO), negative);
    else
      rounder_.round(from_.limb + t * from_.size, static_cast<int>(from_.size), exponent, negative, to, at);
  }
}

ConstNumbers Reader::look(std::int64_t first, std::int64_t count, NumberBuffer& to) {
  const std::uint64_t* limb = from_.limb + first * from_.size;
  const std::int64_t* exponent = from_.exponent + first;
  const int top = (format_.precision - 1) % 64;
  bool plain = from_.size == to.limbs;
  if (plain) {  // no early end: these loops are vector code
    const std::uint64_t* last = limb + from_.size - 1;
    constexpr std::uint64_t least = static_cast<std::uint64_t>(std::int64_t{least_exponent} + 1);
    const std::uint64_t greatest = static_cast<std::uint64_t>(greatest_exponent - format_.precision - 1);
    std::uint64_t outside = 0, unlike = 0;  // of an exponent beyond a limit one difference at least is negative
    for (std::int64_t t = 0; t < count; ++t) {
      const std::uint64_t e = static_cast<std::uint64_t>(exponent[t]);
      outside |= (e - least) | (greatest - e);
      unlike |= (last[t * from_.size] >> top) ^ 1;
    }
    plain = outside >> 63 == 0 && unlike == 0;
  }
  if (!plain) {
    read(first, count, to, 0);
    return std::as_const(to).view();
  }
  for (std::int64_t t = 0; t < count; ++t) to.exponent[t] = static_cast<std::int32_t>(exponent[t] + format_.precision);
  if (from_.sign)
    for (std::int64_t t = 0; t < count; ++t) to.sign[t] = from_.sign[first + t] != 0;
  else
    std::fill_n(to.sign.data(), count, 0);
  return {reinterpret_cast<const std::uint32_t*>(limb), to.exponent.data(), to.sign.data()};
}

void MpBackend::write_limbs(Elements& to, const Block& block, const UserNumbers& numbers, MpExecution& execution) {
  NumberBuffer rounded(to.format, block.size());
  for_chunks(
      block.size(), 1, execution.threads, [&] { return Reader(to.format, numbers); },
      [&](Reader& reader, std::int64_t first, std::int64_t, std::int64_t count) {
        reader.read(first, count, rounded, first);
      });
  write(to, block, std::as_const(rounded).view(), execution);
}

void convert(const NumberBuffer& from, const Format& from_format, NumberBuffer& to, const Format& to_format,
             std::int64_t count, int threads) {
  const auto make = [&] { return Rounder(to_format, from.limbs); };
  for_chunks(count, 1, threads, make, [&](Rounder& rounder, std::int64_t first, std::int64_t, std::int64_t here) {
    for (std::int64_t t = first; t < first + here; ++t) {
      const std::int64_t exponent = from.exponent[t];
      if (is_special(from.exponent[t]))
        set_special(to, t, from.exponent[t], from.sign[t] != 0);
      else
        rounder.round(from.x(t), from.limbs, exponent - from_format.precision, from.sign[t] != 0, to, t);
    }
  });
}

int compare_numbers(const NumberBuffer& x, const Format& x_format, const NumberBuffer& y, const Format& y_format) {
  const std::int32_t ex = x.exponent[0], ey = y.exponent[0];
  if (ex == exponent_nan || ey == exponent_nan) return 2;
  const auto sign = [](std::int32_t e, std::uint8_t negative) { return e == exponent_zero ? 0 : negative ? -1 : 1; };
  const int sx = sign(ex, x.sign[0]), sy = sign(ey, y.sign[0]);
  if (sx != sy) return sx < sy ? -1 : 1;
  if (sx == 0) return 0;
  const bool ix = ex == exponent_infinity, iy = ey == exponent_infinity;
  if (ix || iy) return ix && iy ? 0 : ix ? sx : -sx;
  if (ex != ey) return (ex < ey) ? -sx : sx;
  // This compares from the leading bit down.
  const int longest = std::max(x_format.precision, y_format.precision);
  for (int done = 64; done - 64 < longest; done += 64) {
    const std::uint64_t a = limbs_window(x.x(0), x.limbs, x_format.precision - done);
    const std::uint64_t b = limbs_window(y.x(0), y.limbs, y_format.precision - done);
    if (a != b) return a < b ? -sx : sx;
  }
  return 0;
}

NumberBuffer read_element(Context& context, const Array& array, std::int64_t index) {
  MpCall call(context, array);
  NumberBuffer number(array.elements.format, 1);
  array.backend->read(array.elements, {index, 1, 1, 1, 1}, number.view(), call.execution());
  return number;
}

void write_element(Context& context, Array& array, std::int64_t index, const NumberBuffer& number) {
  MpCall call(context, array);
  array.backend->write(array.elements, {index, 1, 1, 1, 1}, number.view(), call.execution());
  written(array, {&array, index, 1, 1, 1});
}

ElementFacts facts(Context& context, const Array& array, std::int64_t index) {
  const Elements& e = array.elements;
  if (!array.on_device() && !e.positional)
    return {e.exponent[index], e.sign[index] != 0, {e.eval[index], e.eval[e.length + index]}};
  const NumberBuffer number = read_element(context, array, index);
  const std::int32_t exponent = number.exponent[0];
  if (is_special(exponent)) return {exponent, number.sign[0] != 0, {0, 0}};
  const std::uint64_t top = limbs_window(number.x(0), number.limbs, e.format.precision - 64);
  return {exponent, number.sign[0] != 0, evaluate(top, eval_factor(e.format.precision))};
}

int compare(Context& context, const Array& x, std::int64_t index_x, const Array& y, std::int64_t index_y) {
  const Format &fx = x.elements.format, &fy = y.elements.format;
  const bool cheap = !x.on_device() && !y.on_device() && fx.precision == fy.precision;
  if (cheap) {
    const ElementFacts a = facts(context, x, index_x), b = facts(context, y, index_y);
    const bool same = a.exponent == b.exponent && a.negative == b.negative && !is_special(a.exponent);
    if (same && a.interval.upper < b.interval.lower) return a.negative ? 1 : -1;
    if (same && b.interval.upper < a.interval.lower) return a.negative ? -1 : 1;
    if (!same) {  // sign, class and exponent decide
      NumberBuffer p(fx, 1), q(fy, 1);
      p.exponent[0] = a.exponent;
      p.sign[0] = a.negative;
      q.exponent[0] = b.exponent;
      q.sign[0] = b.negative;
      p.limb.zero();
      q.limb.zero();
      return compare_numbers(p, fx, q, fy);
    }
  }
  return compare_numbers(read_element(context, x, index_x), fx, read_element(context, y, index_y), fy);
}

void MpBackend::convert(Elements& to, const Block& block_to, const Elements& from, const Block& block_from,
                        MpExecution& execution) {
  const std::int64_t count = block_to.size();
  NumberBuffer numbers(from.format, count), rounded(to.format, count);
  read(from, block_from, numbers.view(), execution);
  mp::convert(numbers, from.format, rounded, to.format, count, execution.threads);
  write(to, block_to, std::as_const(rounded).view(), execution);
}

}  // namespace accublas::mp
