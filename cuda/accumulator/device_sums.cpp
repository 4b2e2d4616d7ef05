// Accumulators in device memory. The steps are those of engine int8 (cuda/int8/int8_pass.cpp), apart in time: a panel
// is measured and converted when it arrives, products follow when enough terms wait, and results are reconstructed at
// the end. Work is on a stream of the accumulator, which is ordered with the user's by events.
#include "lib/accumulator/device_sums.hpp"

#include <algorithm>
#include <optional>

#include "cuda/accumulator/lines.hpp"
#include "cuda/accumulator/listed_sums.hpp"
#include "cuda/core/carver.hpp"
#include "cuda/core/check.hpp"
#include "cuda/core/device.hpp"
#include "cuda/core/matrices.hpp"
#include "cuda/core/memory.hpp"
#include "cuda/core/pool_memory.hpp"
#include "cuda/core/scalar_argument.hpp"
#include "cuda/core/staged_matrix.hpp"
#include "cuda/core/staging.hpp"
#include "cuda/core/state.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/exact/combined_parts.hpp"
#include "cuda/exact/engine_call.hpp"
#include "cuda/int8/convert.hpp"
#include "cuda/int8/product.hpp"
#include "cuda/int8/reconstruct.hpp"
#include "cuda/scaling/measure.hpp"
#include "lib/accumulator/accumulator.hpp"
#include "lib/base/stack.hpp"

namespace accublas {

namespace cuda {

namespace {

constexpr const char* what = "a call of an accumulator";

/// Panels of fewer terms wait: the product of this many takes ten times as long as reading and writing its sums.
constexpr Index most_waiting_terms = 4096, term_step = 128;

/// Returns the residues' lines of a matrix that a call multiplies: the columns of op(B), or the rows of op(A).
template <class E>
Operand<RealOf<E>> columns_of(const Matrix<const E>& b, Index n, Index k) {
  using T = RealOf<E>;
  if constexpr (is_complex<E>) {
    Operand<T> x{reinterpret_cast<const T*>(b.data), 2 * b.col_stride, b.row_stride, n, 2 * k};
    x.term_pairs = 1;
    return x;
  } else {
    return {b.data, b.col_stride, b.row_stride, n, k};
  }
}

/// Memory and order of a stream that belongs to an accumulator, or to the measurement of a panel.
class Steps {
 public:
  Steps() : handles_(new Handles) {}
  ~Steps() {
    if (forked_from_user()) handles_.release();
  }

  cudaStream_t stream() const { return handles_->stream; }
  /// Waits for what is on the user's stream so far. This and lead() are for calls within an enclosing CallScope.
  void follow(BackendState* users) {
    if (!users) return;
    State& state = static_cast<State&>(*users);
    state.require_not_captured(what);
    record(handles_->event, state.cuda_stream());
    stream_waits(stream(), handles_->event);
  }
  /// Lets the user's stream wait for the work so far.
  void lead(BackendState* users) {
    if (!users) return;
    State& state = static_cast<State&>(*users);
    record(handles_->event, stream());
    stream_waits(state.cuda_stream(), handles_->event);
  }
  template <class X>
  void send(X* to, const X* from, Index count) const {
    check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(count) * sizeof(X), cudaMemcpyHostToDevice, stream()),
          "copying numbers");
  }
  template <class X>
  void fetch(X* to, const X* from, Index count) const {
    check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(count) * sizeof(X), cudaMemcpyDeviceToHost, stream()),
          "copying numbers");
  }
  void fill(void* to, int value, std::size_t bytes) const {
    check(cudaMemsetAsync(to, value, bytes, stream()), "clearing numbers");
  }
  void wait() const { check(cudaStreamSynchronize(stream()), "waiting for an accumulator"); }

 private:
  struct Handles {
    OwnStream stream;
    Event event;
  };
  std::unique_ptr<Handles> handles_;
};

Lines part_of(const Lines& all, Index first, Index count) {
  Lines part = all;
  part.count = count;
  part.exponent += first;
  part.last_bit += first;
  part.norm += first;
  part.lambda += first;
  part.special += first;
  return part;
}
Lines with_exponents(const Lines& measured, std::int32_t* exponent) {
  Lines lines = measured;
  lines.exponent = exponent;
  return lines;
}

