// Every routine, of every type, in every mode that defines bits, over sizes of the user's workspace: from the least one
// on each returns the bits of the default workspace, below it each fails with its operands as they were, and says how
// much is needed. ACCUBLAS_TEST_SCALE multiplies the cases, ACCUBLAS_TEST_SEED gives another sequence.
#include <cstdlib>

#include "../any_call.hpp"
#include "api.hpp"

namespace {

using namespace any_call;
using api::Context;

int scaled(int count) {
  const char* const scale = std::getenv("ACCUBLAS_TEST_SCALE");
  return static_cast<int>(count * (scale ? std::atof(scale) : 1));
}
std::uint64_t seed_of(int number) {
  const char* const word = std::getenv("ACCUBLAS_TEST_SEED");
  return (word ? std::strtoull(word, nullptr, 10) : 1) * 1000003 + static_cast<std::uint64_t>(number);
}

std::vector<void*> addresses(std::vector<Bytes>& operands) {
  std::vector<void*> all;
  for (Bytes& operand : operands) all.push_back(operand.data());
  return all;
}

/// Memory with room for a workspace that begins anywhere, between bytes that nothing may write.
class Room {
 public:
  explicit Room(std::size_t bytes) : memory_(bytes + 4 * guard, 0xA5) {}
  unsigned char* at(std::size_t offset) {
    const std::size_t skip = (64 - reinterpret_cast<std::uintptr_t>(memory_.data()) % 64) % 64;
    return memory_.data() + guard + skip + offset;
  }
  bool guards_hold(std::size_t offset, std::size_t bytes) {
    const unsigned char *const begin = at(offset), *const end = begin + bytes;
    return std::all_of(begin - guard, begin, [](unsigned char x) { return x == 0xA5; }) &&
           std::all_of(end, end + guard, [](unsigned char x) { return x == 0xA5; });
  }
  void clean(std::size_t offset, std::size_t bytes) { std::fill_n(at(offset), bytes, 0xA5); }

 private:
  static constexpr std::size_t guard = 128;
  Bytes memory_;
};

class Sweep {
 public:
  Sweep(Context& context, const Call& call, std::string what, Random& rng)
      : context_(context), call_(call), what_(std::move(what)), rng_(rng) {}

  /// False where the mode or the engine does not serve the routine.
  bool begin() {
    want_ = call_.operands;
    const accublas_status status = call_.run(context_, addresses(want_));
    if (lacks(status)) return false;
    EXPECT_EQ(status, ACCUBLAS_SUCCESS) << what_ << ": " << context_.error();
    return status == ACCUBLAS_SUCCESS;
  }

