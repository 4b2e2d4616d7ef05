// Finds and loads the real BLAS.
#include <dlfcn.h>

#include <string>

#include "lib/cpu/native.hpp"
#include "lib/error.hpp"
#include "lib/fork_safe.hpp"

namespace accublas::cpu {
namespace {

// The base address of the object that holds `address`; null if unknown.
const void* object_base(const void* address) {
  Dl_info info;
  return dladdr(address, &info) ? info.dli_fbase : nullptr;
}

// dlsym on a handle searches that object and then its dependencies, never the global scope: a preloaded drop-in is not
// seen. What remains is a drop-in installed under the BLAS's own name (an alternative for libblas.so.3). It gives
// itself away by carrying this very function, or by depending on libaccublas.
bool is_accublas(void* handle, const void* symbol) {
  const void* const own = object_base(reinterpret_cast<const void*>(&real_blas));
  return dlsym(handle, "accublas_version") != nullptr || (own != nullptr && object_base(symbol) == own);
}

template <class Function>
bool find(void* handle, const char* name, Function** function) {
  *function = reinterpret_cast<Function*>(dlsym(handle, name));
  return *function != nullptr;
}

// Fills `blas` from one library; otherwise says in `tried` what is wrong with it.
bool load(const char* library, RealBlas& blas, std::string& tried) {
  tried += tried.empty() ? "" : "; ";
  tried += library;
  // No RTLD_DEEPBIND: sanitizers refuse it, and it is not needed, since the computing code of a BLAS does not call its
  // own exported routines.
  void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* const why = dlerror();
    tried += std::string(" (") + (why ? why : "cannot be loaded") + ")";
    return false;
  }
  if (!find(handle, "dgemm_", &blas.dgemm) || !find(handle, "sgemm_", &blas.sgemm) ||
      !find(handle, "dgemv_", &blas.dgemv) || !find(handle, "sgemv_", &blas.sgemv) ||
      !find(handle, "ddot_", &blas.ddot) || !find(handle, "sdot_", &blas.sdot) ||
      !find(handle, "dnrm2_", &blas.dnrm2) || !find(handle, "snrm2_", &blas.snrm2) ||
      !find(handle, "dasum_", &blas.dasum) || !find(handle, "sasum_", &blas.sasum)) {
    tried += " (lacks a routine of BLAS)";
  } else if (is_accublas(handle, reinterpret_cast<const void*>(blas.dgemm))) {
    tried += " (is accublas itself)";
  } else {
    blas.library = library;
    return true;  // stays loaded for the life of the process
  }
  dlclose(handle);
  return false;
}

RealBlas load_first() {
  RealBlas blas{};
  std::string tried;
  for (const char* library : {"libopenblas.so.0", "libblas.so.3"}) {
    if (load(library, blas, tried)) return blas;
  }
  throw Error(ACCUBLAS_ERROR_NO_BLAS, "no real BLAS could be loaded; tried " + tried);
}

}  // namespace

const RealBlas& real_blas() {
  static constinit Lazy<const RealBlas> blas;  // tried again after a failure
  return blas.get([] { return std::make_unique<const RealBlas>(load_first()); });
}

bool have_real_blas() {
  static constinit Lazy<const bool> there;
  return there.get([] {
    try {
      real_blas();
      return std::make_unique<const bool>(true);
    } catch (const Error&) {
      return std::make_unique<const bool>(false);
    }
  });
}

}  // namespace accublas::cpu