/// Copies a matrix of numbers of any strides.
template <class E>
void copy_numbers(const Matrix<const E>& from, const Matrix<E>& to, Index m, Index n, cudaStream_t stream) {
  using T = RealOf<E>;
  if constexpr (!is_complex<E>) {
    copy_matrix<T>(from, to, m, n, nullptr, stream);
  } else {
    const T* const source = reinterpret_cast<const T*>(from.data);
    T* const target = reinterpret_cast<T*>(to.data);
    if (from.row_stride == 1 && to.row_stride == 1)
      return copy_matrix<T>({source, 1, 2 * from.col_stride}, {target, 1, 2 * to.col_stride}, 2 * m, n, nullptr,
                            stream);
    for (const int part : {0, 1})
      copy_matrix<T>({source + part, 2 * from.row_stride, 2 * from.col_stride},
                     {target + part, 2 * to.row_stride, 2 * to.col_stride}, m, n, nullptr, stream);
  }
}

template <class E>
class Residues final : public DeviceSums<E> {
 public:
  using T = RealOf<E>;
  static constexpr int parts = is_complex<E> ? 2 : 1;

  Residues(const Accumulator& of, int device, std::size_t cap)
      : model_(device_model(device)),
        n_(of.n),
        m_(of.m),
        moduli_(of.moduli),
        rounds_(of.rounds()),
        row_bits_(of.b.bits),
        col_bits_(of.a.bits),
        block_rows_(padded_lines(of.n)),
        block_cols_(padded_lines(parts * of.m)),
        cap_(cap),
        terms_(parts * of.added),
        most_digits_(digits_of(of)) {
    const Index lines = (block_rows_ + block_cols_) * moduli_, terms = std::max<Index>(of.k, 1) * parts;
    const Index fits = static_cast<Index>(cap / 2) / lines / term_step * term_step;
    if (fits < term_step)
      throw Error(ACCUBLAS_ERROR_MEMORY, "the workspace is too small for a panel of an accumulator on a device");
    depth_ = std::min({fits, most_waiting_terms, round_up(terms, term_step)});
    bytes_ = bytes_of_arrays([&](Carver& carver) { lay_out(carver); });
    memory_ = std::make_unique<PoolMemory>(device, steps_.stream(), bytes_);
    Carver carver(memory_->data());
    lay_out(carver);
    start(of);
  }
  ~Residues() override {
    if (forked_from_user()) {
      memory_.release();
      return;
    }
    try {
      const DeviceScope scope(device());
      memory_.reset();
    } catch (const Error&) {  // the device is lost
    }
  }

  int device() const override { return model_.device; }
  std::size_t bytes() const override { return bytes_; }
  std::size_t workspace_bytes() const override { return workspace_bytes_; }

  void read_plane(int l, std::int8_t* to) override {
    in_scope([&] {
      if (waiting_ > 0) multiply();
      if (empty_) clear();
      copy_plane(to, result_ + l * plane(), width(), static_cast<std::size_t>(block_cols_));
      steps_.wait();
    });
  }
  void write_plane(int l, const std::int8_t* from) override {
    in_scope([&] {
      if (empty_) clear();
      copy_plane(result_ + l * plane(), from, static_cast<std::size_t>(block_cols_), width());
      steps_.wait();
    });
  }
  void read_errors(AccumulatorSide& a, AccumulatorSide& b) override {
    if (!rounds_) return;
    in_scope([&] {
      const auto read = [&](AccumulatorSide& side, const LineErrors& from) {
        steps_.fetch(side.error.data(), from.error, side.lines());
        steps_.fetch(side.dropped.data(), from.dropped, side.lines());
      };
      read(a, col_errors_);
      read(b, row_errors_);
      steps_.wait();
    });
  }

  void add(const AccumulatorPanel<E>& panel, const OperandSpace& space,
           const std::function<void(const PanelFindings&)>& known) override {
    with_panel(panel, space, [&](const AccumulatorPanel<E>& there) {
      known(findings());
      add_errors_of_panel();
      convert_panel(there, space.users);
    });
  }

