#include "perf/gpu/shapes.hpp"

#include <algorithm>
#include <cstdio>

namespace gpu_bench {
namespace {

struct Shape {
  Index m, n, k;
};
constexpr Shape shapes[] = {
    // square
    {1024, 1024, 1024},
    {1536, 1536, 1536},
    {2048, 2048, 2048},
    {2560, 2560, 2560},
    {3072, 3072, 3072},
    {4096, 4096, 4096},
    {8192, 8192, 8192},
    // flat
    {4096, 4096, 256},
    {4096, 4096, 512},
    {4096, 4096, 1024},
    {4096, 4096, 2048},
    {8192, 8192, 256},
    {8192, 8192, 512},
    {8192, 8192, 1024},
    {8192, 8192, 2048},
    {16384, 16384, 256},
    {16384, 16384, 512},
    {16384, 16384, 1024},
    {16384, 16384, 2048},
    // deep
    {512, 512, 65536},
    {1024, 1024, 8192},
    {1024, 1024, 65536},
    {2048, 2048, 8192},
    {2048, 2048, 65536},
    // narrow
    {64, 16384, 16384},
    {256, 8192, 8192},
    {512, 16384, 4096},
    {768, 8192, 8192},
    {1024, 16384, 2048},
};

}  // namespace

bool print_shapes(Table& table, const std::vector<std::string>& routines, const std::vector<std::string>& data,
                  const Effort& effort) {
  int rows = 0, slower = 0;
  std::string wrong;
  for (const std::string& routine : routines)
    for (const std::string& kind : data)
      for (const Shape& shape : shapes) {
        const std::string grade = routine == "sgemm" ? "sp" : "dp";
        const Case what{routine, shape.m, shape.n, shape.k, kind, Method::burst};
        const std::vector<Result> results = measure(what, {"cublas", grade + "/int8", grade}, effort);
        table.print(what, results);
        const Result *cublas = find(results, "cublas"), *int8 = find(results, grade + "/int8"),
                     *taken = find(results, grade);
        if (!cublas || !int8 || !taken) continue;
        ++rows;
        const double least = std::min(cublas->ms, int8->ms);
        if (taken->ms < 1.05 * least) continue;
        ++slower;
        char line[120];
        std::snprintf(line, sizeof line, "%s %lld x %lld x %lld %s: %s took %.3f ms, the other way %.3f\n",
                      routine.c_str(), static_cast<long long>(shape.m), static_cast<long long>(shape.n),
                      static_cast<long long>(shape.k), kind.c_str(), grade.c_str(), taken->ms, least);
        wrong += line;
      }
  std::printf("%s%d of %d shapes took the slower way by 5 %% or more\n", wrong.c_str(), slower, rows);
  return rows > 0 && slower == 0;
}

}  // namespace gpu_bench
