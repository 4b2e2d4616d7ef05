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

enum class Kind { dot, nrm2, asum, gemv, gemv_transposed, gemv_conjugated, symv, trmv };
struct Routine {
  const char* name;
  Kind kind;
  bool single, complex;
};
constexpr Routine routines[] = {
    {"ddot", Kind::dot, false, false},
    {"sdot", Kind::dot, true, false},
    {"dnrm2", Kind::nrm2, false, false},
    {"snrm2", Kind::nrm2, true, false},
    {"dasum", Kind::asum, false, false},
    {"sasum", Kind::asum, true, false},
    {"dgemv-n", Kind::gemv, false, false},
    {"sgemv-n", Kind::gemv, true, false},
    {"dgemv-t", Kind::gemv_transposed, false, false},
    {"sgemv-t", Kind::gemv_transposed, true, false},
    {"zdotc", Kind::dot, false, true},
    {"cdotc", Kind::dot, true, true},
    {"zgemv-n", Kind::gemv, false, true},
    {"cgemv-n", Kind::gemv, true, true},
    {"zgemv-t", Kind::gemv_transposed, false, true},
    {"cgemv-t", Kind::gemv_transposed, true, true},
    {"zgemv-c", Kind::gemv_conjugated, false, true},
    {"cgemv-c", Kind::gemv_conjugated, true, true},
    {"dsymv", Kind::symv, false, false},
    {"ssymv", Kind::symv, true, false},
    {"zhemv", Kind::symv, false, true},
    {"chemv", Kind::symv, true, true},
    {"dtrmv", Kind::trmv, false, false},
    {"strmv", Kind::trmv, true, false},
    {"ztrmv", Kind::trmv, false, true},
    {"ctrmv", Kind::trmv, true, true},
};
bool is_matrix(Kind kind) { return kind >= Kind::gemv; }
bool is_triangle(Kind kind) { return kind >= Kind::symv; }

constexpr Index lengths[] = {1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26, 1 << 28};
constexpr Index orders[] = {512, 1024, 2048, 4096, 8192, 16384};
const char* const kinds_of_data[] = {"phi:0", "phi:1", "phi:10", "condition:1e16", "ties"};
/// The norms' terms have one sign: nothing cancels.
const char* const kinds_of_norms[] = {"phi:0", "phi:10", "ties"};

/// The targets. From these sizes on, a call must reach this share of cuBLAS's bandwidth. Smaller real calls may take
/// small_us more than cuBLAS. Smaller complex calls have no target.
constexpr double dot2_share = 0.95, cr_share = 0.9, complex_share = 0.85, small_us = 10;
constexpr Index large_length = 1 << 24, large_order = 4096;

/// Seconds of calls behind one measurement: enough for the clock, and for launches to hide behind each other.
constexpr double least_ms = 0.5;

template <class T>
struct VectorOperands {
  Index n;  ///< the length, or the order of A
  DeviceArray<T> a, x, y;

  VectorOperands(const Routine& routine, Index n_)
      : n(n_),
        a((routine.complex ? 2 : 1) * (is_matrix(routine.kind) ? n * n : n)),
        x(routine.complex ? 2 * n : n),
        y(routine.complex ? 2 * n : n) {}
};

template <class T>
void fill_operands(const Routine& routine, const std::string& data, VectorOperands<T>& o, cudaStream_t stream) {
  const Kind kind = routine.kind;
  // Complex: the components of a row's numbers are terms, of columns side by side rows that share x.
  const Index n = o.n, parts = routine.complex ? 2 : 1;
  const bool root = kind == Kind::nrm2, by_rows = kind == Kind::gemv_transposed || kind == Kind::gemv_conjugated;
  if (!is_matrix(kind))
    return fill_rows(data, root, o.a.data(), 1, parts * n, 0, 1, kind == Kind::dot ? o.x.data() : nullptr, stream);
  if (by_rows) return fill_rows(data, root, o.a.data(), n, parts * n, parts * n, 1, o.x.data(), stream);
  if (routine.complex) fill_rows<T>(data, root, o.x.data(), 1, 2 * n, 0, 1, nullptr, stream);
  fill_rows(data, root, o.a.data(), parts * n, n, 1, parts * n, o.x.data(), stream);
}

