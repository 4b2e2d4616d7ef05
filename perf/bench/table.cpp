#include "perf/bench/table.hpp"

#include <algorithm>
#include <cstdio>

#include "perf/matrices/matrices.hpp"

namespace bench {
namespace {

std::string short_name(const std::string& data) {
  return matrices::is_file(data) ? data.substr(data.find_last_of('/') + 1) : data;
}

}  // namespace

std::string readable(double seconds) {
  char text[32];
  if (seconds < 1e-6)
    std::snprintf(text, sizeof text, "%.1f ns", 1e9 * seconds);
  else if (seconds < 1e-3)
    std::snprintf(text, sizeof text, "%.2f us", 1e6 * seconds);
  else
    std::snprintf(text, sizeof text, "%.2f ms", 1e3 * seconds);
  return text;
}

Table::Table(const std::string& csv)
    : csv_(csv,
           "version,cpu,isa,blas,routine,m,n,k,data,threads,mode,engine,seconds,openblas_seconds,ratio,T,parts,"
           "undecided,rejected,workspace_bytes,error") {}

void Table::print(const Case& what, const std::vector<Result>& results) {
  if (!headed_)
    std::printf("%-8s %9s %-15s %3s  %-14s %-7s %12s %8s %4s %6s %10s %9s\n", "routine", "size", "data", "thr", "mode",
                "engine", "time", "ratio", "T", "parts", "undecided", "rejected");
  headed_ = true;
  const long long size =
      results.empty() ? what.size : static_cast<long long>(std::max(results[0].report.m, results[0].report.k));
  if (!results.empty())
    std::printf("%-8s %9lld %-15s %3d  %-14s %-7s %12s %8.2f\n", what.routine.c_str(), size,
                short_name(what.data).c_str(), what.threads, "OpenBLAS", "",
                readable(results[0].openblas_seconds).c_str(), 1.0);
  for (const Result& r : results) {
    const accublas_report_t& q = r.report;
    if (!r.error.empty())
      std::printf("%-8s %9lld %-15s %3d  %-14s %s\n", what.routine.c_str(), size, short_name(what.data).c_str(),
                  what.threads, r.mode.c_str(), r.error.c_str());
    else
      std::printf("%-8s %9lld %-15s %3d  %-14s %-7s %12s %8.2f %4d %6d %10lld %9lld\n", what.routine.c_str(), size,
                  short_name(what.data).c_str(), what.threads, q.mode, q.engine, readable(r.seconds).c_str(), r.ratio(),
                  q.bits, q.parts, static_cast<long long>(q.undecided), static_cast<long long>(q.rejected));
  }
  std::fflush(stdout);
  record(what, results);
}

void Table::record(const Case& what, const std::vector<Result>& results) {
  if (!csv_.get()) return;
  for (const Result& r : results) {
    const accublas_report_t& q = r.report;
    std::fprintf(csv_.get(),
                 "%d,\"%s\",%s,\"%s\",%s,%lld,%lld,%lld,%s,%d,%s,%s,%.9g,%.9g,%.4f,%d,%d,%lld,%lld,%lld,\"%s\"\n",
                 static_cast<int>(accublas_version()), cpu_name().c_str(), q.device, blas_name().c_str(),
                 what.routine.c_str(), static_cast<long long>(q.m), static_cast<long long>(q.n),
                 static_cast<long long>(q.k), short_name(what.data).c_str(), what.threads, r.mode.c_str(), q.engine,
                 r.seconds, r.openblas_seconds, r.ratio(), q.bits, q.parts, static_cast<long long>(q.undecided),
                 static_cast<long long>(q.rejected), static_cast<long long>(q.workspace_bytes), r.error.c_str());
  }
  std::fflush(csv_.get());
}

std::string instruction_set() {
  const double one = 1;
  double result = 0;
  accublas_report_t report;
  report.struct_size = sizeof report;
  if (accublas_ddot(nullptr, 1, &one, 1, &one, 1, &result) || accublas_report(nullptr, &report)) return "?";
  return report.device;
}

}  // namespace bench
