#pragma once

#include <string_view>

#include "base/file.h"

namespace npuprof {

// Writes to a file, pipe or terminal that is open already; `name` is what an error calls it.
Status write_all(int descriptor, Bytes bytes, std::string_view name);

}  // namespace npuprof
