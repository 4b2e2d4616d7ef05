// Certified eigenvalues and singular values on a GPU: operands in device memory and host operands have the same bits,
// the balls meet those of the CPU and are about as small, and all that lies around the results stays as it was.
// test/certified checks the bounds in exact arithmetic, on a GPU too.
#include "test/gpu/factor_dp.hpp"

namespace accublas::test {
namespace {

enum class SpectrumKind { syev, syevx, sygv, gesvd };

/// The operands of a call. Eigenvalues are those from number il on; B is used by sygv alone, V^H by gesvd alone.
template <class E>
struct SpectrumProblem {
  SpectrumKind kind;
  Stored<E> a, b, v, vt;
  Index il = 1;
  accublas_job job = ACCUBLAS_VECTORS;

  Index count() const { return kind == SpectrumKind::syevx ? a.rows - il + 1 : std::min(a.rows, a.cols); }
};

template <class E>
struct SpectrumAnswer {
  using T = Real<E>;
  accublas_status status{};
  accublas_certificate_t certificate{};
  std::vector<T> w, radius, angle;
  std::vector<std::int64_t> cluster;
  std::vector<E> v, vt;

  explicit SpectrumAnswer(const SpectrumProblem<E>& p)
      : w(static_cast<std::size_t>(p.count()), T(7)),
        radius(w),
        angle(w),
        cluster(w.size(), 7),
        v(p.v.data),
        vt(p.vt.data) {
    certificate.struct_size = sizeof certificate;
  }
};

/// The arrays of a call, in host or device memory.
template <class E>
struct SpectrumArrays {
  const E *a, *b;
  Real<E>*w, *radius, *angle;
  std::int64_t* cluster;
  E *v, *vt;
};

template <class E>
accublas_status call_spectrum(accublas_context* context, const SpectrumProblem<E>& p, const SpectrumArrays<E>& x,
                              accublas_certificate_t* certificate) {
  using P = std::conditional_t<Numbers<E>::complex, void, E>;
  const auto a = static_cast<const P*>(x.a), b = static_cast<const P*>(x.b);
  const auto v = static_cast<P*>(x.v), vt = static_cast<P*>(x.vt);
  const accublas_layout layout = p.a.layout;
  std::int64_t found = p.count();
  accublas_status status{};
  switch (p.kind) {
    case SpectrumKind::syev:
      return pick<E>(accublas_dsyev_certified, accublas_ssyev_certified, accublas_zheev_certified,
                     accublas_cheev_certified)(context, layout, p.job, ACCUBLAS_LOWER, p.a.rows, a, p.a.ld, x.w,
                                               x.radius, v, p.v.ld, x.angle, x.cluster, certificate);
    case SpectrumKind::syevx:
      status = pick<E>(accublas_dsyevx_certified, accublas_ssyevx_certified, accublas_zheevx_certified,
                       accublas_cheevx_certified)(context, layout, p.job, ACCUBLAS_INDICES, ACCUBLAS_LOWER, p.a.rows, a,
                                                  p.a.ld, 0, 0, p.il, p.a.rows, &found, x.w, x.radius, v, p.v.ld,
                                                  x.angle, x.cluster, certificate);
      EXPECT_EQ(found, p.count());
      return status;
    case SpectrumKind::sygv:
      return pick<E>(accublas_dsygv_certified, accublas_ssygv_certified, accublas_zhegv_certified,
                     accublas_chegv_certified)(context, layout, p.job, ACCUBLAS_LOWER, p.a.rows, a, p.a.ld, b, p.b.ld,
                                               x.w, x.radius, v, p.v.ld, x.angle, x.cluster, certificate);
    case SpectrumKind::gesvd:
      return pick<E>(accublas_dgesvd_certified, accublas_sgesvd_certified, accublas_zgesvd_certified,
                     accublas_cgesvd_certified)(context, layout, p.job, p.a.rows, p.a.cols, a, p.a.ld, x.w, x.radius, v,
                                                p.v.ld, vt, p.vt.ld, x.angle, x.cluster, certificate);
  }
  return status;
}

template <class E>
class Spectra : public FactorDp<E> {
 protected:
  using T = Real<E>;
  Context cpu{ACCUBLAS_BACKEND_CPU};