  void add_again(const AccumulatorPanel<E>& panel, const OperandSpace& space, const std::vector<Index>& listed,
                 const std::function<void(const PanelFindings&)>& known, std::vector<LongAccumulator>& sums) override {
    with_panel(panel, space, [&](const AccumulatorPanel<E>& there) {
      const Index count = static_cast<Index>(listed.size());
      Index* list = nullptr;
      ListedSum* found = nullptr;
      std::uint32_t* digits = nullptr;
      const ArrayMemory<PoolMemory> memory(
          [&](Carver& carver) {
            list = carver.take<Index>(count);
            found = carver.take<ListedSum>(count);
            digits = carver.take<std::uint32_t>(count * most_digits_);
          },
          device(), steps_.stream());
      workspace_bytes_ += memory.bytes();
      steps_.send(list, listed.data(), count);
      sum_listed<T>(model_, rows_of(there), rows_, cols_of(there), cols_lines_, list, count, most_digits_, found,
                    digits, steps_.stream());
      std::vector<ListedSum> found_here(listed.size());
      std::vector<std::uint32_t> digits_here(listed.size() * size(most_digits_));
      steps_.fetch(found_here.data(), found, count);
      steps_.fetch(digits_here.data(), digits, count * most_digits_);
      known(findings());
      for (std::size_t i = 0; i < listed.size(); ++i)
        sums[i].add_digits(&digits_here[i * size(most_digits_)], found_here[i].count, found_here[i].first);
      steps_.lead(space.users);
    });
  }

  DeviceOutcome finish(const DeviceRounding<E>& rounding, const OperandSpace& space) override {
    DeviceOutcome outcome = DeviceOutcome::done;
    in_scope(
        [&] {
          steps_.follow(space.users);
          if (waiting_ > 0) multiply();
          outcome = Rounding(*this, rounding, space).run();
          steps_.lead(space.users);
        },
        space.users);
    return outcome;
  }

 private:
  class Rounding;

  template <class Body>
  void in_scope(Body&& body, BackendState* users = nullptr) {
    with_stack(needed_stack, [&] {
      const DeviceScope scope(device());
      std::optional<CallScope> call;
      if (users) call.emplace(static_cast<State&>(*users));
      body();
    });
  }
  /// Calls body(panel) with the panel in device memory and its measurements on the way.
  template <class Body>
  void with_panel(const AccumulatorPanel<E>& panel, const OperandSpace& space, Body&& body) {
    in_scope(
        [&] {
          steps_.follow(space.users);
          // Host operands are copied in a whole number of columns or rows.
          StagedMatrix<E> a(here(panel.a, !space.a_there), m_, panel.k), b(here(panel.b, !space.b_there), panel.k, n_);
          const std::size_t staged = a.bytes() + b.bytes();
          std::optional<PoolMemory> memory;
          AccumulatorPanel<E> there = panel;
          if (staged > 0) {
            memory.emplace(device(), steps_.stream(), staged);
            std::byte* next = memory->data();
            if (!space.a_there) there.a = read_only(a.take(next)), a.copy_in(steps_.stream());
            if (!space.b_there) there.b = read_only(b.take(next)), b.copy_in(steps_.stream());
          }
          workspace_bytes_ = staged;
          measure_panel(there);
          body(there);
        },
        space.users);
  }
  static Matrix<E> here(const Matrix<const E>& x, bool wanted) {
    return {wanted ? const_cast<E*>(x.data) : nullptr, x.row_stride, x.col_stride};
  }
  static std::size_t size(Index count) { return static_cast<std::size_t>(count); }

  Index cols() const { return parts * m_; }
  std::size_t width() const { return size(cols()); }
  Index plane() const { return block_rows_ * block_cols_; }
  void copy_plane(std::int8_t* to, const std::int8_t* from, std::size_t to_next, std::size_t from_next) const {
    check(cudaMemcpy2DAsync(to, to_next, from, from_next, width(), size(n_), cudaMemcpyDefault, steps_.stream()),
          "copying residues");
  }

  void lay_out(Carver& carver) {
    const auto take = [&](Index count) {
      Operand<T> shape{};
      shape.count = count;
      return take_lines(carver, shape, false);
    };
    const auto errors = [&](Index count, int of, int bits) {
      LineErrors side{carver.take<std::int32_t>(2 * count / of), of, bits, nullptr, nullptr, nullptr};
      side.error = carver.take<double>(count);
      side.dropped = carver.take<std::uint8_t>(count);
      side.squares = carver.take<double>(count);
      return side;
    };
    state_ = carver.take<CallState>(1);
    notes_ = carver.take<PanelNotes>(1);
    rows_ = take(n_);
    numbers_ = take(m_);
    cols_lines_ = parts == 2 ? take(cols()) : numbers_;
    row_errors_ = errors(n_, 1, row_bits_);
    col_errors_ = errors(cols(), parts, col_bits_);
    row_exponent_ = carver.take<std::int32_t>(block_rows_);
    col_exponent_ = carver.take<std::int32_t>(block_cols_);
    row_bytes_ = size(block_rows_ * moduli_ * depth_);
    col_bytes_ = size(block_cols_ * moduli_ * depth_);
    row_residues_ = carver.take<std::uint8_t>(row_bytes_);
    col_residues_ = carver.take<std::uint8_t>(col_bytes_);
    result_ = carver.take<std::int8_t>(plane() * moduli_);
  }

