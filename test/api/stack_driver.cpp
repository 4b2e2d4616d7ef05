// Routines on a caller with little stack, for stack_test.cpp. The first argument is the stack in KiB (0: the main
// thread), which a thread has beside the least that the system gives it; the program's default for threads is as small.
// The others are
//   MODE ENGINE ...       every routine in each of these modes by these engines; each on a thread of its own
//   first MODE ROUTINE    this routine of LAPACK alone, as the first call of the process
//   load MODULE           a module whose constructor makes the first call of the process
//   refused               calls that find no memory for a stack of the library's own
#include <dlfcn.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "../both_types.hpp"
#include "accublas.h"

namespace {

using namespace both_types;

std::vector<double> data(std::int64_t count) {
  std::vector<double> x(static_cast<std::size_t>(count));
  double scale[40];
  for (int i = 0; i < 40; ++i) scale[i] = std::ldexp(1, i - 30);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = (static_cast<double>(i * 2654435761u % 1000003) - 500000) * scale[i % 40];
  return x;
}
const std::vector<double>& doubles() {
  static const std::vector<double> x = data(1 << 20);
  return x;
}
const std::vector<float>& floats() {
  static const std::vector<float> x(doubles().begin(), doubles().end());
  return x;
}
template <class T>
const T* operands() {
  if constexpr (sizeof(T) == sizeof(double))
    return doubles().data();
  else
    return floats().data();
}

[[noreturn]] void fail(const char* what, const char* why) {
  std::printf("%s: %s\n", what, why);
  std::fflush(stdout);
  std::_Exit(1);
}

/// The call must succeed, or its routine lack the mode or the engine, or the BLAS that stands in for OpenBLAS lack it.
void check(accublas_context* context, accublas_status status, const char* what) {
  static const bool stand_in = std::getenv("ACCUBLAS_TEST_BLAS") != nullptr;
  if (status == ACCUBLAS_SUCCESS || status == ACCUBLAS_ERROR_ENGINE || status == ACCUBLAS_ERROR_MODE) return;
  if (stand_in && status == ACCUBLAS_ERROR_NO_BLAS) return;
  fail(what, accublas_last_error(context));
}

template <class T>
void routines(accublas_context* context, T* c) {
  const T *x = operands<T>(), *y = x + 1000, alpha = T(1.25), beta = T(-0.5);
  constexpr auto columns = ACCUBLAS_COL_MAJOR;
  constexpr auto plain = ACCUBLAS_NO_TRANS, transposed = ACCUBLAS_TRANS;
  for (const std::int64_t n : {1, 30, 3000, 400000}) {
    check(context, dot(T{}, context, n, x, 1, y, 1, c), "dot");
    check(context, dot(T{}, context, n, x, 2, y, -2, c), "strided dot");
    check(context, nrm2(T{}, context, n, x, 2, c), "nrm2");
    check(context, asum(T{}, context, n, x, -2, c), "asum");
  }
  for (const std::int64_t n : {1, 9, 500}) {
    check(context, gemv(T{}, context, columns, plain, n, n, &alpha, x, n, y, 1, &beta, c, 1), "gemv N");
    check(context, gemv(T{}, context, columns, transposed, n, n, &alpha, x, n, y, -3, &beta, c, 2), "gemv T");
    check(context, gemv_strided(T{}, context, n, n, &alpha, x, 2, n + 1, y, 1, &beta, c, 1), "gemv strided");
  }
  constexpr std::int64_t sizes[][3] = {{1, 1, 1}, {9, 9, 9}, {130, 20, 140}, {20, 130, 70}};  // m, n, k
  for (const auto& [m, n, k] : sizes) {
    check(context, gemm(T{}, context, columns, plain, plain, m, n, k, &alpha, x, m, y, k, &beta, c, m), "gemm NN");
    check(context, gemm(T{}, context, columns, transposed, plain, m, n, k, &alpha, x, k, y, k, &beta, c, m), "gemm TN");
    check(context, gemm_strided(T{}, context, m, n, k, &alpha, x, 2, 2 * m, y, 2, 3 * k, &beta, c, 2, 2 * m), "gemm s");
  }
  for (const std::int64_t n : {4, 30})
    check(context,
          gemm_strided_batched(T{}, context, columns, plain, transposed, n, n, n, &alpha, x, n, n * n, y, n, n * n,
                               &beta, c, n, n * n, 60),
          "batch");
}

/// Complex products, and those of level 3 with the most of their own; of TRSM special values too, as its unknowns grow.
void structured(accublas_context* context, double* c) {
  const double *x = operands<double>(), *y = x + 1000, alpha[2] = {1.25, -0.5}, one[2] = {1, 0};
  constexpr auto columns = ACCUBLAS_COL_MAJOR;
  constexpr auto plain = ACCUBLAS_NO_TRANS;
  for (const std::int64_t n : {1, 9, 34}) {
    for (const double* factor : {one, alpha})
      check(context,
            accublas_zgemm(context, columns, plain, ACCUBLAS_CONJ_TRANS, n, n, n, factor, x, n, y, n, one, c, n),
            "zgemm");
    check(context, accublas_zgemv(context, columns, plain, n, n, alpha, x, n, y, 2, one, c, 1), "zgemv");
    check(context, accublas_zher2k(context, columns, ACCUBLAS_UPPER, plain, n, n, alpha, x, n, y, n, one, c, n),
          "her2k");
    check(
        context,
        accublas_dtrmm(context, columns, ACCUBLAS_LEFT, ACCUBLAS_UPPER, plain, ACCUBLAS_UNIT, n, n, alpha, x, n, c, n),
        "trmm");
    check(context,
          accublas_dtrsm(context, columns, ACCUBLAS_RIGHT, ACCUBLAS_LOWER, plain, ACCUBLAS_NON_UNIT, n, n, alpha, x, n,
                         c, n),
          "dtrsm");
    check(context,
          accublas_ztrsm(context, columns, ACCUBLAS_LEFT, ACCUBLAS_UPPER, plain, ACCUBLAS_NON_UNIT, n, n, alpha, x, n,
                         c, n),
          "ztrsm");
    check(context, accublas_zhemv(context, columns, ACCUBLAS_LOWER, n, alpha, x, n, y, -1, one, c, 2), "zhemv");
    check(context, accublas_ztrmv(context, columns, ACCUBLAS_UPPER, plain, ACCUBLAS_UNIT, n, x, n, c, 1), "ztrmv");
    check(context, accublas_dtrsv(context, columns, ACCUBLAS_UPPER, plain, ACCUBLAS_UNIT, n, x, n, c, -2), "dtrsv");
    check(context, accublas_zher2(context, columns, ACCUBLAS_UPPER, n, alpha, x, 1, y, 1, c, n), "zher2");
    check(context, accublas_dger(context, columns, n, n, alpha, x, 1, y, 1, c, n), "dger");
  }
}

/// LAPACK's routines; a regular matrix of order n lies in `a`.
void lapack(accublas_context* context, const char* routine, std::int64_t n) {
  static std::vector<double> a, b, tau;
  static std::vector<std::int64_t> ipiv;
  a.assign(static_cast<std::size_t>(n * n), 0.001);
  for (std::int64_t i = 0; i < n; ++i) a[static_cast<std::size_t>(i * (n + 1))] = 2;
  b.assign(static_cast<std::size_t>(3 * n), 1);
  tau.resize(static_cast<std::size_t>(n));
  ipiv.resize(static_cast<std::size_t>(n));
  const double one = 1;
  std::int64_t info = 0;
  constexpr auto columns = ACCUBLAS_COL_MAJOR;
  const std::string which = routine;
  accublas_status status = ACCUBLAS_ERROR_MODE;
  if (which == "getrf") status = accublas_dgetrf(context, columns, n, n, a.data(), n, ipiv.data(), &info);
  if (which == "gesv") status = accublas_dgesv(context, columns, n, 1, a.data(), n, ipiv.data(), b.data(), n, &info);
  if (which == "potrf") status = accublas_dpotrf(context, columns, ACCUBLAS_UPPER, n, a.data(), n, &info);
  if (which == "geqrf") status = accublas_dgeqrf(context, columns, n, n, a.data(), n, tau.data());
  if (which == "gels")
    status = accublas_dgels(context, columns, ACCUBLAS_NO_TRANS, n, n, 1, a.data(), n, b.data(), n, &info);
  if (which == "trsm")
    status = accublas_dtrsm(context, columns, ACCUBLAS_LEFT, ACCUBLAS_UPPER, ACCUBLAS_NO_TRANS, ACCUBLAS_NON_UNIT, n, 1,
                            &one, a.data(), n, b.data(), n);
  if (which == "gesv_certified")
    status = accublas_dgesv_certified(context, columns, n, 1, a.data(), n, b.data(), n, b.data() + n, n,
                                      b.data() + 2 * n, n, nullptr);
  check(context, status, routine);
}

void arrays(accublas_context* context) {
  constexpr std::int64_t n = 40;
  for (const int precision : {64, 212, 1696, 8192}) {
    accublas_mp_array *a = nullptr, *x = nullptr, *y = nullptr;
    check(context, accublas_mp_create(context, precision, n * n, &a), "create");
    check(context, accublas_mp_create(context, precision, n, &x), "create");
    check(context, accublas_mp_create(context, precision, n, &y), "create");
    check(context, accublas_mp_set_double(context, a, 0, n, n, n, doubles().data(), n), "set");
    check(context, accublas_mp_set_double(context, x, 0, n, n, 1, doubles().data(), n), "set");
    for (int aligned = 0; aligned < 2; ++aligned)
      for (const auto trans : {ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS}) {
        check(context, accublas_mp_gemv(context, trans, n, n, nullptr, 0, a, 0, n, x, 0, 1, nullptr, 0, y, 0, 1),
              "gemv");
        check(context,
              accublas_mp_gemm(context, trans, trans, n, 1, n, nullptr, 0, a, 0, n, x, 0,
                               trans == ACCUBLAS_TRANS ? 1 : n, a, 1, y, 0, n),
              "gemm");
        check(context, accublas_mp_align(context, a, 0, n, n, n, -1), "align");
      }
    check(context, accublas_mp_dot(context, n, x, 0, 1, x, 0, -1, y, 0), "dot");
    check(context, accublas_mp_axpy(context, n, a, 0, x, 0, 1, y, 0, 1), "axpy");
    check(context, accublas_mp_scal(context, n, a, 1, y, 0, 1), "scal");
    std::vector<double> out(n);
    check(context, accublas_mp_get_double(context, y, 0, n, n, 1, out.data(), n), "get");
    std::vector<char> text(10000);
    for (const int base : {10, 16}) {
      const accublas_status status = accublas_mp_get_string(context, y, 0, base, 0, text.data(), text.size(), nullptr);
      if (status == ACCUBLAS_ERROR_UNAVAILABLE) break;
      check(context, status, "text");
      check(context, accublas_mp_set_string(context, x, 0, text.data(), base), "text");
    }
    accublas_mp_destroy(a);
    accublas_mp_destroy(x);
    accublas_mp_destroy(y);
  }
}

accublas_context* new_context() {
  accublas_context* context = nullptr;
  if (accublas_create(&context) != ACCUBLAS_SUCCESS) fail("create", "no context");
  return context;
}

void every_routine(const char* mode, const char* engine) {
  static std::vector<double> c(1 << 20);
  accublas_context* const context = new_context();
  for (const int threads : {1, 4}) {
    check(context, accublas_set_mode_name(context, mode), "mode");
    check(context, accublas_set_engine_name(context, engine), "engine");
    check(context, accublas_set_num_threads(context, threads), "threads");
    routines<double>(context, c.data());
    routines<float>(context, reinterpret_cast<float*>(c.data()));
    structured(context, c.data());
    for (const char* routine : {"getrf", "gesv", "potrf", "geqrf", "gels", "trsm"})
      for (const std::int64_t n : {2, 120}) lapack(context, routine, n);
    if (std::strcmp(mode, "cr") == 0) arrays(context);
  }
  accublas_destroy(context);
}

void first_call(const char* mode, const char* routine) {
  accublas_context* const context = new_context();
  check(context, accublas_set_mode_name(context, mode), "mode");
  lapack(context, routine, 120);
  accublas_destroy(context);
}

/// While it lives, the process may have 4 MiB more memory than it has, and so no stack of 8 MiB more.
struct LittleMemory {
  rlimit before;

