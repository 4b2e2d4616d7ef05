// Random calls of every routine that computes in a workspace, of all four types, by one way of calling them: operands
// are arrays of bytes, which a test may put where it likes.
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "accublas.h"
#include "test/typed_routines.hpp"

namespace any_call {

using Index = std::int64_t;
using Random = std::mt19937_64;
using Bytes = std::vector<unsigned char>;

inline Index below(Random& rng, Index n) { return static_cast<Index>(rng() % static_cast<std::uint64_t>(n)); }

struct Shape {
  Index m, n, k;
};
inline constexpr Index long_dimension = 1000;

/// Makes a call that may write an info. A call that fails leaves it as it was, unless its results are undefined.
template <class Call>
accublas_status with_info(const Call& call) {
  constexpr Index untouched = -77;
  Index info = untouched;
  const accublas_status status = call(&info);
  if (status != ACCUBLAS_SUCCESS && status != ACCUBLAS_ERROR_C_UNDEFINED && info != untouched)
    throw std::logic_error("a call failed with status " + std::to_string(status) + " and wrote info");
  return status;
}

/// A call of one routine. `run` takes the addresses of the operands, results and pivots among them, in host or device
/// memory; scalars and info lie in host memory.
struct Call {
  std::string name;
  std::vector<Bytes> operands;
  std::function<accublas_status(accublas_context*, const std::vector<void*>&)> run;
};

/// Which modes a routine has: those of GEMM, those of updates and of LAPACK's routines.
enum class Modes { products, exact };

namespace detail {

using namespace typed;

/// Draws the arguments of one call.
template <class E>
class Builder {
  using T = Real<E>;

 public:
  Builder(Random& random, const Shape& shape, bool real_scalars)
      : rng_(random), s_(shape), real_scalars_(real_scalars) {}

