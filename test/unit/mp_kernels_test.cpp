// Every level of the multiple-precision kernels against the portable twin, bit for bit, and the twin against 128-bit
// integers.
#include "lib/mp/kernels/mp_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "lib/base/integers.hpp"
#include "lib/mp/basis.hpp"
#include "lib/mp/memory.hpp"

namespace {

using namespace accublas;
using namespace accublas::cpu;
using Residues = std::vector<std::uint32_t>;

constexpr std::uint32_t poison = 0xDEADBEEF;

std::vector<Isa> levels() {
  std::vector<Isa> all;
  for (Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512})
    if (isa <= detected_isa()) all.push_back(isa);
  return all;
}

enum class Kind { random, largest, mixed };

/// `random`: any residues; `largest`: m - 1 everywhere; `mixed`: 0, 1, m - 1, m / 2 and powers of two.
struct Source {
  std::mt19937_64 generator;
  Kind kind;

  std::uint32_t operator()(std::uint32_t m) {
    const std::uint64_t bits = generator();
    if (kind == Kind::largest) return m - 1;
    if (kind == Kind::random) return static_cast<std::uint32_t>((bits >> 32) * m >> 32);
    const std::uint32_t special[] = {
        0, 1, m - 1, m - 2, m / 2, m / 2 + 1, 1u << (bits >> 8) % 31, m - (1u << (bits >> 8) % 31)};
    return special[bits % 8] % m;
  }
};

/// 64-byte aligned.
struct Plane {
  Residues memory;
  std::uint32_t* data;

  Plane(std::int64_t size, std::uint32_t value) : memory(size + 32, value), data(memory.data()) {
    while (reinterpret_cast<std::uintptr_t>(data) % 64 != 0) ++data;
  }
};

/// One product at every level. x and y lie at odd addresses; what surrounds y is checked.
void check_product(bool transposed, std::int64_t rows, std::int64_t columns, std::int64_t vectors, bool add, Kind kind,
                   int modulus, std::int64_t first_row = 0) {
  SCOPED_TRACE(testing::Message() << (transposed ? "T " : "N ") << rows << " x " << columns << ", " << vectors
                                  << " vectors, add " << add << ", kind " << static_cast<int>(kind) << ", modulus "
                                  << modulus << ", from " << first_row);
  Source source{std::mt19937_64(rows * 1009 + columns * 31 + vectors), kind};
  const RnsModulus& m = mp::moduli(modulus + 1)[modulus];
  const std::int64_t ld = round_up(first_row + rows, 16);
  Plane a(ld * columns, 0);
  for (std::int64_t j = 0; j < columns; ++j)
    for (std::int64_t i = 0; i < first_row + rows; ++i) a.data[j * ld + i] = source(m.m);
  const std::int64_t terms = transposed ? rows : columns, outputs = transposed ? columns : rows;
  const std::int64_t ldx = terms + 3, ldy = outputs + 5;
  // Exactly as long as what may be read.
  Residues x((vectors - 1) * ldx + terms), before(vectors * ldy + 1, poison);
  for (auto& v : x) v = source(m.m);
  for (std::int64_t v = 0; v < vectors; ++v)
    for (std::int64_t i = 0; i < outputs; ++i) before[1 + v * ldy + i] = add ? source(m.m) : poison;

  Residues expected;
  for (Isa isa : levels()) {
    Residues y = before;
    const MpProduct p = {m, a.data + first_row, ld, rows, columns, x.data(), ldx, y.data() + 1, ldy, vectors, add};
    (transposed ? mp_kernels(isa).product_t : mp_kernels(isa).product_n)(p);
    if (isa == Isa::baseline) {
      expected = y;
      for (std::int64_t v = 0; v < vectors; ++v)
        for (std::int64_t i = 0; i < outputs; i += 1 + outputs / 3) {
          unsigned __int128 sum = add ? before[1 + v * ldy + i] : 0;
          for (std::int64_t t = 0; t < terms; ++t)
            sum +=
                static_cast<std::uint64_t>(a.data[first_row + (transposed ? i * ld + t : t * ld + i)]) * x[v * ldx + t];
          ASSERT_EQ(y[1 + v * ldy + i], static_cast<std::uint32_t>(sum % m.m))
              << "twin, vector " << v << ", output " << i;
        }
      continue;
    }
    const auto at = std::mismatch(y.begin(), y.end(), expected.begin());
    ASSERT_EQ(at.first, y.end()) << isa_name(isa) << ", element " << at.first - y.begin() << ": " << *at.first
                                 << " for " << *at.second;
  }
}

TEST(MpProduct, OddSizes) {
  for (bool transposed : {false, true})
    for (int rows = 1; rows <= 70; rows += rows < 20 ? 1 : 7)
      for (int columns = 1; columns <= 70; columns += columns < 20 ? 1 : 7)
        check_product(transposed, rows, columns, 1 + (rows + columns) % 6, (rows ^ columns) & 1,
                      static_cast<Kind>(columns % 3), rows % 40);
}

