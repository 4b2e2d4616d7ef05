// Routines of level 2 on the GPU against the CPU, bit by bit.
#pragma once

#include <cmath>
#include <cstring>
#include <functional>

#include "test/gpu/gemm_problem.hpp"
#include "test/gpu/stream.hpp"

namespace accublas::test {
namespace {

struct Arguments {
  accublas_layout layout;
  accublas_uplo uplo;
  accublas_transpose trans;
  accublas_diag diag;
  Index m, n, lda, incx, incy;
};

enum class Form { gemv, symv, hemv, trmv, ger, syr, her, syr2, her2 };
constexpr bool is_update(Form form) { return form >= Form::ger; }
constexpr bool is_hermitian(Form form) { return form == Form::hemv || form == Form::her || form == Form::her2; }

/// alpha and beta are numbers of the routine, of which BLAS may read the real part alone.
using Run = accublas_status (*)(accublas_context*, const Arguments&, const void* alpha, void* a, void* x,
                                const void* beta, void* y);

struct Level2Routine {
  const char* name;
  Form form;
  Run run;
};

#define ARGUMENTS                                                                                      \
  [](accublas_context * ctx, const Arguments& s, [[maybe_unused]] const void* alpha, void* a, void* x, \
     [[maybe_unused]] const void* beta, [[maybe_unused]] void* y) -> accublas_status

#define OF(E, p) static_cast<const E*>(p)

#define GEMV(name, E)                                                                                           \
  {                                                                                                             \
#name, Form::gemv, ARGUMENTS {                                                                              \
      return accublas_##name(ctx, s.layout, s.trans, s.m, s.n, OF(E, alpha), OF(E, a), s.lda, OF(E, x), s.incx, \
                             OF(E, beta), static_cast<E*>(y), s.incy);                                          \
    }                                                                                                           \
  }

#define SYMV(name, form, E)                                                                                            \
  {                                                                                                                    \
#name, Form::form, ARGUMENTS {                                                                                     \
      return accublas_##name(ctx, s.layout, s.uplo, s.n, OF(E, alpha), OF(E, a), s.lda, OF(E, x), s.incx, OF(E, beta), \
                             static_cast<E*>(y), s.incy);                                                              \
    }                                                                                                                  \
  }

#define TRMV(name, E)                                                                                          \
  {                                                                                                            \
#name, Form::trmv, ARGUMENTS {                                                                             \
      return accublas_##name(ctx, s.layout, s.uplo, s.trans, s.diag, s.n, OF(E, a), s.lda, static_cast<E*>(x), \
                             s.incx);                                                                          \
    }                                                                                                          \
  }

#define GER(name, E)                                                                                    \
  {                                                                                                     \
#name, Form::ger, ARGUMENTS {                                                                       \
      return accublas_##name(ctx, s.layout, s.m, s.n, OF(E, alpha), OF(E, x), s.incx, OF(E, y), s.incy, \
                             static_cast<E*>(a), s.lda);                                                \
    }                                                                                                   \
  }

#define SYR(name, form, F, E)                                                                                        \
  {                                                                                                                  \
#name, Form::form, ARGUMENTS {                                                                                   \
      return accublas_##name(ctx, s.layout, s.uplo, s.n, OF(F, alpha), OF(E, x), s.incx, static_cast<E*>(a), s.lda); \
    }                                                                                                                \
  }

#define SYR2(name, form, E)                                                                                \
  {                                                                                                        \
#name, Form::form, ARGUMENTS {                                                                         \
      return accublas_##name(ctx, s.layout, s.uplo, s.n, OF(E, alpha), OF(E, x), s.incx, OF(E, y), s.incy, \
                             static_cast<E*>(a), s.lda);                                                   \
    }                                                                                                      \
  }

