#include "perf/mp/peers.hpp"

#include <gmp.h>
#include <mpfr.h>
#ifdef ACCUBLAS_BENCH_ARB
#include ACCUBLAS_BENCH_ARB
#include ACCUBLAS_BENCH_ARB_MAT
#endif

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include "perf/mp/measure.hpp"

namespace mp_bench {

namespace {

/// Nanoseconds a term of rows(first, last), called for shares of all rows on `threads` threads; the best of
/// `repetitions`.
double best_time(std::int64_t rows, std::int64_t columns, int threads, int repetitions,
                 const std::function<void(std::int64_t, std::int64_t)>& share) {
  double best = 1e300;
  for (int r = 0; r < repetitions; ++r) {
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::thread> others;
    for (int t = 1; t < threads; ++t) others.emplace_back(share, rows * t / threads, rows * (t + 1) / threads);
    share(0, rows / threads);
    for (std::thread& other : others) other.join();
    best = std::min(best, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count());
  }
  return best / static_cast<double>(rows * columns);
}

class MpfrNumbers {
 public:
  MpfrNumbers(const Numbers& from, int bits)
      : count_(static_cast<std::size_t>(from.count)), values_(new mpfr_t[count_]) {
    mpz_t integer;
    mpz_init(integer);
    for (std::size_t t = 0; t < count_; ++t) {
      mpfr_init2(values_[t], bits);
      mpz_import(integer, static_cast<std::size_t>(from.size), -1, 8, 0, 0,
                 from.limbs.data() + t * static_cast<std::size_t>(from.size));
      mpfr_set_z_2exp(values_[t], integer, from.exponents[t], MPFR_RNDN);
      if (from.signs[t]) mpfr_neg(values_[t], values_[t], MPFR_RNDN);
    }
    mpz_clear(integer);
  }
  ~MpfrNumbers() {
    for (std::size_t t = 0; t < count_; ++t) mpfr_clear(values_[t]);
  }
  MpfrNumbers(const MpfrNumbers&) = delete;
  MpfrNumbers& operator=(const MpfrNumbers&) = delete;
  mpfr_ptr operator[](std::int64_t t) const { return values_[t]; }

 private:
  std::size_t count_;
  std::unique_ptr<mpfr_t[]> values_;
};

double time_mpfr(const MpfrNumbers& a, const MpfrNumbers& x, std::int64_t rows, std::int64_t columns, int bits,
                 int threads, int repetitions) {
  return best_time(rows, columns, threads, repetitions, [&](std::int64_t first, std::int64_t last) {
    mpfr_t sum, product;
    mpfr_inits2(bits, sum, product, static_cast<mpfr_ptr>(nullptr));
    for (std::int64_t i = first; i < last; ++i) {
      mpfr_set_zero(sum, 1);
      for (std::int64_t j = 0; j < columns; ++j) {
        mpfr_mul(product, a[i * columns + j], x[j], MPFR_RNDN);
        mpfr_add(sum, sum, product, MPFR_RNDN);
      }
    }
    mpfr_clears(sum, product, static_cast<mpfr_ptr>(nullptr));
  });
}

#ifdef ACCUBLAS_BENCH_ARB
double time_arb(const MpfrNumbers& a, const MpfrNumbers& x, std::int64_t rows, std::int64_t columns, int bits,
                int threads, int repetitions) {
  const auto converted = [](const MpfrNumbers& from, std::int64_t count) {
    arb_ptr out = _arb_vec_init(count);
    for (std::int64_t t = 0; t < count; ++t) arf_set_mpfr(arb_midref(out + t), from[t]);
    return out;
  };
  arb_ptr matrix = converted(a, rows * columns), vector = converted(x, columns);
  const double ns = best_time(rows, columns, threads, repetitions, [&](std::int64_t first, std::int64_t last) {
    arb_t sum;
    arb_init(sum);
    for (std::int64_t i = first; i < last; ++i)
      arb_dot(sum, nullptr, 0, matrix + i * columns, 1, vector, 1, columns, bits);
    arb_clear(sum);
  });
  _arb_vec_clear(matrix, rows * columns);
  _arb_vec_clear(vector, columns);
  return ns;
}
#endif

double time_mpn(const Numbers& a, const Numbers& x, int threads, int repetitions) {
  const std::int64_t columns = x.count, rows = a.count / columns, size = a.size;
  return best_time(rows, columns, threads, repetitions, [&](std::int64_t first, std::int64_t last) {
    std::vector<mp_limb_t> product(static_cast<std::size_t>(2 * size)),
        positive(static_cast<std::size_t>(2 * size + 1)), negative(positive);
    for (std::int64_t i = first; i < last; ++i) {
      std::fill(positive.begin(), positive.end(), 0);
      std::fill(negative.begin(), negative.end(), 0);
      for (std::int64_t j = 0; j < columns; ++j) {
        const std::int64_t t = i * columns + j;
        mpn_mul_n(product.data(), a.limbs.data() + t * size, x.limbs.data() + j * size, size);
        mp_limb_t* sum =
            (a.signs[static_cast<std::size_t>(t)] ^ x.signs[static_cast<std::size_t>(j)] ? negative : positive).data();
        sum[2 * size] += mpn_add_n(sum, sum, product.data(), 2 * size);
      }
    }
  });
}

}  // namespace

std::vector<PeerTime> time_peers(const Numbers& a, const Numbers& x, int bits, bool equal_exponents, int threads,
                                 int repetitions) {
  const std::int64_t columns = x.count, rows = a.count / columns;
  const MpfrNumbers matrix(a, bits), vector(x, bits);
  std::vector<PeerTime> out;
  out.push_back({"mpfr", time_mpfr(matrix, vector, rows, columns, bits, threads, repetitions)});
#ifdef ACCUBLAS_BENCH_ARB
  out.push_back({"arb_dot", time_arb(matrix, vector, rows, columns, bits, threads, repetitions)});
#endif
  if (equal_exponents) out.push_back({"mpn", time_mpn(a, x, threads, repetitions)});
  return out;
}

std::optional<double> time_arb_mat_mul([[maybe_unused]] const Numbers& a, [[maybe_unused]] const Numbers& b,
                                       [[maybe_unused]] std::int64_t n, [[maybe_unused]] int bits,
                                       [[maybe_unused]] int threads, [[maybe_unused]] int repetitions) {
#ifdef ACCUBLAS_BENCH_ARB
  arb_mat_t x, y, z;
  arb_mat_init(x, n, n);
  arb_mat_init(y, n, n);
  arb_mat_init(z, n, n);
  const auto convert = [&](arb_mat_t to, const Numbers& from) {
    const MpfrNumbers numbers(from, bits);
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j) arf_set_mpfr(arb_midref(arb_mat_entry(to, i, j)), numbers[i + j * n]);
  };
  convert(x, a);
  convert(y, b);
  flint_set_num_threads(threads);
  double best = 1e300;
  for (int r = 0; r < repetitions; ++r) best = std::min(best, wall_ms([&] { arb_mat_mul(z, x, y, bits); }));
  arb_mat_clear(x);
  arb_mat_clear(y);
  arb_mat_clear(z);
  return best;
#else
  return std::nullopt;
#endif
}

}  // namespace mp_bench
