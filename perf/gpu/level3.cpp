#include "perf/gpu/level3.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <thread>

#include "perf/gpu/context.hpp"
#include "perf/gpu/data.hpp"

namespace gpu_bench {
namespace {

constexpr accublas_layout columns = ACCUBLAS_COL_MAJOR;
constexpr accublas_transpose plain = ACCUBLAS_NO_TRANS;

/// A square call on device memory; factors are 1 and 0, of complex routines too. B is the result of TRMM and TRSM.
struct Operands {
  accublas_context* context;
  Index n;
  const double *a, *one, *zero;
  double *b, *c;
};
struct Entry {
  const char* name;
  int parts;
  bool in_place;
  std::function<accublas_status(const Operands&)> run;
};

#define SYMM(name, parts)                                                                                       \
  {                                                                                                             \
#name, parts, false, [](const Operands& o) {                                                                  \
     return accublas_##name(o.context, columns, ACCUBLAS_LEFT, ACCUBLAS_UPPER, o.n, o.n, o.one, o.a, o.n, o.b, o.n, \
                            o.zero, o.c, o.n);                                                                   \
   } \
  }
#define SYRK(name, parts)                                                                                       \
  {                                                                                                             \
#name, parts, false, [](const Operands& o) {                                                                  \
     return accublas_##name(o.context, columns, ACCUBLAS_UPPER, plain, o.n, o.n, o.one, o.a, o.n, o.zero, o.c, o.n); \
   } \
  }
#define SYR2K(name, parts)                                                                                      \
  {                                                                                                             \
#name, parts, false, [](const Operands& o) {                                                                  \
     return accublas_##name(o.context, columns, ACCUBLAS_UPPER, plain, o.n, o.n, o.one, o.a, o.n, o.b, o.n, o.zero, \
                            o.c, o.n);                                                                           \
   } \
  }
#define TRIANGULAR(name, parts)                                                                                 \
  {                                                                                                             \
#name, parts, true, [](const Operands& o) {                                                                   \
     return accublas_##name(o.context, columns, ACCUBLAS_LEFT, ACCUBLAS_UPPER, plain, ACCUBLAS_NON_UNIT, o.n, o.n,  \
                            o.one, o.a, o.n, o.b, o.n);                                                          \
   } \
  }
const Entry entries[] = {SYMM(dsymm, 1),      SYMM(zsymm, 2),       SYMM(zhemm, 2),       SYRK(dsyrk, 1),
                         SYRK(zsyrk, 2),      SYRK(zherk, 2),       SYR2K(dsyr2k, 1),     SYR2K(zsyr2k, 2),
                         SYR2K(zher2k, 2),    TRIANGULAR(dtrmm, 1), TRIANGULAR(ztrmm, 2), TRIANGULAR(dtrsm, 1),
                         TRIANGULAR(ztrsm, 2)};

/// Least ratios, phi 0.5.
struct Target {
  const char *routine, *mode;
  Index order;
  double ratio;
};
constexpr Target targets[] = {{"dsyrk", "dp", 4096, 1.3}, {"dsyrk", "dp", 8192, 1.6}, {"dsyrk", "dp", 16384, 2.2},
                              {"dtrmm", "dp", 4096, 1.2}, {"dtrmm", "dp", 8192, 1.5}, {"dtrmm", "dp", 16384, 1.9},
                              {"zherk", "dp", 4096, 2.3}, {"zherk", "dp", 8192, 2.8}, {"zherk", "dp", 16384, 3.3},
                              {"dtrsm", "dp", 4096, 1.5}, {"dtrsm", "dp", 8192, 1.8}, {"dtrsm", "dp", 16384, 2.0},
                              {"dtrsm", "cr", 4096, 0.8}, {"dtrsm", "cr", 8192, 1.0}, {"dtrsm", "cr", 16384, 1.2}};

double target_of(const std::string& routine, const std::string& mode, const std::string& data, Index n) {
  for (const Target& t : targets)
    if (routine == t.routine && mode == t.mode && data == "phi:0.5" && n == t.order) return t.ratio;
  return 0;
}

