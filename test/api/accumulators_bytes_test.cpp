// The bytes of accumulators, damaged in every way: a status, and nothing changes. Bad arguments of all functions.
#include <bit>
#include <cstdint>

#include "accumulators.hpp"
#include "api.hpp"

namespace {

using namespace accumulators_test;
using Bytes = std::vector<unsigned char>;

/// The format's checksum, as docs/accumulators.md defines it.
std::uint64_t checksum_of(const Bytes& bytes) {
  std::uint64_t sum = 0xCBF29CE484222325u;
  const std::size_t end = (bytes.size() - 32) / 8 * 8 + 40;
  for (std::size_t at = 32; at < end; at += 8) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < 8 && at + i < bytes.size(); ++i) word |= std::uint64_t{bytes[at + i]} << 8 * i;
    sum = (sum ^ word) * 0x9E3779B97F4A7C15u;
    sum ^= sum >> 32;
  }
  return sum;
}

void put(Bytes& bytes, std::size_t at, std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i) bytes[at + static_cast<std::size_t>(i)] = static_cast<unsigned char>(value >> 8 * i);
}

accublas_status import_status(const Bytes& bytes) {
  accublas_accumulator* made = nullptr;
  const accublas_status status = accublas_accumulator_import(nullptr, bytes.data(), bytes.size(), &made);
  EXPECT_EQ(made != nullptr, status == ACCUBLAS_SUCCESS);
  accublas_accumulator_destroy(made);
  return status;
}

/// An accumulator with classes, and one in the second round.
class AccumulatorBytes : public testing::Test {
 protected:
  AccumulatorBytes() : random_(5), special_(random_, Kind::special, 5, 7, 12), normal_(random_, Kind::normal, 6, 5, 9) {
    special_.at_a(1, 2) = std::numeric_limits<double>::infinity();
    normal_.alpha = 1;
    normal_.beta = 0;
  }
  Sums<double>& with_classes() {
    if (!classes_) {
      classes_ = std::make_unique<Sums<double>>(special_, "cr", std::vector<Panel>{{0, 12}});
      classes_->add({0, 12});
    }
    return *classes_;
  }
  Sums<double>& in_second_round() {
    if (!second_) {
      second_ = std::make_unique<Sums<double>>(normal_, "cr", std::vector<Panel>{{0, 9}}, 20);
      second_->add({0, 9});
      Answer<double> answer;
      EXPECT_EQ(second_->finish(answer), ACCUBLAS_ERROR_UNDECIDED);
      second_->add({0, 4});
    }
    return *second_;
  }

  Random random_;
  Product<double> special_, normal_;
  std::unique_ptr<Sums<double>> classes_, second_;
};

// Undecided sums need no second round if every result is NaN.
TEST(AccumulatorFactors, ThatAreNanDecideEverySum) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Random random(7);
  Product<double> p(random, Kind::normal, 6, 5, 9);
  for (const bool of_beta : {false, true}) {
    p.alpha = of_beta ? 1 : nan, p.beta = of_beta ? nan : 0;
    Sums<double> sums(p, "cr", {{0, 9}}, 20);
    sums.add({0, 9});
    Answer<double> answer;
    ASSERT_EQ(sums.finish(answer), ACCUBLAS_SUCCESS) << accublas_last_error(nullptr);
    EXPECT_EQ(answer.raised, 0);
    const double want = std::bit_cast<double>(std::uint64_t{0x7FF8} << 48);
    for (Index j = 0; j < 5; ++j)
      for (Index i = 0; i < 6; ++i)
        EXPECT_EQ(std::memcmp(&p.at_c(answer.c, i, j), &want, sizeof want), 0) << i << " " << j;
  }
}

TEST_F(AccumulatorBytes, HaveTheDocumentedChecksum) {
  for (const Sums<double>* sums : {&with_classes(), &in_second_round()}) {
    Bytes bytes = sums->bytes(), again = bytes;
    put(again, 24, checksum_of(again), 8);
    EXPECT_TRUE(bytes == again);
  }
}

