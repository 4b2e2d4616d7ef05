// The multiword modes (docs/modes.md). Words of A and of B are separate matrices, which the real BLAS multiplies in the
// routine's type, with one GEMM for each pair of words, the small products first. Products of two words are exact in
// that type: 11 bits times 11 in FP32, 24 times 24 in FP64. alpha S + beta C is then rounded once.
#include "lib/numerics/multiword.hpp"

#include <algorithm>
#include <cstdlib>

#include "lib/base/integers.hpp"
#include "lib/call/accuracy.hpp"
#include "lib/cpu/blas_calls.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/cpu/fp64/fp64_products.hpp"
#include "lib/numerics/multiword_finish.hpp"
#include "lib/numerics/scaling.hpp"

namespace accublas::cpu {
namespace {

/// The lines of a block with their scales, and their words in a chunk of the inner dimension. Word w of entry p of line
/// i is at data[(w count + i) ld + p].
template <class T>
struct WordPanel {
  Lines<T> lines;
  Cut* cut;
  int* scale;
  T* data;
  Index ld;

  const T* word(int w) const { return data + w * lines.count * ld; }
};

/// Finds the scales of the lines, and which lines hold Inf or NaN.
template <class T>
void scale_lines(MultiwordMode mode, const WordPanel<T>& panel, const Execution& execution) {
  scan_lines(panel.lines, panel.cut, execution);
  for (Index i = 0; i < panel.lines.count; ++i) {
    const std::uint64_t top = panel.cut[i].top;
    panel.scale[i] =
        top == 0 || panel.cut[i].special ? 0 : multiword_scale(mode, exponent_above(from_bits<double>(top)));
  }
}

/// Writes the words of entries first .. first + n - 1 of every line; zeros for a line with Inf or NaN.
template <class T>
void form_words(MultiwordMode mode, const WordPanel<T>& panel, Index first, Index n, const Execution& execution) {
  const Matrix<const T> view = panel.lines.view.block(0, first);
  const Index count = panel.lines.count;
  const bool two = mode.words() == 2;
  const auto put = [&](Index i, Index p) {
    const T x = panel.cut[i].special ? T{0} : multiword_scaled(view(i, p), panel.scale[i]);
    const Words<T> words = words_of(mode.format, x);
    panel.data[i * panel.ld + p] = words.first;
    if (two) panel.data[(count + i) * panel.ld + p] = words.second;
  };
  constexpr Index strip = 16;  // lines that are read together if the smaller stride runs across them
  const bool along = std::abs(view.col_stride) <= std::abs(view.row_stride);
  parallel_for(ceil_div(count, strip), execution.threads, [&](Index task, int) {
    const Index i0 = task * strip, i1 = std::min(count, i0 + strip);
    if (along) {
      for (Index i = i0; i < i1; ++i)
        for (Index p = 0; p < n; ++p) put(i, p);
    } else {
      for (Index p = 0; p < n; ++p)
        for (Index i = i0; i < i1; ++i) put(i, p);
    }
  });
}

/// Sets sum to the products of the mode over k terms, or adds them to it if `add`. The small products come first.
template <class T>
void multiply_words(MultiwordMode mode, const WordPanel<T>& a, const WordPanel<T>& b, Index k, bool add, T* sum) {
  const auto multiply = [&](int word_a, int word_b) {
    call_gemm(real_blas(), 'T', 'N', a.lines.count, b.lines.count, k, T{1}, a.word(word_a), a.ld, b.word(word_b), b.ld,
              add ? T{1} : T{0}, sum, a.lines.count);
    add = true;
  };
  if (mode.products == 4) multiply(1, 1);
  if (mode.products >= 3) {
    multiply(0, 1);
    multiply(1, 0);
  }
  multiply(0, 0);
}

/// Returns RN(alpha S 2^-scale + beta c). A sum that overflowed stays Inf or NaN.
template <class T>
T scaled_back(T alpha, T sum, int scale, T beta, const T* c) {
  const T addend = read_addend(beta, c);
  if (!is_finite(sum)) return canonical(beta == 0 ? alpha * sum : alpha * sum + beta * addend);
  return finish_multiword(alpha, sum, scale, beta, addend);
}

template <class T>
void finish_block(const Gemm<T>& g, Index i0, Index j0, const WordPanel<T>& a, const WordPanel<T>& b, const T* sum,
                  Execution& execution) {
  PhaseTimer timer(execution, &accublas_report_t::ms_reconstruct);
  const Index m = a.lines.count;
  for_elements(m, b.lines.count, execution.threads, [&](Index i, Index j) {
    T* const c = &g.c(i0 + i, j0 + j);
    if (a.cut[i].special || b.cut[j].special) {  // words of Inf are NaN: S is the sum of the entries themselves
      *c = exact_element<T>(g.k, g.alpha, g.a.row(i0 + i), g.b.col(j0 + j), g.beta, c);
      return;
    }
    const int scale = a.scale[i] + b.scale[j];
    *c = scaled_back(g.alpha, sum[i + j * m], scale, g.beta, c);
  });
}

}  // namespace

template <class T>
void multiword_gemm(const Gemm<T>& g, const Mode& mode, Execution& execution) {
  const MultiwordMode words = multiword_of(mode.kind);
  real_blas();  // a missing BLAS is reported before C is written
  const BlockSizes size = block_sizes(g.m, g.n, g.k, words.words(), 1, false, execution.workspace.available());
  const auto count = [](Index a, Index b) { return static_cast<std::size_t>(a) * static_cast<std::size_t>(b); };
  Workspace& w = execution.workspace;
  const auto panel = [&](Index lines) {
    const Index ld = size.k + 8;  // avoids powers of two
    return WordPanel<T>{{},
                        w.take<Cut>(count(lines, 1)),
                        w.take<int>(count(lines, 1)),
                        w.take<T>(count(lines * words.words(), ld)),
                        ld};
  };
  WordPanel<T> a = panel(size.m), b = panel(size.n);
  T* const sum = w.take<T>(count(size.m, size.n));
  if (w.rehearses()) return;
  put_bound(execution.report, promised_bound<T>({Operation::gemm, type_of<T>}, mode, g.k, g.alpha));
  execution.report.parts = std::max(execution.report.parts, words.words());

  for (Index i0 = 0; i0 < g.m; i0 += size.m) {
    a.lines = {g.a.block(i0, 0), std::min(size.m, g.m - i0), g.k};
    {
      PhaseTimer timer(execution, &accublas_report_t::ms_convert);
      scale_lines(words, a, execution);
    }
    bool a_is_formed = false;
    for (Index j0 = 0; j0 < g.n; j0 += size.n) {
      b.lines = {g.b.block(0, j0).transposed(), std::min(size.n, g.n - j0), g.k};
      {
        PhaseTimer timer(execution, &accublas_report_t::ms_convert);
        scale_lines(words, b, execution);
      }
      for (Index k0 = 0; k0 < g.k; k0 += size.k) {
        const Index k = std::min(size.k, g.k - k0);
        {
          PhaseTimer timer(execution, &accublas_report_t::ms_convert);
          if (!a_is_formed) form_words(words, a, k0, k, execution);
          a_is_formed = k == g.k;
          form_words(words, b, k0, k, execution);
        }
        PhaseTimer timer(execution, &accublas_report_t::ms_product);
        multiply_words(words, a, b, k, k0 > 0, sum);
      }
      finish_block(g, i0, j0, a, b, sum, execution);
    }
  }
}

template void multiword_gemm(const Gemm<double>&, const Mode&, Execution&);
template void multiword_gemm(const Gemm<float>&, const Mode&, Execution&);

}  // namespace accublas::cpu
