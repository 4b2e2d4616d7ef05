// The contexts with which errors and reports of GEMM are tried.
#pragma once

#include "test/gpu/gemm_problem.hpp"

namespace accublas::test {
namespace {

template <class T>
class GemmErrors : public testing::Test {
 protected:
  Context cpu{ACCUBLAS_BACKEND_CPU}, gpu{ACCUBLAS_BACKEND_CUDA};
  Random rng{41};
};

using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(GemmErrors, Types);

}  // namespace
}  // namespace accublas::test
