#pragma once

// What MindSpore's own recorder left.

#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "format/mindspore/cpu_text.h"
#include "format/mindspore/op_range.h"
#include "recorded_times.h"

namespace npuprof::mindspore_hooks {

// A range of mindspore.op_range with its times on the common clock; begin 0: to be ignored.
struct Range {
  format::mindspore::OpRange record;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

struct OperatorInputs {
  std::vector<std::string_view> shapes;  // "2, 3"
  std::vector<std::string_view> types;   // "Float32"; empty if MindSpore does not tell.
};

// One run of an operator on the host.
struct OperatorRun {
  std::string_view name;  // "MatMul", or with scopes "Default/BiasAdd-op0".
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  const OperatorInputs* inputs = nullptr;  // Null if MindSpore does not tell.
};

// "2, 3" to its dimensions; nothing for a scalar and for what is no tensor.
std::vector<std::uint32_t> dimensions_of(std::string_view shape);

// Texts point into the files, which live as long as this.
class RecordedFiles {
 public:
  // Files that are missing or damaged give what is whole of them.
  RecordedFiles(const std::filesystem::path& directory, const RecordedTimes& times);
  RecordedFiles(const RecordedFiles&) = delete;
  RecordedFiles& operator=(const RecordedFiles&) = delete;

  std::vector<Range>& ranges() { return ranges_; }                // As recorded.
  const std::vector<OperatorRun>& runs() const { return runs_; }  // By time.
  const std::vector<format::mindspore::CpuMemory>& memory() const { return memory_; }
  // What the pool had handed out when recording began; nothing if that is not known.
  std::optional<std::int64_t> allocated_before() const { return allocated_before_; }

 private:
  void read_ranges(const RecordedTimes& times);
  void read_runs(const RecordedTimes& times);
  void read_graph_inputs();
  void read_pynative_inputs();
  void read_memory(const RecordedTimes& times);

  std::string range_bytes_;
  std::string run_text_;
  std::string shape_text_;
  std::string input_bytes_;
  std::string memory_text_;
  std::vector<Range> ranges_;
  std::vector<OperatorRun> runs_;
  std::deque<OperatorInputs> inputs_;  // Runs point into it.
  std::vector<format::mindspore::CpuMemory> memory_;
  std::optional<std::int64_t> allocated_before_;
};

}  // namespace npuprof::mindspore_hooks
