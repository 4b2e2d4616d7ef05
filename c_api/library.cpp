// What concerns the library as a whole: version, status texts.
#include "c_api/accublas.h"

int32_t accublas_version(void) {
  return 10000 * ACCUBLAS_VERSION_MAJOR + 100 * ACCUBLAS_VERSION_MINOR + ACCUBLAS_VERSION_PATCH;
}
