#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "format/framework/tlv.h"
#include "format/record.h"

namespace npuprof::format::framework {

enum class PythonTag : std::uint8_t { kCall = 0, kReturn = 1, kCCall = 2, kCReturn = 3 };

// A bare record of `torch.python_tracer_func`. Frames that were open when tracing began are
// appended when it stops, so file order is not time order.
// | offset | width | field      | unit, meaning                                                  |
// |--------|-------|------------|----------------------------------------------------------------|
// |      0 |     8 | time       | host ticks                                                     |
// |      8 |     8 | thread_id  | OS thread id                                                   |
// |     16 |     8 | process_id | OS process id                                                  |
// |     24 |     8 | key        | of a PythonHash record; returns all have the exit marker's key |
// |     32 |     1 | tag        | PythonTag                                                      |
struct PythonCall {
  U64 time;
  U64 thread_id;
  U64 process_id;
  U64 key;
  U8 tag;

  bool is_return() const {
    return tag == static_cast<std::uint8_t>(PythonTag::kReturn) ||
           tag == static_cast<std::uint8_t>(PythonTag::kCReturn);
  }

  static constexpr void visit(auto& self, auto&& field) {
    field("time", self.time);
    field("thread_id", self.thread_id);
    field("process_id", self.process_id);
    field("key", self.key);
    field("tag", self.tag);
  }
};
static_assert(sizeof(PythonCall) == 33);

// Fixed part of a record of `torch.python_tracer_hash`.
//
// | offset | width | field | meaning                                     |
// |--------|-------|-------|---------------------------------------------|
// |      0 |     8 | key   | opaque, meaningful within one profile only  |
struct PythonHashFixed {
  U64 key;

  static constexpr void visit(auto& self, auto&& field) { field("key", self.key); }
};
static_assert(sizeof(PythonHashFixed) == 8);

enum class PythonHashField : std::uint16_t { kValue = 1 };

// Names a key: as a PythonFrame, a PythonModule, or by the repr of a C function, such as
// "<built-in function len>". The last record of a file names the exit marker.
struct PythonHash {
  using Fixed = PythonHashFixed;
  static constexpr std::uint16_t kType = 4;

  PythonHashFixed fixed;
  std::string_view value;

  static constexpr void visit_fields(auto& self, auto&& field) {
    field("value", PythonHashField::kValue, self.value);
  }
};

inline constexpr std::string_view kPythonExitMarker = "__torch_npu_profiler_python_tracer_exit";

// A Python frame: "file(line): function".
struct PythonFrame {
  std::string_view file;
  std::int64_t line = 0;
  std::string_view function;

  bool operator==(const PythonFrame&) const = default;
};
std::optional<PythonFrame> parse_python_frame(std::string_view text);
void append_python_frame(std::string& out, const PythonFrame& frame);

// A call of an nn.Module: "ClassName######address", the address of the object in decimal.
struct PythonModule {
  std::string_view class_name;
  std::uint64_t address = 0;

  bool operator==(const PythonModule&) const = default;
};
std::optional<PythonModule> parse_python_module(std::string_view text);
void append_python_module(std::string& out, const PythonModule& module);

// "<built-in method item of Tensor object at 0x7f>" without brackets and address, which is another
// one for each object. Other names as they are.
std::string_view frame_without_address(std::string_view name);

}  // namespace npuprof::format::framework
