// Local arrays in device memory, for the tests of libaccublas_pblas. ACCUBLAS_TEST_DEVICE=cuda takes the memory of a
// CUDA device. With ACCUBLAS_TEST_DEVICE=fake it is host memory that cannot be accessed: this file then defines the
// library's functions that locate and copy device memory, which use another mapping of the same memory. So any other
// access of the library ends the test.
#pragma once

#include <dlfcn.h>
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "include/accublas.h"

namespace accublas::test {

enum class DeviceMemory { none, fake, cuda };
inline DeviceMemory device_memory() {
  static const DeviceMemory kind = [] {
    const char* const word = std::getenv("ACCUBLAS_TEST_DEVICE");
    if (!word) return DeviceMemory::none;
    return std::string_view(word) == "fake" ? DeviceMemory::fake : DeviceMemory::cuda;
  }();
  return kind;
}
inline bool to_device = false;  ///< arrays are placed in device memory now
inline std::int64_t arrays_on_device = 0, copies = 0;

[[noreturn]] inline void stop(const char* what, int status) {
  std::fprintf(stderr, "%s: %d\n", what, status);
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

/// Memory that only its second mapping can access.
class FakeDevice {
 public:
  static constexpr std::size_t bytes = std::size_t{1} << 28;

  static FakeDevice& get() {
    static FakeDevice device;
    return device;
  }
  char* take(std::size_t count) {
    char* const at = device_ + used_;
    used_ += (count + 64) / 64 * 64;
    if (used_ > bytes) stop("the fake device has no memory left", 0);
    ++live_;
    return at;
  }
  void give_back() {
    if (--live_ == 0) used_ = 0;
  }
  bool has(const void* pointer) const { return pointer >= device_ && pointer < device_ + bytes; }
  /// Returns the accessible address of memory of the fake device, and host memory as it is.
  char* accessible(const void* pointer) const {
    char* const at = static_cast<char*>(const_cast<void*>(pointer));
    return has(pointer) ? host_ + (at - device_) : at;
  }

 private:
  FakeDevice() {
    const int file = memfd_create("device", 0);
    if (file < 0 || ftruncate(file, bytes) != 0) stop("memfd_create", file);
    device_ = static_cast<char*>(mmap(nullptr, bytes, PROT_NONE, MAP_SHARED, file, 0));
    host_ = static_cast<char*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
    if (device_ == MAP_FAILED || host_ == MAP_FAILED) stop("mmap", 0);
  }
  char *device_ = nullptr, *host_ = nullptr;
  std::size_t used_ = 0;
  int live_ = 0;
};

/// CUDA's driver on the device that is this process's by its rank.
struct Driver {
  int (*take)(unsigned long long* memory, std::size_t bytes);
  int (*give_back)(unsigned long long memory);
  int (*to_device)(unsigned long long to, const void* from, std::size_t bytes);
  int (*to_host)(void* to, unsigned long long from, std::size_t bytes);

  static const Driver& get() {
    static const Driver driver;
    return driver;
  }
  static void check(int status) {
    if (status != 0) stop("CUDA's driver", status);
  }

 private:
  Driver() {
    void* const library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) stop("there is no libcuda.so.1", 0);
    const auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      if (!function) stop(name, 0);
    };
    int (*init)(unsigned);
    int (*device_count)(int*);
    int (*retain)(void**, int);
    int (*set_current)(void*);
    find(init, "cuInit"), find(device_count, "cuDeviceGetCount"), find(retain, "cuDevicePrimaryCtxRetain");
    find(set_current, "cuCtxSetCurrent"), find(take, "cuMemAlloc_v2"), find(give_back, "cuMemFree_v2");
    find(to_device, "cuMemcpyHtoD_v2"), find(to_host, "cuMemcpyDtoH_v2");
    int count = 0, rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    check(init(0)), check(device_count(&count));
    void* context = nullptr;
    // The library may have given another device to this rank, whose memory must do, too.
    check(retain(&context, (rank / 2) % count)), check(set_current(context));
  }
};

