#include "perf/bench/targets.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace bench {
namespace {

/// One line: the worst ratio to OpenBLAS over all sizes, data and numbers of threads.
struct Target {
  const char* work;
  const char* routine;
  const char* mode;
  double limit;
  std::vector<std::int64_t> sizes;
  std::vector<std::string> data;
};

const std::vector<std::string> all_ranges = {"phi:0", "phi:1", "phi:10", "cond"};

std::vector<Target> all_targets(bool quick) {
  const std::vector<std::int64_t> dot =
      quick ? std::vector<std::int64_t>{1000000} : std::vector<std::int64_t>{1000000, 10000000};
  const std::vector<std::int64_t> gemv =
      quick ? std::vector<std::int64_t>{1000} : std::vector<std::int64_t>{1000, 4000};
  const std::vector<std::int64_t> factored =
      quick ? std::vector<std::int64_t>{1000} : std::vector<std::int64_t>{1000, 2000};
  std::vector<Target> targets = {
      {"DOT past L2, dot2", "ddot", "dot2", 1.2, dot, all_ranges},
      {"DOT past L2, cr", "ddot", "cr", 1.3, dot, all_ranges},
      {"DOT in L2, dot2", "ddot", "dot2", 2.3, {10000, 50000}, all_ranges},
      {"GEMV N past L2, dot2", "dgemv:n", "dot2", 1.3, gemv, all_ranges},
      {"GEMV T past L2, dot2", "dgemv:t", "dot2", 1.2, gemv, all_ranges},
      {"GEMV N past L2, cr", "dgemv:n", "cr", 1.4, gemv, all_ranges},
      {"GEMV T past L2, cr", "dgemv:t", "cr", 1.4, gemv, all_ranges},
      {"GEMM 64, cr", "dgemm", "cr", 8, {64}, {"phi:1"}},
      {"GEMM 128, cr", "dgemm", "cr", 8, {128}, {"phi:1"}},
      {"GEMM 1024, dp:repro", "dgemm", "dp:repro", 2.2, {1024}, {"phi:1"}},
      {"GEMM 1024, cr", "dgemm", "cr", 3.5, {1024}, {"phi:1"}},
      {"GEMM 1024, dot2", "dgemm", "dot2", 9, {1024}, {"phi:1"}},
      {"ZGEMM, dp:repro", "zgemm", "dp:repro", 1.4, {512, 1024}, {"phi:1"}},
      {"ZGEMM, cr", "zgemm", "cr", 2, {512, 1024}, {"phi:1"}},
      {"SYRK 1024, cr", "dsyrk", "cr", 4, {1024}, {"phi:1"}},
      {"SYMM 1024, cr", "dsymm", "cr", 4, {1024}, {"phi:1"}},
      {"TRMM 1024, cr", "dtrmm", "cr", 4, {1024}, {"phi:1"}},
      {"TRSM 1024, cr", "dtrsm", "cr", 6, {1024}, {"phi:1"}},
      {"Cholesky, cr", "dpotrf", "cr", 6, factored, {"phi:1"}},
      {"LU, cr", "dgetrf", "cr", 6, factored, {"phi:1"}},
      {"eigenvalues, dp", "dsyevd:values", "dp", 3, {1000}, {"phi:1"}},
      {"eigenvectors, dp", "dsyevd", "dp", 3, {1000}, {"phi:1"}},
  };
  if (quick) return targets;
  targets.push_back({"GEMM 2048, dp:repro", "dgemm", "dp:repro", 2.2, {2048}, {"phi:1"}});
  targets.push_back({"GEMM 2048, cr", "dgemm", "cr", 3.5, {2048}, {"phi:1"}});
  targets.push_back({"GEMM 2048, dot2", "dgemm", "dot2", 9, {2048}, {"phi:1"}});
  return targets;
}

struct Worst {
  double ratio = 0;
  std::string where;
};

/// Targets that share routine, sizes and data are measured together, so that OpenBLAS runs once beside them.
bool together(const Target& x, const Target& y) {
  return std::string(x.routine) == y.routine && x.sizes == y.sizes && x.data == y.data;
}

void line(const char* work, double limit, double measured, const char* unit, bool met, const std::string& where) {
  std::printf("%-24s %8.4g%-4s %8.4g%-4s %-7s %s\n", work, limit, unit, measured, unit, met ? "met" : "NOT MET",
              where.c_str());
  std::fflush(stdout);
}

bool ratios(Table& table, const TargetOptions& options) {
  bool all_met = true;
  const std::vector<Target> targets = all_targets(options.quick);
  std::vector<bool> done(targets.size());
  for (std::size_t first = 0; first < targets.size(); ++first) {
    if (done[first]) continue;
    std::vector<std::size_t> group;
    std::vector<std::string> modes;
    for (std::size_t i = first; i < targets.size(); ++i)
      if (together(targets[first], targets[i])) {
        group.push_back(i);
        modes.push_back(targets[i].mode);
        done[i] = true;
      }
    std::vector<Worst> worst(group.size());
    for (const std::int64_t size : targets[first].sizes)
      for (const std::string& data : targets[first].data)
        for (const int threads : {1, 2}) {
          std::fprintf(stderr, "\r%-70s\r%s %lld %s, %d threads", "", targets[first].routine,
                       static_cast<long long>(size), data.c_str(), threads);
          const Case what{targets[first].routine, size, data, threads};
          const auto results = measure(what, modes, options.seconds);
          table.record(what, results);
          for (std::size_t i = 0; i < results.size(); ++i) {
            const bool failed = !results[i].error.empty();
            const double ratio = failed ? HUGE_VAL : results[i].ratio();
            if (ratio > worst[i].ratio)
              worst[i] = {ratio, failed ? results[i].error
                                        : "worst: n = " + std::to_string(size) + ", " + data + ", " +
                                              std::to_string(threads) + (threads > 1 ? " threads" : " thread")};
          }
        }
    std::fprintf(stderr, "\r%-70s\r", "");
    for (std::size_t i = 0; i < group.size(); ++i) {
      const Target& target = targets[group[i]];
      const bool met = worst[i].ratio <= target.limit;
      line(target.work, target.limit, worst[i].ratio, "", met, worst[i].where);
      all_met = all_met && met;
    }
  }
  return all_met;
}

bool memory(const TargetOptions& options) {
  const Case what{"dgemm", options.quick ? 1024 : 4096, "phi:1", 2};
  const auto results = report(what, {"cr"});  // which needs the most
  bool all_met = true;
  for (const Result& r : results) {
    const double mib = static_cast<double>(r.report.workspace_bytes) / (1 << 20);
    const bool met = r.error.empty() && mib <= 256;
    const std::string work = "workspace, " + r.mode;
    line(work.c_str(), 256, mib, " MiB", met, "n = " + std::to_string(what.size) + ", two threads, " + r.error);
    all_met = all_met && met;
  }
  return all_met;
}

bool overhead() {
  bool all_met = true;
  for (const Overhead& o : measure_dropin_overhead()) {
    const double extra = o.dropin_ns - o.openblas_ns;
    const std::string work = "drop-in, " + o.mode + " " + o.routine;
    char where[80];
    std::snprintf(where, sizeof where, "n = 8: %.0f ns, OpenBLAS alone %.0f ns", o.dropin_ns, o.openblas_ns);
    line(work.c_str(), 200, extra, " ns", extra <= 200, where);
    all_met = all_met && extra <= 200;
  }
  return all_met;
}

void other_data(Table& table, const TargetOptions& options) {
  std::vector<std::string> kinds = {"phi:0",  "phi:0.5",        "phi:1",      "phi:2", "phi:4",
                                    "phi:10", "block-diagonal", "triangular", "ties"};
  std::error_code ignored;
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(options.matrices, ignored))
    if (entry.path().extension() == ".mtx") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  kinds.insert(kinds.end(), files.begin(), files.end());
  for (const std::string& kind : kinds) {
    const Case what{"dgemm", options.quick ? 256 : 512, kind, 1};
    table.print(what, measure(what, {"dp:repro", "cr"}, options.seconds));
  }
}

}  // namespace

bool print_targets(Table& table, const TargetOptions& options) {
  std::printf("\n%-24s %8s     %8s\n", "time over OpenBLAS's", "target", "measured");
  if (instruction_set().find("vnni") == std::string::npos && instruction_set().find("amx") == std::string::npos)
    std::printf("(the targets of products of 512 and more are set for AVX-512 VNNI, which this CPU lacks)\n");
  bool met = ratios(table, options);
  met = memory(options) && met;
  met = overhead() && met;
  std::printf("\nGEMM on other data, one thread\n");
  other_data(table, options);
  return met;
}

}  // namespace bench
