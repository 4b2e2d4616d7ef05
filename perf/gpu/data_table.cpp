#include "perf/gpu/data_table.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <thread>

#include "perf/gpu/context.hpp"
#include "perf/gpu/peers.hpp"

namespace gpu_bench {
namespace {

constexpr const char* factorizations[] = {"dgetrf", "dpotrf", "dtrsm", "dgeqrf"};

/// The most that cr and dp:repro may take, times of cublasDgemm's time, for orders up to 1024 and for larger ones.
struct Limit {
  const char* data;
  double small, large;
};
constexpr Limit limits[] = {{"diagonal", 3, 1.2},   {"poisson", 3, 1.2},           {"banded:5", 3, 1.2},
                            {"triangular", 3, 1.2}, {"block-diagonal:64", 3, 1.2}, {"gauss:0.05", 10, 5},
                            {"gauss:0.02", 15, 8},  {"decay:0.9", 15, 8},          {"decay:0.1", 25, 25}};

/// 0: no limit.
double limit_of(const std::string& data, Index n) {
  for (const Limit& limit : limits)
    if (data == limit.data) return n <= 1024 ? limit.small : limit.large;
  return 0;
}

/// Milliseconds of a call from an idle device: the median of five behind calls that warm up, or the first call where
/// that takes a second. `prepare` is not timed.
double ms_of(const std::function<void()>& prepare, const std::function<void()>& call, const Stream& stream) {
  const auto timed = [&] {
    prepare();
    stream.wait();
    const Event start, end;
    start.record(stream);
    call();
    end.record(stream);
    return end.since(start);
  };
  const double first = timed();
  if (first > 1000) return first;
  std::vector<double> ms;
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    for (int warm_up = 0; warm_up < 2 && first < 20; ++warm_up) timed();
    ms.push_back(timed());
  }
  return median(ms);
}

class DataTable {
 public:
  void gemm(const std::string& data, Index n) {
    begin_row(data);
    const matrices::Matrix matrix = matrices::named(data);
    const DeviceArray<double> a(n * n), b(n * n), c(n * n);
    fill(matrix, Side::a, false, a.data(), n, n, 1, stream_);
    fill(matrix, Side::b, false, b.data(), n, n, 1, stream_);
    CuBlas cublas(stream_);
    const auto nothing = [] {};
    const double native = ms_of(
        nothing, [&] { cublas.gemm(n, n, n, a.data(), b.data(), c.data()); }, stream_);
    cell(native, 3);
    double most = 0;
    for (const std::string mode : {"dot2", "cr", "dp:repro"}) {
      const Context context(mode, stream_, 0);
      const auto call = [&] {
        const double one = 1, zero = 0;
        context.need(accublas_dgemm(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, n, n, n, &one,
                                    a.data(), n, b.data(), n, &zero, c.data(), n));
      };
      const double ratio = ms_of(nothing, call, stream_) / native;
      cell(ratio, 2);
      if (mode != "dot2") most = std::max(most, ratio);
    }
    end_row(most, limit_of(data, n));
  }

  /// A matrix that is a file is factored in its own order: repeated, it is singular.
  void factorization(const std::string& data, const std::vector<std::string>& routines, Index n) {
    begin_row(data);
    if (const auto file = matrices::named(data).file) n = file->rows;
    double most = 0;
    for (const std::string& routine : routines) {
      const double random = ms_of_routine(routine, matrices::listed()[0], n);
      const double ratio = ms_of_routine(routine, data, n) / random;
      cell(ratio, 2);
      most = std::max(most, ratio);
    }
    end_row(most, matrices::named(data).decays() ? 10 : 3);
  }

  bool print_verdict() const {
    std::printf("\n%d rows keep their limit, %d do not\n", met_, missed_);
    return missed_ == 0;
  }

