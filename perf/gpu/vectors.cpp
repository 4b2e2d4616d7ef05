#include "perf/gpu/vectors.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>

#include "perf/csv_file.hpp"
#include "perf/gpu/context.hpp"
#include "perf/gpu/data.hpp"
#include "perf/gpu/peers.hpp"
#include "perf/gpu/short_call.hpp"

namespace gpu_bench {
namespace {

enum class Kind { dot, nrm2, asum, gemv, gemv_transposed, complex_dot, complex_gemv, complex_gemv_transposed };
struct Routine {
  const char* name;
  Kind kind;
  bool single;
};
constexpr Routine routines[] = {
    {"ddot", Kind::dot, false},
    {"sdot", Kind::dot, true},
    {"dnrm2", Kind::nrm2, false},
    {"snrm2", Kind::nrm2, true},
    {"dasum", Kind::asum, false},
    {"sasum", Kind::asum, true},
    {"dgemv-n", Kind::gemv, false},
    {"sgemv-n", Kind::gemv, true},
    {"dgemv-t", Kind::gemv_transposed, false},
    {"sgemv-t", Kind::gemv_transposed, true},
    {"zdotc", Kind::complex_dot, false},
    {"cdotc", Kind::complex_dot, true},
    {"zgemv-n", Kind::complex_gemv, false},
    {"cgemv-n", Kind::complex_gemv, true},
    {"zgemv-c", Kind::complex_gemv_transposed, false},
    {"cgemv-c", Kind::complex_gemv_transposed, true},
};
bool is_complex(Kind kind) { return kind >= Kind::complex_dot; }
bool is_complex_gemv(Kind kind) { return kind == Kind::complex_gemv || kind == Kind::complex_gemv_transposed; }
bool is_gemv(Kind kind) { return kind == Kind::gemv || kind == Kind::gemv_transposed || is_complex_gemv(kind); }

constexpr Index lengths[] = {1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26, 1 << 28};
constexpr Index orders[] = {512, 1024, 2048, 4096, 8192, 16384};
const char* const kinds_of_data[] = {"phi:0", "phi:1", "phi:10", "condition:1e16", "ties"};
/// The norms' terms have one sign: nothing cancels.
const char* const kinds_of_norms[] = {"phi:0", "phi:10", "ties"};

/// Least shares of cuBLAS's bandwidth from these sizes on; below, at most so many microseconds more than cuBLAS takes.
constexpr double dot2_share = 0.95, cr_share = 0.9, small_us = 10;
constexpr Index large_length = 1 << 24, large_order = 4096;

/// Seconds of calls behind one measurement: enough for the clock, and for launches to hide behind each other.
constexpr double least_ms = 0.5;

template <class T>
struct VectorOperands {
  Index n;  ///< the length, or the order of A
  DeviceArray<T> a, x, y;

