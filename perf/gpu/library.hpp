// Libraries of the CUDA toolkit, loaded at run time.
#pragma once

#include <dlfcn.h>

#include <stdexcept>
#include <string>

namespace gpu_bench {

/// By the names that the toolkit's releases use, then where this program was built. Throws std::runtime_error.
class Library {
 public:
  explicit Library(const std::string& name) {
    for (const std::string& path :
         {name + ".so.13", name + ".so.12", name + ".so", ACCUBLAS_CUDA_LIBRARIES "/" + name + ".so"})
      if ((handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL))) return;
    throw std::runtime_error(name + " cannot be loaded");
  }
  template <class Function>
  void get(Function& to, const char* name) const {
    to = reinterpret_cast<Function>(dlsym(handle_, name));
    if (!to) throw std::runtime_error(std::string(name) + " is missing");
  }

 private:
  void* handle_ = nullptr;
};

}  // namespace gpu_bench
