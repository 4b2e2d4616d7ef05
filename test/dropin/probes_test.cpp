// The calls by which FlexiBLAS and libblastrampoline examine a library before they forward to it: how wide its integers
// are, and how its functions return complex and single-precision numbers. Some arguments are bad on purpose. The
// drop-in is loaded as they load it, with local scope.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "lib/call/blas_spellings.hpp"

namespace {

struct Spelling {
  const char *prefix, *f77_suffix, *cblas_suffix;
  bool wide;  ///< its integers have 64 bits
};
#define ACCUBLAS_SPELLING(spelling, Int, prefix, f77_suffix, cblas_suffix) \
  {#prefix, #f77_suffix, #cblas_suffix, sizeof(Int) == sizeof(std::int64_t)},
constexpr Spelling spellings[] = {ACCUBLAS_BLAS_SPELLINGS(ACCUBLAS_SPELLING)};
void PrintTo(const Spelling& s, std::ostream* to) { *to << s.prefix << "dgemm" << s.f77_suffix; }

class Probes : public testing::TestWithParam<Spelling> {
 protected:
  void* symbol(const std::string& name) const {
    static void* const library = dlopen(DROP_IN, RTLD_NOW | RTLD_LOCAL);
    void* const found = library ? dlsym(library, name.c_str()) : nullptr;
    EXPECT_NE(found, nullptr) << name;
    return found;
  }
  std::string f77_name(const char* routine) const {
    return std::string(GetParam().prefix) + routine + GetParam().f77_suffix;
  }
  template <class Function>
  Function* f77(const char* routine) const {
    return reinterpret_cast<Function*>(symbol(f77_name(routine)));
  }
  bool wide() const { return GetParam().wide; }
};

using Int = std::int64_t;  // holds an integer of either width, for the machines are little endian
const Int zero = 0, one = 1, three_or_negative = static_cast<Int>(0xffffffff00000003);

TEST_P(Probes, IsamaxSeesTheWidthOfALength) {
  auto* const isamax = f77<Int(const Int*, const float*, const Int*)>("isamax");
  const float x[] = {1, -2, 1};
  EXPECT_EQ(isamax(&three_or_negative, x, &one) & 0xffffffff, wide() ? 0 : 2);
}

TEST_P(Probes, IsamaxFindsTheFirstLargest) {
  auto* const isamax = f77<Int(const Int*, const float*, const Int*)>("isamax");
  const auto index = [&](const std::vector<float>& x, Int increment) {
    const Int n = static_cast<Int>(x.size()) / (increment < 1 ? 1 : increment);
    return isamax(&n, x.data(), &increment) & 0xffffffff;
  };
  EXPECT_EQ(index({3, -7, 7, 0}, 1), 2);
  EXPECT_EQ(index({3, 9, -4, 9}, 2), 2);
  EXPECT_EQ(index({0, 0}, 1), 1);
  EXPECT_EQ(index({}, 1), 0);
  EXPECT_EQ(index({1, 2}, 0), 0);
  EXPECT_EQ(index({1, 2}, -1), 0);
}

TEST_P(Probes, FactorizationStoresAnErrorInItsWidth) {
  auto* const dpotrf = f77<void(const char*, const Int*, double*, const Int*, Int*)>("dpotrf");
  double a[4] = {};
  const Int n = 2;
  Int info = 0;
  dpotrf("U", &n, a, &zero, &info);
  EXPECT_EQ(info, wide() ? Int{-4} : Int{0xfffffffc});
}

// A library that returns complex numbers by a first argument clears `first`. The drop-in reads it as a length, which is
// zero or negative.
template <class T>
using Complex = std::complex<T>;
template <class T>
struct Functions {
  using ByRegister = Complex<T>(const Int*, const Complex<T>*, const Int*, const Complex<T>*, const Int*);
  using ByArgument = void(void*, const Int*, const Complex<T>*, const Int*, const Complex<T>*, const Int*);
};
template <class T>
void check_complex_return(void* dot, Int length) {
  using F = Functions<T>;
  const Complex<T> nothing = 0;
  const Int before[] = {length, 0x3ff0000000000000};
  Int first[] = {before[0], before[1]};
  reinterpret_cast<typename F::ByArgument*>(dot)(first, &zero, &nothing, &zero, &nothing, &zero);
  EXPECT_EQ(first[0], before[0]);
  EXPECT_EQ(first[1], before[1]);
  auto* const by_register = reinterpret_cast<typename F::ByRegister*>(dot);
  EXPECT_EQ(by_register(&zero, &nothing, &zero, &nothing, &zero), nothing);
  const Complex<T> x[] = {{1, 2}, {3, 0}}, y[] = {{1, 0}, {0, 1}};
  const Int two = 2;
  EXPECT_EQ(by_register(&two, x, &one, y, &one), Complex<T>(1, 1));
}

TEST_P(Probes, ComplexFunctionsReturnInRegisters) {
  for (const Int length : {Int{0}, Int{-1}}) {
    check_complex_return<double>(symbol(f77_name("zdotc")), length);
    check_complex_return<float>(symbol(f77_name("cdotc")), length);
  }
}

TEST_P(Probes, SingleFunctionsReturnSingle) {
  auto* const sdot = f77<float(const Int*, const float*, const Int*, const float*, const Int*)>("sdot");
  const float half = 0.5f;
  EXPECT_EQ(sdot(&one, &half, &one, &half, &one), 0.25f);
}

TEST_P(Probes, CblasHasTheWidthOfFortransNames) {
  const std::string suffix = GetParam().cblas_suffix;
  auto* const sub = reinterpret_cast<void (*)(Int, const void*, Int, const void*, Int, void*)>(
      symbol(GetParam().prefix + std::string("cblas_zdotc_sub") + suffix));
  const Complex<double> x = {1, 2}, y = {3, 4};
  Complex<double> sum;
  sub(1, &x, 1, &y, 1, &sum);
  EXPECT_EQ(sum, Complex<double>(11, -2));
}

INSTANTIATE_TEST_SUITE_P(Spellings, Probes, testing::ValuesIn(spellings));

}  // namespace
