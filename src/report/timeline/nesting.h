#pragma once

// Slices of one lane must be nested or follow each other: viewers drop or misplace a slice that
// overlaps another in part. Such slices get tracks of their own.

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "report/timeline/timeline.h"

namespace npuprof::report {

// Chooses tracks for the slices of one lane, which come in nesting order.
class NestingTracks {
 public:
  // Viewers drop slices nested deeper than 512.
  static constexpr std::size_t kMaxDepth = 500;

  // 0 is the lane itself, where slices nest. Those of tracks above it follow each other.
  std::uint32_t place(std::int64_t start_ns, std::int64_t end_ns);

 private:
  std::vector<std::int64_t> open_;  // Ends of the open slices of track 0, outermost first.
  // (End of the last slice, track) of the other tracks, a heap with the earliest end at the front.
  std::vector<std::pair<std::int64_t, std::uint32_t>> others_;
};

// Slices of several lanes, a row each. `lane` is any number.
struct LaneSlices {
  std::vector<std::uint64_t> lane;
  std::vector<std::int64_t> start_ns;
  std::vector<std::int64_t> end_ns;

  void add(std::uint64_t lane_of_slice, std::int64_t start, std::int64_t end) {
    lane.push_back(lane_of_slice);
    start_ns.push_back(start);
    end_ns.push_back(end);
  }
};

// The track of each slice within its lane.
std::vector<std::uint32_t> overlap_tracks(const LaneSlices& slices);

// The lane of a track that is not 0. Tids, those of threads of the host too, are below 2^22.
inline constexpr std::uint64_t kFirstOverlapTid = std::uint64_t{1} << 22;
constexpr std::uint64_t overlap_tid(std::uint64_t tid, std::uint32_t track) {
  return tid + track * kFirstOverlapTid;
}

// Names the lane and those of its further tracks up to `last_track`.
template <typename Sink>
void declare_lane(Sink& sink, std::uint64_t pid, std::uint64_t tid, const std::string& name,
                  std::uint32_t last_track) {
  sink.lane(pid, tid, name, tid);
  for (std::uint32_t track = 1; track <= last_track; ++track) {
    sink.lane(pid, overlap_tid(tid, track), name + " (overlapping " + std::to_string(track) + ")",
              tid);
  }
}

// Writes slices that may overlap. `names` has the name of each lane, whose number is its tid;
// `describe` is called as that of sink.slices().
template <typename Sink, typename Describe>
void write_lanes(Sink& sink, std::uint64_t pid, LaneSlices slices,
                 const std::map<std::uint64_t, std::string>& names, Describe describe) {
  const auto rows = std::make_shared<const LaneSlices>(std::move(slices));
  const auto tracks = std::make_shared<const std::vector<std::uint32_t>>(overlap_tracks(*rows));
  std::map<std::uint64_t, std::uint32_t> last_tracks;
  for (std::size_t i = 0; i < tracks->size(); ++i) {
    std::uint32_t& last = last_tracks[rows->lane[i]];
    last = std::max(last, (*tracks)[i]);
  }
  for (const auto& [lane, name] : names) declare_lane(sink, pid, lane, name, last_tracks[lane]);
  sink.slices(
      tracks->size(),
      [rows, tracks, pid](std::size_t i) {
        return SlicePlace{.pid = pid,
                          .tid = overlap_tid(rows->lane[i], (*tracks)[i]),
                          .start_ns = rows->start_ns[i],
                          .end_ns = rows->end_ns[i]};
      },
      describe);
}

}  // namespace npuprof::report
