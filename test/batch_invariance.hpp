// Batch invariance: in the modes `cr`, `dot2`, `fixed:T` and `slices:D` an element of a product is a function of its
// row of op(A), its column of op(B), alpha, beta and its old value. So a row, a column, a block or a batch of rows has
// the bits that it has in the whole product, by whichever entry it is computed. The operands are in host memory
// (HostArray) or in device memory (DeviceArray of test/gpu/device.hpp).
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "test/context.hpp"
#include "test/typed_routines.hpp"

namespace accublas::test::invariance {

using Index = std::int64_t;
using Random = std::mt19937_64;
using Types = testing::Types<double, float, std::complex<double>, std::complex<float>>;

inline Index below(Random& rng, Index n) { return static_cast<Index>(rng() % static_cast<std::uint64_t>(n)); }

template <class T>
class HostArray {
 public:
  explicit HostArray(std::vector<T> values) : values_(std::move(values)) {}
  T* data() { return values_.data(); }
  const std::vector<T>& values() const { return values_; }

 private:
  std::vector<T> values_;
};

/// Returns a mode of batch invariance: round 0, 1, ... goes through their kinds.
inline std::string mode_of(Random& rng, int round) {
  switch (round % 5) {
    case 0:
      return "cr";
    case 1:
      return "dot2";
    case 2:
      return "fixed:" + std::to_string(2 + below(rng, 149));
    case 3:
      return "slices:" + std::to_string(1 + below(rng, 8));
    default:
      return "slices:" + std::to_string(1 + below(rng, 8)) + ":fast";
  }
}

/// Returns a matrix whose rows have different ranges, with some zeros. With `specials` it also holds some NaN, Inf,
/// subnormal and largest numbers.
template <class E>
std::vector<E> entries(Random& rng, Index rows, Index cols, bool specials) {
  using T = typed::Real<E>;
  const T few[] = {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity(),
                   -std::numeric_limits<T>::infinity(), std::numeric_limits<T>::denorm_min(),
                   std::numeric_limits<T>::max(),       T(-0.0)};
  const int range = static_cast<int>(below(rng, 3)) * 15;
  const auto number = [&](int exponent) {
    if (below(rng, 20) == 0) return T(0);
    if (specials && below(rng, 60) == 0) return few[below(rng, 6)];
    const double x = static_cast<double>(static_cast<std::int64_t>(rng())) * 0x1p-63;
    return static_cast<T>(std::ldexp(x, exponent + (range ? static_cast<int>(below(rng, range)) : 0)));
  };
  std::vector<E> x(static_cast<std::size_t>(rows * cols));
  for (Index i = 0; i < rows; ++i) {
    const int exponent = static_cast<int>(below(rng, 1 + range)) - range / 2;
    for (Index j = 0; j < cols; ++j) {
      E& element = x[static_cast<std::size_t>(i * cols + j)];
      if constexpr (typed::is_complex<E>) {
        const T real = number(exponent);
        element = {real, number(exponent)};
      } else {
        element = number(exponent);
      }
    }
  }
  return x;
}

/// op(X), whose element (i, j) lies at i row + j col.
template <class E>
struct Stored {
  Index ld, row, col;
  std::vector<E> values;

  E& operator()(Index i, Index j) { return values[static_cast<std::size_t>(i * row + j * col)]; }
  const E& operator()(Index i, Index j) const { return values[static_cast<std::size_t>(i * row + j * col)]; }

  Stored(Random& rng, accublas_layout layout, accublas_transpose trans, Index rows, Index cols, bool specials) {
    const bool rows_adjacent = (layout == ACCUBLAS_COL_MAJOR) == (trans == ACCUBLAS_NO_TRANS);
    ld = (rows_adjacent ? rows : cols) + below(rng, 3);
    row = rows_adjacent ? 1 : ld;
    col = rows_adjacent ? ld : 1;
    const std::vector<E> x = entries<E>(rng, rows, cols, specials);
    values.assign(static_cast<std::size_t>(ld * (rows_adjacent ? cols : rows)), E{});
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < cols; ++j) (*this)(i, j) = x[static_cast<std::size_t>(i * cols + j)];
  }
};

