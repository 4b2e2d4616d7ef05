// Blocks of columns, each Q = I - V T V^H of its reflectors with an upper triangle T: columns of a block go by halves,
// down to panels in floating-point arithmetic as it is, or to few of them; of two halves V has both, and T of both and
// -T1 (V1^H V2) T2 between them. What is to a block's right takes two products with as many terms as it has rows, or
// columns.
#include "cuda/qr/orthogonal_by_products.hpp"

#include <algorithm>

#include "cuda/core/beside.hpp"
#include "cuda/core/carver.hpp"
#include "cuda/core/check.hpp"
#include "cuda/core/cublas.hpp"
#include "cuda/core/inner_calls.hpp"
#include "cuda/core/rehearsal.hpp"
#include "cuda/lapack/element_kernels.hpp"
#include "cuda/native/native.hpp"
#include "cuda/qr/qr_panel.hpp"
#include "lib/base/error.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

namespace {

template <class E>
class OrthogonalByProducts {
  static constexpr Index width = qr_panel_columns<E>;

 public:
  OrthogonalByProducts(State& state, const Call<Orthogonal<E>, E>& call, const GradeProducts<E>& products,
                       Execution& execution)
      : state_(state),
        call_(call),
        o_(call.problem),
        products_(products),
        execution_(execution),
        panels_(qr_block_columns<E>(state.model())) {
    block_ = columns_that_fit();
  }

  void run() {
    const ArrayMemory<CopyMemory> memory([&](Carver& carver) { lay_out(carver); }, state_, execution_.workspace);
    Workspace rest = rest_of(execution_.workspace, memory.data(), memory.bytes());
    Execution inner = execution_.within(rest);
    inner_ = &inner;
    Beside beside(state_);
    beside_ = &beside;
    state_.cublas();  // where there is none, this throws before anything is written
    try {
      if (words_)
        set_on_stream(words_, 0, static_cast<std::size_t>(count_of_words()) * sizeof *words_, stream(),
                      "clearing what thread blocks exchange");
      a_ = in_columns(o_.a, o_.a_rows(), o_.a_cols(), copy_of_a_);
      if (o_.has_c()) c_ = in_columns(o_.c, o_.c_rows(), o_.c_cols(), copy_of_c_);
      switch (o_.kind) {
        case Operation::geqrf:
          factor();
          break;
        case Operation::orgqr:
          generate();
          break;
        default:
          apply();
      }
      const Matrix<E>& result = o_.has_c() ? o_.c : o_.a;
      const Matrix<E>& columns = o_.has_c() ? c_ : a_;
      if (columns.data != result.data)
        run_step<E>(model(), CopyStep<E>{result, read_only(columns)}, o_.has_c() ? o_.c_rows() : o_.a_rows(),
                    o_.has_c() ? o_.c_cols() : o_.a_cols(), stream());
    } catch (const Error& error) {
      if (wrote_ && error.status() == ACCUBLAS_ERROR_MEMORY) throw Error(ACCUBLAS_ERROR_C_UNDEFINED, error.what());
      throw;
    }
    execution_.report.workspace_bytes += static_cast<std::int64_t>(memory.bytes());
  }

 private:
  /// Where products and panels of the moment go.
  struct Lane {
    cudaStream_t stream;
    std::byte* blas_memory;
    std::size_t blas_bytes;
    E *w, *y;  ///< for what apply_left and apply_right make on the way
    bool beside;
  };
  /// A block's vectors, their products and T.
  struct Reflectors {
    Matrix<E> v, s, t;
  };

