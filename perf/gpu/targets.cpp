#include "perf/gpu/targets.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace gpu_bench {
namespace {

const std::vector<Index> square_sizes = {2048, 4096, 8192, 16384};

/// A ratio of times that must be at least (or, for costs, at most) a limit.
struct Line {
  std::string work, method;
  Index n;
  double limit, measured;
  bool at_most;
  std::string where;
  bool met() const { return at_most ? measured <= limit : measured >= limit; }
};

/// Products that are small, flat or deep: the least ratios to cuBLAS's speed in cr and in dp:repro, 0 for no target.
struct ShortProduct {
  const char* routine;
  Index m, n, k;
  double cr, repro;
};
const ShortProduct short_products[] = {
    {"dgemm", 64, 64, 64, 0.6, 0.6},       {"dgemm", 256, 256, 256, 0.5, 0.5},     {"dgemm", 512, 512, 512, 0.35, 0.4},
    {"dgemm", 1024, 1024, 1024, 0.5, 0.6}, {"dgemm", 2048, 2048, 2048, 0.7, 0.85}, {"zgemm", 1024, 1024, 1024, 0.75, 0},
    {"sgemm", 1024, 1024, 1024, 0.7, 0},   {"dgemm", 20000, 64, 20000, 0.4, 0},    {"dgemm", 1024, 1024, 65536, 0.8, 0},
};

/// Least ratios at square_sizes[i].
struct Limits {
  const char* work;
  double burst[4], sustained[4];
};
const Limits dp_limits = {"DGEMM dp over cublasDgemm, phi 0.5", {1.1, 1.35, 1.7, 1.9}, {1.0, 1.25, 1.6, 1.8}};
const Limits cr_limits = {"DGEMM cr over cublasDgemm, phi 0.5 to 2", {0.6, 0.85, 1.0, 1.15}, {0.6, 0.85, 1.0, 1.15}};
const Limits sp_limits = {"SGEMM sp over cublasSgemm, phi 0.5", {2.0, 2.7, 3.2, 3.4}, {2.0, 2.7, 3.2, 3.4}};
const Limits multiword_limits[] = {
    {"SGEMM tf32x3 over cublasSgemm", {0, 2.2, 2.2, 2.2}, {0, 2.2, 2.2, 2.2}},
    {"SGEMM tf32x3 over three TF32 products", {0, 1.2, 1.2, 1.2}, {0, 1.2, 1.2, 1.2}},
    {"SGEMM tf32x1 over a TF32 product", {0, 0.95, 0.95, 0.95}, {0, 0.95, 0.95, 0.95}},
    {"SGEMM fp16x3 over three FP16 products", {0, 1.2, 1.2, 1.2}, {0, 1.2, 1.2, 1.2}},
};
const Limits zgemm_dp_limits = {"ZGEMM dp over cublasZgemm", {1.7, 2.5, 3.2, 3.6}, {1.7, 2.5, 3.2, 3.6}};
const Limits zgemm_cr_limits = {"ZGEMM cr over cublasZgemm", {1.0, 1.5, 1.8, 2.0}, {1.0, 1.5, 1.8, 2.0}};
const Limits cgemm_limits = {"CGEMM sp over cublasCgemm", {2.5, 4.2, 5.3, 6.0}, {2.5, 4.2, 5.3, 6.0}};
const Limits int8_limits = {"INT8 products over cublasLt's rate", {1.35, 1.1, 1.1, 1.15}, {1.35, 1.1, 1.1, 1.15}};

class Targets {
 public:
  Targets(Table& table, const Effort& effort) : table_(table), effort_(effort) {}

