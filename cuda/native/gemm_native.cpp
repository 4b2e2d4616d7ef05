// Turns strided operands into calls of cuBLAS.
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "cuda/core/matrices.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/native/native.hpp"
#include "lib/base/error.hpp"
#include "lib/base/integers.hpp"
#include "lib/call/blas_increment.hpp"

namespace accublas::cuda {
namespace {

constexpr Index least_edge = 64;  ///< copied blocks never get smaller than this

/// Returns the strides of a rows x cols matrix as a leading dimension, or 0 if BLAS cannot express them: elements of a
/// column must be adjacent and columns at least a column apart. A stride along a dimension of 1 is never used and thus
/// free.
template <class T>
Index column_major_ld(const Matrix<T>& x, Index rows, Index cols) {
  if (x.row_stride != 1 && rows > 1) return 0;
  const Index ld = cols > 1 ? x.col_stride : rows;
  return ld >= rows ? ld : 0;
}

/// Describes a matrix in the notation of BLAS; ld = 0 if the matrix must be copied.
template <class T>
BlasMatrix<T> operand(const Matrix<T>& x, Index rows, Index cols) {
  if (const Index ld = column_major_ld(x, rows, cols)) return {x.data, CUBLAS_OP_N, ld};
  return {x.data, CUBLAS_OP_T, column_major_ld(x.transposed(), cols, rows)};
}

template <class T>
bool blas_increment(const Vector<T>& x, Index n) {
  return n <= 1 || x.stride != 0;
}

/// Returns the bytes of an array in scratch memory, with the alignment of cudaMalloc.
template <class T>
constexpr std::size_t array_bytes(Index rows, Index cols) {
  return round_up(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols) * sizeof(T), 256);
}

class ScratchArrays {
 public:
  explicit ScratchArrays(Scratch scratch) : next_(static_cast<char*>(scratch.data)), left_(scratch.bytes) {}
  template <class T>
  T* take(Index rows, Index cols) {
    const std::size_t bytes = array_bytes<T>(rows, cols);
    if (bytes > left_) throw Error(ACCUBLAS_ERROR_INTERNAL, "native: too little scratch memory");
    T* const array = reinterpret_cast<T*>(next_);
    next_ += bytes;
    left_ -= bytes;
    return array;
  }

 private:
  char* next_;
  std::size_t left_;
};

/// Holds alpha and beta in the form that cuBLAS takes, and a 1 in the same memory space.
template <class T>
class Scalars {
 public:
  Scalars(Cublas& cublas, const Scalar<T>& alpha, const Scalar<T>& beta) : alpha_(alpha), beta_(beta) {
    if ((alpha.pointer == nullptr) != (beta.pointer == nullptr))
      throw Error(ACCUBLAS_ERROR_INTERNAL, "native: alpha and beta live in different memories");
    cublas.scalars_on_device(on_device());
  }
  bool on_device() const { return alpha_.pointer != nullptr; }
  const T* alpha() const { return on_device() ? alpha_.pointer : &alpha_.value; }
  const T* beta() const { return on_device() ? beta_.pointer : &beta_.value; }
  /// Returns whether C is known not to be read.
  bool ignores_c() const { return !on_device() && beta_.value == T(0); }
  const T* one(ScratchArrays& scratch, cudaStream_t stream) {
    if (!on_device()) return &one_;
    T* const one = scratch.template take<T>(1, 1);
    set_scalar(one, T(1), stream);
    return one;
  }

 private:
  Scalar<T> alpha_, beta_;
  T one_ = 1;
};

Index halved(Index edge) { return std::max(least_edge, round_up(edge / 2, 64)); }

/// Returns a problem that is column-major as far as BLAS can express it: a row-major C is the column-major C^T = B^T
/// A^T.
template <class T>
Gemm<T> column_major(const Gemm<T>& p) {
  if (column_major_ld(p.c, p.m, p.n) || !column_major_ld(p.c.transposed(), p.n, p.m)) return p;
  return {p.n, p.m, p.k, p.alpha, p.b.transposed(), p.a.transposed(), p.beta, p.c.transposed()};
}

/// The operands of a problem that are copied, and the sizes of the copied blocks.
template <class T>
struct GemmCopies {
  bool a, b, c;
  Index m, n, k;

