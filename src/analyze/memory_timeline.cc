#include "analyze/memory_timeline.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "base/saturated.h"
#include "base/sort_order.h"
#include "trace/framework/memory_events.h"

namespace npuprof::analyze {
namespace {

constexpr std::string_view kCategoryNames[kMemoryCategories] = {
    "Parameter",  "Optimizer state", "Input",           "Temporary",
    "Activation", "Gradient",        "Autograd detail", "Unknown"};

class ChangeList {
 public:
  ChangeList(const TensorFlow& flow, MemoryDevice device)
      : flow_(flow), categories_(flow), device_(device) {}

  MemoryChanges changes() {
    for (std::uint32_t block = 0; block < flow_.blocks.size(); ++block) {
      if (flow_.blocks.device[block] == device_) add_life(block);
    }
    for (std::uint32_t node = 0; node < flow_.nodes.size(); ++node) add_new_versions(node);
    sort();
    return std::move(changes_);
  }

 private:
  void add(std::int64_t time_ns, MemoryAction action, std::int64_t bytes, std::uint32_t block,
           std::uint32_t version) {
    changes_.time_ns.push_back(time_ns);
    changes_.action.push_back(action);
    changes_.bytes.push_back(bytes);
    changes_.category.push_back(categories_.of(block, version));
  }

  void add_life(std::uint32_t block) {
    const MemoryBlocks& blocks = flow_.blocks;
    const std::int64_t malloc_ns = blocks.malloc_ns[block];
    add(malloc_ns, malloc_ns == kBeforeProfile ? MemoryAction::kPreexisting : MemoryAction::kCreate,
        blocks.bytes[block], block, 0);
    if (blocks.free_ns[block] == kAfterProfile) return;
    add(blocks.free_ns[block], MemoryAction::kDestroy, -blocks.bytes[block], block,
        blocks.versions[block] - 1);
  }

  void add_new_versions(std::uint32_t node) {
    const Touches& touches = flow_.touches;
    for (std::uint32_t row = flow_.nodes.first_touch[node]; row < flow_.nodes.first_touch[node + 1];
         ++row) {
      const std::uint32_t block = touches.block[row];
      if (touches.changes[row] == 0 || flow_.blocks.device[block] != device_) continue;
      const std::int64_t bytes = flow_.blocks.bytes[block];
      const std::uint32_t version = touches.version[row];
      const std::int64_t time_ns = flow_.nodes.start_ns[node];
      add(time_ns, MemoryAction::kIncrementVersion, -bytes, block, version);
      add(time_ns, MemoryAction::kIncrementVersion, bytes, block, version + 1);
    }
  }

  void sort() {
    std::vector<std::uint32_t> order = stable_order(changes_.time_ns);
    for_each_tie(std::span<const std::int64_t>(changes_.time_ns),
                 std::span<const std::uint32_t>(order), [&](std::size_t begin, std::size_t end) {
                   const auto at = [&](std::size_t i) {
                     return order.begin() + static_cast<std::ptrdiff_t>(i);
                   };
                   std::stable_sort(at(begin), at(end), [&](std::uint32_t a, std::uint32_t b) {
                     return changes_.action[a] < changes_.action[b];
                   });
                 });
    trace::reorder_rows(changes_, order);
  }

  const TensorFlow& flow_;
  const MemoryCategories categories_;
  MemoryDevice device_;
  MemoryChanges changes_;
};

}  // namespace

std::string_view memory_category_name(MemoryCategory category) {
  return kCategoryNames[static_cast<std::size_t>(category)];
}

MemoryChanges memory_changes(const trace::Trace& trace, MemoryDevice device) {
  const TensorFlow flow = tensor_flow(trace);
  return ChangeList(flow, device).changes();
}

MemoryTimeline memory_timeline(const MemoryChanges& changes) {
  MemoryTimeline timeline;
  CategoryBytes bytes{};
  for (std::size_t row = 0; row < changes.size(); ++row) {
    add_saturated(bytes[static_cast<std::size_t>(changes.category[row])], changes.bytes[row]);
    // Rows at kBeforeProfile are first: they wait for the time of the next.
    const bool is_last = row + 1 == changes.size();
    if (changes.time_ns[row] == kBeforeProfile && !is_last) continue;
    const std::int64_t time_us =
        changes.time_ns[row] == kBeforeProfile ? 0 : changes.time_ns[row] / 1000;
    if (timeline.time_us.empty() || timeline.time_us.back() != time_us) {
      timeline.time_us.push_back(time_us);
      timeline.bytes.emplace_back();
    }
    timeline.bytes.back() = bytes;
  }
  return timeline;
}

std::vector<MemoryDevice> memory_devices(const trace::Trace& trace) {
  const auto& events = trace.memory_events();
  std::set<std::pair<std::uint8_t, std::int8_t>> found;
  for (std::size_t row = 0; row < events.size(); ++row) {
    const MemoryDevice device = memory_device(events.device_type[row], events.device_index[row]);
    found.emplace(device.type, device.index);
  }
  std::vector<MemoryDevice> devices;
  devices.reserve(found.size());
  for (const auto& [type, index] : found) devices.push_back({type, index});
  return devices;
}

MemoryPeaks memory_peaks(const trace::Trace& trace, MemoryDevice device) {
  const auto& events = trace.memory_events();
  MemoryPeaks peaks;
  // Each allocator tells its own totals only.
  std::map<std::uint8_t, MemoryPeaks> latest;
  for (const std::uint32_t row : stable_order(events.time_ns)) {
    if (memory_device(events.device_type[row], events.device_index[row]) != device) continue;
    latest[events.component[row]] = {events.total_allocated_bytes[row],
                                     events.total_reserved_bytes[row]};
    MemoryPeaks sum;
    for (const auto& [component, totals] : latest) {
      add_saturated(sum.allocated_bytes, totals.allocated_bytes);
      add_saturated(sum.reserved_bytes, totals.reserved_bytes);
    }
    peaks.allocated_bytes = std::max(peaks.allocated_bytes, sum.allocated_bytes);
    peaks.reserved_bytes = std::max(peaks.reserved_bytes, sum.reserved_bytes);
  }
  return peaks;
}

}  // namespace npuprof::analyze
