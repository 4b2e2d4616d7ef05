// Every level of the multiple-precision conversions (shifts, changes of basis, integers, limbs) against the portable
// twin, bit for bit, and the twin against what defines them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "lib/mp/basis.hpp"
#include "lib/mp/memory.hpp"
#include "test/unit/mp_kernels_data.hpp"

namespace {

using namespace accublas_test;

TEST(MpShift, EveryShift) {
  std::mt19937_64 random(6);
  for (int digits : {1, 2, 3, 4, 7, 55})
    for (std::int64_t elements : {1, 7, 8, 15, 16, 17, 64, 133}) {
      const std::int64_t stride = elements + 3;
      Residues digit(digits * stride);
      std::vector<std::uint8_t> shift(elements);
      for (auto& d : digit) d = random() % 4 == 0 ? 0x7FFFFFFFu : static_cast<std::uint32_t>(random()) >> 1;
      for (auto& s : shift) s = random() % 64;
      for (Isa isa : levels()) {
        Residues out((digits + 3) * stride, poison);
        mp_kernels(isa).shift({digit.data(), stride, digits, shift.data(), elements, out.data(), stride});
        for (std::int64_t e = 0; e < elements; ++e)
          for (int bit = 0; bit < 31 * (digits + 3); ++bit) {
            const int from = bit - shift[e];
            const std::uint32_t wanted =
                from >= 0 && from < 31 * digits ? digit[from / 31 * stride + e] >> from % 31 & 1 : 0;
            ASSERT_EQ(out[bit / 31 * stride + e] >> bit % 31 & 1, wanted) << isa_name(isa) << ", bit " << bit;
          }
        for (int l = 0; l < digits + 3; ++l) {
          ASSERT_EQ(out[l * stride] >> 31, 0u);
          ASSERT_EQ(out[l * stride + elements], poison);
        }
      }
    }
}

struct Conversion {
  Residues in, weights;
  std::vector<std::uint8_t> shift, negative;
};

/// Returns the room that a kernel may use for `digits` digits, and no more.
std::uint64_t* room(int digits) {
  static mp::Buffer<std::uint64_t> buffer;
  buffer = mp::Buffer<std::uint64_t>(mp_room(digits));
  return buffer.data();
}

enum class Scale { none, near, far, sign };

/// combine and scale at every level.
void check_conversion(int digits, int count, std::int64_t elements, Kind kind, Scale scale, int first_modulus) {
  SCOPED_TRACE(testing::Message() << digits << " digits, " << count << " moduli, " << elements << " elements, kind "
                                  << static_cast<int>(kind) << ", scale " << static_cast<int>(scale));
  Source source{std::mt19937_64(digits * 1009 + count * 31 + elements), kind};
  const RnsModulus* m = mp::moduli(first_modulus + count) + first_modulus;
  const mp::RnsPowers* powers = mp::powers(first_modulus + count) + first_modulus;
  const std::int64_t stride = elements + 3, weight_stride = digits + 2;
  Residues digit((digits - 1) * stride + elements), weight((count - 1) * weight_stride + digits);
  for (auto& d : digit) d = kind == Kind::largest ? 0x7FFFFFFF : source(1u << 31);
  for (int k = 0; k < count; ++k)
    for (int l = 0; l < digits; ++l) weight[k * weight_stride + l] = source(m[k].m);
  std::vector<std::uint8_t> shift(elements), negative(elements);
  for (std::int64_t e = 0; e < elements; ++e) {
    shift[e] = static_cast<std::uint8_t>(source.generator() % (scale == Scale::near ? 32 : 64));
    if (kind == Kind::largest) shift[e] = scale == Scale::near ? 31 : 63;
    negative[e] = source.generator() % 3 == 0 ? 0 : static_cast<std::uint8_t>(source.generator() % 256);
  }
  const std::uint8_t* shifts = scale == Scale::near || scale == Scale::far ? shift.data() : nullptr;
  const std::uint8_t* signs = scale == Scale::far || scale == Scale::sign ? negative.data() : nullptr;

  Residues combined, scaled;
  for (Isa isa : levels()) {
    Residues out(count * stride, poison);
    mp_kernels(isa).combine({digit.data(), stride, digits, weight.data(), weight_stride, m, shifts ? powers : nullptr,
                             count, elements, shifts, signs, out.data(), stride, room(digits)});
    // In place; zeros among the residues, whose negation is zero.
    Residues moved(count * stride, poison);
    Source again{std::mt19937_64(elements), kind};
    for (int k = 0; k < count; ++k)
      for (std::int64_t e = 0; e < elements; ++e) moved[k * stride + e] = e % 5 == 0 ? 0 : again(m[k].m);
    const Residues start = moved;
    mp_kernels(isa).scale(
        {moved.data(), stride, m, shifts ? powers : nullptr, count, elements, shifts, signs, moved.data(), stride});
    if (isa == Isa::baseline) {
      combined = out;
      scaled = moved;
      for (int k = 0; k < count; k += 1 + count / 3)
        for (std::int64_t e = 0; e < elements; e += 1 + elements / 5) {
          unsigned __int128 sum = 0;
          for (int l = 0; l < digits; ++l)
            sum += static_cast<std::uint64_t>(digit[l * stride + e]) * weight[k * weight_stride + l];
          const auto finish = [&](std::uint64_t r) {
            if (shifts) r = static_cast<std::uint64_t>((static_cast<unsigned __int128>(r) << shift[e]) % m[k].m);
            return static_cast<std::uint32_t>(signs && negative[e] != 0 && r != 0 ? m[k].m - r : r);
          };
          ASSERT_EQ(out[k * stride + e], finish(static_cast<std::uint64_t>(sum % m[k].m))) << "twin, combine";
          ASSERT_EQ(moved[k * stride + e], finish(start[k * stride + e])) << "twin, scale";
        }
      continue;
    }
    ASSERT_EQ(out, combined) << isa_name(isa) << ", combine";
    ASSERT_EQ(moved, scaled) << isa_name(isa) << ", scale";
  }
}

TEST(MpConvert, OddSizes) {
  for (int elements = 1; elements <= 70; ++elements)
    for (Scale scale : {Scale::none, Scale::near, Scale::far, Scale::sign})
      check_conversion(1 + elements % 13, 1 + elements % 11, elements, static_cast<Kind>(elements % 3), scale,
                       elements % 4);
}

TEST(MpConvert, EveryModulusCount) {
  for (int count = 1; count <= mp::max_moduli; count += count < 20 ? 1 : 37)
    check_conversion(1 + count % 7, count, 37, static_cast<Kind>(count % 3), Scale::far, 0);
}

/// Sums of up to 60 digits modulo 2^31 - gap, gap < 2^12, are folded less often than others.
TEST(MpConvert, LargestSums) {
  int far = 0;  // the first modulus of a larger gap
  while (mp::moduli(far + 1)[far].m > (1u << 31) - (1u << 12)) ++far;
  for (int digits : {1, 2, 3, 4, 5, 6, 7, 8, 56, 59, 60, 61, 265, mp::max_moduli + 1})
    for (Scale scale : {Scale::none, Scale::near, Scale::far})
      for (int first : {0, far - 6, far - 5, mp::max_moduli - 6})
        check_conversion(digits, 6, 35, Kind::largest, scale, first);
}

/// combine_wide of every level that has one, and its twin, against the twin of `combine` for the same integers: digits
/// low .. low + digits - 1 of `digit`, moduli first .. first + count - 1.
void check_wide(const Residues& digit, std::int64_t stride, int low, int digits, int first, int count,
                const std::vector<std::uint8_t>& negative) {
  const std::int64_t elements = static_cast<std::int64_t>(negative.size());
  const int all = low + digits;
  const RnsModulus* m = mp::moduli(first + count);
  const auto narrow = mp::digit_weights(first + count, all, 0);
  const auto wide = mp::wide_reciprocals(first + count, mp_wide_digits(all));
  Residues expected(count * stride, poison);
  mp_portable().combine({digit.data(), stride, all, narrow->weight.data() + first * all, all, m + first, nullptr, count,
                         elements, nullptr, negative.data(), expected.data(), stride, room(all)});
  std::vector<const MpKernels*> all_kernels{&mp_portable()};
  for (Isa isa : levels())
    if (mp_kernels(isa).combine_wide) all_kernels.push_back(&mp_kernels(isa));
  for (const MpKernels* kernels : all_kernels) {
    Residues out(count * stride, poison);
    kernels->combine_wide({digit.data() + low * stride, stride, low, digits, wide->tables(), m, first, first + count,
                           elements, negative.data(), out.data(), stride, room(all)});
    ASSERT_EQ(out, expected) << (kernels == &mp_portable() ? "twin" : "vectors");
  }
}

TEST(MpConvert, WideDigits) {
  for (Kind kind : {Kind::random, Kind::largest, Kind::mixed})
    for (int digits : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 31, 55, 58, 104, 266})
      for (int low : {0, 1, 2, 5}) {
        const int count = 1 + digits % 9, first = digits % 2 ? low : mp::max_moduli - 10 + low % 2;
        const std::int64_t elements = 1 + (digits * 7 + low * 13) % 70, stride = elements + 3;
        SCOPED_TRACE(testing::Message() << digits << " digits from " << low << ", " << elements << " elements");
        Source source{std::mt19937_64(digits * 31 + low), kind};
        Residues digit((low + digits) * stride);
        for (auto& d : digit) d = kind == Kind::largest ? 0x7FFFFFFF : source(1u << 31);
        std::fill_n(digit.begin(), low * stride, 0);
        std::vector<std::uint8_t> negative(elements);
        for (auto& n : negative) n = static_cast<std::uint8_t>(source.generator() % 3);
        check_wide(digit, stride, low, digits, first, count, negative);
      }
}

