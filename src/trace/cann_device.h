#pragma once

// What a device recorded: task intervals, counters, samples. Times are wall-clock ns, mapped
// through the device clock; `device` is the number in the directory name.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/table.h"

namespace npuprof::trace {

// Stream of records that do not say it (chips 15, 16); link finds it by the task.
inline constexpr std::uint16_t kUnknownStream = 0xFFFF;

enum class PmuCore : std::uint8_t { kAic, kAiv, kMixAic, kMixAiv };
inline constexpr std::size_t kPmuCounters = 10;  // 8 on chip 5, 10 on chips 15 and 16.
using PmuCounters = std::array<std::uint64_t, kPmuCounters>;
enum class CacheCounterKind : std::uint8_t { kL2, kSmmu, kPageFault };
using CacheCounts = std::array<std::uint64_t, 8>;
enum class MemoryBandwidthKind : std::uint8_t { kHbm, kDdr, kLlc, kLlc310 };

// Vector, scalar, cube, MTE1, MTE2, MTE3.
using PipeCycles = std::array<std::uint16_t, 6>;
// Read and write commands, read and write latency, read and write flux, the same from L2, L2 hits.
using BusTraffic = std::array<std::uint32_t, 9>;
// How long the communication unit waited for each of its ranks, by index; 0 = not at all.
using CcuWaits = std::array<std::uint32_t, 16>;
// In PipeIntervals; what a checkpoint reports has 12 bits.
inline constexpr std::uint16_t kNoCheckpoint = 0xFFFF;

// Meaning of LinkSamples::values, in order.
enum class LinkKind : std::uint8_t {
  kPcie,  // 21 numbers: tx post, tx non-post, tx completion, tx latency, rx post, rx non-post, rx
          // completion, each min, max, average.
  kHccs,  // tx bytes, rx bytes, cumulative.
  kNic,  // bandwidth, then rx packet rate, byte rate, packets, bytes, errors, dropped, tx likewise.
  kRoce,       // As kNic.
  kNetdev,     // The 15 cumulative counters in file order.
  kUb,         // The 14 numbers after the time.
  kSio,        // req, rsp, snp, dat received, then sent; bytes since the previous sample.
  kQos,        // Bandwidths of the configured streams in their order, at most ten.
  kAccPmu,     // Read and write bandwidth, read and write outstanding.
  kPaLink,     // rx, tx.
  kPcieTrans,  // write, read.
  kSocLevel,   // L2 buffer level, mata level.
  kDvpp,       // Engine type, engine id, all time, all frames, utilisation, proc time, frames,
               // utilisation.
};
inline constexpr std::size_t kLinkValues = 21;
using LinkValues = std::array<double, kLinkValues>;

// Meaning of RateSamples::values, in order.
enum class RateKind : std::uint8_t {
  kHbm,     // MB/s.
  kLlc,     // Hit rate (0 to 1), MB/s.
  kDdr,     // Read MB/s, write MB/s.
  kHccs,    // Sent MB/s, received MB/s.
  kUb,      // Received MB/s, sent MB/s.
  kSio,     // MB/s: req, rsp, snp, dat received, then sent.
  kQos,     // MB/s.
  kNetdev,  // The 15 counters, after each count of MAC and NIC bytes its rate.
};
inline constexpr std::size_t kRateValues = 19;
using RateValues = std::array<double, kRateValues>;

// Start and end of every task and FFTS+ context, paired. Batch ids are set when loading, from the
// device's own flip records.
struct DeviceTasks {
  std::vector<std::int64_t> start_ns;
  std::vector<std::int64_t> end_ns;
  std::vector<std::uint16_t> device;
  std::vector<std::uint16_t> stream;
  std::vector<std::uint32_t> task;
  std::vector<std::uint16_t> batch;
  std::vector<std::uint32_t> context;  // kNone = the task itself.
  std::vector<std::uint8_t> type;      // SQE type, or sub-task type when context is set.
  std::vector<std::uint16_t> thread;   // Of an FFTS+ context, else 0.