template <class E>
E factor(Random& rng) {
  const E factors[] = {E(1), E(-1), E(typed::Real<E>(0.7)), entries<E>(rng, 1, 1, false)[0]};
  return factors[below(rng, 4)];
}

/// Compares ways of computing one array of results with the first way.
template <class E, template <class> class Array>
class Ways {
 public:
  Ways(const Context& context, std::vector<E> start, std::string text)
      : context_(context), start_(std::move(start)), text_(std::move(text)) {}

  /// compute(c) makes the calls that overwrite the array c, and returns the first status other than success.
  template <class Compute>
  void way(const char* name, const Compute& compute) {
    if (testing::Test::HasFailure()) return;
    Array<E> c(start_);
    ASSERT_EQ(compute(c.data()), ACCUBLAS_SUCCESS) << name << ": " << text_ << ": " << context_.error();
    ASSERT_EQ(accublas_sync(context_), ACCUBLAS_SUCCESS) << name << ": " << text_ << ": " << context_.error();
    const std::vector<E> got = c.values();
    if (whole_.empty()) whole_ = got;
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_EQ(std::memcmp(&got[i], &whole_[i], sizeof(E)), 0)
          << name << ": " << text_ << ": element " << i << " of the array is " << got[i] << " and not " << whole_[i];
  }

 private:
  const Context& context_;
  std::vector<E> start_, whole_;
  std::string text_;
};

/// Makes calls for 0, 1, ..., count - 1 until one fails.
template <class Call>
accublas_status each(Index count, const Call& call) {
  accublas_status status = ACCUBLAS_SUCCESS;
  for (Index i = 0; i < count && status == ACCUBLAS_SUCCESS; ++i) status = call(i);
  return status;
}