  /// Sets the constant arrays, and the errors so far.
  void start(const Accumulator& of) {
    CallState state{};
    PassPlan& plan = state.pass[product_pass];
    plan.active = 1;
    plan.elements = Elements::all;
    plan.row_bits = plan.row_peak = row_bits_;
    plan.col_bits = plan.col_peak = col_bits_;
    plan.moduli = moduli_;
    plan.block_rows = block_rows_;
    plan.block_cols = block_cols_;
    plan.residues = ResidueKind::real;
    state.pass[exact_pass] = state.pass[interval_pass] = plan;
    state.pass[interval_pass].interval = 1;
    steps_.send(state_, &state, 1);
    const auto send = [&](const AccumulatorSide& side, const LineErrors& to, std::int32_t* exponent, Index padded) {
      static_assert(sizeof(LineExponents) == 2 * sizeof(std::int32_t));
      steps_.send(const_cast<std::int32_t*>(to.limits), &side.exponents.data()->above, 2 * side.count);
      std::vector<std::int32_t> above(size(padded), 0);
      for (Index i = 0; i < side.lines(); ++i) {
        const LineExponents& e = side.exponents[size(i / side.parts)];
        above[size(i)] = e.zero() ? 0 : e.above;
      }
      steps_.send(exponent, above.data(), padded);
      steps_.send(to.error, side.error.data(), side.lines());
      steps_.send(to.dropped, side.dropped.data(), side.lines());
      // The magnitudes of earlier entries are at most 2^E.
      const std::vector<double> squares(size(side.lines()), static_cast<double>(parts * of.added));
      steps_.send(to.squares, squares.data(), side.lines());
    };
    send(of.b, row_errors_, row_exponent_, block_rows_);
    send(of.a, col_errors_, col_exponent_, block_cols_);
    steps_.wait();  // the host's arrays are gone afterwards
  }

  /// Returns the most digits that exact sums of the accumulator's lines take (sum_listed).
  static int digits_of(const Accumulator& of) {
    const auto span = [](const AccumulatorSide& side) {
      int most = 0;
      for (const LineExponents& e : side.exponents)
        if (!e.zero()) most = std::max(most, e.above + e.below);
      return most + FloatFormat<T>::digits - 1;
    };
    return (span(of.a) + span(of.b) + 31) / 32 + 5;
  }

  /// Makes all sums zero.
  void clear() {
    steps_.fill(result_, 0, size(plane() * moduli_));
    empty_ = false;
  }

  Operand<T> rows_of(const AccumulatorPanel<E>& panel) const { return columns_of(panel.b, n_, panel.k); }
  /// Returns two lines for a row of complex numbers (EngineCall).
  Operand<T> cols_of(const AccumulatorPanel<E>& panel) const {
    if constexpr (is_complex<E>) {
      const auto product = [&](Matrix<const E> a, Matrix<const E> b) {
        Gemm<T> g{cols(), n_, 2 * panel.k, T(1), {}, {}, T(0), {nullptr, 1, cols()}};
        g.a = {reinterpret_cast<const T*>(a.data), a.row_stride, a.col_stride};
        g.b = {reinterpret_cast<const T*>(b.data), b.row_stride, 2 * b.col_stride};
        g.numbers_as_stored = true;
        g.conjugate_a = panel.conjugate_a;
        g.conjugate_b = panel.conjugate_b;
        g.row_pairs = g.conjugate_b ? RowPairs::conjugated : RowPairs::complex;
        return g;
      };
      const Gemm<T> g = product(panel.a, panel.b);
      const T one = 1, zero = 0;
      const Mode mode{};
      const Call<Gemm<T>, T> call{g, {&one, false}, {&zero, false}, true, true, mode, ACCUBLAS_ENGINE_INT8};
      return EngineCall<T>(call).cols;
    } else {
      return {panel.a.data, panel.a.row_stride, panel.a.col_stride, m_, panel.k};
    }
  }