  void run() {
    const std::size_t offset = static_cast<std::size_t>(below(rng_, 64));
    std::size_t fails = 0, fits = 0;
    if (!try_size(0, offset)) {
      const std::size_t needed = needed_;
      for (const std::size_t where : {std::size_t{0}, std::size_t{1}, std::size_t{63}, offset}) {
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
    static Room room(std::size_t{1} << 26);
    if (bytes > (std::size_t{1} << 26) - 64) {
      ADD_FAILURE() << what_ << ": " << bytes << " bytes for a small problem";
      return false;
    }
    std::vector<Bytes> operands = call_.operands;
    EXPECT_EQ(accublas_set_workspace(context_, room.at(offset), bytes), ACCUBLAS_SUCCESS);
    const accublas_status status = call_.run(context_, addresses(operands));
    const std::string error = context_.error();
    EXPECT_EQ(accublas_set_workspace(context_, nullptr, 0), ACCUBLAS_SUCCESS);
    EXPECT_TRUE(room.guards_hold(offset, bytes)) << what_ << ": written beside a workspace of " << bytes;
    room.clean(offset, bytes);
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

  Context& context_;
  const Call& call_;
  const std::string what_;
  Random& rng_;
  std::vector<Bytes> want_;
  std::size_t needed_ = 0;
};

Shape random_shape(Random& rng, const Routine&) {
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

/// Calls body(context, call, what, rng) for random calls of the routines that are `chosen`.
template <class Chosen, class Draw, class Body>
void for_calls(int count, Chosen&& chosen, Draw&& draw, Body&& body) {
  Context context;
  std::vector<Routine> list;
  std::copy_if(routines().begin(), routines().end(), std::back_inserter(list), chosen);
  for (int number = 0; number < scaled(count) && !testing::Test::HasFailure(); ++number) {
    Random rng(seed_of(number));
    const Routine& routine = list[static_cast<std::size_t>(number) % list.size()];
    const char type = "sdcz"[below(rng, 4)];
    const ModeAndEngine mode = random_mode(rng, routine.modes, type);
    if (accublas_set_mode_name(context, mode.mode.c_str()) != ACCUBLAS_SUCCESS) continue;
    context.set(mode.mode, mode.engine);
    const int threads = 1 + static_cast<int>(below(rng, 3));
    EXPECT_EQ(accublas_set_num_threads(context, threads), ACCUBLAS_SUCCESS);
    const Call call = random_call(rng, routine.name, type, draw(rng, routine), below(rng, 4) != 0);
    body(context, call,
         "seed " + std::to_string(seed_of(number)) + ": " + call.name + " in " + mode.mode + " by " + mode.engine +
             ", threads " + std::to_string(threads),
         rng);
  }
}

TEST(Workspace, EverySizeFromTheLeastOn) {
  for_calls(
      32, [](const Routine&) { return true; }, random_shape,
      [](Context& context, const Call& call, const std::string& what, Random& rng) {
        Sweep sweep(context, call, what, rng);
        if (sweep.begin()) sweep.run();
      });
}

/// One, two or three, and a long one of the dimensions that the routine lets be long.
Shape extreme_shape(Random& rng, const Routine& routine, Index least) {
  Shape s{1 + below(rng, 3), 1 + below(rng, 3), 1 + below(rng, 3)};
  const std::string extents = routine.extents;
  const char one = extents[static_cast<std::size_t>(below(rng, static_cast<Index>(extents.size())))];
  (one == 'm' ? s.m : one == 'n' ? s.n : s.k) = least + below(rng, least);
  return s;
}

/// QR holds a panel of the rows of A, up to 32 columns of it.
bool needs_panel(const Call& call) {
  return call.name.find("qr") != std::string::npos || call.name.find("gels") != std::string::npos;
}

// Under a cap of 1 MiB, and in a user's workspace of as much, every routine computes what it computes with room.
TEST(Workspace, ExtremeShapesInLittle) {
  static Room room(std::size_t{1} << 21);
  for_calls(
      46, [](const Routine& r) { return *r.extents != 0; },
      [](Random& rng, const Routine& r) { return extreme_shape(rng, r, 17000); },
      [](Context& context, const Call& call, const std::string& what, Random& rng) {
        // Named engines have needs of their own.
        EXPECT_EQ(accublas_set_engine_name(context, "auto"), ACCUBLAS_SUCCESS);
        std::vector<Bytes> want = call.operands;
        const accublas_status status = call.run(context, addresses(want));
        if (lacks(status)) return;
        ASSERT_EQ(status, ACCUBLAS_SUCCESS) << what << ": " << context.error();
        for (const bool own : {false, true}) {
          if (own && needs_panel(call)) continue;
          std::vector<Bytes> operands = call.operands;
          if (own)
            ASSERT_EQ(accublas_set_workspace(context, room.at(static_cast<std::size_t>(below(rng, 64))),
                                             std::size_t{1} << 20),
                      ACCUBLAS_SUCCESS);
          else
            ASSERT_EQ(accublas_set_workspace_mib(context, 1), ACCUBLAS_SUCCESS);
          EXPECT_EQ(call.run(context, addresses(operands)), ACCUBLAS_SUCCESS)
              << what << ", own " << own << ": " << context.error();
          EXPECT_TRUE(operands == want) << what << ", own " << own << ": other bits";
          EXPECT_EQ(accublas_set_workspace(context, nullptr, 0), ACCUBLAS_SUCCESS);
          EXPECT_EQ(accublas_set_workspace_mib(context, 0), ACCUBLAS_SUCCESS);
        }
      });
}

TEST(Workspace, EverySizeForExtremeShapes) {
  for_calls(
      23, [](const Routine& r) { return *r.extents != 0; },
      [](Random& rng, const Routine& r) { return extreme_shape(rng, r, 2000); },
      [](Context& context, const Call& call, const std::string& what, Random& rng) {
        Sweep sweep(context, call, what, rng);
        if (sweep.begin()) sweep.run();
      });
}

}  // namespace
