#include "cuda/core/device.hpp"

#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <sstream>
#include <vector>

#include "cuda/core/check.hpp"
#include "cuda/core/device_model.hpp"
#include "lib/base/error.hpp"
#include "lib/base/fork_safe.hpp"
#include "lib/runtime/settings.hpp"

namespace accublas::cuda {

namespace {

/// `asked`: the process began to look for devices. `forked`: this process was forked after that. A handler of fork()
/// sets `forked`, because asking for the process id would be a system call, several times in each call of a routine.
std::atomic<bool> asked{false}, forked{false};
[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, [] {
  if (asked.load(std::memory_order_relaxed)) forked.store(true, std::memory_order_relaxed);
});

constexpr const char* forked_reason = "this process was forked from one that used CUDA";

/// Returns whether the build option gpu_arch includes kernels for a device: code for 90a runs on 9.0 alone, code for 80
/// runs on 8.0 and newer devices.
bool built_for(int major, int minor) {
  const int capability = 10 * major + minor;
  std::istringstream words(ACCUBLAS_GPU_ARCH);
  for (std::string word; std::getline(words, word, ',');) {
    char* rest = nullptr;
    const long arch = std::strtol(word.c_str(), &rest, 10);
    if (*rest == 'a' ? arch == capability : arch <= capability) return true;
  }
  return false;
}

struct Devices {
  std::vector<DeviceModel> models;
  std::vector<std::string> names;
  std::vector<std::size_t> workspace;
  std::string reason;

  Devices() {
    if (forked.load(std::memory_order_relaxed)) {  // the fork happened while another thread was looking
      reason = forked_reason;
      return;
    }
    asked.store(true, std::memory_order_relaxed);
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess || count == 0) {
      reason = std::string("no CUDA device: ") + cudaGetErrorString(status);
      cudaGetLastError();
      return;
    }
    for (int device = 0; device < count; ++device) {
      cudaDeviceProp properties{};
      if (cudaGetDeviceProperties(&properties, device) != cudaSuccess) {
        cudaGetLastError();
        reason = "a CUDA device does not answer";
        break;
      }
      // Devices are numbered consecutively: an unusable one ends the list.
      if (properties.major < 8) {
        reason = std::string(properties.name) + " is older than compute capability 8.0";
        break;
      }
      if (!built_for(properties.major, properties.minor)) {
        reason = std::string(properties.name) + " has compute capability " + std::to_string(properties.major) + "." +
                 std::to_string(properties.minor) + ", this build is for " + ACCUBLAS_GPU_ARCH;
        break;
      }
      DeviceModel model{};
      model.device = device;
      model.major = properties.major;
      model.minor = properties.minor;
      model.processors = properties.multiProcessorCount;
#ifdef ACCUBLAS_HAVE_HOPPER_KERNELS
      model.hopper_kernels = properties.major == 9 && properties.minor == 0;
#endif
      models.push_back(model);
      names.push_back(properties.name);
      workspace.push_back(std::min<std::size_t>(std::size_t{8} << 30, properties.totalGlobalMem / 8));
    }
  }
};

const Devices& devices() {
  static constinit Lazy<const Devices> found;
  return found.get();
}

}  // namespace

bool have_devices() { return !devices().models.empty() && !forked.load(std::memory_order_relaxed); }

bool forked_from_user() { return forked.load(std::memory_order_relaxed) && !devices().models.empty(); }

int usable_devices(std::string& reason) {
  const Devices& all = devices();
  if (forked_from_user()) {
    reason = forked_reason;
    return 0;
  }
  if (all.models.empty()) reason = all.reason;
  return static_cast<int>(all.models.size());
}

void require_device(int device) {
  std::string reason;
  const int count = usable_devices(reason);
  if (device < count) return;
  throw Error(ACCUBLAS_ERROR_NO_DEVICE,
              "device " + std::to_string(device) + ": " +
                  (count == 0 ? reason : "the number of devices is " + std::to_string(count)));
}

bool use_hopper_kernels(const DeviceModel& model) { return model.hopper_kernels && !environment().portable_kernels; }

const DeviceModel& device_model(int device) { return devices().models[static_cast<std::size_t>(device)]; }

std::string device_text(int device) {
  const Devices& all = devices();
  if (device < 0 || device >= static_cast<int>(all.names.size())) return "none";
  return "cuda:" + std::to_string(device) + " " + all.names[static_cast<std::size_t>(device)];
}

std::string device_text(std::span<const int> numbers) {
  std::string text = "cuda:";
  for (std::size_t i = 0; i < numbers.size(); ++i) text += (i > 0 ? "," : "") + std::to_string(numbers[i]);
  return text + " " + devices().names.at(static_cast<std::size_t>(numbers.front()));
}

std::size_t default_workspace(int device) {
  const Devices& all = devices();
  return device < static_cast<int>(all.workspace.size()) ? all.workspace[static_cast<std::size_t>(device)] : 0;
}

DeviceScope::DeviceScope(int device) {
  check(cudaGetDevice(&before_), "cudaGetDevice");
  if (before_ == device) {
    before_ = -1;
  } else {
    check(cudaSetDevice(device), "cudaSetDevice");
  }
  check(cudaThreadExchangeStreamCaptureMode(&mode_), "cudaThreadExchangeStreamCaptureMode");
}

DeviceScope::~DeviceScope() {
  cudaThreadExchangeStreamCaptureMode(&mode_);
  if (before_ >= 0) cudaSetDevice(before_);
}

}  // namespace accublas::cuda
