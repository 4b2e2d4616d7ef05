// Data for the end-to-end tests of GEMM: every range, cancellation, ties, special values, structure.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "lib/call/mode.hpp"
#include "lib/call/problem.hpp"
#include "perf/matrices/matrices.hpp"

namespace accublas::test {

using Random = std::mt19937_64;

inline Index below(Random& rng, Index n) { return static_cast<Index>(rng() % static_cast<std::uint64_t>(n)); }
inline double uniform(Random& rng) { return static_cast<double>(rng() >> 11) * 0x1p-53; }
inline double sign(Random& rng) { return rng() & 1 ? 1 : -1; }
/// Nearly normal: eight uniform bytes summed.
inline double normal(Random& rng) {
  std::uint64_t x = rng();
  x = (x & 0x00FF00FF00FF00FFu) + ((x >> 8) & 0x00FF00FF00FF00FFu);
  x = (x & 0x0000FFFF0000FFFFu) + ((x >> 16) & 0x0000FFFF0000FFFFu);
  return (static_cast<double>((x & 0xFFFFFFFFu) + (x >> 32)) - 1020) / 209;
}
/// (rand - 0.5) exp(phi randn)
inline double spread(Random& rng, double phi) {
  return (uniform(rng) - 0.5) * (phi == 0 ? 1 : std::exp(phi * normal(rng)));
}

/// A finite number whose bits are all random.
template <class T>
T any_number(Random& rng) {
  for (;;) {
    using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    const T x = std::bit_cast<T>(static_cast<Bits>(rng()));
    if (std::isfinite(x)) return x;
  }
}

enum class Data {
  phi,              ///< (rand - 0.5) exp(phi randn), phi = parameter
  graded,           ///< columns of A scaled up, rows of B down
  whole_range,      ///< every bit random, subnormals included; finite
  block_diagonal,   ///< 8 blocks of their own scales
  triangular,       ///< A lower, B upper
  ties,             ///< every element lies halfway between two numbers
  cancellation,     ///< terms in pairs that nearly cancel
  subnormal,        ///< products near the least subnormal
  overflow,         ///< sums near the largest finite number
  integers,         ///< small ones: exact results, zeros among them
  few_special,      ///< one entry in 5000 is NaN, Inf, subnormal, huge, -0
  many_special,     ///< one in 10
  zero_lines,       ///< half of the rows of A and columns of B are zero
  extreme,          ///< the largest number below a power of two everywhere, all signs equal
  largest_residue,  ///< a' = -1 at T = parameter but for one entry: the largest residue of every modulus
  named,            ///< the matrix of that name
  both_ends,        ///< entries near both ends of the range, of a row and a column
  inverse,          ///< a bidiagonal matrix, and its inverse rounded
  rejected          ///< the certificate rejects a 64th of the elements, rounded down, and so many more: parameter
};

/// Names of structured and decaying matrices: those of the tables of costs, without random data and files.
inline std::vector<const char*> matrix_names() {
  std::vector<const char*> names;
  for (const std::string& name : matrices::listed())
    if (!name.starts_with("phi:") && !matrices::is_file(name)) names.push_back(name.c_str());
  return names;
}

struct Kind {
  Data data;
  double parameter = 0;
  const char* matrix = "";  ///< the name of Data::named
  std::string name() const {
    if (data == Data::named) return matrix;
    static const char* const names[] = {"phi ",        "graded",   "whole range",      "block-diagonal",
                                        "triangular",  "ties",     "cancelling",       "subnormal",
                                        "overflowing", "integers", "few special",      "many special",
                                        "zero lines",  "extreme",  "largest residue ", "",
                                        "both ends",   "inverse",  "rejected "};
    std::string text = names[static_cast<int>(data)];
    if (text.back() == ' ') text += std::to_string(parameter).substr(0, 4);
    return text;
  }
};

/// The data of tests of kernels that cut entries into digits.
inline const std::vector<Kind> kinds_of_digits = {
    {Data::phi, 0.5},       {Data::phi, 4},     {Data::graded},   {Data::whole_range},
    {Data::block_diagonal}, {Data::triangular}, {Data::ties},     {Data::cancellation},
    {Data::subnormal},      {Data::overflow},   {Data::integers}, {Data::few_special},
    {Data::many_special},   {Data::zero_lines}, {Data::extreme},  {Data::both_ends}};

/// op(A), op(B) and C, column-major.
template <class T>
struct GemmEntries {
  Index m, n, k;
  std::vector<T> a, b, c;
  T& A(Index i, Index p) { return a[static_cast<std::size_t>(i + p * m)]; }
  T& B(Index p, Index j) { return b[static_cast<std::size_t>(p + j * k)]; }
};

template <class T>
T any_finite(Random& rng) {
  constexpr int top = std::numeric_limits<T>::max_exponent,
                low = std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits;
  return static_cast<T>(
      std::ldexp(sign(rng) * (0.5 + uniform(rng) / 2), low + static_cast<int>(below(rng, top - low))));
}

template <class T>
T any_special(Random& rng) {
  using Limits = std::numeric_limits<T>;
  switch (below(rng, 7)) {
    case 0:
      return Limits::quiet_NaN();
    case 1:
      return Limits::infinity();
    case 2:
      return -Limits::infinity();
    case 3:
      return static_cast<T>(sign(rng)) * Limits::denorm_min();
    case 4:
      return static_cast<T>(sign(rng)) * Limits::max();
    case 5:
      return -T{0};
    default:
      return any_finite<T>(rng);
  }
}

namespace data_detail {

template <class T>
void block_diagonal(GemmEntries<T>& e, Random& rng) {
  constexpr Index blocks = 8;
  const int range = sizeof(T) == 8 ? 40 : 20;
  int scale_a[blocks], scale_b[blocks];
  for (int& s : scale_a) s = static_cast<int>(below(rng, 2 * range)) - range;
  for (int& s : scale_b) s = static_cast<int>(below(rng, 2 * range)) - range;
  const auto block = [](Index i, Index size) { return i * blocks / size; };
  for (Index p = 0; p < e.k; ++p) {
    const Index q = block(p, e.k);
    for (Index i = 0; i < e.m; ++i) e.A(i, p) = block(i, e.m) == q ? std::ldexp(e.A(i, p), scale_a[q]) : T{0};
    for (Index j = 0; j < e.n; ++j) e.B(p, j) = block(j, e.n) == q ? std::ldexp(e.B(p, j), scale_b[q]) : T{0};
  }
}

/// The first products fill the format and one bit more, 1 * 1 sets that last bit, all others add even numbers.
template <class T>
void ties(GemmEntries<T>& e, Random& rng) {
  const double large = std::ceil(std::exp2(sizeof(T) == 8 ? 26.6 : 12.1) / 2) * 2;
  const auto even = [&] { return large + 2 * std::floor(0.07 * large * uniform(rng)); };
  for (Index p = 0; p < e.k; ++p) {
    for (Index i = 0; i < e.m; ++i)
      e.A(i, p) = static_cast<T>(p == 0 ? even() : p == 1 ? 1 : 2 * static_cast<double>(below(rng, 5) - 2));
    for (Index j = 0; j < e.n; ++j)
      e.B(p, j) = static_cast<T>(p == 0 ? even() : p == 1 ? 1 : static_cast<double>(below(rng, 7) - 3));
  }
}

template <class T>
void cancellation(GemmEntries<T>& e, Random& rng) {
  for (Index p = 0; p + 1 < e.k; p += 2) {
    for (Index i = 0; i < e.m; ++i) e.A(i, p + 1) = -e.A(i, p);
    for (Index j = 0; j < e.n; ++j) e.B(p + 1, j) = below(rng, 50) ? e.B(p, j) : std::nextafter(e.B(p, j), T{2});
  }
}

/// Rows of A at both ends of the range, and columns of B anywhere in it.
template <class T>
void both_ends(GemmEntries<T>& e, Random& rng) {
  constexpr int most = std::numeric_limits<T>::max_exponent;
  for (Index p = 0; p < e.k; ++p) {
    for (Index i = 0; i < e.m; ++i) e.A(i, p) = std::ldexp(e.A(i, p), (i % 2 ? 1 : -1) * (most - 8));
    for (Index j = 0; j < e.n; ++j) e.B(p, j) = std::ldexp(e.B(p, j), static_cast<int>(below(rng, 2 * most)) - most);
  }
}

template <class T>
void inverse(GemmEntries<T>& e) {
  constexpr double rate = 0.7;
  for (Index p = 0; p < e.k; ++p) {
    for (Index i = 0; i < e.m; ++i) e.A(i, p) = static_cast<T>(i == p ? 1 : i == p + 1 ? -rate : 0);
    for (Index j = 0; j < e.n; ++j) e.B(p, j) = static_cast<T>(p < j ? 0 : std::pow(rate, static_cast<double>(p - j)));
  }
}

/// Each of some rows has one large entry, which meets a zero in some columns.
template <class T>
void rejected(GemmEntries<T>& e, Index more, Random& rng) {
  for (std::vector<T>* x : {&e.a, &e.b})
    for (T& entry : *x) entry = static_cast<T>(0.5 + uniform(rng) / 2);
  Index left = e.m * e.n / 64 + more;
  const Index first_row = below(rng, e.m), first_col = below(rng, e.n);
  for (Index r = 0; r < e.m && left > 0; ++r) {
    const Index i = (first_row + r) % e.m, large = 2 * r % std::min(e.k, Index{128});
    for (Index p = 0; p < e.k; ++p) e.A(i, p) = std::ldexp(e.A(i, p), -40);
    e.A(i, large) = 1;
    for (Index c = 0; c < e.n && left > 0; ++c, --left) e.B(large, (first_col + c) % e.n) = 0;
  }
}

}  // namespace data_detail

/// Returns the inner dimension of call `number` of a test: k, or more in dp:repro and sp:repro, where sums of up to
/// most_terms_as_cr terms have cr's values. Three in four calls there have sums of so many terms more. `parts` is 2 for
/// complex numbers.
inline Index inner_dimension(const std::string& mode, Index number, Index k, Index parts = 1) {
  const bool longer = mode.ends_with(":repro") && parts * k <= most_terms_as_cr && number % 4 != 0;
  return longer ? k + most_terms_as_cr / parts : k;
}

/// A kind for each of matrix_names().
inline std::vector<Kind> named_kinds() {
  std::vector<Kind> kinds;
  for (const char* name : matrix_names()) kinds.push_back({Data::named, 0, name});
  return kinds;
}

template <class T>
GemmEntries<T> make_entries(const Kind& kind, Index m, Index n, Index k, Random& rng) {
  const auto size = [](Index rows, Index cols) { return static_cast<std::size_t>(rows * cols); };
  GemmEntries<T> e{m, n, k, std::vector<T>(size(m, k)), std::vector<T>(size(k, n)), std::vector<T>(size(m, n))};
  const auto each = [](std::vector<T>& x, auto&& value) {
    for (T& entry : x) entry = static_cast<T>(value());
  };
  const int top = std::numeric_limits<T>::max_exponent,
            low = std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits;
  const double phi = kind.data == Data::phi ? kind.parameter : 1;
  each(e.c, [&] { return spread(rng, 1); });
  if (kind.data < Data::extreme) {
    each(e.a, [&] { return spread(rng, phi); });
    each(e.b, [&] { return spread(rng, phi); });
  }
  switch (kind.data) {
    case Data::phi:
      break;
    case Data::graded:
      for (Index p = 0; p < k; ++p) {
        const int shift = static_cast<int>(below(rng, top / 4)) - top / 8;
        for (Index i = 0; i < m; ++i) e.A(i, p) = std::ldexp(e.A(i, p), shift);
        for (Index j = 0; j < n; ++j) e.B(p, j) = std::ldexp(e.B(p, j), -shift);
      }
      break;
    case Data::whole_range:
      each(e.a, [&] { return any_finite<T>(rng); });
      each(e.b, [&] { return any_finite<T>(rng); });
      each(e.c, [&] { return any_finite<T>(rng); });
      break;
    case Data::block_diagonal:
      data_detail::block_diagonal(e, rng);
      break;
    case Data::triangular:
      for (Index p = 0; p < k; ++p) {
        for (Index i = 0; i < std::min(p, m); ++i) e.A(i, p) = 0;
        for (Index j = 0; j < std::min(p, n); ++j) e.B(p, j) = 0;
      }
      break;
    case Data::ties:
      data_detail::ties(e, rng);
      break;
    case Data::cancellation:
      data_detail::cancellation(e, rng);
      break;
    case Data::subnormal:
      each(e.a, [&] { return std::ldexp(spread(rng, 1), low / 2 + 20); });
      each(e.b, [&] { return std::ldexp(spread(rng, 1), low - low / 2 - 15); });
      each(e.c, [&] { return std::ldexp(spread(rng, 1), low + 8); });
      break;
    case Data::overflow:
      each(e.a, [&] { return std::ldexp(spread(rng, 0.3), top / 2 - 1); });
      each(e.b, [&] { return std::ldexp(spread(rng, 0.3), top / 2); });
      break;
    case Data::integers:
      each(e.a, [&] { return static_cast<double>(below(rng, 7) - 3); });
      each(e.b, [&] { return static_cast<double>(below(rng, 5) - 2); });
      break;
    case Data::few_special:
    case Data::many_special: {
      const Index rarity = kind.data == Data::few_special ? 5000 : 10;
      for (std::vector<T>* x : {&e.a, &e.b, &e.c})
        for (T& entry : *x)
          if (below(rng, rarity) == 0) entry = any_special<T>(rng);
      break;
    }
    case Data::zero_lines:
      for (Index i = 0; i < m; ++i)
        if (below(rng, 2))
          for (Index p = 0; p < k; ++p) e.A(i, p) = rng() & 1 ? T{0} : -T{0};
      for (Index j = 0; j < n; ++j)
        if (below(rng, 2))
          for (Index p = 0; p < k; ++p) e.B(p, j) = 0;
      break;
    case Data::rejected:
      data_detail::rejected(e, static_cast<Index>(kind.parameter), rng);
      break;
    case Data::extreme:
      each(e.a, [&] { return std::nextafter(T{1}, T{0}); });
      each(e.b, [&] { return -std::nextafter(T{1}, T{0}); });
      break;
    case Data::largest_residue: {
      const T tiny = static_cast<T>(-std::exp2(1 - kind.parameter));
      each(e.a, [&] { return tiny; });
      each(e.b, [&] { return tiny; });
      for (Index i = 0; i < m; ++i) e.A(i, below(rng, k)) = 1;
      for (Index j = 0; j < n; ++j) e.B(below(rng, k), j) = 1;
      break;
    }
    case Data::named: {
      const matrices::Matrix matrix = matrices::named(kind.matrix);
      const Index number = below(rng, 1000);
      matrices::fill(matrix, matrices::Side::a, false, e.a.data(), m, k, number);
      matrices::fill(matrix, matrices::Side::b, false, e.b.data(), k, n, number);
      break;
    }
    case Data::both_ends:
      data_detail::both_ends(e, rng);
      break;
    case Data::inverse:
      data_detail::inverse(e);
      break;
  }
  return e;
}

}  // namespace accublas::test
