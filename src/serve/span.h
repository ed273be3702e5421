#pragma once

#include <cstdint>

namespace npuprof::serve {

// A time span from the zero of its profile, ns.
struct Span {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

}  // namespace npuprof::serve
