// Columns are processed in blocks. The reflectors of a block have the product Q = I - V T V^H with an upper triangle T.
// A block's columns are halved until a part is a panel, or a few panels, which are factored in plain floating-point
// arithmetic. Two halves with triangles T1 and T2 are combined: V has the vectors of both, and T has both triangles
// with -T1 (V1^H V2) T2 between them. A block is applied to the columns to its right by two large products, whose terms
// are as many as the block's rows, and columns.
#include "cuda/qr/orthogonal_by_products.hpp"

#include <algorithm>

#include "cuda/lapack/element_kernels.hpp"
#include "cuda/qr/qr_panel.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

namespace {

template <class E>
class OrthogonalByProducts {
  static constexpr Index width = qr_panel_columns<E>;

 public:
  OrthogonalByProducts(State& state, const Call<Orthogonal<E>, E>& call, const GradeProducts<E>& functions,
                       Execution& execution)
      : state_(state),
        o_(call.problem),
        execution_(execution),
        panels_(qr_block_columns<E>(state.model())),
        products_(state, call.mode, functions) {
    block_ = columns_that_fit();
  }

  void run() {
    products_.begin(execution_, [&](Carver& carver) { lay_out(carver); });
    state_.cublas();  // a missing cuBLAS is reported before anything is written
    with_written(wrote_, [&] {
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
    });
    products_.end();
  }

 private:
  /// Memory for the steps of apply_left and apply_right.
  struct Between {
    E *w, *y;
  };
  /// A block's vectors, their products and T.
  struct Reflectors {
    Matrix<E> v, s, t;
  };

  Index rows() const { return o_.a_rows(); }
  /// Returns the columns of a block. Wide blocks are halved until they leave half of the workspace to products.
  Index columns_that_fit() {
    const Index order = o_.reflectors(), columns_of_c = applied_to();
    const Index plain = std::ranges::find_if(tuning_.blocks, [&](auto width) { return order >= width.from; })->columns;
    const bool factors = o_.kind == Operation::geqrf, from_left = !o_.has_c() || o_.side == ACCUBLAS_LEFT;
    Index columns = factors ? order >= tuning_.deep.from ? tuning_.deep.columns : plain
                    : from_left && std::min(order, columns_of_c) >= tuning_.applied.from ? tuning_.applied.columns
                                                                                         : plain;
    while (columns > plain &&
           !(goes_apart(rows(), columns, columns_of_c) && memory_of(columns) <= execution_.workspace.cap() / 2))
      columns /= 2;
    return round_up(std::clamp<Index>(order, 1, std::max(columns, plain)), width);
  }
  std::size_t memory_of(Index columns) {
    block_ = columns;
    return bytes_of_arrays([&](Carver& carver) { lay_out(carver); });
  }
  /// Returns whether a block is factored while the block before it is applied to the columns to the right of both. Only
  /// double precision was measured.
  bool looks_ahead() const {
    return std::is_same_v<E, double> && o_.kind == Operation::geqrf && o_.reflectors() > block_ &&
           block_ <= tuning_.most_concurrent &&
           SideStream::serves(state_, execution_.workspace,
                              static_cast<std::size_t>((rows() + 4 * block_) * block_) * sizeof(E));
  }
  Index count_of_words() const { return qr_panel_words<E>(model(), rows()); }
  /// Returns how many columns a block's reflectors are applied to at most; rows if they are applied from the right.
  Index applied_to() const { return !o_.has_c() ? o_.a_cols() : o_.side == ACCUBLAS_LEFT ? o_.n : o_.m; }
  Index most_between() const { return std::max(applied_to(), block_); }
  void lay_out(Carver& carver) {
    products_.lay_out(carver, looks_ahead());
    between_[0] = {carver.take<E>(block_ * most_between()), carver.take<E>(block_ * most_between())};
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
      between_[1] = {carver.take<E>(block_ * block_), carver.take<E>(block_ * block_)};
    }
    if (o_.a.row_stride != 1) copy_of_a_ = carver.take<E>(o_.a_rows() * o_.a_cols());
    if (o_.has_c() && o_.c.row_stride != 1) copy_of_c_ = carver.take<E>(o_.c_rows() * o_.c_cols());
  }

  const DeviceModel& model() const { return state_.model(); }
  cudaStream_t stream() const { return products_.stream(); }
  const Between& between() const { return between_[products_.concurrent()]; }