  Call build(const std::string& routine) {
    call_.name = routine;
    layout_ = coin() ? ACCUBLAS_COL_MAJOR : ACCUBLAS_ROW_MAJOR;
    const accublas_layout l = layout_;
    // A square operand is of the short dimension, where there is a long one.
    const bool left = std::max(s_.m, s_.n) > long_dimension ? s_.m <= s_.n : coin();
    const accublas_side side = left ? ACCUBLAS_LEFT : ACCUBLAS_RIGHT;
    const accublas_uplo uplo = coin() ? ACCUBLAS_UPPER : ACCUBLAS_LOWER;
    const accublas_diag diag = coin() ? ACCUBLAS_UNIT : ACCUBLAS_NON_UNIT;
    const accublas_transpose ta = any_transpose(), tb = any_transpose();
    const accublas_transpose symmetric = coin() ? ACCUBLAS_NO_TRANS : ACCUBLAS_TRANS,
                             adjoint = coin()          ? ACCUBLAS_NO_TRANS
                                       : is_complex<E> ? ACCUBLAS_CONJ_TRANS
                                                       : ACCUBLAS_TRANS;
    const Index m = s_.m, n = s_.n, k = s_.k, order = side == ACCUBLAS_LEFT ? m : n;
    const E alpha = scalar(), beta = coin() ? scalar() : E(0);
    const T real_alpha = std::real(alpha), real_beta = std::real(beta);
    describe(alpha, beta);
    if (routine == "gemm") {
      const Index lda = matrix(m, k, ta), ldb = matrix(k, n, tb), ldc = matrix(m, n);
      run([=](auto x, const P& p) {
        return gemm(E{}, x, l, ta, tb, m, n, k, &alpha, in(p, 0), lda, in(p, 1), ldb, &beta, out(p, 2), ldc);
      });
    } else if (routine == "gemm_strided_batched") {
      constexpr Index count = 3;
      const Index lda = matrix(count * m, k, ACCUBLAS_NO_TRANS, count), ldb = matrix(k, n),
                  ldc = matrix(m * count, n, ACCUBLAS_NO_TRANS, count);
      run([=](auto x, const P& p) {
        return gemm_strided_batched(E{}, x, l, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, m, n, k, &alpha, in(p, 0), lda,
                                    stride_of(l, m, k, lda), in(p, 1), ldb, Index{0}, &beta, out(p, 2), ldc,
                                    stride_of(l, m, n, ldc), count);
      });
    } else if (routine == "gemv") {
      const bool plain = ta == ACCUBLAS_NO_TRANS;
      const Index lda = matrix(m, k, ta), incx = vector(k), incy = vector(m);
      run([=](auto x, const P& p) {
        return gemv(E{}, x, l, ta, plain ? m : k, plain ? k : m, &alpha, in(p, 0), lda, in(p, 1), incx, &beta,
                    out(p, 2), incy);
      });
    } else if (routine == "dot") {
      const Index incx = vector(k), incy = vector(k);
      vector(1);
      run([=](auto x, const P& p) { return dotc(E{}, x, k, in(p, 0), incx, in(p, 1), incy, out(p, 2)); });
    } else if (routine == "symv") {
      const Index lda = matrix(n, n), incx = vector(n), incy = vector(n);
      run([=](auto x, const P& p) {
        return symv(E{}, x, l, uplo, n, &alpha, in(p, 0), lda, in(p, 1), incx, &beta, out(p, 2), incy);
      });
    } else if (routine == "trmv" || routine == "trsv") {
      const Index lda = matrix(n, n), incx = vector(n);
      const bool solve = routine == "trsv";
      run([=](auto x, const P& p) {
        return solve ? trsv(E{}, x, l, uplo, ta, diag, n, in(p, 0), lda, out(p, 1), incx)
                     : trmv(E{}, x, l, uplo, ta, diag, n, in(p, 0), lda, out(p, 1), incx);
      });
    } else if (routine == "ger") {
      const Index incx = vector(m), incy = vector(n), lda = matrix(m, n);
      run([=](auto x, const P& p) {
        return gerc(E{}, x, l, m, n, &alpha, in(p, 0), incx, in(p, 1), incy, out(p, 2), lda);
      });
    } else if (routine == "syr2") {
      const Index incx = vector(n), incy = vector(n), lda = matrix(n, n);
      run([=](auto x, const P& p) {
        return syr2(E{}, x, l, uplo, n, &alpha, in(p, 0), incx, in(p, 1), incy, out(p, 2), lda);
      });
    } else if (routine == "symm" || routine == "hemm") {
      const Index lda = matrix(order, order), ldb = matrix(m, n), ldc = matrix(m, n);
      const bool hermitian = routine == "hemm";
      run([=](auto x, const P& p) {
        return hermitian
                   ? hemm(E{}, x, l, side, uplo, m, n, &alpha, in(p, 0), lda, in(p, 1), ldb, &beta, out(p, 2), ldc)
                   : symm(E{}, x, l, side, uplo, m, n, &alpha, in(p, 0), lda, in(p, 1), ldb, &beta, out(p, 2), ldc);
      });
    } else if (routine == "syrk") {
      const Index lda = matrix(n, k, symmetric), ldc = matrix(n, n);
      run([=](auto x, const P& p) {
        return syrk(E{}, x, l, uplo, symmetric, n, k, &alpha, in(p, 0), lda, &beta, out(p, 1), ldc);
      });
    } else if (routine == "herk") {
      const Index lda = matrix(n, k, adjoint), ldc = matrix(n, n);
      run([=](auto x, const P& p) {
        return herk(E{}, x, l, uplo, adjoint, n, k, &real_alpha, in(p, 0), lda, &real_beta, out(p, 1), ldc);
      });
    } else if (routine == "syr2k") {
      const Index lda = matrix(n, k, symmetric), ldb = matrix(n, k, symmetric), ldc = matrix(n, n);
      run([=](auto x, const P& p) {
        return syr2k(E{}, x, l, uplo, symmetric, n, k, &alpha, in(p, 0), lda, in(p, 1), ldb, &beta, out(p, 2), ldc);
      });
    } else if (routine == "her2k") {
      const Index lda = matrix(n, k, adjoint), ldb = matrix(n, k, adjoint), ldc = matrix(n, n);
      run([=](auto x, const P& p) {
        return her2k(E{}, x, l, uplo, adjoint, n, k, &alpha, in(p, 0), lda, in(p, 1), ldb, &real_beta, out(p, 2), ldc);
      });
    } else if (routine == "gemmt") {
      const Index lda = matrix(n, k, ta), ldb = matrix(k, n, tb), ldc = matrix(n, n);
      run([=](auto x, const P& p) {
        return gemmt(E{}, x, l, uplo, ta, tb, n, k, &alpha, in(p, 0), lda, in(p, 1), ldb, &beta, out(p, 2), ldc);
      });
    } else if (routine == "trmm" || routine == "trsm") {
      const Index lda = matrix(order, order), ldb = matrix(m, n);
      const bool solve = routine == "trsm";
      run([=](auto x, const P& p) {
        return solve ? trsm(E{}, x, l, side, uplo, ta, diag, m, n, &alpha, in(p, 0), lda, out(p, 1), ldb)
                     : trmm(E{}, x, l, side, uplo, ta, diag, m, n, &alpha, in(p, 0), lda, out(p, 1), ldb);
      });
    } else if (routine == "getrf") {
      const Index lda = matrix(m, n);
      pivots(std::min(m, n));
      run([=](auto x, const P& p) {
        return with_info([&](Index* info) { return getrf(E{}, x, l, m, n, out(p, 0), lda, integers(p, 1), info); });
      });
    } else if (routine == "gesv" || routine == "getrs") {
      const Index lda = matrix(n, n), ldb = matrix(n, m);
      pivots(n);
      const bool factored = routine == "getrs";
      run([=](auto x, const P& p) {
        return with_info([&](Index* info) {
          return factored ? getrs(E{}, x, l, ta, n, m, in(p, 0), lda, integers(p, 2), out(p, 1), ldb)
                          : gesv(E{}, x, l, n, m, out(p, 0), lda, integers(p, 2), out(p, 1), ldb, info);
        });
      });
    } else if (routine == "potrf" || routine == "trtri" || routine == "lauum" || routine == "potri") {
      const Index lda = matrix(n, n);
      run([=](auto x, const P& p) {
        return with_info([&](Index* info) {
          return routine == "potrf"   ? potrf(E{}, x, l, uplo, n, out(p, 0), lda, info)
                 : routine == "trtri" ? trtri(E{}, x, l, uplo, diag, n, out(p, 0), lda, info)
                 : routine == "potri" ? potri(E{}, x, l, uplo, n, out(p, 0), lda, info)
                                      : lauum(E{}, x, l, uplo, n, out(p, 0), lda);
        });
      });
    } else if (routine == "posv" || routine == "potrs") {
      const Index lda = matrix(n, n), ldb = matrix(n, m);
      const bool factored = routine == "potrs";
      run([=](auto x, const P& p) {
        return with_info([&](Index* info) {
          return factored ? potrs(E{}, x, l, uplo, n, m, in(p, 0), lda, out(p, 1), ldb)
                          : posv(E{}, x, l, uplo, n, m, out(p, 0), lda, out(p, 1), ldb, info);
        });
      });
    } else if (routine == "getri") {
      const Index lda = matrix(n, n);
      pivots(n);
      run([=](auto x, const P& p) {
        return with_info([&](Index* info) { return getri(E{}, x, l, n, out(p, 0), lda, integers(p, 1), info); });
      });
    } else if (routine == "geqrf") {
      const Index lda = matrix(m, n);
      vector(std::min(m, n), 1);
      run([=](auto x, const P& p) { return geqrf(E{}, x, l, m, n, out(p, 0), lda, out(p, 1)); });
    } else if (routine == "orgqr") {
      const Index rows = std::max(m, n), cols = std::min(m, n), lda = matrix(rows, cols);
      vector(cols, 1);
      run([=](auto x, const P& p) { return orgqr(E{}, x, l, rows, cols, cols, out(p, 0), lda, in(p, 1)); });
    } else if (routine == "ormqr") {
      const Index reflectors = std::min(order, k), lda = matrix(order, reflectors);
      vector(reflectors, 1);
      const Index ldc = matrix(m, n);
      run([=](auto x, const P& p) {
        return ormqr(E{}, x, l, side, adjoint, m, n, reflectors, in(p, 0), lda, in(p, 1), out(p, 2), ldc);
      });
    } else if (routine == "gels") {
      const Index lda = matrix(m, n), ldb = matrix(std::max(m, n), k);
      run([=](auto x, const P& p) {
        return with_info(
            [&](Index* info) { return gels(E{}, x, l, adjoint, m, n, k, out(p, 0), lda, out(p, 1), ldb, info); });
      });
    }
    return call_;
  }

