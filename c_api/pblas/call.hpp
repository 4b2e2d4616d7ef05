// The routines of the PBLAS share this code: letters, the matrices of a call and its team.
#pragma once

#include "c_api/pblas/arguments.hpp"
#include "c_api/pblas/local.hpp"

namespace accublas::pblas {

/// Returns netlib's letter in capitals.
inline char capital(const char* letter) {
  return *letter >= 'a' && *letter <= 'z' ? static_cast<char>(*letter - 'a' + 'A') : *letter;
}
/// Whether a letter is one of those in a list.
inline bool is_one_of(char letter, const char* list) {
  for (; *list; ++list)
    if (*list == letter) return true;
  return false;
}
inline accublas_transpose transpose_of(char letter) {
  return letter == 'N' ? ACCUBLAS_NO_TRANS : letter == 'T' ? ACCUBLAS_TRANS : ACCUBLAS_CONJ_TRANS;
}

/// A sub-matrix as an argument of a PBLAS routine.
template <class E>
struct MatrixArgument {
  E* data;
  int i, j;
  Descriptor d;

  MatrixArgument(E* data, const int* i, const int* j, const int* desc)
      : data(data), i(*i), j(*j), d(read_descriptor(desc)) {}
  bool is_good(const Grid& grid, int m, int n) const { return is_good_matrix(grid, d, m, n, i, j); }
  Part part(const Grid& grid, int m, int n) const {
    return part_of(grid, d, const_cast<void*>(static_cast<const void*>(data)), i, j, m, n, sizeof(E));
  }
};

/// A vector as an argument.
template <class E>
struct VectorArgument : MatrixArgument<E> {
  int inc;

  VectorArgument(E* data, const int* i, const int* j, const int* desc, const int* inc)
      : MatrixArgument<E>(data, i, j, desc), inc(*inc) {}
  bool is_row() const { return pblas::is_row(this->d, inc); }
  bool is_good(const Grid& grid, int n) const { return is_good_vector(grid, this->d, n, this->i, this->j, inc); }
  Part part(const Grid& grid, int n) const { return MatrixArgument<E>::part(grid, is_row() ? 1 : n, is_row() ? n : 1); }
};

/// Returns a process's part of a vector of n elements that lies along a row or a column, in memory of its own.
inline Part vector_part(bool row, const Axis& along, void* data, std::int64_t own) {
  if (row) return {Axis::all(1), along, data, 1};
  return {along, Axis::all(1), data, own > 0 ? own : 1};
}

}  // namespace accublas::pblas
