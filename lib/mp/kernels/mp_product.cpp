// Products of one residue plane with vectors. The plane is read once, in the order of its memory: groups of columns,
// whose sums stay in first-level cache (N) or in registers (T). Four products of residues fit into 64 bits; a sum of
// many is kept as mp_vector.hpp's DelayedSum and reduced once, at its end.
//
// A vector of residues (8 with AVX2, 16 with AVX-512) takes six operations, two of them multiplications, which is
// faster than memory and the last cache. The speed depends on prefetching: the kernel prefetches the lines of the next
// group while it works on this one, because the hardware's prefetchers stop at the end of a page and a column is often
// shorter (0.7 of the speed of plain reading without it, 0.9 with it, at n = 1000).
//
// The products do not use IFMA. 52-bit products in low and high halves would take five operations a vector (a shift,
// four multiplications that add, no folds below 2^12 terms) in place of six and a half. But these already take 20 bytes
// a cycle at two operations a cycle, more than a core gets from memory.
#include "lib/mp/kernels/mp_vector.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {
namespace {

constexpr int group = 8;  ///< columns of a group of N: two parts
/// The rows of a block, which stay in first-level cache: N keeps 16 bytes of sums a row and vector, T reads 4 bytes of
/// x.
constexpr std::int64_t rows_n = 1024, rows_t = 2048;
constexpr int most_vectors = 4;  ///< right-hand sides that share a reading of the plane

ACCUBLAS_INLINE void prefetch(const std::uint32_t* p) { __builtin_prefetch(p, 0, 2); }

/// The two halves of the sums of 2 W rows, as they are stored in memory.
struct RowSums {
  DelayedSum even, odd;
};

/// Adds sum_q column_q[i] x_q to sums[i] for `rows` rows and Columns columns. The last column stands for the columns
/// from `count` on, with x = 0. `ahead` is the distance to the data that will be read next.
template <int Columns>
void add_columns(const std::uint32_t* a, std::int64_t ld, std::int64_t rows, const std::uint32_t* x, int count,
                 std::int64_t ahead, RowSums* sums) {
  const std::uint32_t* column[Columns];
  V factor[Columns];
  for (int q = 0; q < Columns; ++q) {
    column[q] = a + (q < count ? q : count - 1) * ld;
    factor[q] = splat(q < count ? x[q] : 0);
  }
  const auto step = [&](std::int64_t i, RowSums & to) __attribute__((always_inline)) {
    for (int first = 0; first < Columns; first += 4) {
      V even = zero(), odd_part = zero();
      for (int q = first; q < first + 4; ++q) {
        const V entries = held(load(column[q] + i));
        even = held(add(even, mul(entries, factor[q])));
        odd_part = held(add(odd_part, mul(odd(entries), factor[q])));
      }
      add_part(to.even, even);
      add_part(to.odd, odd_part);
    }
  };
  // Takes one cache line of every column at a time.
  for (std::int64_t i = 0; i < rows; i += mp_padding) {
    for (int q = 0; q < Columns; ++q) prefetch(column[q] + i + ahead);
    for (std::int64_t part = i; part < i + mp_padding; part += 2 * W) step(part, sums[part / (2 * W)]);
  }
}

ACCUBLAS_INLINE V result(const RowSums& s, const Modulus& q) {
  return interleave(fold_twice(reduce_delayed(s.even, q), q), fold_twice(reduce_delayed(s.odd, q), q));
}

void product_n(const MpProduct& p) {
  const Modulus q = broadcast(p.modulus);
  alignas(64) RowSums all_sums[rows_n / (2 * W)];
  for (std::int64_t v = 0; v < p.vectors; v += most_vectors) {
    const int vectors = static_cast<int>(p.vectors - v < most_vectors ? p.vectors - v : most_vectors);
    const std::int64_t block = vectors == 1 ? rows_n : rows_n / most_vectors;
    RowSums* sums[most_vectors];
    for (int u = 0; u < vectors; ++u) sums[u] = all_sums + u * (block / (2 * W));
    for (std::int64_t c = 0; c < p.columns || c == 0; c += delayed_terms) {
      const std::int64_t columns = p.columns - c < delayed_terms ? p.columns - c : delayed_terms;
      for (std::int64_t r = 0; r < p.rows; r += block) {
        const std::int64_t rows = p.rows - r < block ? p.rows - r : block;
        for (int u = 0; u < vectors; ++u)
          for (std::int64_t i = 0; i < rows; i += mp_padding)
            for (int part = 0; part < mp_padding / (2 * W); ++part)
              sums[u][i / (2 * W) + part] = {{zero(), zero()}, {zero(), zero()}};
        for (std::int64_t j = 0; j < columns;) {
          const std::uint32_t* a = p.a + (c + j) * p.ld + r;
          const std::int64_t left = columns - j;
          for (int u = 0; u < vectors; ++u) {
            const std::uint32_t* x = p.x + (v + u) * p.ldx + c + j;
            if (left >= group)
              add_columns<group>(a, p.ld, rows, x, group, group * p.ld, sums[u]);
            else
              add_columns<4>(a, p.ld, rows, x, static_cast<int>(left < 4 ? left : 4), 4 * p.ld, sums[u]);
          }
          j += left >= group ? group : 4;
        }
        for (int u = 0; u < vectors; ++u)
          for (std::int64_t i = 0; i < rows; i += 2 * W) {
            std::uint32_t* y = p.y + (v + u) * p.ldy + r + i;
            V sum = reduce_once(result(sums[u][i / (2 * W)], q), q);
            if (p.add || c > 0) sum = reduce_once(add32(sum, load_up_to(y, rows - i)), q);
            store_up_to(y, rows - i, sum);
          }
      }
    }
  }
}

/// Returns the sums of `rows` rows of four columns with x, in the lowest lanes, unreduced. The last column stands for
/// the columns from `count` on.
V columns_times(const std::uint32_t* a, std::int64_t ld, std::int64_t rows, const std::uint32_t* x, std::int64_t count,
                const Modulus& m) {
  const std::uint32_t* column[4];
  DelayedSum s[4];
  for (int q = 0; q < 4; ++q) {
    column[q] = a + (q < count ? q : count - 1) * ld;
    s[q] = {zero(), zero()};
  }
  std::int64_t i = 0;
  for (; i + 4 * W <= rows; i += 4 * W) {
    const V x0 = held(load(x + i)), x1 = odd(x0), x2 = held(load(x + i + 2 * W)), x3 = odd(x2);
    for (int q = 0; q < 4; ++q) {
      const std::uint32_t* at = column[q] + i;
      for (int line = 0; line < 4 * W; line += mp_padding) prefetch(at + 4 * ld + line);
      const V a0 = held(load(at)), a2 = held(load(at + 2 * W));
      add_part(s[q], add(add(mul(a0, x0), mul(odd(a0), x1)), add(mul(a2, x2), mul(odd(a2), x3))));
    }
  }
  for (; i < rows; i += 2 * W) {
    const V x0 = load_up_to(x + i, rows - i), x1 = odd(x0);
    for (int q = 0; q < 4; ++q) {
      const V a0 = load(column[q] + i);
      add_part(s[q], add(mul(a0, x0), mul(odd(a0), x1)));
    }
  }
  V sum[4], upper[4];
  for (int q = 0; q < 4; ++q) sum[q] = s[q].sum, upper[q] = s[q].upper;
  return reduce_delayed({lane_sums(sum), lane_sums(upper)}, m);
}

void product_t(const MpProduct& p) {
  const Modulus q = broadcast(p.modulus);
  for (std::int64_t r = 0; r < p.rows || r == 0; r += rows_t) {
    const std::int64_t rows = p.rows - r < rows_t ? p.rows - r : rows_t;
    for (std::int64_t j = 0; j < p.columns; j += 4) {
      const std::int64_t count = p.columns - j < 4 ? p.columns - j : 4;
      for (std::int64_t v = 0; v < p.vectors; ++v) {
        const V sum = columns_times(p.a + j * p.ld + r, p.ld, rows, p.x + v * p.ldx + r, count, q);
        alignas(64) std::uint64_t residue[W];
        store(residue, reduce_once(fold_twice(sum, q), q));
        std::uint32_t* y = p.y + v * p.ldy + j;
        for (std::int64_t i = 0; i < count; ++i) {
          const std::uint32_t s = static_cast<std::uint32_t>(residue[i]);
          y[i] = p.add || r > 0 ? rns_add(y[i], s, p.modulus) : s;
        }
      }
    }
  }
}

/// Makes one pass over the terms for each group; a row and its vector stay in first-level cache. Masking the vector's
/// residues serves both halves of a product, and takes some twelve operations a vector and group.
void product_groups(const MpGroups& p) {
  const Modulus m = broadcast(p.modulus);
  constexpr int part = 4;  ///< vectors whose products make one
  for (int first = 0; first < p.groups; first += 4) {
    V sum[4] = {zero(), zero(), zero(), zero()}, upper[4] = {zero(), zero(), zero(), zero()};
    for (int g = 0; g < 4 && first + g < p.groups; ++g) {
      const V wanted = splat32(first + g);
      DelayedSum even_sum{zero(), zero()}, odd_sum = even_sum;
      for (std::int64_t q = 0; q < p.terms; q += part * 2 * W) {
        V evens = zero(), odds = zero();
        for (std::int64_t u = q; u < q + part * 2 * W && u < p.terms; u += 2 * W) {
          const V a = held(load(p.a + u)), x = bit_and(load(p.x + u), equal32(widen(p.group + u), wanted));
          evens = add(evens, mul(a, x));
          odds = add(odds, mul(odd(a), odd(x)));
        }
        add_part(even_sum, evens);
        add_part(odd_sum, odds);
      }
      sum[g] = add(even_sum.sum, odd_sum.sum);
      upper[g] = add(even_sum.upper, odd_sum.upper);
    }
    // The sums hold the upper halves of at most 2^20 / 4 parts.
    const V total = fold_twice(reduce_delayed({lane_sums(sum), lane_sums(upper)}, m), m);
    alignas(64) std::uint64_t residue[W];
    store(residue, reduce_once(total, m));
    for (int g = 0; g < 4 && first + g < p.groups; ++g) p.y[first + g] = static_cast<std::uint32_t>(residue[g]);
  }
}

}  // namespace

void mp_product_groups(const MpGroups& p) { product_groups(p); }
void mp_product_n(const MpProduct& p) { product_n(p); }
void mp_product_t(const MpProduct& p) { product_t(p); }

}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
