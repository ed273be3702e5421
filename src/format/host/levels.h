#pragma once

// Numbers that say who reports (level) and what (type). Type numbers of some levels change between
// CANN releases, so a reader asks the type dictionary of the profile first; the tables here are
// what a writer registers and a reader falls back on.

#include <cstdint>
#include <optional>
#include <string_view>

namespace npuprof::format::host {

// Layers of the software stack, from the framework down. The values order intervals that begin at
// the same tick: the greater level encloses the smaller.
inline constexpr std::uint16_t kLevelPytorch = 30000;
inline constexpr std::uint16_t kLevelPta = 25000;  // PyTorch adapter
inline constexpr std::uint16_t kLevelMsproftx = 20500;
inline constexpr std::uint16_t kLevelAcl = 20000;
inline constexpr std::uint16_t kLevelModel = 15000;
inline constexpr std::uint16_t kLevelNode = 10000;
inline constexpr std::uint16_t kLevelAicpu = 6000;
inline constexpr std::uint16_t kLevelHccl = 5500;
inline constexpr std::uint16_t kLevelRuntime = 5000;
inline constexpr std::uint16_t kLevelProfiler = 4500;
inline constexpr std::uint16_t kLevelDpu = 4000;
inline constexpr std::uint16_t kLevelAicore = 3000;

// A type among those of all levels, as a key of dictionaries.
constexpr std::uint64_t type_key(std::uint16_t level, std::uint32_t type) {
  return std::uint64_t{level} << 32 | type;
}

// The name used in result databases ("acl", "communication", ...), empty for an unknown level.
std::string_view level_name(std::uint16_t level);
std::optional<std::uint16_t> level_from_name(std::string_view name);

// The high half of an ACL-level type.
enum class AclCategory : std::uint16_t {
  kOp = 1,
  kModel = 2,
  kRuntime = 3,
  kOthers = 4,
  kNn = 5,
  kAscendc = 6,
  kHccl = 7,
  kDvpp = 9,
  kGraph = 10,
  kAtb = 11,
  kHixl = 12,  // Written by newer releases, not known to the vendor's readers: do not write it.
};

constexpr std::uint16_t acl_category(std::uint32_t acl_type) {
  return static_cast<std::uint16_t>(acl_type >> 16);
}
constexpr std::uint32_t acl_type(AclCategory category, std::uint16_t number) {
  return static_cast<std::uint32_t>(category) << 16 | number;
}
// "ACL_OP", "HOST_HCCL", ...; empty for an unknown category.
std::string_view acl_category_name(std::uint16_t category);

// Model level.
inline constexpr std::uint32_t kTypeModelGraphIdMap = 0;
inline constexpr std::uint32_t kTypeModelExecute = 1;
inline constexpr std::uint32_t kTypeModelLoad = 2;
inline constexpr std::uint32_t kTypeModelInputCopy = 3;
inline constexpr std::uint32_t kTypeModelOutputCopy = 4;

// Node level.
inline constexpr std::uint32_t kTypeNodeLaunch = 5;
inline constexpr std::uint32_t kTypeNodeAicpuHostCompute = 8;
inline constexpr std::uint32_t kTypeNodeInferShape = 0x10001;
inline constexpr std::uint32_t kTypeNodeTiling = 0x10003;
inline constexpr std::uint32_t kTypeNodeStreamSync = 0x10005;
inline constexpr std::uint32_t kTypeNodeStepInfo = 0x10006;

// HCCL level.
inline constexpr std::uint32_t kTypeHcclMaster = 0x10001;
inline constexpr std::uint32_t kTypeHcclSlave = 0x10002;

// Types that stand for a collective command: ACL level 0x70000 + command, node level 0x20000 +
// command. Commands are numbered in the order of hccl_command_name().
inline constexpr std::uint32_t kAclHcclBase = 0x70000;
inline constexpr std::uint32_t kNodeHcclBase = 0x20000;
std::string_view hccl_command_name(std::uint32_t command);  // "hcom_allReduce_"; empty if unknown
std::optional<std::uint32_t> hccl_command_from_name(std::string_view name);

// Runtime level: 0..799 task types, 801..812 record types, 1000 + n the runtime API n.
inline constexpr std::uint32_t kRuntimeApiBase = 1000;

// What a task on a stream does (task_track). Only types that code asks for by name are listed here;
// task_type_name() knows all.
enum class TaskType : std::uint16_t {
  kKernelAicore = 0,
  kKernelAicpu = 1,
  kEventRecord = 2,
  kEventWait = 3,
  kMemcpyAsync = 5,
  kMaintenance = 6,  // Not a task: readers drop it.
  kModelExecute = 13,
  kNotifyWait = 14,
  kNotifyRecord = 15,
  kRdmaSend = 16,
  kProfilerTrace = 23,
  kEventReset = 24,
  kProfilerTraceEx = 26,
  kCcuLaunch = 30,
  kMemsetAsync = 32,
  kStarsCommon = 50,
  kFftsPlus = 52,
  kCmo = 53,
  kWriteValue = 55,
  kProfilingEnable = 64,
  kProfilingDisable = 65,
  kKernelAivec = 66,
  kHostFunctionCallback = 72,
  kReduceAsyncV2 = 92,
  kFlip = 98,  // Not a task: the 16-bit task id of the stream wrapped.
  kKernelFusion = 107,
  kKernelMixAic = 108,
  kKernelMixAiv = 109,
  kKernelSimt = 600,
  kModelWaitComplete = 601,
};

std::string_view task_type_name(std::uint64_t task_type);  // "KERNEL_AICORE"; empty if unknown
std::optional<std::uint16_t> task_type_from_name(std::string_view name);

std::string_view runtime_api_name(std::uint32_t number);  // "KernelLaunch"; empty if unknown

// The name of any (level, type) whose number is fixed; empty if it is not known.
std::string_view type_name(std::uint16_t level, std::uint32_t type);

}  // namespace npuprof::format::host
