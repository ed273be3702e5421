#include "serve/memory_curves.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analyze/memory_record.h"
#include "analyze/memory_timeline.h"
#include "base/units.h"

namespace npuprof::serve {
namespace {

using CurveKey = std::tuple<std::string, std::string, int>;

class Curves {
 public:
  void add(const std::string& component, const char* value, int device, std::int64_t time_ns,
           std::int64_t bytes) {
    const auto [at, is_new] = places_.try_emplace({component, value, device}, curves_.size());
    if (is_new) {
      curves_.push_back({.component = component, .value = value, .device = device});
    }
    MemoryCurve& curve = curves_[at->second];
    if (!curve.bytes.empty() && curve.bytes.back() == bytes) return;
    curve.time_ns.push_back(
        std::max(time_ns, curve.time_ns.empty() ? time_ns : curve.time_ns.back()));
    curve.bytes.push_back(bytes);
  }

  void add(const analyze::MemoryRecord& record) {
    const std::string component(record.component);
    if (!record.only_reserved) {
      add(component, "allocated", record.device, record.time_ns, record.allocated_bytes);
    }
    add(component, "reserved", record.device, record.time_ns, record.reserved_bytes);
    if (record.has_active) {
      add(component, "active", record.device, record.time_ns, record.active_bytes);
    }
  }

  std::vector<MemoryCurve> take() { return std::move(curves_); }

 private:
  std::map<CurveKey, std::size_t> places_;
  std::vector<MemoryCurve> curves_;
};

// In time of microseconds, as the table has it.
void add_categories(const trace::Trace& trace, Curves& curves) {
  for (const analyze::MemoryDevice device : analyze::memory_devices(trace)) {
    const analyze::MemoryTimeline timeline =
        analyze::memory_timeline(analyze::memory_changes(trace, device));
    for (std::size_t i = 0; i < timeline.size(); ++i) {
      for (std::size_t category = 0; category < analyze::kMemoryCategories; ++category) {
        const auto name =
            analyze::memory_category_name(static_cast<analyze::MemoryCategory>(category));
        if (i == 0 && timeline.bytes[i][category] == 0) continue;
        curves.add("category", std::string(name).c_str(), device.index, timeline.time_us[i] * 1000,
                   timeline.bytes[i][category]);
      }
    }
  }
}

}  // namespace

std::int64_t MemoryCurve::peak_bytes() const {
  return bytes.empty() ? 0 : *std::max_element(bytes.begin(), bytes.end());
}

std::int64_t MemoryCurve::peak_at_ns() const {
  if (bytes.empty()) return 0;
  return time_ns[static_cast<std::size_t>(std::max_element(bytes.begin(), bytes.end()) -
                                          bytes.begin())];
}

namespace {

Curves curves_of_allocators(const trace::Trace& trace) {
  Curves curves;
  const analyze::PoolMemoryRecords records(trace);
  for (std::size_t i = 0; i < records.size(); ++i) curves.add(records[i]);
  for (const analyze::MemoryRecord& record : analyze::process_memory_records(trace)) {
    curves.add(record);
  }
  return curves;
}

}  // namespace

std::vector<MemoryCurve> allocator_curves(const trace::Trace& trace) {
  return curves_of_allocators(trace).take();
}

std::vector<MemoryCurve> memory_curves(const trace::Trace& trace) {
  Curves curves = curves_of_allocators(trace);
  add_categories(trace, curves);
  return curves.take();
}

std::vector<CurvePoint> curve_points(const MemoryCurve& curve, std::int64_t begin_ns,
                                     std::int64_t end_ns, std::size_t parts) {
  std::vector<CurvePoint> points;
  const auto& times = curve.time_ns;
  const auto first = std::lower_bound(times.begin(), times.end(), begin_ns);
  auto at = static_cast<std::size_t>(first - times.begin());
  if (at > 0) {
    const std::int64_t before = curve.bytes[at - 1];
    points.push_back({times[at - 1], before, before, before});
  }
  const std::int64_t part_ns =
      std::max<std::int64_t>(1, (end_ns - begin_ns) / static_cast<std::int64_t>(parts));
  std::int64_t part = -1;
  for (; at < times.size() && times[at] < end_ns; ++at) {
    const std::int64_t bytes = curve.bytes[at];
    const std::int64_t own_part = (times[at] - begin_ns) / part_ns;
    if (own_part != part) points.push_back({times[at], bytes, bytes, bytes});
    part = own_part;
    CurvePoint& point = points.back();
    point.min = std::min(point.min, bytes);
    point.max = std::max(point.max, bytes);
    point.last = bytes;
  }
  return points;
}

}  // namespace npuprof::serve
