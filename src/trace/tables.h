#pragma once

// All tables of a Trace, listed once: type, name, and what its rows are. Times are wall-clock ns.

#include <cstdint>

namespace npuprof::trace {

// What the rows of a table are, for whoever treats all tables alike.
enum class TableKind : std::uint8_t {
  kHostEvents,    // Something that happened on a thread of the program.
  kDeviceEvents,  // Something that a device did because the program asked for it.
  kEvents,        // Something that happened by itself, or on both sides.
  kSamples,       // Values over time; a rate needs the sample before.
  kParts,         // Parts of rows of other tables (PartOf), or pairs of them.
  kRecords,       // What joins and dictionaries are made of; results are not made of it directly.
};

// Who fills a table: a folder below src/trace/.
enum class Room : std::uint8_t { kFramework, kHost, kDevice, kMachine, kLaunched, kLinked };

// By room: what src/trace/framework/ declares, and so on.
// clang-format off

// framework/: what the framework (PyTorch or MindSpore) recorded in the profiled process:
// operators, the task queue, memory, Python calls. Rows are in file order unless a table says
// otherwise.
#define NPUPROF_FRAMEWORK_TABLES(table) \
  table(FrameworkOps, framework_ops, kHostEvents) \
  table(QueueMarks, queue_marks, kRecords) \
  table(Enqueues, enqueues, kHostEvents) \
  table(Dequeues, dequeues, kHostEvents) \
  table(MemoryEvents, memory_events, kHostEvents) \
  table(Allocations, allocations, kParts) \
  table(PythonEvents, python_events, kRecords) \
  table(PythonNames, python_names, kRecords) \
  table(PythonCalls, python_calls, kHostEvents) \
  table(ParameterTensors, parameter_tensors, kRecords) \
  table(GarbageCollections, garbage_collections, kEvents) \
  table(ProgramCounters, program_counters, kEvents) \
  table(MindSporeOps, mindspore_ops, kParts) \
  table(FlowMarks, flow_marks, kHostEvents) \
  table(MemoryLabels, memory_labels, kParts) \
  table(PoolTotals, pool_totals, kEvents) \
  table(LaunchShapes, launch_shapes, kRecords) \
  table(CpuOps, cpu_ops, kHostEvents) \
  table(PipelineOps, pipeline_ops, kRecords) \
  table(PipelineQueues, pipeline_queues, kRecords) \
  table(PipelineCpus, pipeline_cpus, kRecords) \
  table(PipelineBatches, pipeline_batches, kRecords) \
  table(Steps, steps, kHostEvents)

// host/: what CANN recorded on the host: API calls and the records that describe launches. Every
// table that has times is sorted by them. Names are resolved through the dictionaries; an unknown
// hash becomes its decimal text.
#define NPUPROF_HOST_TABLES(table) \
  table(ApiCalls, api_calls, kHostEvents) \
  table(TaskTracks, task_tracks, kRecords) \
  table(NodeInfos, node_infos, kRecords) \
  table(NodeTensors, node_tensors, kRecords) \
  table(NodeAttributes, node_attributes, kRecords) \
  table(ContextIds, context_ids, kRecords) \
  table(FusionOps, fusion_ops, kRecords) \
  table(CollectiveInfos, collective_infos, kRecords) \
  table(CollectiveTaskInfos, collective_task_infos, kRecords) \
  table(CcuInfos, ccu_infos, kRecords) \
  table(DpuTasks, dpu_tasks, kHostEvents) \
  table(CopyInfos, copy_infos, kRecords) \
  table(Marks, marks, kHostEvents) \
  table(OperatorMemory, operator_memory, kHostEvents) \
  table(StaticMemory, static_memory, kRecords) \
  table(GraphNames, graph_names, kRecords) \
  table(LogicalStreams, logical_streams, kRecords) \
  table(CommunicatorStreams, communicator_streams, kRecords) \
  table(CapturedStreams, captured_streams, kRecords) \
  table(CapturedOps, captured_ops, kRecords) \
  table(HostUsage, host_usage, kSamples) \
  table(OsCalls, os_calls, kHostEvents)

// device/: what a device recorded: task intervals, counters, samples. Times are mapped through the
// device clock; `device` is the number in the directory name.
#define NPUPROF_DEVICE_TABLES(table) \
  table(DeviceTasks, device_tasks, kRecords) \
  table(PmuRecords, pmu_records, kRecords) \
  table(StepMarks, step_marks, kRecords) \
  table(BlockNumbers, block_numbers, kRecords) \
  table(AsyncCopies, async_copies, kRecords) \
  table(AicpuNodes, aicpu_nodes, kEvents) \
  table(DataQueueEvents, data_queue_events, kEvents) \
  table(KernelCommunicationTurns, kernel_communication_turns, kEvents) \
  table(DeviceCollectives, device_collectives, kRecords) \
  table(CacheCounters, cache_counters, kParts) \
  table(Frequencies, frequencies, kSamples) \
  table(MemoryBandwidth, memory_bandwidth, kSamples) \
  table(DeviceMemory, device_memory, kSamples) \
  table(ModuleMemory, module_memory, kSamples) \
  table(LinkSamples, link_samples, kSamples) \
  table(RateSamples, rate_samples, kSamples) \
  table(CoreSamples, core_samples, kSamples) \
  table(BlockIntervals, block_intervals, kEvents) \
  table(FusionParts, fusion_parts, kEvents) \
  table(CcuMissions, ccu_missions, kEvents) \
  table(CcuChannels, ccu_channels, kSamples) \
  table(InstructionSamples, instruction_samples, kSamples) \
  table(PipeIntervals, pipe_intervals, kEvents)

// machine/: what was sampled of CPUs, memory and processes: of the host, and of the operating
// system that runs on a device.
#define NPUPROF_MACHINE_TABLES(table) \
  table(SystemCpuTimes, system_cpu_times, kSamples) \
  table(ProcessCpuTimes, process_cpu_times, kSamples) \
  table(SystemMemory, system_memory, kEvents) \
  table(ProcessMemory, process_memory, kEvents) \
  table(CpuSamples, cpu_samples, kEvents)

// launched/: what the host alone says about the tasks it put on streams. link/ fills these tables
// from those of host/; the join with the tasks of device/ turns them into Tasks, Kernels and
// CollectiveTasks.
#define NPUPROF_LAUNCHED_TABLES(table) \
  table(Launches, launches, kRecords) \
  table(LaunchedOps, launched_ops, kRecords) \
  table(LaunchedCollectives, launched_collectives, kRecords)

// linked/: what the joins of link/ produce: device tasks with the host call that launched them,
// kernels with their operator description and counters, collectives with their tasks.
#define NPUPROF_LINKED_TABLES(table) \
  table(Tasks, tasks, kDeviceEvents) \
  table(Kernels, kernels, kParts) \
  table(CollectiveOps, collective_ops, kDeviceEvents) \
  table(CollectiveTasks, collective_tasks, kParts) \
  table(Iterations, iterations, kEvents) \
  table(DeviceSteps, device_steps, kEvents) \
  table(IterationRanges, iteration_ranges, kEvents) \
  table(DeviceMarks, device_marks, kEvents) \
  table(KernelOps, kernel_ops, kParts) \
  table(ForwardBackward, forward_backward, kParts) \
  table(OverlapIntervals, overlap_intervals, kDeviceEvents)

#define NPUPROF_TRACE_TABLES(table) \
  NPUPROF_FRAMEWORK_TABLES(table) \
  NPUPROF_HOST_TABLES(table) \
  NPUPROF_DEVICE_TABLES(table) \
  NPUPROF_MACHINE_TABLES(table) \
  NPUPROF_LAUNCHED_TABLES(table) \
  NPUPROF_LINKED_TABLES(table)
// clang-format on

#define NPUPROF_DECLARE(Table, name, kind) struct Table;
NPUPROF_TRACE_TABLES(NPUPROF_DECLARE)
#undef NPUPROF_DECLARE

}  // namespace npuprof::trace
