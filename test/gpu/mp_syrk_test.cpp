// accublas_mp_syrk on the device against the CPU, bit by bit.
#include <gtest/gtest.h>

#include "test/gpu/mp_pair.hpp"

namespace {

using accublas::test::Pair;
using accublas::test::Random;

TEST(MpGpuSyrk, BitsOfTheCpu) {
  Random random(12);
  for (int precision : {64, 106, 530})
    for (std::int64_t n : {1, 3, 8, 9, 40, 150, 300})
      for (int spread : {5, 100})
        for (accublas_uplo uplo : {ACCUBLAS_LOWER, ACCUBLAS_UPPER})
          for (accublas_transpose trans : {ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS}) {
            SCOPED_TRACE(testing::Message() << precision << " bits, order " << n << ", spread " << spread << ", uplo "
                                            << uplo << (trans == ACCUBLAS_TRANS ? " T" : " N"));
            const std::int64_t k = 30;
            Pair a(precision, n * k, spread, 0, random), c(precision, n * n, 10, 0, random),
                scalars(precision, 2, 3, 0, random);
            for (bool device : {false, true})
              REQUIRE(accublas_mp_syrk(nullptr, uplo, trans, n, k, scalars.get(device), 0, a.get(device), 0,
                                       trans == ACCUBLAS_TRANS ? k : n, scalars.get(device), 1, c.get(device), 0, n));
            c.expect_equal("C");
            if (HasFailure()) return;
          }
}

/// The terms have exponents over so many times 100 bits: the rows of A need no bands then, and its columns as vectors
/// do.
TEST(MpGpuSyrk, SplitVectors) {
  Random random(13);
  const std::int64_t n = 300, k = 12;
  for (const accublas_uplo uplo : {ACCUBLAS_LOWER, ACCUBLAS_UPPER})
    for (const accublas_transpose trans : {ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS})
      for (const int grades : {2, 4})
        for (const char* engine : {"auto", "int8", "sums"}) {
          SCOPED_TRACE(testing::Message() << grades << " grades, uplo " << uplo
                                          << (trans == ACCUBLAS_TRANS ? " T" : " N") << ", engine " << engine);
          const bool transposed = trans == ACCUBLAS_TRANS;
          Pair a(106, n * k, 10, 0, random,
                 [&](std::int64_t t) { return 100 * ((transposed ? t % k : t / n) % grades); }),
              c(106, n * n, 10, 0, random), scalars(106, 2, 3, 0, random);
          for (bool device : {false, true}) {
            accublas_context* context = nullptr;
            REQUIRE(accublas_create(&context));
            REQUIRE(accublas_set_engine_name(context, engine));
            REQUIRE(accublas_mp_syrk(context, uplo, trans, n, k, scalars.get(device), 0, a.get(device), 0,
                                     transposed ? k : n, scalars.get(device), 1, c.get(device), 0, n));
            REQUIRE(accublas_destroy(context));
          }
          c.expect_equal("C");
          if (HasFailure()) return;
        }
}

}  // namespace
