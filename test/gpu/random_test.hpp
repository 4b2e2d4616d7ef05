// Random calls on the GPU against the CPU: their choices, sizes, scalars and workspaces.
#pragma once

#include <cstdlib>

#include "lib/numerics/crt.hpp"
#include "lib/numerics/moduli.hpp"
#include "test/gpu/gemm_problem.hpp"
#include "test/gpu/guarded.hpp"

namespace accublas::test {
namespace {

std::uint64_t first_seed() {
  const char* const word = std::getenv("ACCUBLAS_TEST_SEED");
  return word ? std::strtoull(word, nullptr, 10) : 1;
}

template <class T>
T pick(Random& rng, std::initializer_list<T> from) {
  return from.begin()[below(rng, static_cast<Index>(from.size()))];
}

/// T of fixed:T from 2 to 150: half of them small.
int random_bits(Random& rng) { return static_cast<int>(below(rng, 2) ? 2 + below(rng, 12) : 2 + below(rng, 149)); }

/// `named`: structured and decaying matrices too, which the CPU takes longer for.
Kind random_kind(Random& rng, int bits, bool named) {
  switch (const Index which = below(rng, named ? 24 : 18)) {
    case 15:
      return {Data::largest_residue, static_cast<double>(bits ? bits : 53)};
    case 16:
    case 17:
      return {Data::phi, pick(rng, {0.0, 0.5, 2.0, 4.0, 10.0})};
    case 18:
    case 19:
    case 20:
    case 21:
    case 22:
    case 23: {
      const std::vector<const char*> names = matrix_names();
      return {Data::named, 0, names[static_cast<std::size_t>(below(rng, static_cast<Index>(names.size())))]};
    }
    default:
      return {static_cast<Data>(which), which == 0 ? 1.0 : static_cast<double>(bits ? bits : 30)};
  }
}

template <class T>
T random_scalar(Random& rng) {
  using Limits = std::numeric_limits<T>;
  return below(rng, 3) ? pick<T>(rng, {T(1), T(0), T(-1), T(0.5), T(-1.3)})
                       : pick<T>(rng, {any_finite<T>(rng), Limits::denorm_min(), Limits::max(), Limits::infinity(),
                                       Limits::quiet_NaN(), static_cast<T>(spread(rng, 1))});
}

struct Choice {
  std::string mode, engine = "auto";
  int bits = 0;  ///< T of fixed
};

Choice random_choice(Random& rng, bool single, bool gemm) {
  Choice choice;
  const auto integer_engine = [&] {
    if (gemm && below(rng, 2)) choice.engine = pick<const char*>(rng, {"int8", "int8", "fp16", "fp64"});
  };
  switch (below(rng, 8)) {
    case 0:
    case 1:
      choice.mode = "cr";
      integer_engine();
      break;
    case 2:
      choice.mode = single ? "sp:repro" : "dp:repro";
      integer_engine();
      break;
    case 3:
      choice.mode = "dot2";
      break;
    case 4:
      choice.mode = "slices:" + std::to_string(1 + below(rng, 6)) + (below(rng, 2) ? ":fast" : "");
      break;
    default:
      choice.bits = random_bits(rng);
      choice.mode = "fixed:" + std::to_string(choice.bits);
      integer_engine();
  }
  return choice;
}

/// Products of some 1e7 terms at most: small, skewed either way, or of two or three block sizes.
struct Shape {
  Index m, n, k;
};

Shape random_shape(Random& rng) {
  switch (below(rng, 6)) {
    case 0:
      return {1 + below(rng, 12), 1 + below(rng, 12), 1 + below(rng, 40)};
    case 1:
      return {1 + below(rng, 600), 1 + below(rng, 600), 1 + below(rng, 60)};
    case 2:
      return {1 + below(rng, 24), 1 + below(rng, 24), 1 + below(rng, 20000)};
    case 3:
      return {1 + below(rng, 3000), 1 + below(rng, 8), 1 + below(rng, 300)};
    case 4:
      return {1 + below(rng, 8), 1 + below(rng, 3000), 1 + below(rng, 300)};
    default:
      return {1 + below(rng, 300), 1 + below(rng, 300), 1 + below(rng, 300)};
  }
}

/// Large C and little k: several blocks of every engine under a small cap.
Shape blocked_shape(Random& rng) {
  return {1300 + below(rng, 900), 1300 + below(rng, 900), 1 + below(rng, below(rng, 2) ? 12 : 450)};
}

/// The user's workspace between guards, or the pool under a cap; undone at the end.
class RandomWorkspace {
 public:
  RandomWorkspace(const Context& context, Random& rng, bool small) : context_(context) {
    if (below(rng, 3) == 0) {
      const std::size_t offset = static_cast<std::size_t>(below(rng, 1000));
      bytes_ = (std::size_t{16} << 20) + static_cast<std::size_t>(below(rng, std::int64_t{48} << 20));
      buffer_ = std::make_unique<DeviceArray<unsigned char>>(bytes_ + 2 * guard);
      start_ = guard + offset;
      bytes_ -= offset;
      text_ = ", user's workspace of " + std::to_string(bytes_) + " bytes from " + std::to_string(offset);
      EXPECT_EQ(accublas_set_workspace(context_, buffer_->data() + start_, bytes_), ACCUBLAS_SUCCESS);
    } else if (small || below(rng, 3) == 0) {
      const int mib = pick(rng, {1, 8, 16, 40, 128});
      text_ = ", cap " + std::to_string(mib) + " MiB";
      EXPECT_EQ(accublas_set_workspace_mib(context_, mib), ACCUBLAS_SUCCESS);
    }
  }
  ~RandomWorkspace() {
    EXPECT_EQ(accublas_set_workspace(context_, nullptr, 0), ACCUBLAS_SUCCESS);
    EXPECT_EQ(accublas_set_workspace_mib(context_, 0), ACCUBLAS_SUCCESS);
  }
  /// Whether a call may find it too small.
  bool own() const { return buffer_ != nullptr; }
  bool guards_hold() const {
    if (!buffer_) return true;
    const std::vector<unsigned char> all = buffer_->values();
    for (std::size_t i = 0; i < all.size(); ++i)
      if ((i < start_ || i >= start_ + bytes_) && all[i] != 0xFF) return false;
    return true;
  }
  const std::string& text() const { return text_; }

