// The local arrays of a call that are in device memory. The routines work on copies of them in host memory.
#pragma once

#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "c_api/pblas/layout.hpp"
#include "lib/numerics/complex.hpp"

namespace accublas::pblas {

/// Copies in host memory of the arrays of a call. An array is copied from the first row and column of its sub-matrix
/// on. Sub-matrices of one array share a copy.
class HostArrays {
 public:
  explicit HostArrays(const char* routine) : routine_(routine) {}

  /// Registers a local array with the sub-matrix at row `i` and column `j`, from 1, if it is in device memory.
  /// `writes`: the call changes it.
  void add(const void* array, const int* i, const int* j, const int* desc, std::size_t element, bool writes);
  /// Copies the registered arrays. Call this after the last add().
  void fetch();
  /// Returns the copy of an array, or the array itself if it has none.
  template <class E>
  E* on_host(E* array, const int* desc) const {
    for (const Array& one : arrays_)
      if (one.is(array, read_descriptor(desc).ld * static_cast<std::int64_t>(sizeof(E))))
        return reinterpret_cast<E*>(one.copy.get());
    return array;
  }
  /// Writes the arrays that the call changes back to device memory.
  void give_back();

 private:
  struct Array {
    char* device;
    std::int64_t ld, row, col, rows, cols;  ///< bytes row .. rows - 1 of columns col .. cols - 1 are copied
    bool writes;
    std::unique_ptr<char[]> copy;
    bool is(const void* array, std::int64_t its_ld) const { return device == array && ld == its_ld; }
    std::int64_t offset() const { return row + col * ld; }
    bool is_empty() const { return rows <= row || cols <= col; }
  };

  const char* routine_;
  std::vector<Array> arrays_;
};

namespace detail {

template <class A>
constexpr bool is_number_pointer = false;
template <class E>
constexpr bool is_number_pointer<E*> =
    std::is_floating_point_v<std::remove_const_t<E>> || is_complex<std::remove_const_t<E>>;

/// Whether argument `at` is a matrix: numbers that i, j and the descriptor follow. Scalars are followed by other types.
template <std::size_t at, class Arguments>
constexpr bool is_matrix() {
  if constexpr (at + 3 < std::tuple_size_v<Arguments>)
    return is_number_pointer<std::tuple_element_t<at, Arguments>> &&
           std::is_same_v<std::tuple_element_t<at + 1, Arguments>, const int*> &&
           std::is_same_v<std::tuple_element_t<at + 2, Arguments>, const int*> &&
           std::is_same_v<std::tuple_element_t<at + 3, Arguments>, const int*>;
  else
    return false;
}

}  // namespace detail

/// Calls body(arguments...) of a PBLAS routine with arrays in host memory. Arrays in device memory are copied to the
/// host before, and those that the call changes are copied back.
template <class Body, class... A>
void with_host_arrays(const char* routine, Body&& body, A... arguments) {
  HostArrays arrays(routine);
  const std::tuple<A...> all(arguments...);
  const auto with_numbers = [&]<std::size_t... at>(std::index_sequence<at...>) {
    const auto add = [&]<std::size_t one>(std::integral_constant<std::size_t, one>) {
      if constexpr (detail::is_matrix<one, std::tuple<A...>>()) {
        using E = std::remove_pointer_t<std::tuple_element_t<one, std::tuple<A...>>>;
        arrays.add(std::get<one>(all), std::get<one + 1>(all), std::get<one + 2>(all), std::get<one + 3>(all),
                   sizeof(E), !std::is_const_v<E>);
      }
    };
    (add(std::integral_constant<std::size_t, at>()), ...);
    arrays.fetch();
    const auto on_host = [&]<std::size_t one>(std::integral_constant<std::size_t, one>) {
      if constexpr (detail::is_matrix<one, std::tuple<A...>>())
        return arrays.on_host(std::get<one>(all), std::get<one + 3>(all));
      else
        return std::get<one>(all);
    };
    body(on_host(std::integral_constant<std::size_t, at>())...);
  };
  with_numbers(std::index_sequence_for<A...>());
  arrays.give_back();
}

}  // namespace accublas::pblas
