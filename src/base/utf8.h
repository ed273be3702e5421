#pragma once

// Texts of files that others wrote may hold any bytes. What goes out is UTF-8 without zero bytes:
// databases, tables and viewers take nothing else, or cut it.

#include <cstddef>
#include <string>
#include <string_view>

namespace npuprof {

// What stands for a byte that cannot be shown: U+FFFD.
inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

// The length of the character beyond ASCII that `text` starts with, 0 if it is not one. Refuses
// overlong forms, surrogates and code points above U+10FFFF, as the standard demands.
std::size_t utf8_length(std::string_view text);

bool is_valid_utf8(std::string_view text);

// Whether `text` is UTF-8 without a zero byte.
bool is_clean_text(std::string_view text);

// `text` with kReplacementCharacter for each byte that keeps it from being clean.
std::string clean_text(std::string_view text);

}  // namespace npuprof