  explicit VectorOperands(Kind kind, Index n_, Index parts)
      : n(n_), a(parts * (is_gemv(kind) ? n * n : n)), x(parts * n), y(parts * n) {}
};

template <class T>
void fill_operands(Kind kind, const std::string& data, VectorOperands<T>& o, cudaStream_t stream) {
  const Index n = o.n;
  const bool root = kind == Kind::nrm2;
  if (kind == Kind::gemv) return fill_rows(data, root, o.a.data(), n, n, 1, n, o.x.data(), stream);
  if (kind == Kind::gemv_transposed) return fill_rows(data, root, o.a.data(), n, n, n, 1, o.x.data(), stream);
  // Complex: the components of a row's numbers are terms, of columns side by side rows that share x.
  if (kind == Kind::complex_dot) return fill_rows(data, root, o.a.data(), 1, 2 * n, 0, 1, o.x.data(), stream);
  if (kind == Kind::complex_gemv_transposed)
    return fill_rows(data, root, o.a.data(), n, 2 * n, 2 * n, 1, o.x.data(), stream);
  if (kind == Kind::complex_gemv) {
    fill_rows<T>(data, root, o.x.data(), 1, 2 * n, 0, 1, nullptr, stream);
    return fill_rows(data, root, o.a.data(), 2 * n, n, 1, 2 * n, o.x.data(), stream);
  }
  fill_rows(data, root, o.a.data(), 1, n, 0, 1, kind == Kind::dot ? o.x.data() : nullptr, stream);
}

template <class T>
void call_cublas(CuBlas& cublas, Kind kind, const VectorOperands<T>& o) {
  switch (kind) {
    case Kind::dot:
      return cublas.dot(o.n, o.a.data(), o.x.data(), o.y.data());
    case Kind::nrm2:
      return cublas.nrm2(o.n, o.a.data(), o.y.data());
    case Kind::asum:
      return cublas.asum(o.n, o.a.data(), o.y.data());
    case Kind::complex_dot:
      return cublas.complex_dot(o.n, o.a.data(), o.x.data(), o.y.data());
    case Kind::complex_gemv:
    case Kind::complex_gemv_transposed:
      return cublas.complex_gemv(kind == Kind::complex_gemv_transposed, o.n, o.n, o.a.data(), o.x.data(), o.y.data());
    default:
      return cublas.gemv(kind == Kind::gemv_transposed, o.n, o.n, o.a.data(), o.x.data(), o.y.data());
  }
}

#define ACCUBLAS_BENCH_CALLS(T, p, z)                                                                                  \
  accublas_status call_accublas(accublas_context* ctx, Kind kind, const VectorOperands<T>& o) {                        \
    const T one[2] = {1, 0}, zero[2] = {0, 0};                                                                         \
    const bool scalar = !is_gemv(kind);                                                                                \
    accublas_set_pointer_mode(ctx, scalar ? ACCUBLAS_POINTER_DEVICE : ACCUBLAS_POINTER_HOST);                          \
    switch (kind) {                                                                                                    \
      case Kind::dot:                                                                                                  \
        return accublas_##p##dot(ctx, o.n, o.a.data(), 1, o.x.data(), 1, o.y.data());                                  \
      case Kind::nrm2:                                                                                                 \
        return accublas_##p##nrm2(ctx, o.n, o.a.data(), 1, o.y.data());                                                \
      case Kind::asum:                                                                                                 \
        return accublas_##p##asum(ctx, o.n, o.a.data(), 1, o.y.data());                                                \
      case Kind::complex_dot:                                                                                          \
        return accublas_##z##dotc(ctx, o.n, o.a.data(), 1, o.x.data(), 1, o.y.data());                                 \
      case Kind::complex_gemv:                                                                                         \
      case Kind::complex_gemv_transposed:                                                                              \
        return accublas_##z##gemv(ctx, ACCUBLAS_COL_MAJOR,                                                             \
                                  kind == Kind::complex_gemv ? ACCUBLAS_NO_TRANS : ACCUBLAS_CONJ_TRANS, o.n, o.n, one, \
                                  o.a.data(), o.n, o.x.data(), 1, zero, o.y.data(), 1);                                \
      default:                                                                                                         \
        return accublas_##p##gemv(ctx, ACCUBLAS_COL_MAJOR, kind == Kind::gemv ? ACCUBLAS_NO_TRANS : ACCUBLAS_TRANS,    \
                                  o.n, o.n, one, o.a.data(), o.n, o.x.data(), 1, zero, o.y.data(), 1);                 \
    }                                                                                                                  \
  }
ACCUBLAS_BENCH_CALLS(double, d, z)
ACCUBLAS_BENCH_CALLS(float, s, c)
#undef ACCUBLAS_BENCH_CALLS

/// Runs of all contenders in turn.
void time_all(std::vector<ShortCall>& contenders, int repetitions, cudaStream_t stream) {
  for (ShortCall& c : contenders) {
    c.call();  // what is made once
    time_us(c, 2, stream);
    c.count = std::clamp(static_cast<int>(1e3 * least_ms / time_us(c, 3, stream)), 2, 200);
  }
  time_in_turn(contenders, repetitions, stream);
}

class Report {
 public:
  explicit Report(const std::string& csv) : csv_(csv, "routine,n,data,mode,us,single_us,gb_a_second,share") {}
  /// Bytes read by a call.
  void print(const Routine& routine, Index n, const std::string& data, const std::vector<ShortCall>& contenders,
             double bytes) {
    const ShortCall& peer = contenders[0];
    const double peer_us = median(peer.row_us), peer_single = median(peer.single_us);
    for (const ShortCall& c : contenders) {
      const double us = median(c.row_us), single = median(c.single_us), share = peer_us / us;
      std::printf("%-8s %10lld %-15s %-9s %10.2f %10.2f %7.0f %7.3f  %s\n", routine.name, static_cast<long long>(n),
                  data.c_str(), c.name.c_str(), us, single, bytes / us * 1e-3, share,
                  verdict(routine, n, c.name, share, us - peer_us, single - peer_single).c_str());
      if (csv_.get())
        std::fprintf(csv_.get(), "%s,%lld,%s,%s,%.6g,%.6g,%.6g,%.4f\n", routine.name, static_cast<long long>(n),
                     data.c_str(), c.name.c_str(), us, single, bytes / us * 1e-3, share);
    }
    std::fflush(stdout);
  }
  bool all_met() const { return missed_ == 0; }
  void print_sum() const { std::printf("targets: %d met, %d missed\n", met_, missed_); }

