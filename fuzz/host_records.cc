// Binary records in host/data: fixed layouts, records of any length, marks in several segments.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "format/host/additional.h"
#include "format/host/api_event.h"
#include "format/host/compact.h"
#include "format/host/enumerations.h"
#include "format/host/levels.h"
#include "format/host/variable.h"
#include "fuzz/input.h"

namespace npuprof::fuzz {
namespace {

using namespace format::host;

void use_tensor(const Tensor& tensor) {
  use(tensor_data_type_name(tensor.data_type));
  std::string text;
  append_tensor_format(text, tensor.format);
  use(text);
  for (const auto& dimension : tensor.dimensions()) use(dimension.get());
}

void api_events(Bytes data) {
  decode_records<ApiEvent>(data, [](const ApiEvent& event) {
    use(event.is_event());
    use(level_name(event.level));
    use(type_name(event.level, event.type));
    use(acl_category_name(acl_category(event.type)));
  });
}

void task_tracks(Bytes data) {
  decode_records<TaskTrack>(data, [](const TaskTrack& task) {
    use(task_type_name(task.task_type));
    use(task.device_field().id());
    use(task.short_task_id());
    use(task.flip_count());
    if (task.has_extension()) use_record(extension_as<KernelExtension>(task.extension));
  });
}

void node_basics(Bytes data) {
  decode_records<NodeBasicInfo>(
      data, [](const NodeBasicInfo& node) { use(ge_task_type_name(node.task_type)); });
}

void hccl_ops(Bytes data) {
  decode_records<HcclOpInfo>(data, [](const HcclOpInfo& op) {
    use(op.relay());
    use(op.retry());
  });
}

void hccl_infos(Bytes data) {
  decode_records<HcclInfo>(data, [](const HcclInfo& info) {
    use(hccl_reduce_op_name(info.reduce_op));
    use(hccl_data_type_name(info.data_type));
    use(hccl_link_type_name(info.link_type));
    use(hccl_transport_type_name(info.transport_type));
    use(hccl_rdma_type_name(info.rdma_type));
  });
}

void counted_lists(Bytes data) {
  decode_plain_records<MultiThread>(data);
  decode_records<Mc2CommInfo>(data, [](const Mc2CommInfo& record) {
    for (const auto& id : record.valid_streams()) use(id.get());
  });
  decode_records<LogicStreamInfo>(data, [](const LogicStreamInfo& record) {
    for (const auto& id : record.valid_physical_streams()) use(id.get());
  });
  decode_records<ContextIdInfo>(data, [](const ContextIdInfo& record) {
    for (const auto& id : record.valid_context_ids()) use(id.get());
  });
  decode_records<FusionOpInfo>(data, [](const FusionOpInfo& record) {
    for (const auto& name : record.valid_fused_op_names()) use(name.get());
  });
}

void tensors(Bytes data) {
  decode_records<TensorInfo>(data, [](const TensorInfo& info) {
    for (const Tensor& tensor : info.valid_tensors()) use_tensor(tensor);
  });
  decode_records<CaptureOpInfo>(data, [](const CaptureOpInfo& info) {
    for (const Tensor& tensor : info.valid_tensors()) use_tensor(tensor);
  });
}

void marks(Bytes data) {
  MarkJoiner joiner;
  decode_records<Msproftx>(data, [&](const Msproftx& mark) {
    use(mark.message_text());
    joiner.add(mark);
  });
  std::size_t lost_segments = 0;
  for (const auto& mark : joiner.finish(&lost_segments)) {
    use(mark.message);
    write_segments(mark.first, mark.message, [](const Msproftx& segment) { use_record(segment); });
  }
  require(lost_segments <= std::size_t{0x10000} * (data.size() + 1));
}

// What is read is also written, and read once more: the same number of records without a loss.
void captured_operators(Bytes data) {
  CaptureOpReader reader(data);
  std::vector<std::byte> written;
  std::size_t count = 0;
  for (; reader.next(); ++count) {
    use_record(reader.head());
    for (const Tensor& tensor : reader.tensors()) use_tensor(tensor);
    append_capture_op(written, reader.head(), reader.tensors());
  }
  require(reader.lost_bytes() <= data.size() && written.size() <= data.size());
  CaptureOpReader again(written);
  while (again.next()) --count;
  require(count == 0 && again.lost_bytes() == 0);
}

void other_compact(Bytes data) {
  decode_plain_records<TaskTrackV2>(data);
  decode_plain_records<DpuTrack>(data);
  decode_plain_records<NodeAttrInfo>(data);
  decode_plain_records<MemcpyInfo>(data);
  decode_plain_records<MemcpyExtInfo>(data);
  decode_plain_records<MemsetInfo>(data);
  decode_plain_records<MemmngInfo>(data);
  decode_plain_records<CaptureStreamInfo>(data);
  decode_plain_records<CaptureStreamInfoV2>(data);
  decode_plain_records<ExpandStreamSpec>(data);
  decode_plain_records<StreamSqInfo>(data);
}

void other_additional(Bytes data) {
  decode_plain_records<CcuTaskInfo>(data);
  decode_plain_records<CcuWaitSignalInfo>(data);
  decode_plain_records<CcuGroupInfo>(data);
  decode_plain_records<DpuHcclInfo>(data);
  decode_plain_records<TaskMemoryInfo>(data);
  decode_plain_records<StaticOpMem>(data);
  decode_plain_records<GraphIdMap>(data);
  decode_plain_records<ModelExeom>(data);
}

constexpr Decoder kDecoders[] = {api_events,         task_tracks,   node_basics,     hccl_ops,
                                 hccl_infos,         counted_lists, tensors,         marks,
                                 captured_operators, other_compact, other_additional};

}  // namespace
}  // namespace npuprof::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return npuprof::fuzz::run_one(npuprof::fuzz::kDecoders, data, size);
}
