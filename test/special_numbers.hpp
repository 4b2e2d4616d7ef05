// Random matrices of small integers with a few infinities, NaN and numbers near the largest one, whose products and
// factors have exceptions.
#pragma once

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace accublas::test {

/// Makes random numbers of type E, whose parts have type T.
template <class E, class T>
class SpecialNumbers {
 public:
  explicit SpecialNumbers(std::uint64_t seed) : random_(seed) {}

  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n)); }
  std::int64_t size(std::int64_t most) { return 1 + below(most); }
  std::vector<E> matrix(std::int64_t rows, std::int64_t cols) {
    std::vector<E> x(static_cast<std::size_t>(rows * cols));
    for (E& entry : x) entry = number([&] { return static_cast<T>(below(9) - 4); });
    for (std::int64_t i = below(3); i > 0; --i) x[static_cast<std::size_t>(below(rows * cols))] = special();
    return x;
  }
  /// Returns a matrix whose diagonal dominates, except for special numbers.
  std::vector<E> dominant(std::int64_t n) {
    std::vector<E> x = matrix(n, n);
    for (std::int64_t i = 0; i < n; ++i)
      x[static_cast<std::size_t>(i * (n + 1))] = below(4 * n) != 0 ? E{static_cast<T>(8 * n)} : special();
    return x;
  }
  /// Returns a nonzero factor.
  E factor() { return below(6) != 0 ? E{below(2) != 0 ? T(-1) : T(2)} : special(); }

 private:
  static constexpr bool is_complex = sizeof(E) > sizeof(T);

  template <class Part>
  E number(Part&& part) {
    if constexpr (is_complex)
      return {part(), part()};
    else
      return part();
  }
  E special() {
    constexpr T infinity = std::numeric_limits<T>::infinity(), most = std::numeric_limits<T>::max();
    const T numbers[] = {infinity, -infinity, std::numeric_limits<T>::quiet_NaN(), most, -most, most / 2};
    const T part = numbers[below(std::size(numbers))];
    if constexpr (is_complex)
      return below(2) != 0 ? E{part, T(1)} : E{T(0), part};
    else
      return part;
  }

  std::mt19937_64 random_;
};

}  // namespace accublas::test
