// Texts of any bytes on their way from a file to a table.

#include <string>
#include <string_view>

#include "base/csv_guard.h"
#include "base/string_pool.h"
#include "base/utf8.h"
#include "fuzz/input.h"

namespace npuprof::fuzz {
namespace {

void cleaning(Bytes data) {
  const std::string_view text = as_text(data);
  const std::string clean = clean_text(text);
  require(is_clean_text(clean) && is_valid_utf8(clean));
  require(is_clean_text(text) == (clean == text));
  StringPool pool;
  const StringId id = pool.intern(text);
  require(pool.view(id) == clean && pool.find(text) == id && pool.intern(clean) == id);
  require(pool.take_cleaned() == (clean == text ? 0 : 1));
}

void csv_guards(Bytes data) {
  const std::string text(as_text(data));
  const std::string cell = needs_csv_guard(text) ? "'" + text : text;
  require(without_csv_guard(cell) == text);
  require(cell.empty() || (cell[0] != '=' && cell[0] != '@'));
}

constexpr Decoder kDecoders[] = {cleaning, csv_guards};

}  // namespace
}  // namespace npuprof::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return npuprof::fuzz::run_one(npuprof::fuzz::kDecoders, data, size);
}