/// Compares C = alpha op(A) op(B) + beta C as a whole with its rows, columns, blocks and elements, by GEMM, GEMMT,
/// GEMV, the routines with strides, and batches.
template <class E, template <class> class Array>
void check_gemm(Context& context, Random& rng, const std::string& mode, Index m, Index n, Index k) {
  context.set(mode);
  const accublas_layout layout = below(rng, 2) ? ACCUBLAS_ROW_MAJOR : ACCUBLAS_COL_MAJOR;
  const auto transpose = [&] { return static_cast<accublas_transpose>(ACCUBLAS_NO_TRANS + below(rng, 3)); };
  const accublas_transpose ta = transpose(), tb = transpose();
  const bool specials = below(rng, 4) == 0;
  const Stored<E> sa(rng, layout, ta, m, k, specials), sb(rng, layout, tb, k, n, specials),
      sc(rng, layout, ACCUBLAS_NO_TRANS, m, n, specials);
  const E alpha = factor<E>(rng), beta = below(rng, 3) ? factor<E>(rng) : E(0);
  Array<E> array_a(sa.values), array_b(sb.values);
  const E *const a = array_a.data(), *const b = array_b.data();

  const std::string text = mode + ", " + std::to_string(sizeof(E)) + " bytes, m " + std::to_string(m) + " n " +
                           std::to_string(n) + " k " + std::to_string(k) + " layout " + std::to_string(layout) +
                           " transa " + std::to_string(ta) + " transb " + std::to_string(tb);
  Ways<E, Array> ways(context, sc.values, text);
  const auto part = [&](E* c, Index i, Index rows, Index j, Index cols) {
    return typed::gemm(E{}, context, layout, ta, tb, rows, cols, k, &alpha, a + i * sa.row, sa.ld, b + j * sb.col,
                       sb.ld, &beta, c + i * sc.row + j * sc.col, sc.ld);
  };
  const auto blocks = [&](E* c, Index rows, Index cols) {
    return each((m + rows - 1) / rows, [&](Index q) {
      return each((n + cols - 1) / cols, [&](Index r) {
        return part(c, q * rows, std::min(rows, m - q * rows), r * cols, std::min(cols, n - r * cols));
      });
    });
  };
  ways.way("whole", [&](E* c) { return part(c, 0, m, 0, n); });
  ways.way("rows", [&](E* c) { return blocks(c, 1, n); });
  ways.way("columns", [&](E* c) { return blocks(c, m, 1); });
  const Index rows = 1 + below(rng, m), cols = 1 + below(rng, n);
  if (m * n / (rows * cols) < 100) ways.way("blocks", [&](E* c) { return blocks(c, rows, cols); });
  if (m * n < 100) ways.way("elements", [&](E* c) { return blocks(c, 1, 1); });

  if (!mode.starts_with("slices")) {
    const Index padding = 1 + below(rng, 200), all = k + padding;
    Stored<E> pa(rng, layout, ta, m, all, false), pb(rng, layout, tb, all, n, false);
    for (Index p = 0; p < all; ++p) {
      for (Index i = 0; i < m; ++i) pa(i, p) = p < k ? sa(i, p) : E{};
      for (Index j = 0; j < n; ++j) pb(p, j) = p < k ? sb(p, j) : E{};
    }
    Array<E> padded_a(pa.values), padded_b(pb.values);
    ways.way("with zeros behind the inner dimension", [&](E* c) {
      const accublas_status status = typed::gemm(E{}, context, layout, ta, tb, m, n, all, &alpha, padded_a.data(),
                                                 pa.ld, padded_b.data(), pb.ld, &beta, c, sc.ld);
      return status == ACCUBLAS_SUCCESS ? accublas_sync(context) : status;  // before the operands go
    });
  }

  // The vector of a GEMV has no conjugates, nor have strides.
  const bool conj_a = typed::is_complex<E> && ta == ACCUBLAS_CONJ_TRANS,
             conj_b = typed::is_complex<E> && tb == ACCUBLAS_CONJ_TRANS;
  if (!conj_b)
    ways.way("columns by GEMV", [&](E* c) {
      return each(n, [&](Index j) {
        return typed::gemv(E{}, context, layout, ta, ta == ACCUBLAS_NO_TRANS ? m : k, ta == ACCUBLAS_NO_TRANS ? k : m,
                           &alpha, a, sa.ld, b + j * sb.col, sb.row, &beta, c + j * sc.col, sc.row);
      });
    });
  if (!conj_a && !conj_b) {
    ways.way("rows by GEMV", [&](E* c) {
      const bool plain = tb == ACCUBLAS_NO_TRANS;
      return each(m, [&](Index i) {
        return typed::gemv(E{}, context, layout, plain ? ACCUBLAS_TRANS : ACCUBLAS_NO_TRANS, plain ? k : n,
                           plain ? n : k, &alpha, b, sb.ld, a + i * sa.row, sa.col, &beta, c + i * sc.row, sc.col);
      });
    });
    ways.way("rows from the last on, with strides", [&](E* c) {
      return typed::gemm_strided(E{}, context, m, n, k, &alpha, a + (m - 1) * sa.row, -sa.row, sa.col, b, sb.row,
                                 sb.col, &beta, c + (m - 1) * sc.row, -sc.row, sc.col);
    });
    ways.way("columns by GEMV with strides", [&](E* c) {
      return each(n, [&](Index j) {
        return typed::gemv_strided(E{}, context, m, k, &alpha, a, sa.row, sa.col, b + j * sb.col, sb.row, &beta,
                                   c + j * sc.col, sc.row);
      });
    });
  }

  ways.way("a batch of rows", [&](E* c) {
    return typed::gemm_strided_batched(E{}, context, layout, ta, tb, Index{1}, n, k, &alpha, a, sa.ld, sa.row, b, sb.ld,
                                       Index{0}, &beta, c, sc.ld, sc.row, m);
  });
  ways.way("a batch of columns", [&](E* c) {
    return typed::gemm_strided_batched(E{}, context, layout, ta, tb, m, Index{1}, k, &alpha, a, sa.ld, Index{0}, b,
                                       sb.ld, sb.col, &beta, c, sc.ld, sc.col, n);
  });
  ways.way("a batch of rows in any order, by pointers", [&](E* c) {
    using Number = std::conditional_t<typed::is_complex<E>, void, E>;
    std::vector<const Number*> at_a, at_b;
    std::vector<Number*> at_c;
    std::vector<Index> order(static_cast<std::size_t>(m));
    for (Index i = 0; i < m; ++i) order[static_cast<std::size_t>(i)] = i;
    std::shuffle(order.begin(), order.end(), rng);
    for (const Index i : order) {
      at_a.push_back(a + i * sa.row);
      at_b.push_back(b);
      at_c.push_back(c + i * sc.row);
    }
    Array<const Number*> as(at_a), bs(at_b);
    Array<Number*> cs(at_c);
    const accublas_status status = typed::gemm_batched(E{}, context, layout, ta, tb, Index{1}, n, k, &alpha, as.data(),
                                                       sa.ld, bs.data(), sb.ld, &beta, cs.data(), sc.ld, m);
    return status == ACCUBLAS_SUCCESS ? accublas_sync(context) : status;  // before the pointers go
  });

  if (m != n) return;
  const accublas_uplo uplo = below(rng, 2) ? ACCUBLAS_UPPER : ACCUBLAS_LOWER;
  ways.way("one triangle by GEMMT, the other one by GEMM", [&](E* c) {
    const accublas_status status =
        typed::gemmt(E{}, context, layout, uplo, ta, tb, n, k, &alpha, a, sa.ld, b, sb.ld, &beta, c, sc.ld);
    if (status != ACCUBLAS_SUCCESS) return status;
    return each(
        n, [&](Index i) { return uplo == ACCUBLAS_UPPER ? part(c, i, 1, 0, i) : part(c, i, 1, i + 1, n - i - 1); });
  });
}