  LittleMemory() {
    unsigned long pages = 0;
    std::FILE* const file = std::fopen("/proc/self/statm", "r");
    if (!file || std::fscanf(file, "%lu", &pages) != 1) fail("statm", "cannot be read");
    std::fclose(file);
    getrlimit(RLIMIT_AS, &before);
    const rlimit little{pages * static_cast<unsigned long>(getpagesize()) + (4ul << 20), before.rlim_max};
    if (setrlimit(RLIMIT_AS, &little) != 0) fail("setrlimit", "refused");
  }
  ~LittleMemory() { setrlimit(RLIMIT_AS, &before); }
};

/// Calls by OpenBLAS, several blocks of them, that read what they overwrite: without memory for a stack they write
/// nothing, or another engine serves the whole of them.
void refused_calls() {
  constexpr std::int64_t n = 90, large = 2000;  // the copies of the large ones take several blocks
  constexpr auto columns = ACCUBLAS_COL_MAJOR;
  constexpr auto plain = ACCUBLAS_NO_TRANS;
  const double *x = operands<double>(), *y = x + 1000, alpha[2] = {1.25, 0}, beta[2] = {-0.5, 0};
  accublas_context* const context = new_context();
  check(context, accublas_set_num_threads(context, 1), "threads");
  check(context, accublas_set_workspace_mib(context, 1), "workspace");
  std::vector<double> a(n * n), tau(n);
  std::int64_t info = 0;
  std::vector<std::int64_t> ipiv(n);
  using Call = std::pair<const char*, std::function<accublas_status(double*)>>;
  const Call calls[] = {
      {"gemm",
       [&](double* c) {
         return accublas_dgemm(context, columns, plain, plain, n, n, n, alpha, x, n, y, n, beta, c, n);
       }},
      {"strided gemm",
       [&](double* c) {
         return gemm_strided(0.0, context, n, 10, large, alpha, x, 2, 2 * n, y, 2, 2 * large, beta, c, 2, 2 * n);
       }},
      {"strided gemv",
       [&](double* c) { return gemv_strided(0.0, context, n, large, alpha, x, 2, 2 * n, y, 1, beta, c, 1); }},
      {"dot", [&](double* c) { return accublas_ddot(context, n, x, 1, y, 1, c); }},
      {"nrm2", [&](double* c) { return accublas_dnrm2(context, n, x, 1, c); }},
      {"zgemm",
       [&](double* c) {
         return accublas_zgemm(context, columns, plain, ACCUBLAS_CONJ_TRANS, n, n, n, alpha, x, n, y, n, beta, c, n);
       }},
      {"syrk",
       [&](double* c) {
         return accublas_dsyrk(context, columns, ACCUBLAS_UPPER, plain, n, n, alpha, x, n, beta, c, n);
       }},
      {"symv",
       [&](double* c) { return accublas_dsymv(context, columns, ACCUBLAS_UPPER, n, alpha, x, n, y, 1, beta, c, 1); }},
      {"ger", [&](double* c) { return accublas_dger(context, columns, n, n, alpha, x, 1, y, 1, c, n); }},
      {"getrf", [&](double* c) { return accublas_dgetrf(context, columns, n, n, c, n, ipiv.data(), &info); }},
      {"ormqr",
       [&](double* c) {
         return accublas_dormqr(context, columns, ACCUBLAS_LEFT, ACCUBLAS_TRANS, n, n, n, a.data(), n, tau.data(), c,
                                n);
       }},
  };
  std::copy(x, x + n * n, a.begin());
  check(context, accublas_set_mode_name(context, "cr"), "mode");
  check(context, accublas_dgeqrf(context, columns, n, n, a.data(), n, tau.data()), "geqrf");
  const std::vector<double> before(y, y + 2 * n * n);
  std::vector<double> c, expected;
  for (const char* mode : {"native", "slices:4", "tf64x3", "dp"}) {
    check(context, accublas_set_mode_name(context, mode), "mode");
    int served = 0, refused = 0;
    for (const auto& [name, call] : calls) {
      expected = c = before;
      accublas_status status;
      {
        const LittleMemory little;
        status = call(c.data());
      }
      if (status == ACCUBLAS_ERROR_MODE) continue;
      if (status == ACCUBLAS_ERROR_MEMORY) {
        ++refused;
        if (c != before) fail(name, "written, and no memory");
        continue;
      }
      check(context, status, name);
      ++served;
      check(context, accublas_set_mode_name(context, "cr"), "mode");
      check(context, call(expected.data()), name);
      check(context, accublas_set_mode_name(context, mode), "mode");
      for (std::size_t i = 0; i < c.size(); ++i)
        if (!(std::fabs(c[i] - expected[i]) <= 1e-6 * (1 + std::fabs(expected[i])))) fail(name, "wrong");
    }
    // OpenBLAS alone serves native, some routines of the next two, and dp has other engines.
    const std::string word = mode;
    if (word == "native" ? served > 0 : word == "dp" ? served == 0 : refused == 0) fail(mode, "is served otherwise");
  }
  for (const char* mode : {"native", "slices:4", "tf64x3", "dp"}) {
    check(context, accublas_set_mode_name(context, mode), "mode");
    for (const auto& [name, call] : calls) check(context, call((c = before).data()), name);
  }
  accublas_destroy(context);
}

/// Runs `body` with so much stack.
void run(std::size_t kib, const std::function<void()>& body) {
  if (kib == 0) return body();
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_t thread;
  const auto start = [](void* given) -> void* {
    (*static_cast<const std::function<void()>*>(given))();
    return nullptr;
  };
  const std::size_t bytes = static_cast<std::size_t>(sysconf(_SC_THREAD_STACK_MIN)) + (kib << 10);
  if (pthread_attr_setstacksize(&small, bytes) != 0 || pthread_setattr_default_np(&small) != 0 ||
      pthread_create(&thread, &small, start, const_cast<std::function<void()>*>(&body)) != 0 ||
      pthread_join(thread, nullptr) != 0)
    fail("thread", "cannot be made");
}

}  // namespace

int main(int argc, char** argv) {
  const auto kib = static_cast<std::size_t>(std::atoi(argv[1]));
  const std::string what = argv[2];
  if (what == "first") {
    run(kib, [&] { first_call(argv[3], argv[4]); });
  } else if (what == "load") {
    alarm(20);  // a deadlock ends
    run(kib, [&] {
      if (!dlopen(argv[3], RTLD_NOW)) fail("load", dlerror());
    });
  } else {
    doubles(), floats();
    if (what == "refused") {
      first_call("dp", "getrf");  // loads OpenBLAS on this thread, which has stack enough
      run(kib, refused_calls);
    } else {
      for (int i = 2; i + 1 < argc; i += 2) {
        std::fprintf(stderr, "%s %s\n", argv[i], argv[i + 1]);
        run(kib, [&] { every_routine(argv[i], argv[i + 1]); });
      }
    }
  }
  std::puts("done");
}
