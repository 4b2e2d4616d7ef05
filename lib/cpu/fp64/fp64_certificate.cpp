// The certificate's sums and factors (docs/modes.md, dp) for lines of the fp64 engine.
#include <algorithm>
#include <bit>

#include "lib/cpu/fp64/fp64_levels.hpp"

namespace accublas::cpu {

template <class T>
Index certificate_lines(const Lines<T>& lines, const Cut* cut, const int* exponent, Index first, Index n,
                        CertificateLine* info, double* factor, Index ld, int threads) {
  const int stride = certificate_stride(lines.k);
  const auto taken = [&](Index p) { return p / certificate_block % stride == 0; };
  parallel_for(lines.count, threads, [&](Index i, int) {
    CertificateLine line{0, 100000};
    double* to = factor + i * ld;
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

template Index certificate_lines(const Lines<double>&, const Cut*, const int*, Index, Index, CertificateLine*, double*,
                                 Index, int);
template Index certificate_lines(const Lines<float>&, const Cut*, const int*, Index, Index, CertificateLine*, double*,
                                 Index, int);

}  // namespace accublas::cpu
