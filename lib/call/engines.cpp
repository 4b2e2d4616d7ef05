#include "lib/call/engines.hpp"

#include <string>

#include "lib/base/error.hpp"
#include "lib/base/words.hpp"

namespace accublas {

accublas_engine parse_engine(std::string_view name) {
  std::string list;
  for (const EngineWord& row : engine_words) {
    if (is_word(name, row.word)) return row.engine;
    list += (list.empty() ? "" : ", ") + std::string(row.word);
  }
  throw Error(ACCUBLAS_ERROR_ENGINE, "unknown engine '" + std::string(name) + "'; the engines are " + list);
}

}  // namespace accublas