  std::size_t size() const { return start_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("start_ns", self.start_ns);
    visit("end_ns", self.end_ns);
    visit("device", self.device);
    visit("stream", self.stream);
    visit("task", self.task);
    visit("batch", self.batch);
    visit("context", self.context);
    visit("type", self.type);
    visit("thread", self.thread);
  }
};

// Counters of one kernel on one side. MIX kernels have a main record here and slave blocks summed
// into another. `counters` has kPmuCounters values per row.
struct PmuRecords {
  std::vector<std::int64_t> start_ns;
  std::vector<std::int64_t> end_ns;
  std::vector<std::uint16_t> device;
  std::vector<std::uint16_t> stream;
  std::vector<std::uint32_t> task;
  std::vector<std::uint16_t> batch;
  std::vector<std::uint32_t> context;
  std::vector<std::uint8_t> core;          // PmuCore: which side the counters are of.
  std::vector<std::uint8_t> is_slave;      // Sum over the slave blocks of a MIX kernel.
  std::vector<std::uint32_t> block_count;  // Slave blocks summed; 0 on main records.
  std::vector<std::uint64_t> cycles;
  std::vector<PmuCounters> counters;  // In the order of the event list.
  std::vector<double> mhz;            // AI core frequency in force at the end; 0 on slave records.

  std::size_t size() const { return start_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("start_ns", self.start_ns);
    visit("end_ns", self.end_ns);
    visit("device", self.device);
    visit("stream", self.stream);
    visit("task", self.task);
    visit("batch", self.batch);
    visit("context", self.context);
    visit("core", self.core);
    visit("is_slave", self.is_slave);
    visit("block_count", self.block_count);
    visit("cycles", self.cycles);
    visit("counters", self.counters);
    visit("mhz", self.mhz);
  }
};

// Step trace records: iterations, all-reduce, get-next, device marks (tag 11), framework steps
// (60000/60001).
struct StepMarks {
  std::vector<std::int64_t> time_ns;
  std::vector<std::uint16_t> device;
  std::vector<std::uint64_t> index;
  std::vector<std::uint64_t> model_id;
  std::vector<std::uint16_t> stream;
  std::vector<std::uint32_t> task;
  std::vector<std::uint16_t> tag;

  std::size_t size() const { return time_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("time_ns", self.time_ns);
    visit("device", self.device);
    visit("index", self.index);
    visit("model_id", self.model_id);
    visit("stream", self.stream);
    visit("task", self.task);
    visit("tag", self.tag);
  }
};

// Block counts decided on the device (tiling sink).
struct BlockNumbers {
  std::vector<std::int64_t> time_ns;
  std::vector<std::uint16_t> device;
  std::vector<std::uint16_t> stream;
  std::vector<std::uint32_t> task;
  std::vector<std::uint16_t> batch;
  std::vector<std::uint16_t> block_num;
  std::vector<std::uint16_t> mix_ratio;

  std::size_t size() const { return time_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("time_ns", self.time_ns);
    visit("device", self.device);
    visit("stream", self.stream);
    visit("task", self.task);
    visit("batch", self.batch);
    visit("block_num", self.block_num);
    visit("mix_ratio", self.mix_ratio);
  }
};

// Asynchronous copies seen by the task scheduler.
struct AsyncCopies {
  std::vector<std::int64_t> received_ns;
  std::vector<std::int64_t> start_ns;
  std::vector<std::int64_t> end_ns;
  std::vector<std::uint16_t> device;
  std::vector<std::uint16_t> stream;
  std::vector<std::uint32_t> task;

  std::size_t size() const { return received_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("received_ns", self.received_ns);
    visit("start_ns", self.start_ns);
    visit("end_ns", self.end_ns);
    visit("device", self.device);
    visit("stream", self.stream);
    visit("task", self.task);
  }
};

// AI CPU kernels with their phases.
struct AicpuNodes {
  std::vector<std::int64_t> start_ns;
  std::vector<std::int64_t> end_ns;
  std::vector<std::uint16_t> device;
  std::vector<std::uint16_t> stream;
  std::vector<std::uint32_t> task;
  std::vector<std::uint16_t> batch;
  std::vector<double> compute_us;
  std::vector<double> copy_us;
  std::vector<double> task_us;
  std::vector<double> dispatch_us;
  std::vector<double> total_us;
  std::vector<std::uint32_t> kernel;  // Row in Kernels, kNone = unknown.

