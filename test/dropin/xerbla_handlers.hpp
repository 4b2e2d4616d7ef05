// Defines a program's own handlers of bad arguments, which record the complaints that they get. Only one source of a
// program may include this file. With OWN_ALL it defines all handlers, otherwise xerbla_ alone.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace {

struct Complaint {
  std::string handler, routine;
  std::int64_t argument;
  bool operator==(const Complaint&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Complaint& c) {
  return out << c.handler << "(\"" << c.routine << "\", " << c.argument << ")";
}
std::vector<Complaint> complaints;

}  // namespace

extern "C" {
void xerbla_(const char* routine, const std::int32_t* argument, std::size_t length) {
  complaints.push_back({"xerbla_", std::string(routine, length), *argument});
}
#ifdef OWN_ALL
// Under netlib's library a handler of CBLAS gets the numbers of the F77 call and swaps row-major ones back itself.
[[gnu::weak]] extern int RowMajorStrg;
static std::int64_t in_the_callers_order(std::int64_t argument, const std::string& routine) {
  if (!&RowMajorStrg || !RowMajorStrg) return argument;
  const std::int64_t pairs[][2] = {{4, 5}, {9, 11}, {3, 4}};
  const bool gemm = routine.find("gemm") != routine.npos;
  for (const auto& pair : pairs)
    if (gemm == (pair[0] != 3) && (argument == pair[0] || argument == pair[1])) return pair[0] + pair[1] - argument;
  return argument;
}
#define OWN_F77(name, Int)                                                  \
  void name(const char* routine, const Int* argument, std::size_t length) { \
    complaints.push_back({#name, std::string(routine, length), *argument}); \
  }
#define OWN_CBLAS(name, Int)                                                         \
  void name(Int argument, const char* routine, const char*, ...) {                   \
    complaints.push_back({#name, routine, in_the_callers_order(argument, routine)}); \
  }
OWN_F77(xerbla_64_, std::int64_t)
OWN_F77(xerbla64_, std::int64_t)
OWN_F77(scipy_xerbla_, std::int32_t)
OWN_F77(scipy_xerbla_64_, std::int64_t)
OWN_CBLAS(cblas_xerbla, std::int32_t)
OWN_CBLAS(cblas_xerbla_64, std::int64_t)
OWN_CBLAS(cblas_xerbla64_, std::int64_t)
OWN_CBLAS(scipy_cblas_xerbla, std::int32_t)
OWN_CBLAS(scipy_cblas_xerbla64_, std::int64_t)
#endif
}

namespace {

template <class Names>
Complaint expected_f77([[maybe_unused]] const Names& blas, const std::string& routine, int number) {
  std::string name = std::string(1, blas.letter == 'd' ? 'D' : 'S') + routine;
  if (name.size() < 6) name.resize(6, ' ');
#ifdef OWN_ALL
  return {blas.f77("xerbla"), name, number};
#else
  return {"xerbla_", name, number};
#endif
}

template <class Names>
Complaint expected_cblas(const Names& blas, std::string routine, int number) {
#ifdef OWN_ALL
  for (char& c : routine) c = static_cast<char>(std::tolower(c));
  return {blas.cblas("xerbla"), std::string("cblas_") + blas.letter + routine, number};
#else
  return expected_f77(blas, routine, number - 1);
#endif
}

void expect_one(const Complaint& expected) {
  ASSERT_EQ(complaints.size(), 1u) << "expected " << expected;
  EXPECT_EQ(complaints[0], expected);
  complaints.clear();
}

}  // namespace
