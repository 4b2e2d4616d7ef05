// LAPACK's routines on the GPU against the CPU, bit by bit.
#pragma once

#include "test/gpu/factor_dp.hpp"

namespace accublas::test {
namespace {

enum class Kind { geqrf, orgqr, ormqr, gels, trtri, lauum, potri, getri };

constexpr Kind kinds[] = {Kind::geqrf, Kind::orgqr, Kind::ormqr, Kind::gels,
                          Kind::trtri, Kind::lauum, Kind::potri, Kind::getri};

constexpr bool is_inverse(Kind kind) { return kind >= Kind::trtri; }
constexpr bool has_info(Kind kind) { return kind >= Kind::gels && kind != Kind::lauum; }
enum class LapackData { tame, integers, zeros, huge, tiny, special, top, named };

constexpr LapackData all_lapack_data[] = {LapackData::tame, LapackData::integers, LapackData::zeros, LapackData::huge,
                                          LapackData::tiny, LapackData::special,  LapackData::top,   LapackData::named};

/// A call's arguments; tau is n x 1, C serves GELS as B.
template <class E>
struct LapackCall {
  Kind kind;
  Stored<E> a, c;
  std::vector<E> tau;
  Index m, n, k;  ///< k: reflectors, or right-hand sides of GELS
  accublas_side side;
  accublas_transpose trans;
  accublas_uplo uplo;
  accublas_diag diag;
  std::vector<std::int64_t> pivots;

  std::string describe() const {
    std::ostringstream out;
    out << "kind " << static_cast<int>(kind) << " m " << m << " n " << n << " k " << k << " layout " << a.layout
        << " lda " << a.ld << " side " << side << " trans " << trans << " uplo " << uplo << " diag " << diag;
    return out.str();
  }
};

/// With all reflectors of A, from the left.
template <class E>
LapackCall<E> whole_problem(Kind kind, const Stored<E>& a, accublas_transpose trans = ACCUBLAS_NO_TRANS) {
  const Index k = std::min(a.rows, a.cols);
  return {kind, a, a, {}, a.rows, a.cols, k, ACCUBLAS_LEFT, trans, ACCUBLAS_UPPER, ACCUBLAS_NON_UNIT, {}};
}

template <class E>
accublas_status call(accublas_context* context, const LapackCall<E>& p, E* a, E* tau, E* c, std::int64_t* pivots,
                     std::int64_t* info) {
  switch (p.kind) {
    case Kind::geqrf:
      return ACCUBLAS_OF(E, geqrf)(context, p.a.layout, p.m, p.n, a, p.a.ld, tau);
    case Kind::orgqr:
      return pick<E>(accublas_dorgqr, accublas_sorgqr, accublas_zungqr, accublas_cungqr)(context, p.a.layout, p.m, p.n,
                                                                                         p.k, a, p.a.ld, tau);
    case Kind::ormqr:
      return pick<E>(accublas_dormqr, accublas_sormqr, accublas_zunmqr, accublas_cunmqr)(
          context, p.a.layout, p.side, p.trans, p.m, p.n, p.k, a, p.a.ld, tau, c, p.c.ld);
    case Kind::gels:
      return ACCUBLAS_OF(E, gels)(context, p.a.layout, p.trans, p.m, p.n, p.k, a, p.a.ld, c, p.c.ld, info);
    case Kind::trtri:
      return ACCUBLAS_OF(E, trtri)(context, p.a.layout, p.uplo, p.diag, p.n, a, p.a.ld, info);
    case Kind::lauum:
      return ACCUBLAS_OF(E, lauum)(context, p.a.layout, p.uplo, p.n, a, p.a.ld);
    case Kind::potri:
      return ACCUBLAS_OF(E, potri)(context, p.a.layout, p.uplo, p.n, a, p.a.ld, info);
    default:
      return ACCUBLAS_OF(E, getri)(context, p.a.layout, p.n, a, p.a.ld, pivots, info);
  }
}

template <class E>
class Lapack : public FactorDp<E> {
 protected:
  using T = Real<E>;
  Context cpu{ACCUBLAS_BACKEND_CPU};

