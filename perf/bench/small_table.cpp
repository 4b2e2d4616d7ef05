#include "perf/bench/small_table.hpp"

#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "perf/bench/table.hpp"

namespace bench {
namespace {

/// The limit of rows that have none of their own, from `least_order` on.
constexpr double usual_limit = 8;
constexpr std::int64_t least_order = 16;

struct Group {
  const char* title;
  std::vector<std::string> routines;
  std::vector<std::int64_t> sizes;
  std::vector<std::string> modes;
  /// Limits of "mode size".
  std::map<std::string, double> limits = {};
};

std::vector<Group> all_groups() {
  const std::vector<std::string> modes = {"cr", "dp:repro", "fixed:53"}, cr = {"cr"};
  const std::vector<std::int64_t> small = {16, 32, 64, 128, 256};
  return {
      {"single products",
       {"dgemm"},
       {4, 8, 16, 32, 64, 128, 256},
       modes,
       {{"cr 4", 5}, {"dp:repro 4", 5}, {"cr 16", 3}, {"dp:repro 16", 3}, {"cr 64", 1.5}, {"dp:repro 64", 1.5}}},
      {"complex products", {"zgemm"}, {4, 16, 64, 256, 512}, modes, {{"cr 512", 2}, {"dp:repro 512", 1.4}}},
      {"batches", {"dgemm:batch"}, {8, 16, 32, 64, 128, 256, 512}, modes},
      {"skinny products",
       {"dgemm:1000x4x1000", "dgemm:4x1000x1000", "dgemm:1000x1000x4", "dgemm:1000x16x64", "dgemm:64x64x2000",
        "dgemm:16x16x20000", "dgemm:500x64x500"},
       {1000},
       modes},
      {"matrix times vector",
       {"dgemv:n", "dgemv:t"},
       {16, 100, 1000},
       modes,
       {{"cr 1000", 1.4}, {"dp:repro 1000", 1.4}}},
      {"triangular systems and factorizations", {"dtrsm", "dpotrf", "dgetrf"}, small, cr},
  };
}

}  // namespace

bool print_small_table(Table& table, double seconds) {
  int met = 0, missed = 0;
  for (const Group& group : all_groups()) {
    std::printf("\n%s, one thread\n%-18s %6s %12s", group.title, "routine", "size", "OpenBLAS");
    for (const std::string& mode : group.modes) std::printf(" %11s %7s", mode.c_str(), "limit");
    std::printf("\n");
    for (const std::string& routine : group.routines)
      for (const std::int64_t size : group.sizes) {
        const Case what{routine, size, "phi:1", 1};
        const std::vector<Result> results = measure(what, group.modes, seconds);
        table.record(what, results);
        std::printf("%-18s %6lld %12s", routine.c_str(), static_cast<long long>(size),
                    readable(results[0].openblas_seconds).c_str());
        std::string verdict;
        for (const Result& r : results) {
          const auto own = group.limits.find(r.mode + " " + std::to_string(size));
          const bool limited = own != group.limits.end() || size >= least_order;
          const double limit = own != group.limits.end() ? own->second : usual_limit;
          const bool kept = r.error.empty() && (!limited || r.ratio() <= limit);
          std::printf(" %11.2f", r.error.empty() ? r.ratio() : HUGE_VAL);
          limited ? std::printf(" %7.1f", limit) : std::printf(" %7s", "-");
          if (!kept) verdict += (verdict.empty() ? "  NOT MET: " : ", ") + r.mode;
          if (limited || !kept) ++(kept ? met : missed);
        }
        std::printf("%s\n", verdict.c_str());
        std::fflush(stdout);
      }
  }
  std::printf("\n%d figures keep their limit, %d do not\n", met, missed);
  return missed == 0;
}

}  // namespace bench
