#include "perf/gpu/accumulators.hpp"

#include <chrono>
#include <cstdio>
#include <cstring>

#include "perf/gpu/context.hpp"

namespace gpu_bench {
namespace {

constexpr double most_ratio = 1.25;

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// Milliseconds of the steps of a product. add and finish are those of the first round.
struct Times {
  double call = 0, measure = 0, create = 0, add = 0, finish = 0, again = 0;
  double whole() const { return create + add + finish + again; }
};

class PanelProduct {
 public:
  PanelProduct(const std::string& mode, const std::string& data, Index n, int panels, Index depth)
      : mode_(mode),
        n_(n),
        k_(panels * depth),
        panels_(panels),
        depth_(depth),
        context_(mode, stream_, 0),
        a_(n * k_),
        b_(k_ * n),
        by_call_(n * n),
        by_panels_(n * n) {
    fill(matrices::named(data), Side::a, false, a_.data(), n, k_, 1, stream_);
    fill(matrices::named(data), Side::b, false, b_.data(), k_, n, 1, stream_);
    stream_.wait();
    exponents();
  }

  /// Returns the times of one more run.
  Times run() {
    Times t;
    t.call = timed([&] {
      context_.need(accublas_dgemm(context_, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, n_, n_, k_,
                                   &one_, a_.data(), n_, b_.data(), k_, &zero_, by_call_.data(), n_));
    });
    t.measure = timed([&] { exponents(); });
    accublas_accumulator* sums = nullptr;
    t.create = timed([&] {
      context_.need(accublas_accumulator_create(context_, ACCUBLAS_TYPE_D, mode_.c_str(), n_, n_, k_, rows_.data(),
                                                columns_.data(), 0, &sums));
    });
    accublas_status status = ACCUBLAS_SUCCESS;
    t.add = timed([&] { add(sums); });
    t.finish = timed([&] { status = finish(sums); });
    if (status == ACCUBLAS_ERROR_UNDECIDED)
      t.again = timed([&] {
        add(sums);
        status = finish(sums);
      });
    report_.struct_size = sizeof report_;
    if (status == ACCUBLAS_SUCCESS) status = accublas_accumulator_report(context_, sums, &report_);
    accublas_accumulator_destroy(sums);
    context_.need(status);
    return t;
  }
  const accublas_accumulator_report_t& report() const { return report_; }

  void require_same_bits() const {
    const std::size_t bytes = static_cast<std::size_t>(n_ * n_) * sizeof(double);
    std::vector<char> call(bytes), panels(bytes);
    require(cudaMemcpy(call.data(), by_call_.data(), bytes, cudaMemcpyDeviceToHost), "results");
    require(cudaMemcpy(panels.data(), by_panels_.data(), bytes, cudaMemcpyDeviceToHost), "results");
    if (call != panels) throw std::runtime_error("the results differ");
  }

 private:
  template <class Body>
  double timed(Body&& body) {
    const auto start = Clock::now();
    body();
    stream_.wait();
    return since(start);
  }
  template <class Body>
  void for_each_panel(Body&& body) const {
    for (int panel = 0; panel < panels_; ++panel) body(a_.data() + n_ * depth_ * panel, b_.data() + depth_ * panel);
  }
  void exponents() {
    rows_.assign(static_cast<std::size_t>(2 * n_), ACCUBLAS_EXPONENT_NONE);
    columns_ = rows_;
    for_each_panel([&](const double* a, const double* b) {
      context_.need(accublas_accumulator_measure(context_, ACCUBLAS_TYPE_D, ACCUBLAS_LEFT, ACCUBLAS_COL_MAJOR,
                                                 ACCUBLAS_NO_TRANS, n_, depth_, a, n_, rows_.data()));
      context_.need(accublas_accumulator_measure(context_, ACCUBLAS_TYPE_D, ACCUBLAS_RIGHT, ACCUBLAS_COL_MAJOR,
                                                 ACCUBLAS_NO_TRANS, n_, depth_, b, k_, columns_.data()));
    });
  }
  void add(accublas_accumulator* sums) const {
    for_each_panel([&](const double* a, const double* b) {
      context_.need(accublas_accumulator_add(context_, sums, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS,
                                             depth_, a, n_, b, k_));
    });
  }
  accublas_status finish(accublas_accumulator* sums) const {
    const accublas_status status =
        accublas_accumulator_finish(context_, sums, ACCUBLAS_COL_MAJOR, &one_, &zero_, by_panels_.data(), n_);
    if (status != ACCUBLAS_ERROR_UNDECIDED) context_.need(status);
    return status;
  }

  const std::string mode_;
  const Index n_, k_;
  const int panels_;
  const Index depth_;
  const Stream stream_;
  const Context context_;
  const DeviceArray<double> a_, b_, by_call_, by_panels_;
  std::vector<std::int32_t> rows_, columns_;
  accublas_accumulator_report_t report_{};
  const double one_ = 1, zero_ = 0;
};

Times median_times(PanelProduct& product, int repetitions) {
  std::vector<Times> all;
  for (int round = 0; round <= repetitions; ++round) {
    const Times t = product.run();
    if (round > 0) all.push_back(t);  // the first run takes memory and loads kernels
  }
  Times middle;
  for (double Times::*member :
       {&Times::call, &Times::measure, &Times::create, &Times::add, &Times::finish, &Times::again}) {
    std::vector<double> of;
    for (const Times& t : all) of.push_back(t.*member);
    middle.*member = median(of);
  }
  return middle;
}

}  // namespace

bool print_accumulators(const AccumulatorTable& table) {
  std::printf("dgemm by accumulators of %d panels of %lld terms on %s, milliseconds\n", table.panels,
              static_cast<long long>(table.depth), table.data.substr(table.data.find_last_of('/') + 1).c_str());
  std::printf("again: the second round; ratio: (create + add + finish + again) / one call; first: without again\n");
  std::printf("%-9s %6s %9s %9s %9s %9s %9s %9s %7s %7s  %s\n", "mode", "n", "one call", "measure", "create", "add",
              "finish", "again", "ratio", "first", "bits, moduli, undecided");
  bool met = true;
  for (const std::string& mode : table.modes) {
    for (const Index n : table.orders) {
      PanelProduct product(mode, table.data, n, table.panels, table.depth);
      const Times t = median_times(product, table.repetitions);
      product.require_same_bits();
      const accublas_accumulator_report_t& r = product.report();
      const double ratio = t.whole() / t.call;
      met = met && ratio <= most_ratio;
      std::printf("%-9s %6lld %9.3f %9.3f %9.3f %9.3f %9.3f %9.3f %7.2f %7.2f  %d + %d, %d, %lld  target %g: %s\n",
                  mode.c_str(), static_cast<long long>(n), t.call, t.measure, t.create, t.add, t.finish, t.again, ratio,
                  (t.whole() - t.again) / t.call, r.row_bits, r.column_bits, r.moduli,
                  static_cast<long long>(r.undecided), most_ratio, ratio <= most_ratio ? "met" : "NOT MET");
      std::fflush(stdout);
    }
  }
  return met;
}

}  // namespace gpu_bench
