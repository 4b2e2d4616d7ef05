// Panels of the QR factorization in plain floating-point arithmetic, the triangles T of their reflectors, and the
// application of panels to each other within a block of few panels.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "cuda/core/device_model.hpp"
#include "cuda/core/grid_exchange.hpp"
#include "lib/call/problem.hpp"

namespace accublas::cuda {

/// The most columns of a panel: a thread keeps a row, of 32 real numbers, in registers.
template <class E>
inline constexpr int qr_panel_columns = is_complex<E> ? 16 : 32;

/// The most words that a thread block publishes in a step.
inline constexpr int qr_words = 512;

/// A panel of `rows` x `width` elements in device memory, with its results.
template <class E>
struct QrPanel {
  Matrix<E> a;  ///< R in its upper triangle, below it the reflectors' vectors, as LAPACK has them
  Matrix<E> v;  ///< becomes those vectors, rows x width, with their ones and zeros
  Matrix<E> s;  ///< width x width; elements above the diagonal become v_i^H v_j
  E* tau;
  Index rows;
  int width;
  FlaggedWord* words;  ///< qr_panel_words of them
};

/// Returns how many thread blocks factor a panel of `rows` rows; 0 if the device cannot hold that many at a time.
template <class E>
int qr_panel_blocks(const DeviceModel&, Index rows);

/// Returns how many words the thread blocks of such a panel exchange numbers through.
template <class E>
Index qr_panel_words(const DeviceModel& model, Index rows) {
  return exchange_words(qr_panel_blocks<E>(model, rows), qr_words);
}

/// Factors a panel: A = (I - V T V^H) R. Columns are scaled by powers of two, so that no square of a norm overflows, or
/// loses more than u^2 of itself to underflow. `steps` counts the exchanges of all panels that share the words; it
/// grows by those of this panel.
template <class E>
void factor_panel(const DeviceModel&, const QrPanel<E>&, std::uint32_t& steps, cudaStream_t);

/// A block of `rows` x `cols` elements in device memory, which is factored panel by panel; each panel is applied to the
/// columns to its right. The matrices begin at the block's first row and column, and their columns are contiguous.
template <class E>
struct QrBlock {
  Matrix<E> a, v, s, t;  ///< the panels' A, V and S (QrPanel), and T; V has zeros above a panel's first row
  E* tau;
  Index rows, cols;
  E* sums;  ///< qr_block_sums of them
};

/// Returns the most columns of such a block: those of one panel if the device has no kernels for several.
template <class E>
Index qr_block_columns(const DeviceModel&);
/// Returns the length of QrBlock::sums for a block of `cols` columns.
template <class E>
Index qr_block_sums(const DeviceModel&, Index cols);

/// Applies the panel at column `first`, which factor_panel has factored: A = (I - V T^H V^H) A for the block's columns
/// to its right. The products with the vectors to its left become the part of S above the panel's own.
template <class E>
void apply_panel(const DeviceModel&, const QrBlock<E>&, Index first, cudaStream_t);

/// Computes T above the triangles on its diagonal, after make_triangles, and after all panels were applied.
template <class E>
void join_triangles(const DeviceModel&, const QrBlock<E>&, cudaStream_t);

/// Computes the triangles on the diagonal of T, order x order, from tau and from the triangles of S = V^H V in the same
/// positions. Each has qr_panel_columns columns, the last one fewer. Elements below the diagonal become zeros.
template <class E>
void make_triangles(const DeviceModel&, const Matrix<E>& s, const E* tau, const Matrix<E>& t, Index order,
                    cudaStream_t);

}  // namespace accublas::cuda
