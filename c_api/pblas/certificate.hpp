// The certificate of dp:repro (docs/modes.md) for the part of C that a process computes. T* and the number of rejected
// elements belong to all processes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "c_api/pblas/local.hpp"
#include "lib/cpu/sums/integer_line.hpp"

namespace accublas::pblas {

/// The results of the certificate: for the elements of this process, and after agree() for those of all processes.
struct Verdict {
  int rung = -1;  ///< the largest rung that an element needs; -1: none
  std::int64_t rejected = 0;

  void agree(const Team& team) {
    std::int64_t largest = rung;
    MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_INT64_T, MPI_MAX, team.comm);
    MPI_Allreduce(MPI_IN_PLACE, &rejected, 1, MPI_INT64_T, MPI_SUM, team.comm);
    rung = static_cast<int>(largest);
  }
  /// Returns the mode of the elements that are not rejected. If the certificate fails, that of all elements is cr.
  template <class T>
  Mode mode(std::int64_t components) const {
    constexpr CertificateRungs rungs = certificate_rungs<T>();
    if (rung < 0 || certificate_fails(rejected, components)) return {ACCUBLAS_MODE_CR};
    return {ACCUBLAS_MODE_FIXED, rungs.t[rung]};
  }
};

/// The rungs that suffice for the elements of op(A) op(B), m x n.
template <class E>
class Certificate {
  using T = RealOf<E>;
  static constexpr int parts = is_complex<E> ? 2 : 1;  ///< components of an element
  static constexpr CertificateRungs rungs = certificate_rungs<T>();

 public:
  Certificate(const char* routine, std::int64_t m, std::int64_t n, std::int64_t k, const Stored<E>& a,
              const Stored<E>& b)
      : m_(m), terms_(parts * k) {
    for (int r = 0; r < rungs.count; ++r) tests_[r] = certificate_test(rungs.t[r], rungs.digits, terms_);
    const Side rows(routine, m, k, a.matrix(), false);
    rows_ = rows.lines;
    for (int part = 0; part < parts; ++part) {
      const Side cols(routine, n, k, b.matrix().transposed(), part == 1);
      cols_ = cols.lines;
      sums_[part] = products(routine, rows.bytes, cols.bytes);
    }
  }

  /// Whether the certificate rejects a component of element (i, j).
  bool rejects(std::int64_t i, std::int64_t j, int part) const {
    return !is_special(i, j) && !suffices(rungs.count - 1, i, j, part);
  }
  /// Adds the results for element (i, j) to `verdict`. Its imaginary part is included only if it counts.
  void count(std::int64_t i, std::int64_t j, bool imaginary_counts, Verdict& verdict) const {
    if (is_special(i, j)) return;
    for (int part = 0; part < (imaginary_counts ? parts : 1); ++part) {
      int rung = std::max(verdict.rung, 0);
      while (rung < rungs.count && !suffices(rung, i, j, part)) ++rung;
      rung < rungs.count ? verdict.rung = rung : ++verdict.rejected;
    }
  }

 private:
  /// The rows of op(A), or the columns of op(B), and integers of 7 bits that represent their entries.
  struct Side {
    std::vector<cpu::Line> lines;
    Buffer<double> bytes;  ///< a column for each line

    Side(const char* routine, std::int64_t count, std::int64_t k, Matrix<const E> matrix, bool swapped) {
      const std::int64_t terms = parts * k, period = std::int64_t{certificate_block} * certificate_stride(terms);
      bytes = Buffer<double>(routine, certificate_terms(terms), count);
      for (std::int64_t i = 0; i < count; ++i) {
        const auto entries = [&] {
          if constexpr (is_complex<E>)
            return component_entries(matrix.row(i), swapped);
          else
            return matrix.row(i);
        }();
        const cpu::Line& line = lines.emplace_back(cpu::measure<T>(entries, terms));
        double* to = bytes.data.get() + i * bytes.rows;
        for (std::int64_t p = 0; p < terms; ++p)
          if (p % period < certificate_block) *to++ = line.special ? 0 : certificate_byte(entries[p], line.exponent);
      }
    }
  };