  E element(LapackData data, Index m, Index n) {
    const int range = sizeof(T) == 8 ? 1021 : 125;
    switch (data) {
      case LapackData::integers:
        return this->integer();
      case LapackData::zeros:
        return below(this->rng, 3) ? E(0) : this->integer();
      case LapackData::huge:  // norms beyond the largest number in some columns
        return this->number() * static_cast<T>(std::ldexp(1, range + static_cast<int>(below(this->rng, 3))));
      case LapackData::tiny:
        return this->number() * static_cast<T>(std::ldexp(1, -range - static_cast<int>(below(this->rng, 20))));
      case LapackData::special:
        if (below(this->rng, m * n) < 2)
          return E(below(this->rng, 2) ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::quiet_NaN());
        [[fallthrough]];
      default:
        return this->number();
    }
  }
  /// Fills with a structured or decaying matrix.
  void fill_named(Stored<E>& s) {
    const std::vector<const char*> names = matrix_names();
    const char* const name = names[static_cast<std::size_t>(below(this->rng, static_cast<Index>(names.size())))];
    std::vector<E> entries(static_cast<std::size_t>(s.rows * s.cols));
    matrices::fill(matrices::named(name), matrices::Side::a, Numbers<E>::complex, reinterpret_cast<T*>(entries.data()),
                   s.rows, s.cols, below(this->rng, 1000));
    for (Index j = 0; j < s.cols; ++j)
      for (Index i = 0; i < s.rows; ++i) s(i, j) = entries[static_cast<std::size_t>(i + j * s.rows)];
  }
  void fill(Stored<E>& s, LapackData data) {
    if (data == LapackData::named) return fill_named(s);
    // Some columns are zero, or from the diagonal on.
    for (Index j = 0; j < s.cols; ++j) {
      const Index zero = below(this->rng, 6);
      for (Index i = 0; i < s.rows; ++i)
        s(i, j) =
            data != LapackData::tame && (zero == 0 || (zero == 1 && i > j)) ? E(0) : element(data, s.rows, s.cols);
      if (data == LapackData::top && below(this->rng, 3)) raise(s, j);
    }
  }
  /// Brings the norm of a column into the last binade, or one of the next.
  void raise(Stored<E>& s, Index j) {
    T square{};
    for (Index i = 0; i < s.rows; ++i) square += static_cast<T>(std::norm(s(i, j)));
    int exponent = 0;
    std::frexp(std::sqrt(square) * T(1.001), &exponent);
    exponent = std::numeric_limits<T>::max_exponent - exponent - static_cast<int>(below(this->rng, 3));
    // The factor itself may be beyond the largest number.
    for (Index i = 0; i < s.rows; ++i)
      s(i, j) = s(i, j) * std::ldexp(T(1), exponent / 2) * std::ldexp(T(1), exponent - exponent / 2);
  }

  /// Makes the operands of a call. The reflectors that the routine reads are the CPU's.
  LapackCall<E> make(Kind kind, LapackData data, Index rows, Index cols) {
    Random& rng = this->rng;
    const bool left = below(rng, 2), none = below(rng, 2);
    const Index order = kind == Kind::orgqr || kind == Kind::ormqr ? std::max(rows, cols) : rows;
    const Index n = is_inverse(kind) ? order : kind == Kind::orgqr ? std::min(rows, cols) : cols;
    const Index reflectors = kind == Kind::geqrf ? std::min(order, n) : below(rng, std::min(rows, cols) + 1);
    const Index others = 1 + below(rng, 70);
    const Index a_cols = kind == Kind::ormqr ? reflectors : n;
    LapackCall<E> p{kind,
                    Stored<E>(rng, order, std::max<Index>(a_cols, 1)),
                    Stored<E>(rng, 1, 1),
                    {},
                    order,
                    n,
                    reflectors,
                    left ? ACCUBLAS_LEFT : ACCUBLAS_RIGHT,
                    none                  ? ACCUBLAS_NO_TRANS
                    : Numbers<E>::complex ? ACCUBLAS_CONJ_TRANS
                                          : ACCUBLAS_TRANS,
                    below(rng, 2) ? ACCUBLAS_UPPER : ACCUBLAS_LOWER,
                    is_inverse(kind) && below(rng, 4) == 0 ? ACCUBLAS_UNIT : ACCUBLAS_NON_UNIT,
                    {}};
    fill(p.a, data);
    if (is_inverse(kind)) {
      for (Index j = 0; j < n; ++j)
        for (Index i = 0; i < n; ++i)
          if (i != j && below(rng, 5) == 0) p.a(i, j) = E(0);
      // Mostly regular.
      if (below(rng, 8))
        for (Index i = 0; i < n; ++i)
          if (p.a(i, i) == E(0)) p.a(i, i) = E(static_cast<T>(2));
      p.pivots.resize(static_cast<std::size_t>(n));
      for (Index i = 0; i < n; ++i) p.pivots[static_cast<std::size_t>(i)] = i + 1 + below(rng, n - i);
    }
    p.tau.assign(static_cast<std::size_t>(std::max<Index>(1, std::min(order, std::max<Index>(a_cols, 1)))), E(T(7)));
    if (kind == Kind::orgqr || kind == Kind::ormqr) {
      cpu.set("cr");
      LapackCall<E> first = p;
      first.kind = Kind::geqrf;
      first.n = p.a.cols;
      EXPECT_EQ(call(cpu, first, p.a.data.data(), p.tau.data(), static_cast<E*>(nullptr), nullptr, nullptr),
                ACCUBLAS_SUCCESS)
          << cpu.error();
    }
    if (kind == Kind::ormqr) {
      p.m = left ? order : others, p.n = left ? others : order;
      p.c = Stored<E>(rng, p.m, p.n);
    } else if (kind == Kind::gels) {
      p.k = others;
      p.c = Stored<E>(rng, std::max(p.m, p.n), others);
    }
    if (kind == Kind::ormqr || kind == Kind::gels) {
      // One layout is the call's.
      const accublas_layout layout = p.a.layout;
      while (p.c.layout != layout) p.c = Stored<E>(rng, p.c.rows, p.c.cols);
      fill(p.c, data == LapackData::top ? data : LapackData::tame);
    }
    return p;
  }