TEST_F(AccumulatorBytes, DamagedAnywhereAreRefused) {
  for (Sums<double>* sums : {&with_classes(), &in_second_round()}) {
    const Bytes good = sums->bytes();
    for (std::size_t at = 0; at < good.size(); at += at < 128 ? 1 : 1 + good.size() / 997) {
      Bytes bytes = good;
      bytes[at] ^= static_cast<unsigned char>(1u << at % 8);
      EXPECT_EQ(import_status(bytes), ACCUBLAS_ERROR_FORMAT) << "byte " << at;
      EXPECT_EQ(accublas_accumulator_merge(nullptr, sums->get(), bytes.data(), bytes.size()), ACCUBLAS_ERROR_FORMAT);
    }
    EXPECT_TRUE(sums->bytes() == good);
    EXPECT_EQ(import_status(good), ACCUBLAS_SUCCESS);
  }
}

TEST_F(AccumulatorBytes, TruncatedOrLongerOnesAreRefused) {
  const Bytes good = with_classes().bytes();
  for (std::size_t size = 0; size < good.size(); size += size < 200 ? 1 : 37) {
    const Bytes bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
    accublas_accumulator* made = nullptr;
    EXPECT_EQ(accublas_accumulator_import(nullptr, good.data(), size, &made), ACCUBLAS_ERROR_FORMAT) << size;
    if (size < 32) continue;
    Bytes shorter = bytes;  // its header will state the shorter size
    put(shorter, 16, size, 8);
    put(shorter, 24, checksum_of(shorter), 8);
    EXPECT_EQ(import_status(shorter), ACCUBLAS_ERROR_FORMAT) << size;
  }
  Bytes longer = good;
  longer.push_back(0);
  EXPECT_EQ(import_status(longer), ACCUBLAS_ERROR_FORMAT);
}

/// Sets every field to wrong values, under a checksum that is right.
TEST_F(AccumulatorBytes, LyingHeadersAreRefused) {
  const std::uint64_t lies[] = {0,
                                1,
                                2,
                                3,
                                5,
                                7,
                                100,
                                115,
                                149,
                                150,
                                151,
                                255,
                                256,
                                0x7FFFFFFF,
                                0x80000000u,
                                0xFFFFFFFFu,
                                std::uint64_t{1} << 40,
                                std::uint64_t{1} << 44,
                                std::uint64_t{1} << 61,
                                ~std::uint64_t{0} >> 1,
                                ~std::uint64_t{0}};
  const std::vector<std::pair<std::size_t, int>> fields = {{32, 4}, {36, 4},  {40, 4},  {44, 4},  {48, 8},
                                                           {56, 8}, {64, 8},  {72, 8},  {80, 8},  {88, 8},
                                                           {96, 4}, {100, 4}, {104, 4}, {108, 4}, {124, 4}};
  for (Sums<double>* sums : {&with_classes(), &in_second_round()}) {
    const Bytes good = sums->bytes();
    for (const auto& [at, size] : fields)
      for (const std::uint64_t lie : lies) {
        Bytes bytes = good;
        put(bytes, at, lie, size);
        put(bytes, 24, checksum_of(bytes), 8);
        const accublas_status status = import_status(bytes);
        // Another type, or other numbers of terms and bits, may describe another valid accumulator.
        const bool plausible = bytes == good || at == 32 || (at >= 64 && at <= 80) || at == 96 || at == 100;
        EXPECT_TRUE(status == ACCUBLAS_ERROR_FORMAT || status == ACCUBLAS_ERROR_ARGUMENT ||
                    (plausible && status == ACCUBLAS_SUCCESS))
            << "field " << at << " = " << lie << ": " << status;
      }
    for (std::size_t at = 128; at < good.size(); at += at < 600 ? 4 : 1 + good.size() / 499) {
      for (const std::uint64_t lie : {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{0x7FF8000000000001}}) {
        Bytes bytes = good;
        put(bytes, at, lie, static_cast<int>(std::min<std::size_t>(8, good.size() - at)));
        put(bytes, 24, checksum_of(bytes), 8);
        accublas_accumulator* made = nullptr;
        if (accublas_accumulator_import(nullptr, bytes.data(), bytes.size(), &made) != ACCUBLAS_SUCCESS) continue;
        std::vector<double> c(100, 1);
        const double one = 1;
        accublas_accumulator_finish(nullptr, made, ACCUBLAS_COL_MAJOR, &one, &one, c.data(), 10);
        accublas_accumulator_destroy(made);
      }
    }
  }
}