  Index rows() const { return o_.a_rows(); }
  /// The columns of a block, so that wide ones leave half of the workspace to products.
  Index columns_that_fit() {
    const Index order = o_.reflectors(), met = columns_met();
    const Index plain = std::ranges::find_if(tuning_.blocks, [&](auto width) { return order >= width.from; })->columns;
    const bool factors = o_.kind == Operation::geqrf, from_left = !o_.has_c() || o_.side == ACCUBLAS_LEFT;
    Index columns = factors ? order >= tuning_.deep.from ? tuning_.deep.columns : plain
                    : from_left && std::min(order, met) >= tuning_.applied.from ? tuning_.applied.columns
                                                                                : plain;
    while (columns > plain &&
           !(goes_apart(rows(), columns, met) && memory_of(columns) <= execution_.workspace.cap() / 2))
      columns /= 2;
    return round_up(std::clamp<Index>(order, 1, std::max(columns, plain)), width);
  }
  std::size_t memory_of(Index columns) {
    block_ = columns;
    Carver carver(nullptr);
    lay_out(carver);
    return carver.used();
  }
  /// Whether a block is factored beside what the one before makes of the columns after it. Double precision alone:
  /// measured.
  bool looks_ahead() const {
    return std::is_same_v<E, double> && o_.kind == Operation::geqrf && o_.reflectors() > block_ &&
           block_ <= tuning_.most_beside &&
           Beside::serves(state_, execution_.workspace,
                          static_cast<std::size_t>((rows() + 4 * block_) * block_) * sizeof(E));
  }
  Index count_of_words() const { return qr_panel_words<E>(model(), rows()); }
  /// The columns that a block's reflectors meet at most, or the rows from the right.
  Index columns_met() const { return !o_.has_c() ? o_.a_cols() : o_.side == ACCUBLAS_LEFT ? o_.n : o_.m; }
  Index most_met() const { return std::max(columns_met(), block_); }
  void lay_out(Carver& carver) {
    lane_ = {state_.cuda_stream(),
             carver.take<std::byte>(state_.blas_bytes()),
             state_.blas_bytes(),
             carver.take<E>(block_ * most_met()),
             carver.take<E>(block_ * most_met()),
             false};
    if (o_.kind == Operation::geqrf) {
      words_ = carver.take<FlaggedWord>(count_of_words());
      sums_ = carver.take<E>(qr_block_sums<E>(model(), std::min(panels_, block_)));
    }
    const auto take_reflectors = [&](Reflectors& r) {
      r.v = {carver.take<E>(rows() * block_), 1, rows()};
      r.s = {carver.take<E>(block_ * block_), 1, block_};
      r.t = {carver.take<E>(block_ * block_), 1, block_};
    };
    take_reflectors(reflectors_);
    if (looks_ahead()) {
      take_reflectors(next_reflectors_);
      side_lane_ = {nullptr,
                    carver.take<std::byte>(Beside::blas_bytes(state_)),
                    Beside::blas_bytes(state_),
                    carver.take<E>(block_ * block_),
                    carver.take<E>(block_ * block_),
                    true};
    }
    if (o_.a.row_stride != 1) copy_of_a_ = carver.take<E>(o_.a_rows() * o_.a_cols());
    if (o_.has_c() && o_.c.row_stride != 1) copy_of_c_ = carver.take<E>(o_.c_rows() * o_.c_cols());
  }

  const DeviceModel& model() const { return state_.model(); }
  cudaStream_t stream() const { return lane_.stream; }

  Matrix<E> in_columns(const Matrix<E>& x, Index rows, Index cols, E* copy) {
    if (!copy) return x;
    const Matrix<E> columns{copy, 1, rows};
    run_step<E>(model(), CopyStep<E>{columns, read_only(x)}, rows, cols, stream());
    return columns;
  }

  // ---- products ----

  bool takes_int8(Index m, Index n, Index k) const {
    return !lane_.beside && products_.engine(model(), m, n, k) == ACCUBLAS_ENGINE_INT8;
  }
  void multiply(const Gemm<E>& g) {
    multiply(g, takes_int8(g.m, g.n, g.k) ? ACCUBLAS_ENGINE_INT8 : ACCUBLAS_ENGINE_NATIVE);
  }
  void multiply(const Gemm<E>& g, accublas_engine engine) {
    if (g.m == 0 || g.n == 0) return;
    if constexpr (!is_complex<E>)
      // cuBLAS's products have no state of a call each, which takes as long as the least of them.
      if (engine == ACCUBLAS_ENGINE_NATIVE) {
        Cublas& blas = state_.cublas();
        blas.begin(stream(), lane_.blas_bytes > 0 ? lane_.blas_memory : nullptr, lane_.blas_bytes);
        return native_gemm<E>(blas, g, {g.alpha, nullptr}, {g.beta, nullptr}, {}, stream());
      }
    products_.serve(state_, Call<Gemm<E>, E>{g, {&g.alpha, false}, {&g.beta, false}, true, true, call_.mode, engine},
                    *inner_);
  }
  static E real(int x) { return E{RealOf<E>(x)}; }
  static Matrix<const E> adjoint(const Matrix<E>& x) { return read_only(x).transposed(); }
  static constexpr bool complex = is_complex<E>;

