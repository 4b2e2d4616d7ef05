// Linked whole into test programs that run on different real BLAS: the run fails where the one that accublas loads, or
// the one that the program is linked with, is not what ACCUBLAS_TEST_BLAS says: a file, or "OpenBLAS", on the kernels
// of OPENBLAS_CORETYPE where that is set. Asked at the end, since a program may want to load its BLAS in children
// alone.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "c_api/private.hpp"

namespace {

void expect_openblas(const std::string& file) {
  void* const library = dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  ASSERT_TRUE(library) << file;
  const auto core = reinterpret_cast<const char* (*)()>(dlsym(library, "openblas_get_corename"));
  ASSERT_TRUE(core) << "the BLAS is " << file << ", not OpenBLAS";
  if (const char* const wanted = std::getenv("OPENBLAS_CORETYPE")) {
    EXPECT_STRCASEEQ(core(), wanted);
  }
  dlclose(library);
}

void expect_wanted(const std::string& file, const std::string& wanted) {
  if (wanted == "OpenBLAS") return expect_openblas(file);
  std::error_code missing;  // compares as another file
  EXPECT_TRUE(std::filesystem::equivalent(file, wanted, missing)) << "the BLAS is " << file << ", not " << wanted;
}

class WantedBlas : public testing::Environment {
  void TearDown() override {
    const char* const wanted = std::getenv("ACCUBLAS_TEST_BLAS");
    if (!wanted) return;
    const accublas::cpu::RealBlas* const blas = accublas_private_real_blas();
    ASSERT_TRUE(blas) << "no real BLAS, where " << wanted << " was wanted";
    expect_wanted(blas->library, wanted);
    Dl_info owner;
    if (void* const linked = dlsym(RTLD_DEFAULT, "dscal_"); linked && dladdr(linked, &owner))
      expect_wanted(owner.dli_fname, wanted);
  }
};

[[maybe_unused]] testing::Environment* const registered = testing::AddGlobalTestEnvironment(new WantedBlas);

}  // namespace