  /// Returns the sums X of docs/modes.md for all elements. Sums of products of integers below 2^7 are below 2^53: exact
  /// in every order.
  static Buffer<double> products(const char* routine, const Buffer<double>& rows, const Buffer<double>& cols) {
    Buffer<double> sums(routine, rows.cols, cols.cols);
    if (rows.cols == 0 || cols.cols == 0) return sums;
    const auto multiply = [&](accublas_mode mode) {
      const accublas_options options = Caller{routine, {mode}}.options();
      const double one = 1, zero = 0;
      return accublas_dgemm_ex(nullptr, ACCUBLAS_COL_MAJOR, ACCUBLAS_TRANS, ACCUBLAS_NO_TRANS, rows.cols, cols.cols,
                               rows.rows, &one, rows.data.get(), rows.ld(), cols.data.get(), cols.ld(), &zero,
                               sums.data.get(), sums.ld(), &options);
    };
    // accublas computes the products if there is no real BLAS.
    if (multiply(ACCUBLAS_MODE_NATIVE) != ACCUBLAS_SUCCESS) require(routine, multiply(ACCUBLAS_MODE_CR));
    return sums;
  }

  bool is_special(std::int64_t i, std::int64_t j) const {
    return rows_[static_cast<std::size_t>(i)].special || cols_[static_cast<std::size_t>(j)].special;
  }
  bool suffices(int rung, std::int64_t i, std::int64_t j, int part) const {
    const cpu::Line &row = rows_[static_cast<std::size_t>(i)], &col = cols_[static_cast<std::size_t>(j)];
    const auto x = static_cast<std::int64_t>(sums_[part].data[static_cast<std::size_t>(i + j * m_)]);
    return std::max(row.needed_bits(), col.needed_bits()) <= rungs.t[rung] ||
           certificate_suffices(tests_[rung], row.lambda + col.lambda, x);
  }

  std::int64_t m_, terms_;
  CertificateTest tests_[6];
  std::vector<cpu::Line> rows_, cols_;
  Buffer<double> sums_[2];
};

/// Computes C = alpha op(A) op(B) + beta C, or its wanted elements. `run` makes the call in the verdict's mode.
/// Elements that the certificate rejects get cr's values. With a real diagonal, the imaginary parts of the elements (i,
/// i) are neither read nor written.
template <class E, class Wanted, class Run>
void with_rejected(const Caller& by, const Certificate<E>& certificate, std::int64_t m, std::int64_t n, std::int64_t k,
                   E alpha, const Stored<E>& a, const Stored<E>& b, E beta, E* c, std::int64_t ldc, bool real_diagonal,
                   Wanted&& wanted, Run&& run) {
  struct Rejected {
    std::int64_t at;
    bool part[2];
    E value;
  };
  std::vector<Rejected> rejected;
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < m; ++i) {
      if (!wanted(i, j)) continue;
      Rejected element{i + j * ldc, {certificate.rejects(i, j, 0), false}, {}};
      if (!(beta == 0)) element.value = c[element.at];
      if constexpr (is_complex<E>) {
        // A component needs both sums, or only one of them if a component of alpha is zero.
        const bool sums[2] = {element.part[0], certificate.rejects(i, j, 1)};
        for (int part = 0; part < 2; ++part)
          element.part[part] = (alpha.re != 0 && sums[part]) || (alpha.im != 0 && sums[1 - part]);
        if (real_diagonal && i == j) element.part[1] = false, element.value.im = 0;
      }
      if (!element.part[0] && !element.part[1]) continue;
      local_gemm(by.in({ACCUBLAS_MODE_CR}), 1, 1, k, alpha, a.from(i, 0), b.from(0, j), beta, &element.value, 1);
      rejected.push_back(element);
    }
  run();
  for (const Rejected& element : rejected) {
    E& to = c[element.at];
    if constexpr (is_complex<E>) {
      if (element.part[0]) to.re = element.value.re;
      if (element.part[1]) to.im = element.value.im;
    } else {
      to = element.value;
    }
  }
}

}  // namespace accublas::pblas
