#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "link/host/thread_rows.h"
#include "trace/host/copy_infos.h"
#include "trace/host/task_tracks.h"

namespace npuprof::link {

// Bytes and direction of copy tasks. A copy call reports its size once; it may be cut into several
// tasks, each of which moves at most a given number of bytes.
class CopySizes {
 public:
  CopySizes(const trace::CopyInfos& infos, const ThreadRows& info_rows,
            const trace::TaskTracks& tracks, const ThreadRows& track_rows,
            std::size_t thread_count);

  struct Share {
    std::uint32_t direction = trace::kNone;  // kNone = size not known.
    std::uint64_t bytes = 0;
  };
  // What is left of the copy for the task of `track`. Each task is asked for once, tasks of one
  // copy in the order of their ids.
  Share take(std::uint32_t track);

 private:
  const trace::CopyInfos& infos_;
  std::vector<std::uint32_t> info_of_track_;  // Empty if there are no copies.
  std::vector<std::uint64_t> left_bytes_;     // By row of CopyInfos.
};

}  // namespace npuprof::link
