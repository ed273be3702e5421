#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "format/framework/tlv.h"
#include "format/record.h"

namespace npuprof::format::framework {

enum class OpMarkCategory : std::uint64_t {
  kEnqueueStart = 0,
  kEnqueueEnd = 1,
  kDequeueStart = 2,
  kDequeueEnd = 3,
};

// Fixed part of a record of `torch.op_mark`: one end of putting a task on the queue, or of taking
// it off.
//
// | offset | width | field          | unit, meaning                                              |
// |--------|-------|----------------|------------------------------------------------------------|
// |      0 |     8 | time           | host ticks                                                 |
// |      8 |     8 | category       | OpMarkCategory                                             |
// |     16 |     8 | correlation_id | of the task, counted per process from 0; always 0 on       |
// |        |       |                | kEnqueueStart, where it is not assigned yet                |
// |     24 |     8 | thread_id      | OS thread id                                               |
// |     32 |     8 | process_id     | OS process id                                              |
struct OpMarkFixed {
  I64 time;
  U64 category;
  U64 correlation_id;
  U64 thread_id;
  U64 process_id;

  // Nothing if the number is none of the four: such a record is to be skipped and counted.
  std::optional<OpMarkCategory> mark_category() const {
    if (category > static_cast<std::uint64_t>(OpMarkCategory::kDequeueEnd)) return std::nullopt;
    return static_cast<OpMarkCategory>(category.get());
  }

  static constexpr void visit(auto& self, auto&& field) {
    field("time", self.time);
    field("category", self.category);
    field("correlation_id", self.correlation_id);
    field("thread_id", self.thread_id);
    field("process_id", self.process_id);
  }
};
static_assert(sizeof(OpMarkFixed) == 40);

enum class OpMarkField : std::uint16_t { kName = 1 };

// Enqueue marks with an empty name are not written; dequeues of a reset event have one.
struct OpMark {
  using Fixed = OpMarkFixed;
  static constexpr std::uint16_t kType = 2;

  OpMarkFixed fixed;
  std::string_view name;  // Operator type, such as "aclnnMm" or "record_event".

  static constexpr void visit_fields(auto& self, auto&& field) {
    field("name", OpMarkField::kName, self.name);
  }
};

// Dequeue names of operator API tasks are cut to this many bytes; enqueue names are not.
inline constexpr std::size_t kDequeueNameBytes = 99;

}  // namespace npuprof::format::framework