  /// Measures the lines of a panel, and compares them with their exponents.
  void measure_panel(const AccumulatorPanel<E>& panel) {
    const Operand<T> of_b = rows_of(panel), of_a = cols_of(panel), numbers = parts == 2 ? of_a.numbers() : of_a;
    rows_.k = numbers_.k = cols_lines_.k = of_b.k;
    measure(model_, of_b, rows_, numbers, numbers_, rounds_, state_, steps_.stream());
    steps_.fill(notes_, 0xFF, sizeof *notes_);
    check_lines(model_, {rows_, row_errors_.limits, row_bits_}, {numbers_, col_errors_.limits, col_bits_}, notes_,
                steps_.stream());
    if (parts == 2) spread_over_pairs(model_, numbers_, cols_lines_, rounds_, steps_.stream());
  }
  /// Waits for the findings about the panel.
  PanelFindings findings() {
    PanelNotes notes;
    steps_.fetch(&notes, notes_, 1);
    steps_.wait();
    PanelFindings found;
    constexpr unsigned long long none = ~0ull;
    if (notes.bad[0] != none) found.bad_column = static_cast<Index>(notes.bad[0]);
    if (notes.bad[1] != none) found.bad_row = static_cast<Index>(notes.bad[1]);
    found.drops = notes.keeps == 0;
    if (notes.finite == 0) {
      found.special_rows.resize(size(m_));
      found.special_columns.resize(size(n_));
      steps_.fetch(found.special_rows.data(), numbers_.special, m_);
      steps_.fetch(found.special_columns.data(), rows_.special, n_);
      steps_.wait();
    }
    return found;
  }

  void add_errors_of_panel() {
    add_errors(model_, rows_, row_errors_, true, rounds_, steps_.stream());
    add_errors(model_, cols_lines_, col_errors_, false, rounds_, steps_.stream());
    terms_ += rows_.k;
  }

  /// Converts a panel, and multiplies when the buffers are full.
  void convert_panel(const AccumulatorPanel<E>& panel, BackendState* users) {
    const Operand<T> of_b = rows_of(panel), of_a = cols_of(panel);
    for (Index first = 0; first < of_b.k;) {
      if (waiting_ == depth_) multiply();
      const Index terms = std::min(of_b.k - first, depth_ - waiting_), padded = round_up(terms, term_step);
      ConvertSide<T> rows{of_b, with_exponents(rows_, row_exponent_), 0, row_residues_ + waiting_, true},
          cols{of_a, with_exponents(cols_lines_, col_exponent_), 0, col_residues_ + waiting_, true};
      rows.line_bytes = cols.line_bytes = depth_;
      convert<T>(model_, rows, cols, &state_->pass[product_pass], first, terms, padded, steps_.stream());
      waiting_ += padded;
      first += terms;
    }
    steps_.lead(users);
    if (waiting_ == depth_) multiply();
  }

  void multiply() {
    ProductArguments product{};
    product.rows = row_residues_;
    product.cols = col_residues_;
    product.rows_bytes = row_bytes_;
    product.cols_bytes = col_bytes_;
    product.result = result_;
    product.k_padded = waiting_;
    product.line_bytes = depth_;
    product.m = n_;
    product.n = cols();
    product.accumulate = !empty_;
    product.plan = &state_->pass[product_pass];
    product.state = state_;
    residue_product(model_, product, steps_.stream());
    empty_ = false;
    waiting_ = 0;
  }

  /// The passes of `state_`: conversion and products, and roundings that take the sums as they are, or with their
  /// errors.
  static constexpr int product_pass = 0, exact_pass = 1, interval_pass = 2;

  const DeviceModel& model_;
  Steps steps_;
  const Index n_, m_;
  const int moduli_;
  const bool rounds_;
  const int row_bits_, col_bits_;
  const Index block_rows_, block_cols_;
  const std::size_t cap_;
  Index terms_;  ///< real terms of all panels so far
  const int most_digits_;
  Index depth_ = 0;    ///< terms that the residue buffers hold
  Index waiting_ = 0;  ///< terms there, each panel rounded up to a multiple of 128
  bool empty_ = true;  ///< nothing is in `result_`, and the sums are zero
  std::size_t bytes_ = 0, workspace_bytes_ = 0;
  std::unique_ptr<PoolMemory> memory_;
  CallState* state_ = nullptr;
  PanelNotes* notes_ = nullptr;
  /// Measurements of the panel: the columns of op(B), the numbers of op(A) and their real lines
  Lines rows_{}, numbers_{}, cols_lines_{};
  LineErrors row_errors_{}, col_errors_{};
  std::int32_t *row_exponent_ = nullptr, *col_exponent_ = nullptr;
  std::size_t row_bytes_ = 0, col_bytes_ = 0;
  std::uint8_t *row_residues_ = nullptr, *col_residues_ = nullptr;
  std::int8_t* result_ = nullptr;  ///< row r, column c of modulus l at (l block_rows + r) block_cols + c
};

