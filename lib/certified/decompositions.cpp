#include "lib/certified/decompositions.hpp"

#include <functional>

#include "lib/base/error.hpp"
#include "lib/certified/host_place.hpp"

namespace accublas::certified {

namespace {

/// A matrix that a decomposition reads and overwrites: m x n numbers E with adjacent columns.
template <class E>
class Numbers {
 public:
  Numbers(const Calls& calls, Index m, Index n)
      : m_(m), n_(n), count_(m * n * Index{sizeof(E) / sizeof(double)}), memory_(calls.place(), count_) {}

  E* data() const { return reinterpret_cast<E*>(memory_.data()); }
  void clear(const Calls& calls) const {
    calls.place().run(FillStep<double>{columns_at(memory_.data(), count_)}, count_, 1);
  }
  void read(const PartsView& a, const Calls& calls) const {
    if constexpr (is_complex<E>)
      calls.place().run(JoinStep{{data(), 1, m_}, a.re, a.re.block(a.im_rows, 0)}, m_, n_);
    else
      calls.copy(m_, n_, a.re, columns_at(data(), m_));
  }
  /// Writes parts with adjacent columns, in the order of columns or in the reverse one.
  void write(double* to, bool reversed, const Calls& calls) const {
    const Index step = reversed ? -m_ : m_;
    const Matrix<const E> from{data() + (reversed ? (n_ - 1) * m_ : 0), 1, step};
    if constexpr (is_complex<E>)
      calls.place().run(SplitStep{columns_at(to, 2 * m_), from, m_}, m_, n_);
    else
      calls.copy(m_, n_, from, columns_at(to, m_));
  }

  /// A copy in host memory.
  class Here {
   public:
    Here(const Numbers& of, const Calls& calls) : of_(of), calls_(calls), numbers_(of.count_) {
      calls_.copy(of_.count_, of_.memory_.data(), numbers_.data());
    }
    E* data() const { return reinterpret_cast<E*>(numbers_.data()); }
    void put() const { calls_.copy(of_.count_, numbers_.data(), of_.memory_.data()); }

   private:
    const Numbers& of_;
    const Calls& calls_;
    Array numbers_;
  };

 private:
  Index m_, n_, count_;
  Placed memory_;
};

/// Calls solve(), or solve_copies(place) with the place of the host if the device cannot do it.
void solve_where_possible(const Calls& calls, const std::function<void()>& solve,
                          const std::function<void(Place&)>& solve_copies) {
  try {
    solve();
  } catch (const Error& error) {
    if (!calls.place().on_device() || error.status() != ACCUBLAS_ERROR_UNAVAILABLE) throw;
    solve_copies(*host_place(calls));
  }
}

template <class E>
void eigensystem_of(const PartsView& a, const PartsView* b, double* w, double* vectors, const Calls& calls) {
  const Index n = a.n;
  const Numbers<E> x(calls, n, n), y(calls, b ? n : 0, b ? n : 0);
  x.read(a, calls);
  if (b) y.read(*b, calls);
  solve_where_possible(
      calls,
      [&] {
        b ? calls.place().general_eigensystem(n, x.data(), y.data(), w) : calls.place().eigensystem(n, x.data(), w);
      },
      [&](Place& host) {
        const typename Numbers<E>::Here x_here(x, calls), y_here(y, calls);
        b ? host.general_eigensystem(n, x_here.data(), y_here.data(), w) : host.eigensystem(n, x_here.data(), w);
        x_here.put();
      });
  x.write(vectors, false, calls);
}

template <class E>
ThinSystem thin_system_of(const PartsView& a, bool fast, const Calls& calls) {
  const Index m = a.m, n = a.n, parts = a.complex ? 2 : 1;
  const Numbers<E> x(calls, m, n), u(calls, m, n), v(calls, n, n);
  ThinSystem found{Array(n), numbers_at(calls, parts * m, n), numbers_at(calls, parts * n, n)};
  double* const values = found.values.data();
  std::fill_n(values, n, 0.0);
  x.read(a, calls);
  u.clear(calls);
  v.clear(calls);
  solve_where_possible(
      calls, [&] { calls.place().singular_system(m, n, x.data(), values, u.data(), v.data(), fast); },
      [&](Place& host) {
        const typename Numbers<E>::Here x_here(x, calls), u_here(u, calls), v_here(v, calls);
        host.singular_system(m, n, x_here.data(), values, u_here.data(), v_here.data(), fast);
        u_here.put();
        v_here.put();
      });
  std::reverse(values, values + n);
  u.write(found.u.data(), true, calls);
  v.write(found.v.data(), true, calls);
  return found;
}

}  // namespace

void eigensystem_of_parts(const PartsView& a, double* w, double* vectors, const Calls& calls) {
  a.complex ? eigensystem_of<Complex<double>>(a, nullptr, w, vectors, calls)
            : eigensystem_of<double>(a, nullptr, w, vectors, calls);
}

void general_eigensystem_of_parts(const PartsView& a, const PartsView& b, double* w, double* vectors,
                                  const Calls& calls) {
  a.complex ? eigensystem_of<Complex<double>>(a, &b, w, vectors, calls)
            : eigensystem_of<double>(a, &b, w, vectors, calls);
}

ThinSystem thin_system_of_parts(const PartsView& a, bool fast, const Calls& calls) {
  return a.complex ? thin_system_of<Complex<double>>(a, fast, calls) : thin_system_of<double>(a, fast, calls);
}

}  // namespace accublas::certified
