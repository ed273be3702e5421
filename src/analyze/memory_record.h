#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "trace/row.h"
#include "trace/trace.h"

namespace npuprof::analyze {

// How much memory a pool holds after one of its events.
struct MemoryRecord {
  // APP, PTA, WORKSPACE, GE, or PTA+GE for the sum of two pools; of MindSpore, MindSpore for PTA.
  std::string_view component;
  std::int64_t time_ns = 0;
  std::int64_t allocated_bytes = 0;
  std::int64_t reserved_bytes = 0;
  std::int64_t active_bytes = 0;
  bool has_active = false;     // CANN's pool does not tell.
  bool only_reserved = false;  // Memory of the whole process.
  std::optional<std::int64_t> stream;
  int device = 0;
};

// Memory of the process, as it was sampled.
std::vector<MemoryRecord> process_memory_records(const trace::Trace& trace);

// Events of the framework's allocators and of CANN's pool in order of time, those of PTA and GE
// followed by the sum of both on that device. There are millions, so only rows are kept and a
// record is made when it is asked for; the trace must live as long.
class PoolMemoryRecords {
 public:
  explicit PoolMemoryRecords(const trace::Trace& trace);

  std::size_t size() const { return kinds_.size(); }
  bool empty() const { return kinds_.empty(); }
  MemoryRecord operator[](std::size_t i) const;
  // Which of kComponents that record is of.
  std::size_t component(std::size_t i) const;
  static constexpr std::array<std::string_view, 4> kComponents = {"PTA", "WORKSPACE", "GE",
                                                                  "PTA+GE"};
  static constexpr std::array<std::string_view, 4> kMindSporeComponents = {"MindSpore", "WORKSPACE",
                                                                           "GE", "MindSpore+GE"};
  std::string_view component_name(std::size_t component) const {
    return is_mindspore_ ? kMindSporeComponents[component] : kComponents[component];
  }

 private:
  enum class Kind : std::uint8_t { kFramework, kFrameworkSum, kCann, kCannSum };
  // The last events of the pools of a device.
  struct Last {
    std::uint32_t framework = trace::kNone;
    std::uint32_t cann = trace::kNone;
  };

  void add_framework(std::uint32_t event);
  void add_cann(std::uint32_t event);
  void add(Kind kind, std::uint32_t row, std::uint32_t other);
  int framework_device(std::uint32_t event) const;
  MemoryRecord framework_record(std::uint32_t event) const;
  MemoryRecord cann_record(std::uint32_t event) const;

  bool is_workspace(std::uint32_t event) const;

  const trace::Trace& trace_;
  bool is_mindspore_;
  bool has_totals_;           // MindSpore told what the pool held: rows are of PoolTotals then.
  std::map<int, Last> last_;  // By device.
  std::vector<Kind> kinds_;
  std::vector<std::uint32_t> rows_;    // In MemoryEvents (or PoolTotals) or OperatorMemory.
  std::vector<std::uint32_t> others_;  // Last row of the other table for sums, kNone = none.
};

}  // namespace npuprof::analyze
