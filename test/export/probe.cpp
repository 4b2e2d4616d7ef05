// A compiler that knows C++20 and finds a library for it builds this.
#include <string>
#include <type_traits>

int main() { return std::string("a") == "b"; }
