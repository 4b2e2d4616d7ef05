// The words of the command line of accublas-gpu-bench.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "perf/gpu/context.hpp"
#include "perf/gpu/measure.hpp"

namespace gpu_bench {

struct Shape {
  Index m, n, k;
};

/// "4096", or "16384x16384x256" for m x n x k. Throws std::runtime_error for anything else.
inline Shape parse_shape(const std::string& word) {
  long long m = 0, n = 0, k = 0;
  char rest = 0;
  if (std::sscanf(word.c_str(), "%lldx%lldx%lld%c", &m, &n, &k, &rest) != 3) {
    if (std::sscanf(word.c_str(), "%lld%c", &m, &rest) != 1)
      throw std::runtime_error("size " + word + " is neither N nor MxNxK");
    n = k = m;
  }
  if (std::min({m, n, k}) < 1) throw std::runtime_error("size " + word + " is not positive");
  return {m, n, k};
}

inline std::vector<std::string> default_contenders(const std::string& routine, const Shape& shape) {
  const std::string grade = routine == "sgemm" || routine == "cgemm" ? "sp" : "dp";
  std::vector<std::string> out = {"cublas", "cublasLt-int8", grade, grade + "/int8", grade + ":repro", "cr"};
  // A call takes seconds beyond that.
  if (static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k) <= 0x1p39)
    out.push_back("dot2");
  return out;
}

/// Accepts the words that `parse` takes without an exception.
inline CLI::Validator accepted_by(const std::function<void(const std::string&)>& parse) {
  return CLI::Validator(
      [parse](std::string& word) {
        try {
          parse(word);
        } catch (const std::exception& error) {
          return std::string(error.what());
        }
        return std::string();
      },
      "");
}

/// Throws std::runtime_error unless measure() knows the contender.
inline void parse_contender(const std::string& word) {
  if (word != "cublasLt-int8" && !is_cublas_gemm(word)) Context context(word);
}

}  // namespace gpu_bench
