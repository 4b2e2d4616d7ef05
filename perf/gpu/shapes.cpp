#include "perf/gpu/shapes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

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
    {1024, 1024, 64},
    {2048, 2048, 64},
    {4096, 4096, 64},
    {20000, 20000, 64},
    {1024, 1024, 128},
    {4096, 4096, 128},
    {20000, 20000, 128},
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
    {20000, 1, 20000},
    {20000, 4, 20000},
    {20000, 16, 20000},
    {20000, 64, 20000},
    {20000, 128, 20000},
    {64, 20000, 20000},
    {64, 16384, 16384},
    {128, 4096, 4096},
    {256, 8192, 8192},
    {512, 16384, 4096},
    {768, 8192, 8192},
    {1024, 16384, 2048},
};

std::string text_of(const Shape& s) {
  return std::to_string(s.m) + " x " + std::to_string(s.n) + " x " + std::to_string(s.k);
}

/// Returns the modes besides dp (sp). Large shapes go without dot2, which would take seconds.
std::vector<std::string> modes_of(const std::string& routine, const Shape& s) {
  const bool single = routine == "sgemm";
  std::vector<std::string> modes = {single ? "sp:repro" : "dp:repro", "cr", single ? "fixed:24" : "fixed:53"};
  const std::vector<std::string> words = {"tf32x1", "tf32x3", "fp16x1", "fp16x3"};
  if (single) modes.insert(modes.end(), words.begin(), words.end());
  if (static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k) <= 0x1p36) modes.push_back("dot2");
  return modes;
}

/// The shape on which a mode is slowest compared with cuBLAS.
struct Worst {
  double ratio = HUGE_VAL;
  std::string where;
  void take(double of, const Shape& shape, const std::string& data) {
    if (of >= ratio) return;
    ratio = of;
    where = text_of(shape) + " " + data;
  }
};

}  // namespace

bool print_shapes(Table& table, const std::vector<std::string>& routines, const std::vector<std::string>& modes,
                  const std::vector<std::string>& data, const Effort& effort) {
  int rows = 0, slower = 0;
  std::string wrong;
  std::map<std::string, Worst> worst;  // of a routine and a mode
  for (const std::string& routine : routines)
    for (const std::string& kind : data)
      for (const Shape& shape : shapes) {
        const std::string grade = routine == "sgemm" ? "sp" : "dp", emulated = grade + "/int8";
        std::vector<std::string> contenders = {"cublas", emulated, grade};
        for (const std::string& mode : modes.empty() ? modes_of(routine, shape) : modes)
          if (!std::count(contenders.begin(), contenders.end(), mode)) contenders.push_back(mode);
        const Case what{routine, shape.m, shape.n, shape.k, kind, Method::burst};
        const std::vector<Result> results = measure(what, contenders, effort);
        table.print(what, results);
        const Result *cublas = find(results, "cublas"), *int8 = find(results, emulated), *taken = find(results, grade);
        if (!cublas || !int8 || !taken) continue;
        for (const std::string& contender : contenders)
          if (const Result* ours = find(results, contender); ours && contender != "cublas" && contender != emulated)
            worst[routine + " " + contender].take(cublas->ms / ours->ms, shape, kind);
        ++rows;
        const double least = std::min(cublas->ms, int8->ms);
        if (taken->ms < 1.05 * least) continue;
        ++slower;
        char line[120];
        std::snprintf(line, sizeof line, "%s %s %s: %s took %.3f ms, the other way %.3f\n", routine.c_str(),
                      text_of(shape).c_str(), kind.c_str(), grade.c_str(), taken->ms, least);
        wrong += line;
      }
  std::printf("\nleast ratio of a mode, and where:\n");
  for (const auto& [name, of] : worst) std::printf("  %-18s %6.2f  %s\n", name.c_str(), of.ratio, of.where.c_str());
  std::printf("%s%d of %d shapes took the slower way by 5 %% or more\n", wrong.c_str(), slower, rows);
  return rows > 0 && slower == 0;
}

}  // namespace gpu_bench
