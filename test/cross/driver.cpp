// Runs calls that test/cross/compare.py sends, so that machines without Python and NumPy can run the oracle's cases:
// the x86 build and a cross build under emulation answer the same bytes. All numbers in the streams are little-endian.
//
// A case: the function's name, the arguments, three buffers with the size of their elements, and the ways to call it
// (mode, engine, threads, workspace). The answer of each way: the status and the bytes of the third buffer. With the
// argument "lists" the program prints the checksums of fixed lists of calls instead (lists.cpp).
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "accublas.h"
#include "lists.hpp"

namespace {

/// An argument of a call: a number, or an address.
struct Argument {
  std::int64_t number;
  void* address;

  template <class T>
  T as() const {
    if constexpr (std::is_pointer_v<T>)
      return reinterpret_cast<T>(address);
    else
      return static_cast<T>(number);
  }
};

template <class... A, std::size_t... I>
accublas_status apply(accublas_status (*function)(A...), const Argument* arguments, std::index_sequence<I...>) {
  return function(arguments[I].template as<A>()...);
}
template <class... A>
constexpr std::size_t count_of(accublas_status (*)(A...)) {
  return sizeof...(A);
}

/// A C function of the table of routines: context, arguments, options.
struct Function {
  std::size_t count;
  accublas_status (*call)(const Argument*);
};
template <auto function>
constexpr Function function_of() {
  constexpr std::size_t count = count_of(function);
  return {count, [](const Argument* arguments) {
            return apply(function, arguments, std::make_index_sequence<count_of(function)>());
          }};
}

const std::map<std::string, Function>& functions() {
#define CALL(name) {#name, function_of<&accublas_##name##_ex>()},
  static const std::map<std::string, Function> table = {
#include "calls.inc"
  };
#undef CALL
  return table;
}

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "cross_driver: %s\n", what);
  std::exit(2);
}

bool read_bytes(void* to, std::size_t count) { return count == 0 || std::fread(to, 1, count, stdin) == count; }
void need_bytes(void* to, std::size_t count) {
  if (!read_bytes(to, count)) fail("the input ends in the middle of a case");
}
/// Elements between the machine's order of bytes and little endian.
void swap_elements(unsigned char* bytes, std::size_t count, std::size_t element) {
  if constexpr (std::endian::native == std::endian::big)
    for (std::size_t i = 0; i + element <= count; i += element) std::reverse(bytes + i, bytes + i + element);
}
std::int64_t number_of(unsigned char (&bytes)[8]) {
  swap_elements(bytes, 8, 8);
  std::int64_t x;
  std::memcpy(&x, bytes, 8);
  return x;
}
std::int64_t need_number() {
  unsigned char bytes[8];
  need_bytes(bytes, 8);
  return number_of(bytes);
}
std::string need_text() {
  std::string text(static_cast<std::size_t>(need_number()), '\0');
  need_bytes(text.data(), text.size());
  return text;
}
void write_number(std::int64_t x) {
  unsigned char bytes[8];
  std::memcpy(bytes, &x, 8);
  swap_elements(bytes, 8, 8);
  std::fwrite(bytes, 1, 8, stdout);
}

struct Buffer {
  std::size_t element = 1;
  std::vector<unsigned char> bytes;

  void read() {
    element = static_cast<std::size_t>(need_number());
    bytes.resize(static_cast<std::size_t>(need_number()));
    need_bytes(bytes.data(), bytes.size());
    swap_elements(bytes.data(), bytes.size(), element);
  }
};

/// Kinds of arguments: a number; a place in a buffer; a scalar of so many numbers; null; an array of places in a
/// buffer.
enum class Kind : std::int64_t { number, place, scalar, null, places };

struct Case {
  std::array<Buffer, 3> buffers;
  std::vector<Argument> arguments;
  std::vector<std::array<unsigned char, 16>> scalars;
  std::vector<std::vector<void*>> lists;

  Argument read_argument(std::size_t index) {
    const Kind kind = static_cast<Kind>(need_number());
    const auto place = [&](std::int64_t buffer, std::int64_t offset) {
      return buffers[static_cast<std::size_t>(buffer)].bytes.data() + offset;
    };
    switch (kind) {
      case Kind::number:
        return {need_number(), nullptr};
      case Kind::place: {
        const std::int64_t buffer = need_number(), offset = need_number();
        return {0, place(buffer, offset)};
      }
      case Kind::scalar: {
        const std::size_t element = static_cast<std::size_t>(need_number());
        need_bytes(scalars[index].data(), 16);
        swap_elements(scalars[index].data(), 16, element);
        return {0, scalars[index].data()};
      }
      case Kind::null:
        return {0, nullptr};
      case Kind::places: {
        const std::int64_t buffer = need_number(), offset = need_number(), stride = need_number(),
                           count = need_number();
        for (std::int64_t i = 0; i < count; ++i) lists[index].push_back(place(buffer, offset + i * stride));
        return {0, lists[index].data()};
      }
    }
    fail("unknown kind of argument");
  }
};

/// Runs one case in all its ways; false at the end of the input.
bool run_case(accublas_context* context) {
  unsigned char head[8];
  if (!read_bytes(head, 8)) return false;
  std::string name(static_cast<std::size_t>(number_of(head)), '\0');
  need_bytes(name.data(), name.size());
  const auto found = functions().find(name);
  if (found == functions().end()) fail(("no function " + name).c_str());
  Case c;
  for (Buffer& buffer : c.buffers) buffer.read();
  const std::size_t count = static_cast<std::size_t>(need_number());
  if (count + 2 != found->second.count) fail(("wrong number of arguments of " + name).c_str());
  c.scalars.resize(count);
  c.lists.resize(count);
  c.arguments.push_back({0, context});
  for (std::size_t i = 0; i < count; ++i) c.arguments.push_back(c.read_argument(i));
  accublas_options options = ACCUBLAS_OPTIONS_INIT;
  c.arguments.push_back({0, &options});
  const std::vector<unsigned char> result_before = c.buffers[2].bytes;
  for (std::int64_t ways = need_number(); ways > 0; --ways) {
    const std::string mode = need_text();
    options.mode_name = mode.c_str();
    options.engine = static_cast<accublas_engine>(need_number());
    options.num_threads = static_cast<std::int32_t>(need_number());
    options.workspace_bytes = need_number();
    Buffer& result = c.buffers[2];
    std::copy(result_before.begin(), result_before.end(), result.bytes.begin());
    const accublas_status status = found->second.call(c.arguments.data());
    write_number(status);
    write_number(static_cast<std::int64_t>(result.bytes.size()));
    swap_elements(result.bytes.data(), result.bytes.size(), result.element);
    std::fwrite(result.bytes.data(), 1, result.bytes.size(), stdout);
  }
  std::fflush(stdout);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  accublas_context* context = nullptr;
  if (accublas_create(&context) != ACCUBLAS_SUCCESS) fail("accublas_create failed");
  if (argc > 1 && std::string(argv[1]) == "lists") {
    cross::print_lists(context);
  } else {
    while (run_case(context)) {
    }
  }
  accublas_destroy(context);
}
