#pragma once

#include <cstdint>
#include <vector>

#include "trace/device/device_tasks.h"
#include "trace/device/pmu_counters.h"
#include "trace/device/pmu_records.h"
#include "trace/task_id.h"

namespace npuprof::load {

// Counters of one block.
struct BlockCounters {
  std::int64_t end_ns = 0;
  std::uint16_t stream = 0;
  std::uint16_t task = 0;
  std::uint16_t context = 0;
  bool on_vector_core = false;
  std::uint64_t cycles = 0;
  trace::PmuCounters counters{};
};

// Sums of the blocks that the slave cores of MIX kernels ran. A block belongs to the execution of
// its (stream, task, context) in whose time it ended; main-core blocks, which are recorded on
// request, are left out.
class SlaveBlocks {
 public:
  // `tasks` in order of start; must outlive this.
  explicit SlaveBlocks(const trace::DeviceTasks& tasks);

  void add(const BlockCounters& block);

  // Blocks that ended outside of every execution of their kernel.
  std::uint64_t strays() const { return strays_; }

  // Appends one PmuRecords row per kernel that had blocks. Its times are those of the kernel, its
  // frequency is left at 0: that of the kernel's main record counts.
  void append_to(trace::PmuRecords& pmu) const;

 private:
  struct Kernel {
    std::uint64_t key;
    std::uint32_t task_row;
  };
  struct Sum {
    std::uint32_t blocks = 0;
    std::uint64_t cycles = 0;
    trace::PmuCounters counters{};
  };

  // Blocks carry no batch.
  static std::uint64_t key_of(std::uint16_t stream, std::uint32_t task, std::uint32_t context) {
    return trace::TaskId{.stream = stream, .task = task, .context = context}.key();
  }
  bool is_of(std::uint32_t kernel, std::uint64_t key, std::int64_t end_ns) const;
  std::uint32_t find(std::uint64_t key, std::int64_t end_ns) const;

  const trace::DeviceTasks& tasks_;
  std::vector<Kernel> kernels_;              // MIX contexts by key, then by start.
  std::vector<Sum> sums_;                    // Of kernels_.
  std::uint32_t last_found_ = trace::kNone;  // Blocks of a kernel come together.
  std::uint64_t strays_ = 0;
};

}  // namespace npuprof::load