 private:
  static constexpr std::size_t guard = 4096;
  const Context& context_;
  std::unique_ptr<DeviceArray<unsigned char>> buffer_;
  std::size_t start_ = 0, bytes_ = 0;
  std::string text_;
};

Edge random_edge(Random& rng) { return below(rng, 2) ? Edge::start : Edge::end; }

template <class T>
class RandomCalls : public testing::Test {
 protected:
  Context cpu{ACCUBLAS_BACKEND_CPU}, gpu{ACCUBLAS_BACKEND_CUDA};
  Random rng;
  std::string what;  ///< of the case, for messages

  /// body() for `count` cases, each with a seed of its own.
  template <class Body>
  void cases(int count, Body&& body) {
    const int all = scaled(count);
    for (int number = 0; number < all && !testing::Test::HasFailure(); ++number) {
      const std::uint64_t seed = first_seed() * 1000003 + static_cast<std::uint64_t>(number);
      rng.seed(seed);
      what = "seed " + std::to_string(seed) + ": ";
      body();
    }
    ASSERT_EQ(accublas_sync(gpu), ACCUBLAS_SUCCESS) << gpu.error();
  }
  void choose(const Choice& choice) {
    cpu.set(choice.mode);
    gpu.set(choice.mode, choice.engine);
    what += choice.mode + " by " + choice.engine;
  }
  bool random_pointer_mode() {
    const bool device = below(rng, 3) == 0;
    EXPECT_EQ(accublas_set_pointer_mode(gpu, device ? ACCUBLAS_POINTER_DEVICE : ACCUBLAS_POINTER_HOST),
              ACCUBLAS_SUCCESS);
    if (device) what += ", scalars on the device";
    return device;
  }

  /// The GPU's answer to the problem, in C's buffer between unmapped pages.
  void compare(const Problem<T>& p, const RandomWorkspace& workspace) {
    const GuardedArray<T> a(p.a, random_edge(rng)), b(p.b, random_edge(rng)), c(p.c, random_edge(rng));
    const DeviceArray<T> scalars(std::vector<T>{p.alpha, p.beta});
    const bool on_device = random_pointer_mode();
    const accublas_status status = call<T>(gpu, p, a.data(), b.data(), c.data(), on_device ? scalars.data() : &p.alpha,
                                           on_device ? scalars.data() + 1 : &p.beta);
    if (status == ACCUBLAS_ERROR_MEMORY && workspace.own()) {
      ASSERT_EQ(accublas_sync(gpu), ACCUBLAS_SUCCESS);
      ASSERT_EQ(mismatch(p, p.c, c.values()), "") << what << ": no memory, and C has changed";
      return;
    }
    ASSERT_EQ(status, ACCUBLAS_SUCCESS) << what << " " << p.describe() << ": " << gpu.error();
    ASSERT_EQ(accublas_sync(gpu), ACCUBLAS_SUCCESS) << what << " " << p.describe() << ": " << gpu.error();
    std::vector<T> want;
    ASSERT_EQ(on_host(cpu, p, want), ACCUBLAS_SUCCESS) << what << " " << p.describe() << ": " << cpu.error();
    ASSERT_EQ(mismatch(p, want, c.values()), "") << what;
    ASSERT_TRUE(workspace.guards_hold()) << what << " " << p.describe() << ": written beside the workspace";
  }

  void gemm(const Shape& shape, const Choice& choice, bool small_workspace) {
    choose(choice);
    // Small products with few terms are often longer in dp:repro, where they would have cr's values.
    const Index k = inner_dimension(choice.mode, shape.m * shape.n < 10000 ? below(rng, 4) : 0, shape.k);
    Problem<T> p =
        random_problem<T>(rng, random_kind(rng, choice.bits, shape.m * shape.n * k < 100000000), shape.m, shape.n, k);
    p.alpha = random_scalar<T>(rng);
    p.beta = random_scalar<T>(rng);
    const RandomWorkspace workspace(gpu, rng, small_workspace);
    what += workspace.text();
    compare(p, workspace);
  }
};

using Types = testing::Types<double, float>;

}  // namespace
}  // namespace accublas::test