bool measure(const Entry& entry, Index n, const std::string& data, const Effort& effort) {
  const Stream stream;
  const double one[2] = {1, 0}, zero[2] = {0, 0};
  const Index size = entry.parts * n * n;
  const DeviceArray<double> a(size), b(size), kept(size), c(size);
  const matrices::Matrix matrix = matrices::named(data);
  fill(matrix, Side::a, entry.parts == 2, a.data(), n, n, 1, stream);
  fill(matrix, Side::b, entry.parts == 2, kept.data(), n, n, 1, stream);
  if (std::string(entry.name).ends_with("trsm")) {
    // Solutions must not grow from unknown to unknown.
    const std::vector<double> diagonal(static_cast<std::size_t>(n), static_cast<double>(n));
    const std::size_t number = static_cast<std::size_t>(entry.parts) * sizeof(double);
    require(cudaMemcpy2DAsync(a.data(), static_cast<std::size_t>(n + 1) * number, diagonal.data(), sizeof(double),
                              sizeof(double), static_cast<std::size_t>(n), cudaMemcpyHostToDevice, stream),
            "a diagonal");
    stream.wait();
  }
  struct Contender {
    const char* mode;
    std::unique_ptr<Context> context;
    std::string error{};
    std::vector<double> ms{};
  };
  std::vector<Contender> contenders;
  for (const char* mode : {"native", "dp", "dp:repro", "cr"})
    contenders.push_back({mode, std::make_unique<Context>(mode, stream, 0)});
  const auto restore = [&] {
    require(cudaMemcpyAsync(b.data(), kept.data(), static_cast<std::size_t>(size) * sizeof(double),
                            cudaMemcpyDeviceToDevice, stream),
            "operands");
  };
  const auto call = [&](const Contender& contender) {
    contender.context->need(entry.run({*contender.context, n, a.data(), one, zero, b.data(), c.data()}));
  };
  for (Contender& contender : contenders) {
    restore();
    try {
      call(contender);
      stream.wait();
    } catch (const std::exception& error) {
      contender.error = error.what();
    }
  }
  for (int round = 0; round < effort.repetitions; ++round)
    for (Contender& contender : contenders) {
      if (!contender.error.empty()) continue;
      stream.wait();
      std::this_thread::sleep_for(std::chrono::duration<double>(effort.pause));
      if (entry.in_place || round == 0) restore();
      const Event start, end;
      start.record(stream);
      call(contender);
      end.record(stream);
      contender.ms.push_back(end.since(start));
    }
  bool met = true;
  const double native = contenders[0].error.empty() ? median(contenders[0].ms) : 0;
  for (const Contender& contender : contenders) {
    if (!contender.error.empty()) {
      std::printf("%-7s %6lld  %-16s %-9s %s\n", entry.name, static_cast<long long>(n), data.c_str(), contender.mode,
                  contender.error.c_str());
      continue;
    }
    const double ms = median(contender.ms), ratio = native / ms,
                 target = target_of(entry.name, contender.mode, data, n);
    std::printf("%-7s %6lld  %-16s %-9s %9.3f ms  %6.2f  %-7s", entry.name, static_cast<long long>(n), data.c_str(),
                contender.mode, ms, ratio, contender.context->report().engine);
    if (target > 0) std::printf("  target %.2f: %s", target, ratio >= target ? "met" : "NOT MET");
    std::printf("\n");
    met = met && ratio >= target;
  }
  std::fflush(stdout);
  return met;
}

}  // namespace

std::vector<std::string> level3_routines() {
  std::vector<std::string> names;
  for (const Entry& entry : entries) names.push_back(entry.name);
  return names;
}

bool print_level3(const std::vector<std::string>& routines, const std::vector<std::string>& data,
                  const std::vector<Index>& orders, const Effort& effort) {
  std::printf("%-7s %6s  %-16s %-9s %12s  %6s  %s\n", "routine", "n", "data", "mode", "time", "ratio", "engine");
  bool met = true;
  for (const Entry& entry : entries) {
    const bool has_target = std::any_of(std::begin(targets), std::end(targets), [&](const Target& target) {
      return std::string(target.routine) == entry.name;
    });
    if (routines.empty() ? !has_target : !std::count(routines.begin(), routines.end(), entry.name)) continue;
    for (const std::string& kind : data)
      for (const Index n : orders) met = measure(entry, n, kind, effort) && met;
  }
  return met;
}

}  // namespace gpu_bench