TEST(MpProduct, EverySquare) {
  for (bool transposed : {false, true})
    for (int n = 1; n <= 70; ++n) check_product(transposed, n, n, 1, false, Kind::random, n);
}

TEST(MpProduct, NothingToAdd) {
  for (bool transposed : {false, true})
    for (bool add : {false, true}) {
      check_product(transposed, 19, 0, 2, add, Kind::random, 0);
      check_product(transposed, 0, 19, 2, add, Kind::random, 0);
    }
}

/// m - 1 everywhere, with more terms than 64 bits hold (5), than 32 bits of upper halves hold, and than one block
/// holds.
TEST(MpProduct, LargestSums) {
  for (int modulus : {0, 1, mp::max_moduli - 1})
    for (std::int64_t terms : {3, 4, 5, 8, 9, 1023, 1025, 2047, 2048, 2049, 4100, 131071, 131073, 300001}) {
      check_product(false, 3, terms, 1, true, Kind::largest, modulus);
      check_product(true, terms, 3, 1, true, Kind::largest, modulus);
    }
}

TEST(MpProduct, MoreTermsThanABlockOfColumns) {
  check_product(false, 2, (1 << 20) + 5, 1, false, Kind::largest, 3);
  check_product(true, (1 << 20) + 5, 1, 2, true, Kind::largest, 3);
}

/// Sums by groups against 128-bit integers, at every level; terms of no group are left out.
TEST(MpProduct, Groups) {
  std::mt19937_64 random(5);
  for (Kind kind : {Kind::random, Kind::largest, Kind::mixed})
    for (std::int64_t terms : {1, 3, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 1000, 4097, 1 << 20})
      for (int groups = 1; groups <= mp_most_groups; groups += terms > 2000 ? 7 : 1) {
        SCOPED_TRACE(testing::Message() << terms << " terms, " << groups << " groups, kind " << static_cast<int>(kind));
        Source source{std::mt19937_64(terms + groups), kind};
        const RnsModulus& m = mp::moduli(groups * 7)[groups * 7 - 1];
        const std::int64_t padded = round_up(terms, 16);
        Residues a(padded, m.m - 1), x(padded, 0);
        std::vector<std::uint8_t> group(padded, 0);
        std::vector<unsigned __int128> sum(groups, 0);
        for (std::int64_t q = 0; q < terms; ++q) {
          a[q] = source(m.m);
          x[q] = source(m.m);
          const std::uint64_t which = kind == Kind::largest ? 0 : random() % (groups + 1);
          group[q] = which == static_cast<std::uint64_t>(groups) ? 255 : static_cast<std::uint8_t>(which);
          if (group[q] < groups) sum[group[q]] += static_cast<std::uint64_t>(a[q]) * x[q];
        }
        for (Isa isa : levels()) {
          Residues y(groups + 1, poison);
          mp_kernels(isa).product_groups({m, a.data(), x.data(), group.data(), terms, groups, y.data()});
          for (int g = 0; g < groups; ++g)
            ASSERT_EQ(y[g], static_cast<std::uint32_t>(sum[g] % m.m)) << isa_name(isa) << ", group " << g;
          ASSERT_EQ(y[groups], poison);
        }
      }
}

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

TEST(MpRows, OddSizes) {
  for (std::int64_t rows : {16, 64})
    for (std::int64_t columns = 1; columns < 100; columns += 1 + columns / 9) {
      const std::int64_t ld = rows + 16, stride = round_up(columns, 16);
      Residues a(ld * columns);
      for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<std::uint32_t>(i * 7 + 1);
      for (Isa isa : levels()) {
        Residues out(rows * stride + 1, poison);
        mp_kernels(isa).rows({a.data(), ld, rows, columns, out.data(), stride});
        for (std::int64_t i = 0; i < rows; ++i)
          for (std::int64_t j = 0; j < columns; ++j) ASSERT_EQ(out[i * stride + j], a[j * ld + i]) << isa_name(isa);
        ASSERT_EQ(out[rows * stride], poison);
      }
    }
}

TEST(MpProduct, RowBlocks) {
  for (bool transposed : {false, true})
    for (std::int64_t rows : {1000, 1024, 1030, 2100})
      for (int vectors : {1, 2, 4, 5, 9}) check_product(transposed, rows, 21, vectors, vectors == 2, Kind::mixed, 7);
}

TEST(MpProduct, RowRanges) {
  for (bool transposed : {false, true})
    for (std::int64_t first : {16, 32, 48, 160})
      for (std::int64_t rows : {1, 15, 16, 17, 100})
        check_product(transposed, rows, 13, 1, false, Kind::random, 2, first);
}

struct Conversion {
  Residues in, weights;
  std::vector<std::uint8_t> shift, negative;
};

/// What a kernel may use for `digits` digits, no more.
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