TEST_F(AccumulatorBytes, OfOtherAccumulatorsAreNotMerged) {
  const std::vector<Panel> whole = {{0, 9}};
  Sums<double> sums(normal_, "cr", whole, 30);
  sums.add({0, 4});
  const Bytes before = sums.bytes();
  const auto refused = [&](const Bytes& bytes, const char* word) {
    EXPECT_EQ(accublas_accumulator_merge(nullptr, sums.get(), bytes.data(), bytes.size()), ACCUBLAS_ERROR_ARGUMENT);
    EXPECT_NE(std::string(accublas_last_error(nullptr)).find(word), std::string::npos) << accublas_last_error(nullptr);
    EXPECT_TRUE(sums.bytes() == before);
  };
  refused(Sums<double>(normal_, "cr", whole, 31).bytes(), "bits");
  refused(Sums<double>(normal_, "fixed:30", whole).bytes(), "modes");
  refused(with_classes().bytes(), "sizes");
  refused(in_second_round().bytes(), "bits");
  Product<double> other = normal_;
  other.a[0] *= 1024;
  refused(Sums<double>(other, "cr", whole, 30).bytes(), "exponents");
  Sums<double> full(normal_, "cr", whole, 30);
  full.add({0, 9});
  refused(full.bytes(), "more than k");
  const Product<float> single(random_, Kind::normal, 6, 5, 9);
  refused(Sums<float>(single, "cr", whole, 30).bytes(), "types");
}

