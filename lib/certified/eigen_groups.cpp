#include "lib/certified/eigen_groups.hpp"

#include <numeric>

#include "lib/certified/decompositions.hpp"
#include "lib/numerics/eft.hpp"

namespace accublas::certified {

namespace {

/// Returns number(0) ... number(count - 1) in host memory.
template <class Number>
Array numbers_of(Index count, Number&& number) {
  Array numbers(count);
  for (Index k = 0; k < count; ++k) numbers[k] = number(k);
  return numbers;
}

}  // namespace

SentNumbers::SentNumbers(const Eigenpairs& pairs, Index count, const std::vector<Index>& groups, const Calls& calls)
    : groups_here_(
          numbers_of(count, [&](Index k) { return static_cast<double>(groups[static_cast<std::size_t>(k)]); })),
      shifts_here_(numbers_of(
          count,
          [&](Index k) { return (pairs.d[k] - pairs.d[groups[static_cast<std::size_t>(k)]]) + pairs.d_low[k]; })),
      high_(calls, count, pairs.d.data()),
      low_(calls, count, pairs.d_low.data()),
      groups_(calls, count, groups_here_.data()),
      shifts_(calls, count, shifts_here_.data()) {}

void ensure_two_parts(Eigenpairs& pairs, Index rows, Index cols, const Calls& calls) {
  if (pairs.parts == 2) return;
  pairs.parts = 2;
  pairs.x_low = numbers_at(calls, rows, cols, true);
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
                                     const std::vector<Index>& groups, const SentNumbers& numbers, const double* h,
                                     const Calls& calls) {
  std::vector<GroupBlock> blocks;
  for (Index first = begin, end = begin; first < count; first = end) {
    for (end = first + 1; end < count && groups[static_cast<std::size_t>(end)] == first;) ++end;
    const Index size = end - first, rows = complex ? 2 * size : size;
    if (size == 1) continue;
    GroupBlock block{first, size, pairs.d[first], numbers_at(calls, rows, size), true};
    const Matrix<double> to = columns_at(block.matrix.data(), rows);
    GroupStep step{to, read_columns(h, complex ? 2 * count : count), first, size, count, complex, nullptr};
    calls.place().run(step, size, size);
    std::vector<int> exponents(static_cast<std::size_t>(rows));
    calls.place().exponents(rows, size, read_only(to), nullptr, exponents.data());
    block.diagonal = std::all_of(exponents.begin(), exponents.end(), [](int e) { return e == no_exponent; });
    step.shift = numbers.shifts();
    if (!block.diagonal) calls.place().run(step, size, size);
    blocks.push_back(std::move(block));
  }
  return blocks;
}

Rotation rotation_of(bool complex, const GroupBlock& block, const Calls& calls) {
  const Index m = block.size, rows = complex ? 2 * m : m;
  Rotation rotation{Array(m), numbers_at(calls, rows, m)};
  eigensystem_of_parts({complex, m, m, read_columns(block.matrix.data(), rows), m}, rotation.values.data(),
                       rotation.vectors.data(), calls);
  return rotation;
}

void set_columns(bool complex, Index rows, Eigenpairs& pairs, Index first, Index size, Index inner, const double* z,
                 const double* z_low, const double* w, const Calls& calls) {
  const Index terms = complex ? 2 * inner : inner, count = rows * size;
  double *const to = pairs.x.data() + first * rows, *const to_low = pairs.x_low.data() + first * rows;
  const Placed high = numbers_at(calls, rows, size), low = numbers_at(calls, rows, size),
               rest = numbers_at(calls, rows, size);
  const Matrix<const double> right{w, 1, terms};
  const auto multiply = [&](const double* from, auto&& with) {
    Placed left;
    if (complex) left = left_of(from, rows / 2, inner, calls);
    with(read_columns(complex ? left.data() : from, rows));
  };
  multiply(z, [&](const Matrix<const double>& x) {
    calls.product(rows, size, terms, 1, x, right, 0, columns_at(high.data(), rows));
    calls.copy(count, high.data(), low.data());
    calls.product(rows, size, terms, 1, x, right, -1, columns_at(low.data(), rows));
  });
  multiply(z_low, [&](const Matrix<const double>& x) {
    calls.product_in_mode(rows, size, terms, x, right, columns_at(rest.data(), rows));
  });
  calls.place().run(AddColumnsStep{columns_at(low.data(), rows), read_columns(rest.data(), rows)}, rows, size);
  calls.copy(count, high.data(), to);
  calls.place().run(FillStep<double>{columns_at(to_low, rows)}, rows, size);
  calls.place().run(AddToPartsStep{columns_at(to, rows), columns_at(to_low, rows), read_columns(low.data(), rows)},
                    rows, size);
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

void permute(Eigenpairs& pairs, Index rows, const std::vector<Index>& order, const Calls& calls) {
  if (std::is_sorted(order.begin(), order.end())) return;
  const auto count = static_cast<Index>(order.size());
  const auto at = [&](Index k) { return order[static_cast<std::size_t>(k)]; };
  const Array numbers = numbers_of(count, [&](Index k) { return static_cast<double>(at(k)); });
  const Sent sent(calls, count, numbers.data());
  for (Array* d : {&pairs.d, &pairs.d_low}) *d = numbers_of(count, [&](Index k) { return (*d)[at(k)]; });
  for (Placed* x : {&pairs.x, &pairs.x_low}) {
    Placed to = numbers_at(calls, rows, count);
    calls.place().run(PermuteStep{columns_at(to.data(), rows), read_columns(x->data(), rows), sent.data()}, rows,
                      count);
    *x = std::move(to);
  }
}

}  // namespace accublas::certified