  void sizes_of(Method method) {
    for (std::size_t q = 0; q < square_sizes.size(); ++q) {
      const Index n = square_sizes[q];
      const auto limit = [&](const Limits& l) { return method == Method::burst ? l.burst[q] : l.sustained[q]; };
      Worst cr;
      {
        const Case what{"dgemm", n, n, n, "phi:0.5", method};
        const auto results = run(what, {"cublas", "cublasLt-int8", "dp", "cr"});
        add(dp_limits.work, what, limit(dp_limits), ratio(results, "cublas", "dp"));
        cr.take(ratio(results, "cublas", "cr"), "phi 0.5");
        Worst rate;
        const Result* lt = find(results, "cublasLt-int8");
        for (const char* mode : {"dp", "cr"})
          if (const Result* ours = find(results, mode))
            if (lt && ours->report.parts > 0)
              rate.take(int8_tera(what, *ours) / tera(what, lt->ms), "in " + std::string(mode));
        add(int8_limits.work, what, limit(int8_limits), rate.value, rate.where);
      }
      for (const char* data : {"phi:1", "phi:2"}) {
        if (method == Method::sustained) break;
        cr.take(ratio(run({"dgemm", n, n, n, data, method}, {"cublas", "cr"}), "cublas", "cr"), data);
      }
      add(cr_limits.work, {"dgemm", n, n, n, "", method}, limit(cr_limits), cr.value, cr.where);
      const Case what{"sgemm", n, n, n, "phi:0.5", method};
      add(sp_limits.work, what, limit(sp_limits), ratio(run(what, {"cublas", "sp"}), "cublas", "sp"));
      const Case complex{"zgemm", n, n, n, "phi:0.5", method}, single{"cgemm", n, n, n, "phi:0.5", method};
      const auto pairs_of_reals = run(complex, {"cublas", "dp", "cr"});
      add(zgemm_dp_limits.work, complex, limit(zgemm_dp_limits), ratio(pairs_of_reals, "cublas", "dp"));
      add(zgemm_cr_limits.work, complex, limit(zgemm_cr_limits), ratio(pairs_of_reals, "cublas", "cr"));
      add(cgemm_limits.work, single, limit(cgemm_limits), ratio(run(single, {"cublas", "sp"}), "cublas", "sp"));
      const auto words =
          run(what, {"cublas", "cublas-tf32", "cublas-tf32x3", "cublas-fp16x3", "tf32x1", "tf32x3", "fp16x3"});
      const std::pair<const char*, const char*> pairs[] = {
          {"cublas", "tf32x3"}, {"cublas-tf32x3", "tf32x3"}, {"cublas-tf32", "tf32x1"}, {"cublas-fp16x3", "fp16x3"}};
      for (std::size_t i = 0; i < std::size(pairs); ++i)
        add(multiword_limits[i].work, what, limit(multiword_limits[i]), ratio(words, pairs[i].first, pairs[i].second));
    }
  }

  /// Prints how much more time hard data take than data with phi = 1.
  void costs_of_data() {
    const Index n = 8192;
    std::map<std::string, double> ms;
    for (const char* data : {"phi:1", "phi:4", "phi:10", "ties", "block-diagonal", "triangular"}) {
      const auto results = run({"dgemm", n, n, n, data, Method::burst}, {"cr"});
      const Result* cr = find(results, "cr");
      ms[data] = cr ? cr->ms : HUGE_VAL;
    }
    const auto cost = [&](const char* work, const char* data, double limit) {
      lines_.push_back({work, name_of(Method::burst), n, limit, ms[data] / ms["phi:1"], true, ""});
    };
    cost("cr on ties over cr on phi 1", "ties", 2);
    cost("cr on phi 4 over cr on phi 1", "phi:4", 2.5);
    cost("cr on phi 10 over cr on phi 1", "phi:10", 8);
  }

  /// dp may take either way, so it is never much slower than cuBLAS.
  void automatic_dp() {
    Worst worst;
    for (const Case& what : std::vector<Case>{{"dgemm", 256, 256, 256, "phi:0.5", Method::burst},
                                              {"dgemm", 1024, 1024, 1024, "phi:0.5", Method::burst},
                                              {"dgemm", 1448, 1448, 1448, "phi:0.5", Method::burst},
                                              {"dgemm", 4096, 4096, 4096, "phi:2", Method::burst},
                                              {"dgemm", 4096, 4096, 4096, "phi:4", Method::burst},
                                              {"dgemm", 4096, 4096, 4096, "block-diagonal", Method::burst},
                                              {"dgemm", 4096, 4096, 4096, "triangular", Method::burst},
                                              {"dgemm", 8192, 8192, 8192, "phi:2", Method::burst},
                                              {"dgemm", 16384, 16384, 256, "phi:0.5", Method::burst},
                                              {"dgemm", 16384, 16384, 1024, "phi:0.5", Method::burst},
                                              {"dgemm", 64, 16384, 16384, "phi:0.5", Method::burst},
                                              {"dgemm", 16384, 64, 16384, "phi:0.5", Method::burst}}) {
      const auto results = run(what, {"cublas", "dp"});
      worst.take(ratio(results, "cublas", "dp"), std::to_string(what.m) + " " + std::to_string(what.n) + " " +
                                                     std::to_string(what.k) + " " + what.data);
    }
    lines_.push_back(
        {"dp by shape and data over cublasDgemm", name_of(Method::burst), 0, 0.95, worst.value, false, worst.where});
  }

