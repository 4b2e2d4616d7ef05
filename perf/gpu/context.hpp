// A context of accublas as the benchmark uses it, and medians.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "accublas.h"
#include "perf/gpu/device.hpp"

namespace gpu_bench {

inline double median(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  return x.size() % 2 ? x[x.size() / 2] : (x[x.size() / 2 - 1] + x[x.size() / 2]) / 2;
}

/// A context in a mode, on a stream. Throws std::runtime_error.
class Context {
 public:
  /// `contender` is a mode word, with an engine behind a slash where one is wanted. Needs no device.
  explicit Context(const std::string& contender) {
    const std::size_t slash = contender.find('/');
    const std::string mode = contender.substr(0, slash),
                      engine = slash == contender.npos ? "auto" : contender.substr(slash + 1);
    if (accublas_create(&context_)) throw std::runtime_error(accublas_last_error(nullptr));
    need(accublas_set_mode_name(context_, mode.c_str()));
    need(accublas_set_engine_name(context_, engine.c_str()));
  }
  Context(const std::string& contender, cudaStream_t stream, int level) : Context(contender) {
    need(accublas_set_backend(context_, ACCUBLAS_BACKEND_CUDA));
    need(accublas_set_stream(context_, stream));
    need(accublas_set_report_level(context_, level));
  }
  ~Context() { accublas_destroy(context_); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  operator accublas_context*() const { return context_; }
  void need(accublas_status status) const {
    if (status) throw std::runtime_error(accublas_last_error(context_));
  }
  accublas_report_t report() const {
    accublas_report_t r{};
    r.struct_size = sizeof r;
    need(accublas_report(context_, &r));
    return r;
  }

 private:
  accublas_context* context_ = nullptr;
};

}  // namespace gpu_bench
