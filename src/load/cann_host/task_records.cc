#include "load/cann_host/task_records.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>

#include "base/text.h"
#include "format/host/additional.h"
#include "format/host/compact.h"
#include "format/host/enumerations.h"
#include "format/host/levels.h"
#include "format/host/variable.h"
#include "load/cann_host/node_tensor_text.h"

namespace npuprof::load {
namespace {

using format::host::Age;
using format::host::CaptureOpHead;
using format::host::CaptureOpInfo;
using format::host::CaptureOpReader;
using format::host::CaptureStreamInfo;
using format::host::DeviceField;
using format::host::DpuTrack;
using format::host::ExpandStreamSpec;
using format::host::extension_as;
using format::host::KernelExtension;
using format::host::kLevelRuntime;
using format::host::kMemcpyOther;
using format::host::LogicStreamInfo;
using format::host::MemcpyDirection;
using format::host::MemcpyInfo;
using format::host::ModelExtension;
using format::host::SimtExtension;
using format::host::TaskTrack;
using format::host::TaskType;
using format::host::Tensor;

std::uint16_t to_task_type(std::uint64_t raw) {
  return static_cast<std::uint16_t>(
      std::min<std::uint64_t>(raw, std::numeric_limits<std::uint16_t>::max()));
}

StringId dimensions_text(Names& names, const std::array<format::U16, 3>& dimensions) {
  std::string text;
  for (const std::uint16_t size : dimensions) {
    if (!text.empty()) text += ',';
    append_integer(text, size);
  }
  return names.intern(text);
}

void read_extension(DecodeContext& context, const TaskTrack& record, trace::TaskTracks& tracks,
                    std::size_t row) {
  tracks.model_id[row] = trace::kNone;
  if (!record.has_extension()) return;
  switch (static_cast<TaskType>(tracks.type[row])) {
    case TaskType::kKernelSimt: {
      const auto simt = extension_as<SimtExtension>(record.extension);
      tracks.grid_dim[row] = dimensions_text(context.names, simt.grid);
      tracks.block_dim[row] = dimensions_text(context.names, simt.block);
      return;
    }
    case TaskType::kModelExecute:
    case TaskType::kModelWaitComplete:
      tracks.model_id[row] = extension_as<ModelExtension>(record.extension).model_id;
      return;
    default: {
      const auto kernel = extension_as<KernelExtension>(record.extension);
      tracks.has_blocks[row] = kernel.block_count != 0;  // 0: not filled in.
      tracks.block_num[row] = kernel.block_count;
      tracks.mix_ratio[row] = static_cast<std::uint8_t>(kernel.mix_ratio());
      return;
    }
  }
}

void fill_captured_op(DecodeContext& context, TensorTexts& texts, const CaptureOpHead& head,
                      std::span<const Tensor> tensors, trace::CapturedOps& ops) {
  const NodeTensorText& text = texts.text_of(texts.number_of(tensors));
  ops.model_id.push_back(head.capture_model_id);
  ops.device.push_back(head.device);
  ops.stream.push_back(head.stream);
  ops.task.push_back(head.task_id);
  ops.task_type.push_back(head.task_type);
  ops.block_num.push_back(static_cast<std::uint16_t>(head.block_count()));
  ops.mix_ratio.push_back(static_cast<std::uint16_t>(head.mix_ratio()));
  ops.op_flag.push_back(head.op_flag);
  ops.op_name.push_back(context.names.of_hash(head.op_name));
  ops.op_type.push_back(context.names.of_hash(head.op_type));
  ops.attributes.push_back(context.names.of_hash(head.attributes));
  ops.input_shapes.push_back(text.input_shapes);
  ops.input_dtypes.push_back(text.input_dtypes);
  ops.input_formats.push_back(text.input_formats);
  ops.output_shapes.push_back(text.output_shapes);
  ops.output_dtypes.push_back(text.output_dtypes);
  ops.output_formats.push_back(text.output_formats);
}

}  // namespace

void decode_task_tracks(DecodeContext& context, trace::TaskTracks& tracks) {
  std::size_t dpu_tasks = 0;
  decode_rows<TaskTrack>(context, TaskTrack::kKind, tracks,
                         [&](const TaskTrack& record, const HostSlice& slice, std::size_t row) {
                           if (record.device_field().device_class() == DeviceField::kDpu) {
                             ++dpu_tasks;
                             return false;
                           }
                           tracks.time_ns[row] = context.clock.to_wall_ns(record.header.timestamp);
                           tracks.tid[row] = record.header.thread_id;
                           tracks.device[row] = record.device_field().id();
                           tracks.stream[row] = record.stream;
                           tracks.task[row] = context.has_wide_task_ids ? record.task_id.get()
                                                                        : record.short_task_id();
                           tracks.batch[row] = context.has_wide_task_ids ? 0 : record.flip_count();
                           tracks.type[row] = to_task_type(record.task_type);
                           tracks.type_name[row] =
                               context.names.of_type(kLevelRuntime, tracks.type[row]);
                           tracks.kernel_name[row] = context.names.of_hash(record.kernel_name);
                           tracks.has_blocks[row] = 0;
                           tracks.grid_dim[row] = kEmptyString;
                           tracks.block_dim[row] = kEmptyString;
                           tracks.is_static[row] = slice.age == Age::kUnaging;
                           read_extension(context, record, tracks, row);
                           return true;
                         });
  // Their times are in a file of their own, and so they are no tasks here.
  if (dpu_tasks > 0 && context.files.open(DpuTrack::kKind, context.losses).empty()) {
    context.losses.add((context.files.directory() / "*.dpu_track.*").native(), 0, dpu_tasks,
                       std::to_string(dpu_tasks) +
                           " tasks ran on a data processing unit, but there is no file with their "
                           "times: these are not shown.");
  }
}

void decode_copy_infos(DecodeContext& context, trace::CopyInfos& copies) {
  constexpr auto kLastDirection = static_cast<std::uint16_t>(MemcpyDirection::kDeviceToHostEx);
  decode_rows<MemcpyInfo>(context, MemcpyInfo::kKind, copies,
                          [&](const MemcpyInfo& record, const HostSlice&, std::size_t row) {
                            copies.time_ns[row] = context.clock.to_wall_ns(record.header.timestamp);
                            copies.tid[row] = record.header.thread_id;
                            copies.size_bytes[row] = record.data_size;
                            copies.max_task_bytes[row] = record.max_size;
                            copies.direction[row] = record.direction > kLastDirection
                                                        ? kMemcpyOther
                                                        : record.direction.get();
                            return true;
                          });
}

void decode_captured_streams(DecodeContext& context, trace::CapturedStreams& streams) {
  decode_rows<CaptureStreamInfo>(
      context, CaptureStreamInfo::kKind, streams,
      [&](const CaptureStreamInfo& record, const HostSlice&, std::size_t row) {
        streams.time_ns[row] = context.clock.to_wall_ns(record.header.timestamp);
        streams.device[row] = record.device;
        streams.stream[row] = record.captured_stream;
        streams.original_stream[row] = record.original_stream;
        streams.model_id[row] = record.model_id;
        streams.status[row] = record.status;
        return true;
      });
}

void decode_captured_ops(DecodeContext& context, trace::CapturedOps& ops) {
  TensorTexts texts(context.names);
  decode_lists<CaptureOpInfo>(
      context, CaptureOpInfo::kKind, [&](const CaptureOpInfo& record, const HostSlice&) {
        fill_captured_op(context, texts, record.head, record.valid_tensors(), ops);
      });
  for (const HostSlice& slice : context.files.open(CaptureOpInfo::kVariableKind, context.losses)) {
    CaptureOpReader reader(slice.file.bytes());
    while (reader.next()) fill_captured_op(context, texts, reader.head(), reader.tensors(), ops);
    if (reader.lost_bytes() > 0) {
      context.losses.add(
          slice.path.native(), 0, 0,
          std::to_string(reader.lost_bytes()) + " bytes of captured operators cannot be read.");
    }
  }
}

void decode_logical_streams(DecodeContext& context, trace::LogicalStreams& streams) {
  decode_lists<LogicStreamInfo>(
      context, LogicStreamInfo::kKind, [&](const LogicStreamInfo& record, const HostSlice&) {
        for (const std::uint32_t physical : record.valid_physical_streams()) {
          streams.physical.push_back(physical);
          streams.logical.push_back(record.logical_stream);
        }
      });
}

bool has_expanded_stream_ids(const HostFiles& files, trace::Losses& losses) {
  const auto slices = files.open(ExpandStreamSpec::kKind, losses);
  bool is_first = true;
  bool expanded = false;
  for_each_host_record<ExpandStreamSpec>(slices, RecordMark::kChecked, losses,
                                         [&](const ExpandStreamSpec& record, const HostSlice&) {
                                           if (is_first) expanded = record.expand_status == 1;
                                           is_first = false;
                                         });
  return expanded;
}

}  // namespace npuprof::load
