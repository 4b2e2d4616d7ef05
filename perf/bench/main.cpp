// accublas-bench: how long the modes take over OpenBLAS on the same data.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>

#include "perf/bench/accumulators.hpp"
#include "perf/bench/data.hpp"
#include "perf/bench/data_table.hpp"
#include "perf/bench/measure.hpp"
#include "perf/bench/products.hpp"
#include "perf/bench/small_table.hpp"
#include "perf/bench/table.hpp"
#include "perf/bench/targets.hpp"
#include "perf/matrices/matrices.hpp"

namespace {

std::vector<std::string> routines() {
  std::vector<std::string> names = {"ddot",  "sdot",  "dnrm2",   "snrm2",   "dasum",   "sasum",
                                    "dgemm", "sgemm", "dgemv:n", "dgemv:t", "sgemv:n", "sgemv:t"};
  for (const std::string& product : bench::product_names()) names.push_back(product);
  return names;
}

bool is_norm(const std::string& routine) { return routine.substr(1) == "nrm2" || routine.substr(1) == "asum"; }

/// From the first-level cache to past the last one.
std::vector<std::int64_t> default_sizes(const std::string& routine) {
  if (routine.find("dot") != routine.npos || is_norm(routine)) return {1000, 10000, 100000, 1000000, 10000000};
  if (routine.find("gemv") != routine.npos) return {50, 250, 1000, 4000};
  return {16, 64, 128, 256, 512, 1024, 2048};
}

std::vector<std::string> default_modes(const std::string& routine) {
  const std::string kind = routine.substr(1);
  if (kind == "potrf" || kind == "getrf" || kind == "geqrf") return {"native", "dp:repro", "cr"};
  if (kind.rfind("syevd", 0) == 0) return {"dp", "cr"};
  std::vector<std::string> modes = {"native", "dp:repro", "dot2", "cr"};
  if (!is_norm(routine)) modes.push_back("fixed:60");
  if (routine[1] == 'g' && routine.back() == 'm') modes.push_back("slices:4:fast");
  return modes;
}

}  // namespace

int main(int count, char** arguments) {
  bench::let_openblas_sleep();
  CLI::App app("Times accublas's modes against OpenBLAS on the same data, in turns of 50 ms; the least time counts.");
  std::vector<std::string> chosen_routines = {"ddot", "dgemv:n", "dgemv:t", "dgemm"}, modes, data = {"phi:1"};
  std::vector<std::int64_t> sizes;
  std::vector<int> threads = {1, 2};
  std::string csv, folder = ACCUBLAS_BENCH_DATA;
  double seconds = 0.3;
  bool targets = false, quick = false, data_table = false, small_table = false;
  int panels = 0;
  app.add_option("-r,--routine", chosen_routines, "routines")
      ->delimiter(',')
      ->check(CLI::IsMember(routines()))
      ->capture_default_str();
  app.add_option("-m,--mode", modes,
                 "mode words (default: native, dp:repro, cr, and dot2 and fixed:60 where there is one)")
      ->delimiter(',')
      ->transform([](std::string word) { return CLI::detail::to_lower(word); });
  app.add_option("-n,--size", sizes, "sizes of all dimensions (default: from the first cache to past the last)")
      ->delimiter(',')
      ->check(CLI::PositiveNumber);
  app.add_option("-d,--data", data, bench::known_kinds() + " (a square matrix; size: the file's)")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("-t,--threads", threads, "threads, of OpenBLAS as well")
      ->delimiter(',')
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("-s,--seconds", seconds,
                 "time for a row of the table; three rounds at least, fewer of calls that take longer than that")
      ->capture_default_str();
  app.add_option("--csv", csv, "also write the figures to this file");
  app.add_option("--matrices", folder, "where the real matrices lie")->capture_default_str();
  app.add_flag("--targets", targets,
               "the table of targets: target, measured, met or not; then the other data, memory, overhead");
  app.add_flag(
      "--data-table", data_table,
      "DGEMM in dot2, cr and dp:repro, and factorizations in cr, on random, structured and decaying data, with "
      "limits; takes --size (default: 1000), --threads (default: 1) and --data (default: the worst)");
  app.add_flag(
      "--small-table", small_table,
      "products, batches, skinny products, GEMV, TRSM and factorizations of small and middle sizes in the modes "
      "that define bits, on one thread, with limits");
  app.add_option("--accumulators", panels,
                 "DGEMM by accumulators of so many panels against one call; takes --size (default: 1024), --mode "
                 "(default: cr and fixed:53), --threads and --data")
      ->check(CLI::PositiveNumber);
  app.add_flag("--quick", quick, "with --targets: the least sizes and rounds");
  try {
    app.parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error);
    return status == 0 ? 0 : 2;
  }

  try {
    for (const std::string& mode : modes)
      if (accublas_set_mode_name(nullptr, mode.c_str()) != ACCUBLAS_SUCCESS)
        throw std::runtime_error(accublas_last_error(nullptr));
    accublas_set_mode_name(nullptr, nullptr);
    for (std::string& kind : data) bench::check_kind(kind = matrices::located(kind, folder));
    bench::Table table(csv);
    std::printf("accublas %d.%d.%d on %s, %s; BLAS: %s\n", ACCUBLAS_VERSION_MAJOR, ACCUBLAS_VERSION_MINOR,
                ACCUBLAS_VERSION_PATCH, bench::cpu_name().c_str(), bench::instruction_set().c_str(),
                bench::blas_name().c_str());
    if (const std::string slow = bench::slow_blas(); !slow.empty()) std::printf("WARNING: %s\n", slow.c_str());
    if (data_table) {
      bench::DataTableOptions options{sizes.empty() ? std::vector<std::int64_t>{1000} : sizes,
                                      app.count("--threads") ? threads[0] : 1, std::min(seconds, 0.125),
                                      app.count("--data") ? data : std::vector<std::string>(), folder};
      return bench::print_data_table(table, options) ? 0 : 1;
    }
    if (small_table) return bench::print_small_table(table, seconds) ? 0 : 1;
    if (panels > 0) {
      bench::print_accumulator_table({sizes.empty() ? std::vector<std::int64_t>{1024} : sizes,
                                      modes.empty() ? std::vector<std::string>{"cr", "fixed:53"} : modes, data, threads,
                                      panels, seconds});
      return 0;
    }
    if (targets) return bench::print_targets(table, {seconds, quick, folder}) ? 0 : 1;
    for (const std::string& routine : chosen_routines)
      for (const std::string& kind : data)
        for (const std::int64_t size : matrices::is_file(kind) ? std::vector<std::int64_t>{0}
                                       : sizes.empty()         ? default_sizes(routine)
                                                               : sizes)
          for (const int t : threads) {
            const bench::Case what{routine, size, kind, t};
            table.print(what, bench::measure(what, modes.empty() ? default_modes(routine) : modes, seconds));
          }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "accublas-bench: %s\n", error.what());
    return 2;
  }
  return 0;
}