/// The final rounding, some columns of C at a time. Where elements may be undecided, C must stay as it was until all
/// are known: then either one block is all of C, or a first round over all blocks writes nothing.
template <class E>
class Residues<E>::Rounding {
 public:
  Rounding(Residues& sums, const DeviceRounding<E>& rounding, const OperandSpace& space)
      : sums_(sums),
        r_(rounding),
        space_(space),
        stream_(sums.steps_.stream()),
        combines_(is_combined()),
        reads_c_(!(rounding.beta == T(0))),
        keeps_c_(combines_ && reads_c_),
        adjacent_(rounding.c.row_stride == 1 || sums.m_ == 1) {
    in_place_ = r_.exact && space.c_there && adjacent_ && r_.known.empty() && !keeps_c_;
    const Index words = OpenBits::words_per_row(sums.cols()), copies = (space.c_there ? 0 : 1) + 1 + (keeps_c_ ? 1 : 0);
    const Index column = 4 * words + (in_place_ ? 0 : copies * sums.m_ * Index{sizeof(E)});
    // With exact sums nothing is too much for the host.
    capacity_ = r_.exact ? 0 : r_.most_open;
    listed_a_column_ = r_.exact && !space.c_there ? sums.m_ : 0;
    columns_ = std::clamp<Index>(static_cast<Index>(sums.cap_) / (column + 8 * listed_a_column_), 1, sums.n_);
  }

  DeviceOutcome run() {
    write_finish_lines(sums_.model_, no_terms(with_exponents(sums_.rows_, sums_.row_exponent_)), sums_.row_errors_,
                       stream_);
    write_finish_lines(sums_.model_, no_terms(with_exponents(sums_.cols_lines_, sums_.col_exponent_)),
                       sums_.col_errors_, stream_);
    CallState& state = *sums_.state_;
    choose_moduli(
        sums_.model_, sums_.row_errors_, sums_.col_errors_,
        {{&state.pass[exact_pass], &state.pass[interval_pass]}, sums_.n_, sums_.cols(), sums_.terms_, sums_.moduli_},
        stream_);
    const ArrayMemory<PoolMemory> memory([&](Carver& carver) { lay_out(carver); }, sums_.device(), stream_);
    sums_.workspace_bytes_ = memory.bytes();
    try {
      return round_all();
    } catch (const Error& error) {
      if (wrote_) throw Error(ACCUBLAS_ERROR_C_UNDEFINED, error.what());
      throw;
    }
  }

 private:
  DeviceOutcome round_all() {
    const bool looks_first = !r_.exact && columns_ < sums_.n_;
    for (const bool writes : {false, true}) {
      if (!writes && !looks_first) continue;
      for (Index first = 0; first < sums_.n_; first += columns_)
        if (!round(first, std::min(columns_, sums_.n_ - first), writes)) return DeviceOutcome::for_the_host;
      if (!writes && !r_.may_write()) break;
    }
    if (!space_.c_there) sums_.steps_.wait();
    return DeviceOutcome::done;
  }
  bool is_combined() const {
    if constexpr (is_complex<E>)
      return r_.alpha.im != 0 || r_.beta.im != 0;
    else
      return false;
  }
  static Lines no_terms(Lines lines) {
    lines.k = 0;
    return lines;
  }
  void lay_out(Carver& carver) {
    const Index numbers = sums_.m_ * columns_;
    open_ = carver.take<std::uint32_t>(columns_ * OpenBits::words_per_row(sums_.cols()));
    count_ = carver.take<unsigned long long>(1);
    if (in_place_) return;
    if (!space_.c_there) staged_ = carver.take<E>(numbers);
    out_ = carver.take<E>(numbers);
    if (keeps_c_) kept_ = carver.take<E>(numbers);
    list_ = carver.take<Index>(capacity_ + listed_a_column_ * columns_);
  }

