// LU recurses on halves of the columns: half of all work is in products of a quarter of n terms and more. Cholesky's
// factorization recurses on halves of the rows, each with all the columns to its right, so that the only triangular
// systems are those of the blocks on the diagonal. In double precision one kernel solves a diagonal block and its
// systems.
#include "cuda/lu_cholesky/factor_by_products.hpp"

#include <optional>

#include "cuda/core/beside.hpp"
#include "cuda/core/carver.hpp"
#include "cuda/core/check.hpp"
#include "cuda/core/cublas.hpp"
#include "cuda/core/inner_calls.hpp"
#include "cuda/core/rehearsal.hpp"
#include "cuda/lu_cholesky/cholesky_rows.hpp"
#include "cuda/lu_cholesky/host_columns.hpp"
#include "cuda/lu_cholesky/plain_cholesky.hpp"
#include "cuda/lu_cholesky/plain_panel.hpp"
#include "cuda/lu_cholesky/row_order.hpp"
#include "cuda/native/native.hpp"
#include "cuda/structured/level3_call.hpp"
#include "cuda/trsm/solve_by_halves.hpp"
#include "lib/base/error.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

namespace {

/// Returns whether an operand is conjugated but not transposed, which BLAS cannot express. A single column may as well
/// be taken as a row; the transposed product has a name in BLAS.
template <class E>
bool wants_transposition(const accublas::Operand<E>& a, const Matrix<E>& result) {
  return a.conjugate && a.stored.row_stride == 1 && result.row_stride == 1 && result.col_stride == 1;
}

/// Returns op(M) of a triangular system in the notation of BLAS. X, or its transpose, is column-major.
template <class E>
Level3<E> named_system(const TriangularSystem<E>& s) {
  const bool by_columns = s.x.row_stride == 1 && !wants_transposition(s.m, s.x);
  const accublas::Operand<E> m = by_columns ? s.m : s.m.transposed();
  const bool plain = m.stored.row_stride == 1 && !m.conjugate;
  const Triangle stored = plain ? m.part : transposed(m.part);
  const Index rows = by_columns ? s.order : s.sides, cols = by_columns ? s.sides : s.order;
  Level3<E> l{};
  l.kind = Operation::trsm;
  l.complex = is_complex<E>;
  l.side = by_columns ? ACCUBLAS_LEFT : ACCUBLAS_RIGHT;
  l.uplo = stored == Triangle::upper ? ACCUBLAS_UPPER : ACCUBLAS_LOWER;
  l.transa = plain ? ACCUBLAS_NO_TRANS : m.conjugate ? ACCUBLAS_CONJ_TRANS : ACCUBLAS_TRANS;
  l.diag = m.unit ? ACCUBLAS_UNIT : ACCUBLAS_NON_UNIT;
  l.m = rows, l.n = cols;
  l.a = m.stored.data, l.lda = std::max(plain ? m.stored.col_stride : m.stored.row_stride, s.order);
  l.c = s.x.data, l.ldb = std::max(by_columns ? s.x.col_stride : s.x.row_stride, rows);
  l.alpha = s.alpha;
  return l;
}

/// Returns the call for C -= X^H X on upper triangles. X is terms x order. Both X and C, or both their transposes, are
/// column-major.
template <class E>
Level3<E> named_triangle(const Matrix<E>& x, Index terms, Index order, const Matrix<E>& c) {
  const bool by_columns = x.row_stride == 1;
  Level3<E> l{};
  l.kind = is_complex<E> ? Operation::herk : Operation::syrk;
  l.complex = is_complex<E>;
  l.uplo = by_columns ? ACCUBLAS_UPPER : ACCUBLAS_LOWER;
  l.transa = !by_columns ? ACCUBLAS_NO_TRANS : is_complex<E> ? ACCUBLAS_CONJ_TRANS : ACCUBLAS_TRANS;
  l.n = order, l.k = terms;
  l.alpha = E{RealOf<E>(-1)}, l.beta = E{RealOf<E>(1)};
  l.a = x.data, l.lda = by_columns ? x.col_stride : x.row_stride;
  l.c = c.data, l.ldc = by_columns ? c.col_stride : c.row_stride;
  return l;
}

template <class E>
class FactorByProducts {
  static constexpr Index width = plain_panel_columns<E>;
  static constexpr Index most_levels = 8;  ///< at most 8192 columns are listed, and halves have up to 31 more
  /// Columns are factored concurrently with the update of the others in double precision alone, where that was
  /// measured. Products of complex numbers use the call's state, which is on its stream.
  static constexpr bool has_ahead = std::is_same_v<E, double>;
  static constexpr bool has_rows = std::is_same_v<E, double>;
  static constexpr Index rows_at_once = has_rows ? cholesky_rows_at_once : plain_cholesky_edge;

