// NVIDIA's libraries are loaded when they are first needed, so that a build with CUDA also runs on a node without them.
#pragma once

#include <dlfcn.h>

#include <initializer_list>
#include <string>

#include "lib/base/error.hpp"

namespace accublas::cuda {

template <class Function>
bool find_function(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  return *function != nullptr;
}

/// Returns the functions that find_all(library, functions) finds in the first of the libraries that has all of them. It
/// prefers a library that the program has loaded, so that the process does not hold two versions. The library stays
/// loaded for the life of the process. Throws Error(ACCUBLAS_ERROR_UNAVAILABLE), naming the libraries tried.
template <class Functions, class FindAll>
Functions load_vendor_library(const char* what, std::initializer_list<const char*> names, FindAll&& find_all) {
  std::string tried;
  const auto load = [&](const char* name, Functions& functions) {
    tried += tried.empty() ? "" : "; ";
    tried += name;
    void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      const char* const why = dlerror();
      tried += std::string(" (") + (why ? why : "cannot be loaded") + ")";
      return false;
    }
    if (find_all(library, functions)) return true;
    tried += " (lacks a function)";
    dlclose(library);
    return false;
  };
  const auto is_loaded = [](const char* name) {
    void* const library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    if (library) dlclose(library);
    return library != nullptr;
  };
  Functions functions{};
  for (const bool by_program : {true, false})
    for (const char* name : names)
      if (is_loaded(name) == by_program && load(name, functions)) return functions;
  throw Error(ACCUBLAS_ERROR_UNAVAILABLE, std::string(what) + " could not be loaded; tried " + tried);
}

}  // namespace accublas::cuda
