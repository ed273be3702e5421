#include "report/perfetto/perfetto_timeline.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/sort_order.h"
#include "report/timeline/nesting.h"

namespace npuprof::report {

using namespace perfetto;

namespace {

void put_clock(ProtoBuffer& snapshot, std::uint64_t id, std::uint64_t time_ns) {
  ProtoBuffer clock(32);
  clock.varint(ClockField::kId, id);
  clock.varint(ClockField::kTimestamp, time_ns);
  snapshot.bytes(ClockField::kClocks, clock.view());
}

}  // namespace

Result<PerfettoTimeline> PerfettoTimeline::create(const std::filesystem::path& path,
                                                  std::int32_t rank, std::int64_t begin_ns,
                                                  ThreadPool& pool) {
  NPUPROF_ASSIGN_OR_RETURN(auto file, ParallelFile::create(path, pool));
  PerfettoTimeline timeline(std::move(file), rank, pool);
  // Times of events are wall-clock times: the clock of the trace is made to show the same.
  const auto now = static_cast<std::uint64_t>(std::max<std::int64_t>(0, begin_ns));
  ProtoBuffer snapshot;
  put_clock(snapshot, kBootTimeClock, now);
  put_clock(snapshot, kRealTimeClock, now);
  timeline.put_packet(PacketField::kClockSnapshot, snapshot);
  ProtoBuffer root;
  root.varint(TrackField::kUuid, 0);
  root.varint(TrackField::kProcessOrdering, kExplicitProcessOrdering);
  timeline.put_packet(PacketField::kTrackDescriptor, root);
  return timeline;
}

void PerfettoTimeline::put_packet(Field field, const ProtoBuffer& message) {
  ProtoBuffer packet;
  packet.bytes(field, message.view());
  ProtoBuffer outer;
  outer.bytes(TraceField::kPacket, packet.view());
  file_.text(outer.view());
}

void PerfettoTimeline::layer(const Layer& layer, std::uint64_t pid, std::uint32_t device) {
  if (processes_.contains(pid)) return;
  const std::uint64_t uuid = next_uuid();
  processes_[pid] = uuid;
  const std::string label = layer_label(layer, device);
  std::string name(layer.name);
  if (!layer.is_host) name += " (" + label + ")";
  if (rank_ >= 0) name = "Rank " + std::to_string(rank_) + ": " + name;
  ProtoBuffer process;
  // Readers know processes by their pid: it must not be that of a layer of another rank.
  process.varint(ProcessField::kPid,
                 static_cast<std::uint64_t>(rank_ + 1) << 12 | processes_.size());
  process.varint(ProcessField::kSortIndex, layer.sort_index);
  process.bytes(ProcessField::kName, name);
  process.bytes(ProcessField::kLabels, label);
  ProtoBuffer track;
  track.varint(TrackField::kUuid, uuid);
  track.bytes(TrackField::kProcess, process.view());
  track.varint(TrackField::kChildOrdering, kExplicitChildOrdering);
  // Ranks one below the other, then the layers of each.
  const auto order = static_cast<std::uint64_t>(rank_ + 1) * 64 + layer.sort_index;
  track.varint(TrackField::kSiblingOrderRank, order);
  put_packet(PacketField::kTrackDescriptor, track);
}

std::uint64_t PerfettoTimeline::process_at(std::uint64_t pid) {
  if (!processes_.contains(pid)) layer({"Process", 63, true}, pid, 0);
  return processes_.at(pid);
}

void PerfettoTimeline::declare_track(const Lane& lane, std::uint64_t uuid) {
  ProtoBuffer track;
  track.varint(TrackField::kUuid, uuid);
  track.varint(TrackField::kParentUuid, lane.parent_uuid);
  track.bytes(TrackField::kName, lane.name);
  track.varint(TrackField::kSiblingOrderRank, std::min<std::uint64_t>(lane.sort_index, 0x7FFFFFFF));
  // Tracks of one lane are shown together, others not, even if they have the same name.
  track.varint(TrackField::kSiblingMergeBehavior, kMergeByKey);
  track.varint(TrackField::kSiblingMergeKey, lane.uuid);
  put_packet(PacketField::kTrackDescriptor, track);
}

void PerfettoTimeline::lane(std::uint64_t pid, std::uint64_t tid, std::string_view name,
                            std::uint64_t sort_index) {
  const std::uint64_t parent = process_at(pid);
  const auto [at, is_new] = lanes_.try_emplace(Key{pid, tid});
  if (!is_new) return;
  Lane& lane = at->second;
  lane.uuid = next_uuid();
  lane.parent_uuid = parent;
  lane.sort_index = sort_index;
  lane.name = name;
  declare_track(lane, lane.uuid);
}

PerfettoTimeline::Lane& PerfettoTimeline::lane_at(std::uint64_t pid, std::uint64_t tid) {
  const auto at = lanes_.find(Key{pid, tid});
  if (at != lanes_.end()) return at->second;
  lane(pid, tid, "Thread " + std::to_string(tid), tid);
  return lanes_.at(Key{pid, tid});
}

std::uint32_t PerfettoTimeline::counter(std::uint64_t pid, std::string_view name,
                                        const std::vector<std::string>& series) {
  const std::uint64_t parent = process_at(pid);
  CounterTracks tracks{0, series.size()};
  for (const std::string& unit : series) {
    const std::uint64_t uuid = next_uuid();
    if (tracks.first_uuid == 0) tracks.first_uuid = uuid;
    ProtoBuffer counter;
    counter.bytes(CounterField::kUnitName, unit);
    ProtoBuffer track;
    track.varint(TrackField::kUuid, uuid);
    track.varint(TrackField::kParentUuid, parent);
    track.bytes(TrackField::kName,
                series.size() == 1 ? std::string(name) : std::string(name) + " " + unit);
    track.bytes(TrackField::kCounter, counter.view());
    track.varint(TrackField::kSiblingOrderRank, counters_.size());
    put_packet(PacketField::kTrackDescriptor, track);
  }
  counters_.push_back(tracks);
  return static_cast<std::uint32_t>(counters_.size() - 1);
}

void PerfettoTimeline::put_sample(PacketWriter& writer, const CounterSample& sample) const {
  if (sample.counter == trace::kNone) return;
  const CounterTracks& tracks = counters_[sample.counter];
  for (std::size_t i = 0; i < tracks.series; ++i) {
    if (std::isnan(sample.values[i])) continue;  // This series has no value then.
    writer.counter(sample.time_ns, tracks.first_uuid + i, sample.values[i]);
  }
}

// Finds the tracks of a lane and puts begins and ends on each in order: what ends comes before what
// begins at the same time, and of two that begin together the outer one comes first. Readers keep
// that order. A slice without duration is one event.
void PerfettoTimeline::arrange(Lane& lane) {
  NestingTracks nesting;
  std::vector<std::vector<std::uint32_t>> open;  // Slices of each track, outermost first.
  const auto close_until = [&](std::size_t track, std::int64_t time_ns) {
    while (!open[track].empty() && lane.end_ns[open[track].back()] <= time_ns) {
      lane.tracks[track].push_back(open[track].back() << 1 | 1);
      open[track].pop_back();
    }
  };
  for (const std::uint32_t slice :
       nesting_order(lane.start_ns, lane.end_ns, EqualIntervals::kFirstIsOuter)) {
    const std::uint32_t track = nesting.place(lane.start_ns[slice], lane.end_ns[slice]);
    if (track >= lane.tracks.size()) {
      lane.tracks.resize(track + 1);
      open.resize(track + 1);
    }
    close_until(track, lane.start_ns[slice]);
    lane.tracks[track].push_back(slice << 1);
    if (lane.end_ns[slice] > lane.start_ns[slice]) open[track].push_back(slice);
  }
  for (std::size_t track = 0; track < open.size(); ++track) {
    close_until(track, std::numeric_limits<std::int64_t>::max());
  }
}

void PerfettoTimeline::put_chunk(TextBuffer& out, const Chunk& chunk) const {
  const Lane& lane = *chunk.lane;
  const std::uint64_t uuid = lane.track_uuids[chunk.track];
  PacketWriter writer(out, flow_salt());
  for (std::size_t i = chunk.first; i < chunk.last; ++i) {
    const std::uint32_t event = lane.tracks[chunk.track][i];
    const std::uint32_t slice = event >> 1;
    if ((event & 1) != 0) {
      writer.begin(EventType::kSliceEnd, lane.end_ns[slice], uuid);
    } else {
      const bool instant = lane.start_ns[slice] == lane.end_ns[slice];
      writer.begin(instant ? EventType::kInstant : EventType::kSliceBegin, lane.start_ns[slice],
                   uuid);
      const std::uint64_t source = lane.source[slice];
      descriptions_[source >> 32](writer, source & 0xFFFFFFFF);
    }
    writer.end();
  }
  writer.finish();
}

Status PerfettoTimeline::close() {
  std::vector<Lane*> lanes;
  for (auto& [key, lane] : lanes_) lanes.push_back(&lane);
  NPUPROF_RETURN_IF_ERROR(pool_->try_parallel_for(lanes.size(), [&](std::size_t i) {
    arrange(*lanes[i]);
    return ok_status();
  }));
  std::vector<Chunk> chunks;
  for (Lane* lane : lanes) {
    for (std::size_t track = 0; track < lane->tracks.size(); ++track) {
      const std::uint64_t uuid = track == 0 ? lane->uuid : next_uuid();
      if (track > 0) declare_track(*lane, uuid);
      lane->track_uuids.push_back(uuid);
      const std::size_t count = lane->tracks[track].size();
      for (std::size_t first = 0; first < count; first += kEventsPerChunk) {
        chunks.push_back({lane, track, first, std::min(count, first + kEventsPerChunk)});
      }
    }
  }
  file_.rows(
      chunks.size(),
      [&](TextBuffer& out, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) put_chunk(out, chunks[i]);
      },
      1);
  return file_.close();
}

}  // namespace npuprof::report
