#include "lib/certified/eigen_groups.hpp"

#include <numeric>

#include "lib/cpu/eigensystem.hpp"
#include "lib/numerics/eft.hpp"

namespace accublas::certified {

void add_to_parts(double& high, double& low, double x) {
  const DoublePair sum = two_sum(high, x), parts = two_sum(sum.high, sum.low + low);
  high = parts.high;
  low = parts.low;
}

void ensure_two_parts(Eigenpairs& pairs, Index numbers) {
  if (pairs.parts == 2) return;
  pairs.parts = 2;
  pairs.x_low = Array(numbers);
  std::fill_n(pairs.x_low.data(), numbers, 0.0);
}

bool are_close(double distance, double residual) {
  constexpr double far = 0x1p8;
  return distance <= far * residual;
}

std::vector<Index> groups_of(const Eigenpairs& pairs, Index count, double residual) {
  std::vector<Index> groups;
  for (Index k = 0; k < count; ++k)
    groups.push_back(k > 0 && are_close(distance_down(pairs, k - 1, k), residual) ? groups.back() : k);
  return groups;
}

std::vector<GroupBlock> group_blocks(bool complex, Index count, Index begin, const Eigenpairs& pairs,
                                     const std::vector<Index>& groups, const double* h) {
  const auto at = [height = complex ? 2 * count : count](Index i, Index j) { return i + j * height; };
  std::vector<GroupBlock> blocks;
  for (Index first = begin, end = begin; first < count; first = end) {
    for (end = first + 1; end < count && groups[static_cast<std::size_t>(end)] == first;) ++end;
    const Index size = end - first, rows = complex ? 2 * size : size;
    if (size == 1) continue;
    GroupBlock block{first, size, pairs.d[first], Array(rows * size)};
    for (Index j = 0; j < size; ++j)
      for (Index i = 0; i < size; ++i) {
        const Index p = first + i, q = first + j;
        double re = 0.5 * (h[at(p, q)] + h[at(q, p)]), im = 0;
        if (i == j) re += (pairs.d[q] - block.origin) + pairs.d_low[q];
        if (complex) im = block.matrix[i + size + j * rows] = 0.5 * (h[at(p + count, q)] - h[at(q + count, p)]);
        block.matrix[i + j * rows] = re;
        block.diagonal &= i == j || (re == 0 && im == 0);
      }
    blocks.push_back(std::move(block));
  }
  return blocks;
}

void eigensystem_of_parts(bool complex, Index m, const double* from, Index from_rows, double* w, double* to) {
  if (!complex) {
    for (Index j = 0; j < m; ++j) std::copy_n(from + j * from_rows, m, to + j * m);
    return cpu::eigensystem(m, to, w);
  }
  std::vector<Complex<double>> z = joined_parts(m, m, from, from_rows);
  cpu::eigensystem(m, z.data(), w);
  split_parts(m, m, z.data(), to);
}

void set_columns(bool complex, Index rows, Eigenpairs& pairs, Index first, Index size, Index inner, const double* z,
                 const double* z_low, const double* w, const Calls& calls) {
  const Index terms = complex ? 2 * inner : inner, begin = first * rows, count = rows * size;
  const Array left(rows * terms), high(count), low(count), rest(count);
  const auto write_as_left = [&](const double* from) {
    complex ? write_left(from, rows / 2, inner, left.data())
            : static_cast<void>(std::copy_n(from, rows * inner, left.data()));
  };
  const Matrix<const double> x{left.data(), 1, rows}, right{w, 1, terms};
  write_as_left(z);
  calls.product(rows, size, terms, 1, x, right, 0, {high.data(), 1, rows});
  std::copy_n(high.data(), count, low.data());
  calls.product(rows, size, terms, 1, x, right, -1, {low.data(), 1, rows});
  write_as_left(z_low);
  calls.product_in_mode(rows, size, terms, x, right, {rest.data(), 1, rows});
  for (Index i = 0; i < count; ++i) {
    pairs.x[begin + i] = high[i];
    pairs.x_low[begin + i] = 0;
    add_to_parts(pairs.x[begin + i], pairs.x_low[begin + i], low[i] + rest[i]);
  }
}

void multiply_columns(bool complex, Index rows, Eigenpairs& pairs, Index first, Index size, const double* w,
                      const Calls& calls) {
  const Index begin = first * rows;
  set_columns(complex, rows, pairs, first, size, size, pairs.x.data() + begin, pairs.x_low.data() + begin, w, calls);
}

void set_number(Eigenpairs& pairs, Index k, double x, double y) {
  pairs.d[k] = x;
  pairs.d_low[k] = 0;
  add_to_parts(pairs.d[k], pairs.d_low[k], y);
}

std::vector<Index> ascending_order(const Eigenpairs& pairs, Index count) {
  std::vector<Index> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index j, Index k) {
    return pairs.d[j] < pairs.d[k] || (pairs.d[j] == pairs.d[k] && pairs.d_low[j] < pairs.d_low[k]);
  });
  return order;
}

void permute(Eigenpairs& pairs, Index rows, const std::vector<Index>& order) {
  if (std::is_sorted(order.begin(), order.end())) return;
  const auto permute_columns = [&](Array& from, Index length) {
    const auto count = static_cast<Index>(order.size());
    Array to(length * count);
    for (Index k = 0; k < count; ++k)
      std::copy_n(from.data() + order[static_cast<std::size_t>(k)] * length, length, to.data() + k * length);
    from = std::move(to);
  };
  permute_columns(pairs.d, 1);
  permute_columns(pairs.d_low, 1);
  permute_columns(pairs.x, rows);
  permute_columns(pairs.x_low, rows);
}

}  // namespace accublas::certified
