// A call whose allocations fail by the hooks of the library.
#pragma once

#include <cstdlib>
#include <string>

#include "accublas.h"

namespace accublas::test {

/// call()'s status while allocation `which` fails: its number, and + where those after it fail too.
template <class F>
accublas_status with_failing_allocation(const std::string& which, F&& call) {
  struct Variable {  // unset where a test throws, too
    ~Variable() { unsetenv("ACCUBLAS_TEST_FAIL_ALLOCATION"); }
  } const variable;
  setenv("ACCUBLAS_TEST_FAIL_ALLOCATION", which.c_str(), 1);
  return call();
}

}  // namespace accublas::test
