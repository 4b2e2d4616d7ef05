#include "perf/mp/gemm.hpp"

#include <functional>
#include <memory>
#include <vector>

#include "perf/mp/measure.hpp"

namespace mp_bench {

namespace {

using Context = std::unique_ptr<accublas_context, accublas_status (*)(accublas_context*)>;
using Array = std::unique_ptr<accublas_mp_array, accublas_status (*)(accublas_mp_array*)>;

/// Returns an array with the numbers, or with zeros if there are none, in the run's memory.
Array make_array(accublas_context* context, const GemmRun& run, const Numbers* numbers) {
  accublas_mp_array* made = nullptr;
  need(context, accublas_mp_create(context, run.input.bits, run.n * run.n, &made));
  Array array(made, accublas_mp_destroy);
  if (run.device) need(context, accublas_mp_move(context, made, ACCUBLAS_MP_DEVICE));
  if (numbers)
    need(context, accublas_mp_set_limbs(context, made, 0, 1, 1, numbers->count, numbers->limbs.data(), numbers->size,
                                        numbers->exponents.data(), numbers->signs.data()));
  return array;
}

/// Returns the median of the times of calls, each until its work is complete, after a call that is not timed.
double median_ms(accublas_context* context, int repetitions, const std::function<void()>& call) {
  std::vector<double> ms;
  for (int r = 0; r <= repetitions; ++r) {
    const double time = wall_ms([&] {
      call();
      need(context, accublas_sync(context));
    });
    if (r > 0) ms.push_back(time);
  }
  return median(ms);
}

}  // namespace

GemmTimes time_gemm(const GemmRun& run, const std::string& engine) {
  accublas_context* made = nullptr;
  need(nullptr, accublas_create(&made));
  const Context owner(made, accublas_destroy);
  accublas_context* const context = made;
  need(context, accublas_set_num_threads(context, run.threads));
  need(context, accublas_set_engine_name(context, engine.c_str()));
  const Numbers numbers_a = random_numbers(run.input, run.n * run.n, 1),
                numbers_b = random_numbers(run.input, run.n * run.n, 2);
  const Array a = make_array(context, run, &numbers_a), b = make_array(context, run, &numbers_b),
              c = make_array(context, run, nullptr);
  const std::int64_t n = run.n;
  const auto gemm = [&] {
    need(context, accublas_mp_gemm(context, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, n, n, n, nullptr, 0, a.get(), 0, n,
                                   b.get(), 0, n, nullptr, 0, c.get(), 0, n));
  };
  const auto syrk = [&] {
    need(context, accublas_mp_syrk(context, ACCUBLAS_LOWER, ACCUBLAS_NO_TRANS, n, n, nullptr, 0, a.get(), 0, n, nullptr,
                                   0, c.get(), 0, n));
  };
  GemmTimes times;
  times.ms = median_ms(context, run.repetitions, gemm);
  times.syrk_ms = median_ms(context, run.repetitions, syrk);
  need(context, accublas_set_report_level(context, 2));
  gemm();
  times.report.struct_size = sizeof times.report;
  need(context, accublas_mp_report(context, &times.report));
  return times;
}

}  // namespace mp_bench
