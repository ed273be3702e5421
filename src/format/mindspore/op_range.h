#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "format/framework/tlv.h"
#include "format/record.h"

namespace npuprof::format::mindspore {

// Of a record that belongs to no flow. Frames of Python have flow 0 instead.
inline constexpr std::uint64_t kNoFlow = ~std::uint64_t{0};

// Fixed part of a record of `mindspore.op_range`: a range of the framework, a frame of Python, or a
// mark that joins two ranges.
//
// | offset | width | field       | unit, meaning |
// |--------|-------|-------------|-----------------------------------------------------------------|
// |      0 |     8 | thread_id   | OS thread id; of frames, the thread that started the tracer | |
// 8 |     8 | flow_id     | kNoFlow = none                                                  | | 16
// |     8 | step        | counter of the runtime, not the step of the profiler            | | 24 |
// 8 | start       | ticks, see record_clock.h; 0 = begun before recording: ignore   | |     32 | 8
// | end         | ticks; equal to start = an instant                              | |     40 | 4 |
// process_id  | MindSpore stores the thread id here, 0 for frames               | |     44 |     2
// | module      | index of kModules                                               | |     46 | 2 |
// event       | index of kEvents                                                | |     48 |     2
// | stage       | index of kStages                                                | |     50 | 1 |
// level       | -1 default; 0 or 1 of compiler and data pipeline                | |     51 |     1
// | is_graph    | names of module and event are in the fields                     | |     52 | 1 |
// is_stage    | named by its stage                                              | |     53 |     1
// | is_stack    | a frame of Python                                               |
struct OpRangeFixed {
  U64 thread_id = 0;
  U64 flow_id = kNoFlow;
  U64 step = 0;
  U64 start = 0;
  U64 end = 0;
  I32 process_id = 0;
  U16 module = 0;
  U16 event = 0;
  U16 stage = 0;
  I8 level = -1;
  U8 is_graph = 0;
  U8 is_stage = 0;
  U8 is_stack = 0;

  static constexpr void visit(auto& self, auto&& field) {
    field("thread_id", self.thread_id);
    field("flow_id", self.flow_id);
    field("step", self.step);
    field("start", self.start);
    field("end", self.end);
    field("process_id", self.process_id);
    field("module", self.module);
    field("event", self.event);
    field("stage", self.stage);
    field("level", self.level);
    field("is_graph", self.is_graph);
    field("is_stage", self.is_stage);
    field("is_stack", self.is_stack);
  }
};
static_assert(sizeof(OpRangeFixed) == 54);

enum class OpRangeField : std::uint16_t {
  kName = 13,
  kFullName = 14,
  kModuleText = 15,
  kEventText = 16,
  kCustomInfo = 17,
};

// | field       | text                                                              |
// |-------------|-------------------------------------------------------------------|
// | name        | brief: brief_name(full_name)                                      |
// | full_name   | with scopes, "Default/network/MatMul-op0"                         |
// | custom_info | "key:value" joined with ';', keys sorted; only if there are any   |
// | module_text | of graph records: "Dataset", "Ascend", "GE", "compiler", "runtime" |
// | event_text  | of graph records                                                  |
struct OpRange {
  using Fixed = OpRangeFixed;
  static constexpr std::uint16_t kType = 0;

  OpRangeFixed fixed;
  std::string_view name;
  std::string_view full_name;
  std::optional<std::string_view> custom_info;
  std::string_view module_text;
  std::string_view event_text;

  static constexpr void visit_fields(auto& self, auto&& field) {
    field("name", OpRangeField::kName, self.name);
    field("full_name", OpRangeField::kFullName, self.full_name);
    field("custom_info", OpRangeField::kCustomInfo, self.custom_info);
    field("module_text", OpRangeField::kModuleText, self.module_text);
    field("event_text", OpRangeField::kEventText, self.event_text);
  }
};

// Names by index; that of index 0 ("Default") for numbers that are not known.
std::string_view module_name(std::uint16_t index);
std::string_view event_name(std::uint16_t index);
std::string_view stage_name(std::uint16_t index);
// The index of a name, for writers.
std::optional<std::uint16_t> module_index(std::string_view name);
std::optional<std::uint16_t> event_index(std::string_view name);

// What a record is called in results: "Kernel::KernelLaunch::Default/MatMul-op0".
void append_event_name(std::string& out, const OpRange& record);

// The parts of such a name; of another one only the last part is not empty.
struct EventNameParts {
  std::string_view module;
  std::string_view event;
  std::string_view full_name;
};
EventNameParts split_event_name(std::string_view name);

// The text between the last '/' and the last "-op"; all of it if that is none.
std::string_view brief_name(std::string_view full_name);

// A record of this name is no range: its flow joins it with the one other record of that flow.
inline constexpr std::string_view kFlowName = "flow";
// The module of the data pipeline.
inline constexpr std::string_view kDatasetModule = "Dataset";

// Whether a range of this name (of results) launches kernels.
bool is_launch_name(std::string_view event_name);
// Whether it is the record of a marker of mstx.
bool is_mark_name(std::string_view event_name);

}  // namespace npuprof::format::mindspore