  Matrix<E> in_columns(const Matrix<E>& x, Index rows, Index cols, E* copy) {
    if (!copy) return x;
    const Matrix<E> columns{copy, 1, rows};
    run_step<E>(model(), CopyStep<E>{columns, read_only(x)}, rows, cols, stream());
    return columns;
  }

  // ---- products ----

  bool takes_int8(Index m, Index n, Index k) const { return products_.engine(m, n, k) == ACCUBLAS_ENGINE_INT8; }
  void multiply(const Gemm<E>& g) { products_.multiply(g); }
  static E real(int x) { return E{RealOf<E>(x)}; }
  static Matrix<const E> adjoint(const Matrix<E>& x) { return read_only(x).transposed(); }
  static constexpr bool complex = is_complex<E>;

  /// Computes C = alpha X B + beta C by halves of the triangle X, whose diagonal has ones or numbers near 1. Engine
  /// int8 would leave a product with such rows, or with rows that have zeros, to cuBLAS.
  void multiply_triangle(bool upper, Index order, Index cols, const E& alpha, const Matrix<const E>& x,
                         const Matrix<const E>& b, const E& beta, const Matrix<E>& c, bool conjugate) {
    if (order <= tuning_.most_of_triangle)
      return products_.multiply({order, cols, order, alpha, x, b, beta, c, conjugate}, ACCUBLAS_ENGINE_NATIVE);
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
  /// Returns whether V's triangle is left out of the products with this many columns. Only double precision was
  /// measured.
  bool goes_apart(Index m, Index count, Index cols) const {
    return std::is_same_v<E, double> && m > count &&
           (takes_int8(count, cols, m - count) || takes_int8(m - count, cols, count));
  }

  /// Computes C = (I - V op(T) V^H) C. V has `m` rows and `count` columns; op(T) is T^H if `transposed`.
  void apply_left(const Matrix<E>& v, const Matrix<E>& t, Index m, Index count, const Matrix<E>& c, Index cols,
                  bool transposed) {
    if (cols == 0) return;
    const Matrix<E> w{between().w, 1, count}, y{between().y, 1, count};
    const Matrix<const E> of_t = transposed ? adjoint(t) : read_only(t);
    if (goes_apart(m, count, cols)) {
      const Matrix<E> below = v.block(count, 0), c_below = c.block(count, 0);
      multiply_triangle(true, count, cols, real(1), adjoint(v), read_only(c), real(0), w, complex);
      multiply({count, cols, m - count, real(1), adjoint(below), read_only(c_below), real(1), w, complex});
      multiply_triangle(!transposed, count, cols, real(1), of_t, read_only(w), real(0), y, complex && transposed);
      wrote_ = true;
      multiply_triangle(false, count, cols, real(-1), read_only(v), read_only(y), real(1), c, false);
      multiply({m - count, cols, count, real(-1), read_only(below), read_only(y), real(1), c_below});
    } else {
      multiply({count, cols, m, real(1), adjoint(v), read_only(c), real(0), w, complex});
      multiply({count, cols, count, real(1), of_t, read_only(w), real(0), y, complex && transposed});
      multiply({m, cols, count, real(-1), read_only(v), read_only(y), real(1), c});
    }
    wrote_ = true;
  }
  /// Computes C = C (I - V op(T) V^H). C has `c_rows` rows.
  void apply_right(const Matrix<E>& v, const Matrix<E>& t, Index m, Index count, const Matrix<E>& c, Index c_rows,
                   bool transposed) {
    if (c_rows == 0) return;
    const Matrix<E> w{between().w, 1, c_rows}, y{between().y, 1, c_rows};
    multiply({c_rows, count, m, real(1), read_only(c), read_only(v), real(0), w});
    multiply({c_rows, count, count, real(1), read_only(w), transposed ? adjoint(t) : read_only(t), real(0), y, false,
              complex && transposed});
    multiply({c_rows, m, count, real(-1), read_only(y), adjoint(v), real(1), c, false, complex});
    wrote_ = true;
  }

  /// Computes T between the triangles of columns first .. middle - 1 and middle .. end - 1.
  void combine(Index rows_of_v, Index first, Index middle, Index end, bool has_products) {
    const Index left = middle - first, right = end - middle;
    const auto& [v, s, t] = reflectors_;
    const Matrix<E> inner = s.block(first, middle), w{between().w, 1, left};
    if (!has_products)
      multiply({left, right, rows_of_v - middle, real(1), adjoint(v.block(middle, first)),
                read_only(v.block(middle, middle)), real(0), inner, complex});
    multiply({left, right, right, real(1), read_only(inner), read_only(t.block(middle, middle)), real(0), w});
    multiply(
        {left, right, left, real(-1), read_only(t.block(first, first)), read_only(w), real(0), t.block(first, middle)});
  }
  Index middle_of(Index first, Index count) const { return first + round_up(count / 2, width); }
  void combine_all(Index rows_of_v, Index first, Index count) {
    if (count <= width) return;
    const Index middle = middle_of(first, count), end = first + count;
    combine_all(rows_of_v, first, middle - first);
    combine_all(rows_of_v, middle, end - middle);
    combine(rows_of_v, first, middle, end, true);
  }
  void clear_t(Index count) { run_step<E>(model(), FillStep<E>{reflectors_.t}, count, count, stream()); }

  // ---- GEQRF ----

  void factor() {
    const Index n = o_.n, order = o_.reflectors();
    if (order > 0) factor_block(0, std::min(order, block_));
    for (Index start = 0, end = 0; start < order; start = end) {
      end = std::min(order, start + block_);
      const Index next_end = std::min(order, end + block_), middle = looks_ahead() ? next_end : n;
      products_.join();
      const Reflectors made = reflectors_;
      const auto apply_to = [&](Index first, Index last) {
        apply_left(made.v, made.t, o_.m - start, end - start, a_.block(start, first), last - first, true);
      };
      apply_to(end, middle);
      if (end < order) factor_next_block(end, next_end);
      apply_to(middle, n);
    }
  }
  /// Factors columns start .. end - 1, to which the earlier blocks are applied already.
  void factor_block(Index start, Index end) {
    const Index count = end - start;
    clear_t(count);
    run_step<E>(model(), FillStep<E>{reflectors_.v}, std::min(count, o_.m - start), count, stream());
    factor_columns(start, 0, count);
  }
  /// Factors the next block, on the side stream if that has memory.
  void factor_next_block(Index start, Index end) {
    if (!looks_ahead()) return factor_block(start, end);
    std::swap(reflectors_, next_reflectors_);
    products_.concurrently([&] { factor_block(start, end); });
  }
  /// Factors columns first .. first + count - 1 of the block that begins at `start`.
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
    combine(left, first, middle, end, false);
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

  // ---- ORGQR and ORMQR ----

  /// Computes V and T of reflectors start .. start + count - 1.
  void load(Index start, Index count) {
    const Index left = rows() - start;
    const auto& [v, s, t] = reflectors_;
    run_step<E>(model(), FillStep<E>{v, real(1)}, std::min(count, left), count, stream());
    run_step<E>(model(), CopyStep<E>{v, read_only(a_.block(start, start)), Triangle::lower, 0, false}, left, count,
                stream());
    clear_t(count);
    multiply({count, count, left, real(1), adjoint(v), read_only(v), real(0), s, complex});
    make_triangles(model(), s, o_.tau + start, t, count, stream());
    combine_all(left, 0, count);
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
    const bool left = o_.side == ACCUBLAS_LEFT, transposed = o_.trans != ACCUBLAS_NO_TRANS;
    for_blocks(left == transposed, [&](Index start, Index count) {
      left ? apply_left(reflectors_.v, reflectors_.t, rows() - start, count, c_.block(start, 0), o_.n, transposed)
           : apply_right(reflectors_.v, reflectors_.t, rows() - start, count, c_.block(0, start), o_.m, transposed);
    });
  }

  State& state_;
  const QrTuning& tuning_ = state_.model().tuning().qr;
  const Orthogonal<E>& o_;
  Execution& execution_;
  Index block_ = 0;
  const Index panels_;  ///< most columns that are factored panel by panel
  InnerProducts<E> products_;
  FlaggedWord* words_ = nullptr;
  E* sums_ = nullptr;
  Matrix<E> a_{}, c_{};
  Reflectors reflectors_{}, next_reflectors_{};
  Between between_[2] = {};  ///< memory of the call's stream, and of the side stream
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
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
