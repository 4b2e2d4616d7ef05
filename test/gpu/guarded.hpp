// Device memory between unmapped pages: an access beyond either end of an array is a fault, not a wrong number that
// nobody sees.
#pragma once

#include <cuda.h>

#include "lib/base/integers.hpp"
#include "test/gpu/device.hpp"

namespace accublas::test {

namespace guarded_detail {

/// A function of the driver, which the runtime finds: nothing is linked against the driver.
template <class F>
F* driver(const char* name) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
  require(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result), name);
  if (!found) {
    ADD_FAILURE() << "the driver has no " << name;
    std::abort();
  }
  return reinterpret_cast<F*>(found);
}

inline void require_driver(CUresult status, const char* what) {
  if (status == CUDA_SUCCESS) return;
  ADD_FAILURE() << what << ": CUresult " << status;
  std::abort();
}

}  // namespace guarded_detail

/// Where an array lies in its pages: at their start or at their end, where 16 bytes are the least alignment that a
/// number of elements of any kind has by chance.
enum class Edge { start, end };

/// Contents follow DeviceArray.
template <class T>
class GuardedArray {
 public:
  GuardedArray(const std::vector<T>& values, Edge edge) : count_(values.size()) {
    using namespace guarded_detail;
    static const auto reserve = driver<decltype(cuMemAddressReserve)>("cuMemAddressReserve");
    static const auto create = driver<decltype(cuMemCreate)>("cuMemCreate");
    static const auto map = driver<decltype(cuMemMap)>("cuMemMap");
    static const auto allow = driver<decltype(cuMemSetAccess)>("cuMemSetAccess");
    static const auto granularity = driver<decltype(cuMemGetAllocationGranularity)>("cuMemGetAllocationGranularity");
    CUmemAllocationProp properties{};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    require(cudaGetDevice(&properties.location.id), "cudaGetDevice");
    require_driver(granularity(&page_, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM), "granularity");
    const std::size_t bytes = count_ * sizeof(T);
    mapped_ = round_up(std::max<std::size_t>(bytes, 1), page_);
    require_driver(reserve(&base_, mapped_ + 2 * page_, 0, 0, 0), "reserving addresses");
    require_driver(create(&memory_, mapped_, &properties, 0), "pages");
    require_driver(map(base_ + page_, mapped_, 0, memory_, 0), "mapping pages");
    CUmemAccessDesc access{properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    require_driver(allow(base_ + page_, mapped_, &access, 1), "access to pages");
    const CUdeviceptr start = base_ + page_;
    require(cudaMemset(reinterpret_cast<void*>(start), 0xFF, mapped_), "cudaMemset");
    data_ = reinterpret_cast<T*>(edge == Edge::start ? start : start + mapped_ - bytes);
    require(cudaMemcpy(data_, values.data(), bytes, cudaMemcpyHostToDevice), "copy to device");
    require(cudaStreamSynchronize(nullptr), "copy to device");
  }
  ~GuardedArray() {
    using namespace guarded_detail;
    static const auto unmap = driver<decltype(cuMemUnmap)>("cuMemUnmap");
    static const auto release = driver<decltype(cuMemRelease)>("cuMemRelease");
    static const auto give_back = driver<decltype(cuMemAddressFree)>("cuMemAddressFree");
    cudaDeviceSynchronize();
    unmap(base_ + page_, mapped_);
    release(memory_);
    give_back(base_, mapped_ + 2 * page_);
  }
  GuardedArray(const GuardedArray&) = delete;
  GuardedArray& operator=(const GuardedArray&) = delete;

  std::vector<T> values() const {
    std::vector<T> out(count_);
    require(cudaMemcpy(out.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost), "copy from device");
    return out;
  }
  T* data() const { return data_; }

 private:
  CUdeviceptr base_ = 0;
  CUmemGenericAllocationHandle memory_ = 0;
  std::size_t page_ = 0, mapped_ = 0, count_;
  T* data_ = nullptr;
};

}  // namespace accublas::test
