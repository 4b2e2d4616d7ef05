#include "perf/gpu/table.hpp"

#include <cstdio>

namespace gpu_bench {

double int8_tera(const Case& what, const Result& result) {
  return result.ours ? tera(what, result.product_ms) * result.report.parts : 0;
}

Table::Table(const std::string& csv)
    : csv_(csv,
           "version,device,routine,m,n,k,data,method,contender,engine,ms,tera,over_cublas,T,parts,rejected,undecided,"
           "ms_convert,ms_product,ms_reconstruct,ms_exact,int8_tera,fp64_share,error_u,bound_u,workspace_bytes,"
           "failure") {}

void Table::print(const Case& what, const std::vector<Result>& results) {
  if (!headed_)
    std::printf("%-5s %-17s %-14s %-9s %-13s %-6s %9s %7s %6s %3s %3s %9s %9s %8s %8s %8s %8s %6s %6s %8s %8s\n", "",
                "m n k", "data", "method", "contender", "engine", "ms", "Tflop/s", "ratio", "T", "N", "rejected",
                "undecided", "convert", "product", "reconstr", "exact", "Top/s", "FP64", "error/u", "bound/u");
  headed_ = true;
  char sizes[48];
  std::snprintf(sizes, sizeof sizes, "%lld %lld %lld", static_cast<long long>(what.m), static_cast<long long>(what.n),
                static_cast<long long>(what.k));
  const Result* cublas = find(results, "cublas");
  for (const Result& r : results) {
    const accublas_report_t& q = r.report;
    std::printf("%-5s %-17s %-14s %-9s %-13s ", what.routine.c_str(), sizes, what.data.c_str(), name_of(what.method),
                r.contender.c_str());
    if (!r.error.empty()) {
      std::printf("%s\n", r.error.c_str());
      continue;
    }
    std::printf("%-6s %9.3f %7.1f %6.2f", r.ours ? q.engine : "", r.ms, tera(what, r.ms),
                cublas ? cublas->ms / r.ms : 0);
    if (r.ours)
      std::printf(" %3d %3d %9lld %9lld %8.3f %8.3f %8.3f %8.3f %6.0f %6.3f", q.bits, q.parts,
                  static_cast<long long>(q.rejected), static_cast<long long>(q.undecided), q.ms_convert, r.product_ms,
                  q.ms_reconstruct, q.ms_exact, int8_tera(what, r), r.fp64_share);
    if (r.largest_error >= 0) std::printf("%*s %8.3g", r.ours ? 0 : 77, "", r.largest_error);
    if (r.ours && r.bound >= 0) std::printf(" %8.3g", r.bound);
    std::printf("\n");
  }
  std::fflush(stdout);
  record(what, results);
}

void Table::record(const Case& what, const std::vector<Result>& results) {
  if (!csv_.get()) return;
  const Result* cublas = find(results, "cublas");
  for (const Result& r : results) {
    const accublas_report_t& q = r.report;
    std::fprintf(
        csv_.get(),
        "%d,\"%s\",%s,%lld,%lld,%lld,%s,%s,%s,%s,%.6g,%.5g,%.4f,%d,%d,%lld,%lld,%.6g,%.6g,%.6g,%.6g,%.5g,%.4f,%.5g,"
        "%.5g,%lld,\"%s\"\n",
        static_cast<int>(accublas_version()), device_name().c_str(), what.routine.c_str(),
        static_cast<long long>(what.m), static_cast<long long>(what.n), static_cast<long long>(what.k),
        what.data.c_str(), name_of(what.method), r.contender.c_str(), q.engine, r.ms, tera(what, r.ms),
        cublas && r.ms > 0 ? cublas->ms / r.ms : 0, q.bits, q.parts, static_cast<long long>(q.rejected),
        static_cast<long long>(q.undecided), q.ms_convert, r.product_ms, q.ms_reconstruct, q.ms_exact,
        int8_tera(what, r), r.fp64_share, r.largest_error, r.bound, static_cast<long long>(q.workspace_bytes),
        r.error.c_str());
  }
  std::fflush(csv_.get());
}

}  // namespace gpu_bench