TEST_F(AccumulatorBytes, BadArgumentsAreNamed) {
  Sums<double> sums(normal_, "cr", {{0, 9}});
  const Bytes before = sums.bytes();
  const auto bad = [&](accublas_status status, const char* word, accublas_status expected = ACCUBLAS_ERROR_ARGUMENT) {
    EXPECT_EQ(status, expected) << word;
    EXPECT_NE(std::string(accublas_last_error(nullptr)).find(word), std::string::npos) << accublas_last_error(nullptr);
  };
  const auto n = ACCUBLAS_NO_TRANS;
  const auto col = ACCUBLAS_COL_MAJOR;
  accublas_accumulator* const to = sums.get();
  std::vector<double> x(1000, 0.5);
  std::vector<std::int32_t> e(100, 0);
  const double one = 1;
  const double* const a = x.data();
  bad(accublas_accumulator_add(nullptr, nullptr, col, n, n, 1, a, 6, a, 9), "accumulator");
  bad(accublas_accumulator_add(nullptr, to, 1, n, n, 1, a, 6, a, 9), "layout");
  bad(accublas_accumulator_add(nullptr, to, col, 1, n, 1, a, 6, a, 9), "transa");
  bad(accublas_accumulator_add(nullptr, to, col, n, 1, 1, a, 6, a, 9), "transb");
  bad(accublas_accumulator_add(nullptr, to, col, n, n, -1, a, 6, a, 9), "k");
  bad(accublas_accumulator_add(nullptr, to, col, n, n, 10, a, 6, a, 10), "argument k = 10");
  bad(accublas_accumulator_add(nullptr, to, col, n, n, 1, a, 5, a, 9), "lda");
  bad(accublas_accumulator_add(nullptr, to, col, n, n, 2, a, 6, a, 1), "ldb");
  bad(accublas_accumulator_add(nullptr, to, col, n, n, 1, nullptr, 6, a, 9), "argument a");
  bad(accublas_accumulator_add(nullptr, to, col, n, n, 1, a, 6, nullptr, 9), "argument b");
  x[3] = 1e300;
  bad(accublas_accumulator_add(nullptr, to, col, n, n, 1, a, 6, a + 20, 9), "row 3");
  x[3] = 0.5;
  x[21] = 1e-300;
  bad(accublas_accumulator_add(nullptr, to, col, n, n, 1, a, 6, a + 21, 1), "column 0");
  bad(accublas_accumulator_finish(nullptr, to, 1, &one, &one, x.data(), 6), "layout");
  bad(accublas_accumulator_finish(nullptr, to, col, nullptr, &one, x.data(), 6), "alpha");
  bad(accublas_accumulator_finish(nullptr, to, col, &one, nullptr, x.data(), 6), "beta");
  bad(accublas_accumulator_finish(nullptr, to, col, &one, &one, nullptr, 6), "argument c");
  bad(accublas_accumulator_finish(nullptr, to, col, &one, &one, x.data(), 5), "ldc");
  EXPECT_TRUE(sums.bytes() == before);

  accublas_accumulator* made = to;
  const auto create = [&](accublas_type type, const char* mode, Index rows, Index cols, Index k, int bits) {
    const accublas_status status =
        accublas_accumulator_create(nullptr, type, mode, rows, cols, k, e.data(), e.data(), bits, &made);
    EXPECT_EQ(made, nullptr);
    return status;
  };
  bad(create(7, "cr", 2, 2, 2, 0), "type");
  bad(create(ACCUBLAS_TYPE_D, "dp:repro", 2, 2, 2, 0), "cr and fixed", ACCUBLAS_ERROR_MODE);
  bad(create(ACCUBLAS_TYPE_D, "fixed:1", 2, 2, 2, 0), "fixed", ACCUBLAS_ERROR_MODE);
  bad(create(ACCUBLAS_TYPE_D, "cr", -1, 2, 2, 0), "argument m");
  bad(create(ACCUBLAS_TYPE_D, "cr", 2, -1, 2, 0), "argument n");
  bad(create(ACCUBLAS_TYPE_D, "cr", 2, 2, -1, 0), "argument k");
  bad(create(ACCUBLAS_TYPE_D, "cr", 2, 2, 2, 1), "bits");
  bad(create(ACCUBLAS_TYPE_D, "cr", 2, 2, 2, 151), "bits");
  bad(create(ACCUBLAS_TYPE_D, "fixed:53", 2, 2, 2, 60), "bits");
  bad(create(ACCUBLAS_TYPE_D, "cr", Index{1} << 43, 1 << 20, 2, 0), "memory", ACCUBLAS_ERROR_MEMORY);
  e[2] = 5000;
  bad(create(ACCUBLAS_TYPE_D, "cr", 2, 2, 2, 0), "pair 1");
  e[2] = 0;
  bad(accublas_accumulator_create(nullptr, ACCUBLAS_TYPE_D, "cr", 2, 2, 2, nullptr, e.data(), 0, &made), "rows");
  bad(accublas_accumulator_create(nullptr, ACCUBLAS_TYPE_D, nullptr, 2, 2, 2, e.data(), e.data(), 0, &made), "mode");
  bad(accublas_accumulator_create(nullptr, ACCUBLAS_TYPE_D, "cr", 2, 2, 2, e.data(), e.data(), 0, nullptr),
      "accumulator");

  const auto measure = [&](accublas_type type, accublas_side side, accublas_layout layout, accublas_transpose trans,
                           Index lines, Index k, const void* from, Index ld, std::int32_t* exponents) {
    return accublas_accumulator_measure(nullptr, type, side, layout, trans, lines, k, from, ld, exponents);
  };
  bad(measure(1, ACCUBLAS_LEFT, col, n, 2, 2, a, 2, e.data()), "type");
  bad(measure(ACCUBLAS_TYPE_D, 1, col, n, 2, 2, a, 2, e.data()), "side");
  bad(measure(ACCUBLAS_TYPE_D, ACCUBLAS_LEFT, 1, n, 2, 2, a, 2, e.data()), "layout");
  bad(measure(ACCUBLAS_TYPE_D, ACCUBLAS_LEFT, col, 1, 2, 2, a, 2, e.data()), "trans");
  bad(measure(ACCUBLAS_TYPE_D, ACCUBLAS_LEFT, col, n, -1, 2, a, 2, e.data()), "lines");
  bad(measure(ACCUBLAS_TYPE_D, ACCUBLAS_LEFT, col, n, 2, -1, a, 2, e.data()), "k");
  bad(measure(ACCUBLAS_TYPE_D, ACCUBLAS_LEFT, col, n, 3, 2, a, 2, e.data()), "ldx");
  bad(measure(ACCUBLAS_TYPE_D, ACCUBLAS_RIGHT, col, n, 2, 3, a, 2, e.data()), "ldx");
  bad(measure(ACCUBLAS_TYPE_D, ACCUBLAS_LEFT, col, n, 2, 2, nullptr, 2, e.data()), "argument x");
  bad(measure(ACCUBLAS_TYPE_D, ACCUBLAS_LEFT, col, n, 2, 2, a, 2, nullptr), "exponents");

  std::size_t size = 0;
  bad(accublas_accumulator_export(nullptr, to, x.data(), 8, &size), "capacity");
  bad(accublas_accumulator_import(nullptr, nullptr, 8, &made), "bytes");
  Index count = 0;
  bad(accublas_accumulator_undecided(nullptr, to, -1, nullptr, nullptr, &count), "capacity");
  EXPECT_EQ(accublas_accumulator_destroy(nullptr), ACCUBLAS_SUCCESS);
}