  void SetUp() override {
    this->gpu.set("cr");
    cpu.set("cr");
  }

  Stored<E> like(const Stored<E>& other, Index rows, Index cols) {
    Stored<E> m(this->rng, rows, cols);
    while (m.layout != other.layout) m = Stored<E>(this->rng, rows, cols);
    return m;
  }
  /// The other triangle holds NaN.
  void make_hermitian(Stored<E>& a, double shift) {
    for (Index j = 0; j < a.rows; ++j)
      for (Index i = j; i < a.rows; ++i) a(i, j) = i == j ? E(std::real(this->number()) + T(shift)) : this->number();
  }
  SpectrumProblem<E> problem(SpectrumKind kind, Index m, Index n) {
    Stored<E> a(this->rng, m, n), b = like(a, kind == SpectrumKind::sygv ? n : 0, kind == SpectrumKind::sygv ? n : 0);
    if (kind == SpectrumKind::gesvd) {
      for (Index i = 0; i < m; ++i)
        for (Index j = 0; j < n; ++j) a(i, j) = this->number();
    } else {
      make_hermitian(a, 0);
    }
    if (kind == SpectrumKind::sygv) make_hermitian(b, static_cast<double>(n));
    const Index k = std::min(m, n);
    SpectrumProblem<E> p{kind, a, b, like(a, m, k),
                         like(a, kind == SpectrumKind::gesvd ? k : 0, kind == SpectrumKind::gesvd ? n : 0)};
    if (kind == SpectrumKind::syevx) {
      p.il = (n + 1) / 2;
      p.v = like(a, m, p.count());
    }
    return p;
  }

  SpectrumAnswer<E> on_host(accublas_context* context, const SpectrumProblem<E>& p) {
    SpectrumAnswer<E> r(p);
    r.status = call_spectrum<E>(context, p,
                                {p.a.data.data(), p.b.data.data(), r.w.data(), r.radius.data(), r.angle.data(),
                                 r.cluster.data(), r.v.data(), r.vt.data()},
                                &r.certificate);
    return r;
  }
  SpectrumAnswer<E> on_device(const SpectrumProblem<E>& p) {
    SpectrumAnswer<E> r(p);
    const DeviceArray<E> a(p.a.data), b(p.b.data), v(r.v), vt(r.vt);
    const DeviceArray<T> w(r.w), radius(r.radius), angle(r.angle);
    const DeviceArray<std::int64_t> cluster(r.cluster);
    r.status = call_spectrum<E>(
        this->gpu, p, {a.data(), b.data(), w.data(), radius.data(), angle.data(), cluster.data(), v.data(), vt.data()},
        &r.certificate);
    EXPECT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS) << this->gpu.error();
    r.w = w.values(), r.radius = radius.values(), r.angle = angle.values(), r.cluster = cluster.values();
    r.v = v.values(), r.vt = vt.values();
    expect_bits(a.values(), p.a.data, "A");
    expect_bits(b.values(), p.b.data, "B");
    return r;
  }