 private:
  /// Prints the data's name without folders, the first column of a row that grows while it is measured.
  static void begin_row(const std::string& data) {
    std::printf("%-18s", data.substr(data.find_last_of('/') + 1).c_str());
    std::fflush(stdout);
  }
  static void cell(double value, int digits) {
    std::printf(" %9.*f", digits, value);
    std::fflush(stdout);
  }
  void end_row(double most, double limit) {
    if (limit > 0) {
      const bool kept = most <= limit;
      ++(kept ? met_ : missed_);
      std::printf(" %8.1f  %s", limit, kept ? "met" : "NOT MET");
    }
    std::printf("\n");
    std::fflush(stdout);
  }

  double ms_of_routine(const std::string& routine, const std::string& data, Index n) {
    double& found = found_[routine + " " + data + " " + std::to_string(n)];
    if (found > 0) return found;
    const matrices::Matrix matrix = matrices::named(data);
    std::vector<double> entries(static_cast<std::size_t>(n * n));
    matrices::fill(matrix, Side::a, false, entries.data(), n, n);
    const bool solves = routine == "dtrsm";
    if (solves || routine == "dpotrf") matrices::make_dominant(false, entries.data(), n);
    const std::size_t bytes = entries.size() * sizeof(double);
    const DeviceArray<double> kept(n * n), result(n * n), right(n * n), tau(n);
    const DeviceArray<std::int64_t> pivots(n), info(1);
    require(cudaMemcpy(kept.data(), entries.data(), bytes, cudaMemcpyHostToDevice), "operands");
    fill(matrix, Side::b, false, right.data(), n, n, 1, stream_);
    const Context context("cr", stream_, 0);
    const auto prepare = [&] {
      require(cudaMemcpyAsync(result.data(), (solves ? right : kept).data(), bytes, cudaMemcpyDeviceToDevice, stream_),
              "operands");
    };
    const auto call = [&] {
      const double one = 1;
      double* const to = result.data();
      context.need(
          solves ? accublas_dtrsm(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_LEFT, ACCUBLAS_UPPER, ACCUBLAS_NO_TRANS,
                                  ACCUBLAS_NON_UNIT, n, n, &one, kept.data(), n, to, n)
          : routine == "dgetrf" ? accublas_dgetrf(context, ACCUBLAS_COL_MAJOR, n, n, to, n, pivots.data(), info.data())
          : routine == "dpotrf" ? accublas_dpotrf(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_LOWER, n, to, n, info.data())
                                : accublas_dgeqrf(context, ACCUBLAS_COL_MAJOR, n, n, to, n, tau.data()));
    };
    return found = ms_of(prepare, call, stream_);
  }

  Stream stream_;
  int met_ = 0, missed_ = 0;
  std::map<std::string, double> found_;  // milliseconds by routine, data and order
};

}  // namespace

std::vector<std::string> data_table_routines() {
  std::vector<std::string> names = {"dgemm"};
  names.insert(names.end(), std::begin(factorizations), std::end(factorizations));
  return names;
}

bool print_data_table(const std::vector<std::string>& routines, const std::vector<std::string>& data,
                      const std::vector<Index>& orders) {
  const auto wanted = [&](const char* name) {
    return routines.empty() || std::count(routines.begin(), routines.end(), name);
  };
  DataTable rows;
  if (wanted("dgemm"))
    for (const Index n : orders) {
      std::printf("\nDGEMM, order %lld; times of cublasDgemm's time\n%-18s %9s %9s %9s %9s %8s\n",
                  static_cast<long long>(n), "data", "ms", "dot2", "cr", "dp:repro", "limit");
      for (const std::string& name : data) rows.gemm(name, n);
    }
  std::vector<std::string> chosen;
  for (const char* name : factorizations)
    if (wanted(name)) chosen.push_back(name);
  if (!chosen.empty()) {
    const Index n = *std::min_element(orders.begin(), orders.end());
    std::printf("\nMode cr, order %lld (files: their own); times of the time on %s\n%-18s", static_cast<long long>(n),
                matrices::listed()[0].c_str(), "data");
    for (const std::string& name : chosen) std::printf(" %9s", name.c_str());
    std::printf(" %8s\n", "limit");
    for (const std::string& name : data) rows.factorization(name, chosen, n);
  }
  return rows.print_verdict();
}

}  // namespace gpu_bench
