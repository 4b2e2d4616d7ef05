// Distributes a batch of small matrices over blocks of threads: tiles, lines as digits in shared memory, and products
// of digits on the INT8 tensor cores. Device code.
#pragma once

#include "cuda/batch/batch_kernels.hpp"
#include "cuda/core/ptx_portable.hpp"
#include "cuda/int8/finish_sums.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

#ifdef __CUDACC__

/// The tiles of a block, with its lines in shared memory: `Tiles` tiles of Rows x Cols elements and up to Terms terms.
/// The tiles are cut into squares of 16 x 8, one a warp at a time. If `Long` is set, sums have any number of terms:
/// shared memory holds Terms of them at a time.
template <int Digits, int Rows, int Cols, int Terms, int Tiles, int Threads, bool Long = false>
struct TileShape {
  static constexpr int digits = Digits, rows = Rows, cols = Cols, terms = Terms, tiles = Tiles, threads = Threads,
                       warps = Threads / 32;
  static constexpr bool long_sums = Long;
  static constexpr int blocks = Threads > 256 ? 1 : 2;  ///< resident blocks of a multiprocessor
  static constexpr int tile_lines = Rows + Cols, lines = Tiles * tile_lines;
  static constexpr int squares = Rows / 16 * (Cols / 8);     ///< squares of a tile
  static constexpr int groups = ceil_div(lines / 8, warps);  ///< groups of eight lines that a warp has
  static constexpr int pitch = Terms;                        ///< bytes of a line
  static constexpr int squares_of_warp = ceil_div(Tiles * squares, warps);
  static constexpr std::uint32_t plane = lines * pitch;

  std::uint32_t digit[Digits + Digits % 2][lines][pitch / 4];  ///< four terms a word; words are permuted by chunk_of

  /// Returns the position of a chunk of 16 bytes in its line; the same chunk of eight lines lies in different banks.
  static __device__ int chunk_of(int chunk, int line) { return chunk ^ line / (128 / Terms) % (Terms / 16); }
};

/// The matrix that a tile belongs to, and the tile's number in it.
struct TilePlace {
  unsigned matrix, inside;
};
template <class S>
__device__ __forceinline__ TilePlace place_of(const BatchTiles& tiles, int of_block) {
  // If a thread block has several tiles, a matrix has one tile.
  if (S::tiles > 1) return {blockIdx.x * S::tiles + of_block, 0};
  const unsigned of_a_matrix = static_cast<unsigned>(tiles.of_a_matrix());
  return {blockIdx.x / of_a_matrix, blockIdx.x % of_a_matrix};
}

/// A line's entries in device memory; `exists` is false beyond the last line or matrix.
template <class T>
struct Line {
  const T* data;
  Index stride;
  bool exists;
};

template <class S, class T>
__device__ __forceinline__ Line<T> line_of(const BatchProblem<T>& p, const BatchTiles& tiles, int line) {
  const TilePlace tile = place_of<S>(tiles, line / S::tile_lines);
  const unsigned down = static_cast<unsigned>(tiles.row_tiles);
  const int at = line % S::tile_lines;
  if (tile.matrix >= p.count) return {nullptr, 0, false};
  if (at < S::rows) {
    const Index i = tile.inside % down * S::rows + at;
    return {p.a[tile.matrix] + i * p.a_row, p.a_term, i < p.m};
  }
  const Index j = tile.inside / down * S::cols + at - S::rows;
  return {p.b[tile.matrix] + j * p.b_col, p.b_term, j < p.n};
}

/// A square of 16 x 8 elements: its lines in shared memory, its tile, and its position in the matrix.
struct Square {
  int row_line, col_line;
  TilePlace tile;
  Index row, col;
  bool exists;  ///< whether its matrix exists
};
template <class S, class T>
__device__ __forceinline__ Square square_of(const BatchProblem<T>& p, const BatchTiles& tiles, int number) {
  const int of_block = number / S::squares, inside = number % S::squares, down = S::rows / 16;
  const int row = 16 * (inside % down), col = 8 * (inside / down);
  const TilePlace tile = place_of<S>(tiles, of_block);
  const unsigned row_tiles = static_cast<unsigned>(tiles.row_tiles);
  return {of_block * S::tile_lines + row,          of_block * S::tile_lines + S::rows + col, tile,
          tile.inside % row_tiles * S::rows + row, tile.inside / row_tiles * S::cols + col,  tile.matrix < p.count};
}

/// Returns bits 0, 4, ..., 28 of x as a byte.
__device__ __forceinline__ unsigned every_fourth_bit(unsigned x) {
  x &= 0x11111111u;
  x = (x | x >> 3) & 0x03030303u;
  x = (x | x >> 6) & 0x000F000Fu;
  return (x | x >> 12) & 0xFFu;
}