  /// Rounds columns first .. first + count - 1. Returns false if too many numbers are open.
  bool round(Index first, Index count, bool writes) {
    const Index m = sums_.m_;
    Matrix<E> c = r_.c.block(0, first);
    std::optional<StagedMatrix<E>> host;
    if (!space_.c_there) {
      host.emplace(c, m, count);
      std::byte* next = reinterpret_cast<std::byte*>(staged_);
      c = host->take(next);
      if (reads_c_) host->copy_in(stream_);
    }
    Matrix<E> out{in_place_ ? c.data : out_, 1, in_place_ ? c.col_stride : m};
    if (!in_place_ && reads_c_) copy_numbers<E>(read_only(c), out, m, count, stream_);
    wrote_ = wrote_ || in_place_;
    reconstruct_block(first, count, c, out);
    if (in_place_) return true;
    if (!resolve(first, count, c)) return false;
    if (!writes || (columns_ == sums_.n_ && !r_.may_write())) return true;
    wrote_ = true;
    copy_numbers<E>(read_only(out), c, m, count, stream_);
    if (host) host->copy_out(stream_);
    return true;
  }

  void reconstruct_block(Index first, Index count, const Matrix<E>& c, const Matrix<E>& out) {
    ReconstructArguments<T> block{};
    block.result = sums_.result_ + first * sums_.block_cols_;
    block.rows = part_of(no_terms(with_exponents(sums_.rows_, sums_.row_exponent_)), first, count);
    block.cols = no_terms(with_exponents(sums_.cols_lines_, sums_.col_exponent_));
    block.at = {reinterpret_cast<T*>(out.data), parts * out.col_stride, 1};
    block.open = open_;
    block.index = r_.exact ? exact_pass : interval_pass;
    block.state = sums_.state_;
    if constexpr (is_complex<E>) {
      block.alpha = {combines_ ? T(1) : r_.alpha.re, nullptr};
      block.beta = {combines_ ? T(0) : unsigned_zero(r_.beta.re), nullptr};
      if (combines_) {
        CombinedParts<T> combined{{r_.alpha, nullptr}, {unsigned_zero(r_.beta), nullptr}};
        if (keeps_c_) {
          copy_numbers<E>(read_only(c), {kept_, 1, sums_.m_}, sums_.m_, count, stream_);
          combined.addend = reinterpret_cast<const T*>(kept_);
          combined.addend_stride = sums_.cols();
        }
        return reconstruct<T>(sums_.model_, block, &combined, stream_);
      }
    } else {
      block.alpha = {r_.alpha, nullptr};
      block.beta = {unsigned_zero(r_.beta), nullptr};
    }
    reconstruct<T>(sums_.model_, block, nullptr, stream_);
  }

  /// Lets the host compute the open and the known numbers of a block. Returns false if too many are open.
  bool resolve(Index first, Index count, const Matrix<E>& c) {
    const Index m = sums_.m_, capacity = capacity_ + listed_a_column_ * columns_;
    const NumberBlock block{first * m, count, m, parts};
    std::vector<Index> numbers(std::lower_bound(r_.known.begin(), r_.known.end(), first * m),
                               std::lower_bound(r_.known.begin(), r_.known.end(), (first + count) * m));
    if (!r_.exact || !space_.c_there) {
      sums_.steps_.fill(count_, 0, sizeof *count_);
      list_open<T>(sums_.model_, block, open_, space_.c_there ? nullptr : reinterpret_cast<const T*>(out_), capacity,
                   list_, count_, stream_);
      unsigned long long open = 0;
      sums_.steps_.fetch(&open, count_, 1);
      sums_.steps_.wait();
      if (open > static_cast<unsigned long long>(capacity)) return false;
      const std::size_t before = numbers.size();
      numbers.resize(before + open);
      sums_.steps_.fetch(numbers.data() + before, list_, static_cast<Index>(open));
      sums_.steps_.wait();
      std::sort(numbers.begin(), numbers.end());
      numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    }
    if (!numbers.empty()) compute(block, numbers, c);
    return true;
  }

  void compute(const NumberBlock& block, const std::vector<Index>& numbers, const Matrix<E>& c) {
    const Index count = static_cast<Index>(numbers.size()), residues_count = count * parts * sums_.moduli_;
    Index* list = nullptr;
    std::int8_t* residues = nullptr;
    E* elements = nullptr;
    const ArrayMemory<PoolMemory> memory(
        [&](Carver& carver) {
          list = carver.take<Index>(count);
          residues = carver.take<std::int8_t>(residues_count);
          elements = carver.take<E>(count);
        },
        sums_.device(), stream_);
    const Steps& steps = sums_.steps_;
    steps.send(list, numbers.data(), count);
    const Matrix<const T> of_c{reads_c_ ? reinterpret_cast<const T*>(c.data) : nullptr, parts * c.row_stride,
                               parts * c.col_stride};
    gather_numbers<T>(sums_.model_, {sums_.result_, sums_.block_cols_, sums_.plane(), sums_.moduli_, parts}, block,
                      list, count, of_c, residues, reinterpret_cast<T*>(elements), stream_);
    std::vector<std::int8_t> residues_here(size(residues_count));
    std::vector<E> c_here(numbers.size()), results(numbers.size());
    steps.fetch(residues_here.data(), residues, residues_count);
    steps.fetch(c_here.data(), elements, count);
    steps.wait();
    r_.resolve({numbers, residues_here.data(), c_here.data()}, results.data());
    steps.send(elements, results.data(), count);
    scatter_numbers<T>(sums_.model_, block, list, count, reinterpret_cast<const T*>(elements),
                       reinterpret_cast<T*>(out_), stream_);
    steps.wait();
  }

