#pragma once

// What the framework (PyTorch or MindSpore) recorded in the profiled process: operators, the task
// queue, memory, Python calls. Times are wall-clock ns. Rows are in file order unless a table says
// otherwise.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/table.h"

namespace npuprof::trace {

// Operator ranges, step marks and user scopes.
struct FrameworkOps {
  std::vector<std::int64_t> start_ns;
  std::vector<std::int64_t> end_ns;
  std::vector<std::int64_t> sequence;  // Autograd sequence number, -1 = none.
  std::vector<std::uint32_t> pid;
  std::vector<std::uint32_t> tid;
  // Of the thread that ran the forward operator, its id or its ordinal; 0 on forward operators.
  std::vector<std::uint32_t> forward_thread;
  std::vector<std::uint8_t> scope;  // format::framework::OpScope.
  std::vector<std::uint8_t> is_async;
  std::vector<StringId> name;
  std::vector<StringId> input_dtypes;  // Tokens joined by ';'.
  std::vector<StringId> input_shapes;  // Dimensions joined by ',', inputs by ';'.
  std::vector<StringId> stack;         // Frames, innermost first, joined by ';'.
  std::vector<StringId> module_hierarchy;
  std::vector<StringId> extra_args;
  std::vector<StringId> input_tensors;  // Tensor texts; the next two likewise raw.
  std::vector<StringId> input_tensor_lists;
  std::vector<StringId> input_scalars;
  std::vector<std::uint8_t>
      has_inputs;  // Whether dtypes and shapes were recorded: an empty shapes text can be real.
  std::vector<std::uint32_t>
      parent;  // Enclosing operator of the same thread, set by link; kNone at the top.

  std::size_t size() const { return start_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("start_ns", self.start_ns);
    visit("end_ns", self.end_ns);
    visit("sequence", self.sequence);
    visit("pid", self.pid);
    visit("tid", self.tid);
    visit("forward_thread", self.forward_thread);
    visit("scope", self.scope);
    visit("is_async", self.is_async);
    visit("name", self.name);
    visit("input_dtypes", self.input_dtypes);
    visit("input_shapes", self.input_shapes);
    visit("stack", self.stack);
    visit("module_hierarchy", self.module_hierarchy);
    visit("extra_args", self.extra_args);
    visit("input_tensors", self.input_tensors);
    visit("input_tensor_lists", self.input_tensor_lists);
    visit("input_scalars", self.input_scalars);
    visit("has_inputs", self.has_inputs);
    visit("parent", self.parent);
  }
};

// Raw enqueue and dequeue marks, as loaded; link pairs them into QueueRanges.
struct QueueMarks {
  std::vector<std::int64_t> time_ns;
  std::vector<std::uint8_t> category;  // 0/1 enqueue start/end, 2/3 dequeue start/end.
  std::vector<std::uint64_t> correlation;
  std::vector<std::uint32_t> tid;
  std::vector<std::uint32_t> pid;
  std::vector<StringId> name;

  std::size_t size() const { return time_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("time_ns", self.time_ns);
    visit("category", self.category);
    visit("correlation", self.correlation);
    visit("tid", self.tid);
    visit("pid", self.pid);
    visit("name", self.name);
  }
};

// Enqueues (or dequeues) of the task queue, in order of their end. An enqueue and a dequeue with
// equal correlation are two ends of one task.
struct QueueRanges {
  std::vector<std::int64_t> start_ns;
  std::vector<std::int64_t> end_ns;
  std::vector<std::uint64_t> correlation;
  std::vector<std::uint32_t> tid;
  std::vector<std::uint32_t> pid;
  std::vector<StringId> name;
  std::vector<std::uint32_t> partner;  // Row of the task's other end, kNone = not recorded.
  std::vector<std::uint32_t> op;       // Innermost operator around the enqueue, kNone = none.

  std::size_t size() const { return start_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("start_ns", self.start_ns);
    visit("end_ns", self.end_ns);
    visit("correlation", self.correlation);
    visit("tid", self.tid);
    visit("pid", self.pid);
    visit("name", self.name);
    visit("partner", self.partner);
    visit("op", self.op);
  }
};

// Allocator events.
struct MemoryEvents {
  std::vector<std::int64_t> time_ns;
  std::vector<std::uint64_t> address;
  std::vector<std::int64_t> size_bytes;  // Negative when memory is returned.
  std::vector<std::int64_t> total_allocated_bytes;
  std::vector<std::int64_t> total_reserved_bytes;
  std::vector<std::int64_t> total_active_bytes;
  std::vector<std::int64_t> stream;
  std::vector<std::uint8_t> device_type;  // 0 CPU, 20 NPU.
  std::vector<std::int8_t> device_index;
  std::vector<std::uint8_t> component;  // 0 caching allocator, 1 workspace.
  std::vector<std::uint8_t> kind;       // 0 malloc, 1 free, 2 block free.
  std::vector<std::uint8_t> allocator;  // 0 inner, 1 external.
  std::vector<std::uint32_t> tid;
  std::vector<std::uint32_t> pid;
  std::vector<std::uint32_t>
      owner;  // Operator that asked for it, set by link for mallocs; kNone = unknown.

