// Every level of the multiple-precision products against the portable twin, bit for bit, and the twin against 128-bit
// integers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "lib/base/integers.hpp"
#include "test/unit/mp_kernels_data.hpp"

namespace {

using namespace accublas_test;

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
    const cpu::MpProduct p = {m, a.data + first_row, ld, rows, columns, x.data(), ldx, y.data() + 1, ldy, vectors, add};
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

}  // namespace