/// A process's array. Tests read and write it as a vector, and pass data() to the library.
template <class E>
class LocalArray {
 public:
  LocalArray() = default;
  LocalArray(const LocalArray& other) : host_(other.get()) {}
  LocalArray(const std::vector<E>& values) : host_(values) {}
  LocalArray& operator=(const LocalArray& other) {
    if (this != &other) get() = other.get();
    return *this;
  }
  ~LocalArray() { get(); }

  /// Returns the memory for the library, which may be in device memory from now on.
  E* data() {
    if (device_ || !to_device || !chosen()) return device_ ? device_ : host_.data();
    ++arrays_on_device;
    if (device_memory() == DeviceMemory::fake) {
      device_ = reinterpret_cast<E*>(FakeDevice::get().take(bytes()));
      std::memcpy(FakeDevice::get().accessible(device_), host_.data(), bytes());
    } else {
      unsigned long long memory = 0;
      Driver::check(Driver::get().take(&memory, bytes()));
      Driver::check(Driver::get().to_device(memory, host_.data(), bytes()));
      device_ = reinterpret_cast<E*>(memory);
    }
    return device_;
  }
  /// Returns the array in host memory.
  std::vector<E>& get() const {
    if (!device_) return host_;
    if (device_memory() == DeviceMemory::fake) {
      std::memcpy(static_cast<void*>(host_.data()), FakeDevice::get().accessible(device_), bytes());
      FakeDevice::get().give_back();
    } else {
      const auto memory = reinterpret_cast<unsigned long long>(device_);
      Driver::check(Driver::get().to_host(static_cast<void*>(host_.data()), memory, bytes()));
      Driver::check(Driver::get().give_back(memory));
    }
    device_ = nullptr;
    return host_;
  }
  operator const std::vector<E>&() const { return get(); }
  void assign(std::size_t count, const E& value) { get().assign(count, value); }
  E& operator[](std::size_t i) { return get()[i]; }
  std::size_t size() const { return host_.size(); }

 private:
  /// Three of four arrays are placed in device memory, and others on each process.
  static bool chosen() {
    static std::uint32_t state = [] {
      int rank = 0;
      MPI_Comm_rank(MPI_COMM_WORLD, &rank);
      return static_cast<std::uint32_t>(rank) * 7919u + 1;
    }();
    state = state * 1664525u + 1013904223u;
    return state >> 30 != 0;
  }
  std::size_t bytes() const { return host_.size() * sizeof(E); }

  mutable std::vector<E> host_;
  mutable E* device_ = nullptr;
};

}  // namespace accublas::test

extern "C" {
inline bool accublas_test_is_fake(const void* pointer) {
  using namespace accublas::test;
  return device_memory() == DeviceMemory::fake && FakeDevice::get().has(pointer);
}
/// The library's functions. Those of a program are found before the library's own.
[[gnu::used, gnu::visibility("default")]] bool accublas_private_is_on_device(const void* pointer) noexcept {
  if (accublas_test_is_fake(pointer)) return true;
  static const auto real = reinterpret_cast<bool (*)(const void*)>(dlsym(RTLD_NEXT, "accublas_private_is_on_device"));
  return real(pointer);
}
[[gnu::used, gnu::visibility("default")]] accublas_status accublas_private_copy(accublas_context* ctx, void* to,
                                                                                std::int64_t ld_to, const void* from,
                                                                                std::int64_t ld_from, std::int64_t rows,
                                                                                std::int64_t cols) noexcept {
  using namespace accublas::test;
  ++copies;
  if (accublas_test_is_fake(to) || accublas_test_is_fake(from)) {
    const FakeDevice& device = FakeDevice::get();
    for (std::int64_t j = 0; j < cols; ++j)
      std::memcpy(device.accessible(to) + j * ld_to, device.accessible(from) + j * ld_from,
                  static_cast<std::size_t>(rows));
    return ACCUBLAS_SUCCESS;
  }
  static const auto real =
      reinterpret_cast<decltype(&accublas_private_copy)>(dlsym(RTLD_NEXT, "accublas_private_copy"));
  return real(ctx, to, ld_to, from, ld_from, rows, cols);
}
}