  template <class N>
  static void expect_bits(const std::vector<N>& got, const std::vector<N>& want, const char* what) {
    ASSERT_EQ(got.size(), want.size()) << what;
    EXPECT_TRUE(got.empty() || std::memcmp(got.data(), want.data(), got.size() * sizeof(N)) == 0) << what;
  }
  static void expect_same(const SpectrumAnswer<E>& got, const SpectrumAnswer<E>& want) {
    EXPECT_EQ(got.status, want.status);
    EXPECT_EQ(got.certificate.reason, want.certificate.reason);
    expect_bits(got.w, want.w, "w");
    expect_bits(got.radius, want.radius, "radius");
    expect_bits(got.angle, want.angle, "angle");
    expect_bits(got.cluster, want.cluster, "cluster");
    expect_bits(got.v, want.v, "vectors");
    expect_bits(got.vt, want.vt, "V^H");
  }
  /// The matrix around the results is as it was, and results were written.
  static void expect_around(const Stored<E>& m, const std::vector<E>& got) {
    std::vector<bool> result(got.size());
    for (Index i = 0; i < m.rows; ++i)
      for (Index j = 0; j < m.cols; ++j) result[m.at(i, j)] = true;
    for (std::size_t at = 0; at < got.size(); ++at)
      EXPECT_EQ(std::memcmp(&got[at], &m.data[at], sizeof(E)) != 0, result[at]) << "element " << at;
  }
  /// Two proofs of the same numbers do not contradict each other, and those of the GPU are about as good.
  void expect_agreement(const SpectrumProblem<E>& p, const SpectrumAnswer<E>& got, const SpectrumAnswer<E>& want) {
    ASSERT_EQ(got.status, ACCUBLAS_SUCCESS) << this->gpu.error();
    ASSERT_EQ(want.status, ACCUBLAS_SUCCESS) << cpu.error();
    for (std::size_t k = 0; k < got.w.size(); ++k) {
      const long double apart = std::fabs(static_cast<long double>(got.w[k]) - want.w[k]);
      const T ulp = std::nextafter(std::fabs(want.w[k]), std::numeric_limits<T>::infinity()) - std::fabs(want.w[k]);
      EXPECT_LE(apart, static_cast<long double>(got.radius[k]) + want.radius[k]) << "number " << k;
      EXPECT_LE(got.radius[k], std::max(4 * want.radius[k], ulp)) << "number " << k;
      EXPECT_EQ(got.cluster[k], want.cluster[k]) << "number " << k;
      EXPECT_LE(got.angle[k], std::max(4 * want.angle[k], 8 * std::numeric_limits<T>::epsilon())) << "number " << k;
    }
    EXPECT_EQ(got.certificate.positive_definite, want.certificate.positive_definite);
    expect_around(p.v, got.v);
    expect_around(p.vt, got.vt);
  }
  void check(const SpectrumProblem<E>& p) {
    const SpectrumAnswer<E> there = on_device(p);
    expect_same(on_host(this->gpu, p), there);
    expect_agreement(p, there, on_host(cpu, p));
  }
};

using SpectrumTypes = testing::Types<double, float, std::complex<double>, std::complex<float>>;
TYPED_TEST_SUITE(Spectra, SpectrumTypes);

TYPED_TEST(Spectra, Eigenvalues) {
  for (const SpectrumKind kind : {SpectrumKind::syev, SpectrumKind::syevx})
    for (const Index n : {1, 2, 7, 40, 97}) {
      SCOPED_TRACE(n);
      this->check(this->problem(kind, n, n));
    }
}

TYPED_TEST(Spectra, GeneralizedEigenvalues) {
  for (const Index n : {1, 2, 7, 40, 97}) {
    SCOPED_TRACE(n);
    this->check(this->problem(SpectrumKind::sygv, n, n));
  }
}

TYPED_TEST(Spectra, SingularValues) {
  for (const auto& [m, n] :
       {std::pair<Index, Index>{1, 1}, {1, 5}, {5, 1}, {7, 4}, {4, 7}, {40, 40}, {97, 70}, {70, 97}}) {
    SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n));
    this->check(this->problem(SpectrumKind::gesvd, m, n));
  }
}

