#pragma once

#include <cstdint>

namespace npuprof::serve {

// A time span from the zero of its profile, ns.
struct Span {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;

  bool contains(std::int64_t time_ns) const { return time_ns >= begin_ns && time_ns < end_ns; }

  friend bool operator==(const Span&, const Span&) = default;
};

}  // namespace npuprof::serve
