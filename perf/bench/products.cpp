#include "perf/bench/products.hpp"

#include <cstring>
#include <memory>

#include "perf/matrices/matrices.hpp"

namespace bench {
namespace {

enum class Arguments {
  gemm,
  symm,
  syrk,
  syr2k,
  trmm,
  trsm,
  symv,
  trmv,
  trsv,
  ger,
  syr,
  syr2,
  potrf,
  getrf,
  geqrf,
  syevd
};
constexpr bool is_trsm(Arguments a) { return a == Arguments::trsm || a == Arguments::trsv; }
/// A is where the result is to be.
constexpr bool is_factorization(Arguments a) { return a >= Arguments::potrf; }
/// B, or its first column, is where the result is to be.
constexpr bool is_in_place(Arguments a) { return a == Arguments::trmm || a == Arguments::trmv || is_trsm(a); }
constexpr bool is_vector(Arguments a) { return a == Arguments::trmv || a == Arguments::trsv; }
constexpr accublas_layout columns = ACCUBLAS_COL_MAJOR;
constexpr accublas_transpose plain = ACCUBLAS_NO_TRANS;

/// Factors are 1 and 0, of complex routines too.
template <class T>
struct Call {
  accublas_context* context;
  std::int64_t n;
  const T *a, *b;
  T* c;
  T alpha[2] = {1, 0}, beta[2] = {0, 0};
};

/// Room for the pivots of either library.
std::int64_t* pivots(std::int64_t n) {
  static std::vector<std::int64_t> room;
  if (room.size() < static_cast<std::size_t>(n)) room.resize(static_cast<std::size_t>(n));
  return room.data();
}

/// Room for the reflectors' factors and LAPACK's workspace, as many numbers of 16 bytes.
void* numbers(std::int64_t count) {
  static std::vector<double> room;
  if (room.size() < static_cast<std::size_t>(2 * count)) room.resize(static_cast<std::size_t>(2 * count));
  return room.data();
}

struct Entry {
  const char* name;
  Arguments arguments;
  std::size_t bytes;  ///< of a number
  bool single;
  std::function<accublas_status(accublas_context*, std::int64_t n, const void* a, const void* b, void* c)> run;
};

template <class T, class Run>
Entry entry(const char* name, Arguments arguments, int parts, Run run) {
  return {name, arguments, static_cast<std::size_t>(parts) * sizeof(T), sizeof(T) == sizeof(float),
          [run](accublas_context* context, std::int64_t n, const void* a, const void* b, void* c) {
            return run(Call<T>{context, n, static_cast<const T*>(a), static_cast<const T*>(b), static_cast<T*>(c)});
          }};
}

// clang-format off
#define GEMM(name, T, parts)                                                                                       \
  entry<T>(#name, Arguments::gemm, parts, [](const Call<T>& o) {                                                   \
    return accublas_##name(o.context, columns, plain, plain, o.n, o.n, o.n, o.alpha, o.a, o.n, o.b, o.n, o.beta,   \
                           o.c, o.n);                                                                              \
  })
#define SYMM(name, T, parts)                                                                                       \
  entry<T>(#name, Arguments::symm, parts, [](const Call<T>& o) {                                                   \
    return accublas_##name(o.context, columns, ACCUBLAS_LEFT, ACCUBLAS_UPPER, o.n, o.n, o.alpha, o.a, o.n, o.b,    \
                           o.n, o.beta, o.c, o.n);                                                                 \
  })
#define SYRK(name, T, parts)                                                                                       \
  entry<T>(#name, Arguments::syrk, parts, [](const Call<T>& o) {                                                   \
    return accublas_##name(o.context, columns, ACCUBLAS_UPPER, plain, o.n, o.n, o.alpha, o.a, o.n, o.beta, o.c,    \
                           o.n);                                                                                   \
  })
#define SYR2K(name, T, parts)                                                                                      \
  entry<T>(#name, Arguments::syr2k, parts, [](const Call<T>& o) {                                                  \
    return accublas_##name(o.context, columns, ACCUBLAS_UPPER, plain, o.n, o.n, o.alpha, o.a, o.n, o.b, o.n,       \
                           o.beta, o.c, o.n);                                                                      \
  })
