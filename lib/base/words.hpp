// Compares words of settings, which users may write in capitals.
#pragma once

#include <cstddef>
#include <string_view>

namespace accublas {

/// Whether `text` is `word`, which has no capitals; capitals of `text` count as small letters in every locale. Every
/// parser of a setting compares by this function and prints the library's word.
constexpr bool is_word(std::string_view text, std::string_view word) {
  if (text.size() != word.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != word[i]) return false;
  }
  return true;
}

}  // namespace accublas