  void short_calls() {
    for (const ShortProduct& p : short_products) {
      const Case what{p.routine, p.m, p.n, p.k, "phi:0.5", Method::burst};
      std::vector<std::string> contenders = {"cublas", "cr"};
      if (p.repro > 0) contenders.push_back("dp:repro");
      const auto results = run(what, contenders);
      const std::string work = std::string(p.routine) + " " + std::to_string(p.m) + " " + std::to_string(p.n) + " " +
                               std::to_string(p.k) + " over cuBLAS";
      add("cr, " + work, what, p.cr, ratio(results, "cublas", "cr"));
      if (p.repro > 0) add("dp:repro, " + work, what, p.repro, ratio(results, "cublas", "dp:repro"));
    }
  }

  /// dp:repro takes the way of cr where its own costs more.
  void repro_beside_cr() {
    for (const char* data : {"phi:0.5", "phi:2", "phi:4"}) {
      Worst worst;
      for (const Index n : {Index(256), Index(1024), Index(2048), Index(8192)})
        worst.take(ratio(run({"dgemm", n, n, n, data, Method::burst}, {"dp:repro", "cr"}), "cr", "dp:repro"),
                   "n = " + std::to_string(n));
      lines_.push_back({"DGEMM dp:repro over cr, " + std::string(data), name_of(Method::burst), 0, 1 / 1.1, worst.value,
                        false, worst.where});
    }
  }

  bool print() const {
    std::printf("\n%-42s %-9s %6s %8s %9s\n", "ratio", "method", "n", "target", "measured");
    bool all_met = true;
    for (const Line& line : lines_) {
      std::printf("%-42s %-9s %6s %s %5.2f %9.3f %-7s %s\n", line.work.c_str(), line.method.c_str(),
                  line.n ? std::to_string(line.n).c_str() : "", line.at_most ? "<=" : ">=", line.limit, line.measured,
                  line.met() ? "met" : "NOT MET", line.where.c_str());
      all_met = all_met && line.met();
    }
    return all_met;
  }

 private:
  struct Worst {
    double value = HUGE_VAL;
    std::string where;
    void take(double x, const std::string& at) {
      if (x < value) value = x, where = "least: " + at;
    }
  };

  std::vector<Result> run(const Case& what, const std::vector<std::string>& contenders) {
    auto results = measure(what, contenders, effort_);
    table_.print(what, results);
    return results;
  }
  /// How many times faster `ours` is; 0 where there is no figure.
  static double ratio(const std::vector<Result>& results, const char* peer, const char* ours) {
    const Result *x = find(results, peer), *y = find(results, ours);
    return x && y ? x->ms / y->ms : 0;
  }
  void add(const std::string& work, const Case& what, double limit, double measured, const std::string& where = "") {
    lines_.push_back({work, name_of(what.method), what.n, limit, std::isfinite(measured) ? measured : 0, false, where});
  }

  Table& table_;
  Effort effort_;
  std::vector<Line> lines_;
};

}  // namespace

bool print_targets(Table& table, const std::vector<Method>& methods, const Effort& effort) {
  std::printf("What is paid once, n = 1024:\n");
  for (const FirstCall& call : measure_first_calls(1024))
    std::printf("  %-32s first %8.2f ms, next %8.3f ms\n", call.contender.c_str(), call.first_ms, call.next_ms);
  std::printf("\n");
  Targets targets(table, effort);
  for (const Method method : methods) targets.sizes_of(method);
  if (std::count(methods.begin(), methods.end(), Method::burst)) {
    targets.costs_of_data();
    targets.automatic_dp();
  }
  return targets.print();
}

bool print_short_targets(Table& table, const Effort& effort) {
  Targets targets(table, effort);
  targets.short_calls();
  targets.repro_beside_cr();
  return targets.print();
}

}  // namespace gpu_bench
