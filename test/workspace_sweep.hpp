// Sweeps of the sizes of the user's workspace for random calls (test/any_call.hpp), with operands and workspace in host
// memory or in a device's. From the least size on a call returns the bits of the reference. Below it the call fails
// with its operands as they were, and says how much is needed.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "any_call.hpp"
#include "context.hpp"

namespace workspace_sweep {

using namespace any_call;
using accublas::test::Context;

inline int scaled_count(int count) {
  const char* const scale = std::getenv("ACCUBLAS_TEST_SCALE");
  return static_cast<int>(count * (scale ? std::atof(scale) : 1));
}
inline std::uint64_t seed_of(int number) {
  const char* const word = std::getenv("ACCUBLAS_TEST_SEED");
  return (word ? std::strtoull(word, nullptr, 10) : 1) * 1000003 + static_cast<std::uint64_t>(number);
}

inline std::vector<void*> addresses(std::vector<Bytes>& operands) {
  std::vector<void*> all;
  for (Bytes& operand : operands) all.push_back(operand.data());
  return all;
}

/// The contents of the memory around a workspace, so that a write there is seen.
inline constexpr unsigned char untouched = 0xA5;

/// Operands in host memory, and room there for a workspace that begins anywhere, between bytes that nothing may write.
class HostPlace {
 public:
  static constexpr std::size_t room = std::size_t{1} << 26, alignment = 64;

  accublas_status run(const Context& context, const Call& call, std::vector<Bytes>& operands) {
    return call.run(context, addresses(operands));
  }
  unsigned char* workspace(std::size_t offset) {
    const std::size_t skip = (alignment - reinterpret_cast<std::uintptr_t>(memory_.data()) % alignment) % alignment;
    return memory_.data() + guard + skip + offset;
  }
  /// Whether nothing was written beside a workspace. Its own bytes are untouched again afterwards.
  bool guards_hold(std::size_t offset, std::size_t bytes) {
    unsigned char *const begin = workspace(offset), *const end = begin + bytes;
    const auto holds = [](unsigned char x) { return x == untouched; };
    const bool hold = std::all_of(begin - guard, begin, holds) && std::all_of(end, end + guard, holds);
    std::fill_n(begin, bytes, untouched);
    return hold;
  }

 private:
  static constexpr std::size_t guard = 128;
  Bytes memory_ = Bytes(room + 4 * guard, untouched);
};

template <class Place>
class Sweep {
 public:
  /// The bits are those of `reference` on host operands.
  Sweep(Place& place, const Context& context, const Context& reference, const Call& call, std::string what, Random& rng)
      : place_(place), context_(context), reference_(reference), call_(call), what_(std::move(what)), rng_(rng) {}

  /// False where the mode or the engine does not serve the routine, or where the routine passes `mode` over for one
  /// that another place serves with other bits.
  bool begin(const std::string& mode) {
    want_ = call_.operands;
    const accublas_status status = call_.run(reference_, addresses(want_));
    if (lacks(status)) return false;
    EXPECT_EQ(status, ACCUBLAS_SUCCESS) << what_ << ": " << reference_.error();
    if (&context_ != &reference_ && reference_.report().mode != mode) return false;
    std::vector<Bytes> operands = call_.operands;
    const accublas_status served = place_.run(context_, call_, operands);
    if (lacks(served)) return false;
    EXPECT_EQ(served, ACCUBLAS_SUCCESS) << what_ << ": " << context_.error();
    EXPECT_TRUE(operands == want_) << what_ << ": other bits than the reference's";
    return !testing::Test::HasFailure();
  }

  void run() {
    const std::size_t offset = static_cast<std::size_t>(below(rng_, Place::alignment));
    std::size_t fails = 0, fits = 0;
    if (!try_size(0, offset)) {
      const std::size_t needed = needed_;
      for (const std::size_t where : {std::size_t{0}, std::size_t{1}, Place::alignment - 1, offset}) {
        EXPECT_TRUE(try_size(needed, where)) << what_ << ": " << needed << " bytes from " << where
                                             << ", which are said to suffice: " << context_.error();
      }
      for (fits = needed; fits - fails > 1 && !testing::Test::HasFailure();) {
        const std::size_t middle = fails + (fits - fails) / 2;
        (try_size(middle, offset) ? fits : fails) = middle;
      }
      for (int i = 0; i < 4 && !testing::Test::HasFailure(); ++i) {
        const std::size_t size = static_cast<std::size_t>(below(rng_, static_cast<Index>(fits)));
        EXPECT_FALSE(try_size(size, offset)) << what_ << ": " << size << " bytes suffice, " << fails << " do not";
      }
    }
    // From the least size on: near it, and up to many times as much.
    for (int i = 0; i < 16 && !testing::Test::HasFailure(); ++i) {
      const double spread = static_cast<double>(rng_() >> 11) * 0x1p-53 * (i % 2 ? 1 : 0.1);
      const double most = static_cast<double>(std::max<std::size_t>(4 * fits, std::size_t{1} << 21));
      const double size = i < 4
                              ? static_cast<double>(fits) + i * 64
                              : static_cast<double>(fits + 1) * std::pow(most / static_cast<double>(fits + 1), spread);
      EXPECT_TRUE(try_size(static_cast<std::size_t>(size), offset))
          << what_ << ": " << size << " bytes do not suffice, " << fits << " do: " << context_.error();
    }
  }