  std::size_t size() const { return time_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("time_ns", self.time_ns);
    visit("address", self.address);
    visit("size_bytes", self.size_bytes);
    visit("total_allocated_bytes", self.total_allocated_bytes);
    visit("total_reserved_bytes", self.total_reserved_bytes);
    visit("total_active_bytes", self.total_active_bytes);
    visit("stream", self.stream);
    visit("device_type", self.device_type);
    visit("device_index", self.device_index);
    visit("component", self.component);
    visit("kind", self.kind);
    visit("allocator", self.allocator);
    visit("tid", self.tid);
    visit("pid", self.pid);
    visit("owner", self.owner);
  }
};

// Lifetimes of NPU memory blocks that the framework's own allocator handed out, set by link, in
// order of allocation. Columns are rows in MemoryEvents; the malloc's `owner` is who asked for it.
struct Allocations {
  std::vector<std::uint32_t> malloc_event;
  std::vector<std::uint32_t> free_event;        // Given back by the user; kNone = not seen.
  std::vector<std::uint32_t> block_free_event;  // Unused by all streams; kNone = not seen.
  // Who asked for it where no operator is known, as results without a timeline say; else empty.
  std::vector<StringId> owner_name;

  std::size_t size() const { return malloc_event.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("malloc_event", self.malloc_event);
    visit("free_event", self.free_event);
    visit("block_free_event", self.block_free_event);
    visit("owner_name", self.owner_name);
  }
};

// Raw Python calls and returns, as loaded; link replays them into PythonCalls.
struct PythonEvents {
  std::vector<std::int64_t> time_ns;
  std::vector<std::uint32_t> tid;
  std::vector<std::uint32_t> pid;
  std::vector<std::uint64_t> key;  // Function key, see PythonNames.
  std::vector<std::uint8_t> tag;   // 0 call, 1 return, 2 C call, 3 C return.

  std::size_t size() const { return time_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("time_ns", self.time_ns);
    visit("tid", self.tid);
    visit("pid", self.pid);
    visit("key", self.key);
    visit("tag", self.tag);
  }
};

// What a Python function key means.
struct PythonNames {
  std::vector<std::uint64_t> key;
  std::vector<StringId>
      text;  // `file(line): function`, `Class######address`, or the repr of a C function.

  std::size_t size() const { return key.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("key", self.key);
    visit("text", self.text);
  }
};

// Python frames, in closing order per thread.
struct PythonCalls {
  std::vector<std::int64_t> start_ns;
  std::vector<std::int64_t> end_ns;
  std::vector<std::uint32_t> tid;
  std::vector<std::uint32_t> pid;
  std::vector<StringId> name;
  std::vector<std::uint32_t> id;         // Number of the call event among its thread's events.
  std::vector<std::uint32_t> parent_id;  // 0 = none.
  std::vector<std::uint32_t> module_id;  // Instance number of an nn.Module, kNone for functions.
  std::vector<std::uint64_t> key;

  std::size_t size() const { return start_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("start_ns", self.start_ns);
    visit("end_ns", self.end_ns);
    visit("tid", self.tid);
    visit("pid", self.pid);
    visit("name", self.name);
    visit("id", self.id);
    visit("parent_id", self.parent_id);
    visit("module_id", self.module_id);
    visit("key", self.key);
  }
};

// Parameters of a module or optimizer, as text.
struct ParameterTensors {
  std::vector<std::uint64_t> key;  // Key of the Python call.
  std::vector<std::uint8_t> is_optimizer;
  std::vector<StringId> text;

  std::size_t size() const { return key.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("key", self.key);
    visit("is_optimizer", self.is_optimizer);
    visit("text", self.text);
  }
};

// Python garbage collections.
struct GarbageCollections {
  std::vector<std::int64_t> start_ns;
  std::vector<std::int64_t> end_ns;
  std::vector<std::uint32_t> pid;

  std::size_t size() const { return start_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("start_ns", self.start_ns);
    visit("end_ns", self.end_ns);
    visit("pid", self.pid);
  }
};

// Values that the program recorded of something of its own, in file order.
struct ProgramCounters {
  std::vector<std::int64_t> time_ns;
  std::vector<double> value;
  std::vector<StringId> name;
  std::vector<std::uint32_t> tid;
  std::vector<std::uint32_t> pid;

  std::size_t size() const { return time_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("time_ns", self.time_ns);
    visit("value", self.value);
    visit("name", self.name);
    visit("tid", self.tid);
    visit("pid", self.pid);
  }
};

// Training steps. Host times from the step mark; device times cover the kernels launched in it.
struct Steps {
  std::vector<std::int64_t> id;
  std::vector<std::int64_t> host_start_ns;
  std::vector<std::int64_t> host_end_ns;
  std::vector<std::int64_t> device_start_ns;  // Equal to the host times when nothing was launched.
  std::vector<std::int64_t> device_end_ns;    // Not before host_end_ns.
  std::vector<std::uint8_t> has_kernels;
  std::vector<std::uint32_t> op;  // The step's row in FrameworkOps.

  std::size_t size() const { return id.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("id", self.id);
    visit("host_start_ns", self.host_start_ns);
    visit("host_end_ns", self.host_end_ns);
    visit("device_start_ns", self.device_start_ns);
    visit("device_end_ns", self.device_end_ns);
    visit("has_kernels", self.has_kernels);
    visit("op", self.op);
  }
};

}  // namespace npuprof::trace
