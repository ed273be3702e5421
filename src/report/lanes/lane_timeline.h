#pragma once

// A timeline as lanes in memory (lane_set.h), the third sink beside those of files. What layers
// describe must live as long as the lanes are used, for slices are described again on demand.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "report/lanes/lane_event.h"
#include "report/lanes/lane_set.h"
#include "report/timeline/timeline.h"

namespace npuprof::report {

class LaneTimeline {
 public:
  void layer(const Layer& layer, std::uint64_t pid, std::uint32_t device);
  void lane(std::uint64_t pid, std::uint64_t tid, std::string_view name, std::uint64_t sort_index);

  template <typename Place, typename Describe>
  void slices(std::size_t count, const Place& place, Describe describe) {
    begin_batch(count, describe);
    LaneEvent event;
    for (std::size_t row = 0; row < count; ++row) {
      const SlicePlace where = place(row);
      if (!where.is_shown) continue;
      event.begin();
      describe(event, row);
      put(where, event, row);
    }
  }

  std::uint32_t counter(std::uint64_t pid, std::string_view name,
                        const std::vector<std::string>& series);

  template <typename Sample>
  void samples(std::size_t count, const Sample& sample) {
    for (std::size_t row = 0; row < count; ++row) put_sample(sample(row));
  }

  // Puts slices into rows and joins arrows.
  Status close();

  const std::vector<LaneGroup>& groups() const { return groups_; }
  // By group, then by sort index, then as they came.
  const std::vector<Lane>& lanes() const { return lanes_; }
  const std::vector<CounterLane>& counters() const { return counters_; }
  const std::vector<SliceName>& names() const { return names_; }
  std::string_view text_of(const SliceName& name) const { return texts_.view(name.text); }
  const NameOrigin& origin_of(const SliceName& name) const { return origins_[name.origin]; }
  // By `from`.
  const std::vector<LaneArrow>& arrows() const { return arrows_; }
  // The number of a lane's first slice among those of all lanes; one more than there are lanes.
  const std::vector<std::uint32_t>& first_slices() const { return first_slices_; }

  // All that its layer says of a slice.
  SliceDetails describe(const Lane& lane, std::uint32_t slice) const;
  // The row that the slice had when its layer gave it to slices().
  std::uint32_t described_row(const Lane& lane, std::uint32_t slice) const;

 private:
  using Describe = std::function<void(LaneEvent&, std::size_t)>;
  using Key = std::pair<std::uint64_t, std::uint64_t>;  // Pid and tid of the layers.

  // A lane that is being filled: slices as they came.
  struct Filling {
    std::uint32_t group = 0;
    std::uint64_t tid = 0;
    std::string name;
    std::uint64_t sort_index = 0;
    bool is_python = false;
    std::vector<std::int64_t> start_ns;
    std::vector<std::int64_t> end_ns;
    std::vector<std::uint32_t> name_number;
    std::vector<std::uint32_t> source;
  };
  struct ArrowEnd {
    std::uint64_t id;
    std::uint32_t source;
    ArrowKind kind;
    bool is_out;
  };
  struct Batch {
    std::uint32_t first_source;
    Describe describe;
  };

  const Batch& batch_of(std::uint32_t source) const;
  void begin_batch(std::size_t count, Describe describe);
  void put(const SlicePlace& where, const LaneEvent& event, std::size_t row);
  void put_sample(const CounterSample& sample);
  std::uint32_t group_of(std::uint64_t pid);
  std::size_t lane_of(std::uint64_t pid, std::uint64_t tid, bool is_python);
  std::uint32_t name_number(std::uint32_t group, const LaneEvent& event);
  std::uint16_t origin_number(std::uint32_t group, std::string_view category);
  void join_arrows(const std::vector<std::uint32_t>& slice_of_source);

  std::vector<LaneGroup> groups_;
  std::map<std::uint64_t, std::uint32_t> group_of_pid_;
  std::vector<Filling> filling_;
  std::map<Key, std::size_t> lane_of_key_;         // Index in filling_.
  std::map<Key, std::size_t> python_lane_of_key_;  // The same, of frames.
  std::vector<Lane> lanes_;
  std::vector<CounterLane> counters_;
  std::vector<std::uint32_t> first_slices_;

  StringPool texts_;
  std::vector<NameOrigin> origins_;
  std::vector<SliceName> names_;
  std::vector<std::vector<std::uint32_t>> number_of_text_;  // By origin and text, plus 1.

  std::vector<Batch> batches_;
  std::uint64_t sources_ = 0;
  std::vector<ArrowEnd> ends_;
  std::vector<LaneArrow> arrows_;
};

}  // namespace npuprof::report
