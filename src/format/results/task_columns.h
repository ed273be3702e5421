#pragma once

// Tables of a database about what ran on devices.

#include "format/results/column.h"

namespace npuprof::format::results {

// Everything that ran on a device. Tasks that ran several times have one global id.
namespace task {
inline constexpr std::string_view kTable = "TASK";
inline constexpr StoredColumn kStart{"startNs", kI, Unit::kTimeNs};
inline constexpr StoredColumn kEnd{"endNs", kI, Unit::kTimeNs};
inline constexpr StoredColumn kDevice{"deviceId", kI};
inline constexpr StoredColumn kConnection{"connectionId", kI};
inline constexpr StoredColumn kGlobalId{"globalTaskId", kI};
inline constexpr StoredColumn kPid{"globalPid", kI};
inline constexpr StoredColumn kType = text_id_column("taskType");
inline constexpr StoredColumn kContext{"contextId", kI};
inline constexpr StoredColumn kStream{"streamId", kI};
inline constexpr StoredColumn kTask{"taskId", kI};
inline constexpr StoredColumn kModel{"modelId", kI};
}  // namespace task

// Operators of compute tasks. Readers join texts without an outer join, so there is one for every
// cell.
namespace compute_task_info {
inline constexpr std::string_view kTable = "COMPUTE_TASK_INFO";
inline constexpr StoredColumn kName = text_id_column("name");
inline constexpr StoredColumn kGlobalId = key_column("globalTaskId");
inline constexpr StoredColumn kBlocks{"blockNum", kI};
inline constexpr StoredColumn kMixBlocks{"mixBlockNum", kI};
inline constexpr StoredColumn kTaskType = text_id_column("taskType");
inline constexpr StoredColumn kOpType = text_id_column("opType");
inline constexpr StoredColumn kInputFormats = text_id_column("inputFormats");
inline constexpr StoredColumn kInputDataTypes = text_id_column("inputDataTypes");
inline constexpr StoredColumn kInputShapes = text_id_column("inputShapes");
inline constexpr StoredColumn kOutputFormats = text_id_column("outputFormats");
inline constexpr StoredColumn kOutputDataTypes = text_id_column("outputDataTypes");
inline constexpr StoredColumn kOutputShapes = text_id_column("outputShapes");
inline constexpr StoredColumn kAttributes = text_id_column("attrInfo");
inline constexpr StoredColumn kState = text_id_column("opState");
inline constexpr StoredColumn kHf32 = text_id_column("hf32Eligible");
inline constexpr StoredColumn kGrid = text_id_column("gridDim");
// The shape of a block. In the first schema this name is that of kBlocks.
inline constexpr StoredColumn kBlock = text_id_column("blockDim");
inline constexpr std::string_view kOldBlocks = kBlock;
inline constexpr std::string_view kOldMixBlocks = "mixBlockDim";
}  // namespace compute_task_info

// Tasks that prepare collectives.
namespace schedule_task_info {
inline constexpr std::string_view kTable = "COMMUNICATION_SCHEDULE_TASK_INFO";
inline constexpr StoredColumn kName = text_id_column("name");
inline constexpr StoredColumn kGlobalId = key_column("globalTaskId");
inline constexpr StoredColumn kTaskType = text_id_column("taskType");
inline constexpr StoredColumn kOpType = text_id_column("opType");
}  // namespace schedule_task_info

// One row per compute task and metric; times in ns.
namespace task_pmu_info {
inline constexpr std::string_view kTable = "TASK_PMU_INFO";
inline constexpr StoredColumn kGlobalId{"globalTaskId", kI};
inline constexpr StoredColumn kName = text_id_column("name");
inline constexpr StoredColumn kValue{"value", kN};
}  // namespace task_pmu_info

namespace memcpy_info {
inline constexpr std::string_view kTable = "MEMCPY_INFO";
inline constexpr StoredColumn kGlobalId{"globalTaskId", kN};
inline constexpr StoredColumn kSize{"size", kN, Unit::kBytes};
inline constexpr StoredColumn kOperation{"memcpyOperation", kN};
}  // namespace memcpy_info

namespace overlap_analysis {
inline constexpr std::string_view kTable = "OVERLAP_ANALYSIS";
inline constexpr StoredColumn kId = key_column("id");
inline constexpr StoredColumn kDevice{"deviceId", kI};
inline constexpr StoredColumn kStart{"startNs", kN, Unit::kTimeNs};
inline constexpr StoredColumn kEnd{"endNs", kN, Unit::kTimeNs};
inline constexpr StoredColumn kType{"type", kI};
}  // namespace overlap_analysis

}  // namespace npuprof::format::results