  std::size_t size() const { return start_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("start_ns", self.start_ns);
    visit("end_ns", self.end_ns);
    visit("device", self.device);
    visit("stream", self.stream);
    visit("task", self.task);
    visit("batch", self.batch);
    visit("compute_us", self.compute_us);
    visit("copy_us", self.copy_us);
    visit("task_us", self.task_us);
    visit("dispatch_us", self.dispatch_us);
    visit("total_us", self.total_us);
    visit("kernel", self.kernel);
  }
};

// Data preprocessing: actions on a queue (dp) and waits of the MindSpore queue (aicpu_mi).
struct DataQueueEvents {
  std::vector<std::int64_t> start_ns;
  std::vector<std::int64_t> end_ns;
  std::vector<std::uint16_t> device;
  std::vector<StringId> name;  // Action or node name.
  std::vector<StringId> source;
  std::vector<std::uint64_t> index;
  std::vector<std::uint64_t> queue_size;
  std::vector<std::uint8_t> is_wait;  // 1 = aicpu_mi row.

  std::size_t size() const { return start_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("start_ns", self.start_ns);
    visit("end_ns", self.end_ns);
    visit("device", self.device);
    visit("name", self.name);
    visit("source", self.source);
    visit("index", self.index);
    visit("queue_size", self.queue_size);
    visit("is_wait", self.is_wait);
  }
};

// Turns of fused compute and communication kernels: each phase one row.
struct KernelCommunicationTurns {
  std::vector<std::int64_t> start_ns;
  std::vector<std::int64_t> end_ns;
  std::vector<std::uint16_t> device;
  std::vector<std::uint16_t> stream;
  std::vector<std::uint32_t> task;
  std::vector<StringId> phase;
  std::vector<std::uint8_t> turn;

  std::size_t size() const { return start_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("start_ns", self.start_ns);
    visit("end_ns", self.end_ns);
    visit("device", self.device);
    visit("stream", self.stream);
    visit("task", self.task);
    visit("phase", self.phase);
    visit("turn", self.turn);
  }
};

// Collectives and their tasks reported by the AI CPU, joined to tasks by (stream, task).
struct DeviceCollectives {
  std::vector<std::int64_t> time_ns;
  std::vector<std::uint16_t> device;
  std::vector<std::uint8_t> kind;  // AI CPU record type: 10 op, 12 main-stream mark, 13 task.
  std::vector<std::uint16_t> stream;
  std::vector<std::uint32_t> task;
  std::vector<std::uint16_t> batch;
  std::vector<std::uint16_t> other_stream;  // Kind 12: AI CPU stream.
  std::vector<std::uint32_t> other_task;
  std::vector<std::uint16_t> mark;  // Kind 12: 0 first, 1 last.
  std::vector<std::uint8_t> relay;
  std::vector<std::uint8_t> retry;
  std::vector<std::uint32_t> data_type;
  std::vector<StringId> algorithm;
  std::vector<std::uint64_t> count;
  std::vector<std::uint64_t> group_hash;
  std::vector<StringId> group;
  std::vector<std::uint32_t> rank_size;
  std::vector<StringId> name;
  std::vector<std::uint32_t> local_rank;
  std::vector<std::uint32_t> remote_rank;
  std::vector<std::uint32_t> plane;
  std::vector<std::uint64_t> notify_id;
  std::vector<double> estimated_us;
  std::vector<std::uint64_t> size_bytes;
  std::vector<std::uint32_t> reduce_op;
  std::vector<std::uint32_t> link_type;
  std::vector<std::uint32_t> transport_type;
  std::vector<std::uint32_t> rdma_type;

