// End-to-end GEMM problems for the GPU tests: operands anywhere in their buffers, the call through the public interface
// with host or device pointers, and the comparison of all of C's buffer, bit by bit.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "accublas.h"
#include "test/context.hpp"
#include "test/gpu/device.hpp"
#include "test/gpu/gemm_data.hpp"

namespace accublas::test {

/// Number of cases: `count` times ACCUBLAS_TEST_SCALE (default 1).
inline int scaled(int count) {
  const char* word = std::getenv("ACCUBLAS_TEST_SCALE");
  return std::max(1, static_cast<int>(count * (word ? std::atof(word) : 1.0)));
}

/// Where a matrix lies in its buffer: element (i, j) at offset + i row + j col.
struct Place {
  Index offset = 0, row = 1, col = 1, size = 0;
  Index at(Index i, Index j) const { return offset + i * row + j * col; }
};

/// Column-major (or row-major) with a leading dimension `extra` above the least.
inline Place packed(Index rows, Index cols, bool row_major, Index extra) {
  const Index ld = std::max<Index>(1, row_major ? cols : rows) + extra;
  return row_major ? Place{0, ld, 1, rows * ld} : Place{0, 1, ld, cols * ld};
}

/// Any strides, negative ones included; with `repeat` (operands only) one of them may be zero.
inline Place strided(Random& rng, Index rows, Index cols, bool repeat) {
  const Index gap = 1 + below(rng, 3), inner = gap * std::max<Index>(1, rows) + below(rng, 4);
  Place place{0, gap, inner, 0};
  if (below(rng, 2)) place = {0, gap * std::max<Index>(1, cols) + below(rng, 4), gap, 0};
  if (repeat && below(rng, 6) == 0) (below(rng, 2) ? place.row : place.col) = 0;
  place.size = std::max<Index>(0, rows - 1) * place.row + std::max<Index>(0, cols - 1) * place.col + 1;
  if (below(rng, 3) == 0) {
    place.offset += std::max<Index>(0, rows - 1) * place.row;
    place.row = -place.row;
  }
  if (below(rng, 3) == 0) {
    place.offset += std::max<Index>(0, cols - 1) * place.col;
    place.col = -place.col;
  }
  return place;
}

/// One call: sizes, how it is made, and the buffers, poisoned with NaN between the elements.
template <class T>
struct Problem {
  Index m = 0, n = 0, k = 0;
  T alpha = 1, beta = 0;
  bool general = false;  ///< the strided entry
  accublas_layout layout = ACCUBLAS_COL_MAJOR;
  accublas_transpose transa = ACCUBLAS_NO_TRANS, transb = ACCUBLAS_NO_TRANS;
  Place at_a, at_b, at_c;  ///< of op(A), op(B), C
  std::vector<T> a, b, c;
  std::string text;  ///< of the data

