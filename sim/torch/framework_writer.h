#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"
#include "format/framework/memory_usage.h"
#include "format/framework/op_mark.h"
#include "format/framework/op_range.h"
#include "format/framework/python_tracer.h"
#include "format/framework/tensor_text.h"
#include "format/framework/tlv.h"
#include "sim/model/sim_clock.h"
#include "sim/torch/driver_memory.h"
#include "sim/torch/framework_options.h"
#include "sim/torch/op_template.h"

namespace npuprof::sim {

// One call of an operator, in virtual time.
struct OpCall {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint64_t thread_id = 0;
  std::int64_t sequence_number = -1;  // Autograd; -1 = none.
  std::uint64_t forward_thread = 0;   // Ordinal, 1 = the first; 0 = not a backward operator.
};

// The tensors of one call: inputs that are tensors, and inputs that are lists of tensors.
struct OpTensors {
  std::span<const format::framework::TensorText> tensors;
  std::span<const std::span<const format::framework::TensorText>> lists;
};

// How many records were written, by file.
struct FrameworkCounts {
  std::uint64_t ops = 0;
  std::uint64_t marks = 0;
  std::uint64_t memory = 0;
  std::uint64_t python_calls = 0;
  std::uint64_t python_hashes = 0;
  std::uint64_t parameters = 0;
  std::uint64_t collections = 0;
};

// Writes the FRAMEWORK files of one process, as its framework's profiler would. Times are virtual
// ns and become host ticks here. What the options leave out is not written, and a file that ends up
// without records is removed again, as it would not have been made. Records go to their files in
// the order of the calls: operators when they end. For use by one thread.
class FrameworkWriter : public MemoryLog {
 public:
  // Makes `<directory>/FRAMEWORK`. `clock` must outlive the writer.
  static Result<FrameworkWriter> create(const std::filesystem::path& directory,
                                        const FrameworkOptions& options, const SimClock& clock);

  const FrameworkOptions& options() const { return options_; }
  const FrameworkCounts& counts() const { return counts_; }
  std::uint64_t ticks(std::int64_t time_ns) const { return clock_->host_ticks(time_ns); }

  // The process is killed at `time_ns`: what would be written later is not. Operators that have not
  // ended by then leave no record.
  void stop_at(std::int64_t time_ns) { stop_ns_ = time_ns; }
  bool running_at(std::int64_t time_ns) const { return time_ns <= stop_ns_; }

  void op(const OpTemplate& op, const OpCall& call) {
    if (call.end_ns > stop_ns_) return;
    const std::size_t size = op.record().size();
    if (size > kBufferBytes) {
      write_long_op(op, call, {});
      return;
    }
    std::byte* out = op_range_->reserve(size);
    std::memcpy(out, op.record().data(), size);
    format::store(out + sizeof(format::framework::TlvHeader), fixed_part(op, call));
    op_range_->commit(size);
    ++counts_.ops;
  }
  // The same with the addresses of its tensors, if the options ask for them.
  void op(const OpTemplate& op, const OpCall& call, const OpTensors& tensors) {
    if (options_.tensor_details()) {
      write_long_op(op, call, tensors);
    } else {
      this->op(op, call);
    }
  }

  // Enqueue marks without a name are left out.
  void mark(format::framework::OpMarkCategory category, std::int64_t time_ns,
            std::uint64_t correlation_id, std::uint64_t thread_id, std::string_view name);

  // `usage` needs all but its time and process id.
  void memory(std::int64_t time_ns, format::framework::MemoryUsageFixed usage) override {
    if (!memory_usage_ || time_ns > stop_ns_) return;
    usage.time = static_cast<std::int64_t>(ticks(time_ns));
    usage.process_id = options_.process_id;
    put(*memory_usage_, format::framework::MemoryUsage{usage});
    ++counts_.memory;
  }

  void python(format::framework::PythonTag tag, std::int64_t time_ns, std::uint64_t thread_id,
              std::uint64_t key) {
    if (!python_calls_ || time_ns > stop_ns_) return;
    std::byte* out = python_calls_->reserve(sizeof(format::framework::PythonCall));
    format::store(out, format::framework::PythonCall{.time = ticks(time_ns),
                                                     .thread_id = thread_id,
                                                     .process_id = options_.process_id,
                                                     .key = key,
                                                     .tag = static_cast<std::uint8_t>(tag)});
    python_calls_->commit(sizeof(format::framework::PythonCall));
    ++counts_.python_calls;
  }
  void python_hash(std::uint64_t key, std::string_view value);

  // The text of a field of format::framework::ParamTensorInfo.
  void module_parameters(std::uint64_t key, std::string_view text);
  void optimizer_parameters(std::uint64_t key, std::string_view text);

  // Left out if it was shorter than the threshold.
  void garbage_collection(std::int64_t start_ns, std::int64_t end_ns);

  // Flushes and closes everything; the first error of any file.
  Status close();

 private:
  static constexpr std::size_t kBufferBytes = 128 * 1024;
  static constexpr std::size_t kSmallBufferBytes = 16 * 1024;

  FrameworkWriter(const FrameworkOptions& options, const SimClock& clock)
      : options_(options), clock_(&clock) {}
  Status open(const std::filesystem::path& directory);

  format::framework::OpRangeFixed fixed_part(const OpTemplate& op, const OpCall& call) const {
    return {.start = static_cast<std::int64_t>(ticks(call.start_ns)),
            .end = static_cast<std::int64_t>(ticks(call.end_ns)),
            .sequence_number = call.sequence_number,
            .process_id = options_.process_id,
            .start_thread_id = call.thread_id,
            .end_thread_id = call.thread_id,
            .forward_thread = call.forward_thread,
            .scope = op.scope(),
            .is_async = 0};
  }
  void write_long_op(const OpTemplate& op, const OpCall& call, const OpTensors& tensors);

  // Encodes a record that fits the buffer in place, and any other by way of scratch_.
  template <format::framework::TlvRecord T>
  void put(FileWriter& file, const T& record) {
    const std::size_t size = encoded_size(record);
    if (size <= kSmallBufferBytes) {
      encode(record, file.reserve(size));
      file.commit(size);
      return;
    }
    scratch_.clear();
    append(record, scratch_);
    file.write(scratch_);
  }

  FrameworkOptions options_;
  const SimClock* clock_;
  std::int64_t stop_ns_ = std::numeric_limits<std::int64_t>::max();
  FrameworkCounts counts_;
  std::optional<FileWriter> op_range_;
  std::optional<FileWriter> op_mark_;
  std::optional<FileWriter> memory_usage_;
  std::optional<FileWriter> python_calls_;
  std::optional<FileWriter> python_hashes_;
  std::optional<FileWriter> parameters_;
  std::optional<FileWriter> collections_;
  std::vector<std::byte> scratch_;
  std::string tensors_text_;
  std::string lists_text_;
};

}  // namespace npuprof::sim
