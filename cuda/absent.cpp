// The CUDA backend of a build without CUDA: it reports that there is no device.
#include "lib/accumulator/device_sums.hpp"
#include "lib/base/error.hpp"
#include "lib/base/fork_safe.hpp"
#include "lib/call/backend.hpp"
#include "lib/call/place.hpp"

namespace accublas {

namespace {

constexpr const char* absent = "this build of accublas has no CUDA";

[[noreturn]] void no_device() { throw Error(ACCUBLAS_ERROR_NO_DEVICE, absent); }

class AbsentBackend final : public Backend {
 public:
  const char* name() const noexcept override { return "cuda"; }
  int device_count(std::string& reason) const override {
    reason = absent;
    return 0;
  }
  std::string device_name(int) const override { return "none"; }
  Location locate(const void*) const override { return {MemoryKind::host, 0}; }
  std::size_t default_workspace(int) const override { return 0; }
  std::unique_ptr<BackendState> make_state(int) override { no_device(); }
  void compute(const AnyCall&, BackendState*, Execution&) override { no_device(); }
  void begin_steps(AnySteps, BackendState*, Workspace&, int) override { no_device(); }
};

}  // namespace

std::unique_ptr<Place> device_place(BackendState&, const char*) { no_device(); }

template <class E>
std::unique_ptr<DeviceSums<E>> make_device_sums(const Accumulator&, int, std::size_t) {
  no_device();
}
template <class E>
void measure_on_device(BackendState&, Index, Index, Matrix<const E>, LineExponents*) {
  no_device();
}
#define ACCUBLAS_INSTANTIATE(E)                                                                   \
  template std::unique_ptr<DeviceSums<E>> make_device_sums(const Accumulator&, int, std::size_t); \
  template void measure_on_device(BackendState&, Index, Index, Matrix<const E>, LineExponents*);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

Backend& cuda_backend() {
  static constinit Lazy<AbsentBackend> backend;
  return backend.get();
}

}  // namespace accublas