/// Copies x to y before each call of TRMV, which overwrites y.
template <class T>
void reset_result(const Routine& routine, const VectorOperands<T>& o, cudaStream_t stream) {
  if (routine.kind == Kind::trmv)
    cudaMemcpyAsync(o.y.data(), o.x.data(), static_cast<std::size_t>(routine.complex ? 2 * o.n : o.n) * sizeof(T),
                    cudaMemcpyDeviceToDevice, stream);
}

template <class T>
void call_cublas(CuBlas& cublas, const Routine& routine, const VectorOperands<T>& o) {
  const T *a = o.a.data(), *x = o.x.data();
  T* const y = o.y.data();
  switch (routine.kind) {
    case Kind::dot:
      return routine.complex ? cublas.complex_dot(o.n, a, x, y) : cublas.dot(o.n, a, x, y);
    case Kind::nrm2:
      return cublas.nrm2(o.n, a, y);
    case Kind::asum:
      return cublas.asum(o.n, a, y);
    case Kind::symv:
      return routine.complex ? cublas.hemv(o.n, a, x, y) : cublas.symv(o.n, a, x, y);
    case Kind::trmv:
      return routine.complex ? cublas.complex_trmv(o.n, a, y) : cublas.trmv(o.n, a, y);
    default:
      const char op = routine.kind == Kind::gemv ? 'N' : routine.kind == Kind::gemv_transposed ? 'T' : 'C';
      return routine.complex ? cublas.complex_gemv(op, o.n, o.n, a, x, y) : cublas.gemv(op != 'N', o.n, o.n, a, x, y);
  }
}

