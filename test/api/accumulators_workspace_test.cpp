// The memory of accumulators on the CPU: a user's workspace that is too small is an error that names a sufficient one,
// panels are added in parts, and arguments that share memory are refused.
#include <cstdlib>

#include "accumulators.hpp"
#include "api.hpp"

namespace {

using namespace accumulators_test;

template <class E>
class AccumulatorWorkspace : public testing::Test {
 protected:
  void TearDown() override {
    accublas_set_workspace(nullptr, nullptr, 0);
    accublas_set_workspace_mib(nullptr, 256);
  }
};
using AllTypes = testing::Types<double, float, std::complex<double>, std::complex<float>>;
TYPED_TEST_SUITE(AccumulatorWorkspace, AllTypes);

/// Makes a call in a user's workspace of 64 bytes, and again in one of the size that the error names. `needs_none`: the
/// call may do without a workspace.
template <class Call>
void in_named_workspace(std::vector<unsigned char>& memory, bool needs_none, Call&& call) {
  memory.resize(64);
  ASSERT_EQ(accublas_set_workspace(nullptr, memory.data(), memory.size()), ACCUBLAS_SUCCESS);
  const accublas_status status = call();
  if (needs_none && status == ACCUBLAS_SUCCESS) return;
  ASSERT_EQ(status, ACCUBLAS_ERROR_MEMORY);
  const std::string why = accublas_last_error(nullptr);
  const std::size_t end = why.find(" bytes suffice"), begin = why.rfind(' ', end - 1);
  ASSERT_NE(end, std::string::npos) << why;
  for (const std::size_t odd : {0, 1}) {  // the workspace may begin anywhere
    memory.resize(static_cast<std::size_t>(std::atoll(why.c_str() + begin)) + odd);
    ASSERT_GT(memory.size(), 64U);
    ASSERT_EQ(accublas_set_workspace(nullptr, memory.data() + odd, memory.size() - odd), ACCUBLAS_SUCCESS);
    ASSERT_EQ(call(), ACCUBLAS_SUCCESS) << accublas_last_error(nullptr) << "; before: " << why;
  }
}

TYPED_TEST(AccumulatorWorkspace, HasTheSizeThatTheErrorNames) {
  using E = TypeParam;
  int seed = 0;
  for (const auto& [m, n, k] : {std::array<Index, 3>{40, 30, 20}, {130, 200, 100}, {5, 300, 1500}, {20, 20, 4000}}) {
    for (const char* const mode : {"cr", "fixed:40"}) {
      Random random(static_cast<std::uint64_t>(++seed));
      const Product<E> p(random, Kind::integers, m, n, 2 * k);
      const std::string text = std::string(mode) + " " + std::to_string(m) + " x " + std::to_string(n);
      Sums<E> sums(p, mode, {{0, 2 * k}});
      std::vector<unsigned char> memory;
      std::vector<std::int32_t> rows(static_cast<std::size_t>(2 * m), ACCUBLAS_EXPONENT_NONE);
      in_named_workspace(memory, false, [&, m = m] {
        return accublas_accumulator_measure(nullptr, Numbers<E>::type, ACCUBLAS_LEFT, p.layout, p.transa, m, p.k,
                                            p.a.data(), p.lda, rows.data());
      });
      if (testing::Test::HasFatalFailure()) return;
      Index first = 0;
      in_named_workspace(memory, false, [&, k = k] {
        const accublas_status status = accublas_accumulator_add(nullptr, sums.get(), p.layout, p.transa, p.transb, k,
                                                                p.panel_a(first), p.lda, p.panel_b(first), p.ldb);
        if (status == ACCUBLAS_SUCCESS) first += k;
        return status;
      });
      if (testing::Test::HasFatalFailure()) return;
      Answer<E> answer;
      in_named_workspace(memory, is_complex<E>, [&] { return sums.finish(answer); });
      accublas_set_workspace(nullptr, nullptr, 0);
      if (testing::Test::HasFatalFailure()) return;
      expect_same(answer, by_one_call(p, mode), text);
    }
  }
}

/// A panel of complex numbers is added in parts if the workspace is small. A row with Inf or NaN counts as zero in all
/// of them, so its numbers in other parts may exceed the exponents, as in a large workspace.
TYPED_TEST(AccumulatorWorkspace, HoldsPartsOfPanelsWithInf) {
  using E = TypeParam;
  Random random(4);
  Product<E> p(random, Kind::normal, 150, 140, 700);
  p.alpha = E(1);
  p.beta = E(0);
  p.at_a(3, 10) = E(std::numeric_limits<Real<E>>::infinity());
  p.at_a(3, 690) = E(1e30F);
  p.at_a(5, 650) = E(std::numeric_limits<Real<E>>::quiet_NaN());
  p.at_a(5, 1) = E(1e25F);
  p.at_b(699, 7) = E(-std::numeric_limits<Real<E>>::infinity());
  p.at_b(2, 7) = E(1e28F);
  std::vector<unsigned char> bytes;
  for (const std::int64_t mib : {256, 1}) {
    ASSERT_EQ(accublas_set_workspace_mib(nullptr, mib), ACCUBLAS_SUCCESS);
    Sums<E> sums(p, "fixed:40", {{0, p.k}});
    sums.add({0, p.k});
    if (bytes.empty())
      bytes = sums.bytes();
    else
      EXPECT_TRUE(bytes == sums.bytes());
    Answer<E> answer;
    ASSERT_EQ(sums.finish(answer), ACCUBLAS_SUCCESS) << accublas_last_error(nullptr);
    ASSERT_EQ(accublas_set_workspace_mib(nullptr, 256), ACCUBLAS_SUCCESS);
    expect_same(answer, by_one_call(p, "fixed:40"), std::to_string(mib) + " MiB");
  }
}

TYPED_TEST(AccumulatorWorkspace, IsApartFromExponents) {
  using E = TypeParam;
  std::vector<E> x(100, E(1));
  const auto measure = [&](std::int32_t* exponents) {
    return accublas_accumulator_measure(nullptr, Numbers<E>::type, ACCUBLAS_LEFT, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS,
                                        4, 8, x.data(), 10, exponents);
  };
  const std::vector<E> before = x;
  const auto at = [&](std::size_t i) { return reinterpret_cast<std::int32_t*>(x.data() + i); };
  for (const std::size_t i : {0, 3, 10, 71, 73}) {
    EXPECT_EQ(measure(at(i)), ACCUBLAS_ERROR_ARGUMENT) << i;
    EXPECT_NE(std::strstr(accublas_last_error(nullptr), "exponents shares memory with argument x"), nullptr)
        << accublas_last_error(nullptr);
    EXPECT_TRUE(std::memcmp(x.data(), before.data(), x.size() * sizeof(E)) == 0);
  }
  // After the last element, which is 3 + 7 * 10.
  std::fill_n(at(74), 8, ACCUBLAS_EXPONENT_NONE);
  EXPECT_EQ(measure(at(74)), ACCUBLAS_SUCCESS) << accublas_last_error(nullptr);
  EXPECT_EQ(at(74)[0], 1);
  EXPECT_EQ(at(74)[1], 0);
}

/// By default an accumulator in cr takes more bits than 80 if they cost no modulus, and then may drop none.
TEST(AccumulatorBits, FillTheModuli) {
  Random random(5);
  Product<double> p(random, Kind::integers, 6, 7, 2);
  p.alpha = 1.5;
  for (double& x : p.b) x = x > 0 ? 1 : -1;
  for (Index i = 0; i < p.m; ++i)
    for (Index q = 0; q < p.k; ++q) p.at_a(i, q) = q == 1 ? 0x1p-29 * (1 + 0x1p-52) : 1.25;
  const std::vector<Panel> panels = {{0, 2}};
  Sums<double> filled(p, "cr", panels), given(p, "cr", panels, 80);
  const accublas_accumulator_report_t f = filled.report(), g = given.report();
  EXPECT_EQ(f.row_bits, 82);  // entries below 2 that are multiples of 2^-81
  EXPECT_EQ(g.row_bits, 80);
  EXPECT_EQ(f.moduli, g.moduli);
  for (Sums<double>* const sums : {&filled, &given}) {
    Answer<double> answer;
    finish_rounds(*sums, answer, p, [&](Sums<double>& to) { to.add(panels[0]); });
    EXPECT_EQ(sums->report().exact, sums == &filled);
    expect_same(answer, by_one_call(p, "cr"), "bits");
    const std::vector<unsigned char> bytes = sums->bytes();
    EXPECT_TRUE(bytes == Sums<double>(p, bytes).bytes());
  }
}

}  // namespace
