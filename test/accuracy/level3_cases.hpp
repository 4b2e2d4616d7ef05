// A product of level 3 or a solution with random operands, and its exact value by MPFR.
#pragma once

#include <complex>
#include <cstring>

#include "../level3_routines.hpp"
#include "harness.hpp"

namespace accuracy {
namespace {

using accublas::test::Arguments;
using accublas::test::Level3Routine;
using Index = std::int64_t;
using Number = std::complex<double>;  // of any of the types

/// The parts of a number exactly, and the magnitudes of the terms of each.
struct Exact {
  Reference re, im;

  void add_real(double x, double y) { add(re, x, y); }
  void add_product(const Number& x, const Number& y) {
    add(re, x.real(), y.real());
    add(re, -x.imag(), y.imag());
    add(im, x.real(), y.imag());
    add(im, x.imag(), y.real());
  }
  Exact scaled(const Number& alpha) const {
    Exact result;
    result.add_scaled(re, im, alpha.real(), 1);
    result.add_scaled(im, re, alpha.imag(), -1);
    return result;
  }
  void add(const Exact& other) {
    re.value.add(other.re.value), re.magnitude.add(other.re.magnitude);
    im.value.add(other.im.value), im.magnitude.add(other.im.magnitude);
  }

 private:
  static void add(Reference& to, double x, double y) {
    Real term(x);
    term.multiply(y);
    to.value.add(term);
    term.absolute();
    to.magnitude.add(term);
  }
  /// re += sign factor a, im += factor b.
  void add_scaled(const Reference& a, const Reference& b, double factor, double sign) {
    const auto to = [&](Reference& sum, const Reference& x, double by) {
      Reference scaled = x;
      scaled.value.multiply(by);
      scaled.magnitude.multiply(std::fabs(by));
      sum.value.add(scaled.value);
      sum.magnitude.add(scaled.magnitude);
    };
    to(re, a, sign * factor);
    to(im, b, factor);
  }
};

/// `ends`: products near the least numbers, and an alpha near the largest ones.
enum class Kind { wide, cancel, halfway, subnormal, ends };
constexpr Kind kinds[] = {Kind::wide, Kind::cancel, Kind::halfway, Kind::subnormal, Kind::ends};
constexpr const char* kind_names[] = {"wide", "cancel", "halfway", "subnormal", "ends"};

/// A column-major matrix of numbers with one part or two.
template <class T>
struct Stored {
  int parts = 1;
  Index ld = 1;
  std::vector<T> values;

  Stored(int parts_, Index rows, Index cols)
      : parts(parts_), ld(rows + 2), values(static_cast<std::size_t>(parts_ * ld * cols)) {}
  T* at(Index i, Index j) { return values.data() + parts * (i + j * ld); }
  const T* at(Index i, Index j) const { return values.data() + parts * (i + j * ld); }
  Number get(Index i, Index j) const { return {at(i, j)[0], parts == 2 ? at(i, j)[1] : 0}; }
  void put(Index i, Index j, const Number& x) {
    at(i, j)[0] = static_cast<T>(x.real());
    if (parts == 2) at(i, j)[1] = static_cast<T>(x.imag());
  }
  Number op(accublas_transpose trans, Index i, Index j) const {
    if (trans == ACCUBLAS_NO_TRANS) return get(i, j);
    return trans == ACCUBLAS_TRANS ? get(j, i) : std::conj(get(j, i));
  }
};

template <class T>
class Case {
 public:
  Case(Random& rng, const Level3Routine& routine, int parts, Kind kind)
      : routine_(routine),
        word_(routine.name + 1),
        kind_(kind),
        parts_(parts),
        x_{ACCUBLAS_COL_MAJOR,
           pick(rng, ACCUBLAS_LEFT, ACCUBLAS_RIGHT),
           pick(rng, ACCUBLAS_UPPER, ACCUBLAS_LOWER),
           pick(rng, ACCUBLAS_NO_TRANS, routine.other ? routine.other : ACCUBLAS_NO_TRANS),
           pick(rng, ACCUBLAS_NO_TRANS, pick(rng, ACCUBLAS_TRANS, ACCUBLAS_CONJ_TRANS)),
           pick(rng, ACCUBLAS_UNIT, ACCUBLAS_NON_UNIT),
           1 + below(rng, 8),
           1 + below(rng, 8),
           1 + below(rng, 30),
           0,
           0,
           0},
        a_(parts, edge(), edge()),
        b_(parts, edge(), edge()),
        c_(parts, edge(), edge()) {
    if (triangular() && below(rng, 2)) x_.transa = ACCUBLAS_CONJ_TRANS;
    if (is_hermitian_result()) x_.m = x_.n;
    x_.lda = a_.ld, x_.ldb = b_.ld, x_.ldc = c_.ld;
    fill(rng);
  }

