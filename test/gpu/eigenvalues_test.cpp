// Certified eigenvalues with operands in device memory: in cr the bits of host operands, and all that lies around the
// results as it was.
#include "test/gpu/factor_dp.hpp"

namespace accublas::test {
namespace {

template <class E>
struct EigenAnswer {
  accublas_status status;
  accublas_certificate_t certificate;
  std::vector<Real<E>> w, radius, angle;
  std::vector<std::int64_t> cluster;
  std::vector<E> v;
};

template <class E>
class Eigenvalues : public FactorDp<E> {
 protected:
  using T = Real<E>;
  Context cpu{ACCUBLAS_BACKEND_CPU};

  Stored<E> hermitian(Index n) {
    Stored<E> a(this->rng, n, n);
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i <= j; ++i) {
        const E x = this->number();
        if constexpr (Numbers<E>::complex) {
          a(i, j) = i == j ? E(x.real()) : x;
          a(j, i) = std::conj(a(i, j));
        } else {
          a(i, j) = a(j, i) = x;
        }
      }
    return a;
  }

  /// From number `il` on, or all without it.
  static accublas_status run(accublas_context* context, const Stored<E>& s, const void* a, T* w, T* radius, void* v,
                             T* angle, std::int64_t* cluster, accublas_certificate_t* certificate, Index il = 0) {
    using P = std::conditional_t<Numbers<E>::complex, void, E>;
    if (il > 0) {
      std::int64_t found = 0;
      const auto function = pick<E>(accublas_dsyevx_certified, accublas_ssyevx_certified, accublas_zheevx_certified,
                                    accublas_cheevx_certified);
      const accublas_status status = function(context, s.layout, ACCUBLAS_VECTORS, ACCUBLAS_INDICES, ACCUBLAS_LOWER,
                                              s.rows, static_cast<const P*>(a), s.ld, 0, 0, il, s.rows, &found, w,
                                              radius, static_cast<P*>(v), s.ld, angle, cluster, certificate);
      EXPECT_EQ(found, s.rows - il + 1);
      return status;
    }
    const auto function =
        pick<E>(accublas_dsyev_certified, accublas_ssyev_certified, accublas_zheev_certified, accublas_cheev_certified);
    return function(context, s.layout, ACCUBLAS_VECTORS, ACCUBLAS_LOWER, s.rows, static_cast<const P*>(a), s.ld, w,
                    radius, static_cast<P*>(v), s.ld, angle, cluster, certificate);
  }

  static EigenAnswer<E> empty(const Stored<E>& s) {
    const auto n = static_cast<std::size_t>(s.rows);
    EigenAnswer<E> answer{{}, {}, std::vector<T>(n), std::vector<T>(n), std::vector<T>(n), {}, s.data};
    answer.cluster.resize(n);
    answer.certificate.struct_size = sizeof answer.certificate;
    return answer;
  }
  EigenAnswer<E> on_host(const Stored<E>& s, Index il = 0) {
    EigenAnswer<E> r = empty(s);
    r.status = run(cpu, s, s.data.data(), r.w.data(), r.radius.data(), r.v.data(), r.angle.data(), r.cluster.data(),
                   &r.certificate, il);
    return r;
  }
  EigenAnswer<E> on_device(const Stored<E>& s, Index il = 0) {
    EigenAnswer<E> r = empty(s);
    const DeviceArray<E> a(s.data), v(s.data);
    const DeviceArray<T> w(r.w), radius(r.radius), angle(r.angle);
    const DeviceArray<std::int64_t> cluster(r.cluster);
    r.status = run(this->gpu, s, a.data(), w.data(), radius.data(), v.data(), angle.data(), cluster.data(),
                   &r.certificate, il);
    EXPECT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS);
    r.w = w.values(), r.radius = radius.values(), r.angle = angle.values(), r.cluster = cluster.values();
    r.v = v.values();
    EXPECT_EQ(std::memcmp(a.values().data(), s.data.data(), s.data.size() * sizeof(E)), 0) << "A was written to";
    return r;
  }
};

using EigenTypes = testing::Types<double, float, std::complex<double>, std::complex<float>>;
TYPED_TEST_SUITE(Eigenvalues, EigenTypes);

TYPED_TEST(Eigenvalues, BitsOfHostOperands) {
  using E = TypeParam;
  this->gpu.set("cr");
  this->cpu.set("cr");
  for (const Index n : {1, 2, 7, 40})
    for (const Index il : {Index{0}, (n + 1) / 2}) {
      const Stored<E> a = this->hermitian(n);
      const EigenAnswer<E> want = this->on_host(a, il), got = this->on_device(a, il);
      ASSERT_EQ(want.status, ACCUBLAS_SUCCESS) << this->cpu.error();
      ASSERT_EQ(got.status, ACCUBLAS_SUCCESS) << this->gpu.error();
      EXPECT_EQ(got.w, want.w);
      EXPECT_EQ(got.radius, want.radius);
      EXPECT_EQ(got.angle, want.angle);
      EXPECT_EQ(got.cluster, want.cluster);
      EXPECT_EQ(std::memcmp(got.v.data(), want.v.data(), want.v.size() * sizeof(E)), 0) << n;
      EXPECT_EQ(got.certificate.residual, want.certificate.residual);
    }
}

TYPED_TEST(Eigenvalues, MixedMemoryIsRefused) {
  using E = TypeParam;
  const Stored<E> s = this->hermitian(3);
  EigenAnswer<E> r = this->empty(s);
  const DeviceArray<E> a(s.data);
  EXPECT_EQ(this->run(this->gpu, s, a.data(), r.w.data(), r.radius.data(), r.v.data(), r.angle.data(), r.cluster.data(),
                      nullptr),
            ACCUBLAS_ERROR_POINTERS);
}

}  // namespace
}  // namespace accublas::test
