// Bits do not depend on threads, workspace, engine, run or other callers, and in the element-local modes not on how the
// caller cuts C, or whether a column is a GEMV.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <thread>

#include "../context.hpp"
#include "calls.hpp"

namespace repro {
namespace {

using accublas::test::Context;

using Bits = std::vector<std::uint64_t>;

void expect_same(const Call& call, const Bits& want, const Bits& got, const std::string& what) {
  ASSERT_EQ(want.size(), got.size());
  const auto first = std::mismatch(want.begin(), want.end(), got.begin()).first - want.begin();
  ASSERT_EQ(static_cast<std::size_t>(first), want.size())
      << call.name() << " " << what << ": first mismatch at (" << first % call.m << "," << first / call.m
      << "): " << std::hex << want[static_cast<std::size_t>(first)] << " and " << got[static_cast<std::size_t>(first)];
}

/// The bits with which every other way of a call is compared: one thread, without a cap. They are computed once for all
/// tests.
const Bits& reference(accublas_context* context, const Call& call) {
  static std::map<std::string, Bits> known;
  Bits& bits = known[call.name()];
  if (bits.empty()) bits = run(context, call, {1, -1});
  return bits;
}

/// Every call under every one of the settings.
void compare(const std::vector<Call>& list, const std::vector<Settings>& settings) {
  Context context;
  for (const Call& call : list) {
    for (const Settings& one : settings) {
      expect_same(call, reference(context, call), run(context, call, one),
                  "threads " + std::to_string(one.threads) + " workspace " + std::to_string(one.workspace));
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(Repro, ThreadsLarge) { compare(calls(true), {{2, -1}, {3, -1}}); }
TEST(Repro, ThreadsAndRepeatedRuns) { compare(calls(false), {{2, -1}, {3, -1}, {3, -1}, {0, -1}}); }
TEST(Repro, WorkspaceCaps) { compare(calls(false), {{1, 1 << 20}, {2, 3 << 19}, {3, 5 << 20}}); }
TEST(Repro, WorkspaceCapsLarge) { compare(calls(true), {{2, 2 << 20}}); }

TEST(Repro, Engines) {
  Context context;
  for (const bool large : {false, true}) {
    for (const Call& call : calls(large)) {
      if (call.routine != Routine::gemm) continue;
      for (const char* engine : engines(call.mode)) {
        if (large && std::strcmp(engine, "sums") == 0) continue;  // too slow there
        expect_same(call, reference(context, call), run(context, call, {2, -1, engine}), engine);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Repro, UserWorkspace) {
  const std::vector<Call> list = calls(false);
  Context context, user;
  for (const std::size_t size : {std::size_t{1} << 20, std::size_t{9} << 20}) {
    std::vector<unsigned char> buffer(size + 1);
    // Not aligned: the library must cope with any address.
    ASSERT_EQ(accublas_set_workspace(user, buffer.data() + 1, size), ACCUBLAS_SUCCESS);
    for (const Call& call : list) {
      for (const int threads : {0, 24}) {  // 0: as many as the machine has
        expect_same(call, reference(context, call), run(user, call, {threads, -1}), "user workspace");
        if (HasFatalFailure()) return;
      }
    }
    ASSERT_EQ(accublas_set_workspace(user, nullptr, 0), ACCUBLAS_SUCCESS);
  }
}

TEST(Repro, ConcurrentCallers) {
  const std::vector<Call> list = calls(false);
  Context context;
  for (const Call& call : list) reference(context, call);  // here, not in the threads
  std::vector<std::string> failures(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < failures.size(); ++t) {
    threads.emplace_back([&, t] {
      try {
        Context own;
        for (std::size_t i = 0; i < list.size(); ++i) {
          const std::size_t at = (i + t * 29) % list.size();
          if (run(own, list[at], {static_cast<int>(t), -1}) != reference(context, list[at]))
            failures[t] = list[at].name() + " differs";
        }
      } catch (const std::exception& error) {
        failures[t] = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : failures) EXPECT_EQ(text, "");
}

/// The call in blocks of rows and columns of C, each a call of its own.
template <class T>
Bits in_blocks(accublas_context* context, const Call& call, std::int64_t rows, std::int64_t columns) {
  const Operands<T> all = operands<T>(call);
  std::vector<T> out = all.c;
  accublas_options options = ACCUBLAS_OPTIONS_INIT;
  options.mode_name = call.mode.c_str();
  for (std::int64_t i = 0; i < call.m; i += rows) {
    for (std::int64_t j = 0; j < call.n; j += columns) {
      Call part = call;
      part.m = std::min(rows, call.m - i);
      part.n = std::min(columns, call.n - j);
      Operands<T> o;
      o.alpha = all.alpha;
      o.beta = all.beta;
      for (std::int64_t q = 0; q < (call.trans ? part.m : call.k); ++q) {
        for (std::int64_t r = 0; r < (call.trans ? call.k : part.m); ++r) {
          o.a.push_back(call.trans ? all.a[static_cast<std::size_t>(r + (i + q) * call.k)]
                                   : all.a[static_cast<std::size_t>(i + r + q * call.m)]);
        }
      }
      o.b.assign(all.b.begin() + j * call.k, all.b.begin() + (j + part.n) * call.k);
      if (invoke(context, part, o, out.data() + i + j * call.m, call.m, &options) != ACCUBLAS_SUCCESS) {
        throw std::runtime_error(call.name() + ": " + accublas_last_error(context));
      }
    }
  }
  Bits bits;
  for (const T& x : out) {
    std::uint64_t b = 0;
    std::memcpy(&b, &x, sizeof x);
    bits.push_back(b);
  }
  return bits;
}

TEST(Repro, SubBlocksOfElementLocalModes) {
  Context context;
  for (const Call& call : calls(false)) {
    if (call.scalar() || !call.element_local()) continue;
    for (const auto& [rows, columns] : {std::pair<std::int64_t, std::int64_t>{37, 29}, {call.m, 7}, {1, call.n}}) {
      if (rows == 1 && call.m > 200) continue;
      const Bits got = call.single ? in_blocks<float>(context, call, rows, columns)
                                   : in_blocks<double>(context, call, rows, columns);
      expect_same(call, reference(context, call), got,
                  "in blocks of " + std::to_string(rows) + " x " + std::to_string(columns));
      if (HasFatalFailure()) return;
    }
  }
}

// A GEMM of one column and the GEMV have the same bits in the modes whose definition says so.
TEST(Repro, GemvIsGemmOfOneColumn) {
  Context context;
  for (const Call& call : calls(false)) {
    if (call.routine != Routine::gemv || !call.element_local()) continue;
    Call as_gemm = call;
    as_gemm.routine = Routine::gemm;
    const auto both = [&](auto zero) {
      using T = decltype(zero);
      const Operands<T> o = operands<T>(call);
      std::vector<T> one = o.c, two = o.c;
      accublas_options options = ACCUBLAS_OPTIONS_INIT;
      options.mode_name = call.mode.c_str();
      ASSERT_EQ(invoke(context, call, o, one.data(), call.m, &options), ACCUBLAS_SUCCESS)
          << accublas_last_error(context);
      ASSERT_EQ(invoke(context, as_gemm, o, two.data(), call.m, &options), ACCUBLAS_SUCCESS)
          << accublas_last_error(context);
      EXPECT_EQ(std::memcmp(one.data(), two.data(), one.size() * sizeof(T)), 0) << call.name();
    };
    if (call.single) {
      both(0.0f);
    } else {
      both(0.0);
    }
  }
}

}  // namespace
}  // namespace repro