  /// C = alpha X B + beta C with a triangle X, which has ones or numbers near them on its diagonal, by halves: engine
  /// int8 leaves such lines, and those with zeros, to cuBLAS, and with them all others of a product.
  void multiply_triangle(bool upper, Index order, Index cols, const E& alpha, const Matrix<const E>& x,
                         const Matrix<const E>& b, const E& beta, const Matrix<E>& c, bool conjugate) {
    if (order <= tuning_.most_of_triangle)
      return multiply({order, cols, order, alpha, x, b, beta, c, conjugate}, ACCUBLAS_ENGINE_NATIVE);
    const Index half = middle_of(0, order), rest = order - half;
    const Matrix<E> c2 = c.block(half, 0);
    const Matrix<const E> b2 = b.block(half, 0);
    multiply_triangle(upper, half, cols, alpha, x, b, beta, c, conjugate);
    multiply_triangle(upper, rest, cols, alpha, x.block(half, half), b2, beta, c2, conjugate);
    if (upper)
      multiply({half, cols, rest, alpha, x.block(0, half), b2, real(1), c, conjugate});
    else
      multiply({rest, cols, half, alpha, x.block(half, 0), b, real(1), c2, conjugate});
  }
  /// Whether V's triangle is to be left out of its products with so many columns. Double precision alone: measured.
  bool goes_apart(Index m, Index count, Index cols) const {
    return std::is_same_v<E, double> && m > count &&
           (takes_int8(count, cols, m - count) || takes_int8(m - count, cols, count));
  }

  /// C = (I - V op(T) V^H) C, V with `m` rows and `count` columns, op(T) = T^H where `turned`.
  void apply_left(const Matrix<E>& v, const Matrix<E>& t, Index m, Index count, const Matrix<E>& c, Index cols,
                  bool turned) {
    if (cols == 0) return;
    const Matrix<E> w{lane_.w, 1, count}, y{lane_.y, 1, count};
    const Matrix<const E> of_t = turned ? adjoint(t) : read_only(t);
    if (goes_apart(m, count, cols)) {
      const Matrix<E> below = v.block(count, 0), c_below = c.block(count, 0);
      multiply_triangle(true, count, cols, real(1), adjoint(v), read_only(c), real(0), w, complex);
      multiply({count, cols, m - count, real(1), adjoint(below), read_only(c_below), real(1), w, complex});
      multiply_triangle(!turned, count, cols, real(1), of_t, read_only(w), real(0), y, complex && turned);
      wrote_ = true;
      multiply_triangle(false, count, cols, real(-1), read_only(v), read_only(y), real(1), c, false);
      multiply({m - count, cols, count, real(-1), read_only(below), read_only(y), real(1), c_below});
    } else {
      multiply({count, cols, m, real(1), adjoint(v), read_only(c), real(0), w, complex});
      multiply({count, cols, count, real(1), of_t, read_only(w), real(0), y, complex && turned});
      multiply({m, cols, count, real(-1), read_only(v), read_only(y), real(1), c});
    }
    wrote_ = true;
  }
  /// C = C (I - V op(T) V^H), C with `lines` rows.
  void apply_right(const Matrix<E>& v, const Matrix<E>& t, Index m, Index count, const Matrix<E>& c, Index lines,
                   bool turned) {
    if (lines == 0) return;
    const Matrix<E> w{lane_.w, 1, lines}, y{lane_.y, 1, lines};
    multiply({lines, count, m, real(1), read_only(c), read_only(v), real(0), w});
    multiply({lines, count, count, real(1), read_only(w), turned ? adjoint(t) : read_only(t), real(0), y, false,
              complex && turned});
    multiply({lines, m, count, real(-1), read_only(y), adjoint(v), real(1), c, false, complex});
    wrote_ = true;
  }

