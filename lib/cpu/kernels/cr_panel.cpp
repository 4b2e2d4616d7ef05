// The preparation of panels before they are multiplied (CrPanelKernels): measuring, rounding to T bits, and the
// numbers of the certificate. Lanes are lines, so that each line has its own scale.
#include "lib/cpu/kernels/cr_tile.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {

namespace {

#if ACCUBLAS_VECTOR_BITS == 512
ACCUBLAS_INLINE V set_where_nonzero(V word, V x, std::uint64_t bit) {
  const __m512i bits = _mm512_castpd_si512(magnitude(x)), old = _mm512_castpd_si512(word);
  return _mm512_castsi512_pd(_mm512_mask_or_epi64(old, _mm512_test_epi64_mask(bits, bits), old,
                                                  _mm512_set1_epi64(static_cast<long long>(bit))));
}
ACCUBLAS_INLINE V exclusive_or(V a, V b) { return _mm512_xor_pd(a, b); }
ACCUBLAS_INLINE V ceiling(V v) { return _mm512_roundscale_pd(v, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC); }
ACCUBLAS_INLINE V truncated(V v) { return _mm512_roundscale_pd(v, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC); }
#elif ACCUBLAS_VECTOR_BITS == 256
ACCUBLAS_INLINE V set_where_nonzero(V word, V x, std::uint64_t bit) {
  const V b = _mm256_castsi256_pd(_mm256_set1_epi64x(static_cast<long long>(bit)));
  return _mm256_or_pd(word, where_any_bit(magnitude(x), b));
}
ACCUBLAS_INLINE V exclusive_or(V a, V b) { return _mm256_xor_pd(a, b); }
ACCUBLAS_INLINE V ceiling(V v) { return _mm256_ceil_pd(v); }
ACCUBLAS_INLINE V truncated(V v) { return _mm256_floor_pd(v); }
#elif ACCUBLAS_VECTOR_BITS == 128
ACCUBLAS_INLINE V set_where_nonzero(V word, V x, std::uint64_t bit) {
  return as_value(as_bits(word) | as_bits(where_any_bit(magnitude(x), as_value(vdupq_n_u64(bit)))));
}
ACCUBLAS_INLINE V exclusive_or(V a, V b) { return as_value(as_bits(a) ^ as_bits(b)); }
ACCUBLAS_INLINE V ceiling(V v) { return vrndpq_f64(v); }
ACCUBLAS_INLINE V truncated(V v) { return vrndmq_f64(v); }
#else
ACCUBLAS_INLINE V set_where_nonzero(V word, V x, std::uint64_t bit) {
  return x != 0 ? as_value(as_bits(word) | bit) : word;
}
ACCUBLAS_INLINE V exclusive_or(V a, V b) { return as_value(as_bits(a) ^ as_bits(b)); }
ACCUBLAS_INLINE V ceiling(V v) { return __builtin_ceil(v); }
ACCUBLAS_INLINE V truncated(V v) { return __builtin_floor(v); }
#endif

/// Calls body.operator()<vectors> for the first so many vectors, which hold `count` lines.
template <class Body>
ACCUBLAS_INLINE void for_vectors(Index count, Body&& body) {
  W > 1 && count <= W ? body.template operator()<1>() : body.template operator()<tile_vectors>();
}

/// Calls entry(p, i), which is vector i of term p, and measures what it returns.
template <int vectors, class Entry>
ACCUBLAS_INLINE void measure_entries(Index k, const CrLines& to, Entry&& entry) {
  V largest[vectors], last[vectors], special[vectors];
  for (int i = 0; i < vectors; ++i) {
    largest[i] = special[i] = zero();
    last[i] = splat(0x1p1023);
  }
  for (Index first = 0; first < k; first += 64) {
    V word[vectors];
    for (int i = 0; i < vectors; ++i) word[i] = zero();
    for (Index p = first; p < k && p < first + 64; ++p) {
      for (int i = 0; i < vectors; ++i) {
        const V x = entry(p, i);
        largest[i] = larger_magnitude(largest[i], x);
        special[i] = add(special[i], sub(x, x));
        last[i] = smaller(last[i], last_bit(x));
        word[i] = set_where_nonzero(word[i], x, std::uint64_t{1} << (p - first));
      }
    }
    for (int i = 0; i < vectors; ++i) {
      double bits[W];
      store(bits, word[i]);
      __builtin_memcpy(to.nonzero + first / 64 * lines + i * W, bits, sizeof bits);
    }
  }
  for (int i = 0; i < vectors; ++i) {
    store(to.largest + i * W, add(largest[i], special[i]));
    store(to.last_bit + i * W, last[i]);
  }
}

void measure(Index k, Index count, const double* panel, const CrLines& to) {
  for_vectors(count, [&]<int vectors>() {
    measure_entries<vectors>(
        k, to, [&](Index p, int i) __attribute__((always_inline)) { return load(panel + p * lines + i * W); });
  });
}

/// The factors of the first lines.
template <int vectors>
struct Factors {
  V first[vectors], second[vectors];
  explicit Factors(const CrScale& scale) {
    for (int i = 0; i < vectors; ++i) {
      first[i] = load(scale.first + i * W);
      second[i] = load(scale.second + i * W);
    }
  }
  [[gnu::always_inline]] inline V scaled(V x, int i) const { return mul(mul(x, first[i]), second[i]); }
};

template <int vectors, bool Rounds>
void change_entries(Index k, const double* from, const CrChange& change, double* to, const CrLines& known) {
  const CrScale unscaled{};
  const Factors<vectors> factors(Rounds ? *change.scale : unscaled);
  const V magic = splat(change.magic);
  const V signs[2] = {splat(change.negated[0] ? -0.0 : 0.0), splat(change.negated[1] ? -0.0 : 0.0)};
  const Index other = change.swapped;
  measure_entries<vectors>(
      k, known, [&](Index p, int i) __attribute__((always_inline)) {
        V x = load(from + (p ^ other) * lines + i * W);
        if constexpr (Rounds) {
          x = factors.scaled(x, i);
          const V size = magnitude(x), rounded = sub(add(size, magic), magic);
          x = exclusive_or(where_greater(magic, size, rounded, size), exclusive_or(x, size));
        }
        x = exclusive_or(x, signs[p % 2]);
        store(to + p * lines + i * W, x);
        return x;
      });
}

void change(Index k, Index count, const double* from, const CrChange& how, double* to, const CrLines& known) {
  for_vectors(count, [&]<int vectors>() {
    how.scale ? change_entries<vectors, true>(k, from, how, to, known)
              : change_entries<vectors, false>(k, from, how, to, known);
  });
}

void survey(Index k, Index count, const double* panel, double* largest_of, double* last_of) {
  for (int i = 0; i * W < count; ++i) {
    V largest = load(largest_of + i * W), last = load(last_of + i * W), special = sub(largest, largest);
    for (Index p = 0; p < k; ++p) {
      const V x = load(panel + p * lines + i * W);
      largest = larger_magnitude(largest, x);
      last = smaller(last, last_bit(x));
      special = add(special, sub(x, x));
    }
    store(largest_of + i * W, add(largest, special));
    store(last_of + i * W, last);
  }
}

void ceilings(Index k, Index count, const double* panel, const CrScale& scale, double* sums) {
  const Factors<tile_vectors> factors(scale);
  for (int i = 0; i * W < count; ++i) {
    V sum = load(sums + i * W);
    for (Index p = 0; p < k; ++p) {
      // The scaled entry may have underflown to zero; its ceiling is 1.
      const V size = magnitude(load(panel + p * lines + i * W));
      sum = add(sum, larger_magnitude(ceiling(factors.scaled(size, i)), where_any_bit(size, splat(1))));
    }
    store(sums + i * W, sum);
  }
}

void bytes(Index k, const double* from, const CrScale& scale, bool swapped, double* to) {
  const Factors<tile_vectors> factors(scale);
  for (Index p = 0; p < k; ++p)
    for (int i = 0; i < tile_vectors; ++i)
      store(to + p * lines + i * W,
            truncated(factors.scaled(magnitude(load(from + (p ^ swapped) * lines + i * W)), i)));
}

void products(Index k, Index block, const double* a, const double* b, double* high, double* low) {
  V sum[tile_cols][tile_vectors], rest[tile_cols][tile_vectors];
  for (int j = 0; j < tile_cols; ++j)
    for (int i = 0; i < tile_vectors; ++i) sum[j][i] = rest[j][i] = zero();
  for (Index first = 0; first < k; first += block) {
    V part[tile_cols][tile_vectors];
    for (int j = 0; j < tile_cols; ++j)
      for (int i = 0; i < tile_vectors; ++i) part[j][i] = zero();
    for (Index p = first; p < k && p < first + block; ++p) {
      V x[tile_vectors];
      for (int i = 0; i < tile_vectors; ++i) x[i] = load(a + p * lines + i * W);
      for (int j = 0; j < tile_cols; ++j) {
        const V y = splat(b[p * lines + j]);
        for (int i = 0; i < tile_vectors; ++i)
          part[j][i] = W > 1 ? fma(x[i], y, part[j][i]) : add(part[j][i], mul(x[i], y));
      }
    }
    for (int j = 0; j < tile_cols; ++j)
      for (int i = 0; i < tile_vectors; ++i) {
        two_sum_into(sum[j][i], part[j][i]);
        rest[j][i] = add(rest[j][i], part[j][i]);
      }
  }
  for (int j = 0; j < tile_cols; ++j)
    for (int i = 0; i < tile_vectors; ++i) {
      store(high + j * lines + i * W, sum[j][i]);
      store(low + j * lines + i * W, rest[j][i]);
    }
}

}  // namespace

template <>
const CrPanelKernels& kernels() {
  static constexpr CrPanelKernels table{measure, change, survey, ceilings, bytes, products};
  return table;
}

}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