#define REAL(p, E) \
  SYMV(p##symv, symv, E), TRMV(p##trmv, E), GER(p##ger, E), SYR(p##syr, syr, E, E), SYR2(p##syr2, syr2, E)

#define COMPLEX(p, T)                                                                                          \
  GEMV(p##gemv, void), SYMV(p##hemv, hemv, void), TRMV(p##trmv, void), GER(p##geru, void), GER(p##gerc, void), \
      SYR(p##her, her, T, void), SYR2(p##her2, her2, void)

/// By precision: real ones, then complex ones.
template <class T>
std::vector<Level2Routine> real_routines() {
  if constexpr (sizeof(T) == 8)
    return {REAL(d, double)};
  else
    return {REAL(s, float)};
}

template <class T>
std::vector<Level2Routine> complex_routines() {
  if constexpr (sizeof(T) == 8)
    return {COMPLEX(z, double)};
  else
    return {COMPLEX(c, float)};
}

#undef ARGUMENTS
#undef OF
#undef GEMV
#undef SYMV
#undef TRMV
#undef GER
#undef SYR
#undef SYR2
#undef REAL
#undef COMPLEX

template <class T>
class Level2 : public testing::Test {
 protected:
  Context cpu{ACCUBLAS_BACKEND_CPU}, gpu{ACCUBLAS_BACKEND_CUDA};
  Random rng{17};

  struct Problem {
    Arguments s;
    T alpha[2], beta[2];
    std::vector<T> a, x, y;
    std::string text;
  };

  static constexpr T nan = std::numeric_limits<T>::quiet_NaN();

  /// op(A) of GEMV and A of GER are m x n, the others are of order n.
  Problem make(const Level2Routine& r, Index parts, Index m, Index n, const Kind& kind) {
    const auto pick = [&](auto... choices) {
      const std::array all{choices...};
      return all[static_cast<std::size_t>(below(rng, static_cast<Index>(all.size())))];
    };
    const bool triangle = r.form != Form::gemv && r.form != Form::ger;
    if (triangle) m = n;
    Problem p;
    p.s = {pick(ACCUBLAS_COL_MAJOR, ACCUBLAS_ROW_MAJOR),
           pick(ACCUBLAS_UPPER, ACCUBLAS_LOWER),
           pick(ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS, ACCUBLAS_CONJ_TRANS),
           pick(ACCUBLAS_UNIT, ACCUBLAS_NON_UNIT),
           m,
           n,
           std::max(m, n) + below(rng, 3),
           pick(Index{1}, Index{1}, Index{2}, Index{-1}, Index{-3}),
           pick(Index{1}, Index{1}, Index{3}, Index{-1}, Index{-2})};
    p.alpha[0] = pick(T(1), T(-0.7), T(0.3));
    p.beta[0] = pick(T(0), T(1), T(1.3));
    p.alpha[1] = pick(T(0), T(0), T(0.9));
    p.beta[1] = pick(T(0), T(0), T(-0.4));
    const bool transposed = r.form == Form::gemv && p.s.trans != ACCUBLAS_NO_TRANS;
    if (transposed) std::swap(p.s.m, p.s.n);
    GemmEntries<T> e = make_entries<T>(kind, m, 1, parts * n, rng);
    const Index ld = p.s.lda;
    p.a.assign(static_cast<std::size_t>(parts * ld * ld), nan);
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j < n; ++j) {
        // Entries that are not read are the other triangle, a unit diagonal, and the imaginary parts of a Hermitian
        // diagonal.
        const bool stored = !triangle || (p.s.uplo == ACCUBLAS_UPPER ? i <= j : i >= j);
        if (!stored || (r.form == Form::trmv && p.s.diag == ACCUBLAS_UNIT && i == j)) continue;
        const Index at = (p.s.layout == ACCUBLAS_COL_MAJOR) != transposed ? i + j * ld : i * ld + j;
        for (Index part = 0; part < parts; ++part)
          if (!(is_hermitian(r.form) && i == j && part == 1))
            p.a[static_cast<std::size_t>(parts * at + part)] = e.A(i, parts * j + part);
      }
    const auto vector = [&](Index count, Index increment, auto&& entry) {
      std::vector<T> v(static_cast<std::size_t>(parts * ((count - 1) * std::abs(increment) + 1)), nan);
      for (Index i = 0; i < count; ++i)
        for (Index part = 0; part < parts; ++part)
          v[static_cast<std::size_t>(parts * (increment > 0 ? i : count - 1 - i) * std::abs(increment) + part)] =
              entry(i, part);
      return v;
    };
    const Index x_length = r.form == Form::ger ? m : n, y_length = r.form == Form::gemv ? m : n;
    p.x = vector(x_length, p.s.incx, [&](Index i, Index part) {
      const T b = e.B((parts * i + part) % (parts * n), 0);
      return part == 1 && !is_update(r.form) ? -b : b;
    });
    p.y = vector(y_length, p.s.incy, [&](Index i, Index part) {
      return is_update(r.form) ? e.A(i % m, (parts * i + part) % (parts * n))
                               : e.c[static_cast<std::size_t>((i + part) % m)];
    });
    std::ostringstream out;
    out << r.name << " " << kind.name() << " layout " << p.s.layout << " uplo " << p.s.uplo << " trans " << p.s.trans
        << " diag " << p.s.diag << " m " << p.s.m << " n " << p.s.n << " lda " << ld << " incx " << p.s.incx << " incy "
        << p.s.incy << " alpha " << p.alpha[0] << " " << p.alpha[1] << " beta " << p.beta[0] << " " << p.beta[1];
    p.text = out.str();
    return p;
  }

  static const std::vector<T>& result(const Level2Routine& r, const std::vector<T>& a, const std::vector<T>& x,
                                      const std::vector<T>& y) {
    return is_update(r.form) ? a : r.form == Form::trmv ? x : y;
  }

  std::vector<T> on_host(const Context& context, const Level2Routine& r, const Problem& p, const std::string& what) {
    std::vector<T> a = p.a, x = p.x, y = p.y;
    EXPECT_EQ(r.run(context, p.s, p.alpha, a.data(), x.data(), p.beta, y.data()), ACCUBLAS_SUCCESS)
        << what << " " << p.text << " " << context.error();
    return result(r, a, x, y);
  }

  std::vector<T> on_device(const Level2Routine& r, const Problem& p, const std::string& what,
                           bool device_scalars = false) {
    const DeviceArray<T> a(p.a), x(p.x), y(p.y), alpha({p.alpha[0], p.alpha[1]}), beta({p.beta[0], p.beta[1]});
    accublas_set_pointer_mode(gpu, device_scalars ? ACCUBLAS_POINTER_DEVICE : ACCUBLAS_POINTER_HOST);
    EXPECT_EQ(r.run(gpu, p.s, device_scalars ? alpha.data() : p.alpha, a.data(), x.data(),
                    device_scalars ? beta.data() : p.beta, y.data()),
              ACCUBLAS_SUCCESS)
        << what << " " << p.text << " " << gpu.error();
    EXPECT_EQ(accublas_sync(gpu), ACCUBLAS_SUCCESS) << gpu.error();
    EXPECT_STREQ(gpu.report().backend, "cuda");
    accublas_set_pointer_mode(gpu, ACCUBLAS_POINTER_HOST);
    return is_update(r.form) ? a.values() : r.form == Form::trmv ? x.values() : y.values();
  }

  static std::string difference(const std::vector<T>& want, const std::vector<T>& got) {
    for (std::size_t i = 0; i < want.size(); ++i)
      if (bits(want[i]) != bits(got[i])) {
        std::ostringstream out;
        out << "at " << i << " of " << want.size() << ": want " << want[i] << " got " << got[i] << std::hex << " "
            << bits(want[i]) << " " << bits(got[i]);
        return out.str();
      }
    return "";
  }

  void expect_same(const Level2Routine& r, const Problem& p, const std::string& what, bool everywhere = false) {
    const std::vector<T> want = on_host(cpu, r, p, what);
    ASSERT_EQ(difference(want, on_device(r, p, what)), "") << what << " " << p.text;
    if (!everywhere) return;
    ASSERT_EQ(difference(want, on_host(gpu, r, p, what)), "") << "host operands " << what << " " << p.text;
    EXPECT_STREQ(gpu.report().backend, "cuda");
    if (r.form == Form::gemv || r.form == Form::trmv) {
      ASSERT_EQ(difference(want, on_device(r, p, what, true)), "") << "device scalars " << what << " " << p.text;
    }
  }

  void for_routines(const std::function<void(const Level2Routine&, Index parts)>& body) {
    for (const Level2Routine& r : real_routines<T>()) body(r, 1);
    for (const Level2Routine& r : complex_routines<T>()) body(r, 2);
  }

  void set(const std::string& mode) {
    cpu.set(mode);
    gpu.set(mode);
  }
};

using Types = testing::Types<double, float>;

const std::vector<std::string> level2_modes = {"cr",      "dp:repro", "dot2",         "fixed:53",
                                               "fixed:9", "slices:3", "slices:2:fast"};

/// Updates lack fixed and slices.
bool has_mode(const Level2Routine& r, const std::string& mode) {
  return !is_update(r.form) || (mode[0] != 'f' && mode[0] != 's');
}

}  // namespace
}  // namespace accublas::test
