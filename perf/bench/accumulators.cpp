#include "perf/bench/accumulators.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "accublas.h"
#include "perf/bench/data.hpp"

namespace bench {
namespace {

void succeed(accublas_status status) {
  if (status != ACCUBLAS_SUCCESS) throw std::runtime_error(accublas_last_error(nullptr));
}

/// Milliseconds of the parts of a product, the least of all rounds.
struct Times {
  double call, measure, add, finish, whole;
};

class PanelProduct {
 public:
  PanelProduct(const std::string& data, std::int64_t n, std::string mode, int panels)
      : mode_(std::move(mode)), panels_(panels), in_(make_inputs<double>(data, false, n, n, n)) {
    by_call_.resize(static_cast<std::size_t>(in_.m * in_.n));
    by_panels_ = by_call_;
  }

  Times measure(double seconds) {
    constexpr double none = std::numeric_limits<double>::infinity();
    Times least{none, none, none, none, none};
    const auto start = Clock::now();
    for (int round = 0; round < 3 || since(start) < 1e3 * seconds; ++round) {
      auto from = Clock::now();
      call();
      least.call = std::min(least.call, since(from));
      Times t{};
      product(t);
      least.measure = std::min(least.measure, t.measure);
      least.add = std::min(least.add, t.add);
      least.finish = std::min(least.finish, t.finish);
      least.whole = std::min(least.whole, t.whole);
    }
    if (std::memcmp(by_call_.data(), by_panels_.data(), by_call_.size() * sizeof(double)) != 0)
      throw std::runtime_error("the results differ");
    return least;
  }
  const accublas_accumulator_report_t& report() const { return report_; }
  std::int64_t size() const { return in_.n; }

 private:
  using Clock = std::chrono::steady_clock;
  static double since(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  }

  void call() {
    accublas_options options = ACCUBLAS_OPTIONS_INIT;
    options.mode_name = mode_.c_str();
    options.backend = ACCUBLAS_BACKEND_CPU;
    succeed(accublas_dgemm_ex(nullptr, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, in_.m, in_.n, in_.k,
                              &one_, in_.a.data(), in_.m, in_.b.data(), in_.k, &zero_, by_call_.data(), in_.m,
                              &options));
  }

  std::int64_t first(int panel) const { return in_.k * panel / panels_; }

  void product(Times& t) {
    auto from = Clock::now();
    std::vector<std::int32_t> rows(static_cast<std::size_t>(2 * in_.m), ACCUBLAS_EXPONENT_NONE),
        columns(static_cast<std::size_t>(2 * in_.n), ACCUBLAS_EXPONENT_NONE);
    for_each_panel([&](std::int64_t k, const double* a, const double* b) {
      succeed(accublas_accumulator_measure(nullptr, ACCUBLAS_TYPE_D, ACCUBLAS_LEFT, ACCUBLAS_COL_MAJOR,
                                           ACCUBLAS_NO_TRANS, in_.m, k, a, in_.m, rows.data()));
      succeed(accublas_accumulator_measure(nullptr, ACCUBLAS_TYPE_D, ACCUBLAS_RIGHT, ACCUBLAS_COL_MAJOR,
                                           ACCUBLAS_NO_TRANS, in_.n, k, b, in_.k, columns.data()));
    });
    t.measure = since(from);
    from = Clock::now();
    accublas_accumulator* sums = nullptr;
    succeed(accublas_accumulator_create(nullptr, ACCUBLAS_TYPE_D, mode_.c_str(), in_.m, in_.n, in_.k, rows.data(),
                                        columns.data(), 0, &sums));
    t.whole = since(from);
    for (accublas_status status = ACCUBLAS_ERROR_UNDECIDED; status == ACCUBLAS_ERROR_UNDECIDED;) {
      from = Clock::now();
      for_each_panel([&](std::int64_t k, const double* a, const double* b) {
        succeed(accublas_accumulator_add(nullptr, sums, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, k, a,
                                         in_.m, b, in_.k));
      });
      t.add += since(from);
      from = Clock::now();
      status = accublas_accumulator_finish(nullptr, sums, ACCUBLAS_COL_MAJOR, &one_, &zero_, by_panels_.data(), in_.m);
      t.finish += since(from);
      if (status != ACCUBLAS_ERROR_UNDECIDED) succeed(status);
    }
    t.whole += t.add + t.finish;
    report_.struct_size = sizeof report_;
    succeed(accublas_accumulator_report(nullptr, sums, &report_));
    accublas_accumulator_destroy(sums);
  }

  template <class Body>
  void for_each_panel(Body&& body) const {
    for (int panel = 0; panel < panels_; ++panel)
      body(first(panel + 1) - first(panel), in_.a.data() + in_.m * first(panel), in_.b.data() + first(panel));
  }

  std::string mode_;
  int panels_;
  Inputs<double> in_;
  std::vector<double> by_call_, by_panels_;
  accublas_accumulator_report_t report_{};
  double one_ = 1, zero_ = 0;
};

}  // namespace

void print_accumulator_table(const AccumulatorTableOptions& options) {
  std::printf("dgemm by accumulators of %d panels, milliseconds; ratio: (create + add + finish) / one call\n",
              options.panels);
  std::printf("%-10s %-9s %6s %7s %9s %9s %9s %9s %7s  %s\n", "data", "mode", "n", "threads", "one call", "measure",
              "add", "finish", "ratio", "bits, moduli, undecided, bytes an element");
  for (const std::string& data : options.data)
    for (const std::string& mode : options.modes)
      for (const std::int64_t size : options.sizes)
        for (const int threads : options.threads) {
          succeed(accublas_set_num_threads(nullptr, threads));
          PanelProduct product(data, size, mode, options.panels);
          const Times t = product.measure(options.seconds);
          const accublas_accumulator_report_t& r = product.report();
          std::printf("%-10s %-9s %6lld %7d %9.2f %9.2f %9.2f %9.2f %7.2f  %d + %d, %d, %lld, %.1f\n",
                      data.substr(data.find_last_of('/') + 1).c_str(), mode.c_str(),
                      static_cast<long long>(product.size()), threads, t.call, t.measure, t.add, t.finish,
                      t.whole / t.call, r.row_bits, r.column_bits, r.moduli, static_cast<long long>(r.undecided),
                      static_cast<double>(r.bytes) / static_cast<double>(r.m * r.n));
          std::fflush(stdout);
        }
  succeed(accublas_set_num_threads(nullptr, 0));
}

}  // namespace bench
