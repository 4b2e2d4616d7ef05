#include "lib/accumulator/staging.hpp"

#include "lib/call/place.hpp"

namespace accublas {

void copy_lines(Context& context, int device, void* to, std::size_t to_next, const void* from, std::size_t from_next,
                std::size_t width, Index lines) {
  device_place(context.state_on(device, "the operands are"), "a call of an accumulator")
      ->copy(to, to_next, from, from_next, width, lines);
}

}  // namespace accublas
