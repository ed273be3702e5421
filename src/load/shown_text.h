#pragma once

// Texts as results show them, and what a trace has instead.

#include <string>
#include <string_view>

#include "base/string_pool.h"

namespace npuprof::load {

// Parts joined by ';', of which results put each on a line of its own.
std::string without_line_breaks(std::string_view text);

// A group of ranks. Results show the name if it was recorded, else the id.
struct RankGroup {
  StringId id{};
  StringId name{};  // Empty if it is not known.
};
RankGroup rank_group(std::string_view shown, StringPool& strings);

// The type of an operator of a graph by its name: `Default/network/Cast-op239` is of type Cast.
// Empty for other names.
std::string_view type_of_node(std::string_view name);

}  // namespace npuprof::load
