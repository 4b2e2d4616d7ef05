// p?syrk_ and p?herk_. C is computed in a distribution of its own, in square tiles of one size for rows and columns.
// Tiles on the diagonal are local calls of SYRK or HERK. The other tiles of a column of tiles are one local call of
// GEMM. Rows and columns of tiles are assigned to the processes in the order 0, 1, ..., 1, 0. Each process has two rows
// and two columns of tiles, so that all have equal shares of the triangle. A process fetches its tiles of C and returns
// them. If A has many more terms than C has rows, the processes share the terms of SYRK (split_product.hpp).
#include <algorithm>
#include <deque>
#include <type_traits>

#include "c_api/pblas/call.hpp"
#include "c_api/pblas/product.hpp"
#include "c_api/pblas/routines.hpp"
#include "c_api/pblas/split_product.hpp"
#include "lib/base/integers.hpp"

namespace accublas::pblas {
namespace {

constexpr int tiles_of_process = 2;  ///< rows of tiles, and columns, that a process has

/// Returns the process that has a row or column of tiles, of `groups` processes.
int owner_of(int tile, int groups) {
  const int turn = tile % (2 * groups);
  return turn < groups ? turn : 2 * groups - 1 - turn;
}

/// C = alpha op(A) op(A)^T + beta C, or with op(A)^H if `Factor` is the real type of complex numbers E.
template <class E, class Factor>
class RankK {
  static constexpr bool hermitian = !std::is_same_v<E, Factor>;
  static constexpr int components = is_complex<E> ? 2 : 1;

 public:
  RankK(const Caller& by, const Team& team, const Source& a, accublas_uplo uplo, Factor alpha, Factor beta,
        const Part& c)
      : by_(by), team_(team), a_(a), uplo_(uplo), alpha_(alpha), beta_(beta), c_(c) {
    const int sides = std::max(team.rows, team.cols);
    tile_ = ceil_div(order(), tiles_of_process * sides);
    if (tile_ > 32) tile_ = round_up(tile_, 32);
  }

  void run() {
    const Axis rows = axis(By::row, team_.first_row, team_.rows), cols = axis(By::col, team_.first_col, team_.cols);
    const auto own = [](const Axis& of, int group) { return static_cast<std::int64_t>(of.of_group(group).size()); };
    own_ = Buffer<E>(by_.name, own(rows, team_.row_of(team_.rank)), own(cols, team_.col_of(team_.rank)));
    const Part tiles{rows, cols, own_.data.get(), own_.ld()};
    const Mask triangle{part()};
    if (!(beta_ == 0)) Exchange(team_, c_, tiles, sizeof(E), triangle).finish();

    const std::int64_t k = alpha_ == 0 ? 0 : terms();
    if (k > 0 && pays_to_share_terms()) {
      share_terms(rows, cols);
      return Exchange(team_, tiles, c_, sizeof(E), triangle).finish();
    }
    if (k > 0) {
      left_ = std::make_unique<Panel<E>>(by_.name, team_, a_, rows, false);
      right_ = std::make_unique<Panel<E>>(by_.name, team_, a_, cols, false);
      left_->finish();
      right_->finish();
      by_.mode = mode_of_product<E>(by_.mode, k);
    } else {
      by_.mode = {ACCUBLAS_MODE_CR};
    }
    if (by_.mode.reproducible) {
      Verdict verdict;
      for_tiles([&](const Tiles& t) { measure(t, verdict); });
      verdict.agree(team_);
      by_.mode = verdict.template mode<RealOf<E>>(components * elements_in(part(), order(), order()));
      certified_ = by_.mode.kind == ACCUBLAS_MODE_FIXED;
    }
    for_tiles([&](const Tiles& t) { compute(t, k); });
    Exchange(team_, tiles, c_, sizeof(E), triangle).finish();
  }

 private:
  /// Rows of this process in one column of its tiles: tiles of the triangle, or one on the diagonal.
  struct Tiles {
    bool on_diagonal;
    std::int64_t row, rows, col, cols;
  };

  int order() const { return c_.cols.count; }
  std::int64_t terms() const { return a_.plain() ? a_.part.cols.count : a_.part.rows.count; }
  Triangle part() const { return uplo_ == ACCUBLAS_UPPER ? Triangle::upper : Triangle::lower; }
  Axis axis(By by, int first, int groups) const {
    Axis axis{order(), by, {}, {}};
    for (int i = 0; i < order(); ++i) axis.owner.push_back(first + owner_of(i / tile_, groups));
    return axis;
  }

