#pragma once

// Tables that databases of profiles of a framework have beside those of CANN.

#include "format/results/column.h"

namespace npuprof::format::results {

// Operators, calls of Python and what passes the task queue.
namespace pytorch_api {
inline constexpr std::string_view kTable = "PYTORCH_API";
inline constexpr std::string_view kMindSporeTable = "MINDSPORE_API";  // Ours; one column more.
inline constexpr StoredColumn kStart{"startNs", kT, Unit::kTimeNs};
inline constexpr StoredColumn kEnd{"endNs", kT, Unit::kTimeNs};
inline constexpr StoredColumn kThread{"globalTid", kI};
inline constexpr StoredColumn kConnection{"connectionId", kI};
inline constexpr StoredColumn kName = text_id_column("name");
inline constexpr StoredColumn kSequence{"sequenceNumber", kI};
inline constexpr StoredColumn kForwardThread{"fwdThreadId", kI};
inline constexpr StoredColumn kInputDtypes = text_id_column("inputDtypes");
inline constexpr StoredColumn kInputShapes = text_id_column("inputShapes");
inline constexpr StoredColumn kCallChain{"callchainId", kI};
inline constexpr StoredColumn kType{"type", kI};
inline constexpr StoredColumn kCustomInfo = text_id_column("customInfo");  // Of MindSpore alone.

// Values of kType.
inline constexpr std::int64_t kTypeOp = 50001;
inline constexpr std::int64_t kTypeQueue = 50002;
inline constexpr std::int64_t kTypeTrace = 50003;
inline constexpr std::int64_t kTypeMstx = 50004;
}  // namespace pytorch_api

// What rows of PYTORCH_API are connected to.
namespace connection_ids {
inline constexpr std::string_view kTable = "CONNECTION_IDS";
inline constexpr StoredColumn kId{"id", kI};
inline constexpr StoredColumn kConnection{"connectionId", kI};

// Connections of the framework are numbered from here, above all those of host calls.
inline constexpr std::int64_t kFirstOfFramework = std::int64_t{5} << 28;
}  // namespace connection_ids

// One row for each frame of each operator's stack.
namespace pytorch_callchains {
inline constexpr std::string_view kTable = "PYTORCH_CALLCHAINS";
inline constexpr StoredColumn kId{"id", kI};
inline constexpr StoredColumn kFrame = text_id_column("stack");
inline constexpr StoredColumn kDepth{"stackDepth", kI};
}  // namespace pytorch_callchains

namespace step_time {
inline constexpr std::string_view kTable = "STEP_TIME";
inline constexpr StoredColumn kId{"id", kI};
inline constexpr StoredColumn kStart{"startNs", kI, Unit::kTimeNs};
inline constexpr StoredColumn kEnd{"endNs", kI, Unit::kTimeNs};
}  // namespace step_time

namespace gc_record {
inline constexpr std::string_view kTable = "GC_RECORD";
inline constexpr StoredColumn kStart{"startNs", kI, Unit::kTimeNs};
inline constexpr StoredColumn kEnd{"endNs", kI, Unit::kTimeNs};
inline constexpr StoredColumn kThread{"globalTid", kI};
}  // namespace gc_record

// Ours: kernels that MindSpore ran on the host.
namespace mindspore_cpu_op {
inline constexpr std::string_view kTable = "MINDSPORE_CPU_OP";
inline constexpr StoredColumn kStart{"startNs", kI, Unit::kTimeNs};
inline constexpr StoredColumn kEnd{"endNs", kI, Unit::kTimeNs};
inline constexpr StoredColumn kThread{"globalTid", kI};
inline constexpr StoredColumn kName = text_id_column("name");
}  // namespace mindspore_cpu_op

// Ours: MindSpore's data pipeline. Operators are known by their id.
namespace minddata_op {
inline constexpr std::string_view kTable = "MINDDATA_OP";
inline constexpr StoredColumn kId{"opId", kI};
inline constexpr StoredColumn kType = text_id_column("opType");
inline constexpr StoredColumn kWorkers{"numWorkers", kI};
inline constexpr StoredColumn kQueueLength{"queueLength", kI};  // -1: it has none.
inline constexpr StoredColumn kInterval{"sampleIntervalMs", kI};
inline constexpr StoredColumn kParent{"parentId", kI};  // Nothing: the last one.
}  // namespace minddata_op
namespace minddata_queue {
inline constexpr std::string_view kTable = "MINDDATA_QUEUE";
inline constexpr StoredColumn kId{"opId", kI};
inline constexpr StoredColumn kItems{"size", kI};
}  // namespace minddata_queue
namespace minddata_cpu {
inline constexpr std::string_view kTable = "MINDDATA_CPU";
inline constexpr StoredColumn kId{"opId", kI};
inline constexpr StoredColumn kUser{"userPct", kI};
inline constexpr StoredColumn kSystem{"sysPct", kI};
}  // namespace minddata_cpu
namespace minddata_batch {
inline constexpr std::string_view kTable = "MINDDATA_BATCH";
inline constexpr StoredColumn kBatch{"batch", kI};
inline constexpr StoredColumn kKind{"kind", kI};
inline constexpr StoredColumn kExtra{"extra", kI};
inline constexpr StoredColumn kValue{"value", kI};
inline constexpr StoredColumn kStamp{"stampMs", kI};
inline constexpr StoredColumn kIsDeviceQueue{"isDeviceQueue", kI};
}  // namespace minddata_batch

}  // namespace npuprof::format::results