 public:
  FactorByProducts(State& state, const Call<Factorization<E>, E>& call, FactorOutcome* outcome,
                   const GradeProducts<E>& products, HostColumns<E>* host, Execution& execution)
      : state_(state),
        call_(call),
        f_(call.problem),
        outcome_(outcome),
        products_(products),
        host_(host),
        execution_(execution),
        stream_(state.cuda_stream()),
        a_(is_cholesky(f_.kind) ? f_.cholesky_factor() : f_.a),
        end_(f_.n) {
    if (host_) host_->take(host_->panel_that_fits(plain_cholesky_edge), false);
  }

  void run() {
    const ArrayMemory<CopyMemory> memory([&](Carver& carver) { lay_out(carver); }, state_, execution_.workspace);
    Workspace rest = rest_of(execution_.workspace, memory.data(), memory.bytes());
    Execution inner = execution_.within(rest);
    inner_ = &inner;
    Beside beside(state_);
    beside_ = &beside;
    const char* const what = "clearing what thread blocks exchange";
    if (words_)
      set_on_stream(words_, 0, static_cast<std::size_t>(count_of_words()) * sizeof *words_, state_.cuda_stream(), what);
    if (progress_) set_on_stream(progress_, 0, sizeof *progress_, state_.cuda_stream(), what);
    try {
      if (host_)
        factor_host_columns();
      else if (has_factor(f_.kind))
        factor_columns_at_hand(0);
      if (has_solution(f_.kind) && f_.nrhs > 0) solve_all();
    } catch (const Error& error) {
      if (wrote_ && !host_ && error.status() == ACCUBLAS_ERROR_MEMORY)
        throw Error(ACCUBLAS_ERROR_C_UNDEFINED, error.what());
      throw;
    }
    execution_.report.workspace_bytes += static_cast<std::int64_t>(memory.bytes());
  }

 private:
  bool keeps_solutions() const { return has_factor(f_.kind) && has_solution(f_.kind) && f_.nrhs > 0; }
  Index count_of_words() const { return plain_panel_words<E>(state_.model(), f_.rows()); }
  void lay_out(Carver& carver) {
    blas_memory_ = carver.take<std::byte>(state_.blas_bytes());
    if (has_factor(f_.kind) && !is_cholesky(f_.kind)) {
      words_ = carver.take<FlaggedWord>(count_of_words());
      moves_ = carver.take<RowMoves>(1);
      origins_ = {carver.take<int>(f_.rows() * most_levels), 1, f_.rows()};
      lists_ = carver.take<ListedMove>(2 * f_.order());
      counts_ = carver.take<int>(ceil_div(f_.order(), width));
      if (looks_ahead()) beside_memory_ = carver.take<std::byte>(Beside::blas_bytes(state_));
    }
    if (has_rows && has_factor(f_.kind) && is_cholesky(f_.kind)) progress_ = carver.take<RowsProgress>(1);
    if (keeps_solutions()) kept_ = carver.take<E>(f_.n * f_.nrhs);
  }