#define TRMM(name, T, parts) TRIANGULAR(name, trmm, T, parts)
#define TRSM(name, T, parts) TRIANGULAR(name, trsm, T, parts)
#define TRIANGULAR(name, kind, T, parts)                                                                           \
  entry<T>(#name, Arguments::kind, parts, [](const Call<T>& o) {                                                   \
    return accublas_##name(o.context, columns, ACCUBLAS_LEFT, ACCUBLAS_UPPER, plain, ACCUBLAS_NON_UNIT, o.n, o.n,  \
                           o.alpha, o.a, o.n, o.c, o.n);                                                           \
  })
#define SYMV(name, T, parts)                                                                                       \
  entry<T>(#name, Arguments::symv, parts, [](const Call<T>& o) {                                                   \
    return accublas_##name(o.context, columns, ACCUBLAS_UPPER, o.n, o.alpha, o.a, o.n, o.b, 1, o.beta, o.c, 1);    \
  })
#define TRMV(name, T, parts) TRIANGLE(name, trmv, T, parts)
#define TRSV(name, T, parts) TRIANGLE(name, trsv, T, parts)
#define TRIANGLE(name, kind, T, parts)                                                                             \
  entry<T>(#name, Arguments::kind, parts, [](const Call<T>& o) {                                                   \
    return accublas_##name(o.context, columns, ACCUBLAS_UPPER, plain, ACCUBLAS_NON_UNIT, o.n, o.a, o.n, o.c, 1);   \
  })
#define GER(name, T, parts)                                                                                        \
  entry<T>(#name, Arguments::ger, parts, [](const Call<T>& o) {                                                    \
    return accublas_##name(o.context, columns, o.n, o.n, o.alpha, o.a, 1, o.b, 1, o.c, o.n);                       \
  })
#define SYR(name, T, parts)                                                                                        \
  entry<T>(#name, Arguments::syr, parts, [](const Call<T>& o) {                                                    \
    return accublas_##name(o.context, columns, ACCUBLAS_UPPER, o.n, o.alpha, o.a, 1, o.c, o.n);                    \
  })
#define SYR2(name, T, parts)                                                                                       \
  entry<T>(#name, Arguments::syr2, parts, [](const Call<T>& o) {                                                   \
    return accublas_##name(o.context, columns, ACCUBLAS_UPPER, o.n, o.alpha, o.a, 1, o.b, 1, o.c, o.n);            \
  })
#define POTRF(name, T, parts)                                                                                      \
  entry<T>(#name, Arguments::potrf, parts, [](const Call<T>& o) {                                                  \
    std::int64_t info = 0;                                                                                         \
    return accublas_##name(o.context, columns, ACCUBLAS_LOWER, o.n, o.c, o.n, &info);                              \
  })
#define GETRF(name, T, parts)                                                                                      \
  entry<T>(#name, Arguments::getrf, parts, [](const Call<T>& o) {                                                  \
    std::int64_t info = 0;                                                                                         \
    return accublas_##name(o.context, columns, o.n, o.n, o.c, o.n, pivots(o.n), &info);                            \
  })
#define GEQRF(name, T, parts)                                                                                      \
  entry<T>(#name, Arguments::geqrf, parts, [](const Call<T>& o) {                                                  \
    return accublas_##name(o.context, columns, o.n, o.n, o.c, o.n, static_cast<T*>(numbers(o.n)));                 \
  })
/// LAPACK's routine for eigenvectors beside the certified one, which has another name; with ":values" the certified one
/// returns no vectors.
#define SYEVD(name, T, certified, job)                                                                             \
  entry<T>(name, Arguments::syevd, 1, [](const Call<T>& o) {                                                       \
    T* const room = static_cast<T*>(numbers(o.n * (o.n + 3)));                                                     \
    return accublas_##certified(o.context, columns, job, ACCUBLAS_UPPER, o.n, o.c, o.n, room,                      \
                                room + o.n, room + 3 * o.n, o.n, room + 2 * o.n, pivots(o.n), nullptr);            \
  })
