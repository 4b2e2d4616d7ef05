// Prints what the environment makes of a call, for the precedence test: the modes of the four families, then one DDOT
// and what its report says. Arguments: "set WORD" sets the context's mode, "family N WORD" a family's, "call WORD" the
// call's.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "accublas.h"

int main(int argc, char** argv) {
  accublas_options options = ACCUBLAS_OPTIONS_INIT;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "set") == 0) {
      accublas_set_mode_name(nullptr, argv[++i]);
    } else if (std::strcmp(argv[i], "family") == 0) {
      const int family = std::atoi(argv[++i]);
      accublas_set_family_mode_name(nullptr, family, argv[++i]);
    } else if (std::strcmp(argv[i], "call") == 0) {
      options.mode_name = argv[++i];
    }
  }
  accublas_context* context = nullptr;
  std::printf("create=%d", accublas_create(&context));
  accublas_destroy(context);
  for (int family = ACCUBLAS_FAMILY_DGEMM; family <= ACCUBLAS_FAMILY_GEMV; ++family) {
    char word[32] = "?";
    accublas_get_mode_name(nullptr, family, word, sizeof word);
    std::printf(" %s", word);
  }
  const double x[3] = {1, 2, 3};
  double result = -1;
  const accublas_status status = accublas_ddot_ex(nullptr, 3, x, 1, x, 1, &result, &options);
  accublas_report_t report;
  report.struct_size = sizeof report;
  std::printf(" status=%d", status);
  if (status == ACCUBLAS_SUCCESS) {
    accublas_report(nullptr, &report);
    std::printf(" mode=%s engine=%s threads=%d result=%g", report.mode, report.engine, report.threads, result);
  } else {
    std::printf(" %s", accublas_last_error(nullptr));
    accublas_fail(nullptr, status);
    std::printf(" served by the real BLAS");
  }
  std::printf("\n");
}