  Cublas& blas() {
    Cublas& blas = state_.cublas();
    if (stream_ != state_.cuda_stream())
      blas.begin(stream_, beside_memory_, Beside::blas_bytes(state_));
    else
      blas.begin(stream_, state_.blas_bytes() > 0 ? blas_memory_ : nullptr, state_.blas_bytes());
    return blas;
  }

  // ---- products and systems ----

  void multiply(const Gemm<E>& g) {
    if (g.m == 0 || g.n == 0) return;
    const accublas_engine engine = products_.engine(state_.model(), g.m, g.n, g.k);
    if constexpr (!is_complex<E>)
      // cuBLAS's products have no state per call. To set one up takes as long as the smallest of these products.
      if (engine == ACCUBLAS_ENGINE_NATIVE || stream_ != state_.cuda_stream())
        return native_gemm<E>(blas(), g, {g.alpha, nullptr}, {g.beta, nullptr}, {}, stream_);
    if (g.n == 1 && wants_transposition<E>({g.a, g.conjugate_a}, g.c)) return serve(g.transposed(), engine);
    serve(g, engine);
  }
  void serve(const Gemm<E>& g, accublas_engine engine) {
    products_.serve(state_, Call<Gemm<E>, E>{g, {&g.alpha, false}, {&g.beta, false}, true, true, call_.mode, engine},
                    *inner_);
  }
  /// Computes C -= A B.
  void subtract(Index m, Index n, Index k, Matrix<const E> a, Matrix<const E> b, Matrix<E> c, bool conjugate_a) {
    multiply({m, n, k, E{RealOf<E>(-1)}, a, b, E{RealOf<E>(1)}, c, conjugate_a});
  }
  void native(const Level3<E>& l) {
    Cublas& cublas = blas();
    cublas.scalars_on_device(false);
    cublas.level3(l);
  }
  void subtract_square(const Matrix<E>& x, Index terms, Index order, const Matrix<E>& c) {
    if (order == 0) return;
    const Level3<E> l = named_triangle(x, terms, order, c);
    const accublas_engine engine = products_.engine(state_.model(), order, order, terms);
    if (engine == ACCUBLAS_ENGINE_NATIVE) return native(l);
    level3_call(state_, Call<Level3<E>, E>{l, {&l.alpha, false}, {&l.beta, false}, true, true, call_.mode, engine},
                *inner_, products_.serve);
  }
  void solve(const TriangularSystem<E>& system) {
    if (system.order == 0 || system.sides == 0) return;
    for_halves(
        state_.model().tuning().trsm, system, 0, system.order, system.alpha,
        [&](Index first, Index count, const E& alpha) {
          TriangularSystem<E> part{count, system.sides, alpha, system.m, system.x.block(first, 0)};
          part.m.stored = system.m.stored.block(first, first);
          if constexpr (has_leaf<E>)
            solve_leaf(state_.model(), part, stream_);
          else
            native(named_system(part));
        },
        [&](const Gemm<E>& g) { multiply(g); });
    wrote_ = true;
  }

  // ---- Panels ----

