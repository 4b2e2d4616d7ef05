// GoogleTest and standard headers that most tests include, compiled once for the tests that are compiled together
// (`precompiles` in the root's meson.build). Sources include what they use themselves.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <vector>