/// Next to the multiples of a product of three moduli, of either sign, where a fraction that is the least bit too small
/// or too large has another residue.
TEST(MpConvert, WideDigitsNextToMultiples) {
  constexpr int count = 12;
  constexpr std::uint32_t mask = 0x7FFFFFFF;
  const RnsModulus* m = mp::moduli(count);
  for (int digits : {4, 5, 8, 9, 12, 57, 272}) {
    SCOPED_TRACE(testing::Message() << digits << " digits");
    std::mt19937_64 generator(digits);
    const std::int64_t elements = 12 * count, stride = elements;
    Residues digit(digits * stride);
    std::vector<std::uint8_t> negative(elements);
    for (std::int64_t e = 0; e < elements; ++e) {
      const RnsModulus* of = m + e % count / 3 * 3;
      negative[e] = e / count % 2 != 0;
      // A random number or a largest one, times three moduli, and -1, 0 or 1 more.
      std::vector<std::uint64_t> x(digits);
      for (int l = 0; l < digits - 3; ++l) x[l] = e / (6 * count) % 2 != 0 ? mask : generator() & mask;
      for (int factor = 0; factor < 3; ++factor)
        for (std::uint64_t l = 0, carry = 0; l < x.size(); ++l) {
          carry += x[l] * of[factor].m;
          x[l] = carry & mask;
          carry >>= 31;
        }
      std::int64_t carry = e / (2 * count) % 3 - 1;
      for (std::uint64_t& d : x) {
        const std::int64_t sum = static_cast<std::int64_t>(d) + carry;
        carry = sum >> 31;
        d = static_cast<std::uint64_t>(sum) & mask;
      }
      for (int l = 0; l < digits; ++l) digit[l * stride + e] = static_cast<std::uint32_t>(x[l]);
    }
    check_wide(digit, stride, 0, digits, 0, count, negative);
  }
}