  std::size_t size() const { return time_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("time_ns", self.time_ns);
    visit("device", self.device);
    visit("kind", self.kind);
    visit("stream", self.stream);
    visit("task", self.task);
    visit("batch", self.batch);
    visit("other_stream", self.other_stream);
    visit("other_task", self.other_task);
    visit("mark", self.mark);
    visit("relay", self.relay);
    visit("retry", self.retry);
    visit("data_type", self.data_type);
    visit("algorithm", self.algorithm);
    visit("count", self.count);
    visit("group_hash", self.group_hash);
    visit("group", self.group);
    visit("rank_size", self.rank_size);
    visit("name", self.name);
    visit("local_rank", self.local_rank);
    visit("remote_rank", self.remote_rank);
    visit("plane", self.plane);
    visit("notify_id", self.notify_id);
    visit("estimated_us", self.estimated_us);
    visit("size_bytes", self.size_bytes);
    visit("reduce_op", self.reduce_op);
    visit("link_type", self.link_type);
    visit("transport_type", self.transport_type);
    visit("rdma_type", self.rdma_type);
  }
};

// L2 cache and SoC PMU counters of one kernel; eight values per row in the order of the event list.
// The records carry no time and no batch, so link finds the kernel by order of appearance.
struct CacheCounters {
  std::vector<std::uint16_t> device;
  std::vector<std::uint16_t> stream;
  std::vector<std::uint32_t> task;
  std::vector<std::uint8_t> kind;  // CacheCounterKind.
  std::vector<CacheCounts> counts;
  std::vector<std::uint32_t> kernel;  // Row in Kernels, kNone = unknown.

  std::size_t size() const { return device.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("device", self.device);
    visit("stream", self.stream);
    visit("task", self.task);
    visit("kind", self.kind);
    visit("counts", self.counts);
    visit("kernel", self.kernel);
  }
};

// AI core frequency (and voltage) change points.
struct Frequencies {
  std::vector<std::int64_t> time_ns;
  std::vector<std::uint16_t> device;
  std::vector<std::uint8_t> kind;  // 0 MHz, 1 core mV, 2 bus mV.
  std::vector<std::uint32_t> value;
  std::vector<std::uint8_t> die;

  std::size_t size() const { return time_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("time_ns", self.time_ns);
    visit("device", self.device);
    visit("kind", self.kind);
    visit("value", self.value);
    visit("die", self.die);
  }
};

// HBM, DDR and LLC samples as raw counts.
struct MemoryBandwidth {
  std::vector<std::int64_t> time_ns;
  std::vector<std::uint16_t> device;
  std::vector<std::uint8_t> kind;    // MemoryBandwidthKind.
  std::vector<std::uint32_t> unit;   // HBM id, L3 id or DDR channel.
  std::vector<std::uint32_t> event;  // 0 read, 1 write; LLC: event number, CacheEvent310.
  std::vector<std::uint64_t> count;

  std::size_t size() const { return time_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("time_ns", self.time_ns);
    visit("device", self.device);
    visit("kind", self.kind);
    visit("unit", self.unit);
    visit("event", self.event);
    visit("count", self.count);
  }
};

// Memory of the process (event 0) and of the whole device (1).
struct DeviceMemory {
  std::vector<std::int64_t> time_ns;
  std::vector<std::uint16_t> device;
  std::vector<std::uint8_t> event;
  std::vector<std::uint64_t> ddr_bytes;
  std::vector<std::uint64_t> hbm_bytes;

  std::size_t size() const { return time_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("time_ns", self.time_ns);
    visit("device", self.device);
    visit("event", self.event);
    visit("ddr_bytes", self.ddr_bytes);
    visit("hbm_bytes", self.hbm_bytes);
  }
};

// Memory reserved by each CANN component.
struct ModuleMemory {
  std::vector<std::int64_t> time_ns;
  std::vector<std::uint16_t> device;
  std::vector<std::uint32_t> module;
  std::vector<std::int64_t> reserved_bytes;  // -1 = unknown.

