#include "load/framework/record_tables.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "format/framework/gc_record.h"
#include "format/framework/memory_usage.h"
#include "format/framework/op_mark.h"
#include "format/framework/op_range.h"
#include "format/framework/param_tensor_info.h"
#include "format/framework/python_tracer.h"
#include "load/framework/fixed_job.h"
#include "load/framework/tlv_job.h"

namespace npuprof::load {
namespace {

namespace framework = format::framework;

// Process and thread ids are written with 64 bits; the system's have 32.
std::uint32_t narrow_id(std::uint64_t id) { return static_cast<std::uint32_t>(id); }

StringId intern_optional(StringPool& strings, const std::optional<std::string_view>& text) {
  return text ? strings.intern(*text) : kEmptyString;
}

template <typename T, typename Table, typename Fill>
std::unique_ptr<FileJob> make_tlv_job(RawFile file, const JobSettings& settings, Table& table,
                                      Fill fill) {
  return std::make_unique<TlvJob<T, Table, Fill>>(std::move(file), settings.part_bytes, table,
                                                  std::move(fill));
}

template <typename T, typename Table, typename Fill>
std::unique_ptr<FileJob> make_fixed_job(RawFile file, const JobSettings& settings, Table& table,
                                        Fill fill) {
  return std::make_unique<FixedJob<T, Table, Fill>>(std::move(file), settings.part_bytes, table,
                                                    std::move(fill));
}

struct FillOp {
  StampClock clock;

  bool operator()(trace::FrameworkOps& ops, std::size_t row, const framework::OpRange& record,
                  StringPool& strings) const {
    const framework::OpRangeFixed& fixed = record.fixed;
    ops.sequence[row] = fixed.sequence_number;
    ops.pid[row] = narrow_id(fixed.process_id);
    ops.tid[row] = narrow_id(fixed.start_thread_id);
    ops.forward_thread[row] =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(fixed.forward_thread, trace::kNone));
    ops.scope[row] = fixed.scope;
    ops.is_async[row] = fixed.is_async;
    ops.name[row] = strings.intern(record.name);
    ops.input_dtypes[row] = intern_optional(strings, record.input_dtypes);
    ops.input_shapes[row] = intern_optional(strings, record.input_shapes);
    ops.stack[row] = intern_optional(strings, record.stack);
    ops.module_hierarchy[row] = intern_optional(strings, record.module_hierarchy);
    ops.extra_args[row] = intern_optional(strings, record.extra_args);
    ops.input_tensors[row] = intern_optional(strings, record.input_tensors);
    ops.input_tensor_lists[row] = intern_optional(strings, record.input_tensor_lists);
    ops.input_scalars[row] = intern_optional(strings, record.input_scalars);
    ops.has_inputs[row] = record.input_dtypes || record.input_shapes ? 1 : 0;
    ops.parent[row] = trace::kNone;
    return clock.convert(fixed.start, ops.start_ns[row]) &&
           clock.convert(fixed.end, ops.end_ns[row]);
  }
};

struct FillMark {
  StampClock clock;

  bool operator()(trace::QueueMarks& marks, std::size_t row, const framework::OpMark& record,
                  StringPool& strings) const {
    const framework::OpMarkFixed& fixed = record.fixed;
    if (!fixed.mark_category()) return false;
    marks.category[row] = static_cast<std::uint8_t>(fixed.category.get());
    marks.correlation[row] = fixed.correlation_id;
    marks.tid[row] = narrow_id(fixed.thread_id);
    marks.pid[row] = narrow_id(fixed.process_id);
    marks.name[row] = strings.intern(record.name);
    return clock.convert(fixed.time, marks.time_ns[row]);
  }
};

struct FillMemory {
  StampClock clock;

