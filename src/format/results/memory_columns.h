#pragma once

// Tables about memory that are both files and tables of a database.

#include "format/results/column.h"

namespace npuprof::format::results {

// Blocks of memory with the operator that asked for each: operator_memory.csv and OP_MEMORY.
namespace operator_memory {
inline constexpr std::string_view kFile = "operator_memory";
inline constexpr std::string_view kTable = "OP_MEMORY";
inline constexpr SharedColumn kName{{"Name"}, text_id_column("name")};
inline constexpr SharedColumn kSize{{"Size(KB)", Print::kKb}, {"size", kI, Unit::kBytes}};
inline constexpr SharedColumn kAllocation{{"Allocation Time(us)", Print::kTimeUs},
                                          {"allocationTime", kI, Unit::kTimeNs}};
inline constexpr SharedColumn kRelease{{"Release Time(us)", Print::kTimeUs},
                                       {"releaseTime", kI, Unit::kTimeNs}};
inline constexpr SharedColumn kActiveRelease{{"Active Release Time(us)", Print::kTimeUs},
                                             {"activeReleaseTime", kI, Unit::kTimeNs}};
inline constexpr SharedColumn kDuration{{"Duration(us)", Print::kTimeUs},
                                        {"duration", kI, Unit::kNs}};
inline constexpr SharedColumn kActiveDuration{{"Active Duration(us)", Print::kTimeUs},
                                              {"activeDuration", kI, Unit::kNs}};
inline constexpr SharedColumn kAllocationAllocated{{"Allocation Total Allocated(MB)", Print::kMb},
                                                   {"allocationTotalAllocated", kI, Unit::kBytes}};
inline constexpr SharedColumn kAllocationReserved{{"Allocation Total Reserved(MB)", Print::kMb},
                                                  {"allocationTotalReserved", kI, Unit::kBytes}};
inline constexpr SharedColumn kAllocationActive{{"Allocation Total Active(MB)", Print::kMb},
                                                {"allocationTotalActive", kI, Unit::kBytes}};
inline constexpr SharedColumn kReleaseAllocated{{"Release Total Allocated(MB)", Print::kMb},
                                                {"releaseTotalAllocated", kI, Unit::kBytes}};
inline constexpr SharedColumn kReleaseReserved{{"Release Total Reserved(MB)", Print::kMb},
                                               {"releaseTotalReserved", kI, Unit::kBytes}};
inline constexpr SharedColumn kReleaseActive{{"Release Total Active(MB)", Print::kMb},
                                             {"releaseTotalActive", kI, Unit::kBytes}};
inline constexpr SharedColumn kStream{{"Stream Ptr"}, {"streamPtr", kI}};
inline constexpr SharedColumn kDevice{{"Device Type", Print::kDevice}, {"deviceId", kI}};
}  // namespace operator_memory

// How much memory each pool holds after each event: memory_record.csv and MEMORY_RECORD.
namespace memory_record {
inline constexpr std::string_view kFile = "memory_record";
inline constexpr std::string_view kTable = "MEMORY_RECORD";
inline constexpr SharedColumn kComponent{{"Component"}, text_id_column("component")};
inline constexpr SharedColumn kTime{{"Timestamp(us)", Print::kTimeUs},
                                    {"timestamp", kI, Unit::kTimeNs}};
inline constexpr SharedColumn kAllocated{{"Total Allocated(MB)", Print::kMb},
                                         {"totalAllocated", kI, Unit::kBytes}};
inline constexpr SharedColumn kReserved{{"Total Reserved(MB)", Print::kMb},
                                        {"totalReserved", kI, Unit::kBytes}};
inline constexpr SharedColumn kActive{{"Total Active(MB)", Print::kMb},
                                      {"totalActive", kI, Unit::kBytes}};
inline constexpr SharedColumn kStream{{"Stream Ptr"}, {"streamPtr", kI}};
inline constexpr SharedColumn kDevice{{"Device Type", Print::kDevice}, {"deviceId", kI}};
}  // namespace memory_record

// Memory that operators of CANN allocate and release.
namespace npu_op_mem {
inline constexpr std::string_view kTable = "NPU_OP_MEM";
inline constexpr StoredColumn kName = text_id_column("operatorName");
inline constexpr StoredColumn kAddress{"addr", kI};
inline constexpr StoredColumn kType = text_id_column("type");
inline constexpr StoredColumn kSize{"size", kI, Unit::kBytes};
inline constexpr StoredColumn kTime{"timestampNs", kI, Unit::kTimeNs};
inline constexpr StoredColumn kThread{"globalTid", kI};
inline constexpr StoredColumn kAllocated{"totalAllocate", kN, Unit::kBytes};
inline constexpr StoredColumn kReserved{"totalReserve", kN, Unit::kBytes};
inline constexpr StoredColumn kComponent = text_id_column("component");
inline constexpr StoredColumn kDevice{"deviceId", kI};
}  // namespace npu_op_mem

}  // namespace npuprof::format::results