  std::size_t size() const { return time_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("time_ns", self.time_ns);
    visit("device", self.device);
    visit("module", self.module);
    visit("reserved_bytes", self.reserved_bytes);
  }
};

// PCIe, HCCS, NIC, RoCE, UB, SIO, QoS, ACC PMU, chip transport and SoC level samples. `values` has
// kLinkValues numbers per row whose meaning depends on `kind` (see LinkKind).
struct LinkSamples {
  std::vector<std::int64_t> time_ns;
  std::vector<std::uint16_t> device;
  std::vector<std::uint8_t> kind;   // LinkKind.
  std::vector<std::uint32_t> unit;  // Port, die or accelerator.
  std::vector<LinkValues> values;

  std::size_t size() const { return time_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("time_ns", self.time_ns);
    visit("device", self.device);
    visit("kind", self.kind);
    visit("unit", self.unit);
    visit("values", self.values);
  }
};

// What results give as rates, where raw data has counts: MemoryBandwidth and those LinkSamples that
// need the sample before. `values` depend on `kind` (see RateKind). MB are 2^20 bytes.
struct RateSamples {
  std::vector<std::int64_t> time_ns;
  std::vector<std::uint16_t> device;
  std::vector<std::uint8_t> kind;   // RateKind.
  std::vector<std::uint32_t> unit;  // Memory, cache slice, port or die; kNone = there is but one.
  std::vector<StringId> label;      // Read or Write, stream, or die.
  std::vector<RateValues> values;

  std::size_t size() const { return time_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("time_ns", self.time_ns);
    visit("device", self.device);
    visit("kind", self.kind);
    visit("unit", self.unit);
    visit("label", self.label);
    visit("values", self.values);
  }
};

// Sampled AI core counters (sample-based runs).
struct CoreSamples {
  std::vector<std::int64_t> time_ns;
  std::vector<std::uint16_t> device;
  std::vector<std::uint8_t> core_id;
  std::vector<std::uint8_t> core;  // PmuCore.
  std::vector<std::uint64_t> cycles;
  std::vector<PmuCounters> counters;

  std::size_t size() const { return time_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("time_ns", self.time_ns);
    visit("device", self.device);
    visit("core_id", self.core_id);
    visit("core", self.core);
    visit("cycles", self.cycles);
    visit("counters", self.counters);
  }
};

// Blocks of a kernel on single cores (chips 15, 16).
struct BlockIntervals {
  std::vector<std::int64_t> start_ns;
  std::vector<std::int64_t> end_ns;
  std::vector<std::uint16_t> device;
  std::vector<std::uint16_t> stream;  // Set by link.
  std::vector<std::uint32_t> task;
  std::vector<std::uint8_t> core;  // PmuCore: kAic or kAiv.
  std::vector<std::uint8_t> core_id;
  std::vector<std::uint16_t> block;

  std::size_t size() const { return start_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("start_ns", self.start_ns);
    visit("end_ns", self.end_ns);
    visit("device", self.device);
    visit("stream", self.stream);
    visit("task", self.task);
    visit("core", self.core);
    visit("core_id", self.core_id);
    visit("block", self.block);
  }
};

// Parts of fused tasks (chips 15, 16), each on a unit of its own.
struct FusionParts {
  std::vector<std::int64_t> start_ns;
  std::vector<std::int64_t> end_ns;
  std::vector<std::uint16_t> device;
  std::vector<std::uint32_t> task;
  std::vector<std::uint8_t> type;  // SQE type.
  std::vector<std::uint8_t> part;  // format::device::FusionPart.
  std::vector<std::uint8_t> mission;
  std::vector<std::uint16_t> accelerator;

