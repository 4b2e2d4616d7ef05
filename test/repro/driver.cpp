// Prints one line per call: its name and the checksum of the bits. Arguments: small or large, then an engine.
#include <cstdio>
#include <exception>

#include "calls.hpp"

int main(int argc, char** argv) {
  const bool large = argc > 1 && std::string(argv[1]) == "large";
  accublas_context* context = nullptr;
  if (accublas_create(&context) != ACCUBLAS_SUCCESS) return 2;
  int status = 0;
  try {
    for (const repro::Call& call : repro::calls(large)) {
      std::printf("%s: %016llx\n", call.name().c_str(),
                  static_cast<unsigned long long>(repro::checksum(repro::run(context, call))));
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    status = 1;
  }
  accublas_destroy(context);
  return status;
}
