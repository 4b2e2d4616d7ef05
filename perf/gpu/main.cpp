// accublas-gpu-bench: how fast the modes are on the GPU beside cuBLAS, in one run on the same data.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>

#include "perf/gpu/batched.hpp"
#include "perf/gpu/factor.hpp"
#include "perf/gpu/host.hpp"
#include "perf/gpu/level3.hpp"
#include "perf/gpu/shapes.hpp"
#include "perf/gpu/table.hpp"
#include "perf/gpu/targets.hpp"
#include "perf/gpu/vectors.hpp"

namespace {

using namespace gpu_bench;

struct Shape {
  Index m, n, k;
};

/// "4096", or "16384x16384x256" for m x n x k.
Shape parse_shape(const std::string& word) {
  long long m = 0, n = 0, k = 0;
  char rest = 0;
  if (std::sscanf(word.c_str(), "%lldx%lldx%lld%c", &m, &n, &k, &rest) != 3) {
    if (std::sscanf(word.c_str(), "%lld%c", &m, &rest) != 1)
      throw std::runtime_error("bad size " + word + "; N or MxNxK");
    n = k = m;
  }
  if (std::min({m, n, k}) < 1) throw std::runtime_error("bad size " + word);
  return {m, n, k};
}

std::vector<std::string> default_contenders(const std::string& routine, const Shape& shape) {
  const std::string grade = routine == "sgemm" || routine == "cgemm" ? "sp" : "dp";
  std::vector<std::string> out = {"cublas", "cublasLt-int8", grade, grade + "/int8", grade + ":repro", "cr"};
  // A call takes seconds beyond that.
  if (static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k) <= 0x1p39)
    out.push_back("dot2");
  return out;
}

}  // namespace

int main(int count, char** arguments) {
  CLI::App app(
      "Times GEMM in accublas's modes against cuBLAS on the GPU, on the same data; runs are interleaved, medians "
      "count.\n"
      "ratio: cuBLAS's time over the row's. T, N: bits and parts (moduli, digits or slices). Top/s: rate of the INT8 "
      "products. FP64: dot2 over "
      "what "
      "the\n"
      "FP64 units issue in that time, at 10 operations a term (s: 1), the limit measured in this run. error/u, "
      "bound/u: "
      "largest\n"
      "sampled error and the report's bound, in units of u (abs(A) abs(B)). Milliseconds of the phases: a call at "
      "report level 2.");
  std::vector<std::string> routines = {"dgemm"}, contenders, data = {"phi:0.5"},
                           sizes = {
                               "1024",          "2048", "4096", "8192", "16384", "16384x16384x256", "16384x16384x1024",
                               "64x16384x16384"};
  std::string csv;
  Effort effort;
  bool targets = false, burst = false, sustained = false;
  app.add_option("-r,--routine", routines, "dgemm, sgemm, zgemm, cgemm")
      ->delimiter(',')
      ->check(CLI::IsMember({"dgemm", "sgemm", "zgemm", "cgemm"}))
      ->capture_default_str();
  app.add_option(
         "-m,--mode", contenders,
         "what is timed: cublas, cublasLt-int8, mode words, with an engine behind a slash where one is asked for "
         "(default: cublas, cublasLt-int8, dp, dp/int8, dp:repro, cr, up to 8192 dot2; s: sp)")
      ->delimiter(',');
  app.add_option("-n,--size", sizes, "N or MxNxK")->delimiter(',')->capture_default_str();
  app.add_option("-d,--data", data, "phi:X, block-diagonal, triangular, ties")->delimiter(',')->capture_default_str();
  app.add_flag("--burst", burst, "single calls from an idle device");
  app.add_flag("--sustained", sustained, "calls back to back (default: both)");
  app.add_option("--repetitions", effort.repetitions, "measurements behind a median")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  app.add_option("--pause", effort.pause, "seconds of rest before a burst")->capture_default_str();
  app.add_option("-s,--seconds", effort.seconds, "sustained seconds of a row")->capture_default_str();
  app.add_option("--csv", csv, "also write the figures to this file");
  app.add_flag("--targets", targets,
               "the rows that have targets, then the table of targets: target, measured, met or not");
  bool shapes = false;
  app.add_flag(
      "--shapes", shapes,
      "square, flat, deep and narrow products by cuBLAS and by engine int8, and which of them dp (s: sp) takes");
  bool host = false;
  app.add_flag("--host", host, "DGEMM with operands in pinned and in pageable host memory");
  std::vector<std::string> level3;
  app.add_option(
         "--level3", level3,
         "square products of level 3 beside cuBLAS's own: dsyrk, zherk, dtrmm, dsymm, ... (targets: those that have "
         "targets), at the orders of --size, default 4096,8192,16384")
      ->delimiter(',');
  std::string factor;
  app.add_option("--factor", factor,
                 "dgetrf, dpotrf, dgeqrf or dgesv_certified, or all of them, beside cuSOLVER's, at the orders of "
                 "--size, default 4096,8192,16384")
      ->expected(0, 1);
  bool batched = false;
  app.add_flag("--batched", batched, "the table of strided batches of small matrices in place of single products");
  std::vector<std::string> vectors;
  app.add_option(
         "--vectors", vectors,
         "the bandwidth table of DOT, NRM2, ASUM and GEMV in place of GEMM's: all, or some of " + vector_routines())
      ->delimiter(',');
  try {
    app.parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }

  std::int32_t devices = 0;
  if (accublas_device_count(&devices) || devices == 0) {
    std::fprintf(stderr, "accublas-gpu-bench: no CUDA device\n");
    return 77;
  }
  std::vector<Method> methods;
  if (burst || !sustained) methods.push_back(Method::burst);
  if (sustained || !burst) methods.push_back(Method::sustained);
  try {
    std::printf("accublas %d.%d.%d on %s; cuBLAS %s\n", ACCUBLAS_VERSION_MAJOR, ACCUBLAS_VERSION_MINOR,
                ACCUBLAS_VERSION_PATCH, device_name().c_str(), cublas_version().c_str());
    if (!vectors.empty()) return print_vectors(vectors, effort.repetitions, csv) ? 0 : 1;
    if (host) {
      for (const std::string& kind : data) print_host(kind, effort.repetitions);
      return 0;
    }
    std::vector<Index> orders = {4096, 8192, 16384};
    if (app.count("--size") > 0) {
      orders.clear();
      for (const std::string& size : sizes) orders.push_back(parse_shape(size).m);
    }
    if (app.count("--factor") > 0) return print_factor(factor, orders, effort, csv) ? 0 : 1;
    if (!level3.empty()) return print_level3(level3, data, orders, effort) ? 0 : 1;
    Table table(csv);
    if (shapes) return print_shapes(table, routines, data, effort) ? 0 : 1;
    if (batched) return print_batched(routines, data, effort.repetitions) ? 0 : 1;
    if (targets) return print_targets(table, methods, effort) ? 0 : 1;
    for (const Method method : methods)
      for (const std::string& routine : routines)
        for (const std::string& kind : data)
          for (const std::string& size : sizes) {
            const Shape shape = parse_shape(size);
            const Case what{routine, shape.m, shape.n, shape.k, kind, method};
            table.print(what,
                        measure(what, contenders.empty() ? default_contenders(routine, shape) : contenders, effort));
          }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "accublas-gpu-bench: %s\n", error.what());
    return 2;
  }
  return 0;
}
