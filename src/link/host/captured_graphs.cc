#include "link/host/captured_graphs.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace npuprof::link {
namespace {

using trace::kNone;

constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();
constexpr std::uint16_t kBound = 0;
constexpr std::uint16_t kAllStreams = 0xFFFF;  // In a record that says a graph was destroyed.

}  // namespace

CapturedModels::CapturedModels(const trace::CapturedStreams& streams) {
  std::vector<std::uint32_t> order(streams.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return streams.time_ns[a] < streams.time_ns[b];
  });
  std::unordered_map<std::uint32_t, std::size_t> open;  // Stream to its range without an end yet.
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> streams_of_model;
  const auto close = [&](std::uint32_t stream_key, std::int64_t end_ns) {
    const auto found = open.find(stream_key);
    if (found == open.end()) return;
    ranges_[found->second].end_ns = end_ns;
    open.erase(found);
  };
  for (const std::uint32_t row : order) {
    const std::uint32_t key = trace::StreamId{streams.device[row], streams.stream[row]}.key();
    const std::int64_t time_ns = streams.time_ns[row];
    const std::uint32_t model_id = streams.model_id[row];
    auto& of_model = streams_of_model[std::uint64_t{streams.device[row]} << 32 | model_id];
    if (streams.status[row] == kBound) {
      close(key, time_ns - 1);  // A stream that is bound again has left its last graph.
      open[key] = ranges_.size();
      ranges_.push_back({key, time_ns, kForever, model_id});
      of_model.push_back(key);
      continue;
    }
    const auto leave_model = [&](std::uint32_t stream_key) {
      const auto found = open.find(stream_key);
      if (found != open.end() && ranges_[found->second].model_id == model_id) {
        close(stream_key, time_ns);
      }
    };
    if (streams.stream[row] != kAllStreams) {
      leave_model(key);
      continue;
    }
    for (const std::uint32_t stream_key : of_model) leave_model(stream_key);
    of_model.clear();
  }
  std::stable_sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) {
    return std::tie(a.stream_key, a.begin_ns) < std::tie(b.stream_key, b.begin_ns);
  });
}

std::uint32_t CapturedModels::find(std::uint16_t device, std::uint16_t stream,
                                   std::int64_t time_ns) const {
  const auto wanted = std::pair(trace::StreamId{device, stream}.key(), time_ns);
  const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), wanted,
                                      [](const auto& key, const Range& range) {
                                        return key < std::pair(range.stream_key, range.begin_ns);
                                      });
  if (after == ranges_.begin()) return kNone;
  const Range& range = *(after - 1);
  if (range.stream_key != wanted.first || time_ns > range.end_ns) return kNone;
  return range.model_id;
}

CapturedOpIndex::CapturedOpIndex(const trace::CapturedOps& ops) {
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint16_t>::max();
  entries_.reserve(ops.size());
  for (std::uint32_t row = 0; row < ops.size(); ++row) {
    if (ops.device[row] > kMost || ops.stream[row] > kMost) continue;  // No task has such a number.
    const trace::TaskId id{.stream = static_cast<std::uint16_t>(ops.stream[row]),
                           .task = ops.task[row]};
    entries_.push_back({{static_cast<std::uint16_t>(ops.device[row]), id.key()}, row});
  }
  std::sort(entries_.begin(), entries_.end());
}

std::uint32_t CapturedOpIndex::find(std::uint16_t device, const trace::TaskId& task) const {
  const trace::DeviceTask wanted{device, task.key()};
  const auto after =
      std::upper_bound(entries_.begin(), entries_.end(), wanted,
                       [](const auto& key, const Entry& entry) { return key < entry.task; });
  if (after == entries_.begin()) return kNone;
  const Entry& entry = *(after - 1);
  return entry.task == wanted ? entry.row : kNone;
}

}  // namespace npuprof::link