 private:
  using P = std::vector<void*>;

  static const E* in(const P& p, std::size_t i) { return static_cast<const E*>(p[i]); }
  static E* out(const P& p, std::size_t i) { return static_cast<E*>(p[i]); }
  static Index* integers(const P& p, std::size_t i) { return static_cast<Index*>(p[i]); }
  /// From a matrix of a batch to the next: along the dimension that the leading dimension does not count.
  static Index stride_of(accublas_layout layout, Index rows, Index cols, Index ld) {
    return ld * (layout == ACCUBLAS_COL_MAJOR ? cols : rows);
  }

  bool coin() { return below(rng_, 2) != 0; }
  accublas_transpose any_transpose() {
    const Index which = below(rng_, 3);
    return which == 0 ? ACCUBLAS_NO_TRANS : which == 1 ? ACCUBLAS_TRANS : ACCUBLAS_CONJ_TRANS;
  }

  T number() {
    const T x = static_cast<T>(static_cast<double>(rng_() >> 11) * 0x1p-52 - 1);
    return std::ldexp(x, static_cast<int>(below(rng_, 13)) - 6);
  }
  E element() {
    if constexpr (is_complex<E>)
      return {number(), number()};
    else
      return number();
  }
  E scalar() {
    const E x = below(rng_, 3) == 0 ? E(1) : element();
    if constexpr (is_complex<E>)
      if (real_scalars_) return E(x.real());
    return x;
  }

