#include "lib/certified/columns.hpp"

namespace accublas::certified {

Sent::Sent(const Calls& calls, Index count, const double* numbers) : data_(numbers) {
  if (!calls.place().on_device()) return;
  copy_ = Placed(calls.place(), count);
  calls.copy(count, numbers, copy_.data());
  data_ = copy_.data();
}

Norms::Norms(Index rows, Index cols, const double* m, const Calls& calls) : columns(cols) {
  if (m)
    calls.place().column_norms(rows, cols, m, columns.data());
  else
    std::fill_n(columns.data(), cols, 0.0);
  all = norm_up(cols, columns.data());
}

Placed left_of(const double* x, Index n, Index cols, const Calls& calls) {
  Placed left = numbers_at(calls, 2 * n, 2 * cols);
  calls.place().run(LeftStep{columns_at(left.data(), 2 * n), read_columns(x, 2 * n), n, cols}, n, cols);
  return left;
}

Placed numbers_at(const Calls& calls, Index rows, Index cols, bool zeros) {
  Placed memory(calls.place(), rows * cols);
  if (zeros) calls.place().run(FillStep<double>{columns_at(memory.data(), rows)}, rows, cols);
  return memory;
}

}  // namespace accublas::certified