  bool solves() const { return word_ == "trsm"; }
  Index terms() const { return square() ? order() : word_.substr(word_.size() - 2) == "2k" ? 2 * x_.k : x_.k; }
  Index rows() const { return square() ? x_.m : x_.n; }
  Index cols() const { return x_.n; }

  /// Runs the routine; the result is in C, or in B.
  accublas_status run(accublas_context* context, std::vector<T>& out) {
    Stored<T> b = b_, c = c_;
    const T alpha[2] = {static_cast<T>(alpha_.real()), static_cast<T>(alpha_.imag())};
    const T beta[2] = {static_cast<T>(beta_.real()), static_cast<T>(beta_.imag())};
    const accublas_status status =
        routine_.run(context, x_, alpha, a_.values.data(), b.values.data(), beta, c.values.data());
    out = routine_.in_place ? b.values : c.values;
    return status;
  }
  const Stored<T>& before() const { return routine_.in_place ? b_ : c_; }

  bool wanted(Index i, Index j) const { return square() || i == j || (i < j) == (x_.uplo == ACCUBLAS_UPPER); }

  /// alpha op(A) op(B) + beta C, or what stands for it.
  Exact exact(Index i, Index j) const {
    Exact sum;
    if (square()) {
      for (Index p = 0; p < order(); ++p) {
        if (x_.side == ACCUBLAS_LEFT ? !is_term(i, p) : !is_term(p, j)) continue;
        if (x_.side == ACCUBLAS_LEFT)
          sum.add_product(element_of_a(i, p), b_.get(p, j));
        else
          sum.add_product(b_.get(i, p), element_of_a(p, j));
      }
      sum = sum.scaled(alpha_);
    } else {
      const bool conjugates = word_.substr(0, 2) == "he";
      const auto other = conjugates ? ACCUBLAS_CONJ_TRANS : ACCUBLAS_TRANS;
      const auto product = [&](const Stored<T>& first, const Stored<T>& second) {
        Exact total;
        for (Index p = 0; p < x_.k; ++p) {
          const Number x = first.op(x_.transa, i, p);
          const Number y = word_ == "gemmt"                 ? second.op(x_.transb, p, j)
                           : x_.transa == ACCUBLAS_NO_TRANS ? second.op(other, p, j)
                                                            : second.get(p, j);
          total.add_product(x, y);
        }
        return total;
      };
      if (terms() == 2 * x_.k && word_.back() == 'k') {
        sum = product(a_, b_).scaled(alpha_);
        sum.add(product(b_, a_).scaled(conjugates ? std::conj(alpha_) : alpha_));
      } else {
        sum = product(a_, word_ == "gemmt" ? b_ : a_).scaled(alpha_);
      }
    }
    if (beta_ != 0.0 && !routine_.in_place) {
      Number c = c_.get(i, j);
      if (real_diagonal(i, j)) c.imag(0);
      sum.add_product(beta_, c);
    }
    if (real_diagonal(i, j)) sum.im = {};
    return sum;
  }

  /// Returns the numerator of an unknown of TRSM, alpha b - sum over the unknowns before it (with `all`: of the whole
  /// line), and sets its divisor.
  Exact numerator(const Stored<T>& solution, Index i, Index j, bool all, Number& divisor) const {
    Exact sum;
    sum.add_product(alpha_, b_.get(i, j));
    const bool left = x_.side == ACCUBLAS_LEFT;
    const Index own = left ? i : j;
    for (Index p = 0; p < order(); ++p)
      if (p != own || all)
        if (left ? is_term(i, p) : is_term(p, j))
          sum.add_product(-(left ? element_of_a(i, p) : element_of_a(p, j)),
                          left ? solution.get(p, j) : solution.get(i, p));
    divisor = element_of_a(own, own);
    return sum;
  }