  std::string describe() const {
    std::ostringstream out;
    out << (sizeof(T) == 8 ? "dgemm" : "sgemm") << " m " << m << " n " << n << " k " << k << " alpha " << alpha
        << " beta " << beta << " " << text;
    if (general)
      out << " strides A " << at_a.row << ", " << at_a.col << " B " << at_b.row << ", " << at_b.col << " C " << at_c.row
          << ", " << at_c.col;
    else
      out << (layout == ACCUBLAS_COL_MAJOR ? " column-major" : " row-major") << " transa " << transa << " transb "
          << transb << " ld " << lda() << ", " << ldb() << ", " << ldc();
    return out.str();
  }
  Index lda() const { return std::max(at_a.row, at_a.col); }
  Index ldb() const { return std::max(at_b.row, at_b.col); }
  Index ldc() const { return std::max(at_c.row, at_c.col); }
};

/// Fills the buffers of a problem whose places are set.
template <class T>
void fill(Problem<T>& problem, const GemmEntries<T>& entries) {
  const auto place = [](Index rows, Index cols, const Place& at, const std::vector<T>& from) {
    std::vector<T> to(static_cast<std::size_t>(std::max<Index>(1, at.size)), std::numeric_limits<T>::quiet_NaN());
    for (Index j = 0; j < cols; ++j)
      for (Index i = 0; i < rows; ++i)
        to[static_cast<std::size_t>(at.at(i, j))] = from[static_cast<std::size_t>(i + j * rows)];
    return to;
  };
  problem.a = place(problem.m, problem.k, problem.at_a, entries.a);
  problem.b = place(problem.k, problem.n, problem.at_b, entries.b);
  problem.c = place(problem.m, problem.n, problem.at_c, entries.c);
}

/// Column-major, no transposition, least leading dimensions.
template <class T>
Problem<T> plain_problem(Random& rng, const Kind& kind, Index m, Index n, Index k) {
  Problem<T> p;
  p.m = m, p.n = n, p.k = k;
  p.at_a = packed(m, k, false, 0), p.at_b = packed(k, n, false, 0), p.at_c = packed(m, n, false, 0);
  p.text = kind.name();
  fill(p, make_entries<T>(kind, m, n, k, rng));
  return p;
}

/// The packed entry with a layout, transpositions and leading dimensions above the least.
template <class T>
Problem<T> packed_problem(Random& rng, const Kind& kind, Index m, Index n, Index k, accublas_layout layout,
                          accublas_transpose transa, accublas_transpose transb, Index extra) {
  Problem<T> p;
  p.m = m, p.n = n, p.k = k;
  p.layout = layout, p.transa = transa, p.transb = transb;
  const bool rows = layout == ACCUBLAS_ROW_MAJOR;
  p.at_a = packed(m, k, rows != (transa != ACCUBLAS_NO_TRANS), extra);
  p.at_b = packed(k, n, rows != (transb != ACCUBLAS_NO_TRANS), extra ? extra + 2 : 0);
  p.at_c = packed(m, n, rows, extra ? extra + 4 : 0);
  p.text = kind.name();
  fill(p, make_entries<T>(kind, m, n, k, rng));
  return p;
}

/// Anything: layout, transpositions, leading dimensions or strides.
template <class T>
Problem<T> random_problem(Random& rng, const Kind& kind, Index m, Index n, Index k) {
  if (below(rng, 4)) {
    const auto trans = [&] { return static_cast<accublas_transpose>(ACCUBLAS_NO_TRANS + below(rng, 3)); };
    const accublas_transpose transa = trans(), transb = trans();
    return packed_problem<T>(rng, kind, m, n, k, below(rng, 2) ? ACCUBLAS_ROW_MAJOR : ACCUBLAS_COL_MAJOR, transa,
                             transb, below(rng, 3) ? below(rng, 10) : 0);
  }
  Problem<T> p;
  p.m = m, p.n = n, p.k = k;
  p.general = true;
  p.at_a = strided(rng, m, k, true), p.at_b = strided(rng, k, n, true), p.at_c = strided(rng, m, n, false);
  p.text = kind.name();
  fill(p, make_entries<T>(kind, m, n, k, rng));
  return p;
}

/// The call as the problem says, with these buffers.
template <class T>
accublas_status call(accublas_context* ctx, const Problem<T>& p, const T* a, const T* b, T* c, const T* alpha,
                     const T* beta, const accublas_options* options = nullptr) {
  const auto run = [&](auto packed_entry, auto strided_entry) {
    if (p.general)
      return strided_entry(ctx, p.m, p.n, p.k, alpha, a + p.at_a.offset, p.at_a.row, p.at_a.col, b + p.at_b.offset,
                           p.at_b.row, p.at_b.col, beta, c + p.at_c.offset, p.at_c.row, p.at_c.col, options);
    return packed_entry(ctx, p.layout, p.transa, p.transb, p.m, p.n, p.k, alpha, a, p.lda(), b, p.ldb(), beta, c,
                        p.ldc(), options);
  };
  if constexpr (std::is_same_v<T, double>)
    return run(accublas_dgemm_ex, accublas_dgemm_strided_ex);
  else
    return run(accublas_sgemm_ex, accublas_sgemm_strided_ex);
}

/// All of C's buffer after a call with host pointers.
template <class T>
accublas_status on_host(const Context& ctx, const Problem<T>& p, std::vector<T>& out) {
  out = p.c;
  accublas_set_pointer_mode(ctx, ACCUBLAS_POINTER_HOST);
  return call(ctx, p, p.a.data(), p.b.data(), out.data(), &p.alpha, &p.beta);
}

/// The operands in device memory.
template <class T>
struct OnDevice {
  DeviceArray<T> a, b, c, scalars;
  explicit OnDevice(const Problem<T>& p) : a(p.a), b(p.b), c(p.c), scalars(std::vector<T>{p.alpha, p.beta}) {}
  /// The call alone: nothing is copied, nothing waited for.
  accublas_status run(accublas_context* ctx, const Problem<T>& p, bool device_scalars = false) const {
    return call(ctx, p, static_cast<const T*>(a.data()), static_cast<const T*>(b.data()), c.data(),
                device_scalars ? static_cast<const T*>(scalars.data()) : &p.alpha,
                device_scalars ? static_cast<const T*>(scalars.data() + 1) : &p.beta);
  }
};

/// All of C's buffer after a call with device pointers; the status of the call, else that of the stream.
template <class T>
accublas_status on_device(const Context& ctx, const Problem<T>& p, std::vector<T>& out, bool device_scalars = false) {
  const OnDevice<T> operands(p);
  // Set before the call, not after it: a setting forgets the message of a failed call.
  accublas_set_pointer_mode(ctx, device_scalars ? ACCUBLAS_POINTER_DEVICE : ACCUBLAS_POINTER_HOST);
  accublas_status status = operands.run(ctx, p, device_scalars);
  if (status == ACCUBLAS_SUCCESS) status = accublas_sync(ctx);
  require(cudaDeviceSynchronize(), "wait");
  out = operands.c.values();
  return status;
}

template <class T>
auto bits(T x) {
  if constexpr (sizeof(T) == 8)
    return std::bit_cast<std::uint64_t>(x);
  else
    return std::bit_cast<std::uint32_t>(x);
}

/// The first mismatch of C's buffer: its place and both bit patterns. Empty if there is none.
template <class T>
std::string mismatch(const Problem<T>& p, const std::vector<T>& want, const std::vector<T>& got) {
  const auto same = [](T x, T y) { return bits(x) == bits(y); };
  const auto first = std::mismatch(want.begin(), want.end(), got.begin(), same).first - want.begin();
  if (first == static_cast<std::ptrdiff_t>(want.size())) return "";
  std::ostringstream out;
  Index count = 0;
  for (std::size_t q = 0; q < want.size(); ++q) count += !same(want[q], got[q]);
  std::string where = "outside C, at " + std::to_string(first);
  std::size_t q = static_cast<std::size_t>(first);
  for (Index i = 0; i < p.m; ++i)
    for (Index j = 0; j < p.n; ++j)
      if (p.at_c.at(i, j) == first) where = "C(" + std::to_string(i) + ", " + std::to_string(j) + ")";
  out << p.describe() << ": " << count << " of " << want.size() << " differ, first " << where << ": want " << std::hex
      << bits(want[q]) << " (" << want[q] << "), got " << bits(got[q]) << " (" << got[q] << ")";
  return out.str();
}

/// The CPU's result against the GPU's, with device pointers, in both contexts' modes.
template <class T>
void expect_same(const Context& cpu, const Context& gpu, const Problem<T>& p, const std::string& what,
                 bool device_scalars = false) {
  std::vector<T> want, got;
  ASSERT_EQ(on_host(cpu, p, want), ACCUBLAS_SUCCESS) << what << " " << p.describe() << ": " << cpu.error();
  ASSERT_EQ(on_device(gpu, p, got, device_scalars), ACCUBLAS_SUCCESS)
      << what << " " << p.describe() << ": " << gpu.error();
  const std::string text = mismatch(p, want, got);
  ASSERT_EQ(text, "") << what << (device_scalars ? ", scalars on the device" : "");
}

}  // namespace accublas::test