  /// T's part between those of columns first .. middle - 1 and middle .. end - 1.
  void join(Index rows_of_v, Index first, Index middle, Index end, bool has_products) {
    const Index left = middle - first, right = end - middle;
    const auto& [v, s, t] = reflectors_;
    const Matrix<E> between = s.block(first, middle), w{lane_.w, 1, left};
    if (!has_products)
      multiply({left, right, rows_of_v - middle, real(1), adjoint(v.block(middle, first)),
                read_only(v.block(middle, middle)), real(0), between, complex});
    multiply({left, right, right, real(1), read_only(between), read_only(t.block(middle, middle)), real(0), w});
    multiply(
        {left, right, left, real(-1), read_only(t.block(first, first)), read_only(w), real(0), t.block(first, middle)});
  }
  Index middle_of(Index first, Index count) const { return first + round_up(count / 2, width); }
  void join_all(Index rows_of_v, Index first, Index count) {
    if (count <= width) return;
    const Index middle = middle_of(first, count), end = first + count;
    join_all(rows_of_v, first, middle - first);
    join_all(rows_of_v, middle, end - middle);
    join(rows_of_v, first, middle, end, true);
  }
  void clear_t(Index count) { run_step<E>(model(), FillStep<E>{reflectors_.t}, count, count, stream()); }

  // ---- GEQRF ----

  void factor() {
    const Index n = o_.n, order = o_.reflectors();
    if (order > 0) factor_block(0, std::min(order, block_));
    for (Index start = 0, end = 0; start < order; start = end) {
      end = std::min(order, start + block_);
      const Index next_end = std::min(order, end + block_), middle = looks_ahead() ? next_end : n;
      beside_->join();
      const Reflectors made = reflectors_;
      const auto apply_to = [&](Index first, Index last) {
        apply_left(made.v, made.t, o_.m - start, end - start, a_.block(start, first), last - first, true);
      };
      apply_to(end, middle);
      if (end < order) factor_next_block(end, next_end);
      apply_to(middle, n);
    }
  }
  /// The columns start .. end - 1, to which those before are applied.
  void factor_block(Index start, Index end) {
    const Index count = end - start;
    clear_t(count);
    run_step<E>(model(), FillStep<E>{reflectors_.v}, std::min(count, o_.m - start), count, stream());
    factor_columns(start, 0, count);
  }
  /// Factors the next block on the side stream, if memory is left for it beside the call's stream's next work.
  void factor_next_block(Index start, Index end) {
    if (!looks_ahead()) return factor_block(start, end);
    std::swap(reflectors_, next_reflectors_);
    std::swap(lane_, side_lane_);
    lane_.stream = beside_->fork();
    factor_block(start, end);
    std::swap(lane_, side_lane_);
  }
  /// Columns first .. first + count - 1 of the block that begins at `start`.
  void factor_columns(Index start, Index first, Index count) {
    const Index left = o_.m - start;
    const auto& [v, s, t] = reflectors_;
    if (count <= panels_) {
      const QrBlock<E> block{a_.block(start + first, start + first),
                             v.block(first, first),
                             s.block(first, first),
                             t.block(first, first),
                             o_.tau + start + first,
                             left - first,
                             count,
                             sums_};
      return factor_panels(block);
    }
    const Index middle = middle_of(first, count), end = first + count;
    factor_columns(start, first, middle - first);
    apply_left(v.block(first, first), t.block(first, first), left - first, middle - first,
               a_.block(start + first, start + middle), end - middle, true);
    factor_columns(start, middle, end - middle);
    join(left, first, middle, end, false);
  }

  void factor_panels(const QrBlock<E>& block) {
    for (Index at = 0; at < block.cols; at += width) {
      const Index count = std::min(width, block.cols - at);
      factor_panel(model(),
                   QrPanel<E>{block.a.block(at, at), block.v.block(at, at), block.s.block(at, at), block.tau + at,
                              block.rows - at, static_cast<int>(count), words_},
                   steps_, stream());
      wrote_ = true;
      apply_panel(model(), block, at, stream());
    }
    make_triangles(model(), block.s, block.tau, block.t, block.cols, stream());
    join_triangles(model(), block, stream());
  }