  std::size_t bytes() const {
    return (a ? array_bytes<T>(m, k) : 0) + (b ? array_bytes<T>(k, n) : 0) + (c ? array_bytes<T>(m, n) : 0) +
           (a || b ? 256 : 0);  // includes a 1
  }
};

/// Returns the largest blocks whose copies fit. Halving the longest copied edge keeps them square.
template <class T>
GemmCopies<T> copies(const Gemm<T>& p, std::size_t cap) {
  GemmCopies<T> x{operand(p.a, p.m, p.k).ld == 0,
                  operand(p.b, p.k, p.n).ld == 0,
                  column_major_ld(p.c, p.m, p.n) == 0,
                  p.m,
                  p.n,
                  p.k};
  while (x.bytes() > cap) {
    const Index edge_m = x.a || x.c ? x.m : 0, edge_n = x.b || x.c ? x.n : 0, edge_k = x.a || x.b ? x.k : 0;
    Index& longest = edge_m >= edge_n && edge_m >= edge_k ? x.m : edge_n >= edge_k ? x.n : x.k;
    if (longest <= least_edge) break;
    longest = halved(longest);
  }
  return x;
}

/// The copy of a GEMV's matrix, if it is copied.
template <class T>
struct GemvCopies {
  bool a;
  Index m, k;

  std::size_t bytes() const { return a ? array_bytes<T>(m, k) + 256 : 0; }
};

template <class T>
GemvCopies<T> copies(const Gemv<T>& p, std::size_t cap) {
  GemvCopies<T> c{operand(p.a, p.m, p.k).ld == 0, p.m, p.k};
  while (c.bytes() > cap) {
    Index& longest = c.m >= c.k ? c.m : c.k;
    if (longest <= least_edge) break;
    longest = halved(longest);
  }
  return c;
}

/// Returns DOT as a product of a row and a column, for increments of zero, which cuBLAS refuses.
template <class T>
Gemm<T> as_gemm(const Dot<T>& d) {
  return {1, 1, d.n, T(1), {d.x.data, 0, d.x.stride}, {d.y.data, d.y.stride, 0}, T(0), {d.result, 1, 1}};
}

}  // namespace

template <class T>
std::size_t native_scratch_bytes(const Gemm<T>& p, std::size_t cap) {
  return copies(column_major(p), cap).bytes();
}

template <class T>
std::size_t native_scratch_bytes(const Gemv<T>& p, std::size_t cap) {
  return copies(p, cap).bytes();
}

template <class T>
std::size_t native_scratch_bytes(const Dot<T>& d, std::size_t cap) {
  return blas_increment(d.x, d.n) && blas_increment(d.y, d.n) ? 0 : native_scratch_bytes(as_gemm(d), cap);
}

