// Times accublas's GEMM on the GPU beside cuBLAS's on the same data.
#pragma once

#include <string>
#include <vector>

#include "accublas.h"
#include "perf/gpu/data.hpp"

namespace gpu_bench {

/// burst: single calls from an idle device, a pause before each, after three warm-ups where sizes are small. sustained:
/// calls back to back. Runs of all contenders are interleaved; the median of the repetitions counts.
enum class Method { burst, sustained };
inline const char* name_of(Method method) { return method == Method::burst ? "burst" : "sustained"; }

struct Case {
  std::string routine;  ///< dgemm, sgemm, zgemm, cgemm
  Index m, n, k;
  std::string data;  ///< see data.hpp
  Method method;

  bool single() const { return routine[0] == 's' || routine[0] == 'c'; }
  bool complex() const { return routine[0] == 'z' || routine[0] == 'c'; }
};

/// 2 m n k (complex: 8 m n k) over the time, in units of 10^12 per second.
double tera(const Case& what, double ms);

struct Effort {
  int repetitions = 10;
  double pause = 0.15;  ///< seconds before a burst
  double seconds = 1;   ///< of a contender's sustained runs
};

struct Result {
  std::string contender;
  std::string error;                      ///< why there is no figure, empty if there is one
  double ms = 0;                          ///< of a call
  bool ours = false;                      ///< the fields below are set
  accublas_report_t report{};             ///< of a call at level 2
  double product_ms = 0;                  ///< of the phase of INT8 products, median
  double largest_error = -1, bound = -1;  ///< see sample.hpp; also cuBLAS's error; of real products
  double fp64_share = 0;                  ///< dot2: of what the FP64 units issue, see fp64_share()
};

/// A contender is "cublas" (the routine's own cuBLAS product), "cublasLt-int8" (INT8 bytes of the same sizes), or a
/// mode word with an engine behind a slash where one is asked for: "cr", "dp/int8".
std::vector<Result> measure(const Case& what, const std::vector<std::string>& contenders, const Effort& effort);

/// Returns whether a contender is a product of cuBLAS: "cublas", and for SGEMM "cublas-tf32", "cublas-tf32x3",
/// "cublas-fp16" and "cublas-fp16x3". The last four are the products of multiword modes, without splitting entries.
bool is_cublas_gemm(const std::string& contender);

/// The result of a contender, null where it is not there or failed.
const Result* find(const std::vector<Result>& results, const std::string& contender);

/// The cost that a process pays once: milliseconds of the first call on the device, and of the next.
struct FirstCall {
  std::string contender;
  double first_ms, next_ms;
};
std::vector<FirstCall> measure_first_calls(Index n);

std::string device_name();
std::string cublas_version();

}  // namespace gpu_bench
