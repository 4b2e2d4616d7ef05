// What an accublas_mp_array holds, blocks of it, and the frame of a call.
#pragma once

#include <cstdint>
#include <memory>

#include "lib/base/fp_environment.hpp"
#include "lib/base/phase_timer.hpp"
#include "lib/context.hpp"
#include "lib/mp/backend.hpp"

struct accublas_mp_array {
  /// Zeros in host memory. Throws Error(ACCUBLAS_ERROR_MEMORY).
  accublas_mp_array(int precision, std::int64_t length);
  ~accublas_mp_array();
  accublas_mp_array(const accublas_mp_array&) = delete;
  accublas_mp_array& operator=(const accublas_mp_array&) = delete;

  bool on_device() const { return backend->on_device(); }
  /// Whether calls may take both: in host memory, or on one device.
  bool beside(const accublas_mp_array& other) const {
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

/// m x n elements from `offset` on, columns ld apart; a vector of n elements is 1 x n with ld = abs(inc).
struct Region {
  const Array* array;
  std::int64_t offset, m, n, ld;

  bool contains(std::int64_t index) const {
    const std::int64_t d = index - offset;
    return d >= 0 && d % ld < m && d / ld < n;
  }
  std::int64_t last() const { return offset + (n - 1) * ld + m - 1; }
  bool empty() const { return m == 0 || n == 0; }
  /// As a matrix, element (i, j) of the region.
  Block block() const { return {offset, m, n, 1, ld}; }
  /// Its transpose.
  Block transposed() const { return {offset, n, m, ld, 1}; }
  /// Of a vector, as a column.
  Block column(std::int64_t inc) const {
    if (n <= 1) return {offset, n, 1, 1, 0};
    return {inc < 0 ? offset + (n - 1) * ld : offset, n, 1, inc, 0};
  }
};

/// Throws Error(ACCUBLAS_ERROR_ARGUMENT) naming the argument for a NULL array, a bad size, leading dimension or
/// increment, or what lies outside of the array.
Region matrix_region(const char* name, const Array* array, std::int64_t offset, std::int64_t ld, std::int64_t m,
                     std::int64_t n);
Region vector_region(const char* name, const Array* array, std::int64_t offset, std::int64_t inc, std::int64_t n);
Region element_region(const char* name, const Array* array, std::int64_t index);

/// Whether two regions share an element.
bool overlap(const Region& written, const Region& other);

/// To be called when elements have been written: drops an aligned form that held one of them.
void written(Array& array, const Region& region);

/// A call on arrays of one place: environment, execution and report (of a routine with a name; transfers leave the last
/// one's alone). finish() at its end.
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

/// Moves an array; lib/mp/array.cpp.
void move(Context& context, Array& array, bool to_device);

}  // namespace accublas::mp