  bool operator()(trace::MemoryEvents& events, std::size_t row,
                  const framework::MemoryUsage& record, StringPool&) const {
    const framework::MemoryUsageFixed& fixed = record.fixed;
    events.address[row] = static_cast<std::uint64_t>(fixed.address.get());
    events.size_bytes[row] = fixed.size;
    events.total_allocated_bytes[row] = fixed.total_allocated;
    events.total_reserved_bytes[row] = fixed.total_reserved;
    events.total_active_bytes[row] = fixed.total_active;
    events.stream[row] = fixed.stream;
    events.device_type[row] = static_cast<std::uint8_t>(fixed.device_type.get());
    events.device_index[row] = fixed.device_index;
    events.component[row] = fixed.component;
    events.kind[row] = fixed.event;
    events.allocator[row] = fixed.allocator;
    events.tid[row] = narrow_id(fixed.thread_id);
    events.pid[row] = narrow_id(fixed.process_id);
    events.owner[row] = trace::kNone;
    return clock.convert(fixed.time, events.time_ns[row]);
  }
};

struct FillPythonCall {
  StampClock clock;

  bool operator()(trace::PythonEvents& events, std::size_t row,
                  const framework::PythonCall& record) const {
    events.tid[row] = narrow_id(record.thread_id);
    events.pid[row] = narrow_id(record.process_id);
    events.key[row] = record.key;
    events.tag[row] = record.tag;
    return record.tag <= static_cast<std::uint8_t>(framework::PythonTag::kCReturn) &&
           clock.convert(static_cast<std::int64_t>(record.time.get()), events.time_ns[row]);
  }
};

struct FillPythonName {
  bool operator()(trace::PythonNames& names, std::size_t row, const framework::PythonHash& record,
                  StringPool& strings) const {
    names.key[row] = record.fixed.key;
    names.text[row] = strings.intern(record.value);
    return true;
  }
};

struct FillParameters {
  bool operator()(trace::ParameterTensors& tensors, std::size_t row,
                  const framework::ParamTensorInfo& record, StringPool& strings) const {
    const bool is_optimizer = record.optimizer_parameters.has_value();
    tensors.key[row] = record.fixed.key;
    tensors.is_optimizer[row] = is_optimizer ? 1 : 0;
    tensors.text[row] = intern_optional(
        strings, is_optimizer ? record.optimizer_parameters : record.module_parameters);
    return true;
  }
};

struct FillGarbageCollection {
  StampClock clock;

  bool operator()(trace::GarbageCollections& collections, std::size_t row,
                  const framework::GcRecord& record) const {
    collections.pid[row] = narrow_id(record.process_id);
    return clock.convert(static_cast<std::int64_t>(record.start.get()),
                         collections.start_ns[row]) &&
           clock.convert(static_cast<std::int64_t>(record.end.get()), collections.end_ns[row]);
  }
};

}  // namespace

std::unique_ptr<FileJob> op_range_job(RawFile file, const JobSettings& settings,
                                      trace::FrameworkOps& table) {
  return make_tlv_job<framework::OpRange>(std::move(file), settings, table, FillOp{settings.clock});
}

std::unique_ptr<FileJob> op_mark_job(RawFile file, const JobSettings& settings,
                                     trace::QueueMarks& table) {
  return make_tlv_job<framework::OpMark>(std::move(file), settings, table,
                                         FillMark{settings.clock});
}

std::unique_ptr<FileJob> memory_usage_job(RawFile file, const JobSettings& settings,
                                          trace::MemoryEvents& table) {
  return make_tlv_job<framework::MemoryUsage>(std::move(file), settings, table,
                                              FillMemory{settings.clock});
}

std::unique_ptr<FileJob> python_call_job(RawFile file, const JobSettings& settings,
                                         trace::PythonEvents& table) {
  return make_fixed_job<framework::PythonCall>(std::move(file), settings, table,
                                               FillPythonCall{settings.clock});
}

std::unique_ptr<FileJob> python_hash_job(RawFile file, const JobSettings& settings,
                                         trace::PythonNames& table) {
  return make_tlv_job<framework::PythonHash>(std::move(file), settings, table, FillPythonName{});
}

std::unique_ptr<FileJob> param_tensor_job(RawFile file, const JobSettings& settings,
                                          trace::ParameterTensors& table) {
  return make_tlv_job<framework::ParamTensorInfo>(std::move(file), settings, table,
                                                  FillParameters{});
}

std::unique_ptr<FileJob> gc_record_job(RawFile file, const JobSettings& settings,
                                       trace::GarbageCollections& table) {
  return make_fixed_job<framework::GcRecord>(std::move(file), settings, table,
                                             FillGarbageCollection{settings.clock});
}

}  // namespace npuprof::load