#define ACCUBLAS_BENCH_CALLS(T, p, z)                                                                                 \
  accublas_status call_accublas(accublas_context* ctx, const Routine& routine, const VectorOperands<T>& o) {          \
    const T one[2] = {1, 0}, zero[2] = {0, 0};                                                                        \
    const Kind kind = routine.kind;                                                                                   \
    const bool complex = routine.complex;                                                                             \
    const T *a = o.a.data(), *x = o.x.data();                                                                         \
    T* const y = o.y.data();                                                                                          \
    const accublas_layout columns = ACCUBLAS_COL_MAJOR;                                                               \
    const accublas_transpose op = kind == Kind::gemv              ? ACCUBLAS_NO_TRANS                                 \
                                  : kind == Kind::gemv_transposed ? ACCUBLAS_TRANS                                    \
                                                                  : ACCUBLAS_CONJ_TRANS;                              \
    accublas_set_pointer_mode(ctx, is_matrix(kind) ? ACCUBLAS_POINTER_HOST : ACCUBLAS_POINTER_DEVICE);                \
    switch (kind) {                                                                                                   \
      case Kind::dot:                                                                                                 \
        return complex ? accublas_##z##dotc(ctx, o.n, a, 1, x, 1, y) : accublas_##p##dot(ctx, o.n, a, 1, x, 1, y);    \
      case Kind::nrm2:                                                                                                \
        return accublas_##p##nrm2(ctx, o.n, a, 1, y);                                                                 \
      case Kind::asum:                                                                                                \
        return accublas_##p##asum(ctx, o.n, a, 1, y);                                                                 \
      case Kind::symv:                                                                                                \
        return complex ? accublas_##z##hemv(ctx, columns, ACCUBLAS_UPPER, o.n, one, a, o.n, x, 1, zero, y, 1)         \
                       : accublas_##p##symv(ctx, columns, ACCUBLAS_UPPER, o.n, one, a, o.n, x, 1, zero, y, 1);        \
      case Kind::trmv:                                                                                                \
        return (complex ? accublas_##z##trmv(ctx, columns, ACCUBLAS_UPPER, ACCUBLAS_NO_TRANS, ACCUBLAS_NON_UNIT, o.n, \
                                             a, o.n, y, 1)                                                            \
                        : accublas_##p##trmv(ctx, columns, ACCUBLAS_UPPER, ACCUBLAS_NO_TRANS, ACCUBLAS_NON_UNIT, o.n, \
                                             a, o.n, y, 1));                                                          \
      default:                                                                                                        \
        return complex ? accublas_##z##gemv(ctx, columns, op, o.n, o.n, one, a, o.n, x, 1, zero, y, 1)                \
                       : accublas_##p##gemv(ctx, columns, op, o.n, o.n, one, a, o.n, x, 1, zero, y, 1);               \
    }                                                                                                                 \
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
  /// Only dot2 and cr have targets, and structured products have none.
  std::string verdict(const Routine& routine, Index n, const std::string& mode, double share, double more_us,
                      double more_single) {
    const bool large = n >= (is_matrix(routine.kind) ? large_order : large_length);
    if ((mode != "dot2" && mode != "cr") || is_triangle(routine.kind) || (routine.complex && !large)) return "";
    const double least = routine.complex  ? complex_share
                         : mode == "dot2" ? dot2_share
                                          : cr_share,
                 more = std::max(more_us, more_single);
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
void measure_routine(const Routine& routine, const VectorSelection& selection, Report& report) {
  const Stream stream;
  CuBlas cublas(stream);
  const bool norm = routine.kind == Kind::nrm2 || routine.kind == Kind::asum, matrix = is_matrix(routine.kind);
  const std::vector<std::string> modes = norm ? std::vector<std::string>{"native", "dot2", "cr"}
                                              : std::vector<std::string>{"native", "dot2", "cr", "fixed:53"};
  std::vector<std::unique_ptr<Context>> contexts;
  for (const std::string& mode : modes) contexts.push_back(std::make_unique<Context>(mode, stream, 0));
  const std::vector<Index> usual = matrix ? std::vector<Index>(std::begin(orders), std::end(orders))
                                          : std::vector<Index>(std::begin(lengths), std::end(lengths));
  const std::vector<std::string> usual_data =
      norm ? std::vector<std::string>(std::begin(kinds_of_norms), std::end(kinds_of_norms))
           : std::vector<std::string>(std::begin(kinds_of_data), std::end(kinds_of_data));
  for (const Index n : selection.sizes.empty() ? usual : selection.sizes) {
    VectorOperands<T> o(routine, n);
    const double order = static_cast<double>(n);
    const double words = is_triangle(routine.kind) ? order * (order + 3) / 2
                         : matrix                  ? order * (order + 1)
                                                   : (norm ? 1 : 2) * order;
    for (const std::string& data : selection.data.empty() ? usual_data : selection.data) {
      fill_operands(routine, data, o, stream);
      std::vector<ShortCall> contenders{{"cublas",
                                         [&] {
                                           reset_result(routine, o, stream);
                                           call_cublas(cublas, routine, o);
                                         },
                                         1,
                                         {},
                                         {}}};
      for (std::size_t q = 0; q < modes.size(); ++q) {
        Context& context = *contexts[q];
        contenders.push_back({modes[q],
                              [&] {
                                reset_result(routine, o, stream);
                                context.need(call_accublas(context, routine, o));
                              },
                              1,
                              {},
                              {}});
      }
      time_all(contenders, selection.repetitions, stream);
      report.print(routine, n, data, contenders, words * (routine.complex ? 2 : 1) * sizeof(T));
    }
  }
}

}  // namespace

std::vector<std::string> vector_routines() {
  std::vector<std::string> names;
  for (const Routine& routine : routines) names.push_back(routine.name);
  return names;
}

bool print_vectors(const VectorSelection& selection, const std::string& csv) {
  std::printf(
      "us: of a call among calls back to back; single: of one on an idle stream, from its first work to its last.\n"
      "share: of the bandwidth of cuBLAS's routine, back to back.\n"
      "%-8s %10s %-15s %-9s %10s %10s %7s %7s  %s\n",
      "", "n", "data", "mode", "us", "single us", "GB/s", "share", "target");
  Report report(csv);
  for (const Routine& routine : routines) {
    const std::vector<std::string>& names = selection.routines;
    if (!names.empty() && std::find(names.begin(), names.end(), routine.name) == names.end()) continue;
    routine.single ? measure_routine<float>(routine, selection, report)
                   : measure_routine<double>(routine, selection, report);
  }
  report.print_sum();
  return report.all_met();
}

}  // namespace gpu_bench