TEST_F(AccumulatorBytes, TheSecondRoundNeedsAllPanels) {
  Sums<double>& sums = in_second_round();
  Answer<double> answer;
  EXPECT_EQ(sums.finish(answer), ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_NE(std::string(accublas_last_error(nullptr)).find("4 of 9 terms"), std::string::npos);
  EXPECT_EQ(accublas_accumulator_add(nullptr, sums.get(), normal_.layout, normal_.transa, normal_.transb, 6,
                                     normal_.panel_a(0), normal_.lda, normal_.panel_b(0), normal_.ldb),
            ACCUBLAS_ERROR_ARGUMENT);
  // The listed elements are those of the report, each within C.
  Index count = 0;
  ASSERT_EQ(accublas_accumulator_undecided(nullptr, sums.get(), 0, nullptr, nullptr, &count), ACCUBLAS_SUCCESS);
  EXPECT_EQ(count, sums.report().undecided);
  std::vector<Index> rows(static_cast<std::size_t>(count)), columns(rows.size());
  ASSERT_EQ(accublas_accumulator_undecided(nullptr, sums.get(), count, rows.data(), columns.data(), &count),
            ACCUBLAS_SUCCESS);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_TRUE(rows[i] >= 0 && rows[i] < normal_.m && columns[i] >= 0 && columns[i] < normal_.n);
    EXPECT_TRUE(i == 0 || rows[i - 1] + normal_.m * columns[i - 1] < rows[i] + normal_.m * columns[i]);
  }
  sums.add({4, 5});
  ASSERT_EQ(sums.finish(answer), ACCUBLAS_SUCCESS);
  expect_same(answer, by_one_call(normal_, "cr"), "second round");
}

}  // namespace