  std::size_t size() const { return start_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("start_ns", self.start_ns);
    visit("end_ns", self.end_ns);
    visit("device", self.device);
    visit("task", self.task);
    visit("type", self.type);
    visit("part", self.part);
    visit("mission", self.mission);
    visit("accelerator", self.accelerator);
  }
};

// Missions of the collective communication unit (chips 15, 16): a loop that moves data, a wait for
// signals of other ranks, or both.
struct CcuMissions {
  std::vector<std::int64_t> start_ns;  // Of the whole.
  std::vector<std::int64_t> end_ns;
  std::vector<std::uint16_t> device;
  std::vector<std::uint16_t> stream;  // Set by link.
  std::vector<std::uint8_t> die;
  std::vector<std::uint32_t> task;
  std::vector<std::uint8_t> has_loop;
  std::vector<std::int64_t> loop_start_ns;
  std::vector<std::int64_t> loop_end_ns;
  std::vector<std::uint16_t> loop_instruction;
  std::vector<std::uint8_t> has_wait;
  std::vector<std::int64_t> wait_start_ns;
  std::vector<std::uint16_t> wait_instruction;
  std::vector<CcuWaits> wait_ns;

  std::size_t size() const { return start_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("start_ns", self.start_ns);
    visit("end_ns", self.end_ns);
    visit("device", self.device);
    visit("stream", self.stream);
    visit("die", self.die);
    visit("task", self.task);
    visit("has_loop", self.has_loop);
    visit("loop_start_ns", self.loop_start_ns);
    visit("loop_end_ns", self.loop_end_ns);
    visit("loop_instruction", self.loop_instruction);
    visit("has_wait", self.has_wait);
    visit("wait_start_ns", self.wait_start_ns);
    visit("wait_instruction", self.wait_instruction);
    visit("wait_ns", self.wait_ns);
  }
};

// Delays of the communication unit's channels; the bandwidth is 4096 bytes per delay.
struct CcuChannels {
  std::vector<std::int64_t> time_ns;
  std::vector<std::uint16_t> device;
  std::vector<std::uint8_t> die;
  std::vector<std::uint8_t> channel;
  std::vector<std::uint32_t> average_delay;
  std::vector<std::uint32_t> min_delay;
  std::vector<std::uint32_t> max_delay;

  std::size_t size() const { return time_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("time_ns", self.time_ns);
    visit("device", self.device);
    visit("die", self.die);
    visit("channel", self.channel);
    visit("average_delay", self.average_delay);
    visit("min_delay", self.min_delay);
    visit("max_delay", self.max_delay);
  }
};

// Instruction profiling of chips 5, 7, 8 and 11: busy cycles of the pipes since the core's previous
// sample, and on cube cores the traffic of the bus interface.
struct InstructionSamples {
  std::vector<std::int64_t> time_ns;
  std::vector<std::uint16_t> device;
  std::vector<std::uint8_t> group;
  std::vector<std::uint8_t> core;  // PmuCore: kAic or kAiv.
  std::vector<std::uint8_t> core_id;
  std::vector<PipeCycles> cycles;
  std::vector<BusTraffic> traffic;

  std::size_t size() const { return time_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("time_ns", self.time_ns);
    visit("device", self.device);
    visit("group", self.group);
    visit("core", self.core);
    visit("core_id", self.core_id);
    visit("cycles", self.cycles);
    visit("traffic", self.traffic);
  }
};

// Instruction profiling of chips 15 and 16: when a pipe of a core was busy, and the checkpoints it
// passed.
struct PipeIntervals {
  std::vector<std::int64_t> start_ns;
  std::vector<std::int64_t> end_ns;
  std::vector<std::uint16_t> device;
  std::vector<std::uint8_t> group;
  std::vector<std::uint8_t> core;  // 0 cube core, 1 first and 2 second vector core of the group.
  std::vector<std::uint8_t> pipe;  // Scalar, vector, cube, MTE1, MTE2, MTE3, fixpipe.
  std::vector<std::uint16_t> block;
  std::vector<std::uint16_t> checkpoint;  // What it reports; kNoCheckpoint = the pipe was busy.

  std::size_t size() const { return start_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("start_ns", self.start_ns);
    visit("end_ns", self.end_ns);
    visit("device", self.device);
    visit("group", self.group);
    visit("core", self.core);
    visit("pipe", self.pipe);
    visit("block", self.block);
    visit("checkpoint", self.checkpoint);
  }
};

}  // namespace npuprof::trace
