#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace npuprof::link {

// A collective that is being put together.
struct CollectiveDraft {
  std::int64_t start_ns = INT64_MAX;
  std::int64_t end_ns = INT64_MIN;
  std::uint16_t device = 0;
  std::int64_t launch_ns = 0;                  // Orders the collectives of a group.
  std::uint32_t launched = trace::kNone;       // Row in LaunchedCollectives, if it has one.
  std::uint32_t kernel_launch = trace::kNone;  // Launch of the AI CPU kernel that drives it.
  std::uint32_t execution = 1;
  StringId name = kEmptyString;  // Without group and numbers.
  StringId type = kEmptyString;
  std::uint32_t api = trace::kNone;
  std::uint64_t group_hash = 0;  // 0 = unknown.
  StringId group_name = kEmptyString;
  std::uint8_t relay = 0;
  std::uint8_t retry = 0;
  std::uint32_t data_type = trace::kNone;
  StringId algorithm = kEmptyString;
  std::uint64_t count = 0;
  std::uint32_t rank_size = 0;
  std::uint32_t model_id = trace::kNone;
  std::uint32_t tid = 0;
  bool is_replaced = false;  // Its tasks went to another draft.

  void extend(std::int64_t start, std::int64_t end) {
    if (start < start_ns) start_ns = start;
    if (end > end_ns) end_ns = end;
  }
};

// One of its tasks.
struct CollectiveTaskDraft {
  std::uint32_t op = 0;                  // Index of the draft.
  std::uint32_t task = 0;                // Row in Tasks.
  std::uint32_t details = trace::kNone;  // Row in CollectiveTaskInfos or, from_device, in
                                         // DeviceCollectives.
  std::uint32_t plane = trace::kNone;
  bool from_device = false;
  bool is_master = false;
};

struct CollectiveDrafts {
  std::vector<CollectiveDraft> ops;
  std::vector<CollectiveTaskDraft> tasks;
};

}  // namespace npuprof::link
