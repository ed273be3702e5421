#pragma once

// What layers, events and arguments of a timeline are called: for those who write one, who read it
// back, and who show it. What only one of them knows of is named there.

#include <string_view>

namespace npuprof::format::results {

// Processes of the timeline.
namespace layer {
inline constexpr std::string_view kPython = "Python";
inline constexpr std::string_view kGarbageCollections = "Python GC";
inline constexpr std::string_view kMindSpore = "MindSpore";
inline constexpr std::string_view kCpuOperators = "CPU OP";
inline constexpr std::string_view kCann = "CANN";
inline constexpr std::string_view kScopes = "Scope Layer";
inline constexpr std::string_view kOsCalls = "OS Runtime API";
inline constexpr std::string_view kHardware = "Ascend Hardware";
inline constexpr std::string_view kStepTrace = "Step Trace";
inline constexpr std::string_view kFrequency = "AI Core Freq";
inline constexpr std::string_view kCommunication = "Communication";
inline constexpr std::string_view kDeviceMemory = "NPU MEM";
inline constexpr std::string_view kOverlap = "Overlap Analysis";

// The label of those of the host.
inline constexpr std::string_view kHostLabel = "CPU";
}  // namespace layer

// Threads of the layer of collectives: "Group <name> Communication", "Plane <number>".
namespace lane {
inline constexpr std::string_view kGroup = "Group ";
inline constexpr std::string_view kWhole = "Communication";
inline constexpr std::string_view kPlane = "Plane ";
}  // namespace lane

namespace category {
inline constexpr std::string_view kOperator = "cpu_op";
inline constexpr std::string_view kEnqueue = "enqueue";
inline constexpr std::string_view kDequeue = "dequeue";
inline constexpr std::string_view kPythonCall = "python_function";
inline constexpr std::string_view kGarbageCollection = "GC";
// Of step traces.
inline constexpr std::string_view kIteration = "Iteration Time";
inline constexpr std::string_view kForwardBackward = "FP_BP Time";
inline constexpr std::string_view kRefresh = "Iteration Refresh";
inline constexpr std::string_view kGetNext = "GetNext Time";
inline constexpr std::string_view kReduce = "Reduce";
// Of arrows.
inline constexpr std::string_view kLaunch = "HostToDevice";
inline constexpr std::string_view kQueueArrow = "async_task_queue";
inline constexpr std::string_view kBackwardArrow = "fwdbwd";
inline constexpr std::string_view kOperatorArrow = "async_npu";
inline constexpr std::string_view kMarkArrow = "MsTx";
inline constexpr std::string_view kDataWait = "Data_aug Bound";
inline constexpr std::string_view kMindSporeFlow = "async_mindspore";

// An arrow of kMarkArrow by name: from MindSpore's record of a mark to the mark.
inline constexpr std::string_view kMindSporeMarkName = "mindspore_to_mstx";
}  // namespace category

namespace argument {
// Of operators, the queue and Python calls.
inline constexpr std::string_view kSequence = "Sequence number";
inline constexpr std::string_view kForwardThread = "Fwd thread id";
inline constexpr std::string_view kInputShapes = "Input Dims";
inline constexpr std::string_view kInputTypes = "Input type";
inline constexpr std::string_view kStack = "Call stack";
inline constexpr std::string_view kModuleHierarchy = "Module Hierarchy";
inline constexpr std::string_view kCustomInfo = "custom_info";
inline constexpr std::string_view kCorrelation = "correlation_id";
inline constexpr std::string_view kPythonId = "Python id";
inline constexpr std::string_view kPythonParent = "Python parent id";
inline constexpr std::string_view kPythonModule = "Python module id";
// Of calls of CANN.
inline constexpr std::string_view kThread = "Thread Id";
inline constexpr std::string_view kMode = "Mode";
inline constexpr std::string_view kLevel = "level";
inline constexpr std::string_view kItem = "item_id";
inline constexpr std::string_view kConnection = "connection_id";
// Of marks.
inline constexpr std::string_view kCategory = "Category";
inline constexpr std::string_view kPayloadType = "Payload_type";
inline constexpr std::string_view kPayload = "Payload_value";
inline constexpr std::string_view kMessageType = "Message_type";
inline constexpr std::string_view kEventType = "event_type";
inline constexpr std::string_view kDomain = "domain";
inline constexpr std::string_view kMark = "mark_id";
// Of tasks.
inline constexpr std::string_view kModel = "Model Id";
inline constexpr std::string_view kTaskType = "Task Type";
inline constexpr std::string_view kStream = "Physic Stream Id";
inline constexpr std::string_view kTask = "Task Id";
inline constexpr std::string_view kBatch = "Batch Id";
inline constexpr std::string_view kContext = "Subtask Id";
inline constexpr std::string_view kCopiedBytes = "size(B)";
inline constexpr std::string_view kCopyDirection = "operation";
// Of iterations.
inline constexpr std::string_view kIteration = "Iteration ID";
inline constexpr std::string_view kForwardStart = "FP Start";
inline constexpr std::string_view kBackwardEnd = "BP End";
}  // namespace argument

// Arguments of collectives, and of their parts, which name tasks in a way of their own.
namespace collective_argument {
inline constexpr std::string_view kModel = "model id";
inline constexpr std::string_view kRankCount = "rank_size";
inline constexpr std::string_view kDataType = "data_type";
inline constexpr std::string_view kAlgorithm = "alg_type";
inline constexpr std::string_view kCount = "count";
inline constexpr std::string_view kRelay = "relay";
inline constexpr std::string_view kRetry = "retry";
inline constexpr std::string_view kYes = "yes";

inline constexpr std::string_view kNotify = "notify_id";
inline constexpr std::string_view kEstimated = "duration estimated(us)";
inline constexpr std::string_view kBandwidth = "bandwidth(GB/s)";
inline constexpr std::string_view kStream = "stream id";
inline constexpr std::string_view kTask = "task id";
inline constexpr std::string_view kContext = "context id";
inline constexpr std::string_view kTaskType = "task type";
inline constexpr std::string_view kSourceRank = "src rank";
inline constexpr std::string_view kDestinationRank = "dst rank";
inline constexpr std::string_view kTransport = "transport type";
inline constexpr std::string_view kBytes = "size(Byte)";
inline constexpr std::string_view kPartDataType = "data type";
inline constexpr std::string_view kLink = "link type";
}  // namespace collective_argument

}  // namespace npuprof::format::results