// clang-format on
#define ALL(KIND, routine) \
  KIND(d##routine, double, 1), KIND(s##routine, float, 1), KIND(z##routine, double, 2), KIND(c##routine, float, 2)
#define REAL(KIND, routine) KIND(d##routine, double, 1), KIND(s##routine, float, 1)
#define COMPLEX(KIND, routine) KIND(z##routine, double, 2), KIND(c##routine, float, 2)

const Entry entries[] = {COMPLEX(GEMM, gemm),
                         ALL(SYMM, symm),
                         COMPLEX(SYMM, hemm),
                         ALL(SYRK, syrk),
                         COMPLEX(SYRK, herk),
                         ALL(SYR2K, syr2k),
                         COMPLEX(SYR2K, her2k),
                         ALL(TRMM, trmm),
                         ALL(TRSM, trsm),
                         REAL(SYMV, symv),
                         COMPLEX(SYMV, hemv),
                         ALL(TRMV, trmv),
                         ALL(TRSV, trsv),
                         REAL(GER, ger),
                         COMPLEX(GER, geru),
                         COMPLEX(GER, gerc),
                         REAL(SYR, syr),
                         COMPLEX(SYR, her),
                         REAL(SYR2, syr2),
                         COMPLEX(SYR2, her2),
                         ALL(POTRF, potrf),
                         ALL(GETRF, getrf),
                         ALL(GEQRF, geqrf),
                         SYEVD("dsyevd", double, dsyev_certified, ACCUBLAS_VECTORS),
                         SYEVD("dsyevd:values", double, dsyev_certified, ACCUBLAS_VALUES),
                         SYEVD("ssyevd", float, ssyev_certified, ACCUBLAS_VECTORS)};

/// By netlib's arguments, all of them addresses.
void call_netlib(const Entry& e, void* function, std::int64_t order, const void* a, const void* b, void* c) {
  using P = const void*;
  static constexpr double ones[2] = {1, 0}, zeros[2] = {0, 0};
  static constexpr float single_ones[2] = {1, 0}, single_zeros[2] = {0, 0};
  const P one = e.single ? static_cast<P>(single_ones) : ones, zero = e.single ? static_cast<P>(single_zeros) : zeros;
  const int n = static_cast<int>(order);
  const int step = 1;
  int info = 0;
  const char* const none = "N";
  switch (e.arguments) {
    case Arguments::gemm:
      return reinterpret_cast<void (*)(P, P, P, P, P, P, P, P, P, P, P, void*, P)>(function)(
          none, none, &n, &n, &n, one, a, &n, b, &n, zero, c, &n);
    case Arguments::symm:
      return reinterpret_cast<void (*)(P, P, P, P, P, P, P, P, P, P, void*, P)>(function)("L", "U", &n, &n, one, a, &n,
                                                                                          b, &n, zero, c, &n);
    case Arguments::syrk:
      return reinterpret_cast<void (*)(P, P, P, P, P, P, P, P, void*, P)>(function)("U", none, &n, &n, one, a, &n, zero,
                                                                                    c, &n);
    case Arguments::syr2k:
      return reinterpret_cast<void (*)(P, P, P, P, P, P, P, P, P, P, void*, P)>(function)("U", none, &n, &n, one, a, &n,
                                                                                          b, &n, zero, c, &n);
    case Arguments::trmm:
    case Arguments::trsm:
      return reinterpret_cast<void (*)(P, P, P, P, P, P, P, P, P, void*, P)>(function)("L", "U", none, none, &n, &n,
                                                                                       one, a, &n, c, &n);
    case Arguments::symv:
      return reinterpret_cast<void (*)(P, P, P, P, P, P, P, P, void*, P)>(function)("U", &n, one, a, &n, b, &step, zero,
                                                                                    c, &step);
    case Arguments::trmv:
    case Arguments::trsv:
      return reinterpret_cast<void (*)(P, P, P, P, P, P, void*, P)>(function)("U", none, none, &n, a, &n, c, &step);
    case Arguments::ger:
      return reinterpret_cast<void (*)(P, P, P, P, P, P, P, void*, P)>(function)(&n, &n, one, a, &step, b, &step, c,
                                                                                 &n);
    case Arguments::syr:
      return reinterpret_cast<void (*)(P, P, P, P, P, void*, P)>(function)("U", &n, one, a, &step, c, &n);
    case Arguments::syr2:
      return reinterpret_cast<void (*)(P, P, P, P, P, P, P, void*, P)>(function)("U", &n, one, a, &step, b, &step, c,
                                                                                 &n);
    case Arguments::potrf:
      return reinterpret_cast<void (*)(P, P, void*, P, int*)>(function)("L", &n, c, &n, &info);
    case Arguments::getrf:
      return reinterpret_cast<void (*)(P, P, void*, P, void*, int*)>(function)(&n, &n, c, &n, pivots(order), &info);
    case Arguments::geqrf: {
      const int length = 64 * n;
      double* const tau = static_cast<double*>(numbers(order + length));
      return reinterpret_cast<void (*)(P, P, void*, P, void*, void*, P, int*)>(function)(&n, &n, c, &n, tau,
                                                                                         tau + 2 * n, &length, &info);
    }
    case Arguments::syevd: {
      const int length = 1 + 6 * n + 2 * n * n, integers = 3 + 5 * n;
      double* const w = static_cast<double*>(numbers(n + length));
      return reinterpret_cast<void (*)(P, P, P, void*, P, void*, void*, P, void*, P, int*)>(function)(
          "V", "U", &n, c, &n, w, w + n, &length, pivots(integers), &integers, &info);
    }
  }
}

/// A of TRSM, TRSV and POTRF, with a dominant diagonal: the unknowns of a random triangle grow beyond all numbers, and
/// a random matrix is not positive definite.
class Dominant {
 public:
  const void* of(const Entry& e, std::int64_t n, const void* a) {
    if (!is_trsm(e.arguments) && e.arguments != Arguments::potrf) return a;
    if (a == from_ && n == n_) return copy_.data();
    const unsigned char* const begin = static_cast<const unsigned char*>(a);
    copy_.assign(begin, begin + static_cast<std::size_t>(n * n) * e.bytes);
    const bool complex = e.bytes == 2 * (e.single ? sizeof(float) : sizeof(double));
    e.single ? matrices::make_dominant(complex, reinterpret_cast<float*>(copy_.data()), n)
             : matrices::make_dominant(complex, reinterpret_cast<double*>(copy_.data()), n);
    from_ = a;
    n_ = n;
    return copy_.data();
  }

 private:
  const void* from_ = nullptr;
  std::int64_t n_ = 0;
  std::vector<unsigned char> copy_;
};

}  // namespace