/// The moduli's distance from 2^31, on which the vector kernels' folds rely.
TEST(MpConvert, Moduli) {
  const RnsModulus* m = mp::moduli(mp::max_moduli);
  EXPECT_LT((1u << 31) - m[mp::max_moduli - 1].m, 1u << 14);
}

TEST(MpCrtDigits, AgreeAndReconstruct) {
  for (int count : {1, 2, 3, 4, 7, 8, 28, 55, 110, 265, mp::max_moduli})
    for (std::int64_t elements : {1, 3, 8, 15, 16, 17, 40}) {
      SCOPED_TRACE(testing::Message() << count << " moduli, " << elements << " elements");
      const mp::Basis& basis = mp::basis(count);
      const RnsModulus* m = mp::moduli(count);
      const std::int64_t stride = elements + 1;
      Residues residue((count - 1) * stride + elements);
      std::mt19937_64 generator(count + elements);
      // Integers of both signs from -2^31 to 2^31 divided by the count's range: their residues are known without long
      // arithmetic.
      std::vector<std::int64_t> value(elements);
      for (auto& v : value)
        v = static_cast<std::int64_t>(generator() % (count == 1 ? 1u << 29 : 1u << 31)) -
            (count == 1 ? 1 << 28 : 1 << 30);
      value[0] = 0;
      for (int k = 0; k < count; ++k)
        for (std::int64_t e = 0; e < elements; ++e)
          residue[k * stride + e] = static_cast<std::uint32_t>((value[e] % std::int64_t{m[k].m} + m[k].m) % m[k].m);
      Residues expected;
      for (Isa isa : levels()) {
        Residues digit((count + 1) * stride, poison);
        mp_kernels(isa).crt_digits({residue.data(), stride, m, basis.inverse.data(), basis.reciprocal.data(), count,
                                    elements, digit.data(), stride});
        if (isa == Isa::baseline) {
          expected = digit;
          // sum_k d_k M / m_k - q M, modulo 2^64.
          for (std::int64_t e = 0; e < elements; ++e) {
            std::uint64_t sum = 0 - digit[count * stride + e] * basis.product[0];
            for (int k = 0; k < count; ++k)
              sum += digit[k * stride + e] * basis.cofactor[static_cast<std::size_t>(k) * basis.limbs];
            ASSERT_EQ(static_cast<std::int64_t>(sum), value[e]) << "twin, element " << e;
          }
          continue;
        }
        ASSERT_EQ(digit, expected) << isa_name(isa);
      }
    }
}