template <class T>
void native_gemm(Cublas& cublas, const Gemm<T>& problem, Scalar<T> alpha, Scalar<T> beta, Scratch scratch,
                 cudaStream_t stream) {
  const Gemm<T> p = column_major(problem);
  const GemmCopies<T> size = copies(p, scratch.bytes);
  ScratchArrays arrays(scratch);
  T* const space_a = size.a ? arrays.template take<T>(size.m, size.k) : nullptr;
  T* const space_b = size.b ? arrays.template take<T>(size.k, size.n) : nullptr;
  T* const space_c = size.c ? arrays.template take<T>(size.m, size.n) : nullptr;
  const BlasMatrix<const T> a = operand(p.a, p.m, p.k), b = operand(p.b, p.k, p.n);
  const Index ldc = column_major_ld(p.c, p.m, p.n);
  Scalars<T> scalars(cublas, alpha, beta);
  const T* const one = size.k < p.k ? scalars.one(arrays, stream) : nullptr;

  Index held_i = -1, held_pa = -1, held_j = -1, held_pb = -1;  // the blocks that space_a and space_b currently hold
  for (Index j = 0; j < p.n; j += size.n) {
    const Index n = std::min(size.n, p.n - j);
    for (Index i = 0; i < p.m; i += size.m) {
      const Index m = std::min(size.m, p.m - i);
      const Matrix<T> c_block = p.c.block(i, j), c_copy{space_c, 1, m};
      const Matrix<const T> c_from{c_block.data, c_block.row_stride, c_block.col_stride};
      if (size.c && !scalars.ignores_c())
        copy_matrix(c_from, c_copy, m, n, scalars.on_device() ? scalars.beta() : nullptr, stream);
      for (Index q = 0; q < p.k; q += size.k) {
        const Index k = std::min(size.k, p.k - q);
        BlasMatrix<const T> a_block{p.a.block(i, q).data, a.op, a.ld}, b_block{p.b.block(q, j).data, b.op, b.ld};
        if (size.a) {
          if (held_i != i || held_pa != q) copy_matrix<T>(p.a.block(i, q), {space_a, 1, m}, m, k, nullptr, stream);
          held_i = i, held_pa = q;
          a_block = {space_a, CUBLAS_OP_N, m};
        }
        if (size.b) {
          if (held_j != j || held_pb != q) copy_matrix<T>(p.b.block(q, j), {space_b, 1, k}, k, n, nullptr, stream);
          held_j = j, held_pb = q;
          b_block = {space_b, CUBLAS_OP_N, k};
        }
        cublas.gemm(m, n, k, scalars.alpha(), a_block, b_block, q == 0 ? scalars.beta() : one,
                    size.c ? space_c : c_block.data, size.c ? m : ldc);
      }
      if (size.c) copy_matrix<T>({space_c, 1, m}, c_block, m, n, nullptr, stream);
    }
  }
}

template <class T>
void native_gemv(Cublas& cublas, const Gemv<T>& p, Scalar<T> alpha, Scalar<T> beta, Scratch scratch,
                 cudaStream_t stream) {
  const GemvCopies<T> size = copies(p, scratch.bytes);
  ScratchArrays arrays(scratch);
  T* const space_a = size.a ? arrays.template take<T>(size.m, size.k) : nullptr;
  const BlasMatrix<const T> a = operand(p.a, p.m, p.k);
  Scalars<T> scalars(cublas, alpha, beta);
  const T* const one = size.k < p.k ? scalars.one(arrays, stream) : nullptr;

  for (Index i = 0; i < p.m; i += size.m) {
    const Index m = std::min(size.m, p.m - i);
    const Vector<T> y{p.y.data + i * p.y.stride, p.y.stride};
    for (Index q = 0; q < p.k; q += size.k) {
      const Index k = std::min(size.k, p.k - q);
      BlasMatrix<const T> block{p.a.block(i, q).data, a.op, a.ld};
      if (size.a) {
        copy_matrix<T>(p.a.block(i, q), {space_a, 1, m}, m, k, nullptr, stream);
        block = {space_a, CUBLAS_OP_N, m};
      }
      const Vector<const T> x{p.x.data + q * p.x.stride, p.x.stride};
      const bool plain = block.op == CUBLAS_OP_N;
      cublas.gemv(plain ? m : k, plain ? k : m, scalars.alpha(), block, lowest(x, k), increment(x, k),
                  q == 0 ? scalars.beta() : one, lowest(y, m), increment(y, m));
    }
  }
}

template <class T>
void native_dot(Cublas& cublas, const Dot<T>& d, Scratch scratch, cudaStream_t stream) {
  if (!blas_increment(d.x, d.n) || !blas_increment(d.y, d.n))
    return native_gemm(cublas, as_gemm(d), Scalar<T>{T(1), nullptr}, Scalar<T>{T(0), nullptr}, scratch, stream);
  cublas.scalars_on_device(true);
  cublas.dot(Operation::dot, d.n, lowest(d.x, d.n), increment(d.x, d.n), lowest(d.y, d.n), increment(d.y, d.n),
             d.result);
}