/// Compares HEMM (SYMM), TRMM and TRSM with the same routines on one column of the result or, if the matrix is on the
/// right, one row. The routines of level 2 compute the columns too. TRSM has only `cr` and `dot2` of these modes.
template <class E, template <class> class Array>
void check_structured(Context& context, Random& rng, const std::string& mode, Index order, Index others) {
  context.set(mode);
  const accublas_uplo uplo = below(rng, 2) ? ACCUBLAS_UPPER : ACCUBLAS_LOWER;
  const accublas_transpose trans = static_cast<accublas_transpose>(ACCUBLAS_NO_TRANS + below(rng, 3));
  const accublas_diag diag = below(rng, 2) ? ACCUBLAS_UNIT : ACCUBLAS_NON_UNIT;
  const E alpha = factor<E>(rng), beta = factor<E>(rng), one(1);
  const std::vector<E> matrix = entries<E>(rng, order, order, false);
  Array<E> array_a(matrix);
  const E* const a = array_a.data();
  const std::string text = mode + ", " + std::to_string(sizeof(E)) + " bytes, order " + std::to_string(order) + " of " +
                           std::to_string(others) + ", uplo " + std::to_string(uplo) + " trans " +
                           std::to_string(trans) + " diag " + std::to_string(diag);
  for (const bool left : {true, false}) {
    const accublas_side side = left ? ACCUBLAS_LEFT : ACCUBLAS_RIGHT;
    const Index m = left ? order : others, n = left ? others : order, step = left ? order : 1;
    const std::vector<E> b_values = entries<E>(rng, m, n, false);
    Array<E> array_b(b_values);
    const E* const b = array_b.data();
    const auto alone = [&](const auto& call) {
      return [&, call](E* c) {
        return each(others, [&](Index i) { return call(c, i * step, left ? m : 1, left ? Index{1} : n); });
      };
    };
    const auto compare = [&](const char* name, const auto& call, const auto& by_level2) {
      Ways<E, Array> ways(context, b_values, std::string(name) + (left ? " left: " : " right: ") + text);
      ways.way("whole", [&](E* c) { return call(c, 0, m, n); });
      ways.way("alone", alone(call));
      if (left)
        ways.way("by level 2", [&](E* c) { return each(others, [&](Index i) { return by_level2(c, i * step); }); });
    };
    const auto hemm = [&](E* c, Index at, Index rows, Index cols) {
      return typed::hemm(E{}, context, ACCUBLAS_COL_MAJOR, side, uplo, rows, cols, &alpha, a, order, b + at, m, &beta,
                         c + at, m);
    };
    compare("HEMM", hemm, [&](E* c, Index at) {
      return typed::symv(E{}, context, ACCUBLAS_COL_MAJOR, uplo, order, &alpha, a, order, b + at, Index{1}, &beta,
                         c + at, Index{1});
    });
    compare(
        "TRMM",
        [&](E* c, Index at, Index rows, Index cols) {
          return typed::trmm(E{}, context, ACCUBLAS_COL_MAJOR, side, uplo, trans, diag, rows, cols, &one, a, order,
                             c + at, m);
        },
        [&](E* c, Index at) {
          return typed::trmv(E{}, context, ACCUBLAS_COL_MAJOR, uplo, trans, diag, order, a, order, c + at, Index{1});
        });
    if (mode != "cr" && mode != "dot2") continue;
    compare(
        "TRSM",
        [&](E* c, Index at, Index rows, Index cols) {
          return typed::trsm(E{}, context, ACCUBLAS_COL_MAJOR, side, uplo, trans, diag, rows, cols, &one, a, order,
                             c + at, m);
        },
        [&](E* c, Index at) {
          return typed::trsv(E{}, context, ACCUBLAS_COL_MAJOR, uplo, trans, diag, order, a, order, c + at, Index{1});
        });
  }
}

