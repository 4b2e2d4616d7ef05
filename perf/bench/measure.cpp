#include "perf/bench/measure.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <tuple>

#include "perf/bench/data.hpp"
#include "perf/bench/products.hpp"
#include "perf/bench/shape.hpp"

// The drop-in's names, which this program is linked with.
extern "C" {
double ddot_(const int*, const double*, const int*, const double*, const int*);
void dgemv_(const char*, const int*, const int*, const double*, const double*, const int*, const double*, const int*,
            const double*, double*, const int*);
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*,
            const double*, const int*, const double*, double*, const int*);
}

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Returns the time of this thread's work, which other programs disturb least. If several threads work, it returns that
/// of the clock on the wall.
double now(int threads) {
  if (threads > 1) return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double seconds_of(const std::function<void()>& call, int repetitions, int threads) {
  const double start = now(threads);
  for (int i = 0; i < repetitions; ++i) call();
  return (now(threads) - start) / repetitions;
}

/// OpenBLAS by a handle of its own: this program's BLAS names are the drop-in's.
class OpenBlas {
 public:
  static const OpenBlas& instance() {
    static const OpenBlas blas;
    return blas;
  }
  template <class Function>
  Function* get(const std::string& name) const {
    if (auto* found = reinterpret_cast<Function*>(dlsym(handle_, name.c_str()))) return found;
    throw std::runtime_error("OpenBLAS has no " + name);
  }
  void set_threads(int threads) const { get<void(int)>("openblas_set_num_threads")(threads); }

 private:
  OpenBlas() : handle_(dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL)) {
    if (!handle_) throw std::runtime_error("libopenblas.so.0 cannot be loaded");
  }
  void* handle_;
};

template <class T>
using Dot = T(const int*, const T*, const int*, const T*, const int*);
template <class T>
using Norm = T(const int*, const T*, const int*);
template <class T>
using Gemv = void(const char*, const int*, const int*, const T*, const T*, const int*, const T*, const int*, const T*,
                  T*, const int*);
template <class T>
using Gemm = void(const char*, const char*, const int*, const int*, const int*, const T*, const T*, const int*,
                  const T*, const int*, const T*, T*, const int*);

accublas_status run_dot(accublas_context* c, std::int64_t n, const double* x, const double* y, double* r) {
  return accublas_ddot(c, n, x, 1, y, 1, r);
}
accublas_status run_dot(accublas_context* c, std::int64_t n, const float* x, const float* y, float* r) {
  return accublas_sdot(c, n, x, 1, y, 1, r);
}
accublas_status run_norm(bool root, accublas_context* c, std::int64_t n, const double* x, double* r) {
  return root ? accublas_dnrm2(c, n, x, 1, r) : accublas_dasum(c, n, x, 1, r);
}
accublas_status run_norm(bool root, accublas_context* c, std::int64_t n, const float* x, float* r) {
  return root ? accublas_snrm2(c, n, x, 1, r) : accublas_sasum(c, n, x, 1, r);
}
accublas_status run_gemv(accublas_context* c, accublas_transpose t, std::int64_t m, std::int64_t n, const double* a,
                         const double* x, double* y) {
  const double one = 1, zero = 0;
  return accublas_dgemv(c, ACCUBLAS_COL_MAJOR, t, m, n, &one, a, m, x, 1, &zero, y, 1);
}
accublas_status run_gemv(accublas_context* c, accublas_transpose t, std::int64_t m, std::int64_t n, const float* a,
                         const float* x, float* y) {
  const float one = 1, zero = 0;
  return accublas_sgemv(c, ACCUBLAS_COL_MAJOR, t, m, n, &one, a, m, x, 1, &zero, y, 1);
}
template <class T, class Routine>
accublas_status run_gemm(Routine routine, accublas_context* ctx, const Inputs<T>& in, T* c) {
  const T one = 1, zero = 0;
  return routine(ctx, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, in.m, in.n, in.k, &one, in.a.data(),
                 in.m, in.b.data(), in.k, &zero, c, in.m);
}

/// A case made ready: the same operands for OpenBLAS and for every context.
template <class T>
struct Ready {
  Inputs<T> in;
  std::vector<T> c;
  std::function<void()> openblas;
  std::function<accublas_status(accublas_context*)> accublas;
};

