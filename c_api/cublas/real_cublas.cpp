#include "c_api/cublas/real_cublas.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstring>

#include "include/accublas.h"

namespace accublas::cublas {
namespace {

using Lookup = void*(void* handle, const char* name) noexcept;  // else no call of it is a jump

std::atomic<Lookup*> c_library_lookup{nullptr};
std::atomic<void*> real_library{nullptr};
std::atomic<void*> this_library{nullptr};

/// The version of dlsym that every C library has. Looking up a version that does not exist would allocate an error
/// message, and a malloc that is itself interposed may be the caller.
#ifdef __x86_64__
constexpr const char* first_version = "GLIBC_2.2.5";
#else
constexpr const char* first_version = "GLIBC_2.17";
#endif

/// Returns the C library's dlsym.
Lookup* real_dlsym() noexcept {
  if (Lookup* const known = c_library_lookup.load(std::memory_order_relaxed)) return known;
  void* found = nullptr;
  for (const char* version : {first_version, "GLIBC_2.34"})
    if ((found = dlvsym(RTLD_NEXT, "dlsym", version))) break;
  c_library_lookup.store(reinterpret_cast<Lookup*>(found), std::memory_order_relaxed);
  return reinterpret_cast<Lookup*>(found);
}

/// Returns the start of the library that an address belongs to, or null for none.
const void* base_of(const void* address) noexcept {
  Dl_info info;
  return dladdr(address, &info) ? info.dli_fbase : nullptr;
}

bool is_cublas(const char* path) noexcept {
  const char* const slash = std::strrchr(path, '/');
  return std::strncmp(slash ? slash + 1 : path, "libcublas.so", 12) == 0;
}

int find_cublas(dl_phdr_info* library, std::size_t, void* found) {
  if (!is_cublas(library->dlpi_name)) return 0;
  *static_cast<const char**>(found) = library->dlpi_name;
  return 1;
}

/// Returns the drop-in's own function of a name if `handle` leads to cuBLAS's. accublas itself, which computes some
/// modes by cuBLAS, gets the real functions.
void* served_symbol(void* handle, const char* name, const void* caller) noexcept {
  const void* const own_base = base_of(&c_library_lookup);
  const void* const calling = base_of(caller);
  if (calling == own_base || calling == base_of(reinterpret_cast<const void*>(&accublas_version))) return nullptr;
  void* own = this_library.load(std::memory_order_relaxed);
  if (!own) {
    Dl_info info;
    if (!dladdr(&c_library_lookup, &info)) return nullptr;
    own = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    this_library.store(own, std::memory_order_relaxed);
  }
  void* const served = own ? real_dlsym()(own, name) : nullptr;
  if (!served || base_of(served) != own_base) return nullptr;
  void* const real = real_dlsym()(handle, name);
  Dl_info info;
  return real && dladdr(real, &info) && is_cublas(info.dli_fname) ? served : nullptr;
}

}  // namespace

void* real_symbol(const char* name) noexcept {
  void* library = real_library.load(std::memory_order_relaxed);
  if (!library) {
    const char* path = nullptr;
    if (real_dlsym()(RTLD_NEXT, "cublasGetStream_v2"))
      library = RTLD_NEXT;
    else if (dl_iterate_phdr(find_cublas, &path))
      library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (!library) return nullptr;
    real_library.store(library, std::memory_order_relaxed);
  }
  return real_dlsym()(library, name);
}

}  // namespace accublas::cublas

/// Programs that open libcublas and look names up in it (ctypes, JAX) would bypass the drop-in. They get its functions
/// for the names that it serves. Every other look-up goes to the C library's dlsym, which must see its caller, because
/// RTLD_NEXT is relative to the caller: the compiler makes the last line a jump, which meson.build ensures.
extern "C" ACCUBLAS_API void* dlsym(void* __restrict handle, const char* __restrict name) noexcept {
  using namespace accublas::cublas;
  if (handle != RTLD_NEXT && handle != RTLD_DEFAULT && std::strncmp(name, "cublas", 6) == 0)
    if (void* const served = served_symbol(handle, name, __builtin_return_address(0))) return served;
  return real_dlsym()(handle, name);
}
