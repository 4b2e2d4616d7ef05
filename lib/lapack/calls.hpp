// The calls that LAPACK's routines consist of: the library's own on arrays in host memory, and loops over rows.
#pragma once

#include <algorithm>

#include "lib/base/fp_environment.hpp"
#include "lib/base/integers.hpp"
#include "lib/base/thread_pool.hpp"
#include "lib/lapack/orthogonal.hpp"
#include "lib/runtime/dispatch.hpp"

namespace accublas::lapack {

/// Returns the caller's options for inner calls, which choose their engines automatically and have no target. `options`
/// may be null. Throws Error for a field that is out of range.
accublas_options inner_options(const accublas_options* options);

/// The caller's context during inner calls. They are not counted as the program's, their options are inner_options, and
/// their scalars are in host memory. Products and solutions have the mode `mode`, whatever the caller's is.
class Calls {
 public:
  /// `options` may be null. Inner calls use what is left of `workspace`, the outer call's; nothing more may be taken
  /// from it. If it is a user's buffer, at least `least` bytes of it must be left, and they must suffice for all calls:
  /// GEMM, GEMV, TRSM and norms in cr need none, and a product that overwrites an operand needs one row or column of
  /// it. If `workspace` is null, each call has the workspace that the caller allows.
  Calls(Context& context, const accublas_options* options, Workspace* workspace = nullptr,
        accublas_mode mode = ACCUBLAS_MODE_CR, std::size_t least = 0);
  ~Calls();
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;

  /// C = alpha A B + beta C; in cr every element is rounded once.
  template <class E>
  void gemm(const Gemm<E>& problem) const {
    call([&](const accublas_options& with) { run_gemm(context_, problem, &problem.alpha, &problem.beta, &with); });
  }
  /// y = alpha A x + beta y; in cr every element is rounded once.
  template <class E>
  void gemv(const Gemv<E>& problem) const {
    call([&](const accublas_options& with) { run_gemv(context_, problem, &problem.alpha, &problem.beta, &with); });
  }
  /// A product of level 3 or TRSM, column-major; in cr every element is rounded once.
  template <class E>
  void level3(const Level3<E>& problem) const {
    call([&](const accublas_options& with) {
      if constexpr (is_complex<E>) {
        if (problem.real_alpha()) return run_level3(context_, problem, &problem.alpha.re, &problem.beta.re, &with);
        if (problem.real_beta()) return run_level3(context_, problem, &problem.alpha, &problem.beta.re, &with);
      }
      run_level3(context_, problem, &problem.alpha, &problem.beta, &with);
    });
  }

  /// A QR factorization, its reflectors' product or a least-squares solution, in the caller's mode.
  template <class E>
  void orthogonal(const Orthogonal<E>& problem) const {
    call([&](const accublas_options& with) { run_orthogonal(context_, problem, &with); });
  }

  /// A factorization, or a solution by one.
  template <class E>
  void factorization(const Factorization<E>& problem) const {
    call([&](const accublas_options& with) { run_factorization(context_, problem, &with); });
  }

  /// The norm of a vector; in cr it is rounded once.
  template <class E>
  RealOf<E> norm(Index n, const Vector<const E>& x) const {
    RealOf<E> result{};
    Reduction<RealOf<E>> problem{is_complex<E> ? 2 * n : n, {}, &result};
    if constexpr (is_complex<E>)
      problem.x = component_entries(x);
    else
      problem.x = x;
    call([&](const accublas_options& with) { run_norm(context_, problem, &with); });
    return result;
  }

  /// Calls body(first, end) for parts of 0 .. rows - 1.
  template <class Body>
  void for_rows(Index rows, Body&& body) const {
    constexpr Index step = 256;
    parallel_for(ceil_div(rows, step), threads_,
                 [&](Index task, int) { body(task * step, std::min(rows, (task + 1) * step)); });
  }

  /// Returns the most workspace that one of the calls has taken, in bytes.
  std::int64_t peak() const { return peak_; }

 protected:
  Context& context_;
  accublas_options in_mode_, of_products_;

 private:
  template <class Body>
  void call(Body&& body) const {
    body(of_products_);
    peak_ = std::max(peak_, context_.last.numbers.workspace_bytes);
  }

  FpEnvironment environment_;
  const accublas_pointer_mode pointer_mode_;
  const bool in_flow_;
  void* const users_workspace_;
  const std::size_t users_bytes_;
  int threads_;
  mutable std::int64_t peak_ = 0;
};

}  // namespace accublas::lapack
