// Products and updates of level 2 in cr against GEMV and GEMM of the whole matrices, which are other ways to the same
// exact sums: orders beyond the blocks, ties, cancellation, columns out of the range of what is summed in vectors.
#include <complex>

#include "api.hpp"

namespace {

template <class E>
struct Routines;
#define ROUTINES(E, p, symmetric, general, conjugated, one, two) \
  template <>                                                    \
  struct Routines<E> {                                           \
    static constexpr auto gemv = accublas_##p##gemv;             \
    static constexpr auto gemm = accublas_##p##gemm;             \
    static constexpr auto symv = accublas_##p##symmetric;        \
    static constexpr auto trmv = accublas_##p##trmv;             \
    static constexpr auto ger = accublas_##p##general;           \
    static constexpr auto gerc = accublas_##p##conjugated;       \
    static constexpr auto syr = accublas_##p##one;               \
    static constexpr auto syr2 = accublas_##p##two;              \
  };
ROUTINES(double, d, symv, ger, ger, syr, syr2)
ROUTINES(float, s, symv, ger, ger, syr, syr2)
ROUTINES(std::complex<double>, z, hemv, geru, gerc, her, her2)
ROUTINES(std::complex<float>, c, hemv, geru, gerc, her, her2)

template <class E>
constexpr bool complex_numbers = !std::is_floating_point_v<E>;

template <class E>
E conjugate(E x) {
  if constexpr (complex_numbers<E>)
    return std::conj(x);
  else
    return x;
}

/// Numbers of one kind of data.
template <class E>
class Numbers {
  using T = decltype(std::abs(E()));

 public:
  explicit Numbers(int kind) : kind_(kind) {}
  std::vector<E> vector(std::int64_t n) {
    std::vector<E> v(static_cast<std::size_t>(n));
    for (E& x : v) x = number();
    return v;
  }
  E number() {
    if constexpr (complex_numbers<E>)
      return {part(), part()};
    else
      return part();
  }

 private:
  T part() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    const auto random = static_cast<std::int64_t>(state_ >> 11);
    switch (kind_) {
      case 0:  // full mantissas, some of them far smaller than others
        return static_cast<T>(
            std::ldexp(static_cast<double>(random - (std::int64_t{1} << 52)), -53 - static_cast<int>(random & 31)));
      case 1:  // few bits: sums are exact, cancel or are halfway
        return static_cast<T>(
            std::ldexp(static_cast<double>(random % 7 - 3), random % 5 == 0 ? std::numeric_limits<T>::digits - 2 : 0));
      default:  // the whole range, zeros among it
        return random % 11 == 0 ? T(0)
                                : static_cast<T>(std::ldexp(
                                      static_cast<double>(random % 1024 - 511),
                                      static_cast<int>(random / 1024 % 3) * (std::numeric_limits<T>::min_exponent / 2) +
                                          (random % 2 == 0 ? 0 : std::numeric_limits<T>::max_exponent / 3)));
    }
  }
  int kind_;
  std::uint64_t state_ = 1;
};

template <class E>
class Level2Whole : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(accublas_set_mode_name(context, "cr"), ACCUBLAS_SUCCESS); }
  void good(accublas_status status) { ASSERT_EQ(status, ACCUBLAS_SUCCESS) << context.error(); }
  api::Context context;
};
using Types = testing::Types<double, float, std::complex<double>, std::complex<float>>;
TYPED_TEST_SUITE(Level2Whole, Types);

