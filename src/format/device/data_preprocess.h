#pragma once

// Files that older collectors write instead of aicpu.data: `DATA_PREPROCESS.AICPU`, `.AICPU_MODEL`,
// `.DP` (binary, or text in still older ones) and `.AICPUMI` (text). The text files hold items
// separated by NUL, each perhaps with a line end before it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "format/device/aicpu.h"
#include "format/device/fixed_text.h"
#include "format/host/api_event.h"
#include "format/record.h"

namespace npuprof::format::device {

// A kernel on an AI CPU, `DATA_PREPROCESS.AICPU`.
//
// | offset | width | field        | meaning                                         |
// |--------|-------|--------------|-------------------------------------------------|
// |      0 |     2 | magic        | 0x5A5A                                          |
// |      2 |     2 | tag          | 60                                              |
// |      4 |     2 | raw_stream   |                                                 |
// |      6 |     2 | raw_task     |                                                 |
// |      8 |   111 | times        | AiCpuNodeTimes                                  |
// |    119 |     9 | reserved_119 |                                                 |
struct PreprocessNode {
  static constexpr std::uint16_t kTag = 60;

  U16 magic = host::kMagic;
  U16 tag = kTag;
  U16 raw_stream;
  U16 raw_task;
  AiCpuNodeTimes times;
  Reserved<9> reserved_119;

  constexpr bool is_valid() const { return magic == host::kMagic && tag == kTag; }

  static constexpr void visit(auto& self, auto&& field) {
    field("magic", self.magic);
    field("tag", self.tag);
    field("raw_stream", self.raw_stream);
    field("raw_task", self.raw_task);
    AiCpuNodeTimes::visit(self.times, field);
    field("reserved_119", self.reserved_119);
  }
};
static_assert(sizeof(PreprocessNode) == 128);

// A step of the data queue, `DATA_PREPROCESS.DP` in binary.
//
// | offset | width | field        | meaning                                         |
// |--------|-------|--------------|-------------------------------------------------|
// |      0 |     2 | magic        | 0x5A5A                                          |
// |      2 |     2 | tag          | 100                                             |
// |      4 |     4 | reserved_4   |                                                 |
// |      8 |     8 | time_ns      |                                                 |
// |     16 |    16 | action       | text                                            |
// |     32 |    64 | source       | text                                            |
// |     96 |     8 | index        |                                                 |
// |    104 |     8 | size         |                                                 |
// |    112 |    16 | reserved_112 |                                                 |
struct PreprocessStep {
  static constexpr std::uint16_t kTag = 100;

  U16 magic = host::kMagic;
  U16 tag = kTag;
  Reserved<4> reserved_4;
  U64 time_ns;
  FixedText<16> action;
  FixedText<64> source;
  U64 index;
  U64 size;
  Reserved<16> reserved_112;

  constexpr bool is_valid() const { return magic == host::kMagic && tag == kTag; }

  static constexpr void visit(auto& self, auto&& field) {
    field("magic", self.magic);
    field("tag", self.tag);
    field("reserved_4", self.reserved_4);
    field("time_ns", self.time_ns);
    field("action", self.action);
    field("source", self.source);
    field("index", self.index);
    field("size", self.size);
    field("reserved_112", self.reserved_112);
  }
};
static_assert(sizeof(PreprocessStep) == 128);

// A mark of a model fed by a queue, `DATA_PREPROCESS.AICPU_MODEL`.
//
// | offset | width | field       | meaning                                          |
// |--------|-------|-------------|--------------------------------------------------|
// |      0 |     2 | magic       | 0x5A5A                                           |
// |      2 |     2 | tag         | 61                                               |
// |      4 |     4 | reserved_4  |                                                  |
// |      8 |     8 | syscnt      | ticks                                            |
// |     16 |     8 | index_id    |                                                  |
// |     24 |     4 | model_id    |                                                  |
// |     28 |     2 | step_tag    | StepTag                                          |
// |     30 |     2 | reserved_30 |                                                  |
// |     32 |     8 | event_id    |                                                  |
// |     40 |    24 | reserved_40 |                                                  |
struct PreprocessModelMark {
  static constexpr std::uint16_t kTag = 61;

  U16 magic = host::kMagic;
  U16 tag = kTag;
  Reserved<4> reserved_4;
  U64 syscnt;
  U64 index_id;
  U32 model_id;
  U16 step_tag;
  Reserved<2> reserved_30;
  U64 event_id;
  Reserved<24> reserved_40;

  constexpr bool is_valid() const { return magic == host::kMagic && tag == kTag; }

  static constexpr void visit(auto& self, auto&& field) {
    field("magic", self.magic);
    field("tag", self.tag);
    field("reserved_4", self.reserved_4);
    field("syscnt", self.syscnt);
    field("index_id", self.index_id);
    field("model_id", self.model_id);
    field("step_tag", self.step_tag);
    field("reserved_30", self.reserved_30);
    field("event_id", self.event_id);
    field("reserved_40", self.reserved_40);
  }
};
static_assert(sizeof(PreprocessModelMark) == 64);

// `[13135969231] Last queue dequeue, source:iterator_default, index:1, size:131`: an item of
// DATA_PREPROCESS.DP in text. The views point into the item.
struct PreprocessStepText {
  std::uint64_t time_ns = 0;
  std::string_view action;
  std::string_view source;
  std::uint64_t index = 0;
  std::uint64_t size = 0;
};
std::optional<PreprocessStepText> parse_preprocess_step(std::string_view item);
// Appends the item with its line end and NUL.
void append_preprocess_step(std::string& text, const PreprocessStepText& step);

// `Node:GetNext_dequeue_wait, queue size:108, Run start:65347643713, Run end:65347643732`: an item
// of DATA_PREPROCESS.AICPUMI. Only the order of the four values counts, not their names.
struct PreprocessQueueWait {
  std::string_view node;  // Without "Node:".
  std::uint64_t queue_size = 0;
  std::uint64_t start_us = 0;
  std::uint64_t end_us = 0;
};
std::optional<PreprocessQueueWait> parse_queue_wait(std::string_view item);
void append_queue_wait(std::string& text, const PreprocessQueueWait& wait);

// `Thread[ 1] process device[0]:aicpu[ 0] task end, tickDrvTopHalf=38753260078,tickDrvBottomHalf=
// 38753261085, tickBeforeRun=38753270138,tickAfterRun=38753416849, dispatchTime=100 us,
// totalTime=1567 us.`: an item of DATA_PREPROCESS.AICPU in text, as collectors of 2020 write it.
struct AiCpuTaskText {
  std::uint64_t submit_tick = 0;
  std::uint64_t submitted_tick = 0;
  std::uint64_t run_start_tick = 0;
  std::uint64_t run_end_tick = 0;
  std::uint64_t dispatch_us = 0;
  std::uint64_t total_us = 0;
};
std::optional<AiCpuTaskText> parse_aicpu_task(std::string_view item);
void append_aicpu_task(std::string& text, const AiCpuTaskText& task);

// `[2302769986] Node:GetNext, Run tart:2302769932, compute start:2302769940, memcpy start:...,
// memcpy end:..., Run end:2302769980`: which node the item after it is about. Some have no parts.
struct AiCpuNodeText {
  std::string_view node;
  std::uint64_t compute_start_us = 0;
  std::uint64_t memcpy_start_us = 0;
  std::uint64_t memcpy_end_us = 0;
};
std::optional<AiCpuNodeText> parse_aicpu_node(std::string_view item);

}  // namespace npuprof::format::device
