#pragma once

// Tables of a database about collectives.

#include "format/results/column.h"

namespace npuprof::format::results {

// Enumerations of the communication library are stored in 16 bits.
inline constexpr std::uint32_t kUnknownEnum = 65534;  // Nothing is known; shown as N/A.
inline constexpr std::uint32_t kInvalidEnum = 65535;  // None of those that have a name.

namespace communication_op {
inline constexpr std::string_view kTable = "COMMUNICATION_OP";
inline constexpr StoredColumn kName = text_id_column("opName");
inline constexpr StoredColumn kStart{"startNs", kI, Unit::kTimeNs};
inline constexpr StoredColumn kEnd{"endNs", kI, Unit::kTimeNs};
inline constexpr StoredColumn kConnection{"connectionId", kI};
inline constexpr StoredColumn kGroup = text_id_column("groupName");
inline constexpr StoredColumn kId = key_column("opId");
inline constexpr StoredColumn kRelay{"relay", kI};
inline constexpr StoredColumn kRetry{"retry", kI};
inline constexpr StoredColumn kDataType{"dataType", kI};
inline constexpr StoredColumn kAlgorithm = text_id_column("algType");
inline constexpr StoredColumn kCount{"count", kN};
inline constexpr StoredColumn kType = text_id_column("opType");
inline constexpr StoredColumn kDevice{"deviceId", kI};
inline constexpr StoredColumn kRankSize{"rankSize", kI};
}  // namespace communication_op

namespace communication_task_info {
inline constexpr std::string_view kTable = "COMMUNICATION_TASK_INFO";
inline constexpr StoredColumn kName = text_id_column("name");
inline constexpr StoredColumn kGlobalId{"globalTaskId", kI};
inline constexpr StoredColumn kType = text_id_column("taskType");
inline constexpr StoredColumn kPlane{"planeId", kI};
inline constexpr StoredColumn kGroup = text_id_column("groupName");
inline constexpr StoredColumn kNotify{"notifyId", kI};
inline constexpr StoredColumn kRdma{"rdmaType", kI};
inline constexpr StoredColumn kSource{"srcRank", kI};
inline constexpr StoredColumn kDestination{"dstRank", kI};
inline constexpr StoredColumn kTransport{"transportType", kI};
inline constexpr StoredColumn kSize{"size", kI, Unit::kBytes};
inline constexpr StoredColumn kDataType{"dataType", kI};
inline constexpr StoredColumn kLink{"linkType", kI};
inline constexpr StoredColumn kOp{"opId", kI};
inline constexpr StoredColumn kIsMaster{"isMaster", kI};
inline constexpr StoredColumn kBandwidth{"bandwidth", kN, Unit::kBytesPerSecond};
}  // namespace communication_task_info

}  // namespace npuprof::format::results