TYPED_TEST(Level2Whole, Products) {
  using E = TypeParam;
  using R = Routines<E>;
  for (int kind : {0, 1, 2})
    for (std::int64_t n : {1, 31, 32, 33, 64, 65, 97, 300}) {
      Numbers<E> numbers(kind);
      const std::vector<E> stored = numbers.vector(n * n), x = numbers.vector(n), y = numbers.vector(n);
      const auto at = [n](std::int64_t i, std::int64_t j) { return static_cast<std::size_t>(i + j * n); };
      const E alpha = n % 2 == 0 ? E(1) : E(0.75), beta = n % 3 == 0 ? E(0) : E(-0.5), one = 1, zero = 0;
      for (accublas_uplo uplo : {ACCUBLAS_UPPER, ACCUBLAS_LOWER}) {
        const auto held = [&](std::int64_t i, std::int64_t j) { return uplo == ACCUBLAS_UPPER ? i <= j : i >= j; };
        std::vector<E> whole = stored;
        for (std::int64_t j = 0; j < n; ++j)
          for (std::int64_t i = 0; i < n; ++i) {
            if (!held(i, j)) whole[at(i, j)] = conjugate(stored[at(j, i)]);
            if (i == j) whole[at(i, j)] = std::real(stored[at(i, j)]);
          }
        std::vector<E> want = y, got = y;
        this->good(R::gemv(this->context, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, n, n, &alpha, whole.data(), n,
                           x.data(), 1, &beta, want.data(), 1));
        this->good(R::symv(this->context, ACCUBLAS_COL_MAJOR, uplo, n, &alpha, stored.data(), n, x.data(), 1, &beta,
                           got.data(), 1));
        ASSERT_TRUE(api::same_bits(got, want)) << "symv " << n << " " << uplo << " " << kind;
        for (accublas_transpose trans : {ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS, ACCUBLAS_CONJ_TRANS})
          for (accublas_diag diag : {ACCUBLAS_NON_UNIT, ACCUBLAS_UNIT}) {
            for (std::int64_t j = 0; j < n; ++j)
              for (std::int64_t i = 0; i < n; ++i)
                whole[at(i, j)] = !held(i, j) ? E(0) : i == j && diag == ACCUBLAS_UNIT ? E(1) : stored[at(i, j)];
            got = x;
            this->good(R::gemv(this->context, ACCUBLAS_COL_MAJOR, trans, n, n, &one, whole.data(), n, x.data(), 1,
                               &zero, want.data(), 1));
            this->good(
                R::trmv(this->context, ACCUBLAS_COL_MAJOR, uplo, trans, diag, n, stored.data(), n, got.data(), 1));
            ASSERT_TRUE(api::same_bits(got, want)) << "trmv " << n << " " << uplo << " " << trans << " " << kind;
          }
      }
    }
}

TYPED_TEST(Level2Whole, Updates) {
  using E = TypeParam;
  using R = Routines<E>;
  using T = decltype(std::abs(E()));
  const E one = 1;
  for (int kind : {0, 1, 2})
    for (const auto& [m, n] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {5, 9}, {1030, 3}, {258, 261}}) {
      if (kind == 2 && m * n > 5000) continue;  // elements one by one: dear
      Numbers<E> numbers(kind);
      const std::vector<E> c = numbers.vector(m * n), x = numbers.vector(m), y = numbers.vector(n);
      for (const E alpha : {E(1), E(0.7), numbers.number()})
        for (const accublas_transpose turn : {ACCUBLAS_TRANS, ACCUBLAS_CONJ_TRANS}) {
          std::vector<E> want = c, got = c;
          this->good(R::gemm(this->context, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, turn, m, n, 1, &alpha, x.data(), m,
                             y.data(), n, &one, want.data(), m));
          this->good((turn == ACCUBLAS_TRANS ? R::ger : R::gerc)(this->context, ACCUBLAS_COL_MAJOR, m, n, &alpha,
                                                                 x.data(), 1, y.data(), 1, got.data(), m));
          ASSERT_TRUE(api::same_bits(got, want)) << "ger " << m << " " << n << " " << alpha << " " << kind;
        }
      const std::int64_t order = std::min(m, n);
      std::vector<E> left(x.begin(), x.begin() + order), right(y.begin(), y.begin() + order), start = c;
      left.insert(left.end(), y.begin(), y.begin() + order);
      right.insert(right.end(), x.begin(), x.begin() + order);
      for (std::int64_t d = 0; d < order; ++d)
        start[static_cast<std::size_t>(d * (m + 1))] = std::real(c[static_cast<std::size_t>(d * (m + 1))]);
      for (const T factor : {T(1), T(0.7)})
        for (accublas_uplo uplo : {ACCUBLAS_UPPER, ACCUBLAS_LOWER})
          for (const std::int64_t pairs : {1, 2}) {
            const E alpha = factor;
            std::vector<E> whole = start, want = c, got = c;
            this->good(R::gemm(this->context, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_CONJ_TRANS, order, order,
                               pairs, &alpha, left.data(), order, pairs == 1 ? left.data() : right.data(), order, &one,
                               whole.data(), m));
            for (std::int64_t j = 0; j < order; ++j)
              for (std::int64_t i = 0; i < order; ++i)
                if (uplo == ACCUBLAS_UPPER ? i <= j : i >= j)
                  want[static_cast<std::size_t>(i + j * m)] = whole[static_cast<std::size_t>(i + j * m)];
            if (pairs == 1)
              this->good(R::syr(this->context, ACCUBLAS_COL_MAJOR, uplo, order, &factor, x.data(), 1, got.data(), m));
            else
              this->good(R::syr2(this->context, ACCUBLAS_COL_MAJOR, uplo, order, &alpha, x.data(), 1, y.data(), 1,
                                 got.data(), m));
            ASSERT_TRUE(api::same_bits(got, want)) << "syr " << pairs << " " << order << " " << uplo << " " << kind;
          }
    }
}

}  // namespace
