// LU and Cholesky's factorization of host matrices that several devices share: the bits, pivots and info of one device,
// and residuals in dp and sp. With one GPU in the host, the device is listed several times.
#include "test/gpu/device_lists.hpp"
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
    list_devices(two, 2);
    list_devices(three, 3);
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

/// The residual of the product of the factors with a vector, which has rounding errors as those of a sum of n terms, a
/// vector element after the other.
template <class E>
class ProductWithVector {
 public:
  using Wide = std::conditional_t<Numbers<E>::complex, std::complex<long double>, long double>;
  /// A vector, with bounds of its elements.
  struct Bounded {
    std::vector<Wide> x;
    std::vector<long double> size;
    explicit Bounded(Index n) : x(static_cast<std::size_t>(n)), size(x.size()) {}
    void add(Index i, const E& a, const Bounded& by, Index j) {
      x[static_cast<std::size_t>(i)] += Wide(a) * by.x[static_cast<std::size_t>(j)];
      size[static_cast<std::size_t>(i)] += size_of(a) * by.size[static_cast<std::size_t>(j)];
    }
    void add(Index i, const Bounded& by) {
      x[static_cast<std::size_t>(i)] += by.x[static_cast<std::size_t>(i)];
      size[static_cast<std::size_t>(i)] += by.size[static_cast<std::size_t>(i)];
    }
    void set(Index i, const E& v) {
      x[static_cast<std::size_t>(i)] = Wide(v);
      size[static_cast<std::size_t>(i)] = size_of(v);
    }
  };
  static void expect_near(const std::vector<Wide>& wanted, const Bounded& got, Index terms) {
    const double factor = (Numbers<E>::complex ? 4. : 1.) * (3. * double(terms) + 200) * roundoff<E>;
    for (std::size_t i = 0; i < wanted.size(); ++i)
      ASSERT_LE(static_cast<double>(std::abs(wanted[i] - got.x[i])), factor * static_cast<double>(got.size[i])) << i;
  }

  /// Returns L U v for the factors of an m x n matrix.
  template <class Problem>
  static Bounded by_lu(const Problem& f, const Bounded& v) {
    const Index order = std::min(f.m, f.n);
    Bounded u(order), out(f.m);
    for (Index j = 0; j < f.n; ++j)
      for (Index i = 0; i <= std::min(j, order - 1); ++i) u.add(i, f(i, j), v, j);
    for (Index j = 0; j < order; ++j) {
      out.add(j, u);
      for (Index i = j + 1; i < f.m; ++i) out.add(i, f(i, j), u, j);
    }
    return out;
  }
  /// Returns X^H X v for the first `order` rows and columns.
  template <class Problem>
  static Bounded by_cholesky(const Problem& f, const Bounded& v, Index order) {
    Bounded u(order), out(order);
    const auto x = [&](Index i, Index j) { return f.uplo == ACCUBLAS_UPPER ? f(i, j) : conjugate(f(j, i)); };
    for (Index j = 0; j < order; ++j)
      for (Index i = 0; i <= j; ++i) u.add(i, x(i, j), v, j);
    for (Index j = 0; j < order; ++j)
      for (Index i = 0; i <= j; ++i) out.add(j, conjugate(x(i, j)), u, i);
    return out;
  }
  static E conjugate(const E& x) {
    if constexpr (Numbers<E>::complex)
      return std::conj(x);
    else
      return x;
  }
};

/// Tests that need not run for every type.
template <class E>
class SharedFactorCases : public SharedFactors<E> {};
using SharedCaseTypes = testing::Types<double, std::complex<float>>;
TYPED_TEST_SUITE(SharedFactorCases, SharedCaseTypes);

// In dp and sp products are the same in every call, although devices wait for each other. Each routine, and info, is
// tried with residuals.
TYPED_TEST(SharedFactorCases, LuResiduals) {
  using E = TypeParam;
  using Product = ProductWithVector<E>;
  const Index longer = TestFixture::order(6800), shorter = TestFixture::order(5000), zero = shorter / 2;
  this->two.set(TestFixture::grade);
  for (const bool tall : {true, false}) {
    const auto layout = tall ? ACCUBLAS_ROW_MAJOR : ACCUBLAS_COL_MAJOR;
    auto p = this->general(tall ? longer : shorter, tall ? shorter : longer, layout);
    for (Index i = 0; tall && i < p.m; ++i) p(i, zero) = E(0);
    auto f = p;
    ASSERT_EQ(this->lu(this->two, f), ACCUBLAS_SUCCESS) << this->two.error();
    ASSERT_TRUE(this->shared(this->two));
    ASSERT_EQ(f.info, tall ? zero + 1 : 0);
    typename Product::Bounded v(p.n), left(p.m);
    for (Index j = 0; j < p.n; ++j) {
      v.set(j, this->number());
      for (Index i = 0; i < p.m; ++i) left.add(i, p(i, j), v, j);
    }
    for (std::size_t i = 0; i < f.pivots.size(); ++i)
      std::swap(left.x[i], left.x[static_cast<std::size_t>(f.pivots[i] - 1)]);
    Product::expect_near(left.x, Product::by_lu(f, v), shorter);
    if (tall) continue;
    auto again = p;
    ASSERT_EQ(this->lu(this->two, again), ACCUBLAS_SUCCESS) << this->two.error();
    this->expect_bits("again", p, again.a, f.a);
  }
}