namespace {

template <class T>
BlasMatrix<const Complex<T>> matrix_of(const Gemv<Complex<T>>& g) {
  if (!g.conjugate_a) return operand(g.a, g.m, g.k);
  return {g.a.data, CUBLAS_OP_C, column_major_ld(g.a.transposed(), g.k, g.m)};
}
template <class T>
bool aligned(const Complex<T>* x) {
  return reinterpret_cast<std::uintptr_t>(x) % sizeof *x == 0;
}

}  // namespace

template <class T>
bool native_has(const Gemv<Complex<T>>& g) {
  return matrix_of(g).ld != 0 && blas_increment(g.x, g.k) && blas_increment(g.y, g.m) && aligned(g.a.data) &&
         aligned(g.x.data) && aligned(g.y.data);
}
template <class T>
bool native_has(const Dot<Complex<T>>& d) {
  return blas_increment(d.x, d.n) && blas_increment(d.y, d.n) && aligned(d.x.data) && aligned(d.y.data);
}

template <class T>
void native_gemv(Cublas& cublas, const Gemv<Complex<T>>& g, Scalar<Complex<T>> alpha, Scalar<Complex<T>> beta) {
  const BlasMatrix<const Complex<T>> a = matrix_of(g);
  const bool plain = a.op == CUBLAS_OP_N, there = alpha.pointer != nullptr;
  const AlignedNumber<Complex<T>> of_alpha{alpha.value}, of_beta{beta.value};
  cublas.scalars_on_device(there);
  cublas.gemv(plain ? g.m : g.k, plain ? g.k : g.m, there ? alpha.pointer : &of_alpha.number, a, lowest(g.x, g.k),
              increment(g.x, g.k), there ? beta.pointer : &of_beta.number, lowest(g.y, g.m), increment(g.y, g.m));
}
template <class T>
void native_dot(Cublas& cublas, const Dot<Complex<T>>& d) {
  cublas.scalars_on_device(true);
  cublas.dot(d.conjugate_x ? Operation::dotc : Operation::dotu, d.n, lowest(d.x, d.n), increment(d.x, d.n),
             lowest(d.y, d.n), increment(d.y, d.n), d.result);
}

template <class T>
bool native_has_norm(const Reduction<T>& r) {
  return blas_increment(r.x, r.n);
}

// The order of the terms does not matter, and cuBLAS needs a positive increment.
template <class T>
void native_nrm2(Cublas& cublas, const Reduction<T>& r) {
  cublas.scalars_on_device(true);
  cublas.norm(Operation::nrm2, r.n, lowest(r.x, r.n), std::abs(increment(r.x, r.n)), r.result);
}

template <class T>
void native_asum(Cublas& cublas, const Reduction<T>& r) {
  cublas.scalars_on_device(true);
  cublas.norm(Operation::asum, r.n, lowest(r.x, r.n), std::abs(increment(r.x, r.n)), r.result);
}

#define ACCUBLAS_INSTANTIATE(T)                                                                        \
  template std::size_t native_scratch_bytes(const Gemm<T>&, std::size_t);                              \
  template std::size_t native_scratch_bytes(const Gemv<T>&, std::size_t);                              \
  template std::size_t native_scratch_bytes(const Dot<T>&, std::size_t);                               \
  template void native_gemm(Cublas&, const Gemm<T>&, Scalar<T>, Scalar<T>, Scratch, cudaStream_t);     \
  template void native_gemv(Cublas&, const Gemv<T>&, Scalar<T>, Scalar<T>, Scratch, cudaStream_t);     \
  template void native_dot(Cublas&, const Dot<T>&, Scratch, cudaStream_t);                             \
  template bool native_has(const Gemv<Complex<T>>&);                                                   \
  template bool native_has(const Dot<Complex<T>>&);                                                    \
  template void native_gemv(Cublas&, const Gemv<Complex<T>>&, Scalar<Complex<T>>, Scalar<Complex<T>>); \
  template void native_dot(Cublas&, const Dot<Complex<T>>&);                                           \
  template bool native_has_norm(const Reduction<T>&);                                                  \
  template void native_nrm2(Cublas&, const Reduction<T>&);                                             \
  template void native_asum(Cublas&, const Reduction<T>&);
ACCUBLAS_FOR_REAL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
