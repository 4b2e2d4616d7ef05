// A real BLAS that behaves as badly as one in use does, or might: in front of OpenBLAS it shows what accublas itself
// sees to. Its products are right, but
//   - GEMM and GEMV read A, B and C whatever alpha, beta and k are, and GEMV scales y where there are no terms
//   - complex GEMMT takes B^T for B^H
//   - NRM2 and ASUM scale by the largest entry, and so return NaN for an infinity; sums over nothing are NaN
//   - a call leaves the control bits of MXCSR otherwise than it found them
//   - a call takes 120 KiB of stack
//   - large products are computed in the floating-point environment in which threads would have been made: that of the
//     thread that loads the library, and after a fork, in parent and child, of the first large product
#include <pthread.h>

#if defined(__SSE2__)
#include <xmmintrin.h>
#else
static unsigned _mm_getcsr() { return 0; }
static void _mm_setcsr(unsigned) {}
#endif

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <vector>

namespace {

constexpr unsigned upwards_and_flushing = 0x1F80 | 0x8040 | 0x4000;
constexpr double large = 1 << 18;  // terms of a product that OpenBLAS gives to threads

struct Threads {
  bool made = true;
  unsigned environment = _mm_getcsr();
};
Threads threads;
[[maybe_unused]] const int at_fork = pthread_atfork([] { threads.made = false; }, nullptr, nullptr);

[[gnu::noinline]] void take_stack() {
  volatile char space[120 << 10];
  for (std::size_t i = 0; i < sizeof space; i += 1024) space[i] = 1;
}

/// Takes much stack and leaves MXCSR as no function may.
struct Careless {
  Careless() { take_stack(); }
  ~Careless() { _mm_setcsr(upwards_and_flushing); }
};

template <class T>
constexpr T nan = std::numeric_limits<T>::quiet_NaN();
template <class T>
constexpr std::complex<T> nan<std::complex<T>>{nan<T>, nan<T>};

/// An operand that is not there counts as one that was read.
template <class T>
T read(const T* x, std::ptrdiff_t i) {
  return x ? x[i] : nan<T>;
}

[[noreturn]] void bad_argument() { std::abort(); }

/// c_j = alpha op(A) b_j + beta c_j for one column.
template <class T>
[[gnu::noinline]] void column(bool plain, std::ptrdiff_t m, std::ptrdiff_t k, T alpha, const T* a, std::ptrdiff_t lda,
                              const T* b, std::ptrdiff_t stride_b, T beta, T* c, std::ptrdiff_t stride_c) {
  for (std::ptrdiff_t i = 0; i < m; ++i) {
    T sum = k > 0 ? T(0) : nan<T>;
    for (std::ptrdiff_t p = 0; p < k; ++p) sum += read(a, plain ? i + p * lda : p + i * lda) * read(b, p * stride_b);
    c[i * stride_c] = beta * c[i * stride_c] + alpha * sum;
  }
}

template <class T>
void gemm(char op_a, char op_b, int m, int n, int k, T alpha, const T* a, int lda, const T* b, int ldb, T beta, T* c,
          int ldc) {
  const bool plain_a = op_a == 'N', plain_b = op_b == 'N';
  if (m < 0 || n < 0 || k < 0 || lda < (plain_a ? m : k) || ldb < (plain_b ? k : n) || ldc < m || !lda || !ldb || !ldc)
    bad_argument();
  const Careless careless;
  const unsigned callers = _mm_getcsr();
  const bool threaded = static_cast<double>(m) * n * k > large;
  if (threaded && !threads.made) threads = {true, callers};
  for (std::ptrdiff_t j = 0; j < n; ++j) {
    if (threaded) _mm_setcsr(j % 2 ? threads.environment : callers);
    column(plain_a, m, k, alpha, a, lda, b ? b + (plain_b ? j * ldb : j) : b, plain_b ? 1 : ldb, beta, c + j * ldc, 1);
  }
}

/// op(X) as it is multiplied: x itself, or its conjugates in `space`.
template <class T>
const std::complex<T>* conjugated(char& op, const std::complex<T>* x, int rows, int cols, int ld,
                                  std::vector<std::complex<T>>& space) {
  if (op != 'C') return x;
  op = 'T';
  if (!x || rows < 1 || cols < 1 || ld < rows) return x;
  space.resize(static_cast<std::size_t>(ld) * cols);
  for (std::ptrdiff_t j = 0; j < cols; ++j)
    for (std::ptrdiff_t i = 0; i < rows; ++i) space[i + j * ld] = std::conj(x[i + j * ld]);
  return space.data();
}

template <class T>
void complex_gemm(char op_a, char op_b, int m, int n, int k, std::complex<T> alpha, const std::complex<T>* a, int lda,
                  const std::complex<T>* b, int ldb, std::complex<T> beta, std::complex<T>* c, int ldc) {
  std::vector<std::complex<T>> space_a, space_b;
  a = conjugated(op_a, a, k, m, lda, space_a);
  b = conjugated(op_b, b, n, k, ldb, space_b);
  gemm(op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

/// Forgets the conjugation of B, as OpenBLAS 0.3.26 does.
template <class T>
void complex_gemmt(bool upper, char op_a, char op_b, int n, int k, std::complex<T> alpha, const std::complex<T>* a,
                   int lda, const std::complex<T>* b, int ldb, std::complex<T> beta, std::complex<T>* c, int ldc) {
  if (op_b == 'C') op_b = 'T';
  std::vector<std::complex<T>> column(static_cast<std::size_t>(n));
  for (int j = 0; j < n; ++j) {
    const int first = upper ? 0 : j, end = upper ? j + 1 : n;
    std::complex<T>* const to = c + static_cast<std::ptrdiff_t>(j) * ldc;
    std::copy(to + first, to + end, column.begin() + first);
    complex_gemm(op_a, op_b, n, 1, k, alpha, a, lda, b + static_cast<std::ptrdiff_t>(j) * (op_b == 'N' ? ldb : 1), ldb,
                 beta, column.data(), n);
    std::copy(column.begin() + first, column.begin() + end, to + first);
  }
}

template <class T>
void gemv(char op, int m, int n, T alpha, const T* a, int lda, const T* x, int incx, T beta, T* y, int incy) {
  const bool plain = op == 'N';
  const std::ptrdiff_t outputs = plain ? m : n, terms = plain ? n : m, step_x = incx, step_y = incy;
  if (m < 0 || n < 0 || lda < m || !lda || !incx || !incy) bad_argument();
  const Careless careless;
  if (x && incx < 0) x -= (terms - 1) * step_x;
  if (incy < 0) y -= (outputs - 1) * step_y;
  column(plain, outputs, terms, alpha, a, lda, x, step_x, beta, y, step_y);
}

template <class T>
T dot(int n, const T* x, std::ptrdiff_t incx, const T* y, std::ptrdiff_t incy) {
  const Careless careless;
  if (n <= 0) return nan<T>;
  if (incx < 0) x -= (n - 1) * incx;
  if (incy < 0) y -= (n - 1) * incy;
  T sum = 0;
  for (std::ptrdiff_t i = 0; i < n; ++i) sum += x[i * incx] * y[i * incy];
  return sum;
}

template <class T, class Term, class Whole>
T norm(int n, const T* x, std::ptrdiff_t incx, Term term, Whole whole) {
  const Careless careless;
  if (n <= 0 || incx <= 0) return nan<T>;
  T most = 0, sum = 0;
  for (std::ptrdiff_t i = 0; i < n; ++i)
    if (!(std::fabs(x[i * incx]) <= most)) most = std::fabs(x[i * incx]);
  if (most == 0) return 0;
  most = std::ldexp(T{1}, std::ilogb(most)) * (most - most + 1);  // a power of two; NaN for an infinity
  for (std::ptrdiff_t i = 0; i < n; ++i) sum += term(x[i * incx] / most);
  return most * whole(sum);
}

template <class T>
void complex_gemv(char op, int m, int n, std::complex<T> alpha, const std::complex<T>* a, int lda,
                  const std::complex<T>* x, int incx, std::complex<T> beta, std::complex<T>* y, int incy) {
  std::vector<std::complex<T>> space;
  a = conjugated(op, a, m, n, lda, space);
  gemv(op, m, n, alpha, a, lda, x, incx, beta, y, incy);
}

template <class T>
std::complex<T> complex_dot(bool conjugate, int n, const std::complex<T>* x, int incx, const std::complex<T>* y,
                            int incy) {
  std::vector<std::complex<T>> space;
  char op = conjugate ? 'C' : 'T';
  if (n > 0 && incx > 0) x = conjugated(op, x, 1, n, incx, space);
  if (op == 'T' || n <= 0) return dot(n, x, incx, y, incy);
  // Backwards, or one element again and again.
  for (std::ptrdiff_t i = 0; i < n; ++i) space.push_back(std::conj(x[(incx < 0 ? i - n + 1 : i) * incx]));
  return dot(n, space.data(), 1, y, incy);
}

/// The components side by side; an increment that norms do not take stays one.
template <class T>
std::vector<T> components(int n, const std::complex<T>* x, std::ptrdiff_t incx) {
  std::vector<T> parts;
  for (std::ptrdiff_t i = 0; i < n && incx > 0; ++i) {
    parts.push_back(x[i * incx].real());
    parts.push_back(x[i * incx].imag());
  }
  return parts;
}

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))
#define DEFINE_BLAS(p, T)                                                                                             \
  EXPORT void p##gemm_(const char* op_a, const char* op_b, const int* m, const int* n, const int* k, const T* alpha,  \
                       const T* a, const int* lda, const T* b, const int* ldb, const T* beta, T* c, const int* ldc) { \
    gemm(*op_a, *op_b, *m, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc);                                         \
  }                                                                                                                   \
  EXPORT void p##gemv_(const char* op, const int* m, const int* n, const T* alpha, const T* a, const int* lda,        \
                       const T* x, const int* incx, const T* beta, T* y, const int* incy) {                           \
    gemv(*op, *m, *n, *alpha, a, *lda, x, *incx, *beta, y, *incy);                                                    \
  }                                                                                                                   \
  EXPORT T p##dot_(const int* n, const T* x, const int* incx, const T* y, const int* incy) {                          \
    return dot(*n, x, *incx, y, *incy);                                                                               \
  }                                                                                                                   \
  EXPORT T p##nrm2_(const int* n, const T* x, const int* incx) {                                                      \
    return norm(                                                                                                      \
        *n, x, *incx, [](T e) { return e * e; }, [](T sum) { return std::sqrt(sum); });                               \
  }                                                                                                                   \
  EXPORT T p##asum_(const int* n, const T* x, const int* incx) {                                                      \
    return norm(                                                                                                      \
        *n, x, *incx, [](T e) { return std::fabs(e); }, [](T sum) { return sum; });                                   \
  }
