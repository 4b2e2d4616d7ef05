#include "perf/bench/data.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>

namespace bench {
namespace {

using Index = std::int64_t;
using Random = std::mt19937_64;

double uniform(Random& random) { return std::uniform_real_distribution<double>(-1, 1)(random); }
int integer(Random& random, int from, int to) { return std::uniform_int_distribution<int>(from, to)(random); }

template <class T>
void fill_phi(std::vector<T>& x, double phi, Random& random) {
  std::normal_distribution<double> normal;
  for (T& entry : x) entry = static_cast<T>(0.5 * uniform(random) * std::exp(phi * normal(random)));
}

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

/// Products of the first entries fill the format and one bit more, 1 * 1 sets that last bit, all others add even
/// numbers.
template <class T>
void fill_ties(Inputs<T>& in, bool graded, Random& random) {
  const double large = sizeof(T) == 8 ? std::exp2(26.6) : std::exp2(12.1);
  const auto even = [&](double from, double to) {
    return 2 * std::floor((from + (to - from) * std::abs(uniform(random))) / 2);
  };
  for (Index p = 0; p < in.k; ++p) {
    const double scale = graded ? std::exp2(integer(random, -40, 40)) : 1;
    for (Index i = 0; i < in.m; ++i)
      in.a[i + p * in.m] = static_cast<T>(scale * (p == 0   ? even(large, 1.15 * large)
                                                   : p == 1 ? 1
                                                            : 2 * integer(random, -2, 2)));
    for (Index j = 0; j < in.n; ++j)
      in.b[p + j * in.k] = static_cast<T>((p == 0   ? even(large, 1.15 * large)
                                           : p == 1 ? 1
                                                    : integer(random, -3, 3)) /
                                          scale);
  }
}

template <class T>
void keep_blocks(Inputs<T>& in, Random& random) {
  constexpr Index blocks = 8;
  const auto block = [](Index i, Index size) { return i * blocks / std::max<Index>(size, 1); };
  double scale_a[blocks], scale_b[blocks];
  for (Index q = 0; q < blocks; ++q) {
    scale_a[q] = std::exp2(integer(random, -40, 40));
    scale_b[q] = std::exp2(integer(random, -40, 40));
  }
  const bool single = sizeof(T) == 4;
  for (Index p = 0; p < in.k; ++p) {
    const Index q = block(p, in.k);
    for (Index i = 0; i < in.m; ++i)
      in.a[i + p * in.m] *= static_cast<T>(block(i, in.m) == q ? (single ? std::sqrt(scale_a[q]) : scale_a[q]) : 0);
    for (Index j = 0; j < in.n; ++j)
      in.b[p + j * in.k] *= static_cast<T>(block(j, in.n) == q ? (single ? std::sqrt(scale_b[q]) : scale_b[q]) : 0);
  }
}

template <class T>
void keep_triangles(Inputs<T>& in) {
  for (Index p = 0; p < in.k; ++p) {
    for (Index i = 0; i < std::min(p, in.m); ++i) in.a[i + p * in.m] = 0;
    for (Index j = 0; j < std::min(p, in.n); ++j) in.b[p + j * in.k] = 0;
  }
}

template <class T>
Inputs<T> read_matrix(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  const auto malformed = [&](const char* what) { throw std::runtime_error(path + ": " + what); };
  if (!std::getline(file, line)) malformed("cannot be read");
  if (line.rfind("%%MatrixMarket matrix coordinate real ", 0) != 0) malformed("is no real coordinate matrix");
  const bool symmetric = line.find("symmetric") != line.npos;
  while (std::getline(file, line) && line[0] == '%') {
  }
  Index rows = 0, columns = 0, count = 0;
  if (!(std::istringstream(line) >> rows >> columns >> count)) malformed("has no line of sizes");
  if (rows != columns) malformed("is not square");
  Inputs<T> in{rows, rows, rows, std::vector<T>(rows * rows), {}};
  for (Index entry = 0; entry < count; ++entry) {
    Index i = 0, j = 0;
    double value = 0;
    if (!(file >> i >> j >> value) || i < 1 || j < 1 || i > rows || j > rows) malformed("has a bad entry");
    in.a[(i - 1) + (j - 1) * rows] = static_cast<T>(value);
    if (symmetric) in.a[(j - 1) + (i - 1) * rows] = static_cast<T>(value);
  }
  in.b = in.a;
  return in;
}

}  // namespace

bool is_file(const std::string& kind) { return kind.size() > 4 && kind.compare(kind.size() - 4, 4, ".mtx") == 0; }

template <class T>
Inputs<T> make_inputs(const std::string& kind, Index m, Index n, Index k) {
  if (is_file(kind)) return read_matrix<T>(kind);
  Inputs<T> in{m, n, k, std::vector<T>(m * k), std::vector<T>(k * n)};
  Random random(20261120);
  if (kind.rfind("phi:", 0) == 0) {
    double phi = 0;
    const auto parsed = std::from_chars(kind.data() + 4, kind.data() + kind.size(), phi);
    if (parsed.ec != std::errc() || parsed.ptr != kind.data() + kind.size() || !std::isfinite(phi))
      throw std::runtime_error("data " + kind + ": phi takes a number");
    fill_phi(in.a, phi, random);
    fill_phi(in.b, phi, random);
  } else if (kind == "cond") {
    fill_cancelling(in, random);
  } else if (kind == "ties" || kind == "ties-graded") {
    fill_ties(in, kind == "ties-graded", random);
  } else if (kind == "block-diagonal" || kind == "triangular") {
    fill_phi(in.a, 1, random);
    fill_phi(in.b, 1, random);
    kind == "triangular" ? keep_triangles(in) : keep_blocks(in, random);
  } else {
    throw std::runtime_error("unknown data " + kind +
                             "; known: phi:X, cond, block-diagonal, triangular, ties, ties-graded, FILE.mtx");
  }
  return in;
}

template Inputs<double> make_inputs(const std::string&, Index, Index, Index);
template Inputs<float> make_inputs(const std::string&, Index, Index, Index);

}  // namespace bench
