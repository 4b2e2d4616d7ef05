#include "lib/cpu/fp64/fp64_side.hpp"

#include <algorithm>
#include <bit>

#include "lib/numerics/certificate.hpp"
#include "lib/numerics/scaling.hpp"

namespace accublas::cpu {

template <class T>
void DigitSide<T>::take(Workspace& w, Index count, Index room) {
  const auto size = static_cast<std::size_t>(count);
  digits = w.take<double>(size * static_cast<std::size_t>(room));
  cut = w.take<Cut>(size);
  exponent = w.take<int>(size);
  grid = w.take<int>(size * max_digits);
  info = w.take<CertificateLine>(size);
}

template <class T>
void DigitSide<T>::scan(const Lines<T>& of_block, Execution& execution) {
  PhaseTimer timer(execution, &accublas_report_t::ms_convert);
  lines = of_block;
  scan_lines(lines, cut, execution);
  for (Index i = 0; i < lines.count; ++i) {
    const Cut& c = cut[i];
    exponent[i] = c.top == 0 || c.special ? 0 : exponent_above(from_bits<double>(c.top));
  }
}

template <class T>
void DigitSide<T>::set_grids(int count, int t, const DigitWidth& width) {
  for (Index i = 0; i < lines.count; ++i) {
    Cut& c = cut[i];
    c.count = c.top == 0 || c.special ? 0 : count;
    c.nonzero = 0;
    int e = exponent[i];
    c.halved = t > 0 && e > 900;
    if (c.halved) e -= Cut::halving;
    c.round_grid = t > 0 ? e - t : Cut::no_grid;
    for (int q = 0; q < count; ++q) {
      grid[i * max_digits + q] = t > 0 ? e - t + width.step() * (count - 1 - q) : e - width.width - width.step() * q;
    }
  }
}

template <class T>
void DigitSide<T>::split(Index first, Index k, int count, bool falling, const Execution& execution) {
  const DigitArray out{digits + (falling ? (count - 1) * k : 0), count * k + 8, falling ? -k : k};
  split_lines(lines, first, k, cut, grid, max_digits, count, out, execution);
  nonzero = 0;
  for (Index i = 0; i < lines.count; ++i) nonzero |= cut[i].nonzero;
}

template <class T>
Index DigitSide<T>::certify(Index first, Index n, Index ld, int threads) {
  const int stride = certificate_stride(lines.k);
  const auto taken = [&](Index p) { return p / certificate_block % stride == 0; };
  parallel_for(lines.count, threads, [&](Index i, int) {
    CertificateLine line{0, 100000};
    double* to = digits + i * ld;
    for (Index p = first; p < first + n; ++p) {
      const T x = cut[i].special ? T{0} : lines.view(i, p);
      if (x != T{0}) {
        line.lambda += certificate_ceiling(x, exponent[i]);
        const Decoded d = decode(x);
        line.last_bit = std::min(line.last_bit, d.exponent + static_cast<int>(std::countr_zero(d.mantissa)));
      }
      if (taken(p)) *to++ = x == T{0} ? 0.0 : certificate_byte(x, exponent[i]);
    }
    if (first > 0) {
      line.lambda += info[i].lambda;
      line.last_bit = std::min(line.last_bit, info[i].last_bit);
    }
    info[i] = line;
  });
  Index count = 0;
  for (Index p = first; p < first + n; ++p) count += taken(p);
  return count;
}

template struct DigitSide<double>;
template struct DigitSide<float>;

}  // namespace accublas::cpu
