#include "c_api/cublas/real_cublas.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstring>
#include <string_view>

#include "include/accublas.h"

namespace accublas::cublas {
namespace {

using Lookup = void*(void* handle, const char* name) noexcept;  // else no call of it is a jump

std::atomic<Lookup*> c_library_lookup{nullptr};
/// A library whose names the drop-in serves.
struct RealLibrary {
  std::string_view file;  ///< beginning of the library's file name
  const char* probe;      ///< a function of the library that the drop-in does not have
  std::atomic<void*> loaded{nullptr};
};
constinit RealLibrary real_cublas{"libcublas.so", "cublasGetStream_v2"};
constinit RealLibrary real_lt{"libcublasLt.so", "cublasLtGetVersion"};

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

bool is_file_of(const RealLibrary& library, const char* path) noexcept {
  const char* const slash = std::strrchr(path, '/');
  return std::string_view(slash ? slash + 1 : path).starts_with(library.file);
}

struct Search {
  const RealLibrary& library;
  const char* path = nullptr;
};
int find_library(dl_phdr_info* loaded, std::size_t, void* search) {
  Search& s = *static_cast<Search*>(search);
  if (!is_file_of(s.library, loaded->dlpi_name)) return 0;
  s.path = loaded->dlpi_name;
  return 1;
}

RealLibrary& library_of(const char* name) noexcept {
  return std::strncmp(name, "cublasLt", 8) == 0 ? real_lt : real_cublas;
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
  return real && dladdr(real, &info) && is_file_of(library_of(name), info.dli_fname) ? served : nullptr;
}

}  // namespace

void* real_symbol(const char* name) noexcept {
  RealLibrary& real = library_of(name);
  void* library = real.loaded.load(std::memory_order_relaxed);
  if (!library) {
    Search search{real};
    if (real_dlsym()(RTLD_NEXT, real.probe))
      library = RTLD_NEXT;
    else if (dl_iterate_phdr(find_library, &search))
      library = dlopen(search.path, RTLD_LAZY | RTLD_NOLOAD);
    if (!library) return nullptr;
    real.loaded.store(library, std::memory_order_relaxed);
  }
  return real_dlsym()(library, name);
}

bool is_in_cublas(const void* address) noexcept {
  Dl_info info;
  return dladdr(address, &info) && info.dli_fname && is_file_of(real_cublas, info.dli_fname);
}

}  // namespace accublas::cublas

/// Programs that open libcublas or libcublasLt and look names up there (ctypes, JAX) would bypass the drop-in. They get
/// its functions for the names that it serves. Every other look-up goes to the C library's dlsym, which must see the
/// program as its caller, because RTLD_NEXT is relative to the caller. So the last line must compile to a jump, which
/// meson.build ensures.
extern "C" ACCUBLAS_API void* dlsym(void* __restrict handle, const char* __restrict name) noexcept {
  using namespace accublas::cublas;
  if (handle != RTLD_NEXT && handle != RTLD_DEFAULT && std::strncmp(name, "cublas", 6) == 0)
    if (void* const served = served_symbol(handle, name, __builtin_return_address(0))) return served;
  return real_dlsym()(handle, name);
}