 private:
  /// Whether the call succeeds in a workspace of so many bytes.
  bool try_size(std::size_t bytes, std::size_t offset) {
    if (bytes > Place::room - Place::alignment) {
      ADD_FAILURE() << what_ << ": " << bytes << " bytes for a small problem";
      return false;
    }
    std::vector<Bytes> operands = call_.operands;
    EXPECT_EQ(accublas_set_workspace(context_, place_.workspace(offset), bytes), ACCUBLAS_SUCCESS);
    const accublas_status status = place_.run(context_, call_, operands);
    const std::string error = context_.error();
    EXPECT_EQ(accublas_set_workspace(context_, nullptr, 0), ACCUBLAS_SUCCESS);
    EXPECT_TRUE(place_.guards_hold(offset, bytes)) << what_ << ": written beside a workspace of " << bytes;
    if (status == ACCUBLAS_SUCCESS) {
      EXPECT_TRUE(operands == want_) << what_ << ": other bits with " << bytes << " bytes";
      return true;
    }
    EXPECT_EQ(status, ACCUBLAS_ERROR_MEMORY) << what_ << " with " << bytes << " bytes: " << error;
    EXPECT_TRUE(operands == call_.operands)
        << what_ << ": failed with " << bytes << " bytes, and operands have changed";
    const std::string given = "user's workspace of " + std::to_string(bytes) + " bytes is too small: ";
    const std::size_t at = error.find(given);
    EXPECT_NE(at, std::string::npos) << what_ << ": " << error;
    needed_ = at == std::string::npos ? 0 : std::strtoull(error.c_str() + at + given.size(), nullptr, 10);
    EXPECT_GT(needed_, bytes) << what_ << ": " << error;
    return false;
  }

  Place& place_;
  const Context &context_, &reference_;
  const Call& call_;
  const std::string what_;
  Random& rng_;
  std::vector<Bytes> want_;
  std::size_t needed_ = 0;
};

inline Shape random_shape(Random& rng, const Routine&) {
  switch (below(rng, 5)) {
    case 0:
      return {1 + below(rng, 10), 1 + below(rng, 10), 1 + below(rng, 10)};
    case 1:
      return {1 + below(rng, 120), 1 + below(rng, 120), 1 + below(rng, 4)};
    case 2:
      return {1 + below(rng, 4), 1 + below(rng, 4), 1 + below(rng, 3000)};
    case 3:
      return {1 + below(rng, 4), 1 + below(rng, 150), 1 + below(rng, 60)};
    default:
      return {1 + below(rng, 60), 1 + below(rng, 60), 1 + below(rng, 60)};
  }
}

/// Calls body(call, mode, what, rng) for random calls of the routines that are `chosen`, after set(mode, engine,
/// threads).
template <class Chosen, class Draw, class Set, class Body>
void for_calls(int count, Chosen&& chosen, Draw&& draw, Set&& set, Body&& body) {
  std::vector<Routine> list;
  std::copy_if(routines().begin(), routines().end(), std::back_inserter(list), chosen);
  for (int number = 0; number < scaled_count(count) && !testing::Test::HasFailure(); ++number) {
    Random rng(seed_of(number));
    const Routine& routine = list[static_cast<std::size_t>(number) % list.size()];
    const char type = "sdcz"[below(rng, 4)];
    const ModeAndEngine mode = random_mode(rng, routine.modes, type);
    const int threads = 1 + static_cast<int>(below(rng, 3));
    set(mode.mode, mode.engine, threads);
    const Call call = random_call(rng, routine.name, type, draw(rng, routine), below(rng, 4) != 0);
    body(call, mode.mode,
         "seed " + std::to_string(seed_of(number)) + ": " + call.name + " in " + mode.mode + " by " + mode.engine +
             ", threads " + std::to_string(threads),
         rng);
  }
}

}  // namespace workspace_sweep