  /// Factors the current columns of A (X), first_ to end_ - 1. The contributions of the `known` unknowns to their left
  /// are subtracted already.
  void factor_columns_at_hand(Index known) {
    if (is_cholesky(f_.kind)) return factor_rows(known, end_ - known);
    const Index count = std::min(end_, f_.order()) - known;
    if (count == 0) return;
    factor_lu(known, count);
  }
  void factor_host_columns() {
    const bool conjugated = is_cholesky(f_.kind) && is_complex<E>;
    for (first_ = 0; first_ < f_.n; first_ = end_) {
      end_ = std::min(first_ + host_->panel(), f_.n);
      // A single column has no order, and its complex products would have no name in BLAS.
      if (f_.n - end_ == 1) ++end_;
      a_ = host_->load(first_, end_);
      const Index known = std::min(first_, f_.order()), sides = end_ - first_,
                  rows = is_cholesky(f_.kind) ? known : f_.rows();
      host_->for_blocks(known, [&](Index at, Index count, const Matrix<const E>& l) {
        const Index next = at + count;
        solve({count,
               sides,
               E{RealOf<E>(1)},
               {l.block(at, at), conjugated, Structure::triangular, Triangle::lower, !is_cholesky(f_.kind)},
               a_.block(at, first_)});
        subtract(rows - next, sides, count, l.block(next, at), read_only(a_.block(at, first_)), a_.block(next, first_),
                 conjugated);
      });
      if (is_cholesky(f_.kind) && known > 0)
        subtract_square(a_.block(0, first_), known, sides, a_.block(first_, first_));
      factor_columns_at_hand(known);
      host_->store();
    }
  }

  // ---- Cholesky ----

  /// Factors rows first .. first + count - 1 of X, with all columns to their right. The contributions of the rows above
  /// are subtracted already.
  void factor_rows(Index first, Index count) {
    const Matrix<E>& x = a_;
    if (count <= rows_at_once) {
      wrote_ = true;
      if constexpr (has_rows) {
        return cholesky_rows(state_.model(), x, first, count, end_, progress_, steps_, &outcome_->info,
                             state_.cuda_stream());
      } else {
        factor_diagonal(state_.model(), x, first, count, &outcome_->info, state_.cuda_stream());
        const Index next = first + count;
        return solve(
            {count,
             end_ - next,
             E{RealOf<E>(1)},
             {read_only(x.block(first, first)).transposed(), is_complex<E>, Structure::triangular, Triangle::lower},
             x.block(first, next)});
      }
    }
    const Index half = round_up(count / 2, rows_at_once), middle = first + half, end = first + count;
    factor_rows(first, half);
    subtract_square(x.block(first, middle), half, end - middle, x.block(middle, middle));
    subtract(end - middle, end_ - end, half, read_only(x.block(first, middle)).transposed(),
             read_only(x.block(first, end)), x.block(middle, end), is_complex<E>);
    factor_rows(middle, end - middle);
  }

  // ---- LU ----
  //
  // A panel exchanges rows in the columns of its block, and in those of origins for each level of the recursion above.
  // When a level is finished, its moves become a list, which is applied to the other columns of the level above at
  // once.