/// The last data made are kept: a case is measured with one number of threads after the other.
template <class T>
const Inputs<T>& inputs(const std::string& kind, bool complex, std::int64_t m, std::int64_t n, std::int64_t k) {
  static std::tuple<std::string, bool, std::int64_t, std::int64_t, std::int64_t> last;
  static Inputs<T> made;
  const std::tuple wanted(kind, complex, m, n, k);
  if (last != wanted) {
    made = make_inputs<T>(kind, complex, m, n, k);
    last = wanted;
  }
  return made;
}

template <class T>
std::unique_ptr<Ready<T>> prepare(const Case& what) {
  const OpenBlas& blas = OpenBlas::instance();
  const std::string name = what.routine.substr(0, what.routine.find(':'));
  const std::int64_t size = what.size;
  auto ready = std::make_unique<Ready<T>>();
  Ready<T>& r = *ready;
  if (name.substr(1) == "dot") {
    r.in = inputs<T>(what.data, false, 1, 1, size);
    r.c.resize(1);
    r.openblas = [&r, dot = blas.get<Dot<T>>(name + "_")] {
      const int n = static_cast<int>(r.in.k), one = 1;
      r.c[0] = dot(&n, r.in.a.data(), &one, r.in.b.data(), &one);
    };
    r.accublas = [&r](accublas_context* ctx) { return run_dot(ctx, r.in.k, r.in.a.data(), r.in.b.data(), r.c.data()); };
  } else if (name.substr(1) == "nrm2" || name.substr(1) == "asum") {
    r.in = inputs<T>(what.data, false, 1, 1, size);
    r.c.resize(1);
    r.openblas = [&r, norm = blas.get<Norm<T>>(name + "_")] {
      const int n = static_cast<int>(r.in.k), one = 1;
      r.c[0] = norm(&n, r.in.a.data(), &one);
    };
    r.accublas = [&r, root = name.substr(1) == "nrm2"](accublas_context* ctx) {
      return run_norm(root, ctx, r.in.k, r.in.a.data(), r.c.data());
    };
  } else if (name.substr(1) == "gemv") {
    const bool transposed = what.routine.back() == 't';
    r.in = inputs<T>(what.data, false, size, 1, size);
    if (transposed) {  // op(A) is the matrix made: store its transpose
      std::vector<T> stored(r.in.a.size());
      for (std::int64_t j = 0; j < r.in.k; ++j)
        for (std::int64_t i = 0; i < r.in.m; ++i) stored[j + i * r.in.k] = r.in.a[i + j * r.in.m];
      r.in.a = std::move(stored);
    }
    r.c.resize(r.in.m);
    r.openblas = [&r, transposed, gemv = blas.get<Gemv<T>>(name + "_")] {
      const int m = static_cast<int>(r.in.m), one_i = 1;
      const T one = 1, zero = 0;
      gemv(transposed ? "T" : "N", &m, &m, &one, r.in.a.data(), &m, r.in.b.data(), &one_i, &zero, r.c.data(), &one_i);
    };
    r.accublas = [&r, transposed](accublas_context* ctx) {
      return run_gemv(ctx, transposed ? ACCUBLAS_TRANS : ACCUBLAS_NO_TRANS, r.in.m, r.in.m, r.in.a.data(),
                      r.in.b.data(), r.c.data());
    };
  } else if (name == "dgemm" || name == "sgemm") {
    const Shape shape = shape_of(what);
    const std::int64_t count = std::max<std::int64_t>(shape.count, 1);
    // The matrices of a batch lie side by side in A, and one below the other in B.
    r.in = inputs<T>(what.data, false, shape.m, shape.n, shape.k * count);
    r.c.resize(shape.m * shape.n * count);
    r.openblas = [&r, shape, count, gemm = blas.get<Gemm<T>>(name + "_")] {
      const int m = static_cast<int>(shape.m), n = static_cast<int>(shape.n), k = static_cast<int>(shape.k),
                ldb = static_cast<int>(r.in.k);
      const T one = 1, zero = 0;
      for (std::int64_t i = 0; i < count; ++i)
        gemm("N", "N", &m, &n, &k, &one, r.in.a.data() + i * m * k, &m, r.in.b.data() + i * k, &ldb, &zero,
             r.c.data() + i * m * n, &m);
    };
    r.accublas = [&r, shape](accublas_context* ctx) {
      if (shape.count > 0) {
        const T one = 1, zero = 0;
        const auto run = [&](auto* batched) {
          return batched(ctx, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, shape.m, shape.n, shape.k, &one,
                         r.in.a.data(), shape.m, shape.m * shape.k, r.in.b.data(), r.in.k, shape.k, &zero, r.c.data(),
                         shape.m, shape.m * shape.n, shape.count);
        };
        if constexpr (sizeof(T) == 8)
          return run(accublas_dgemm_strided_batched);
        else
          return run(accublas_sgemm_strided_batched);
      }
      if constexpr (sizeof(T) == 8)
        return run_gemm<T>(accublas_dgemm, ctx, r.in, r.c.data());
      else
        return run_gemm<T>(accublas_sgemm, ctx, r.in, r.c.data());
    };
  } else {
    const Product product = bench::product(name, [&](const std::string& symbol) { return blas.get<void>(symbol); });
    if (!product.accublas) throw std::runtime_error("unknown routine " + what.routine);
    const bool complex = name[0] == 'z' || name[0] == 'c';
    r.in = inputs<T>(what.data, complex, size, size, size);
    const std::int64_t n = r.in.n;
    r.c.resize((complex ? 2 : 1) * n * n);
    r.openblas = [&r, n, product] { product.openblas(n, r.in.a.data(), r.in.b.data(), r.c.data()); };
    r.accublas = [&r, n, product](accublas_context* ctx) {
      return product.accublas(ctx, n, r.in.a.data(), r.in.b.data(), r.c.data());
    };
  }
  return ready;
}