/// Without vectors their arrays are not used.
TYPED_TEST(Spectra, ValuesAlone) {
  for (const SpectrumKind kind : {SpectrumKind::syev, SpectrumKind::sygv, SpectrumKind::gesvd}) {
    SpectrumProblem<TypeParam> p = this->problem(kind, 40, 40);
    p.job = ACCUBLAS_VALUES;
    const SpectrumAnswer<TypeParam> there = this->on_device(p), here = this->on_host(this->cpu, p);
    ASSERT_EQ(there.status, ACCUBLAS_SUCCESS) << this->gpu.error();
    this->expect_bits(there.v, p.v.data, "vectors");
    this->expect_bits(there.angle, here.angle, "angles");
    for (std::size_t k = 0; k < there.w.size(); ++k)
      EXPECT_LE(std::fabs(static_cast<long double>(there.w[k]) - here.w[k]),
                static_cast<long double>(there.radius[k]) + here.radius[k]);
  }
}

/// A power of two in A changes results by it alone, as far as they are normal numbers.
TYPED_TEST(Spectra, PowersOfTwo) {
  using T = Real<TypeParam>;
  const int most = sizeof(T) == 8 ? 900 : 60;
  for (const SpectrumKind kind : {SpectrumKind::syev, SpectrumKind::gesvd})
    for (const int e : {-most, most}) {
      SpectrumProblem<TypeParam> p = this->problem(kind, 33, 33);
      const SpectrumAnswer<TypeParam> plain = this->on_device(p);
      for (TypeParam& x : p.a.data) x *= static_cast<T>(std::ldexp(1.0, e));
      SpectrumAnswer<TypeParam> scaled = this->on_device(p);
      ASSERT_EQ(scaled.status, ACCUBLAS_SUCCESS) << this->gpu.error();
      for (std::size_t k = 0; k < scaled.w.size(); ++k)
        EXPECT_EQ(static_cast<double>(scaled.w[k]), std::ldexp(static_cast<double>(plain.w[k]), e)) << k;
      this->expect_bits(scaled.v, plain.v, "vectors");
    }
}

/// A multiple eigenvalue (of a multiple of I plus a matrix of rank 1), and singular values that are zero.
TYPED_TEST(Spectra, Clusters) {
  using E = TypeParam;
  const Index n = 48;
  SpectrumProblem<E> p = this->problem(SpectrumKind::syev, n, n);
  for (Index j = 0; j < n; ++j)
    for (Index i = j; i < n; ++i) p.a(i, j) = E(i == j ? Real<E>(2) : Real<E>(0)) - E(Real<E>(1) / 64);
  this->check(p);  // eigenvalues 2 (47 times) and 1.25
  const SpectrumAnswer<E> answer = this->on_device(p);
  EXPECT_EQ(answer.cluster[0], 1);
  for (std::size_t k = 1; k < answer.cluster.size(); ++k) EXPECT_EQ(answer.cluster[k], 2) << k;
  for (const auto& [rows, cols] : {std::pair<Index, Index>{50, 30}, {30, 50}, {30, 30}}) {
    SpectrumProblem<E> low = this->problem(SpectrumKind::gesvd, rows, cols);
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < cols; ++j) low.a(i, j) = low.a(i % 9, j);  // rank 9
    const SpectrumAnswer<E> there = this->on_device(low), here = this->on_host(this->cpu, low);
    ASSERT_EQ(there.status, ACCUBLAS_SUCCESS) << this->gpu.error();
    for (std::size_t k = 0; k < there.w.size(); ++k) {
      EXPECT_LE(std::fabs(static_cast<long double>(there.w[k]) - here.w[k]),
                static_cast<long double>(there.radius[k]) + here.radius[k]);
      EXPECT_EQ(there.w[k] > there.radius[k], k < 9) << k;
    }
  }
}

/// A GPU has no factorizations in `native`.
TYPED_TEST(Spectra, Native) {
  this->gpu.set("native");
  for (const SpectrumKind kind : {SpectrumKind::syev, SpectrumKind::sygv, SpectrumKind::gesvd}) {
    const SpectrumAnswer<TypeParam> answer = this->on_device(this->problem(kind, 20, 20));
    EXPECT_EQ(answer.status, ACCUBLAS_SUCCESS) << this->gpu.error();
  }
}

