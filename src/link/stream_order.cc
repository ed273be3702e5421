#include "link/stream_order.h"

#include <algorithm>
#include <span>

#include "base/sort_order.h"
#include "format/host/levels.h"

namespace npuprof::link {
namespace {

constexpr auto kFlip = static_cast<std::uint16_t>(format::host::TaskType::kFlip);
constexpr auto kMaintenance = static_cast<std::uint16_t>(format::host::TaskType::kMaintenance);
constexpr std::uint16_t kStreamDestroyed = 0xFFFF;  // Flip number reported when a stream goes away.

// The first driver whose device logs carry flips too.
constexpr std::uint64_t kFlipDriverVersion = 0x072211;

std::uint32_t stream_key(const trace::TaskTracks& tracks, std::uint32_t row) {
  return std::uint32_t{tracks.device[row]} << 16 | tracks.stream[row];
}

// Moves tasks that came before a flip in time but after it in the count to its batch: several
// threads may have taken the ids 0, 1, 2 before the flip got its own.
void walk_back(trace::TaskTracks& tracks, std::span<const std::uint32_t> numbered,
               std::uint32_t flip, std::uint16_t batch) {
  if (tracks.batch[flip] == kStreamDestroyed) return;
  while (!numbered.empty() && tracks.task[numbered.back()] < tracks.task[flip]) {
    tracks.batch[numbered.back()] = batch;
    numbered = numbered.first(numbered.size() - 1);
  }
}

// A flip and the task whose call caused it can carry the same time. A task of the earlier batch
// then has an id near the end of the range, one of the later batch an id near its begin.
bool precedes_flip_of_same_time(const trace::TaskTracks& tracks, std::uint32_t task) {
  return tracks.task[task] >= 0x8000;
}

// `stream` holds the rows of one stream in time order. Flips are moved to the end.
void set_batches(trace::TaskTracks& tracks, std::span<std::uint32_t> stream) {
  const auto first_flip = std::stable_partition(
      stream.begin(), stream.end(), [&](std::uint32_t row) { return tracks.type[row] != kFlip; });
  const std::span<const std::uint32_t> flips(first_flip, stream.end());
  const std::span<const std::uint32_t> tasks(stream.begin(), first_flip);
  std::uint16_t batch = 0;
  std::size_t taken = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    while (taken < flips.size()) {
      const std::int64_t flip_ns = tracks.time_ns[flips[taken]];
      const std::int64_t task_ns = tracks.time_ns[tasks[i]];
      if (task_ns < flip_ns) break;
      if (task_ns == flip_ns && precedes_flip_of_same_time(tracks, tasks[i])) break;
      ++batch;
      walk_back(tracks, tasks.first(i), flips[taken], batch);
      ++taken;
    }
    tracks.batch[tasks[i]] = batch;
  }
}

void sort_stream(const trace::TaskTracks& tracks, std::span<std::uint32_t> stream) {
  const auto key = [&](std::uint32_t row) {
    return std::uint64_t{tracks.batch[row]} << 32 | tracks.task[row];
  };
  std::vector<std::uint64_t> keys(stream.size());
  std::transform(stream.begin(), stream.end(), keys.begin(), key);
  if (std::is_sorted(keys.begin(), keys.end())) return;
  const std::vector<std::uint32_t> before(stream.begin(), stream.end());
  const auto order = stable_order(std::span<const std::uint64_t>(keys));
  for (std::size_t i = 0; i < order.size(); ++i) stream[i] = before[order[i]];
}

}  // namespace

bool has_flips(std::uint32_t chip, std::uint64_t driver_version) {
  const bool reports_none = chip == 0 || chip == 2 || chip == 11 || chip == 15 || chip == 16;
  return !reports_none && driver_version >= kFlipDriverVersion;
}

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