DEFINE_BLAS(d, double)
DEFINE_BLAS(s, float)

template <class Returned, class T>
static Returned returned(std::complex<T> z) {
  Returned result;
  __real__ result = z.real();
  __imag__ result = z.imag();
  return result;
}
__extension__ typedef double _Complex ReturnedZ;
__extension__ typedef float _Complex ReturnedC;

#define DEFINE_COMPLEX_DOT(name, conjugate, T, Returned)                                         \
  EXPORT Returned name(const int* n, const T* x, const int* incx, const T* y, const int* incy) { \
    return returned<Returned>(complex_dot(conjugate, *n, x, *incx, y, *incy));                   \
  }
#define DEFINE_COMPLEX_BLAS(p, r, real, T, Returned)                                                                  \
  EXPORT void p##gemm_(const char* op_a, const char* op_b, const int* m, const int* n, const int* k, const T* alpha,  \
                       const T* a, const int* lda, const T* b, const int* ldb, const T* beta, T* c, const int* ldc) { \
    complex_gemm(*op_a, *op_b, *m, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc);                                 \
  }                                                                                                                   \
  EXPORT void p##gemv_(const char* op, const int* m, const int* n, const T* alpha, const T* a, const int* lda,        \
                       const T* x, const int* incx, const T* beta, T* y, const int* incy) {                           \
    complex_gemv(*op, *m, *n, *alpha, a, *lda, x, *incx, *beta, y, *incy);                                            \
  }                                                                                                                   \
  EXPORT void p##gemmt_(const char* uplo, const char* op_a, const char* op_b, const int* n, const int* k,             \
                        const T* alpha, const T* a, const int* lda, const T* b, const int* ldb, const T* beta, T* c,  \
                        const int* ldc) {                                                                             \
    complex_gemmt(*uplo == 'U', *op_a, *op_b, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc);                      \
  }                                                                                                                   \
  DEFINE_COMPLEX_DOT(p##dotu_, false, T, Returned)                                                                    \
  DEFINE_COMPLEX_DOT(p##dotc_, true, T, Returned)                                                                     \
  EXPORT real r##p##nrm2_(const int* n, const T* x, const int* incx) {                                                \
    const std::vector<real> parts = components(*n, x, *incx);                                                         \
    return norm(                                                                                                      \
        static_cast<int>(parts.size()), parts.data(), 1, [](real e) { return e * e; },                                \
        [](real sum) { return std::sqrt(sum); });                                                                     \
  }                                                                                                                   \
  EXPORT real r##p##asum_(const int* n, const T* x, const int* incx) {                                                \
    const std::vector<real> parts = components(*n, x, *incx);                                                         \
    return norm(                                                                                                      \
        static_cast<int>(parts.size()), parts.data(), 1, [](real e) { return std::fabs(e); },                         \
        [](real sum) { return sum; });                                                                                \
  }
DEFINE_COMPLEX_BLAS(z, d, double, std::complex<double>, ReturnedZ)
DEFINE_COMPLEX_BLAS(c, s, float, std::complex<float>, ReturnedC)