  Residues& sums_;
  const DeviceRounding<E>& r_;
  const OperandSpace& space_;
  const cudaStream_t stream_;
  const bool combines_;
  const bool reads_c_;   ///< beta is not zero
  const bool keeps_c_;   ///< results need both parts of C as they were
  const bool adjacent_;  ///< the numbers of a column of C are
  bool wrote_ = false;   ///< some of C may be written
  bool in_place_;        ///< the kernels write C, and nothing is left to the host
  Index capacity_, listed_a_column_, columns_;
  std::uint32_t* open_ = nullptr;
  unsigned long long* count_ = nullptr;
  Index* list_ = nullptr;
  E *staged_ = nullptr, *out_ = nullptr, *kept_ = nullptr;
};

}  // namespace

}  // namespace cuda

template <class E>
std::unique_ptr<DeviceSums<E>> make_device_sums(const Accumulator& of, int device, std::size_t cap) {
  cuda::require_device(device);
  std::unique_ptr<DeviceSums<E>> made;
  with_stack(cuda::needed_stack, [&] {
    const cuda::DeviceScope scope(device);
    made = std::make_unique<cuda::Residues<E>>(of, device, cap);
  });
  return made;
}

template <class E>
void measure_on_device(BackendState& users, Index count, Index k, Matrix<const E> x, LineExponents* exponents) {
  using T = RealOf<E>;
  constexpr int parts = is_complex<E> ? 2 : 1;
  cuda::State& context = static_cast<cuda::State&>(users);
  with_stack(cuda::needed_stack, [&] {
    const cuda::CallScope scope(context);
    context.require_not_captured(cuda::what);
    const cudaStream_t stream = context.cuda_stream();
    // Real and imaginary parts are measured apart, as on the CPU: a part with Inf or NaN leaves out itself alone.
    for (int part = 0; part < parts; ++part) {
      const cuda::Operand<T> lines_of{reinterpret_cast<const T*>(x.data) + part, parts * x.row_stride,
                                      parts * x.col_stride, count, k};
      cuda::CallState* state = nullptr;
      cuda::Lines lines{};
      const cuda::ArrayMemory<cuda::CallMemory> memory(
          [&](cuda::Carver& carver) {
            state = carver.take<cuda::CallState>(1);
            lines = cuda::take_lines(carver, lines_of, false);
          },
          context);
      cuda::check(cudaMemsetAsync(state, 0, sizeof *state, stream), "clearing numbers");
      cuda::measure(context.model(), lines_of, lines, lines_of, lines, false, state, stream);
      const std::size_t all = static_cast<std::size_t>(count);
      std::vector<std::int32_t> exponent(all), last_bit(all);
      std::vector<double> norm(all);
      const auto fetch = [&](auto& to, const auto* from) {
        cuda::check(cudaMemcpyAsync(to.data(), from, all * sizeof *from, cudaMemcpyDeviceToHost, stream),
                    "copying numbers");
      };
      fetch(exponent, lines.exponent);
      fetch(last_bit, lines.last_bit);
      fetch(norm, lines.norm);
      cuda::check(cudaStreamSynchronize(stream), "waiting for lines");
      for (std::size_t i = 0; i < all; ++i) {
        if (!(norm[i] > 0)) continue;
        exponents[i].above = std::max(exponents[i].above, exponent[i]);
        exponents[i].below = std::max(exponents[i].below, -last_bit[i]);
      }
    }
  });
}

#define ACCUBLAS_INSTANTIATE(E)                                                                   \
  template std::unique_ptr<DeviceSums<E>> make_device_sums(const Accumulator&, int, std::size_t); \
  template void measure_on_device(BackendState&, Index, Index, Matrix<const E>, LineExponents*);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas
