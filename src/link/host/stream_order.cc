#include "link/host/stream_order.h"

#include <algorithm>
#include <span>

#include "base/sort_order.h"
#include "format/host/levels.h"
#include "trace/task_batches.h"
#include "trace/task_id.h"

namespace npuprof::link {
namespace {

constexpr auto kFlip = static_cast<std::uint16_t>(format::host::TaskType::kFlip);
constexpr auto kMaintenance = static_cast<std::uint16_t>(format::host::TaskType::kMaintenance);
std::uint32_t stream_key(const trace::TaskTracks& tracks, std::uint32_t row) {
  return trace::StreamId{tracks.device[row], tracks.stream[row]}.key();
}

// `stream` holds the rows of one stream in time order. Flips are moved to the end.
void set_batches(trace::TaskTracks& tracks, std::span<std::uint32_t> stream) {
  const auto first_flip = std::stable_partition(
      stream.begin(), stream.end(), [&](std::uint32_t row) { return tracks.type[row] != kFlip; });
  if (first_flip == stream.end()) {
    for (const std::uint32_t row : stream) tracks.batch[row] = 0;
    return;
  }
  std::vector<trace::BatchBegin> flips;
  for (const std::uint32_t row : std::span(first_flip, stream.end())) {
    flips.push_back({tracks.time_ns[row], tracks.stream[row], tracks.batch[row],
                     static_cast<std::uint16_t>(tracks.task[row])});
  }
  const std::span<const std::uint32_t> rows(stream.begin(), first_flip);
  std::vector<trace::TimedTask> tasks;
  tasks.reserve(rows.size());
  for (const std::uint32_t row : rows) tasks.push_back({tracks.time_ns[row], tracks.task[row]});
  const std::vector<std::uint16_t> batches = trace::number_batches(tasks, flips);
  for (std::size_t i = 0; i < rows.size(); ++i) tracks.batch[rows[i]] = batches[i];
}

void sort_stream(const trace::TaskTracks& tracks, std::span<std::uint32_t> stream) {
  const auto key = [&](std::uint32_t row) {
    return trace::TaskId{.batch = tracks.batch[row], .task = tracks.task[row]}.key();
  };
  std::vector<std::uint64_t> keys(stream.size());
  std::transform(stream.begin(), stream.end(), keys.begin(), key);
  if (std::is_sorted(keys.begin(), keys.end())) return;
  const std::vector<std::uint32_t> before(stream.begin(), stream.end());
  const auto order = stable_order(std::span<const std::uint64_t>(keys));
  for (std::size_t i = 0; i < order.size(); ++i) stream[i] = before[order[i]];
}

}  // namespace

std::vector<std::uint32_t> order_tracks(trace::TaskTracks& tracks, bool use_flips) {
  std::vector<std::uint64_t> keys(tracks.size());
  for (std::uint32_t row = 0; row < keys.size(); ++row) keys[row] = stream_key(tracks, row);
  auto order = stable_order(std::span<const std::uint64_t>(keys));

  std::size_t begin = 0;
  for (std::size_t end = 1; end <= order.size(); ++end) {
    if (end < order.size() && keys[order[end]] == keys[order[begin]]) continue;
    const auto stream = std::span(order).subspan(begin, end - begin);
    if (use_flips) set_batches(tracks, stream);
    sort_stream(tracks, stream);
    begin = end;
  }
  std::erase_if(order, [&](std::uint32_t row) {
    return tracks.type[row] == kFlip || tracks.type[row] == kMaintenance;
  });
  return order;
}

}  // namespace npuprof::link
