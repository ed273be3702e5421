#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/operator_allocations.h"
#include "trace/trace.h"

namespace npuprof::analyze {

// What a pool held after an event, in bytes.
struct PoolAmounts {
  std::optional<std::int64_t> allocated;
  std::optional<std::int64_t> reserved;
  std::optional<std::int64_t> active;
};

// A block of memory with the operator that asked for it.
struct OperatorBlock {
  std::string_view name;  // Of the operator; empty if it is not known.
  StringId name_id;       // Without the prefix that blocks of CANN have.
  std::int64_t size_bytes;
  std::optional<std::int64_t> allocation_ns;
  std::optional<std::int64_t> release_ns;
  std::optional<std::int64_t> active_release_ns;  // When no stream used it any more.
  PoolAmounts at_allocation;
  PoolAmounts at_release;
  std::optional<std::int64_t> stream;
  std::int64_t device;

  std::optional<std::int64_t> duration_ns() const { return since_allocation(release_ns); }
  std::optional<std::int64_t> active_duration_ns() const {
    return since_allocation(active_release_ns);
  }

 private:
  std::optional<std::int64_t> since_allocation(std::optional<std::int64_t> end_ns) const {
    if (!allocation_ns || !end_ns) return std::nullopt;
    return *end_ns - *allocation_ns;
  }
};

// Blocks of the framework's allocator, then those of CANN's pool. MindSpore has the latter
// elsewhere.
class OperatorBlocks {
 public:
  explicit OperatorBlocks(const trace::Trace& trace);

  std::size_t size() const;
  OperatorBlock operator[](std::size_t i) const;

 private:
  OperatorBlock of_framework(std::size_t i) const;
  OperatorBlock of_cann(std::size_t i) const;

  const trace::Trace& trace_;
  std::vector<CannBlock> cann_blocks_;
  std::vector<std::string> cann_names_;
  std::optional<std::int64_t> only_device_;
};

}  // namespace npuprof::analyze
