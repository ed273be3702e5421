#pragma once

// A timeline as a native Perfetto trace: times are exact to the nanosecond and every arrow is bound
// to its slice. Layers are processes, lanes are tracks of them. Files of several ranks may be put
// one after another (cat) to see them together: numbers of tracks and arrows hold the rank.
//
// Slices are collected first, as a track must have them in order and nested; they are described and
// written when the file is closed.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/thread_pool.h"
#include "report/perfetto/packet_writer.h"
#include "report/text/parallel_file.h"
#include "report/timeline/timeline.h"

namespace npuprof::report {

class PerfettoTimeline {
 public:
  // `rank` is -1 if it is not known. `begin_ns` is any time of the profile.
  static Result<PerfettoTimeline> create(const std::filesystem::path& path, std::int32_t rank,
                                         std::int64_t begin_ns, ThreadPool& pool);

  void layer(const Layer& layer, std::uint64_t pid, std::uint32_t device);
  void lane(std::uint64_t pid, std::uint64_t tid, std::string_view name, std::uint64_t sort_index);

  template <typename Place, typename Describe>
  void slices(std::size_t count, const Place& place, Describe describe) {
    const std::uint64_t batch = std::uint64_t{descriptions_.size()} << 32;
    Lane* lane = nullptr;
    SlicePlace last;
    for (std::size_t row = 0; row < count; ++row) {
      const SlicePlace where = place(row);
      if (!where.is_shown) continue;
      if (lane == nullptr || where.pid != last.pid || where.tid != last.tid) {
        lane = &lane_at(where.pid, where.tid);
      }
      last = where;
      lane->start_ns.push_back(where.start_ns);
      lane->end_ns.push_back(std::max(where.start_ns, where.end_ns));
      lane->source.push_back(batch | row);
    }
    descriptions_.emplace_back(std::move(describe));
  }

  std::uint32_t counter(std::uint64_t pid, std::string_view name,
                        const std::vector<std::string>& series);

  template <typename Sample>
  void samples(std::size_t count, const Sample& sample) {
    file_.rows(
        count,
        [&](TextBuffer& out, std::size_t first, std::size_t last) {
          PacketWriter writer(out, flow_salt());
          for (std::size_t row = first; row < last; ++row) put_sample(writer, sample(row));
          writer.finish();
        },
        kEventsPerChunk);
  }

  std::uint64_t size() const { return file_.size(); }
  Status close();

 private:
  // Events described with one table of strings.
  static constexpr std::size_t kEventsPerChunk = 1 << 15;

  struct Lane {
    std::uint64_t uuid = 0;
    std::uint64_t parent_uuid = 0;
    std::uint64_t sort_index = 0;
    std::string name;
    std::vector<std::int64_t> start_ns;
    std::vector<std::int64_t> end_ns;
    std::vector<std::uint64_t> source;  // Number of the description << 32 | its row.
    // Begins and ends of each track in order of time: slice << 1 | is_end.
    std::vector<std::vector<std::uint32_t>> tracks;
    std::vector<std::uint64_t> track_uuids;
  };
  struct Chunk {
    const Lane* lane;
    std::size_t track;
    std::size_t first;
    std::size_t last;
  };
  struct CounterTracks {
    std::uint64_t first_uuid;
    std::size_t series;
  };
  using Key = std::pair<std::uint64_t, std::uint64_t>;  // Pid and tid of the layers.

  PerfettoTimeline(ParallelFile file, std::int32_t rank, ThreadPool& pool)
      : file_(std::move(file)), rank_(rank), pool_(&pool) {}

  std::uint64_t flow_salt() const { return static_cast<std::uint64_t>(rank_ + 1) << 32; }
  std::uint64_t next_uuid() { return static_cast<std::uint64_t>(rank_ + 1) << 24 | ++tracks_; }
  Lane& lane_at(std::uint64_t pid, std::uint64_t tid);
  std::uint64_t process_at(std::uint64_t pid);
  void put_packet(perfetto::Field field, const ProtoBuffer& message);
  void declare_track(const Lane& lane, std::uint64_t uuid);
  static void arrange(Lane& lane);
  void put_sample(PacketWriter& writer, const CounterSample& sample) const;
  void put_chunk(TextBuffer& out, const Chunk& chunk) const;

  ParallelFile file_;
  std::int32_t rank_;
  ThreadPool* pool_;
  std::uint64_t tracks_ = 0;
  std::map<std::uint64_t, std::uint64_t> processes_;  // Uuids by pid.
  std::map<Key, Lane> lanes_;
  std::vector<CounterTracks> counters_;
  std::vector<std::function<void(PacketWriter&, std::size_t)>> descriptions_;
};

}  // namespace npuprof::report