/// Writes the pending elements of a square. Bit i of ballot[q] stands for lane i's element q. The bits go to `words`,
/// the square's four words, or to `open` as OpenBits if tiles.open_pitch is not zero. All lanes of a warp call this
/// function.
template <class S, class T>
__device__ __forceinline__ void write_open(const BatchProblem<T>& p, const BatchTiles& tiles, const Square& square,
                                           const unsigned (&ballot)[4], std::uint32_t* open, std::uint32_t* words) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if (tiles.open_pitch == 0) {
    if (lane == 0) *reinterpret_cast<uint4*>(words) = make_uint4(ballot[0], ballot[1], ballot[2], ballot[3]);
    return;
  }
  // Lane c + 4 e writes column 2 c + e of the square, which is a half word.
  const int c = lane % 4, e = lane / 4;
  const Index col = square.col + 2 * c + e, half = square.row / 16;
  if (lane >= 8 || col >= p.n || half >= 2 * tiles.open_pitch) return;
  const unsigned low = every_fourth_bit((e == 0 ? ballot[0] : ballot[1]) >> c),
                 high = every_fourth_bit((e == 0 ? ballot[2] : ballot[3]) >> c);
  reinterpret_cast<std::uint16_t*>(open)[col * 2 * tiles.open_pitch + half] =
      static_cast<std::uint16_t>(low | high << 8);
}

/// Transposes bytes: bytes 0 .. 3 of four words become words 0 .. 3 of four bytes.
__device__ __forceinline__ void transpose_bytes(std::uint32_t (&x)[4]) {
  const std::uint32_t a = __byte_perm(x[0], x[1], 0x5140), b = __byte_perm(x[2], x[3], 0x5140),
                      c = __byte_perm(x[0], x[1], 0x7362), d = __byte_perm(x[2], x[3], 0x7362);
  x[0] = __byte_perm(a, b, 0x5410);
  x[1] = __byte_perm(a, b, 0x7632);
  x[2] = __byte_perm(c, d, 0x5410);
  x[3] = __byte_perm(c, d, 0x7632);
}

/// Loads this thread's part of the terms from `begin` on, which is every fourth term from threadIdx.x % 4 on. Terms
/// that do not exist become 0.
template <class T, int Loads>
__device__ __forceinline__ void load_line(const Line<T>& line, int begin, int terms, T (&x)[Loads]) {
  const int first = begin + static_cast<int>(threadIdx.x) % 4;
  const T* from = line.data + first * line.stride;
#pragma unroll
  for (int q = 0; q < Loads; ++q, from += 4 * line.stride) x[q] = line.exists && 4 * q + first < terms ? *from : T(0);
}

/// Adds to sums[w - First] the products of digits i and w - i for First <= w < First + W, of 16 rows from line `row`
/// and 8 columns from line `col`. Digits of rows before `first_digit` are zero.
template <class S, int First, int W>
__device__ __forceinline__ void multiply(const S& shared, int row, int col, int terms, int first_digit,
                                         int (&sums)[W][4]) {
  constexpr int loads = ceil_div(S::digits, 2);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::uint32_t rows_at = ptx::shared_address(&shared.digit[0][row + lane % 16][0]),
                      cols_at = ptx::shared_address(&shared.digit[lane / 16][col + lane % 8][0]);
#pragma unroll 1
  for (int chunk = 0; 16 * chunk < terms; chunk += 2) {
    const std::uint32_t rows_chunk = rows_at + 16 * S::chunk_of(chunk + lane / 16, lane),
                        cols_chunk = cols_at + 16 * S::chunk_of(chunk + lane / 8 % 2, lane);
    std::uint32_t cols[loads][4];
#pragma unroll
    for (int j = 0; j < loads; ++j) ptx::load_matrices(cols[j], cols_chunk + 2 * j * S::plane);
#pragma unroll
    for (int i = 0; i < S::digits; ++i) {
      if (i < first_digit || i + S::digits <= First || i >= First + W) continue;
      std::uint32_t rows[4];
      ptx::load_matrices(rows, rows_chunk + i * S::plane);
#pragma unroll
      for (int j = 0; j < S::digits; ++j)
        if (i + j >= First && i + j < First + W)
          ptx::mma_16x8x32_signed(sums[i + j - First], rows, cols[j / 2][j % 2 * 2], cols[j / 2][j % 2 * 2 + 1]);
    }
  }
}

#endif

}  // namespace accublas::cuda
