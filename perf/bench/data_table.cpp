#include "perf/bench/data_table.hpp"

#include <algorithm>
#include <cstdio>
#include <map>

#include "perf/matrices/matrices.hpp"

namespace bench {
namespace {

constexpr const char* routines[] = {"dgetrf", "dpotrf", "dtrsm", "dgeqrf"};

struct Verdicts {
  int met = 0, missed = 0;
  const char* of(bool kept) {
    ++(kept ? met : missed);
    return kept ? "met" : "NOT MET";
  }
};

/// The data's name without folders, as the first column of a row that grows as it is measured.
void begin_row(const std::string& data) {
  std::printf("%-18s", data.substr(data.find_last_of('/') + 1).c_str());
  std::fflush(stdout);
}

void cell(double ratio) {
  std::printf(" %9.2f", ratio);
  std::fflush(stdout);
}

void end_row(double limit, const char* verdict) {
  std::printf(" %8.1f  %s\n", limit, verdict);
  std::fflush(stdout);
}

class DataTable {
 public:
  DataTable(Table& table, const DataTableOptions& options)
      : table_(table), threads_(options.threads), seconds_(options.seconds) {}

  void gemm(const std::string& data, std::int64_t order) {
    begin_row(data);
    const Case what{"dgemm", order, data, threads_};
    const std::vector<Result> results = measure(what, {"dot2", "cr", "dp:repro"}, seconds_);
    table_.record(what, results);
    std::printf(" %9.3f", 1e3 * results[0].openblas_seconds);
    const double limit = std::max(4.0, 1.5 * results[0].ratio());
    bool kept = true;
    for (const Result& r : results) {
      cell(r.ratio());
      kept = kept && r.error.empty() && (r.mode == "dot2" || r.ratio() <= limit);
    }
    end_row(limit, verdicts_.of(kept));
  }

  void factorizations(const std::string& data, std::int64_t order) {
    const matrices::Matrix matrix = matrices::named(data);
    const double limit = matrix.decays() ? 10 : 3;
    if (matrix.file) order = matrix.file->rows;
    begin_row(data);
    bool kept = true;
    for (const std::string routine : routines) {
      const double random = seconds_of(routine, matrices::listed()[0], order);
      const double ratio = seconds_of(routine, data, order) / random;
      cell(ratio);
      kept = kept && ratio <= limit;
    }
    end_row(limit, verdicts_.of(kept));
  }

  const Verdicts& verdicts() const { return verdicts_; }

 private:
  double seconds_of(const std::string& routine, const std::string& data, std::int64_t order) {
    double& found = found_[routine + " " + data + " " + std::to_string(order)];
    if (found > 0) return found;
    const Case what{routine, order, data, threads_};
    const std::vector<Result> results = measure(what, {"cr"}, seconds_);
    table_.record(what, results);
    return found = results[0].seconds;
  }

  Table& table_;
  int threads_;
  double seconds_;
  Verdicts verdicts_;
  std::map<std::string, double> found_;  // seconds of what was measured
};

}  // namespace

bool print_data_table(Table& table, const DataTableOptions& options) {
  std::vector<std::string> data;
  for (const std::string& name : options.data.empty() ? matrices::listed() : options.data)
    data.push_back(matrices::located(name, options.folder));
  DataTable rows(table, options);
  for (const std::int64_t order : options.orders) {
    const long long n = order;
    std::printf("\nDGEMM, order %lld, threads: %d; times of OpenBLAS's time\n%-18s %9s %9s %9s %9s %8s\n", n,
                options.threads, "data", "ms", "dot2", "cr", "dp:repro", "limit");
    for (const std::string& name : data) rows.gemm(name, order);
    for (const std::string& name : matrices::listed_at_ends())
      if (options.data.empty()) rows.gemm(name, order);
    std::printf("\nMode cr, order %lld, threads: %d; times of the time on %s\n%-18s", n, options.threads,
                matrices::listed()[0].c_str(), "data");
    for (const char* routine : routines) std::printf(" %9s", routine);
    std::printf(" %8s\n", "limit");
    for (const std::string& name : data) rows.factorizations(name, order);
  }
  std::printf("\n%d rows keep their limit, %d do not\n", rows.verdicts().met, rows.verdicts().missed);
  return rows.verdicts().missed == 0;
}

}  // namespace bench
