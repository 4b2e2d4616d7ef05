// Standard headers that most sources of the library include, compiled once for each of its parts (`precompiles` in the
// root's meson.build). Sources include what they use themselves.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