  template <class V>
  void add(const std::vector<V>& values) {
    Bytes bytes(values.size() * sizeof(V));
    if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    call_.operands.push_back(bytes);
  }
  /// A matrix op(X), rows x cols, with a heavy diagonal where it is square: its leading dimension. `count`: so many lie
  /// one after another, of rows / count rows each.
  Index matrix(Index rows, Index cols, accublas_transpose trans = ACCUBLAS_NO_TRANS, Index count = 1) {
    rows /= count;
    const bool transposed = trans != ACCUBLAS_NO_TRANS;
    const Index stored_rows = transposed ? cols : rows, stored_cols = transposed ? rows : cols;
    const bool by_columns = layout_ == ACCUBLAS_COL_MAJOR;
    const Index least = std::max<Index>(1, by_columns ? stored_rows : stored_cols),
                lines = by_columns ? stored_cols : stored_rows;
    const Index ld = least + below(rng_, 3);
    std::vector<E> x(static_cast<std::size_t>(ld * lines * count));
    for (E& one : x) one = element();
    if (rows == cols && count == 1)
      for (Index i = 0; i < rows; ++i) x[static_cast<std::size_t>(i * (ld + 1))] = E(static_cast<T>(64 * rows + 64));
    add(x);
    call_.name += " " + std::to_string(rows) + " x " + std::to_string(cols);
    return ld;
  }
  Index vector(Index n, Index increment = 0) {
    const Index inc = increment != 0 ? increment : below(rng_, 4) == 0 ? -2 : 1 + below(rng_, 2);
    std::vector<E> x(static_cast<std::size_t>(1 + (n > 0 ? n - 1 : 0) * std::abs(inc)));
    for (E& one : x) one = element();
    add(x);
    call_.name += " vector " + std::to_string(n);
    return inc;
  }
  /// Exchanges of rows that change nothing.
  void pivots(Index n) {
    std::vector<Index> x;
    for (Index i = 1; i <= n; ++i) x.push_back(i);
    add(x);
  }
  void describe(const E& alpha, const E& beta) {
    const char* const type = sizeof(E) == 16 ? "z" : sizeof(E) == 4 ? "s" : is_complex<E> ? "c" : "d";
    call_.name = type + call_.name + (layout_ == ACCUBLAS_COL_MAJOR ? " by columns" : " by rows");
    if (std::imag(alpha) != 0 || std::imag(beta) != 0) call_.name += " complex scalars";
    if (beta == E(0)) call_.name += " beta 0";
  }
  template <class Body>
  void run(Body&& body) {
    call_.run = [body](accublas_context* x, const std::vector<void*>& p) { return body(x, p); };
  }

