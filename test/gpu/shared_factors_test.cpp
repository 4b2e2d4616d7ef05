// LU and Cholesky's factorization of host matrices that several devices share: the bits, pivots and info of one device,
// and residuals in dp and sp. With one GPU in the host, the device is listed several times.
#include "test/gpu/factor_dp.hpp"

namespace accublas::test {
namespace {

template <class E>
class SharedFactors : public testing::Test {
 protected:
  using T = Real<E>;
  static constexpr bool complex = Numbers<E>::complex;
  static constexpr const char* grade = sizeof(T) == 8 ? "dp" : "sp";

  /// Operands of a call, and what it returns. Elements outside of the matrix, and of the other triangle, are NaN.
  struct Problem {
    Index m, n, ld;
    accublas_layout layout = ACCUBLAS_COL_MAJOR;
    accublas_uplo uplo = ACCUBLAS_UPPER;
    Index nrhs = 0;
    std::vector<E> a{}, b{};
    std::vector<std::int64_t> pivots{};
    std::int64_t info = -7;

    std::size_t at(Index i, Index j) const {
      return static_cast<std::size_t>(layout == ACCUBLAS_COL_MAJOR ? i + j * ld : i * ld + j);
    }
    E& operator()(Index i, Index j) { return a[at(i, j)]; }
    const E& operator()(Index i, Index j) const { return a[at(i, j)]; }
  };

  void SetUp() override {
    int count = 0;
    require(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
    const std::int32_t devices[] = {0, count > 1 ? 1 : 0, 0};
    ASSERT_EQ(accublas_set_devices(two, 2, devices), ACCUBLAS_SUCCESS) << two.error();
    ASSERT_EQ(accublas_set_devices(three, 3, devices), ACCUBLAS_SUCCESS) << three.error();
  }

  /// Complex numbers have four times as many operations.
  static Index order(Index real) { return complex ? real * 63 / 100 : real; }
  /// Entries repeat after a prime number of them, since random numbers take longer than the calls.
  E number() {
    constexpr std::size_t period = 1000003;
    if (numbers_.empty())
      for (std::size_t i = 0; i < period; ++i) {
        if constexpr (complex)
          numbers_.push_back({static_cast<T>(spread(rng, 0.5)), static_cast<T>(spread(rng, 0.5))});
        else
          numbers_.push_back(static_cast<T>(spread(rng, 0.5)));
      }
    next_ = (next_ + 1) % period;
    return numbers_[next_];
  }
  Problem general(Index m, Index n, accublas_layout layout, Index nrhs = 0) {
    Problem p{m, n, std::max(m, n) + 3, layout};
    p.nrhs = nrhs;
    p.a.assign(static_cast<std::size_t>(p.ld * std::max(m, n)), E(std::numeric_limits<T>::quiet_NaN()));
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < m; ++i) p(i, j) = number();
    p.pivots.assign(static_cast<std::size_t>(std::min(m, n)), -7);
    add_sides(p);
    return p;
  }
  Problem positive(Index n, accublas_layout layout, accublas_uplo uplo, Index nrhs = 0) {
    Problem p{n, n, n + 3, layout, uplo};
    p.nrhs = nrhs;
    p.a.assign(static_cast<std::size_t>(p.ld * n), E(std::numeric_limits<T>::quiet_NaN()));
    const T diagonal = static_cast<T>(1.5 * std::sqrt(static_cast<double>(n)));
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < n; ++i)
        if (i == j)
          p(i, j) = E(diagonal);
        else if ((i < j) == (uplo == ACCUBLAS_UPPER))
          p(i, j) = number();
    add_sides(p);
    return p;
  }
  void add_sides(Problem& p) {
    for (Index i = 0; i < p.ld * p.nrhs; ++i) p.b.push_back(number());
  }

  static accublas_status lu(accublas_context* context, Problem& p) {
    if (p.nrhs == 0)
      return ACCUBLAS_OF(E, getrf)(context, p.layout, p.m, p.n, p.a.data(), p.ld, p.pivots.data(), &p.info);
    return ACCUBLAS_OF(E, gesv)(context, p.layout, p.n, p.nrhs, p.a.data(), p.ld, p.pivots.data(), p.b.data(), p.ld,
                                &p.info);
  }
  static accublas_status cholesky(accublas_context* context, Problem& p) {
    if (p.nrhs == 0) return ACCUBLAS_OF(E, potrf)(context, p.layout, p.uplo, p.n, p.a.data(), p.ld, &p.info);
    return ACCUBLAS_OF(E, posv)(context, p.layout, p.uplo, p.n, p.nrhs, p.a.data(), p.ld, p.b.data(), p.ld, &p.info);
  }

