#include "perf/bench/data.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "perf/matrices/matrices.hpp"

namespace bench {
namespace {

using Index = std::int64_t;
using Random = std::mt19937_64;

double uniform(Random& random) { return std::uniform_real_distribution<double>(-1, 1)(random); }
int integer(Random& random, int from, int to) { return std::uniform_int_distribution<int>(from, to)(random); }

/// Inner products of condition 2 sum abs(a b) / abs(sum a b) near 1e16 (s: 1e7), after Ogita, Rump, Oishi's GenDot: the
/// first half of the terms is random over 27 binary exponents (s: 12) a factor; each later entry of A brings the sum so
/// far down to a random number of the next smaller size. The running sums are kept in twice the precision.
template <class T>
void fill_cancelling(Inputs<T>& in, Random& random) {
  constexpr int range = sizeof(T) == 8 ? 27 : 12;
  constexpr double condition = sizeof(T) == 8 ? 1e16 : 1e7;
  for (Index j = 0; j < in.n; ++j)
    for (Index p = 0; p < in.k; ++p)
      in.b[p + j * in.k] =
          static_cast<T>((0.5 + 0.5 * std::abs(uniform(random))) * std::exp2(integer(random, 0, range)));
  std::vector<long double> high(in.m, 0), low(in.m, 0);
  std::vector<double> absolute(in.m, 0);
  const Index half = in.k / 2;
  for (Index p = 0; p < in.k; ++p) {
    const double b = static_cast<double>(in.b[p]);  // cancels against the first column of B
    const double done = static_cast<double>(p - half) / static_cast<double>(std::max<Index>(1, in.k - half - 1));
    const int exponent = integer(random, 0, range);
    for (Index i = 0; i < in.m; ++i) {
      // From the size of a term, 2^range, to that of the result; as many terms again come with the second half's
      // entries.
      const double last = std::log2(2 * absolute[i] / condition),
                   size = p < half ? exponent : range + done * (last - range);
      const double wanted = uniform(random) * std::exp2(size);
      const T a = static_cast<T>(p < half ? wanted : (wanted - static_cast<double>(high[i] + low[i])) / b);
      in.a[i + p * in.m] = a;
      const long double product = static_cast<long double>(a) * b;
      const long double error = std::fma(static_cast<long double>(a), static_cast<long double>(b), -product);
      const long double sum = high[i] + product, rest = sum - high[i];
      low[i] += (high[i] - (sum - rest)) + (product - rest) + error;
      high[i] = sum;
      absolute[i] += std::abs(static_cast<double>(product));
    }
  }
}

}  // namespace

void check_kind(const std::string& kind) {
  if (kind != "cond") matrices::named(kind);
}

std::string known_kinds() { return "cond, " + matrices::known_names(); }

template <class T>
Inputs<T> make_inputs(const std::string& kind, bool complex, Index m, Index n, Index k) {
  const Index parts = complex ? 2 : 1;
  if (kind == "cond") {
    Inputs<T> in{parts * m, parts * n, k, std::vector<T>(parts * m * k), std::vector<T>(parts * k * n)};
    Random random(20261120);
    fill_cancelling(in, random);
    in.m = m;
    in.n = n;
    return in;
  }
  const matrices::Matrix matrix = matrices::named(kind);
  if (matrix.file) m = n = k = matrix.file->rows;
  Inputs<T> in{m, n, k, std::vector<T>(parts * m * k), std::vector<T>(parts * k * n)};
  matrices::fill(matrix, matrices::Side::a, complex, in.a.data(), m, k);
  matrices::fill(matrix, matrices::Side::b, complex, in.b.data(), k, n);
  return in;
}

template Inputs<double> make_inputs(const std::string&, bool, Index, Index, Index);
template Inputs<float> make_inputs(const std::string&, bool, Index, Index, Index);

}  // namespace bench