  Random& rng_;
  const Shape s_;
  const bool real_scalars_;
  accublas_layout layout_ = ACCUBLAS_COL_MAJOR;
  Call call_;
};

}  // namespace detail

struct Routine {
  const char* name;
  Modes modes;
  const char* extents = "";  ///< dimensions that may be long while the others are short
};
inline const std::vector<Routine>& routines() {
  static const std::vector<Routine> list = {
      {"gemm", Modes::products, "mnk"}, {"gemm_strided_batched", Modes::products, "mnk"},
      {"gemv", Modes::products, "mk"},  {"dot", Modes::products, "k"},
      {"symv", Modes::products},        {"trmv", Modes::products},
      {"trsv", Modes::products},        {"ger", Modes::exact, "mn"},
      {"syr2", Modes::exact},           {"symm", Modes::products, "mn"},
      {"hemm", Modes::products, "mn"},  {"syrk", Modes::products, "k"},
      {"herk", Modes::products, "k"},   {"syr2k", Modes::products, "k"},
      {"her2k", Modes::products, "k"},  {"gemmt", Modes::products, "k"},
      {"trmm", Modes::products, "mn"},  {"trsm", Modes::products, "mn"},
      {"potrf", Modes::exact},          {"potrs", Modes::exact, "m"},
      {"posv", Modes::exact, "m"},      {"getrf", Modes::exact, "mn"},
      {"getrs", Modes::exact, "m"},     {"gesv", Modes::exact, "m"},
      {"trtri", Modes::exact},          {"lauum", Modes::exact},
      {"potri", Modes::exact},          {"getri", Modes::exact},
      {"geqrf", Modes::exact, "mn"},    {"orgqr", Modes::exact, "mn"},
      {"ormqr", Modes::exact, "mn"},    {"gels", Modes::exact, "mnk"}};
  return list;
}

/// `type`: one of s, d, c, z. Real scalars are those that complex products are made of real ones with.
inline Call random_call(Random& rng, const std::string& routine, char type, const Shape& shape, bool real_scalars) {
  switch (type) {
    case 's':
      return detail::Builder<float>(rng, shape, real_scalars).build(routine);
    case 'd':
      return detail::Builder<double>(rng, shape, real_scalars).build(routine);
    case 'c':
      return detail::Builder<std::complex<float>>(rng, shape, real_scalars).build(routine);
    default:
      return detail::Builder<std::complex<double>>(rng, shape, real_scalars).build(routine);
  }
}

/// A mode whose bits are defined, and an engine that may serve it.
struct ModeAndEngine {
  std::string mode, engine;
};
inline ModeAndEngine random_mode(Random& rng, Modes modes, char type) {
  const bool single = type == 's' || type == 'c';
  const std::string grade = single ? "sp:repro" : "dp:repro";
  if (modes == Modes::exact) return {below(rng, 2) ? "cr" : grade, "auto"};
  const char* const engines[] = {"auto", "int8", "fp64", "sums"};
  const std::string engine = engines[below(rng, 4)];
  switch (below(rng, 6)) {
    case 0:
      return {"cr", engine};
    case 1:
      return {grade, engine};
    case 2:
      return {"dot2", "auto"};
    case 3:
      return {"slices:" + std::to_string(1 + below(rng, 6)), "auto"};
    default:
      return {"fixed:" + std::to_string(2 + below(rng, below(rng, 2) ? 20 : 140)), engine};
  }
}

/// Whether an error says that a routine lacks the mode or the engine.
inline bool lacks(accublas_status status) {
  return status == ACCUBLAS_ERROR_MODE || status == ACCUBLAS_ERROR_ENGINE || status == ACCUBLAS_ERROR_UNAVAILABLE ||
         status == ACCUBLAS_ERROR_NO_BLAS;
}

}  // namespace any_call
