// The contents of an accublas_mp_array, regions of it, and the frame of a call.
#pragma once

#include <cstdint>
#include <memory>

#include "lib/base/fp_environment.hpp"
#include "lib/base/phase_timer.hpp"
#include "lib/mp/backend.hpp"
#include "lib/runtime/context.hpp"

struct accublas_mp_array {
  /// Makes an array of zeros in host memory. Throws Error(ACCUBLAS_ERROR_MEMORY).
  accublas_mp_array(int precision, std::int64_t length);
  ~accublas_mp_array();
  accublas_mp_array(const accublas_mp_array&) = delete;
  accublas_mp_array& operator=(const accublas_mp_array&) = delete;

  bool on_device() const { return backend->on_device(); }
  /// Returns whether one call may take both arrays: both are in host memory, or both on one device.
  bool shares_memory_space(const accublas_mp_array& other) const {
    return on_device() == other.on_device() && device == other.device;
  }

  accublas::mp::Elements elements;
  accublas::mp::MpBackend* backend;
  int device = -1;  ///< where it is on one
  std::unique_ptr<accublas::mp::Aligned> aligned;
  accublas::mp::Block aligned_block;
};

namespace accublas::mp {

using Array = ::accublas_mp_array;

/// A region of m x n elements from `offset` on, with columns ld apart. A vector of n elements is 1 x n with ld =
/// abs(inc).
struct Region {
  const Array* array;
  std::int64_t offset, m, n, ld;
  Triangle part = Triangle::all;  ///< the elements that count

  bool contains(std::int64_t index) const {
    const std::int64_t d = index - offset;
    return d >= 0 && d % ld < m && d / ld < n;
  }
  std::int64_t last() const { return offset + (n - 1) * ld + m - 1; }
  bool empty() const { return m == 0 || n == 0; }
  /// Returns the region as a matrix; the block's element (i, j) is the region's.
  Block block() const { return {offset, m, n, 1, ld}; }
  /// Returns the transpose of the region.
  Block transposed() const { return {offset, n, m, ld, 1}; }
  /// Returns the region of a vector as a column with increment `inc`.
  Block column(std::int64_t inc) const {
    if (n <= 1) return {offset, n, 1, 1, 0};
    return {inc < 0 ? offset + (n - 1) * ld : offset, n, 1, inc, 0};
  }
};

/// Throws Error(ACCUBLAS_ERROR_ARGUMENT), which names the argument, for a NULL array, a bad size, leading dimension or
/// increment, or a region that reaches outside of the array.
Region matrix_region(const char* name, const Array* array, std::int64_t offset, std::int64_t ld, std::int64_t m,
                     std::int64_t n);
Region vector_region(const char* name, const Array* array, std::int64_t offset, std::int64_t inc, std::int64_t n);
Region element_region(const char* name, const Array* array, std::int64_t index);

/// Whether a region shares an element with another, whole one. A part of `written` is a triangle of a square region.
bool overlap(const Region& written, const Region& other);

/// Drops an aligned form of the array that held one of the region's elements. Call this after writing elements.
void written(Array& array, const Region& region);

/// A call on arrays of one place: environment, execution and report. A transfer has no routine name and leaves the last
/// report unchanged. The caller of a routine calls finish() at its end.
class MpCall {
 public:
  MpCall(Context& context, const char* routine, const Array& at);
  MpCall(Context& context, const Array& at) : MpCall(context, nullptr, at) {}
  ~MpCall();
  MpCall(const MpCall&) = delete;
  MpCall& operator=(const MpCall&) = delete;

  void sizes(std::int64_t m, std::int64_t n, std::int64_t k);
  MpExecution& execution() { return execution_; }
  void finish();

 private:
  FpEnvironment environment_;
  accublas_mp_report_t unnamed_{};
  MpExecution execution_;
  bool on_device_, verbose_ = false, finished_ = false;
  Stopwatch watch_;
};

/// Moves an array between host and device; lib/mp/array.cpp implements it.
void move(Context& context, Array& array, bool to_device);

}  // namespace accublas::mp