  // ---- the matrix of reflectors ----

  /// V and T of reflectors start .. start + count - 1.
  void load(Index start, Index count) {
    const Index left = rows() - start;
    const auto& [v, s, t] = reflectors_;
    run_step<E>(model(), FillStep<E>{v, real(1)}, std::min(count, left), count, stream());
    run_step<E>(model(), CopyStep<E>{v, read_only(a_.block(start, start)), Triangle::lower, 0, false}, left, count,
                stream());
    clear_t(count);
    multiply({count, count, left, real(1), adjoint(v), read_only(v), real(0), s, complex});
    make_triangles(model(), s, o_.tau + start, t, count, stream());
    join_all(left, 0, count);
  }
  template <class Body>
  void for_blocks(bool forward, Body&& body) {
    const Index k = o_.reflectors(), blocks = ceil_div(k, block_);
    for (Index step = 0; step < blocks; ++step) {
      const Index start = (forward ? step : blocks - 1 - step) * block_, count = std::min(block_, k - start);
      load(start, count);
      body(start, count);
    }
  }
  void generate() {
    const Index m = o_.m, n = o_.n, k = o_.k;
    if (k < n) fill_identity(0, k, m, n - k);
    for_blocks(false, [&](Index start, Index count) {
      fill_identity(0, start, m, count);
      apply_left(reflectors_.v, reflectors_.t, m - start, count, a_.block(start, start), n - start, false);
    });
  }
  void fill_identity(Index row, Index column, Index count, Index cols) {
    wrote_ = true;
    run_step<E>(model(), FillStep<E>{a_.block(row, column), real(1), row - column}, count, cols, stream());
  }
  void apply() {
    const bool left = o_.side == ACCUBLAS_LEFT, turned = o_.trans != ACCUBLAS_NO_TRANS;
    for_blocks(left == turned, [&](Index start, Index count) {
      left ? apply_left(reflectors_.v, reflectors_.t, rows() - start, count, c_.block(start, 0), o_.n, turned)
           : apply_right(reflectors_.v, reflectors_.t, rows() - start, count, c_.block(0, start), o_.m, turned);
    });
  }

  State& state_;
  const QrTuning& tuning_ = state_.model().tuning().qr;
  const Call<Orthogonal<E>, E>& call_;
  const Orthogonal<E>& o_;
  const GradeProducts<E>& products_;
  Execution& execution_;
  Index block_ = 0;
  const Index panels_;  ///< columns that go panel by panel at most
  Execution* inner_ = nullptr;
  FlaggedWord* words_ = nullptr;
  E* sums_ = nullptr;
  Matrix<E> a_{}, c_{};
  Reflectors reflectors_{}, next_reflectors_{};
  Lane lane_{}, side_lane_{};
  Beside* beside_ = nullptr;
  E *copy_of_a_ = nullptr, *copy_of_c_ = nullptr;
  std::uint32_t steps_ = 0;
  bool wrote_ = false;
};

}  // namespace

template <class E>
bool has_panels(const DeviceModel& model, const Orthogonal<E>& o) {
  return o.kind != Operation::geqrf || qr_panel_blocks<E>(model, o.m) > 0;
}

template <class E>
void orthogonal_by_products(State& state, const Call<Orthogonal<E>, E>& call, const GradeProducts<E>& products,
                            Execution& execution) {
  BatchScope scope(state, execution.report.level);
  OrthogonalByProducts<E>(state, call, products, execution).run();
  scope.end();
}

#define ACCUBLAS_INSTANTIATE(E)                                       \
  template bool has_panels(const DeviceModel&, const Orthogonal<E>&); \
  template void orthogonal_by_products(State&, const Call<Orthogonal<E>, E>&, const GradeProducts<E>&, Execution&);
ACCUBLAS_INSTANTIATE(double)
ACCUBLAS_INSTANTIATE(float)
ACCUBLAS_INSTANTIATE(Complex<double>)
ACCUBLAS_INSTANTIATE(Complex<float>)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