  /// Returns the size of the first half of `count` columns; it is the larger half.
  static Index half_of(Index count) { return round_up(ceil_div(count, Index{2}), width); }
  /// Returns how many columns a level of `count` columns factors first.
  Index first_of(Index count) const { return looks_ahead(count) ? tuning_.ahead_columns : half_of(count); }
  /// Factors columns first .. first + count - 1, and computes their rows of U up to end_.
  void factor_lu(Index first, Index count) {
    const Index end = first + count;
    most_listed_ = std::min(most_listed_columns(a_), end_ > end ? count : count - 1);
    if (count > tuning_.block_columns || end_ > end)
      begin_origins(state_.model(), origins_, f_.rows(), most_levels, stream_);
    factor_columns(first, count, 0);
    move_beside(first, count, end, end_);
    solve_above(first, count, end, end_);
  }
  /// Factors columns first .. first + count - 1 from row `first` on. The contributions of the columns to their left are
  /// subtracted already. The moves go to the origins of `level`, unless there are more than a list holds.
  void factor_columns(Index first, Index count, Index level) {
    const Index below = level + (count <= most_listed_ ? 1 : 0);
    if (count <= tuning_.block_columns) {
      block_ = {first, first + count, below};
      factor_block(first, count);
    } else if (looks_ahead(count)) {
      factor_ahead(first, count, below);
    } else {
      const Index half = half_of(count), middle = first + half, end = first + count;
      factor_columns(first, half, below);
      move_beside(first, half, middle, end);
      update(first, half, middle, end);
      factor_columns(middle, end - middle, below);
      move_beside(middle, end - middle, first, middle);
    }
    if (below > level) list_moves(state_.model(), &origins_(0, level), first, f_.rows(), list_of(first), stream_);
  }
  bool looks_ahead() const {
    return has_ahead && f_.order() > tuning_.ahead_columns && Beside::serves(state_, execution_.workspace);
  }
  /// Returns whether a level looks ahead. In large matrices only parts do: in products of more terms the emulation
  /// saves more.
  bool looks_ahead(Index count) const {
    return looks_ahead() && count > tuning_.ahead_columns &&
           count <= (f_.order() <= tuning_.small_order ? tuning_.small_order : tuning_.most_ahead);
  }
  /// Factors columns first .. first + count - 1 in steps. The next columns of each step are factored concurrently with
  /// the update of the other columns by the columns before.
  void factor_ahead(Index first, Index count, Index level) {
    const Index end = first + count;
    Index begin = first, next = first + tuning_.ahead_columns;
    factor_columns(begin, next - begin, level);
    while (next < end) {
      const Index known = next - begin, after = std::min(next + tuning_.ahead_columns, end);
      move_beside(begin, known, next, after);
      update(begin, known, next, after);
      stream_ = beside_->fork();
      factor_columns(next, after - next, level);
      stream_ = state_.cuda_stream();
      move_beside(begin, known, first, begin);
      move_beside(begin, known, after, end);
      update(begin, known, after, end);
      beside_->join();
      begin = next, next = after;
    }
    move_beside(begin, end - begin, first, begin);
  }
  /// Factors the columns of one block by recursion on halves.
  void factor_block(Index first, Index count) {
    if (count <= width) return factor_few_columns(first, static_cast<int>(count));
    const Index half = half_of(count), middle = first + half, end = first + count;
    factor_block(first, half);
    update(first, half, middle, end);
    factor_block(middle, end - middle);
  }
  /// Updates columns from .. end - 1 by columns first .. first + count - 1 of L.
  void update(Index first, Index count, Index from, Index end) {
    const Index next = first + count;
    solve_above(first, count, from, end);
    subtract(f_.rows() - next, end - from, count, read_only(a_.block(next, first)), read_only(a_.block(first, from)),
             a_.block(next, from), false);
  }
  /// Computes rows first .. first + count - 1 of U in columns from .. end - 1.
  void solve_above(Index first, Index count, Index from, Index end) {
    solve({count,
           end - from,
           E{RealOf<E>(1)},
           {read_only(a_.block(first, first)), false, Structure::triangular, Triangle::lower, true},
           a_.block(first, from)});
  }
  /// Applies the moves of columns first .. first + count - 1 to columns from .. end - 1.
  void move_beside(Index first, Index count, Index from, Index end) {
    if (end <= from) return;
    if (count > most_listed_) {
      const Index part = first_of(count);
      for (Index at = 0; at < count; at += part) move_beside(first + at, std::min(part, count - at), from, end);
      return;
    }
    move_listed_rows(state_.model(), list_of(first), std::min(2 * count, f_.rows() - first), a_.block(0, from),
                     end - from, stream_);
  }
  ListedMoves list_of(Index first) const { return {lists_ + 2 * first, counts_ + first / width}; }
  void factor_few_columns(Index first, int count) {
    const DeviceModel& model = state_.model();
    factor_panel(model,
                 PlainPanel<E>{a_, f_.rows(), first, count, words_, moves_,
                               host_ ? host_->pivots() : static_cast<std::int64_t*>(f_.pivots.data), &outcome_->info},
                 steps_, stream_);
    move_rows(model, moves_, a_.block(0, block_.first), block_.end - block_.first, stream_, origins_, block_.levels);
    wrote_ = true;
  }

  // ---- solutions ----

