#include "lib/certified/host_place.hpp"

#include <atomic>
#include <cmath>
#include <cstring>
#include <vector>

#include "lib/base/aligned_memory.hpp"
#include "lib/cpu/eigensystem.hpp"
#include "lib/numerics/column_sums.hpp"
#include "lib/numerics/powers_of_two.hpp"

namespace accublas::certified {

namespace {

class HostPlace final : public Place {
 public:
  explicit HostPlace(const lapack::Calls& calls) : calls_(calls) {}

  bool on_device() const override { return false; }
  void* take(std::size_t bytes) override {
    void* const memory = allocate_aligned(bytes);
    if (!memory) throw std::bad_alloc();
    return memory;
  }
  void give_back(void* memory) noexcept override { std::free(memory); }

  void copy(void* to, std::size_t to_next, const void* from, std::size_t from_next, std::size_t width,
            Index lines) override {
    for (std::size_t i = 0; i < static_cast<std::size_t>(lines); ++i)
      std::memcpy(static_cast<std::byte*>(to) + i * to_next, static_cast<const std::byte*>(from) + i * from_next,
                  width);
  }

  void run(const ElementStep<double>& step, Index rows, Index cols) override {
    std::visit([&](const auto& one) { each(one, rows, cols); }, step);
  }
  void run(const SpectrumStep& step, Index rows, Index cols) override {
    std::visit([&](const auto& one) { each(one, rows, cols); }, step);
  }
  void load(const AnyOperand& a, Index rows, Index cols, double* to) override {
    std::visit(
        [&]<class E>(const Operand<E>& from) {
          each(RealParts<E>{{to, 1, is_complex<E> ? 2 * rows : rows}, from, rows, cols}, rows, cols);
        },
        a);
  }
  bool scale(Index rows, Index cols, double* a, const int* row, const int* column) override {
    std::atomic<bool> lost = false;
    calls_.for_rows(cols, [&](Index first, Index end) {
      bool rounded = false;
      for (Index j = first; j < end; ++j)
        for (Index i = 0; i < rows; ++i) rounded |= scale_loses(a[i + j * rows], row[i] + column[j]);
      if (rounded) lost = true;
    });
    return lost;
  }
  void exponents(Index rows, Index cols, const Matrix<const double>& m, const int* offsets, int* to) override {
    std::fill_n(to, rows, no_exponent);
    along_rows(rows, cols, m.row_stride == 1, [&](Index i, Index j) {
      if (const double x = m(i, j); x != 0) to[i] = std::max(to[i], exponent_of(x) + (offsets ? offsets[j] : 0));
    });
  }
  void row_sums(Index rows, Index cols, const Matrix<const double>& m, const double* v, double* to) override {
    std::fill_n(to, rows, 0.0);
    along_rows(rows, cols, m.row_stride == 1, [&](Index i, Index j) { to[i] += std::fabs(m(i, j)) * (v ? v[j] : 1); });
  }
  void column_norms(Index rows, Index cols, const double* m, double* to) override {
    for_columns(cols, [&](Index j) { to[j] = norm_up(rows, m + j * rows); });
  }
  void column_products(Index rows, Index cols, const double* x, const double* y, double* to) override {
    for_columns(cols, [&](Index j) {
      double sum = 0;
      for (Index i = j * rows; i < (j + 1) * rows; ++i) sum += x[i] * y[i];
      to[j] = sum;
    });
  }

  void eigensystem(Index n, const AnyColumns& a, double* w) override {
    std::visit([&](auto* x) { cpu::eigensystem(n, x, w); }, a);
  }
  void general_eigensystem(Index n, const AnyColumns& a, const AnyColumns& b, double* w) override {
    std::visit([&]<class E>(E* x) { cpu::general_eigensystem(n, x, std::get<E*>(b), w); }, a);
  }
  void singular_system(Index m, Index n, const AnyColumns& a, double* s, const AnyColumns& u, const AnyColumns& v,
                       bool /*fast*/) override {
    std::visit(
        [&]<class E>(E* x) {
          std::vector<E> vt(static_cast<std::size_t>(n * n));
          cpu::singular_system(m, n, x, s, std::get<E*>(u), vt.data());
          E* const to = std::get<E*>(v);
          for_columns(n, [&](Index j) {
            for (Index i = 0; i < n; ++i) to[i + j * n] = conjugate_if(true, vt[static_cast<std::size_t>(j + i * n)]);
          });
        },
        a);
  }

 private:
  template <class Body>
  void for_columns(Index cols, Body&& body) const {
    calls_.for_rows(cols, [&](Index first, Index end) {
      for (Index j = first; j < end; ++j) body(j);
    });
  }
  template <class Step>
  void each(const Step& step, Index rows, Index cols) const {
    for_columns(cols, [&](Index j) {
      for (Index i = 0; i < rows; ++i) step(i, j);
    });
  }
  /// Visits the columns of every row one after the other.
  template <class Body>
  void along_rows(Index rows, Index cols, bool columns_adjacent, Body&& body) const {
    calls_.for_rows(rows, [&](Index first, Index end) {
      if (columns_adjacent) {
        for (Index j = 0; j < cols; ++j)
          for (Index i = first; i < end; ++i) body(i, j);
      } else {
        for (Index i = first; i < end; ++i)
          for (Index j = 0; j < cols; ++j) body(i, j);
      }
    });
  }

  const lapack::Calls& calls_;
};

}  // namespace

std::unique_ptr<Place> host_place(const lapack::Calls& calls) { return std::make_unique<HostPlace>(calls); }

}  // namespace accublas::certified
