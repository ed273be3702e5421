#pragma once

#include <cstdint>
#include <optional>

#include "analyze/keep_steps.h"

namespace npuprof::query {

// What of a profile is asked about; nothing = all of it. Of a step and a range what is in both.
struct ProfilePart {
  std::optional<std::int64_t> step = {};
  std::optional<analyze::TimeRange> range = {};

  bool is_all() const { return !step && !range; }
  friend bool operator==(const ProfilePart&, const ProfilePart&) = default;
};

// Leaves only that part in a linked trace.
Status keep_part(trace::Trace& trace, const ProfilePart& part);

}  // namespace npuprof::query