std::vector<std::string> product_names() {
  std::vector<std::string> names;
  for (const Entry& e : entries) names.push_back(e.name);
  return names;
}

Product product(const std::string& name, const std::function<void*(const std::string&)>& symbol) {
  for (const Entry& e : entries) {
    if (name != e.name) continue;
    const auto begin = [&e](std::int64_t n, const void* a, const void* b, void* c) {
      if (is_factorization(e.arguments)) std::memcpy(c, a, static_cast<std::size_t>(n * n) * e.bytes);
      if (is_in_place(e.arguments))
        std::memcpy(c, b, static_cast<std::size_t>(is_vector(e.arguments) ? n : n * n) * e.bytes);
    };
    void* const function = symbol(name.substr(0, name.find(':')) + "_");
    const auto matrix = std::make_shared<Dominant>();
    return {[&e, begin, function, matrix](std::int64_t n, const void* a, const void* b, void* c) {
              const void* const of_a = matrix->of(e, n, a);
              begin(n, of_a, b, c);
              call_netlib(e, function, n, of_a, b, c);
            },
            [&e, begin, matrix](accublas_context* context, std::int64_t n, const void* a, const void* b, void* c) {
              const void* const of_a = matrix->of(e, n, a);
              begin(n, of_a, b, c);
              return e.run(context, n, of_a, b, c);
            }};
  }
  return {};
}

}  // namespace bench
