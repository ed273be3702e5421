#pragma once

// Which lanes a loss casts doubt on: those that records of the damaged file would have filled.

#include <string>
#include <string_view>
#include <vector>

namespace npuprof::serve {

// The first of the losses that concerns a layer; empty if none does. `is_python` = frames of
// Python, which have files of their own.
std::string_view doubt_of_layer(std::string_view layer, bool is_python,
                                const std::vector<std::string>& losses);

}  // namespace npuprof::serve