  std::string trace() const {
    return std::string(routine_.name) + " " + kind_names[static_cast<int>(kind_)] + " side " + std::to_string(x_.side) +
           " uplo " + std::to_string(x_.uplo) + " op " + std::to_string(x_.transa) + " " + std::to_string(x_.transb) +
           " diag " + std::to_string(x_.diag) + " m " + std::to_string(x_.m) + " n " + std::to_string(x_.n) + " k " +
           std::to_string(x_.k);
  }
  int parts() const { return parts_; }

 private:
  static accublas_transpose pick(Random& rng, accublas_transpose one, accublas_transpose other) {
    return below(rng, 2) ? one : other;
  }
  bool square() const { return routine_.square; }
  bool triangular() const { return square() && routine_.in_place; }
  bool is_hermitian_result() const { return word_.substr(0, 3) == "her"; }
  bool real_diagonal(Index i, Index j) const { return is_hermitian_result() && i == j; }
  Index order() const { return x_.side == ACCUBLAS_LEFT ? x_.m : x_.n; }
  Index edge() const { return std::max({x_.m, x_.n, x_.k}); }
  bool held(Index i, Index j) const { return i == j || (i < j) == (x_.uplo == ACCUBLAS_UPPER); }

  /// Whether op(A)(i, j) is an entry of the triangle; always where A is symmetric.
  bool is_term(Index i, Index j) const {
    return !triangular() || (x_.transa == ACCUBLAS_NO_TRANS ? held(i, j) : held(j, i));
  }
  Number element_of_a(Index i, Index j) const {
    if (triangular()) return i == j && x_.diag == ACCUBLAS_UNIT ? Number(1) : a_.op(x_.transa, i, j);
    if (word_ == "symm") return held(i, j) ? a_.get(i, j) : a_.get(j, i);
    if (i == j) return a_.get(i, j).real();
    return held(i, j) ? a_.get(i, j) : std::conj(a_.get(j, i));
  }

  void fill(Random& rng) {
    constexpr int p = precision_of<T>, low = std::is_same_v<T, double> ? -1074 : -149;
    constexpr int power = std::is_same_v<T, double> ? 1000 : 120;
    const double width = std::is_same_v<T, double> ? 10 : 4;
    const auto odd = [&] { return static_cast<double>(2 * below(rng, 8) - 7); };
    const auto number = [&](int which) -> double {  // of A, B, C
      switch (kind_) {
        case Kind::wide:
          return spread<double>(rng, width * uniform(rng));
        case Kind::halfway:  // A B are odd multiples of half a unit of C's last place
          return which == 2 ? std::ldexp(std::floor(std::ldexp(1 + uniform(rng), p - 1)), 1 - p)
                            : std::ldexp(odd(), which == 1 || word_.substr(0, 4) == "trsm" ? -p : 0);
        case Kind::subnormal:
          return std::ldexp(spread<double>(rng, 1), which == 2 ? low + 8 : low / 2 + 12);
        case Kind::ends:
          return std::ldexp(spread<double>(rng, 1), which == 2 ? 0 : -power / 2);
        default:
          return spread<double>(rng, 1);
      }
    };
    for (Index j = 0; j < edge(); ++j)
      for (Index i = 0; i < edge(); ++i) {
        a_.put(i, j, {number(0), number(0)});
        b_.put(i, j, {number(1), number(1)});
        c_.put(i, j, {number(2), number(2)});
      }
    const double some[] = {1, -1, 0.3, -1.7};
    const bool plain = kind_ == Kind::halfway || kind_ == Kind::cancel || below(rng, 2);
    alpha_ = plain ? 1 : some[below(rng, 4)];
    beta_ = plain ? below(rng, 4) || kind_ == Kind::cancel ? 1.0 : 0.0 : some[below(rng, 4)];
    // HERK's factors are real, and so is HER2K's beta.
    if (parts_ == 2 && !plain && word_ != "herk") alpha_.imag(some[below(rng, 4)]);
    if (parts_ == 2 && !plain && !is_hermitian_result()) beta_.imag(some[below(rng, 4)]);
    if (parts_ == 2 && kind_ != Kind::halfway && word_ == "her2k") alpha_.imag(0.3);
    if (kind_ == Kind::ends) alpha_ *= std::ldexp(1, power);
    // Alpha and beta have the type of the routine.
    alpha_ = {static_cast<T>(alpha_.real()), static_cast<T>(alpha_.imag())};
    beta_ = {static_cast<T>(beta_.real()), static_cast<T>(beta_.imag())};
    if (square()) mark_unread(rng);
    if (kind_ == Kind::cancel) cancel();
  }

