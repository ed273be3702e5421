#include "link/host/copy_sizes.h"

#include <algorithm>

#include "format/host/levels.h"

namespace npuprof::link {
namespace {

constexpr auto kCopy = static_cast<std::uint16_t>(format::host::TaskType::kMemcpyAsync);

}  // namespace

// The tasks of a copy carry the same thread and time as its size record.
CopySizes::CopySizes(const trace::CopyInfos& infos, const ThreadRows& info_rows,
                     const trace::TaskTracks& tracks, const ThreadRows& track_rows,
                     std::size_t thread_count)
    : infos_(infos), left_bytes_(infos.size_bytes) {
  if (infos.size() == 0) return;
  info_of_track_.assign(tracks.size(), trace::kNone);
  for (std::size_t thread = 0; thread < thread_count; ++thread) {
    const auto of_thread = info_rows.of(thread);
    auto info = of_thread.begin();
    for (const std::uint32_t track : track_rows.of(thread)) {
      if (tracks.type[track] != kCopy) continue;
      const std::int64_t time_ns = tracks.time_ns[track];
      while (info != of_thread.end() && infos.time_ns[*info] < time_ns) ++info;
      if (info == of_thread.end()) break;
      if (infos.time_ns[*info] == time_ns) info_of_track_[track] = *info;
    }
  }
}

CopySizes::Share CopySizes::take(std::uint32_t track) {
  if (info_of_track_.empty() || info_of_track_[track] == trace::kNone) return {};
  const std::uint32_t info = info_of_track_[track];
  std::uint64_t& left = left_bytes_[info];
  const std::uint64_t limit = infos_.max_task_bytes[info];
  const std::uint64_t bytes = limit == 0 ? left : std::min(left, limit);
  left -= bytes;
  return {infos_.direction[info], bytes};
}

}  // namespace npuprof::link
