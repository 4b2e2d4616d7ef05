// Certified solutions whose matrices are in device memory: in cr and dp:repro the CPU's X, radii and certificate, bit
// by bit, and all that lies around them; in dp and sp balls that hold cr's.
#include "test/gpu/factor_dp.hpp"
#include "test/gpu/stream.hpp"

namespace accublas::test {
namespace {

enum class SystemData { tame, ill, worse, singular, graded, scattered, overflow, special_a, special_b };
constexpr SystemData all_system_data[] = {SystemData::tame,     SystemData::ill,       SystemData::worse,
                                          SystemData::singular, SystemData::graded,    SystemData::scattered,
                                          SystemData::overflow, SystemData::special_a, SystemData::special_b};

/// A call's arguments, x and radius as they are before it.
template <class E>
struct LinearSystem {
  bool symmetric;
  accublas_uplo uplo;
  Index n, sides;
  Stored<E> a, b, x, radius;
  std::string text;
};
struct Pointers {
  const void *a, *b;
  void *x, *radius;
};
template <class E>
struct Answer {
  accublas_status status;
  accublas_certificate_t certificate;
  std::vector<E> x, radius;
};

template <class E>
accublas_status solve(accublas_context* context, const LinearSystem<E>& p, const Pointers& at,
                      accublas_certificate_t* certificate) {
  using P = std::conditional_t<Numbers<E>::complex, void, E>;
  const auto *const a = static_cast<const P*>(at.a), *const b = static_cast<const P*>(at.b);
  auto *const x = static_cast<P*>(at.x), *const radius = static_cast<P*>(at.radius);
  if (p.symmetric)
    return ACCUBLAS_OF(E, posv_certified)(context, p.a.layout, p.uplo, p.n, p.sides, a, p.a.ld, b, p.b.ld, x, p.x.ld,
                                          radius, p.radius.ld, certificate);
  return ACCUBLAS_OF(E, gesv_certified)(context, p.a.layout, p.n, p.sides, a, p.a.ld, b, p.b.ld, x, p.x.ld, radius,
                                        p.radius.ld, certificate);
}

template <class E>
Answer<E> on_host(accublas_context* context, const LinearSystem<E>& p) {
  Answer<E> answer{{}, {}, p.x.data, p.radius.data};
  answer.certificate.struct_size = sizeof answer.certificate;
  answer.status =
      solve(context, p, {p.a.data.data(), p.b.data.data(), answer.x.data(), answer.radius.data()}, &answer.certificate);
  return answer;
}
template <class E>
Answer<E> on_device(accublas_context* context, const LinearSystem<E>& p) {
  const DeviceArray<E> a(p.a.data), b(p.b.data), x(p.x.data), radius(p.radius.data);
  Answer<E> answer{};
  answer.certificate.struct_size = sizeof answer.certificate;
  answer.status = solve(context, p, {a.data(), b.data(), x.data(), radius.data()}, &answer.certificate);
  EXPECT_EQ(accublas_sync(context), ACCUBLAS_SUCCESS);
  answer.x = x.values(), answer.radius = radius.values();
  const auto same = [](const std::vector<E>& got, const std::vector<E>& want) {
    return std::memcmp(got.data(), want.data(), got.size() * sizeof(E)) == 0;
  };
  EXPECT_TRUE(same(a.values(), p.a.data)) << "A was written to";
  EXPECT_TRUE(same(b.values(), p.b.data)) << "B was written to";
  return answer;
}

template <class E>
class Certified : public FactorDp<E> {
 protected:
  using T = Real<E>;
  Context cpu{ACCUBLAS_BACKEND_CPU};

  static E times(const E& x, int e) {
    const auto scaled = [e](T part) { return static_cast<T>(std::ldexp(double(part), e)); };
    if constexpr (Numbers<E>::complex)
      return {scaled(x.real()), scaled(x.imag())};
    else
      return scaled(x);
  }
  static E conjugate(const E& x) {
    if constexpr (Numbers<E>::complex)
      return std::conj(x);
    else
      return x;
  }

  Stored<E> stored(Index rows, Index cols, accublas_layout layout) {
    Stored<E> s(this->rng, rows, cols);
    while (s.layout != layout) s = Stored<E>(this->rng, rows, cols);
    return s;
  }