/// Every level of `integers`; the twin against lib/mp/basis.hpp where the weights are a basis's.
void check_integers(MpIntegers c, const mp::Basis* basis) {
  SCOPED_TRACE(testing::Message() << c.digits << " digits, " << c.columns << " columns, " << c.elements << " elements, "
                                  << c.limbs << " limbs");
  std::vector<std::uint64_t> expected, exact(c.limbs);
  for (Isa isa : levels()) {
    std::vector<std::uint64_t> integer(c.elements * c.limbs + 1, poison);
    c.integer = integer.data();
    c.room = room(c.digits);
    mp_kernels(isa).integers(c);
    if (isa != Isa::baseline) {
      ASSERT_EQ(integer, expected) << isa_name(isa);
      continue;
    }
    expected = integer;
    for (std::int64_t e = 0; basis && e < c.elements; ++e) {
      mp::reconstruct(*basis, c.digit + e, c.digit_stride, exact.data());
      ASSERT_TRUE(std::equal(exact.begin(), exact.end(), integer.begin() + e * c.limbs)) << "twin, element " << e;
    }
  }
}

TEST(MpIntegers, OfABasis) {
  std::mt19937_64 generator(7);
  for (int count : {1, 2, 3, 4, 5, 8, 28, 31, 64, 65, 110, mp::max_moduli})
    for (std::int64_t elements : {1, 5, 16, 33, 70}) {
      const mp::Basis& basis = mp::basis(count);
      const RnsModulus* m = mp::moduli(count);
      const std::int64_t stride = elements + 1;
      // Residues of integers of at most half the range, and of small ones: an integer's digits follow from them.
      Residues residue(count * stride), digit((count + 1) * stride);
      for (int k = 0; k < count; ++k)
        for (std::int64_t e = 0; e < elements; ++e)
          residue[k * stride + e] = e % 3 == 0   ? static_cast<std::uint32_t>(e) % m[k].m
                                    : e % 3 == 1 ? m[k].m - 1 - static_cast<std::uint32_t>(e)
                                                 : static_cast<std::uint32_t>(generator() % m[k].m);
      mp_portable().crt_digits({residue.data(), stride, m, basis.inverse.data(), basis.reciprocal.data(), count,
                                elements, digit.data(), stride});
      check_integers({digit.data(), stride, count + 1, basis.column.data(), count + 1, count, elements, nullptr,
                      basis.limbs, nullptr},
                     &basis);
    }
}

TEST(MpIntegers, LargestSums) {
  for (int digits : {1, 2, 4, 7, mp::max_moduli + 1})
    for (int columns : {1, 2, 3, 33, 64, 130}) {
      const Residues digit(digits * 40, 0x7FFFFFFF), weight(digits * columns, 0x7FFFFFFF);
      for (int more : {0, 2})
        check_integers({digit.data(), 40, digits, weight.data(), digits, columns, 39, nullptr,
                        ceil_div(31 * columns, 64) + more, nullptr},
                       nullptr);
    }
}

TEST(MpSplit, EveryLength) {
  std::mt19937_64 generator(1);
  for (int limbs = 1; limbs <= 270; limbs += limbs < 40 ? 1 : 23)
    for (std::int64_t elements : {1, 7, 8, 9, 16, 21}) {
      SCOPED_TRACE(testing::Message() << limbs << " limbs, " << elements << " elements");
      const std::int64_t limb_stride = limbs + elements % 3, stride = elements + 2;
      const int digits = ceil_div(32 * limbs, 31);
      Residues limb((elements - 1) * limb_stride + limbs);
      for (auto& l : limb) l = generator() % 4 == 0 ? 0xFFFFFFFF : static_cast<std::uint32_t>(generator());
      for (int fewer : {0, 1}) {
        const int wanted = std::max(1, digits - fewer);
        Residues expected;
        for (Isa isa : levels()) {
          Residues digit(wanted * stride, poison);
          mp_kernels(isa).split({limb.data(), limb_stride, limbs, elements, digit.data(), stride, wanted});
          if (isa == Isa::baseline) {
            expected = digit;
            for (std::int64_t e = 0; e < elements; ++e)
              for (int bit = 0; bit < 32 * limbs && bit < 31 * wanted; ++bit)
                ASSERT_EQ(digit[bit / 31 * stride + e] >> bit % 31 & 1,
                          limb[e * limb_stride + bit / 32] >> bit % 32 & 1)
                    << "bit " << bit;
            continue;
          }
          ASSERT_EQ(digit, expected) << isa_name(isa);
        }
      }
    }
}

}  // namespace