 private:
  /// dot2 and cr of real vectors have targets.
  std::string verdict(const Routine& routine, Index n, const std::string& mode, double share, double more_us,
                      double more_single) {
    if ((mode != "dot2" && mode != "cr") || is_complex(routine.kind)) return "";
    const bool large = n >= (is_gemv(routine.kind) ? large_order : large_length);
    const double least = mode == "dot2" ? dot2_share : cr_share, more = std::max(more_us, more_single);
    const bool met = large ? share >= least : more <= small_us;
    met ? ++met_ : ++missed_;
    char text[64];
    if (large) {
      std::snprintf(text, sizeof text, ">= %.2f %s", least, met ? "met" : "NOT MET");
    } else {
      std::snprintf(text, sizeof text, "%+.1f us, <= %.0f %s", more, small_us, met ? "met" : "NOT MET");
    }
    return text;
  }

  bench::CsvFile csv_;
  int met_ = 0, missed_ = 0;
};

template <class T>
void measure_routine(const Routine& routine, int repetitions, Report& report) {
  const Stream stream;
  CuBlas cublas(stream);
  const bool norm = routine.kind == Kind::nrm2 || routine.kind == Kind::asum, matrix = is_gemv(routine.kind);
  const std::vector<std::string> modes = norm ? std::vector<std::string>{"native", "dot2", "cr"}
                                              : std::vector<std::string>{"native", "dot2", "cr", "fixed:53"};
  std::vector<std::unique_ptr<Context>> contexts;
  for (const std::string& mode : modes) contexts.push_back(std::make_unique<Context>(mode, stream, 0));
  const std::vector<Index> sizes = matrix ? std::vector<Index>(std::begin(orders), std::end(orders))
                                          : std::vector<Index>(std::begin(lengths), std::end(lengths));
  for (const Index n : sizes) {
    const Index parts = is_complex(routine.kind) ? 2 : 1;
    VectorOperands<T> o(routine.kind, n, parts);
    const auto kinds = norm ? std::vector<std::string>(std::begin(kinds_of_norms), std::end(kinds_of_norms))
                            : std::vector<std::string>(std::begin(kinds_of_data), std::end(kinds_of_data));
    const double words =
        matrix ? static_cast<double>(n) * static_cast<double>(n + 1) : (norm ? 1 : 2) * static_cast<double>(n);
    for (const std::string& data : kinds) {
      fill_operands(routine.kind, data, o, stream);
      std::vector<ShortCall> contenders{{"cublas", [&] { call_cublas(cublas, routine.kind, o); }, 1, {}, {}}};
      for (std::size_t q = 0; q < modes.size(); ++q) {
        Context& context = *contexts[q];
        contenders.push_back({modes[q], [&] { context.need(call_accublas(context, routine.kind, o)); }, 1, {}, {}});
      }
      time_all(contenders, repetitions, stream);
      report.print(routine, n, data, contenders, words * static_cast<double>(parts) * sizeof(T));
    }
  }
}

}  // namespace

std::vector<std::string> vector_routines() {
  std::vector<std::string> names;
  for (const Routine& routine : routines) names.push_back(routine.name);
  return names;
}

bool print_vectors(const std::vector<std::string>& names, int repetitions, const std::string& csv) {
  std::printf(
      "us: of a call among calls back to back; single: of one on an idle stream, from its first work to its last.\n"
      "share: of the bandwidth of cuBLAS's routine, back to back.\n"
      "%-8s %10s %-15s %-9s %10s %10s %7s %7s  %s\n",
      "", "n", "data", "mode", "us", "single us", "GB/s", "share", "target");
  Report report(csv);
  for (const Routine& routine : routines) {
    if (!names.empty() && std::find(names.begin(), names.end(), routine.name) == names.end()) continue;
    routine.single ? measure_routine<float>(routine, repetitions, report)
                   : measure_routine<double>(routine, repetitions, report);
  }
  report.print_sum();
  return report.all_met();
}

}  // namespace gpu_bench