  /// Calls body(Tiles) for this process.
  template <class Body>
  void for_tiles(Body&& body) {
    for_tiles(team_.rank, own_.rows, body);
  }
  /// Calls body(Tiles) for a process whose tiles have `rows` rows.
  template <class Body>
  void for_tiles(int rank, std::int64_t rows, Body&& body) {
    const int my_row = team_.row_of(rank) - team_.first_row, my_col = team_.col_of(rank) - team_.first_col;
    std::int64_t above = 0, col = 0;  // rows of the process above the tile on the diagonal, and columns left of it
    for (int tile = 0; tile * std::int64_t{tile_} < order(); ++tile) {
      const std::int64_t size = std::min(tile_, order() - tile * tile_);
      const bool has_row = owner_of(tile, team_.rows) == my_row;
      if (owner_of(tile, team_.cols) == my_col) {
        if (has_row) body(Tiles{true, above, size, col, size});
        const std::int64_t after = above + (has_row ? size : 0);
        if (uplo_ == ACCUBLAS_UPPER)
          body(Tiles{false, 0, above, col, size});
        else
          body(Tiles{false, after, rows - after, col, size});
        col += size;
      }
      if (has_row) above += size;
    }
  }

  /// In HERK the diagonal has no imaginary parts, and none of their exceptions. Sums of GEMM would have them.
  bool pays_to_share_terms() const {
    if constexpr (hermitian) return false;
    const double n = order();
    return !hermitian && SplitProduct<E>::pays(team_, by_.mode, a_, c_, n * (n + static_cast<double>(tile_)) / 2);
  }
  /// Computes the tiles from shares of the terms.
  void share_terms(const Axis& rows, const Axis& cols) {
    if constexpr (!hermitian) {
      // Elements of the other triangle in tiles on the diagonal get the values, and the exceptions, of this triangle's.
      for_tiles([&](const Tiles& t) {
        if (!t.on_diagonal) return;
        for (std::int64_t j = 0; j < t.cols; ++j)
          for (std::int64_t i = 0; i < t.rows; ++i)
            if (!holds(part(), i, j)) own_(t.row + i, t.col + j) = own_(t.row + j, t.col + i);
      });
      using Block = typename SplitProduct<E>::Block;
      const auto some = [](const std::vector<int>& all, std::int64_t first, std::int64_t count) {
        return std::vector<int>(all.begin() + first, all.begin() + first + count);
      };
      SplitProduct<E>(by_, team_, a_, alpha_, beta_, [&](int rank) {
        const std::vector<int> own_rows = rows.of_group(team_.row_of(rank)),
                               own_cols = cols.of_group(team_.col_of(rank));
        std::vector<Block> blocks;
        for_tiles(rank, static_cast<std::int64_t>(own_rows.size()), [&](const Tiles& t) {
          blocks.push_back({some(own_rows, t.row, t.rows), some(own_cols, t.col, t.cols),
                            rank == team_.rank ? at(t) : nullptr, own_.ld()});
        });
        return blocks;
      }).run();
    }
  }

  Stored<E> left(const Tiles& t) const { return left_->stored().from(t.row, 0); }
  Stored<E> right(const Tiles& t) const { return right_->transposed(hermitian).from(0, t.col); }
  E* at(const Tiles& t) { return own_.data.get() + t.row + t.col * own_.ld(); }
  bool wants(const Tiles& t, std::int64_t i, std::int64_t j) const { return !t.on_diagonal || holds(part(), i, j); }

  void measure(const Tiles& t, Verdict& verdict) {
    if (t.rows == 0) return;
    const Certificate<E>& certificate =
        certificates_.emplace_back(by_.name, t.rows, t.cols, terms(), left(t), right(t));
    for (std::int64_t j = 0; j < t.cols; ++j)
      for (std::int64_t i = 0; i < t.rows; ++i)
        if (wants(t, i, j)) certificate.count(i, j, !(hermitian && t.on_diagonal && i == j), verdict);
  }

  void compute(const Tiles& t, std::int64_t k) {
    if (t.rows == 0) return;
    const auto whole = [&] { t.on_diagonal ? update(t, k) : multiply(t, k); };
    if (!certified_) return whole();
    with_rejected(
        by_, certificates_.front(), t.rows, t.cols, k, E{alpha_}, left(t), right(t), E{beta_}, at(t), own_.ld(),
        hermitian && t.on_diagonal, [&](std::int64_t i, std::int64_t j) { return wants(t, i, j); }, whole);
    certificates_.pop_front();
  }

  void multiply(const Tiles& t, std::int64_t k) {
    const Stored<E> none{nullptr, t.rows, ACCUBLAS_NO_TRANS}, nothing{nullptr, 1, ACCUBLAS_NO_TRANS};
    local_gemm(by_, t.rows, t.cols, k, E{alpha_}, k > 0 ? left(t) : none, k > 0 ? right(t) : nothing, E{beta_}, at(t),
               own_.ld());
  }

