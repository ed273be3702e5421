#include "load/shown_text.h"

#include <cstdint>

#include "base/text.h"
#include "base/units.h"
#include "format/host/dictionary.h"

namespace npuprof::load {

std::string without_line_breaks(std::string_view text) {
  std::string joined;
  joined.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    joined += text[i];
    if (text[i] == ';' && text.substr(i + 1, 2) == "\r\n") i += 2;
  }
  return joined;
}

std::string_view type_of_node(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  if (slash == std::string_view::npos) return {};
  name.remove_prefix(slash + 1);
  const std::size_t number = name.rfind("-op");
  return number == std::string_view::npos ? std::string_view() : name.substr(0, number);
}

RankGroup rank_group(std::string_view shown, StringPool& strings) {
  shown = known_text(shown);
  if (shown.empty() || parse_number<std::uint64_t>(shown)) return {strings.intern(shown), {}};
  // The collector uses the hash of the name as id.
  return {strings.intern(std::to_string(format::host::string_hash(shown))), strings.intern(shown)};
}

}  // namespace npuprof::load
