// Every routine, of every type, in every mode that defines bits, over sizes of the user's workspace: from the least one
// on each returns the bits of the default workspace, below it each fails with its operands as they were, and says how
// much is needed. ACCUBLAS_TEST_SCALE multiplies the cases, ACCUBLAS_TEST_SEED gives another sequence.
#include <chrono>

#include "../workspace_sweep.hpp"

namespace {

using namespace workspace_sweep;

HostPlace& place() {
  static HostPlace all;
  return all;
}

void set(const Context& context, const std::string& mode, const std::string& engine, int threads) {
  EXPECT_EQ(accublas_set_mode_name(context, mode.c_str()), ACCUBLAS_SUCCESS) << context.error();
  EXPECT_EQ(accublas_set_engine_name(context, engine.c_str()), ACCUBLAS_SUCCESS) << context.error();
  EXPECT_EQ(accublas_set_num_threads(context, threads), ACCUBLAS_SUCCESS) << context.error();
}

TEST(Workspace, EverySizeFromTheLeastOn) {
  Context context;
  for_calls(
      32, [](const Routine&) { return true; }, random_shape, [&](auto... chosen) { set(context, chosen...); },
      [&](const Call& call, const std::string& mode, const std::string& what, Random& rng) {
        Sweep sweep(place(), context, context, call, what, rng);
        if (sweep.begin(mode)) sweep.run();
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
  Context context;
  for_calls(
      46, [](const Routine& r) { return *r.extents != 0; },
      [](Random& rng, const Routine& r) { return extreme_shape(rng, r, 17000); },
      [&](auto... chosen) { set(context, chosen...); },
      [&](const Call& call, const std::string&, const std::string& what, Random& rng) {
        // Named engines have needs of their own.
        EXPECT_EQ(accublas_set_engine_name(context, "auto"), ACCUBLAS_SUCCESS);
        std::vector<Bytes> want = call.operands;
        const accublas_status status = call.run(context, addresses(want));
        if (lacks(status)) return;
        ASSERT_EQ(status, ACCUBLAS_SUCCESS) << what << ": " << context.error();
        for (const bool own : {false, true}) {
          if (own && needs_panel(call)) continue;
          std::vector<Bytes> operands = call.operands;
          const std::size_t bytes = std::size_t{1} << 20, offset = static_cast<std::size_t>(below(rng, 64));
          if (own)
            ASSERT_EQ(accublas_set_workspace(context, place().workspace(offset), bytes), ACCUBLAS_SUCCESS);
          else
            ASSERT_EQ(accublas_set_workspace_mib(context, 1), ACCUBLAS_SUCCESS);
          EXPECT_EQ(call.run(context, addresses(operands)), ACCUBLAS_SUCCESS)
              << what << ", own " << own << ": " << context.error();
          EXPECT_TRUE(operands == want) << what << ", own " << own << ": other bits";
          EXPECT_TRUE(place().guards_hold(offset, bytes)) << what << ", own " << own << ": written beside it";
          EXPECT_EQ(accublas_set_workspace(context, nullptr, 0), ACCUBLAS_SUCCESS);
          EXPECT_EQ(accublas_set_workspace_mib(context, 0), ACCUBLAS_SUCCESS);
        }
      });
}

TEST(Workspace, EverySizeForExtremeShapes) {
  Context context;
  for_calls(
      23, [](const Routine& r) { return *r.extents != 0; },
      [](Random& rng, const Routine& r) { return extreme_shape(rng, r, 2000); },
      [&](auto... chosen) { set(context, chosen...); },
      [&](const Call& call, const std::string& mode, const std::string& what, Random& rng) {
        Sweep sweep(place(), context, context, call, what, rng);
        if (sweep.begin(mode)) sweep.run();
      });
}

/// A workspace that holds no block of a large product is refused after a few rehearsals, not one for each block.
TEST(Workspace, TooLittleIsSaidAtOnce) {
  constexpr std::int64_t n = 1500;
  const double one = 1;
  std::vector<double> a(n * n, 0.5), b(n * n, 0.25);
  for (const char* mode : {"dp:repro", "cr", "fixed:60"}) {
    Context context(mode);
    std::vector<unsigned char> memory(4096);
    ASSERT_EQ(accublas_set_workspace(context, memory.data(), memory.size()), ACCUBLAS_SUCCESS);
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(accublas_dtrmm(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_LEFT, ACCUBLAS_UPPER, ACCUBLAS_NO_TRANS,
                             ACCUBLAS_NON_UNIT, n, n, &one, a.data(), n, b.data(), n),
              ACCUBLAS_ERROR_MEMORY)
        << mode;
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20)) << mode;
  }
}

}  // namespace
