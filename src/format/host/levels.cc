#include "format/host/levels.h"

#include "format/host/record_kind.h"
#include "format/number_names.h"

namespace npuprof::format::host {
namespace {

constexpr NumberName kLevels[] = {{kLevelAicore, "aicore"},
                                  {kLevelDpu, "dpu"},
                                  {kLevelProfiler, "profiler"},
                                  {kLevelRuntime, "runtime"},
                                  {kLevelHccl, "communication"},
                                  {kLevelAicpu, "aicpu"},
                                  {kLevelNode, "node"},
                                  {kLevelModel, "model"},
                                  {kLevelAcl, "acl"},
                                  {kLevelMsproftx, "msproftx"},
                                  {kLevelPta, "pta"},
                                  {kLevelPytorch, "pytorch"}};
static_assert(is_sorted_by_number(kLevels));

constexpr NumberName kAclCategories[] = {
    {1, "ACL_OP"},      {2, "ACL_MODEL"}, {3, "ACL_RTS"},  {4, "ACL_OTHERS"}, {5, "ACL_NN"},
    {6, "ACL_ASCENDC"}, {7, "HOST_HCCL"}, {9, "ACL_DVPP"}, {10, "ACL_GRAPH"}, {11, "ACL_ATB"}};
static_assert(is_sorted_by_number(kAclCategories));

constexpr NumberName kAclTypes[] = {{0xA0001, "isGraphNeedRebuild"}, {0xA0002, "RemoveGraph"},
                                    {0xA0003, "AddGraph"},           {0xA0004, "BuildGraph"},
                                    {0xA0005, "RunGraphAsync"},      {0xA0006, "GEInitialize"},
                                    {0xA0007, "GEFinalize"}};
static_assert(is_sorted_by_number(kAclTypes));

constexpr NumberName kModelTypes[] = {
    {0, "graph_id_map"}, {1, "ModelExecute"},      {2, "ModelLoad"},  {3, "InputCopy"},
    {4, "OutputCopy"},   {7, "logic_stream_info"}, {8, "model_exeom"}};
static_assert(is_sorted_by_number(kModelTypes));

constexpr NumberName kNodeTypes[] = {{0, "node_basic_info"},  {1, "tensor_info"},
                                     {2, "fusion_op_info"},   {4, "context_id_info"},
                                     {5, "launch"},           {6, "task_memory_info"},
                                     {8, "AicpuHostCompute"}, {9, "node_attr_info"},
                                     {10, "hccl_op_info"},    {11, "static_op_mem"},
                                     {12, "mc2_comm_info"},   {13, "op_info"},
                                     {0x10001, "InferShape"}, {0x10002, "CompatibleInferShape"},
                                     {0x10003, "Tiling"},     {0x10004, "CompatibleTiling"},
                                     {0x10005, "StreamSync"}, {0x10006, "step_info"}};
static_assert(is_sorted_by_number(kNodeTypes));

constexpr NumberName kHcclTypes[] = {
    {0, "hccl_info"},       {4, "context_id_info"},      {10, "Multi_Thread"},
    {13, "dpu_hccl_info"},  {14, "ccu_task_info"},       {15, "ccu_wait_signal_info"},
    {16, "ccu_group_info"}, {kTypeHcclMaster, "master"}, {kTypeHcclSlave, "slave"}};
static_assert(is_sorted_by_number(kHcclTypes));

constexpr NumberName kHcclCommands[] = {
    {0, "hcom_broadcast_"},     {1, "hcom_allReduce_"},   {2, "hcom_reduce_"},
    {3, "hcom_send_"},          {4, "hcom_receive_"},     {5, "hcom_allGather_"},
    {6, "hcom_reduceScatter_"}, {7, "hcom_scatter_"},     {8, "hcom_alltoall_"},
    {9, "hcom_alltoallv_"},     {10, "hcom_alltoallvc_"}, {11, "hcom_batchSendRecv_"}};
static_assert(is_sorted_by_number(kHcclCommands));

constexpr NumberName kRuntimeRecords[] = {
    {801, "memcpy_info"},        {802, "task_track"},      {803, "capture_stream_info"},
    {804, "expand_stream_spec"}, {805, "capture_op_info"}, {806, "dpu_track"},
    {807, "stream_sq_info"},     {808, "task_track_v2"},   {809, "capture_stream_info_v2"},
    {810, "memcpy_ext_info"},    {811, "memset_info"},     {812, "memmng_info"}};
static_assert(is_sorted_by_number(kRuntimeRecords));

constexpr NumberName kTaskTypes[] = {{0, "KERNEL_AICORE"},
                                     {1, "KERNEL_AICPU"},
                                     {2, "EVENT_RECORD"},
                                     {3, "EVENT_WAIT"},
                                     {4, "KERNEL_FUSION"},
                                     {5, "MEMCPY_ASYNC"},
                                     {6, "MAINTENANCE"},
                                     {7, "CREATE_STREAM"},
                                     {9, "REMOTE_EVENT_WAIT"},
                                     {11, "CREATE_L2_ADDR"},
                                     {12, "MODEL_MAINTAINCE"},
                                     {13, "MODEL_EXECUTE"},
                                     {14, "NOTIFY_WAIT"},
                                     {15, "NOTIFY_RECORD"},
                                     {16, "RDMA_SEND"},
                                     {18, "STREAM_SWITCH"},
                                     {19, "STREAM_ACTIVE"},
                                     {20, "LABEL_SET"},
                                     {21, "LABEL_SWITCH"},
                                     {22, "LABEL_GOTO"},
                                     {23, "PROFILER_TRACE"},
                                     {24, "EVENT_RESET"},
                                     {25, "RDMA_DB_SEND"},
                                     {26, "PROFILER_TRACE_EX"},
                                     {30, "CCU_LAUNCH"},
                                     {32, "MEMSET_ASYNC"},
                                     {50, "STARS_COMMON"},
                                     {52, "FFTS_PLUS"},
                                     {53, "CMO"},
                                     {54, "BARRIER"},
                                     {55, "WriteValueTask"},
                                     {56, "MULTIPLE_TASK"},
                                     {57, "TASK_SQE_UPDATE"},
                                     {64, "PROFILING_ENABLE"},
                                     {65, "PROFILING_DISABLE"},
                                     {66, "KERNEL_AIVEC"},
                                     {67, "MODEL_END_GRAPH"},
                                     {68, "MODEL_TO_AICPU"},
                                     {69, "ACTIVE_AICPU_STREAM"},
                                     {70, "DATADUMP_LOADINFO"},
                                     {71, "STREAM_SWITCH_N"},
                                     {72, "HOSTFUNC_CALLBACK"},
                                     {73, "ONLINE_PROF_ENABLE"},
                                     {74, "ONLINE_PROF_DISABLE"},
                                     {75, "STREAM_LABEL_SWITCH_BY_INDEX"},
                                     {77, "STREAM_LABEL_GOTO"},
                                     {81, "MODEL_EXIT_GRAPH"},
                                     {86, "TASK_TIMEOUT_SET"},
                                     {87, "GET_DEVICE_MSG"},
                                     {88, "NPU_GET_FLOAT_STATUS"},
                                     {89, "NPU_CLEAR_FLOAT_STATUS"},
                                     {92, "REDUCE_ASYNC_V2"},
                                     {98, "FLIP_TASK"},
                                     {101, "MODEL_TASK_UPDATE"},
                                     {102, "AICPU_LOADINFO"},
                                     {103, "NOP"},
                                     {107, "KERNEL_FUSION"},
                                     {108, "KERNEL_MIX_AIC"},
                                     {109, "KERNEL_MIX_AIV"},
                                     {110, "DAVID_EVENT_RECORD"},
                                     {111, "DAVID_EVENT_WAIT"},
                                     {112, "DAVID_EVENT_RESET"},
                                     {113, "MEM_WRITE_VALUE"},
                                     {114, "MEM_WAIT_VALUE"},
                                     {126, "CAPTURE_RECORD"},
                                     {127, "CAPTURE_WAIT"},
                                     {129, "IPC_EVENT_RECORD"},
                                     {130, "IPC_EVENT_WAIT"},
                                     {133, "CAPTURE_CONDITION"},
                                     {600, "KERNEL_SIMT"},
                                     {601, "MODEL_WAIT_COMPLETE"}};
static_assert(is_sorted_by_number(kTaskTypes));

constexpr NumberName kRuntimeApis[] = {{3, "KernelLaunch"},
                                       {6, "StreamCreate"},
                                       {7, "StreamDestroy"},
                                       {8, "StreamWaitEvent"},
                                       {9, "StreamSynchronize"},
                                       {10, "EventCreate"},
                                       {11, "EventDestroy"},
                                       {12, "EventRecord"},
                                       {13, "EventSynchronize"},
                                       {14, "DevMalloc"},
                                       {15, "DevFree"},
                                       {16, "HostMalloc"},
                                       {17, "HostFree"},
                                       {20, "MemCopySync"},
                                       {22, "SetDevice"},
                                       {23, "DeviceReset"},
                                       {24, "DeviceSynchronize"},
                                       {25, "ContextCreate"},
                                       {27, "ContextSetCurrent"},
                                       {35, "ModelCreate"},
                                       {36, "ModelBindStream"},
                                       {39, "ModelExecute"},
                                       {45, "NotifyRecord"},
                                       {46, "NotifyWait"},
                                       {51, "CallbackLaunch"},
                                       {56, "RdmaDbSend"},
                                       {63, "KernelLaunchWithHandle"},
                                       {71, "Memset"},
                                       {72, "CpuKernelLaunch"},
                                       {73, "MemsetAsync"},
                                       {74, "ReduceAsync"},
                                       {95, "CpuKernelLaunchExWithArgs"},
                                       {103, "MemcpyAsync"},
                                       {105, "ReduceAsyncV2"},
                                       {107, "StarsTaskLaunch"},
                                       {109, "FftsPlusTaskLaunch"},
                                       {111, "CmoTaskLaunch"},
                                       {113, "StreamSyncTaskFinish"},
                                       {116, "BinaryLoad"},
                                       {117, "BinaryGetFunction"},
                                       {119, "LaunchKernel"},
                                       {127, "LaunchKernel_Huge"},
                                       {128, "LaunchKernel_Big"},
                                       {132, "CmoAddrTaskLaunch"},
                                       {133, "EventCreateEx"},
                                       {142, "LaunchKernel_Large"},
                                       {144, "MemcpyAsyncPtr"},
                                       {160, "LaunchKernelV2"},
                                       {177, "ModelExecuteASync"},
                                       {181, "MemcpyBatchAsync"},
                                       {182, "LaunchHostFunc"}};
static_assert(is_sorted_by_number(kRuntimeApis));

std::string_view runtime_type_name(std::uint32_t type) {
  if (type >= kRuntimeApiBase) return runtime_api_name(type - kRuntimeApiBase);
  const std::string_view record = name_of(kRuntimeRecords, type);
  return record.empty() ? task_type_name(type) : record;
}

std::string_view acl_type_name(std::uint32_t type) {
  if (acl_category(type) == static_cast<std::uint16_t>(AclCategory::kHccl)) {
    return hccl_command_name(type - kAclHcclBase);
  }
  return name_of(kAclTypes, type);
}

std::string_view node_type_name(std::uint32_t type) {
  if (type >> 16 == kNodeHcclBase >> 16) return hccl_command_name(type - kNodeHcclBase);
  return name_of(kNodeTypes, type);
}

}  // namespace

std::string_view age_name(Age age) { return age == Age::kAging ? "aging" : "unaging"; }

std::string_view module_name(Module module) {
  switch (module) {
    case Module::kApiEvent:
      return "api_event";
    case Module::kCompact:
      return "compact";
    case Module::kAdditional:
      return "additional";
    case Module::kVariable:
      return "variable";
  }
  return {};
}

std::string_view level_name(std::uint16_t level) { return name_of(kLevels, level); }

std::optional<std::uint16_t> level_from_name(std::string_view name) {
  const auto number = number_of(kLevels, name);
  if (!number) return std::nullopt;
  return static_cast<std::uint16_t>(*number);
}

std::string_view acl_category_name(std::uint16_t category) {
  return name_of(kAclCategories, category);
}

std::string_view hccl_command_name(std::uint32_t command) {
  return name_of(kHcclCommands, command);
}

std::optional<std::uint32_t> hccl_command_from_name(std::string_view name) {
  return number_of(kHcclCommands, name);
}

std::string_view task_type_name(std::uint64_t task_type) { return name_of(kTaskTypes, task_type); }

std::optional<std::uint16_t> task_type_from_name(std::string_view name) {
  const auto number = number_of(kTaskTypes, name);
  if (!number) return std::nullopt;
  return static_cast<std::uint16_t>(*number);
}

std::string_view runtime_api_name(std::uint32_t number) { return name_of(kRuntimeApis, number); }

std::string_view type_name(std::uint16_t level, std::uint32_t type) {
  switch (level) {
    case kLevelAcl:
      return acl_type_name(type);
    case kLevelModel:
      return name_of(kModelTypes, type);
    case kLevelNode:
      return node_type_name(type);
    case kLevelHccl:
      return name_of(kHcclTypes, type);
    case kLevelRuntime:
      return runtime_type_name(type);
    case kLevelMsproftx:
      return type == 0 ? "msproftx" : std::string_view{};
    default:
      return {};
  }
}

}  // namespace npuprof::format::host
