// The status of a call whose parts are computed one after another, if a part fails.
#include "lib/call/one_by_one.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <new>
#include <utility>

namespace {

using accublas::Error;
using accublas::Index;

using Outcome = std::pair<accublas_status, accublas_status>;

/// Runs three parts, and calls fail() in the part `at`; `written`: others wrote before. Returns the status and the
/// cause of the Error, or nothing.
Outcome outcome(Index at, const std::function<void()>& fail, bool written = false) {
  Index done = 0;
  try {
    const auto part = [&](Index i) {
      EXPECT_EQ(i, done++);
      if (i == at) fail();
    };
    accublas::one_by_one(3, part, written);
  } catch (const Error& error) {
    EXPECT_EQ(done, at + 1);
    return {error.status(), error.cause()};
  }
  EXPECT_EQ(done, 3);
  return {ACCUBLAS_SUCCESS, ACCUBLAS_SUCCESS};
}

TEST(OneByOne, FailuresAfterTheFirstPart) {
  const auto unavailable = [] { throw Error(ACCUBLAS_ERROR_UNAVAILABLE, "for a test"); };
  const auto no_memory = [] { throw std::bad_alloc(); };
  EXPECT_EQ(outcome(3, unavailable), (Outcome{ACCUBLAS_SUCCESS, ACCUBLAS_SUCCESS}));
  EXPECT_EQ(outcome(0, unavailable), (Outcome{ACCUBLAS_ERROR_UNAVAILABLE, ACCUBLAS_ERROR_UNAVAILABLE}));
  EXPECT_EQ(outcome(1, unavailable), (Outcome{ACCUBLAS_ERROR_C_UNDEFINED, ACCUBLAS_ERROR_UNAVAILABLE}));
  EXPECT_EQ(outcome(0, unavailable, true), (Outcome{ACCUBLAS_ERROR_C_UNDEFINED, ACCUBLAS_ERROR_UNAVAILABLE}));
  EXPECT_THROW(outcome(0, no_memory), std::bad_alloc);
  EXPECT_EQ(outcome(0, no_memory, true), (Outcome{ACCUBLAS_ERROR_C_UNDEFINED, ACCUBLAS_ERROR_MEMORY}));
  EXPECT_EQ(outcome(2, no_memory), (Outcome{ACCUBLAS_ERROR_C_UNDEFINED, ACCUBLAS_ERROR_MEMORY}));
}

}  // namespace
