#pragma once

// What names of calls, operators, frames and marks say about what happened.

#include <cstdint>
#include <vector>

#include "base/string_pool.h"

namespace npuprof::analyze {

// What a name says, found out once for each name.
class IdleNames {
 public:
  explicit IdleNames(const StringPool& strings) : strings_(strings) {}

  bool is_step(StringId name) { return kinds(name) & kStep; }
  bool waits_for_device(StringId call) { return kinds(call) & kWaits; }
  bool is_loading(StringId op_or_mark) { return kinds(op_or_mark) & kLoads; }
  bool is_loading_frame(StringId frame) { return kinds(frame) & kLoadsFrame; }
  bool is_checkpoint(StringId mark) { return kinds(mark) & kSaves; }
  bool is_built_in(StringId frame) { return kinds(frame) & kBuiltIn; }

 private:
  enum Kind : std::uint8_t {
    kChecked = 1,
    kStep = 2,
    kWaits = 4,
    kLoads = 8,
    kLoadsFrame = 16,
    kSaves = 32,
    kBuiltIn = 64
  };
  std::uint8_t kinds(StringId name);

  const StringPool& strings_;
  std::vector<std::uint8_t> kinds_;  // By string id.
};

}  // namespace npuprof::analyze
