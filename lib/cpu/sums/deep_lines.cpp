#include "lib/cpu/sums/deep_lines.hpp"

#include "lib/base/thread_pool.hpp"
#include "lib/cpu/tuning/tuning.hpp"

namespace accublas::cpu {

template <class T>
CrScale DeepSide<T>::scale(Index line, Index lines, int shift) const {
  return scale_of(lines, shift, [&](Index i) { return known[line + i].exponent; });
}

/// Calls body(stored, first, terms, done) for the terms from `first` on, once for each matrix that stores some of them;
/// `done` terms come before.
template <class T>
template <class Body>
void DeepSide<T>::for_storage(Index first, Index terms, Body&& body) const {
  const Index before = std::clamp(from.terms - first, Index{0}, terms);
  if (before > 0) body(from.stored, first, before, Index{0});
  if (before < terms) body(from.second, first + before - from.terms, terms - before, before);
}

template <class T>
void DeepSide<T>::pack(const CrGemmKernel<T>& kernel, Index line, Index lines, Index first, Index terms, double* panel,
                       T* copies) const {
  if (from.copy) {
    // Some terms of all lines are copied at a time, because entries of one term may be adjacent.
    constexpr Index few = 64;
    const Index stride = deep_copy_stride(terms);
    for (Index p = 0; p < terms; p += few)
      from.copy(line, lines, first + p, std::min(few, terms - p), copies + p, stride);
    kernel.pack(terms, lines, copies, stride, 1, panel);
    return;
  }
  for_storage(first, terms, [&](const Matrix<const T>& x, Index at, Index some, Index done) {
    double* const to = panel + done * kernel.lines;
    if (complex)
      kernel.pack_pairs(some / 2, lines, &x(line, at / 2), x.row_stride, x.col_stride, to);
    else
      kernel.pack(some, lines, &x(line, at), x.row_stride, x.col_stride, to);
  });
}

template <class T>
void DeepSide<T>::read(Index line, Index first, Index terms, T* to) const {
  if (from.copy) return from.copy(line, 1, first, terms, to, terms);
  for_storage(first, terms, [&](const Matrix<const T>& x, Index at, Index some, Index done) {
    const T* const entries = &x(line, complex ? at / 2 : at);
    if (x.col_stride == (complex ? 2 : 1)) {
      std::copy_n(entries, some, to + done);
    } else if (complex) {
      for (Index t = 0; t < some; ++t) to[done + t] = entries[t / 2 * x.col_stride + t % 2];
    } else {
      for (Index t = 0; t < some; ++t) to[done + t] = entries[t * x.col_stride];
    }
  });
}

template <class T>
void deep_survey(const DeepSide<T>& side, Isa isa, bool want_lambda, int threads, DeepSegment* segments,
                 unsigned char* memory, Index thread_bytes) {
  const CrGemmKernel<T>& kernel = kernels_for<CrGemmKernel<T>>(isa);
  const CrPanelKernels& panels = kernels_for<CrPanelKernels>(isa);
  const Index unit = kernel.lines, parts = deep_segments(side.k, threads),
              length = round_up(ceil_div(side.k, parts), DeepTuning::survey_terms);
  const auto each_panel = [&](auto&& body) {
    parallel_for(ceil_div(side.count, unit) * parts, threads, [&](Index task, int thread) {
      const Index line = task / parts * unit;
      body(segments[task], line, std::min(unit, side.count - line), task % parts * length, thread);
    });
  };
  const auto each_chunk = [&](Index line, Index lines, Index first, int thread, auto&& body) {
    double* const panel = reinterpret_cast<double*>(memory + thread * thread_bytes);
    for (Index p = first; p < std::min(first + length, side.k); p += DeepTuning::survey_terms) {
      const Index terms = std::min(DeepTuning::survey_terms, side.k - p);
      side.pack(kernel, line, lines, p, terms, panel, reinterpret_cast<T*>(panel + unit * DeepTuning::survey_terms));
      body(terms, panel);
    }
  };
  const auto exponent = [](double largest) { return is_finite(largest) && largest != 0 ? exponent_above(largest) : 0; };
  const auto add_ceilings = [&](DeepSegment& s, Index lines, Index terms, const double* panel, const CrScale& scale) {
    double sums[CrScale::most_lines] = {};
    panels.ceilings(terms, lines, panel, scale, sums);
    for (Index i = 0; i < lines; ++i) s.lambda[i] += is_finite(sums[i]) ? static_cast<std::int64_t>(sums[i]) : 0;
  };
  // The exponents are known only after the last term. The first pass uses those of a segment's first terms, which are
  // right in most cases.
  each_panel([&](DeepSegment& s, Index line, Index lines, Index first, int thread) {
    for (Index i = 0; i < unit; ++i) s.largest[i] = 0, s.last_bit[i] = 0x1p1023, s.lambda[i] = 0, s.exponent[i] = 0;
    bool begun = false, stale = !want_lambda;
    CrScale scale{};
    each_chunk(line, lines, first, thread, [&](Index terms, const double* panel) {
      panels.survey(terms, lines, panel, s.largest, s.last_bit);
      if (stale) return;
      for (Index i = 0; i < lines; ++i) {
        if (!begun) s.exponent[i] = exponent(s.largest[i]);
        stale |= exponent(s.largest[i]) != s.exponent[i];
      }
      if (stale) {
        std::fill_n(s.lambda, unit, -1);
        return;
      }
      if (!begun) scale = scale_of(lines, 24, [&](Index i) { return s.exponent[i]; });
      begun = true;
      add_ceilings(s, lines, terms, panel, scale);
    });
  });
  for (Index line = 0; line < side.count; ++line) {
    DeepSegment* const s = segments + line / unit * parts;
    const Index i = line % unit;
    Line& known = side.known[line];
    known = Line{};
    double largest = 0, last = 0x1p1023;
    for (Index part = 0; part < parts; ++part) {
      known.special |= !is_finite(s[part].largest[i]);
      largest = std::max(largest, s[part].largest[i]);
      last = std::min(last, s[part].last_bit[i]);
    }
    if (known.special || largest == 0) continue;
    known.exponent = exponent_above(largest);
    known.last_bit = exponent_of_last_bit(last);
  }
  if (!want_lambda) return;
  each_panel([&](DeepSegment& s, Index line, Index lines, Index first, int thread) {
    bool stale = false;
    for (Index i = 0; i < lines; ++i) {
      const Line& known = side.known[line + i];
      stale |= s.lambda[i] < 0 || (!known.special && s.largest[i] != 0 && s.exponent[i] != known.exponent);
    }
    if (!stale) return;
    std::fill_n(s.lambda, unit, 0);
    const CrScale scale = side.scale(line, lines, 24);
    each_chunk(line, lines, first, thread,
               [&](Index terms, const double* panel) { add_ceilings(s, lines, terms, panel, scale); });
  });
  for (Index line = 0; line < side.count; ++line)
    for (Index part = 0; part < parts; ++part)
      side.known[line].lambda += segments[line / unit * parts + part].lambda[line % unit];
}

template class DeepSide<double>;
template class DeepSide<float>;
template void deep_survey(const DeepSide<double>&, Isa, bool, int, DeepSegment*, unsigned char*, Index);
template void deep_survey(const DeepSide<float>&, Isa, bool, int, DeepSegment*, unsigned char*, Index);

}  // namespace accublas::cpu
