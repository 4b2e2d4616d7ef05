// Complex GEMM as real products of its components (components.hpp), which the engines of real GEMM compute: where alpha
// and beta are real, Re C and Im C are two results of GEMM of the same rows. Blocks of C are as large as the workspace
// has room for their lines.
//
// dp:repro is not local to the element: T* belongs to the call. There both components are one real GEMM with the lines
// of all of C, so that C must have a unit stride.

#include <algorithm>

#include "lib/base/error.hpp"
#include "lib/base/integers.hpp"
#include "lib/call/accuracy.hpp"
#include "lib/cpu/batch.hpp"
#include "lib/cpu/complex/components.hpp"
#include "lib/cpu/engines.hpp"

namespace accublas::cpu {

namespace {

/// The complex array as a real one.
template <class T>
T* components(Complex<T>* z) {
  return &z->re;
}

/// Lines first .. first + count - 1 of line(number) side by side, in memory `to`.
template <class T, class Line>
Matrix<const T> write_lines(Index first, Index count, Index terms, int threads, T* to, Line&& line) {
  parallel_for(count, threads, [&](Index i, int) {
    const auto entries = line(first + i);
    for (Index t = 0; t < terms; ++t) to[i * terms + t] = entries[t];
  });
  return {to, terms, 1};
}

template <class T>
class ComponentGemm {
 public:
  ComponentGemm(const Gemm<Complex<T>>& g, const Mode& mode, accublas_engine engine, RealGemm<T> real,
                Execution& execution)
      : g_(g), mode_(mode), engine_(engine), real_(real), execution_(execution), terms_(2 * g.k) {}

  /// Element-local modes. False, with nothing done, where the workspace cannot hold two lines.
  bool run_by_blocks() {
    Index rows = g_.m, cols = g_.n;
    const Index room = static_cast<Index>(execution_.workspace.available() / sizeof(T) / lines_share) / terms_;
    while (rows + cols > room && rows + cols > 2) {
      Index& longer = rows >= cols ? rows : cols;
      longer = longer > 2 * panel ? round_up(longer / 2, panel) : ceil_div(longer, Index{2});
    }
    if (rows + cols > room) return false;
    T* const row_memory = execution_.workspace.template take<T>(static_cast<std::size_t>(rows * terms_));
    T* const col_memory = execution_.workspace.template take<T>(static_cast<std::size_t>(cols * terms_));
    take_rest();
    const ComplexLines<T> a = lines_of_a(g_), b = lines_of_b(g_);
    for (Index i = 0; i < g_.m; i += rows) {
      const Index m = std::min(rows, g_.m - i);
      const auto x = write_lines(i, m, terms_, execution_.threads, row_memory, [&](Index line) {
        return RowLine<T>{a, line};
      });
      for (Index j = 0; j < g_.n; j += cols) {
        const Index n = std::min(cols, g_.n - j);
        for (const bool imaginary : {false, true}) {
          const auto y = write_lines(j, n, terms_, execution_.threads, col_memory, [&](Index line) {
            return ColumnLine<T>{b, line, imaginary};
          });
          Matrix<T> c{components(&g_.c(i, j)) + imaginary, 2 * g_.c.row_stride, 2 * g_.c.col_stride};
          multiply({m, n, terms_, g_.alpha.re, x, y.transposed(), g_.beta.re, c});
        }
      }
    }
    return true;
  }

  /// One real GEMM; columns of C are adjacent. False, with nothing done, where the workspace cannot hold the lines.
  bool run_at_once() {
    const Index lines = g_.m + 2 * g_.n;
    if (static_cast<std::size_t>(lines * terms_) * sizeof(T) > execution_.workspace.available() / lines_share)
      return false;
    T* const row_memory = execution_.workspace.template take<T>(static_cast<std::size_t>(g_.m * terms_));
    T* const col_memory = execution_.workspace.template take<T>(static_cast<std::size_t>(2 * g_.n * terms_));
    take_rest();
    const ComplexLines<T> a = lines_of_a(g_), b = lines_of_b(g_);
    const auto x = write_lines(0, g_.m, terms_, execution_.threads, row_memory, [&](Index line) {
      return RowLine<T>{a, line};
    });
    const auto y = write_lines(0, 2 * g_.n, terms_, execution_.threads, col_memory, [&](Index line) {
      return ColumnLine<T>{b, line / 2, line % 2 == 1};
    });
    multiply({g_.m,
              2 * g_.n,
              terms_,
              g_.alpha.re,
              x,
              y.transposed(),
              g_.beta.re,
              {components(g_.c.data), 2 * g_.c.row_stride, 1}});
    return true;
  }

 private:
  static constexpr Index panel = 32;             ///< of the engines
  static constexpr std::size_t lines_share = 4;  ///< lines take one part in so many of the workspace

  /// The engine has what the lines did not take.
  void take_rest() {
    Workspace& workspace = execution_.workspace;
    const std::size_t plan = workspace.available() / 64 * 64, bytes = workspace.left() / 64 * 64;
    rest_ = {workspace.template take<unsigned char>(bytes), bytes, plan};
  }

  void multiply(const Gemm<T>& g) {
    Workspace workspace(rest_);
    accublas_report_t report{};
    report.level = execution_.report.level;
    Execution execution{execution_.threads, execution_.isa,          workspace, report,
                        execution_.target,  execution_.engine_forced};
    try {
      real_(g, mode_, engine_, execution);
    } catch (const Error& error) {
      if (wrote_ && error.status() == ACCUBLAS_ERROR_MEMORY) throw Error(ACCUBLAS_ERROR_C_UNDEFINED, error.what());
      throw;
    }
    wrote_ = true;
    add_report(report, 1, execution_.report);
  }

  const Gemm<Complex<T>>& g_;
  const Mode& mode_;
  const accublas_engine engine_;
  const RealGemm<T> real_;
  Execution& execution_;
  const Index terms_;  ///< of a component
  Workspace::Part rest_{};
  bool wrote_ = false;
};

}  // namespace

template <class T>
void complex_gemm(const Gemm<Complex<T>>& g, const Mode& mode, accublas_engine engine, RealGemm<T> real,
                  Execution& execution) {
  require_no_target(mode, execution.target, sizeof(T) == 4);
  if (g.alpha.im != 0 || g.beta.im != 0) return complex_elements(g, mode, execution);
  const bool of_call = mode.kind == ACCUBLAS_MODE_DP || mode.kind == ACCUBLAS_MODE_SP;
  const Gemm<Complex<T>> by_columns = g.c.row_stride == 1 && g.m > 1 && of_call ? g.transposed() : g;
  const bool unit_stride = by_columns.c.col_stride == 1 || by_columns.n == 1;
  ComponentGemm<T> components(by_columns, mode, engine, real, execution);
  const bool done = of_call ? unit_stride && components.run_at_once() : components.run_by_blocks();
  if (!done) complex_elements(g, mode, execution);
}

template void complex_gemm(const Gemm<Complex<double>>&, const Mode&, accublas_engine, RealGemm<double>, Execution&);
template void complex_gemm(const Gemm<Complex<float>>&, const Mode&, accublas_engine, RealGemm<float>, Execution&);

}  // namespace accublas::cpu