  using Call = accublas_status (*)(accublas_context*, Problem&);
  static bool shared(const Context& context) { return std::strchr(context.report().device, ',') != nullptr; }

  /// Compares lists of devices with one device; returns the latter's results.
  Problem compare(const std::string& what, const Problem& p, Call call) {
    Problem want = p;
    single.set("cr");
    EXPECT_EQ(call(single, want), ACCUBLAS_SUCCESS) << what << ": " << single.error();
    EXPECT_FALSE(shared(single)) << what;
    const struct {
      Context* context;
      std::string mode;
    } others[] = {{&two, "cr"}, {&three, std::string(grade) + ":repro"}};
    for (const auto& [context, mode] : others) {
      SCOPED_TRACE(what + " in " + mode + (context == &two ? ", two" : ", three"));
      context->set(mode);
      Problem got = p;
      EXPECT_EQ(call(*context, got), ACCUBLAS_SUCCESS) << context->error();
      EXPECT_STREQ(context->report().backend, "cuda") << context->report().reason;
      EXPECT_TRUE(shared(*context)) << context->report().device;
      EXPECT_EQ(got.info, want.info);
      EXPECT_EQ(got.pivots, want.pivots);
      expect_bits("A", p, got.a, want.a);
      expect_bits("B", p, got.b, want.b);
      if (testing::Test::HasFailure()) break;
    }
    return want;
  }
  static void expect_bits(const char* what, const Problem& p, const std::vector<E>& got, const std::vector<E>& want) {
    if (std::memcmp(got.data(), want.data(), want.size() * sizeof(E)) == 0) return;
    Index different = 0, first = -1;
    for (std::size_t i = 0; i < want.size(); ++i)
      if (std::memcmp(&got[i], &want[i], sizeof(E)) != 0 && ++different == 1) first = static_cast<Index>(i);
    ADD_FAILURE() << what << ": " << different << " elements differ, the first at " << first % p.ld << ", "
                  << first / p.ld << " of " << p.m << " x " << p.n << ": " << got[static_cast<std::size_t>(first)]
                  << " for " << want[static_cast<std::size_t>(first)];
  }

  Context two{ACCUBLAS_BACKEND_CUDA}, three{ACCUBLAS_BACKEND_CUDA}, single{ACCUBLAS_BACKEND_CUDA};
  Random rng{93};

