// Multiple-precision arrays with equal numbers in host memory and on the device, for the tests of the device.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "accublas.h"
#include "lib/base/integers.hpp"

namespace accublas::test {

using Random = std::mt19937_64;

#define REQUIRE(call) ASSERT_EQ(call, ACCUBLAS_SUCCESS) << accublas_last_error(nullptr)

/// An array with equal numbers in host memory and on the device.
class Pair {
 public:
  /// Full p-bit numbers, or ones with long runs of zeros and ones; exponents within +-spread; about one in `special_in`
  /// is a zero, an infinity or a NaN (0: only zeros, one in 30). `grade` adds to the exponent of element t.
  Pair(
      int precision, std::int64_t length, int spread, int special_in, Random& random,
      const std::function<std::int64_t(std::int64_t)>& grade = [](std::int64_t) { return std::int64_t{0}; })
      : precision_(precision), size_(accublas::ceil_div(precision, 64)), length_(length), host(make()), device(make()) {
    std::vector<std::uint64_t> limbs(static_cast<std::size_t>(length * size_));
    std::vector<std::int64_t> exponents(static_cast<std::size_t>(length));
    std::vector<std::int32_t> signs(static_cast<std::size_t>(length));
    for (std::int64_t t = 0; t < length; ++t) {
      std::uint64_t* const x = &limbs[static_cast<std::size_t>(t * size_)];
      const auto kind = random() % 4;
      for (int i = 0; i < size_; ++i) x[i] = kind == 0 && i > 0 ? 0 : kind == 1 ? ~std::uint64_t{0} : random();
      const int top = precision - 64 * (size_ - 1);
      if (top < 64) x[size_ - 1] &= (std::uint64_t{1} << top) - 1;
      x[size_ - 1] |= std::uint64_t{1} << (top - 1);
      exponents[static_cast<std::size_t>(t)] =
          spread == 0
              ? -precision
              : static_cast<std::int64_t>(random() % static_cast<unsigned>(2 * spread + 1)) - spread - precision;
      exponents[static_cast<std::size_t>(t)] += grade(t);
      signs[static_cast<std::size_t>(t)] = static_cast<std::int32_t>(random() % 2);
      if (special_in > 0 && random() % static_cast<unsigned>(special_in) == 0) {
        const std::int64_t codes[] = {ACCUBLAS_MP_EXPONENT_ZERO, ACCUBLAS_MP_EXPONENT_INFINITY,
                                      ACCUBLAS_MP_EXPONENT_NAN};
        exponents[static_cast<std::size_t>(t)] = codes[random() % 3];
      } else if (random() % 30 == 0) {
        exponents[static_cast<std::size_t>(t)] = ACCUBLAS_MP_EXPONENT_ZERO;
      }
    }
    // Through both ways: limbs converted on the device, and converted by the CPU and moved.
    for (const auto& [array, first] : {std::pair{host.get(), false}, std::pair{device.get(), random() % 2 == 0}}) {
      if (first) move(array, ACCUBLAS_MP_DEVICE);
      EXPECT_EQ(accublas_mp_set_limbs(nullptr, array, 0, length, length, 1, limbs.data(), size_, exponents.data(),
                                      signs.data()),
                ACCUBLAS_SUCCESS)
          << accublas_last_error(nullptr);
    }
    move(device.get(), ACCUBLAS_MP_DEVICE);
  }

  /// Whether both are equal in every bit; the first mismatch is told.
  void expect_equal(const std::string& what) {
    move(device.get(), ACCUBLAS_MP_HOST);
    const Values a = values(host.get()), b = values(device.get());
    move(device.get(), ACCUBLAS_MP_DEVICE);
    for (std::int64_t t = 0; t < length_; ++t) {
      const std::size_t i = static_cast<std::size_t>(t);
      const bool same = a.exponents[i] == b.exponents[i] && a.signs[i] == b.signs[i] &&
                        a.evaluations[2 * i] == b.evaluations[2 * i] &&
                        a.evaluations[2 * i + 1] == b.evaluations[2 * i + 1] &&
                        std::equal(&a.limbs[i * size_], &a.limbs[i * size_] + size_, &b.limbs[i * size_]);
      ASSERT_TRUE(same) << what << ": element " << t << " of " << length_ << ", exponents " << a.exponents[i] << " and "
                        << b.exponents[i];
    }
  }

  accublas_mp_array* get(bool on_device) const { return on_device ? device.get() : host.get(); }

 private:
  struct Values {
    std::vector<std::uint64_t> limbs;
    std::vector<std::int64_t> exponents;
    std::vector<std::int32_t> signs;
    std::vector<double> evaluations;
  };
  struct Destroy {
    void operator()(accublas_mp_array* array) const { EXPECT_EQ(accublas_mp_destroy(array), ACCUBLAS_SUCCESS); }
  };
  using Owned = std::unique_ptr<accublas_mp_array, Destroy>;

  Owned make() const {
    accublas_mp_array* array = nullptr;
    EXPECT_EQ(accublas_mp_create(nullptr, precision_, length_, &array), ACCUBLAS_SUCCESS)
        << accublas_last_error(nullptr);
    return Owned(array);
  }
  static void move(accublas_mp_array* array, accublas_mp_place place) {
    EXPECT_EQ(accublas_mp_move(nullptr, array, place), ACCUBLAS_SUCCESS) << accublas_last_error(nullptr);
  }
  Values values(accublas_mp_array* array) const {
    const std::size_t n = static_cast<std::size_t>(length_);
    Values v{std::vector<std::uint64_t>(n * size_), std::vector<std::int64_t>(n), std::vector<std::int32_t>(n),
             std::vector<double>(2 * n)};
    EXPECT_EQ(accublas_mp_get_limbs(nullptr, array, 0, length_, length_, 1, v.limbs.data(), size_, v.exponents.data(),
                                    v.signs.data()),
              ACCUBLAS_SUCCESS);
    for (std::size_t i = 0; i < n; ++i)
      EXPECT_EQ(accublas_mp_evaluation(nullptr, array, static_cast<std::int64_t>(i), &v.evaluations[2 * i],
                                       &v.evaluations[2 * i + 1]),
                ACCUBLAS_SUCCESS);
    return v;
  }

  int precision_;
  int size_;
  std::int64_t length_;
  Owned host, device;
};

}  // namespace accublas::test