  LinearSystem<E> make(SystemData data, bool symmetric, Index n, Index sides) {
    Random& rng = this->rng;
    Stored<E> a(rng, n, n);
    LinearSystem<E> p{symmetric,
                      below(rng, 2) ? ACCUBLAS_UPPER : ACCUBLAS_LOWER,
                      n,
                      sides,
                      a,
                      stored(n, sides, a.layout),
                      stored(n, sides, a.layout),
                      stored(n, sides, a.layout),
                      {}};
    Dense<E> m(n, n);
    for (E& x : m.data) x = data == SystemData::singular ? this->integer() : this->number();
    const int wide = sizeof(T) == 8 ? 450 : 40;
    const double condition = data == SystemData::worse ? 1e18 : sizeof(T) == 8 ? 1e15 : 1e6;
    if (symmetric) {
      // Definite by its diagonal, or hardly so.
      for (Index j = 0; j < n; ++j)
        for (Index i = 0; i < j; ++i) m(j, i) = conjugate(m(i, j));
      for (Index i = 0; i < n; ++i)
        m(i, i) = E(static_cast<T>(data == SystemData::ill || data == SystemData::worse || data == SystemData::singular
                                       ? 0.3 * std::sqrt(double(n))
                                       : double(n)));
    } else if (n > 1 && (data == SystemData::ill || data == SystemData::worse || data == SystemData::singular)) {
      for (Index j = 0; j < n; ++j)
        m(0, j) = m(1, j) + (data == SystemData::singular ? E(0) : m(0, j) * static_cast<T>(1 / condition));
    } else if (data == SystemData::singular) {
      for (E& x : m.data) x = E(0);
    }
    std::vector<int> row(static_cast<std::size_t>(n)), column = row;
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = static_cast<int>(below(rng, 2 * wide)) - wide;
      column[i] = symmetric ? row[i] : static_cast<int>(below(rng, 2 * wide)) - wide;
    }
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < n; ++i) {
        E& x = m(i, j);
        if (data == SystemData::graded)
          x = times(x, row[static_cast<std::size_t>(i)] + column[static_cast<std::size_t>(j)]);
        // Scaling loses some of these small entries.
        if (data == SystemData::scattered && i != j && !symmetric)
          x = times(x, -static_cast<int>(below(rng, sizeof(T) == 8 ? 1074 : 149)));
        if (data == SystemData::overflow) x = times(x, -wide - wide);
        const bool held = p.uplo == ACCUBLAS_UPPER ? i <= j : i >= j;
        if (!symmetric || held) p.a(i, j) = x;
      }
    const T infinity = std::numeric_limits<T>::infinity();
    if (data == SystemData::special_a) {
      const Index i = below(rng, n), j = below(rng, n);
      (symmetric ? p.a(i, i) : p.a(i, j)) = below(rng, 2) ? E(infinity) : Stored<E>::poison();
    }
    for (Index c = 0; c < sides; ++c)
      for (Index i = 0; i < n; ++i) {
        p.b(i, c) = data == SystemData::overflow ? times(this->number(), wide + wide) : this->number();
        if (c == 1) p.b(i, c) = E(0);
      }
    if (data == SystemData::special_b && sides > 0) p.b(below(rng, n), below(rng, sides)) = E(-infinity);
    std::ostringstream text;
    text << "data " << static_cast<int>(data) << (symmetric ? " posv" : " gesv") << " n " << n << " sides " << sides
         << " layout " << p.a.layout << " uplo " << p.uplo << " lda " << p.a.ld << " ldb " << p.b.ld << " ldx "
         << p.x.ld << " ldr " << p.radius.ld;
    p.text = text.str();
    return p;
  }

  void expect_same(const LinearSystem<E>& p, const std::string& what, const Answer<E>& got, const Answer<E>& want) {
    SCOPED_TRACE(p.text + " " + what);
    ASSERT_EQ(got.status, want.status) << this->gpu.error() << " for " << cpu.error();
    const accublas_certificate_t &g = got.certificate, &w = want.certificate;
    ASSERT_EQ(g.reason, w.reason);
    ASSERT_EQ(g.parts, w.parts);
    ASSERT_EQ(bits(g.contraction), bits(w.contraction)) << g.contraction << " for " << w.contraction;
    ASSERT_EQ(bits(g.condition), bits(w.condition)) << g.condition << " for " << w.condition;
    ASSERT_EQ(g.positive_definite, w.positive_definite);
    ASSERT_EQ(g.iterations, w.iterations);
    expect_bits("x", got.x, want.x);
    expect_bits("radius", got.radius, want.radius);
  }
  static void expect_bits(const char* what, const std::vector<E>& got, const std::vector<E>& want) {
    for (std::size_t i = 0; i < want.size(); ++i)
      if (std::memcmp(&got[i], &want[i], sizeof(E)) != 0)
        FAIL() << what << " at " << i << ": " << got[i] << " for " << want[i];
  }