/// A contender's turn: batches of calls for `turn_seconds` (at least one), of which the fastest counts. With several
/// threads it begins after a pause in which the others' idle workers fall asleep.
constexpr double turn_seconds = 0.05;
constexpr const char* openblas_spins = "22";  // 2^22 ticks of the CPU's clock: 2 ms at 2 GHz
constexpr auto pause = std::chrono::milliseconds(5);

/// Returns how many calls take some 0.1 ms together. The first call is slow, so that it alone does not tell.
int repetitions_for(const std::function<void()>& call, int threads) {
  constexpr int most = 1 << 13;
  int calls = 1;
  while (calls < most && calls * seconds_of(call, calls, threads) < 7e-5) calls *= 2;
  return calls;
}

struct Contender {
  accublas_context* context = nullptr;
  std::function<void()> call;
  std::string error = {};  ///< why there is nothing to measure
  int repetitions = 1;
  double best = std::numeric_limits<double>::infinity();
};

/// A context for a mode and its first call: only here the status is looked at.
template <class T>
Contender contender(const Ready<T>& ready, const std::string& mode, int threads) {
  Contender c;
  if (accublas_create(&c.context) || accublas_set_mode_name(c.context, mode.c_str()) ||
      accublas_set_num_threads(c.context, threads) || ready.accublas(c.context))
    c.error = c.context ? accublas_last_error(c.context) : "no context";
  c.call = [&ready, context = c.context] { ready.accublas(context); };
  return c;
}

/// Returns the measurements of a contender at the end of its life.
Result result_of(const std::string& mode, Contender& c, double openblas_seconds) {
  Result r{mode, c.best, openblas_seconds, {}, c.error};
  r.report.struct_size = sizeof(accublas_report_t);
  accublas_report(c.context, &r.report);
  accublas_destroy(c.context);
  return r;
}

template <class T>
std::vector<Result> measure_type(const Case& what, const std::vector<std::string>& modes, double seconds) {
  OpenBlas::instance().set_threads(what.threads);
  const auto ready = prepare<T>(what);
  std::vector<Contender> contenders = {{nullptr, ready->openblas}};
  double longest = contenders[0].best = seconds_of(ready->openblas, 1, what.threads);
  for (const std::string& mode : modes) {
    const double begin = now(what.threads);
    contenders.push_back(contender(*ready, mode, what.threads));
    contenders.back().best = now(what.threads) - begin;
    longest = std::max(longest, contenders.back().best);
  }
  for (Contender& c : contenders)
    if (c.best < turn_seconds && c.error.empty()) c.repetitions = repetitions_for(c.call, what.threads);

  const auto start = Clock::now();
  const auto has_turns = [&](const Contender& c) { return c.error.empty() && c.best <= 8 * seconds; };
  const int rounds = std::ranges::none_of(contenders, has_turns) ? 0 : longest > seconds ? 1 : 3;
  for (int round = 0; round < rounds || seconds_since(start) < seconds * (rounds > 0); ++round)
    for (Contender& c : contenders) {
      if (!has_turns(c)) continue;
      if (what.threads > 1) std::this_thread::sleep_for(pause);
      const auto turn = Clock::now();
      do {
        c.best = std::min(c.best, seconds_of(c.call, c.repetitions, what.threads));
      } while (seconds_since(turn) < turn_seconds);
    }

  std::vector<Result> results;
  for (std::size_t i = 0; i < modes.size(); ++i)
    results.push_back(result_of(modes[i], contenders[i + 1], contenders[0].best));
  return results;
}