/// Checks products in `rounds` rounds, or up to the first failure. sizes(rng, round) returns m, n and k.
template <class E, template <class> class Array, class Sizes>
void check_products(Context& context, unsigned seed, int rounds, const Sizes& sizes) {
  Random rng(seed);
  for (int round = 0; round < rounds && !testing::Test::HasFailure(); ++round) {
    const auto [m, n, k] = sizes(rng, round);
    check_gemm<E, Array>(context, rng, mode_of(rng, round), m, n, k);
  }
}

/// Checks small products, for which there are kernels of their own, in batches too: orders up to `few` and `most`,
/// and up to `few_terms` and `most_terms` terms.
template <class E, template <class> class Array>
void check_small_products(Context& context, unsigned seed, int rounds, Index few, Index most, Index few_terms,
                          Index most_terms) {
  check_products<E, Array>(context, seed, rounds, [&](Random& rng, int round) {
    const Index side = round % 3 ? few : most, m = 1 + below(rng, side), n = round % 2 ? m : 1 + below(rng, side);
    return std::array{m, n, 1 + below(rng, round % 4 ? few_terms : most_terms)};
  });
}

/// Checks structured products and solutions of orders up to `most`, in the first rounds up to `few`.
template <class E, template <class> class Array>
void check_structured_products(Context& context, unsigned seed, int few_rounds, Index few, Index most, Index others) {
  Random rng(seed);
  for (int round = 0; round < 20 && !testing::Test::HasFailure(); ++round)
    check_structured<E, Array>(context, rng, mode_of(rng, round), 1 + below(rng, round < few_rounds ? few : most),
                               1 + below(rng, others));
}

}  // namespace accublas::test::invariance