  /// Returns the status.
  accublas_status expect_the_cpus(const LinearSystem<E>& p, const std::string& mode) {
    cpu.set(mode);
    this->gpu.set(mode);
    const Answer<E> want = on_host<E>(cpu, p);
    EXPECT_TRUE(want.status == ACCUBLAS_SUCCESS || want.status == ACCUBLAS_ERROR_NOT_CERTIFIED) << cpu.error();
    expect_same(p, mode + " in device memory", on_device<E>(this->gpu, p), want);
    expect_same(p, mode + " in host memory", on_host<E>(this->gpu, p), want);
    if (p.n > 0) {
      EXPECT_STREQ(this->gpu.report().backend, "cuda");
    }
    return want.status;
  }
};
TYPED_TEST_SUITE(Certified, FactorTypes);

TYPED_TEST(Certified, Small) {
  const std::string repro = sizeof(Real<TypeParam>) == 8 ? "dp:repro" : "sp:repro";
  const Index sizes[] = {1, 2, 5, 33}, sides[] = {1, 3, 0, 70};
  int turn = 0, certified = 0, refused = 0;
  for (const SystemData data : all_system_data)
    for (const bool symmetric : {false, true})
      for (const Index n : sizes) {
        const Index nrhs = sides[static_cast<std::size_t>(turn / 3 % 4)];
        const accublas_status status =
            this->expect_the_cpus(this->make(data, symmetric, n, nrhs), ++turn % 2 ? "cr" : repro);
        ++(status == ACCUBLAS_SUCCESS ? certified : refused);
        if (testing::Test::HasFailure()) return;
      }
  EXPECT_GT(certified, 20);
  EXPECT_GT(refused, 10);
  this->expect_the_cpus(this->make(SystemData::tame, false, 0, 3), "cr");
  this->expect_the_cpus(this->make(SystemData::tame, true, 0, 0), "cr");
}

TYPED_TEST(Certified, Large) {
  const std::string repro = sizeof(Real<TypeParam>) == 8 ? "dp:repro" : "sp:repro";
  const Index n = this->complex ? 75 : 150;
  for (const bool symmetric : {false, true}) {
    EXPECT_EQ(this->expect_the_cpus(this->make(SystemData::tame, symmetric, n, 3), "cr"), ACCUBLAS_SUCCESS);
    EXPECT_EQ(this->expect_the_cpus(this->make(SystemData::graded, symmetric, n, 1), repro), ACCUBLAS_SUCCESS);
  }
  this->expect_the_cpus(this->make(SystemData::ill, false, n, 1), repro);
  this->expect_the_cpus(this->make(SystemData::scattered, false, n, 1), repro);
}

/// In dp the inverse has other bits, and so may the radii.
TYPED_TEST(Certified, Grade) {
  using E = TypeParam;
  for (const bool symmetric : {false, true})
    for (const SystemData data : {SystemData::tame, SystemData::ill}) {
      const LinearSystem<E> p = this->make(data, symmetric, this->complex ? 60 : 140, 2);
      this->gpu.set("cr");
      const Answer<E> want = on_device<E>(this->gpu, p);
      this->gpu.set(this->grade);
      const Answer<E> got = on_device<E>(this->gpu, p);
      ASSERT_EQ(got.status, want.status) << p.text << " " << this->gpu.error();
      ASSERT_EQ(got.status, ACCUBLAS_SUCCESS) << p.text << " " << this->gpu.error();
      Stored<E> x = p.x, radius = p.radius, other = p.x, other_radius = p.radius;
      x.data = got.x, radius.data = got.radius, other.data = want.x, other_radius.data = want.radius;
      for (Index c = 0; c < p.sides; ++c)
        for (Index i = 0; i < p.n; ++i)
          for (int part = 0; part < (this->complex ? 2 : 1); ++part) {
            const auto of = [&](const Stored<E>& s) {
              return part == 0 ? double(std::real(s(i, c))) : double(std::imag(s(i, c)));
            };
            ASSERT_LE(std::fabs(of(x) - of(other)), of(radius) + of(other_radius)) << p.text << " at " << i;
          }
    }
}