  void expect_same(const LapackCall<E>& p, const std::string& mode) {
    cpu.set(mode);
    this->gpu.set(mode);
    LapackCall<E> want = p;
    std::int64_t info = -1;
    ASSERT_EQ(call(cpu, p, want.a.data.data(), want.tau.data(), want.c.data.data(), want.pivots.data(), &info),
              ACCUBLAS_SUCCESS)
        << cpu.error();
    for (const bool info_on_device : {false, true}) {
      if (info_on_device && !has_info(p.kind)) break;
      const DeviceArray<E> a(p.a.data), tau(p.tau), c(p.c.data);
      const DeviceArray<std::int64_t> pivots(p.pivots), device_info(std::vector<std::int64_t>{-1});
      std::int64_t got = -1;
      ASSERT_EQ(
          call(this->gpu, p, a.data(), tau.data(), c.data(), pivots.data(), info_on_device ? device_info.data() : &got),
          ACCUBLAS_SUCCESS)
          << this->gpu.error() << " " << p.describe();
      ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS) << this->gpu.error();
      // Without reflectors nothing is to be done.
      if (p.kind != Kind::ormqr || p.k > 0) {
        ASSERT_STREQ(this->gpu.report().backend, "cuda") << p.describe();
      }
      if (info_on_device) got = device_info.values()[0];
      if (has_info(p.kind)) {
        ASSERT_EQ(got, info) << p.describe();
      }
      expect_bits(p, "A", a.values(), want.a.data);
      expect_bits(p, "tau", tau.values(), want.tau);
      expect_bits(p, "C", c.values(), want.c.data);
      if (this->HasFatalFailure()) return;
    }
  }
  static void expect_bits(const LapackCall<E>& p, const std::string& what, const std::vector<E>& got,
                          const std::vector<E>& want) {
    for (std::size_t i = 0; i < want.size(); ++i)
      if (std::memcmp(&got[i], &want[i], sizeof(E)) != 0)
        FAIL() << what << " of " << p.describe() << " at " << i << ": " << got[i] << " for " << want[i];
  }
  /// A as GEQRF in dp leaves it, and the Q of ORGQR.
  std::pair<Stored<E>, Stored<E>> factored(const Stored<E>& a, const DeviceArray<E>& tau) {
    const DeviceArray<E> f(a.data);
    LapackCall<E> p = whole_problem(Kind::geqrf, a);
    std::pair<Stored<E>, Stored<E>> result{a, a};
    for (Stored<E>* to : {&result.first, &result.second}) {
      EXPECT_EQ(call(this->gpu, p, f.data(), tau.data(), static_cast<E*>(nullptr), nullptr, nullptr), ACCUBLAS_SUCCESS)
          << this->gpu.error();
      EXPECT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS) << this->gpu.error();
      to->data = f.values();
      this->expect_poison(a, *to);
      p.kind = Kind::orgqr;
    }
    return result;
  }
};

}  // namespace
}  // namespace accublas::test