  /// Computes the triangle of a tile on the diagonal.
  void update(const Tiles& t, std::int64_t k) {
    const accublas_options options = by_.options();
    const Stored<E> a = k > 0 ? left(t) : Stored<E>{nullptr, t.rows, ACCUBLAS_NO_TRANS};
    const auto call = [&](auto routine) {
      require(by_.name, routine(nullptr, ACCUBLAS_COL_MAJOR, uplo_, a.trans, t.rows, k, &alpha_, a.data, a.ld, &beta_,
                                at(t), own_.ld(), &options));
    };
    if constexpr (hermitian && is_single_precision<E>)
      call(accublas_cherk_ex);
    else if constexpr (hermitian)
      call(accublas_zherk_ex);
    else
      call([](auto... arguments) { return ACCUBLAS_PBLAS_BY_TYPE(E, syrk_ex, arguments...); });
  }

  Caller by_;
  const Team& team_;
  const Source a_;
  const accublas_uplo uplo_;
  const Factor alpha_, beta_;
  const Part c_;
  int tile_;
  Buffer<E> own_;
  std::unique_ptr<Panel<E>> left_, right_;
  std::deque<Certificate<E>> certificates_;  ///< of the tiles in their order, kept until the tiles are computed
  bool certified_ = false;
};

/// Runs a call, whose transpositions are those of `list`.
template <class E, class Factor>
bool distributed_rank_k(const char* name, Operation operation, const char* list, char uplo, char trans, int n, int k,
                        Factor alpha, const MatrixArgument<const E>& a, Factor beta, const MatrixArgument<E>& c) {
  const Grid grid = grid_of(a.d.context);
  const int rows = trans == 'N' ? n : k, cols = trans == 'N' ? k : n;
  if (grid.row < 0 || !is_one_of(uplo, "UL") || !is_one_of(trans, list) || !a.is_good(grid, rows, cols) ||
      !c.is_good(grid, n, n))
    return false;
  const Caller by{name, mode_of(name, {operation, type_of<E>})};
  if (is_scalapacks(by.mode)) return false;
  if (n == 0 || ((alpha == 0 || k == 0) && beta == 1)) return true;
  const Source source{a.part(grid, rows, cols), transpose_of(trans)};
  const Part result = c.part(grid, n, n);
  bool is_member = false;
  const Scope scope = scope_of(grid, {&source.part, &result}, is_member);
  const accublas_uplo of_c = uplo == 'U' ? ACCUBLAS_UPPER : ACCUBLAS_LOWER;
  if (is_member) RankK<E, Factor>(by, team_of(grid, scope), source, of_c, alpha, beta, result).run();
  return true;
}

}  // namespace

template <class E>
bool syrk(const char* name, const char* uplo, const char* trans, const int* n, const int* k, const E* alpha, const E* a,
          const int* ia, const int* ja, const int* desca, const E* beta, E* c, const int* ic, const int* jc,
          const int* descc) {
  // The letter C of real numbers means T.
  const char letter = !is_complex<E> && capital(trans) == 'C' ? 'T' : capital(trans);
  return distributed_rank_k<E, E>(name, Operation::syrk, "NT", capital(uplo), letter, *n, *k, *alpha,
                                  {a, ia, ja, desca}, *beta, {c, ic, jc, descc});
}

template <class E>
bool herk(const char* name, const char* uplo, const char* trans, const int* n, const int* k, const RealOf<E>* alpha,
          const E* a, const int* ia, const int* ja, const int* desca, const RealOf<E>* beta, E* c, const int* ic,
          const int* jc, const int* descc) {
  return distributed_rank_k<E, RealOf<E>>(name, Operation::herk, "NC", capital(uplo), capital(trans), *n, *k, *alpha,
                                          {a, ia, ja, desca}, *beta, {c, ic, jc, descc});
}

#define ACCUBLAS_PBLAS_SYRK_OF(E)                                                                                   \
  template bool syrk(const char*, const char*, const char*, const int*, const int*, const E*, const E*, const int*, \
                     const int*, const int*, const E*, E*, const int*, const int*, const int*);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_PBLAS_SYRK_OF)
#define ACCUBLAS_PBLAS_HERK_OF(E, T)                                                                                \
  template bool herk(const char*, const char*, const char*, const int*, const int*, const T*, const E*, const int*, \
                     const int*, const int*, const T*, E*, const int*, const int*, const int*);
ACCUBLAS_PBLAS_HERK_OF(Complex<double>, double)
ACCUBLAS_PBLAS_HERK_OF(Complex<float>, float)

}  // namespace accublas::pblas
