// How long accublas takes for a multiple-precision GEMV, and what reading the matrix alone takes.
#pragma once

#include <accublas.h>

#include <functional>
#include <vector>

#include "perf/mp/inputs.hpp"

namespace mp_bench {

/// Throws std::runtime_error with the context's message if a call failed.
void need(accublas_context* context, accublas_status status);
double wall_ms(const std::function<void()>& body);
double median(std::vector<double> values);

struct Run {
  std::int64_t n;  ///< A is n x n
  Input input;     ///< of A; x has the same, without spread
  bool device;
  int threads;
  int repetitions;
};

struct Times {
  double set_ms = 0;                 ///< A from limbs in host memory
  double align_ms = 0;               ///< its aligned form
  double ms = 0;                     ///< a GEMV with the aligned form; median of single calls, on a device by events
  double sustained_ms = 0;           ///< on a device: one of many calls back to back
  accublas_mp_report_t report = {};  ///< of a call at level 2
};

/// y = A x for A and y on the host or on a device. Throws std::runtime_error with accublas's message.
class Gemv {
 public:
  Gemv(const Run& run, const Numbers& a, const Numbers& x);
  ~Gemv();
  Gemv(const Gemv&) = delete;
  Gemv& operator=(const Gemv&) = delete;
  /// Times products with one matrix, either transposed or not.
  Times measure(bool transposed);

 private:
  void call(bool transposed);

  Run run_;
  accublas_context* context_ = nullptr;
  accublas_mp_array *a_ = nullptr, *x_ = nullptr, *y_ = nullptr;
  double set_ms_ = 0, align_ms_ = 0;
  void* stream_ = nullptr;
};

/// Bytes a second: of reading `bytes` of memory on the CPU, best of a few; of copying them on the device (read and
/// written bytes both count).
double bandwidth(std::int64_t bytes, bool device, int threads);

}  // namespace mp_bench
