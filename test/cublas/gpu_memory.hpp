// Operands of a row of routines.hpp in device memory, cuBLAS's handles, and the functions of the real cuBLAS.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "test/context.hpp"
#include "test/cublas/routines.hpp"
#include "test/gpu/device.hpp"
#include "test/gpu/stream.hpp"

namespace accublas::test {

/// The mode is the environment's; those that define bits are compared bit by bit.
inline bool defines_bits() {
  const char* const mode = std::getenv("ACCUBLAS_MODE");
  return mode && (std::string(mode) == "cr" || std::string(mode) == "dp:repro");
}

/// The row's function in the cuBLAS that is loaded: dlvsym passes the drop-in by.
inline void* real_function(const Row& row) {
  for (const char* library : {"libcublas.so.13", "libcublas.so.12"})
    if (void* const loaded = dlopen(library, RTLD_LAZY | RTLD_NOLOAD))
      if (void* const function = dlvsym(loaded, row.name, library)) return function;
  ADD_FAILURE() << "cuBLAS has no " << row.name;
  std::abort();
}

class Handle {
 public:
  explicit Handle(cudaStream_t stream = nullptr) {
    EXPECT_EQ(cublasCreate_v2(&handle_), CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(cublasSetStream_v2(handle_, stream), CUBLAS_STATUS_SUCCESS);
  }
  ~Handle() { EXPECT_EQ(cublasDestroy_v2(handle_), CUBLAS_STATUS_SUCCESS); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator cublasHandle_t() const { return handle_; }

 private:
  cublasHandle_t handle_ = nullptr;
};

inline void set_factors(cublasHandle_t handle, bool on_device) {
  EXPECT_EQ(cublasSetPointerMode_v2(handle, on_device ? CUBLAS_POINTER_MODE_DEVICE : CUBLAS_POINTER_MODE_HOST),
            CUBLAS_STATUS_SUCCESS);
}

struct Outcome {
  std::vector<char> c, number;
  bool operator==(const Outcome&) const = default;
};

/// Whether largest differences are within what two orders of summation may differ by.
template <class T>
bool close_numbers(const std::vector<char>& x, const std::vector<char>& y) {
  double difference = 0, largest = 0;
  for (std::size_t i = 0; i < x.size(); i += sizeof(T)) {
    T a, b;
    std::memcpy(&a, x.data() + i, sizeof a);
    std::memcpy(&b, y.data() + i, sizeof b);
    if (std::isnan(a) != std::isnan(b)) return false;
    if (std::isnan(a) || a == b) continue;
    difference = std::max(difference, std::abs(static_cast<double>(a) - b));
    largest = std::max(largest, std::abs(static_cast<double>(b)));
  }
  return difference <= (sizeof(T) == 8 ? 1e-11 : 2e-3) * largest;
}
inline bool close(const Row& row, const Outcome& x, const Outcome& y) {
  return row.is_single() ? close_numbers<float>(x.c, y.c) && close_numbers<float>(x.number, y.number)
                         : close_numbers<double>(x.c, y.c) && close_numbers<double>(x.number, y.number);
}
/// By the mode.
inline bool same(const Row& row, const Outcome& x, const Outcome& y) {
  return defines_bits() ? x == y : close(row, x, y);
}

/// The row's operands: what calls find, and a copy to begin from.
class Memory {
 public:
  explicit Memory(const Row& row, double beta = -0.75)
      : row_(row),
        host_factors_(factor(row, 1.5, 0.5)),
        a_(numbers(row, 1)),
        b_(numbers(row, 2)),
        c_(numbers(row, 3)),
        a_now_(a_.size()),
        b_now_(b_.size()),
        c_now_(c_.size()),
        result_(16),
        as_(pointers(a_now_, row.bytes())),
        bs_(pointers(b_now_, b_.size() / 2)),
        cs_(pointers(c_now_, c_.size() / 2)),
        factors_(32) {
    host_factors_.resize(16);
    const std::vector<char> second = factor(row, beta, beta == 0 ? 0 : 2);
    host_factors_.insert(host_factors_.end(), second.begin(), second.end());
    host_factors_.resize(32);
    factors_ = host_factors_;
    begin();
  }
  /// In stream order.
  void begin(cudaStream_t stream = nullptr) {
    const auto copy = [&](const DeviceArray<char>& to, const DeviceArray<char>& from) {
      require(cudaMemcpyAsync(to.data(), from.data(), from.size(), cudaMemcpyDeviceToDevice, stream), "copy");
    };
    copy(a_now_, a_), copy(b_now_, b_), copy(c_now_, c_);
    require(cudaMemsetAsync(result_.data(), 0, 16, stream), "memset");
    std::fill(host_result_.begin(), host_result_.end(), '\0');
  }
  void poison() {
    for (const auto* array : {&a_now_, &b_now_, &c_now_})
      require(cudaMemset(array->data(), 0xFF, array->size()), "memset");
    require(cudaDeviceSynchronize(), "memset");
  }
  Arguments arguments(Arguments x, bool factors_on_device = false) {
    char* const factors = factors_on_device ? factors_.data() : host_factors_.data();
    x.alpha = {factors}, x.beta = {factors + 16};
    x.result = {factors_on_device ? static_cast<void*>(result_.data()) : host_result_.data()};
    if (x.type_c == cudaDataType_t{}) x.type_c = row_.type();
    if (x.compute == cublasComputeType_t{}) x.compute = row_.compute();
    x.a = {a_now_.data()}, x.c = {c_now_.data()};
    x.b = {row_.kind == Row::copied ? c_now_.data() : b_now_.data()};
    x.as = {as_.data()}, x.bs = {bs_.data()}, x.cs = {cs_.data()};
    return x;
  }
  /// Waits for the device.
  Outcome outcome() const {
    require(cudaDeviceSynchronize(), "synchronize");
    std::vector<char> number = host_result_;
    if (std::all_of(number.begin(), number.end(), [](char x) { return x == 0; })) number = result_.values();
    return {c_now_.values(), number};
  }
  const DeviceArray<char>& b() const { return b_now_; }
  const DeviceArray<char>& c() const { return c_now_; }

 private:
  static DeviceArray<char*> pointers(const DeviceArray<char>& array, std::size_t offset) {
    return DeviceArray<char*>(std::vector<char*>{array.data(), array.data() + offset});
  }
  const Row& row_;
  std::vector<char> host_factors_, host_result_ = std::vector<char>(16);
  DeviceArray<char> a_, b_, c_, a_now_, b_now_, c_now_, result_;
  DeviceArray<char*> as_, bs_, cs_;
  DeviceArray<char> factors_;
};

/// Returns the memory that a call through the C interface leaves; `status` is the call's status.
inline Outcome by_interface(const Row& row, Memory& memory, Arguments x, accublas_status& status) {
  static thread_local Context context;
  memory.begin();
  x = memory.arguments(x);
  x.context = context;
  status = row.by_interface(x);
  if (status == ACCUBLAS_SUCCESS) status = accublas_sync(context);
  return memory.outcome();
}
inline Outcome expected(const Row& row, const Arguments& x = {}) {
  Memory memory(row);
  accublas_status status;
  Outcome out = by_interface(row, memory, x, status);
  EXPECT_EQ(status, ACCUBLAS_SUCCESS) << row.name;
  return out;
}

}  // namespace accublas::test
