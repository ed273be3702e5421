#pragma once

// The numbers by which device records name what a task is, and the texts results show for them.

#include <cstdint>
#include <optional>
#include <string_view>

#include "format/device/chips.h"

namespace npuprof::format::device {

// What a queue entry (SQE) makes the scheduler do. The same kind has different numbers on different
// chip families, so programs use these names. On a 910B every AIC, AIV and mixed kernel is kAiCore:
// its counters and the host tell which core ran it.
enum class SqeKind : std::uint8_t {
  kAiCore,
  kAiCpu,
  kAiVector,
  kPlaceHolder,
  kEventRecord,
  kEventWait,
  kNotifyRecord,
  kNotifyWait,
  kWriteValue,
  kVq6,
  kTof,
  kSdma,
  kVpc,
  kJpege,
  kJpegd,
  kDsa,
  kRocce,
  kPcieDma,
  kHostCpu,
  kCdqm,
  kCCore,
  kMax,
  // From here on only on chips 15 and 16.
  kFusion,
  kAiCpuHost,
  kAiCpuDevice,
  kUbDma,
  kAsyncDma,
  kCmo,
  kCcu,
  kCondition,
  kEnd,
};

// The text of results, "AI_CORE" or "SDMA_SQE".
std::string_view sqe_kind_name(SqeKind kind);

// The kind of a task record's SQE type (STARS) or task type (HWTS); nothing if the family has no
// such number.
std::optional<SqeKind> sqe_kind_of(ChipFamily family, std::uint8_t sqe_type);

// The number of a kind; nothing if the family has no such task.
std::optional<std::uint8_t> sqe_type_of(ChipFamily family, SqeKind kind);

// Type of one context of an FFTS+ task.
enum class SubTaskType : std::uint8_t {
  kAic = 0,
  kAiv = 1,
  kNotifyWait = 3,
  kNotifyRecord = 4,
  kWriteValue = 5,
  kMixAic = 6,
  kMixAiv = 7,
  kSdma = 8,
  kDataContext = 9,
  kInvalidateDataContext = 10,
  kWritebackDataContext = 11,
  kAiCpu = 12,
  kLoadContext = 13,
  kDsa = 15,
};
// Empty if unknown.
std::string_view sub_task_type_name(std::uint8_t type);

enum class FftsType : std::uint8_t {
  kAicOnly = 0,
  kAivOnly = 1,
  kAutoThreading = 2,
  kManualThreading = 3,
  kFftsPlus = 4,
};

// Task types of the task scheduler: ts_track task states, and the host's task_track. Of the others
// are known: 4 fusion issue, 7 create stream, 8 data dump, 9 remote event wait, 11 create L2
// address, 18 stream switch, 19 stream active, 20 label set, 21 label switch, 22 label goto,
// 23 profiler trace, 24 event reset, 25 RDMA doorbell send, 30 CCU launch, 32 memset, 50 STARS
// common, 51 FFTS, 53 CMO, 54 barrier, 64 and 65 profiling on and off, 67 model end graph, 68 model
// to AI CPU, 92 reduce async, 103 nop, 105 UB doorbell send, 107 fusion kernel.
enum class TsTaskType : std::uint16_t {
  kKernelAiCore = 0,
  kKernelAiCpu = 1,
  kEventRecord = 2,
  kStreamWaitEvent = 3,
  kMemcpy = 5,
  kMaintenance = 6,
  kModelMaintenance = 12,
  kModelExecute = 13,
  kNotifyWait = 14,
  kNotifyRecord = 15,
  kRdmaSend = 16,
  kProfilerTraceEx = 26,
  kFftsPlus = 52,
  kWriteValue = 55,
  kKernelAiVector = 66,
  kHostFunctionCallback = 72,
  kFlip = 98,
  kModelTaskUpdate = 101,
  kKernelMixAic = 108,
  kKernelMixAiv = 109,
};

}  // namespace npuprof::format::device
