// Out of memory in every allocation of every call on multiple-precision arrays: the status says so, and nothing is
// lost. Needs the library with hooks.
#include <cstdlib>
#include <functional>

#include "mp.hpp"

using namespace mp_test;

namespace {

void fail_at(int n) { setenv("ACCUBLAS_TEST_FAIL_ALLOCATION", std::to_string(n).c_str(), 1); }

/// Runs `call` with its first, second, ... allocation failing until it succeeds; `unchanged` is checked after every
/// failure.
void for_every_allocation(const std::function<accublas_status()>& call, const std::function<void()>& unchanged,
                          int least) {
  int failures = 0;
  for (int n = 1; n < 500; ++n) {
    fail_at(n);
    const accublas_status status = call();
    fail_at(0);
    if (status == ACCUBLAS_SUCCESS) {
      EXPECT_GE(failures, least);
      return;
    }
    ASSERT_EQ(status, ACCUBLAS_ERROR_MEMORY) << accublas_last_error(nullptr);
    ++failures;
    unchanged();
    if (::testing::Test::HasFailure()) return;
  }
  ADD_FAILURE() << "it never succeeded";
}

class MpFailure : public ::testing::TestWithParam<long> {};

TEST_P(MpFailure, Routines) {
  const int precision = 106;
  const long spread = GetParam();
  Source source(21);
  api::Context ctx;
  accublas_set_num_threads(ctx, 1);
  const Vector before = source.vector(7, precision, precision, spread);
  const Array a(precision, source.vector(49, precision, precision, spread)),
      x(precision, source.vector(7, precision, precision, spread)), y(precision, before),
      s(precision, Vector{real(precision, 3), real(precision, 0.1)});
  const auto unchanged = [&](const Array& array, const Vector& wanted) {
    for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NUMBER(array.get(static_cast<std::int64_t>(i)), wanted[i]);
  };
  for_every_allocation(
      [&] { return accublas_mp_gemv(ctx, ACCUBLAS_TRANS, 7, 7, s, 0, a, 0, 7, x, 0, 1, s, 1, y, 0, 1); },
      [&] { unchanged(y, before); }, 8);
  // An aligned form that must grow and cannot stays as it was.
  ASSERT_EQ(accublas_mp_align(ctx, a, 0, 7, 7, 7, 0), ACCUBLAS_SUCCESS);
  const std::int64_t bytes = accublas_mp_bytes(a);
  const Vector after = y.values();
  for_every_allocation(
      [&] { return accublas_mp_gemv(ctx, ACCUBLAS_NO_TRANS, 7, 7, s, 0, a, 0, 7, x, 0, 1, s, 1, y, 0, 1); },
      [&] {
        unchanged(y, after);
        EXPECT_GE(accublas_mp_bytes(a), bytes);
      },
      6);
  const Vector then = y.values();
  for_every_allocation([&] { return accublas_mp_axpy(ctx, 7, s, 0, x, 0, 1, y, 0, 1); }, [&] { unchanged(y, then); },
                       6);
  const Vector later = y.values();
  for_every_allocation([&] { return accublas_mp_scal(ctx, 7, s, 1, y, 0, 1); }, [&] { unchanged(y, later); }, 4);
  for_every_allocation([&] { return accublas_mp_align(ctx, a, 0, 7, 7, 7, 64); },
                       [&] { EXPECT_GE(accublas_mp_bytes(a), bytes); }, 4);
}

INSTANTIATE_TEST_SUITE_P(Spread, MpFailure, ::testing::Values(0L, 400L));

TEST(MpFailureTransfer, InAndOut) {
  const int precision = 212;
  Source source(22);
  const Vector before = source.vector(6, precision, precision, 5);
  const Array x(precision, before), y(106, 6);
  const auto same = [&] {
    for (int i = 0; i < 6; ++i) {
      EXPECT_NUMBER(x.get(i), before[i]);
      EXPECT_NUMBER(y.get(i), Real(106));
    }
  };
  double d[6] = {1, 2, 3, 4, 5, 6};
  const std::uint64_t limbs[6] = {1, 2, 3, 4, 5, 6};
  const std::int64_t exponents[6] = {};
  accublas_mp_array* made = nullptr;
  for_every_allocation([&] { return accublas_mp_create(nullptr, 64, 5, &made); }, [&] { EXPECT_EQ(made, nullptr); }, 4);
  EXPECT_EQ(accublas_mp_destroy(made), ACCUBLAS_SUCCESS);
  for_every_allocation([&] { return accublas_mp_get_double(nullptr, x, 0, 3, 3, 2, d, 3); },
                       [&] { EXPECT_EQ(d[5], 6); }, 3);
  for_every_allocation([&] { return accublas_mp_convert(nullptr, 3, 2, x, 0, 3, y, 0, 3); }, same, 6);
  const Array z(precision, 6);
  const auto untouched = [&] {
    for (int i = 0; i < 6; ++i) EXPECT_NUMBER(z.get(i), Real(precision));
  };
  for_every_allocation([&] { return accublas_mp_set_double(nullptr, z, 0, 3, 3, 1, d, 3); },
                       [&] { EXPECT_NUMBER(z.get(0), Real(precision)); }, 1);
  accublas_mp_set_double(nullptr, z, 0, 6, 6, 1, std::vector<double>(6, 0.0).data(), 6);
  for_every_allocation([&] { return accublas_mp_set_limbs(nullptr, z, 0, 3, 3, 2, limbs, 1, exponents, nullptr); },
                       untouched, 4);
  std::int32_t result = 7;
  for_every_allocation([&] { return accublas_mp_compare(nullptr, x, 0, x, 0, &result); }, [&] { EXPECT_EQ(result, 7); },
                       3);
  for_every_allocation([&] { return accublas_mp_set_string(nullptr, z, 0, "1.5", 10); }, [&] {}, 2);
}

}  // namespace