 private:
  std::vector<E> numbers_;
  std::size_t next_ = 0;
};
TYPED_TEST_SUITE(SharedFactors, FactorTypes);

TYPED_TEST(SharedFactors, Lu) {
  const Index longer = TestFixture::order(6800), shorter = TestFixture::order(5000);
  this->compare("tall", this->general(longer, shorter, ACCUBLAS_ROW_MAJOR), this->lu);
  this->compare("wide", this->general(shorter, longer, ACCUBLAS_COL_MAJOR), this->lu);
  // All of A goes to the devices and back.
  const std::int64_t bytes = this->two.report().copied_bytes;
  EXPECT_EQ(bytes, 2 * longer * shorter * static_cast<Index>(sizeof(TypeParam)));
}

TYPED_TEST(SharedFactors, Cholesky) {
  const Index n = TestFixture::order(7200);
  this->compare("upper", this->positive(n, ACCUBLAS_COL_MAJOR, ACCUBLAS_UPPER), this->cholesky);
  this->compare("lower, by rows", this->positive(n + 1, ACCUBLAS_ROW_MAJOR, ACCUBLAS_LOWER), this->cholesky);
}

// Products are the same in every call, although devices wait for each other.
TYPED_TEST(SharedFactors, Residuals) {
  using E = TypeParam;
  using Wide = std::conditional_t<Numbers<E>::complex, std::complex<long double>, long double>;
  const Index n = TestFixture::order(5700);
  const auto p = this->general(n, n, ACCUBLAS_COL_MAJOR);
  this->two.set(TestFixture::grade);
  auto f = p, again = p;
  for (auto* const got : {&f, &again}) {
    ASSERT_EQ(this->lu(this->two, *got), ACCUBLAS_SUCCESS) << this->two.error();
    ASSERT_TRUE(this->shared(this->two));
    ASSERT_EQ(got->info, 0);
  }
  this->expect_bits("again", p, again.a, f.a);
  // P A v = L U v for a vector v, with rounding errors as those of a sum of n terms.
  std::vector<Wide> left(static_cast<std::size_t>(n)), u(left), right(left);
  std::vector<long double> size_u(left.size()), size(left.size());
  for (Index j = 0; j < n; ++j) {
    const E v = this->number();
    const auto times_v = [&](const E& x) { return Wide(x) * Wide(v); };
    for (Index i = 0; i < n; ++i) left[static_cast<std::size_t>(i)] += times_v(p(i, j));
    for (Index i = 0; i <= j; ++i) {
      u[static_cast<std::size_t>(i)] += times_v(f(i, j));
      size_u[static_cast<std::size_t>(i)] += size_of(f(i, j)) * size_of(v);
    }
  }
  for (std::size_t i = 0; i < f.pivots.size(); ++i) std::swap(left[i], left[static_cast<std::size_t>(f.pivots[i] - 1)]);
  for (Index j = 0; j < n; ++j) {
    const auto at = static_cast<std::size_t>(j);
    right[at] += u[at];
    size[at] += size_u[at];
    for (Index i = j + 1; i < n; ++i) {
      right[static_cast<std::size_t>(i)] += Wide(f(i, j)) * u[at];
      size[static_cast<std::size_t>(i)] += size_of(f(i, j)) * size_u[at];
    }
  }
  for (std::size_t i = 0; i < size.size(); ++i) {
    const auto error = static_cast<double>(std::abs(left[i] - right[i]));
    ASSERT_LE(error, (2. * double(n) + 40) * roundoff<E> * static_cast<double>(size[i])) << i;
  }
}

/// Tests that need not run for every type.
template <class E>
class SharedFactorCases : public SharedFactors<E> {};
using SharedCaseTypes = testing::Types<double, std::complex<float>>;
TYPED_TEST_SUITE(SharedFactorCases, SharedCaseTypes);

// Columns of zeros give info, a NaN late in the matrix reaches some columns, and a matrix that is not positive definite
// keeps its rows from there on.
TYPED_TEST(SharedFactorCases, Failures) {
  const Index square = TestFixture::order(5700), n = TestFixture::order(7200), bad = n - 900, late = square - 40;
  auto p = this->general(square, square, ACCUBLAS_COL_MAJOR);
  for (const Index column : {square / 3, square - 100})
    for (Index i = 0; i < square; ++i) p(i, column) = TypeParam(0);
  p(7, late) = TypeParam(std::numeric_limits<typename TestFixture::T>::quiet_NaN());
  EXPECT_EQ(this->compare("columns of zeros and NaN", p, this->lu).info, square / 3 + 1);
  auto q = this->positive(n, ACCUBLAS_COL_MAJOR, ACCUBLAS_LOWER);
  q(bad, bad) = TypeParam(-1);
  const auto found = this->compare("not positive definite", q, this->cholesky);
  EXPECT_EQ(found.info, bad + 1);
  EXPECT_EQ(std::memcmp(&found(n - 1, n - 1), &q(n - 1, n - 1), sizeof(TypeParam)), 0);
}

TYPED_TEST(SharedFactorCases, Solutions) {
  const Index square = TestFixture::order(5700), n = TestFixture::order(7200);
  this->compare("gesv", this->general(square, square, ACCUBLAS_COL_MAJOR, 3), this->lu);
  this->compare("posv", this->positive(n, ACCUBLAS_COL_MAJOR, ACCUBLAS_LOWER, 3), this->cholesky);
}

TYPED_TEST(SharedFactorCases, SmallOnes) {
  auto p = this->general(1000, 1000, ACCUBLAS_COL_MAJOR);
  this->two.set("cr");
  ASSERT_EQ(this->lu(this->two, p), ACCUBLAS_SUCCESS) << this->two.error();
  EXPECT_FALSE(this->shared(this->two));
}

}  // namespace
}  // namespace accublas::test