TYPED_TEST(SharedFactorCases, CholeskyResiduals) {
  using E = TypeParam;
  using Product = ProductWithVector<E>;
  const Index n = TestFixture::order(7200), bad = n - 900;
  this->two.set(TestFixture::grade);
  for (const bool upper : {true, false}) {
    auto p = upper ? this->positive(n, ACCUBLAS_COL_MAJOR, ACCUBLAS_UPPER)
                   : this->positive(n, ACCUBLAS_ROW_MAJOR, ACCUBLAS_LOWER);
    if (!upper) p(bad, bad) = E(-1);
    auto f = p;
    ASSERT_EQ(this->cholesky(this->two, f), ACCUBLAS_SUCCESS) << this->two.error();
    ASSERT_TRUE(this->shared(this->two));
    ASSERT_EQ(f.info, upper ? 0 : bad + 1);
    const Index order = upper ? n : bad / 64 * 64;
    typename Product::Bounded v(order), left(order);
    for (Index j = 0; j < order; ++j) v.set(j, this->number());
    for (Index j = 0; j < order; ++j)
      for (Index i = 0; i <= j; ++i) {
        const E a = upper ? p(i, j) : Product::conjugate(p(j, i));
        left.add(i, a, v, j);
        if (i < j) left.add(j, Product::conjugate(a), v, i);
      }
    Product::expect_near(left.x, Product::by_cholesky(f, v, order), order);
  }
}

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

// Solutions by the factors, in dp and sp.
TYPED_TEST(SharedFactorCases, SolutionResiduals) {
  using E = TypeParam;
  using Product = ProductWithVector<E>;
  const Index square = TestFixture::order(5700), n = TestFixture::order(7200);
  this->two.set(TestFixture::grade);
  for (const bool lu : {true, false}) {
    const auto p = lu ? this->general(square, square, ACCUBLAS_COL_MAJOR, 1)
                      : this->positive(n, ACCUBLAS_COL_MAJOR, ACCUBLAS_LOWER, 1);
    auto f = p;
    ASSERT_EQ(lu ? this->lu(this->two, f) : this->cholesky(this->two, f), ACCUBLAS_SUCCESS) << this->two.error();
    ASSERT_TRUE(this->shared(this->two));
    ASSERT_EQ(f.info, 0);
    typename Product::Bounded x(p.n), b(p.n);
    for (Index i = 0; i < p.n; ++i) {
      x.set(i, f.b[static_cast<std::size_t>(i)]);
      b.set(i, p.b[static_cast<std::size_t>(i)]);
    }
    for (std::size_t i = 0; lu && i < f.pivots.size(); ++i)
      std::swap(b.x[i], b.x[static_cast<std::size_t>(f.pivots[i] - 1)]);
    Product::expect_near(b.x, lu ? Product::by_lu(f, x) : Product::by_cholesky(f, x, p.n), p.n);
  }
}

// The bus reads and writes pinned matrices itself.
TYPED_TEST(SharedFactorCases, PinnedMemory) {
  const Index square = TestFixture::order(5700), n = TestFixture::order(7200);
  for (const bool lu : {true, false}) {
    const auto p =
        lu ? this->general(square, square, ACCUBLAS_COL_MAJOR) : this->positive(n, ACCUBLAS_COL_MAJOR, ACCUBLAS_UPPER);
    const auto call = lu ? this->lu : this->cholesky;
    auto want = p, got = p;
    this->single.set("cr");
    this->two.set("cr");
    ASSERT_EQ(call(this->single, want), ACCUBLAS_SUCCESS) << this->single.error();
    require(cudaHostRegister(got.a.data(), got.a.size() * sizeof(TypeParam), cudaHostRegisterPortable), "pinning");
    EXPECT_EQ(call(this->two, got), ACCUBLAS_SUCCESS) << this->two.error();
    require(cudaHostUnregister(got.a.data()), "pinning");
    EXPECT_TRUE(this->shared(this->two));
    EXPECT_EQ(got.pivots, want.pivots);
    this->expect_bits("pinned A", p, got.a, want.a);
  }
}

TYPED_TEST(SharedFactorCases, SmallOnes) {
  auto p = this->general(1000, 1000, ACCUBLAS_COL_MAJOR);
  this->two.set("cr");
  ASSERT_EQ(this->lu(this->two, p), ACCUBLAS_SUCCESS) << this->two.error();
  EXPECT_FALSE(this->shared(this->two));
}

}  // namespace
}  // namespace accublas::test