template <class T>
std::vector<Result> report_type(const Case& what, const std::vector<std::string>& modes) {
  const auto ready = prepare<T>(what);
  std::vector<Result> results;
  for (const std::string& mode : modes) {
    Contender c = contender(*ready, mode, what.threads);
    results.push_back(result_of(mode, c, c.best));
  }
  return results;
}

}  // namespace

void let_openblas_sleep() { setenv("OPENBLAS_THREAD_TIMEOUT", openblas_spins, 0); }

namespace {
bool is_single(const Case& what) { return what.routine[0] == 's' || what.routine[0] == 'c'; }
}  // namespace

std::vector<Result> measure(const Case& what, const std::vector<std::string>& modes, double seconds) {
  return is_single(what) ? measure_type<float>(what, modes, seconds) : measure_type<double>(what, modes, seconds);
}

std::vector<Result> report(const Case& what, const std::vector<std::string>& modes) {
  return is_single(what) ? report_type<float>(what, modes) : report_type<double>(what, modes);
}

std::vector<Overhead> measure_dropin_overhead() {
  const OpenBlas& blas = OpenBlas::instance();
  blas.set_threads(1);
  const int n = 8, one = 1, calls = 20000;
  const double alpha = 1.25, beta = 0.5;
  std::vector<double> a(64, 0.5), b(64, 0.25), c(64, 1);
  double sum = 0;
  struct Names {
    Dot<double>* dot;
    Gemv<double>* gemv;
    Gemm<double>* gemm;
  };
  const Names own = {ddot_, dgemv_, dgemm_};
  const Names real = {blas.get<Dot<double>>("ddot_"), blas.get<Gemv<double>>("dgemv_"),
                      blas.get<Gemm<double>>("dgemm_")};
  const auto dot = [&](const Names& f) { sum += f.dot(&n, a.data(), &one, b.data(), &one); };
  const auto gemv = [&](const Names& f) {
    f.gemv("N", &n, &n, &alpha, a.data(), &n, b.data(), &one, &beta, c.data(), &one);
  };
  const auto gemm = [&](const Names& f) {
    f.gemm("N", "N", &n, &n, &n, &alpha, a.data(), &n, b.data(), &n, &beta, c.data(), &n);
  };
  std::vector<Overhead> overheads;
  for (const char* mode : {"native", "dp"}) {
    if (accublas_set_mode_name(nullptr, mode)) throw std::runtime_error(accublas_last_error(nullptr));
    const auto time = [&](const char* name, const auto& routine) {
      constexpr double infinity = std::numeric_limits<double>::infinity();
      Overhead o{name, mode, infinity, infinity};
      for (int round = 0; round < 50; ++round) {
        o.openblas_ns = std::min(o.openblas_ns, 1e9 * seconds_of([&] { routine(real); }, calls, 1));
        o.dropin_ns = std::min(o.dropin_ns, 1e9 * seconds_of([&] { routine(own); }, calls, 1));
      }
      overheads.push_back(o);
    };
    time("ddot", dot);
    time("dgemv", gemv);
    time("dgemm", gemm);
  }
  accublas_set_mode_name(nullptr, nullptr);
  return overheads;
}

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "unknown CPU";
}

std::string blas_name() { return OpenBlas::instance().get<char*()>("openblas_get_config")(); }

std::string slow_blas() {
#ifdef __x86_64__
  // OpenBLAS's names of its kernels for x86-64 before AVX; a CPU that is newer than OpenBLAS itself may get them.
  constexpr std::string_view without_avx[] = {"Prescott",     "Core2",     "Penryn", "Dunnington", "Nehalem", "Athlon",
                                              "Opteron_SSE3", "Barcelona", "Bobcat", "Opteron",    "Atom",    "Nano"};
  const std::string core = OpenBlas::instance().get<char*()>("openblas_get_corename")();
  if (__builtin_cpu_supports("avx2") && std::ranges::find(without_avx, core) != std::end(without_avx))
    return "OpenBLAS runs its " + core +
           " kernels, without AVX, on this CPU (is it older than the CPU?): the ratios are too good. "
           "Set OPENBLAS_CORETYPE=" +
           (__builtin_cpu_supports("avx512f") ? "SkylakeX" : "Haswell");
#endif
  return {};
}

}  // namespace bench