using CertifiedD = Certified<double>;

TEST_F(CertifiedD, MixedMemoryIsRefusedByName) {
  const LinearSystem<double> p = make(SystemData::tame, false, 5, 2);
  const DeviceArray<double> a(p.a.data), b(p.b.data), x(p.x.data), radius(p.radius.data);
  std::vector<double> host_x = p.x.data, host_radius = p.radius.data;
  const Pointers there{a.data(), b.data(), x.data(), radius.data()},
      here{p.a.data.data(), p.b.data.data(), host_x.data(), host_radius.data()};
  const auto refused = [&](const Pointers& at, const char* name) {
    EXPECT_EQ(solve(gpu, p, at, nullptr), ACCUBLAS_ERROR_POINTERS) << name;
    EXPECT_NE(gpu.error().find("argument " + std::string(name) + " is in device memory"), std::string::npos)
        << gpu.error();
  };
  refused({there.a, here.b, here.x, here.radius}, "a");
  refused({here.a, there.b, here.x, here.radius}, "b");
  refused({here.a, here.b, there.x, here.radius}, "x");
  refused({here.a, here.b, here.x, there.radius}, "radius");
  refused({here.a, there.b, there.x, there.radius}, "b");
  EXPECT_EQ(solve(cpu, p, there, nullptr), ACCUBLAS_ERROR_POINTERS) << "backend cpu";
  expect_bits("x", x.values(), p.x.data);
  expect_bits("x", host_x, p.x.data);
}

/// Calls that wait for the device are refused in graphs; otherwise a call follows the work on its stream.
TEST_F(CertifiedD, Streams) {
  const LinearSystem<double> p = make(SystemData::tame, false, 40, 1);
  gpu.set("cr");
  cpu.set("cr");
  const Answer<double> want = on_host<double>(cpu, p);
  const Stream stream;
  ASSERT_EQ(accublas_set_stream(gpu, stream), ACCUBLAS_SUCCESS);
  {
    const DeviceArray<double> a(p.a.data), b(p.b.data), x(p.x.data), radius(p.radius.data);
    cudaGraph_t graph = nullptr;
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    EXPECT_EQ(solve(gpu, p, {a.data(), b.data(), x.data(), radius.data()}, nullptr), ACCUBLAS_ERROR_DEVICE);
    EXPECT_NE(gpu.error().find("captured"), std::string::npos) << gpu.error();
    ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    cudaGraphDestroy(graph);
    expect_bits("x", x.values(), p.x.data);
    expect_bits("radius", radius.values(), p.radius.data);
    // A is there when the stream has come so far.
    LinearSystem<double> late = p;
    std::fill(late.a.data.begin(), late.a.data.end(), 0.0);
    const DeviceArray<double> late_a(late.a.data);
    Answer<double> got{};
    ASSERT_EQ(cudaMemcpyAsync(late_a.data(), a.data(), a.size() * sizeof(double), cudaMemcpyDeviceToDevice, stream),
              cudaSuccess);
    got.status = solve(gpu, p, {late_a.data(), b.data(), x.data(), radius.data()}, nullptr);
    EXPECT_EQ(got.status, ACCUBLAS_SUCCESS) << gpu.error();
    expect_bits("x", x.values(), want.x);
    expect_bits("radius", radius.values(), want.radius);
  }
  // The workspace of the user's is for the calls within.
  const DeviceArray<char> workspace(std::size_t{64} << 20);
  ASSERT_EQ(accublas_set_workspace(gpu, workspace.data(), workspace.size()), ACCUBLAS_SUCCESS) << gpu.error();
  expect_same(p, "in a workspace", on_device<double>(gpu, p), want);
  ASSERT_EQ(accublas_set_workspace(gpu, nullptr, 0), ACCUBLAS_SUCCESS);
  ASSERT_EQ(accublas_set_stream(gpu, nullptr), ACCUBLAS_SUCCESS);
}

}  // namespace
}  // namespace accublas::test
