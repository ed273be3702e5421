#include "sim/torch/framework_writer.h"

#include <system_error>
#include <utility>

#include "base/first_error.h"
#include "format/framework/file_names.h"
#include "format/framework/gc_record.h"
#include "format/framework/param_tensor_info.h"

namespace npuprof::sim {
namespace {

namespace fs = std::filesystem;
using format::framework::field_size;
using format::framework::GcRecord;
using format::framework::OpMark;
using format::framework::OpMarkCategory;
using format::framework::OpRange;
using format::framework::OpRangeField;
using format::framework::ParamTensorInfo;
using format::framework::put_bytes;
using format::framework::put_field;
using format::framework::PythonHash;
using format::framework::TlvHeader;

constexpr double kNsPerMillisecond = 1e6;

Status open_file(std::optional<FileWriter>& file, bool wanted, const fs::path& directory,
                 std::string_view name, std::size_t buffer_bytes) {
  if (!wanted) return ok_status();
  NPUPROF_ASSIGN_OR_RETURN(file, FileWriter::create(directory / name, buffer_bytes));
  return ok_status();
}

Status close_file(std::optional<FileWriter>& file) {
  if (!file) return ok_status();
  const bool is_empty = file->position() == 0;
  const fs::path path = file->path();
  Status status = file->close();
  file.reset();
  std::error_code ignored;
  if (status.ok() && is_empty) fs::remove(path, ignored);
  return status;
}

}  // namespace

Result<FrameworkWriter> FrameworkWriter::create(const fs::path& directory,
                                                const FrameworkOptions& options,
                                                const SimClock& clock) {
  FrameworkWriter writer(options, clock);
  NPUPROF_RETURN_IF_ERROR(writer.open(directory / format::framework::kDirectoryName));
  return writer;
}

Status FrameworkWriter::open(const fs::path& directory) {
  NPUPROF_RETURN_IF_ERROR(make_directories(directory));
  NPUPROF_RETURN_IF_ERROR(
      open_file(op_range_, true, directory, format::framework::kOpRangeFile, kBufferBytes));
  NPUPROF_RETURN_IF_ERROR(open_file(op_mark_, options_.task_queue, directory,
                                    format::framework::kOpMarkFile, kBufferBytes));
  NPUPROF_RETURN_IF_ERROR(open_file(memory_usage_, options_.profile_memory, directory,
                                    format::framework::kMemoryUsageFile, kBufferBytes));
  NPUPROF_RETURN_IF_ERROR(open_file(python_calls_, options_.python_calls(), directory,
                                    format::framework::kPythonTracerCallFile, kBufferBytes));
  NPUPROF_RETURN_IF_ERROR(open_file(python_hashes_, options_.python_calls(), directory,
                                    format::framework::kPythonTracerHashFile, kSmallBufferBytes));
  NPUPROF_RETURN_IF_ERROR(open_file(parameters_, options_.tensor_details(), directory,
                                    format::framework::kParamTensorInfoFile, kSmallBufferBytes));
  return open_file(collections_, options_.gc_detect_threshold_ms.has_value(), directory,
                   format::framework::kGcRecordFile, kSmallBufferBytes);
}

void FrameworkWriter::write_long_op(const OpTemplate& op, const OpCall& call,
                                    const OpTensors& tensors) {
  if (call.end_ns > stop_ns_) return;
  tensors_text_.clear();
  lists_text_.clear();
  format::framework::append_tensors(tensors_text_, tensors.tensors);
  format::framework::append_tensor_lists(lists_text_, tensors.lists);
  std::size_t details_size = 0;
  if (!tensors.tensors.empty()) details_size += field_size(tensors_text_);
  if (!tensors.lists.empty()) details_size += field_size(lists_text_);

  const Bytes record = op.record();
  scratch_.resize(record.size() + details_size);
  std::byte* out = put_bytes(scratch_.data(), record.first(op.details_offset()));
  if (!tensors.tensors.empty()) {
    out = put_field(out, static_cast<std::uint16_t>(OpRangeField::kInputTensors), tensors_text_);
  }
  if (!tensors.lists.empty()) {
    out = put_field(out, static_cast<std::uint16_t>(OpRangeField::kInputTensorLists), lists_text_);
  }
  put_bytes(out, record.subspan(op.details_offset()));
  const auto value_size = static_cast<std::uint32_t>(scratch_.size() - sizeof(TlvHeader));
  format::store(scratch_.data(), TlvHeader{OpRange::kType, value_size});
  format::store(scratch_.data() + sizeof(TlvHeader), fixed_part(op, call));
  op_range_->write(scratch_);
  ++counts_.ops;
}

void FrameworkWriter::mark(OpMarkCategory category, std::int64_t time_ns,
                           std::uint64_t correlation_id, std::uint64_t thread_id,
                           std::string_view name) {
  const bool is_enqueue =
      category == OpMarkCategory::kEnqueueStart || category == OpMarkCategory::kEnqueueEnd;
  if (!op_mark_ || (is_enqueue && name.empty()) || time_ns > stop_ns_) return;
  put(*op_mark_, OpMark{.fixed = {.time = static_cast<std::int64_t>(ticks(time_ns)),
                                  .category = static_cast<std::uint64_t>(category),
                                  .correlation_id = correlation_id,
                                  .thread_id = thread_id,
                                  .process_id = options_.process_id},
                        .name = name});
  ++counts_.marks;
}

void FrameworkWriter::python_hash(std::uint64_t key, std::string_view value) {
  if (!python_hashes_) return;
  put(*python_hashes_, PythonHash{.fixed = {.key = key}, .value = value});
  ++counts_.python_hashes;
}

void FrameworkWriter::module_parameters(std::uint64_t key, std::string_view text) {
  if (!parameters_) return;
  put(*parameters_, ParamTensorInfo{.fixed = {.key = key}, .module_parameters = text});
  ++counts_.parameters;
}

void FrameworkWriter::optimizer_parameters(std::uint64_t key, std::string_view text) {
  if (!parameters_) return;
  ParamTensorInfo info{.fixed = {.key = key}};
  info.optimizer_parameters = text;
  put(*parameters_, info);
  ++counts_.parameters;
}

void FrameworkWriter::garbage_collection(std::int64_t start_ns, std::int64_t end_ns) {
  if (!collections_ || end_ns > stop_ns_) return;
  const double duration_ms = static_cast<double>(end_ns - start_ns) / kNsPerMillisecond;
  if (duration_ms < *options_.gc_detect_threshold_ms) return;
  const GcRecord record{
      .process_id = options_.process_id, .start = ticks(start_ns), .end = ticks(end_ns)};
  collections_->write(format::bytes_of(record));
  ++counts_.collections;
}

Status FrameworkWriter::close() {
  FirstError first;
  for (std::optional<FileWriter>* file : {&op_range_, &op_mark_, &memory_usage_, &python_calls_,
                                          &python_hashes_, &parameters_, &collections_}) {
    first.keep(close_file(*file));
  }
  return first.status();
}

}  // namespace npuprof::sim