  /// Solves by the factors; on a copy of B if the factorization may turn out to have no solution.
  void solve_all() {
    const cudaStream_t stream = state_.cuda_stream();
    Factorization<E> f = f_;
    if (keeps_solutions()) {
      close_on_failure(state_.model(), outcome_, stream);
      f.b = f_.b.row_stride == 1 ? Matrix<E>{kept_, 1, f_.n} : Matrix<E>{kept_, f_.nrhs, 1};
      copy_if_open(state_.model(), nullptr, f_.b, f.b, f_.n, f_.nrhs, stream);
    }
    const bool plain = f.trans == ACCUBLAS_NO_TRANS, pivoted = !is_cholesky(f.kind);
    if (pivoted && plain) exchange(f, false);
    for (const accublas::Operand<E>& m : pivoted ? lu_solves(f) : cholesky_solves(f))
      solve({f.n, f.nrhs, E{RealOf<E>(1)}, m, f.b});
    if (pivoted && !plain) exchange(f, true);
    if (keeps_solutions()) copy_if_open(state_.model(), outcome_, f.b, f_.b, f_.n, f_.nrhs, stream);
  }
  void exchange(const Factorization<E>& f, bool backwards) {
    exchange_rows(state_.model(), f.b, f.nrhs, static_cast<const std::int64_t*>(f.pivots.data), f.n, backwards, nullptr,
                  state_.cuda_stream());
    wrote_ = true;
  }

  /// Columns that exchange rows with their panels, and the number of levels above that record the moves.
  struct Block {
    Index first, end, levels;
  };

  State& state_;
  const LuTuning& tuning_ = state_.model().tuning().lu;
  const Call<Factorization<E>, E>& call_;
  const Factorization<E>& f_;
  FactorOutcome* const outcome_;
  const GradeProducts<E>& products_;
  HostColumns<E>* const host_;
  Execution& execution_;
  Beside* beside_ = nullptr;
  cudaStream_t stream_;  ///< stream of panels, small systems and products of few terms: the call's, or the side stream
  Matrix<E> a_;          ///< in Cholesky's factorization this is X
  Index first_ = 0, end_;
  Execution* inner_ = nullptr;
  std::byte *blas_memory_ = nullptr, *beside_memory_ = nullptr;
  FlaggedWord* words_ = nullptr;
  RowMoves* moves_ = nullptr;
  Matrix<int> origins_{};  ///< one column of origins for each level
  ListedMove* lists_ = nullptr;
  int* counts_ = nullptr;
  Index most_listed_ = 0;
  Block block_{};
  RowsProgress* progress_ = nullptr;
  E* kept_ = nullptr;
  std::uint32_t steps_ = 0;
  bool wrote_ = false;
};

}  // namespace

template <class E>
bool has_panels(const DeviceModel& model, const Factorization<E>& f) {
  return is_cholesky(f.kind) || !has_factor(f.kind) || plain_panel_blocks<E>(model, f.rows()) > 0;
}

template <class E>
void factor_by_products(State& state, const Call<Factorization<E>, E>& call, FactorOutcome* outcome,
                        const GradeProducts<E>& products, HostColumns<E>* host, Execution& execution) {
  BatchScope scope(state, execution.report.level);
  FactorByProducts<E>(state, call, outcome, products, host, execution).run();
  scope.end();
}

#define ACCUBLAS_INSTANTIATE(E)                                                                                       \
  template bool has_panels(const DeviceModel&, const Factorization<E>&);                                              \
  template void factor_by_products(State&, const Call<Factorization<E>, E>&, FactorOutcome*, const GradeProducts<E>&, \
                                   HostColumns<E>*, Execution&);
ACCUBLAS_INSTANTIATE(double)
ACCUBLAS_INSTANTIATE(float)
ACCUBLAS_INSTANTIATE(Complex<double>)
ACCUBLAS_INSTANTIATE(Complex<float>)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
