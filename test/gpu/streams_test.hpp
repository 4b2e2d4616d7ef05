// Calls that are tried on several streams, with what the CPU computes for them.
#pragma once

#include "test/gpu/gemm_problem.hpp"
#include "test/gpu/stream.hpp"

namespace accublas::test {
namespace {

class Streams : public testing::Test {
 protected:
  using T = double;
  Context cpu{ACCUBLAS_BACKEND_CPU};
  Random rng{61};

  struct Job {
    std::string mode;
    Problem<T> problem;
    std::vector<T> want;
  };
  Job job(const std::string& mode, const Kind& kind, Index m, Index n, Index k) {
    Job made{mode, plain_problem<T>(rng, kind, m, n, k), {}};
    cpu.set(mode);
    EXPECT_EQ(on_host(cpu, made.problem, made.want), ACCUBLAS_SUCCESS) << cpu.error();
    return made;
  }
  /// GEMM in every way through the engines, and GEMV.
  std::vector<Job> jobs() {
    std::vector<Job> all;
    for (const char* mode : {"cr", "dp:repro", "fixed:40", "dot2", "slices:3"})
      for (const Kind& kind : {Kind{Data::phi, 1}, Kind{Data::phi, 10}, Kind{Data::ties}})
        all.push_back(job(mode, kind, 200 + below(rng, 200), 200 + below(rng, 200),
                          inner_dimension(mode, 1, 200 + below(rng, 300))));
    for (const char* mode : {"cr", "fixed:40", "dot2"}) all.push_back(job(mode, {Data::phi, 1}, 700, 1, 3000));
    return all;
  }
  static accublas_status put(accublas_context* context, const Job& job, const OnDevice<T>& operands) {
    const accublas_status status = accublas_set_mode_name(context, job.mode.c_str());
    if (status != ACCUBLAS_SUCCESS) return status;
    const Problem<T>& p = job.problem;
    if (p.n == 1)
      return accublas_dgemv(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, p.m, p.k, &p.alpha, operands.a.data(),
                            p.lda(), operands.b.data(), 1, &p.beta, operands.c.data(), 1);
    return operands.run(context, p);
  }
  static std::string wrong(const Job& job, const OnDevice<T>& operands) {
    return mismatch(job.problem, job.want, operands.c.values());
  }
};

/// fixed:20 of data that need more bits, with a target: refused on the device.
struct Refused {
  Problem<double> problem;
  OnDevice<double> operands;
  explicit Refused(Random& rng) : problem(plain_problem<double>(rng, {Data::phi, 1}, 100, 90, 80)), operands(problem) {}
  accublas_status put(const Context& context) const {
    accublas_set_mode_name(context, "fixed:20");
    accublas_set_target(context, 1e-15);
    return operands.run(context, problem);
  }
};

}  // namespace
}  // namespace accublas::test