TYPED_TEST(Spectra, InfinitiesAndNaNs) {
  using E = TypeParam;
  using T = Real<E>;
  for (const SpectrumKind kind : {SpectrumKind::syev, SpectrumKind::syevx, SpectrumKind::sygv, SpectrumKind::gesvd})
    for (const T special : {std::numeric_limits<T>::infinity(), std::numeric_limits<T>::quiet_NaN()}) {
      SpectrumProblem<E> p = this->problem(kind, 9, 9);
      (kind == SpectrumKind::sygv ? p.b : p.a)(5, 3) = E(special);
      const SpectrumAnswer<E> there = this->on_device(p);
      EXPECT_EQ(there.status, ACCUBLAS_ERROR_NOT_CERTIFIED);
      EXPECT_EQ(there.certificate.reason, ACCUBLAS_REASON_NOT_FINITE);
      this->expect_same(there, this->on_host(this->cpu, p));
    }
}

TYPED_TEST(Spectra, NotDefinite) {
  SpectrumProblem<TypeParam> p = this->problem(SpectrumKind::sygv, 20, 20);
  p.b(7, 7) = -p.b(7, 7);
  const SpectrumAnswer<TypeParam> there = this->on_device(p);
  EXPECT_EQ(there.status, ACCUBLAS_ERROR_NOT_CERTIFIED);
  EXPECT_EQ(there.certificate.reason, ACCUBLAS_REASON_ILL_CONDITIONED);
  EXPECT_EQ(there.certificate.positive_definite, 0);
  for (const auto radius : there.radius) EXPECT_TRUE(std::isinf(radius));
}

TYPED_TEST(Spectra, NoElements) {
  for (const SpectrumKind kind : {SpectrumKind::syev, SpectrumKind::sygv, SpectrumKind::gesvd}) {
    const SpectrumProblem<TypeParam> p = this->problem(kind, 0, 0);
    EXPECT_EQ(this->on_device(p).status, ACCUBLAS_SUCCESS) << this->gpu.error();
  }
}

TYPED_TEST(Spectra, MixedMemoryIsRefused) {
  using E = TypeParam;
  for (const SpectrumKind kind : {SpectrumKind::syev, SpectrumKind::sygv, SpectrumKind::gesvd}) {
    const SpectrumProblem<E> p = this->problem(kind, 3, 3);
    SpectrumAnswer<E> r(p);
    const DeviceArray<E> a(p.a.data);
    EXPECT_EQ(call_spectrum<E>(this->gpu, p,
                               {a.data(), p.b.data.data(), r.w.data(), r.radius.data(), r.angle.data(),
                                r.cluster.data(), r.v.data(), r.vt.data()},
                               &r.certificate),
              ACCUBLAS_ERROR_POINTERS);
  }
}

/// The workspace bounds what products take, and changes no bits. The report names the GPU.
TYPED_TEST(Spectra, Workspace) {
  const SpectrumProblem<TypeParam> p = this->problem(SpectrumKind::syev, 200, 200);
  const SpectrumAnswer<TypeParam> plain = this->on_device(p);
  accublas_report_t report{};
  report.struct_size = sizeof report;
  EXPECT_EQ(accublas_report(this->gpu, &report), ACCUBLAS_SUCCESS);
  EXPECT_STREQ(report.backend, "cuda");
  const DeviceArray<unsigned char> buffer(std::vector<unsigned char>(std::size_t{8} << 20));
  ASSERT_EQ(accublas_set_workspace(this->gpu, buffer.data(), std::size_t{8} << 20), ACCUBLAS_SUCCESS);
  this->expect_same(this->on_device(p), plain);
}

}  // namespace
}  // namespace accublas::test