  /// NaN in what is not read; a triangle's diagonal away from zero.
  void mark_unread(Random& rng) {
    const double nan = std::nan("");
    for (Index j = 0; j < order(); ++j)
      for (Index i = 0; i < order(); ++i) {
        if (!held(i, j) || (triangular() && i == j && x_.diag == ACCUBLAS_UNIT)) a_.put(i, j, {nan, nan});
        if (i != j || (triangular() && x_.diag == ACCUBLAS_UNIT)) continue;
        if (word_ == "hemm") a_.put(i, i, {a_.get(i, i).real(), nan});
        if (triangular()) a_.put(i, i, {1 + uniform(rng), parts_ == 2 ? uniform(rng) - 0.5 : 0});
        if (solves() && kind_ == Kind::halfway) a_.put(i, i, {std::ldexp(1, static_cast<int>(below(rng, 3))), 0});
      }
    if (!solves()) return;
    // Quotients that are halfway: all terms but the first unknown's are zero, and that is 1.
    for (Index j = 0; j < order() && kind_ == Kind::halfway; ++j)
      for (Index i = 0; i < order(); ++i)
        if (held(i, j) && i != j) a_.put(i, j, {0, 0});
    const Index lines = x_.side == ACCUBLAS_LEFT ? x_.n : x_.m;
    const bool upper = (x_.uplo == ACCUBLAS_UPPER) == (x_.transa == ACCUBLAS_NO_TRANS);
    const Index first = upper == (x_.side == ACCUBLAS_LEFT) ? order() - 1 : 0;
    for (Index line = 0; line < lines && kind_ == Kind::halfway; ++line)
      for (Index q = 0; q < order(); ++q) {
        const double scale = element_of_a(q, q).real();
        const Number value = q == first
                                 ? Number(scale, 0)
                                 : Number(std::ldexp(std::floor(std::ldexp(1 + uniform(rng), precision_of<T> - 1)),
                                                     1 - precision_of<T>) *
                                              scale,
                                          0);
        if (x_.side == ACCUBLAS_LEFT)
          b_.put(q, line, value);
        else
          b_.put(line, q, value);
        if (q == first) continue;
        const double half = std::ldexp(below(rng, 2) ? scale : -scale, -precision_of<T>);
        const bool by_row = x_.side == ACCUBLAS_LEFT, plain = x_.transa == ACCUBLAS_NO_TRANS;
        if (by_row == plain)
          a_.put(q, first, {half, 0});
        else
          a_.put(first, q, {half, 0});
      }
  }

  /// C = -RN(alpha A B), beta = 1: what is left are the last bits.
  void cancel() {
    if (routine_.in_place) return;
    beta_ = 0;
    for (Index j = 0; j < cols(); ++j)
      for (Index i = 0; i < rows(); ++i)
        if (wanted(i, j)) {
          const Exact e = exact(i, j);
          c_.put(i, j,
                 {-static_cast<double>(e.re.value.template round<T>()),
                  -static_cast<double>(e.im.value.template round<T>())});
        }
    beta_ = 1;
  }

  const Level3Routine routine_;
  const std::string word_;  ///< the routine's name without its type
  const Kind kind_;
  const int parts_;
  Arguments x_;
  Stored<T> a_, b_, c_;
  Number alpha_, beta_;
};

}  // namespace
}  // namespace accuracy
