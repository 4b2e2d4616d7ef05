// Panels of the QR factorization in floating-point arithmetic as it is, the triangles T of their reflectors, and what
// they make of each other within a block of few panels.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "cuda/core/device_model.hpp"
#include "cuda/core/grid_exchange.hpp"
#include "lib/call/problem.hpp"

namespace accublas::cuda {

/// At most: a thread keeps a row of them in registers, 32 real numbers.
template <class E>
inline constexpr int qr_panel_columns = is_complex<E> ? 16 : 32;

/// The most words that a thread block publishes in a step.
inline constexpr int qr_words = 512;

/// Columns 0 .. width - 1 of `rows` x `width` matrices.
template <class E>
struct QrPanel {
  Matrix<E> a;  ///< R in its upper triangle, below it the reflectors' vectors, as LAPACK has them
  Matrix<E> v;  ///< becomes those vectors, with the ones and zeros
  Matrix<E> s;  ///< elements above the diagonal become v_i^H v_j
  E* tau;
  Index rows;
  int width;
  FlaggedWord* words;  ///< qr_panel_words of them
};

/// Thread blocks of a panel of so many rows; 0 where the device has not that many at a time.
template <class E>
int qr_panel_blocks(const DeviceModel&, Index rows);

/// Returns how many words the thread blocks of such a panel exchange numbers through.
template <class E>
Index qr_panel_words(const DeviceModel& model, Index rows) {
  return exchange_words(qr_panel_blocks<E>(model, rows), qr_words);
}

/// A = (I - V T V^H) R. Columns are scaled by powers of two, so that no square of a norm overflows, or underflows by
/// more than u^2 of it. `steps`: as for LU's panels.
template <class E>
void factor_panel(const DeviceModel&, const QrPanel<E>&, std::uint32_t& steps, cudaStream_t);

/// Rows and columns of A from a block's first ones on, which go panel by panel, each applied to those to its right.
/// Matrices begin there, columns are contiguous.
template <class E>
struct QrBlock {
  Matrix<E> a, v, s, t;  ///< as of panels and of T; above the first row of a panel V has zeros
  E* tau;
  Index rows, cols;
  E* sums;  ///< qr_block_sums of them
};

/// Columns of such a block at most; those of a panel where the device has no kernels for more.
template <class E>
Index qr_block_columns(const DeviceModel&);
template <class E>
Index qr_block_sums(const DeviceModel&, Index cols);

/// The panel at column `first`, of which V, S and tau are there: A = (I - V T^H V^H) A to its right, and above its S
/// the products with the vectors to its left.
template <class E>
void apply_panel(const DeviceModel&, const QrBlock<E>&, Index first, cudaStream_t);

/// T above the blocks on its diagonal, when these are there and all panels are applied.
template <class E>
void join_triangles(const DeviceModel&, const QrBlock<E>&, cudaStream_t);

/// The blocks on the diagonal of T, of qr_panel_columns each but for the last: upper triangles with zeros below, by
/// those of S = V^H V and tau, order in all.
template <class E>
void make_triangles(const DeviceModel&, const Matrix<E>& s, const E* tau, const Matrix<E>& t, Index order,
                    cudaStream_t);

}  // namespace accublas::cuda
