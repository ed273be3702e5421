#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace npuprof::sim {

// Puts records that arrive nearly in order of time into that order. What is sorted are small keys,
// not the records; records of the same tick keep the order of arrival. Memory is bounded: at
// `limit` records the older half leaves whether or not earlier ones may still come.
template <typename Pending>
class TimeOrdered {
 public:
  explicit TimeOrdered(std::size_t limit) : limit_(limit) {}

  // Hands records that leave on account of the limit to `write(ticks, pending)`.
  template <typename Write>
  void add(std::uint64_t ticks, const Pending& pending, Write&& write) {
    if (ticks < released_ticks_) ++late_count_;
    keys_.push_back({ticks, static_cast<std::uint32_t>(pending_.size())});
    pending_.push_back(pending);
    if (keys_.size() >= limit_) {
      sort_keys();
      release_first(keys_.size() / 2, write);
    }
  }

  // No record before `ticks` will be added any more: writes those that are, once there are enough
  // of them to make it worth the sorting.
  template <typename Write>
  void settle(std::uint64_t ticks, Write&& write) {
    if (keys_.size() >= trigger_) release_before(ticks, write);
  }

  // Writes all records before `ticks`.
  template <typename Write>
  void release_before(std::uint64_t ticks, Write&& write) {
    sort_keys();
    const auto end =
        std::lower_bound(keys_.begin(), keys_.end(), ticks,
                         [](const Key& key, std::uint64_t wanted) { return key.ticks < wanted; });
    release_first(static_cast<std::size_t>(end - keys_.begin()), write);
  }

  template <typename Write>
  void release_all(Write&& write) {
    sort_keys();
    release_first(keys_.size(), write);
  }

  std::size_t size() const { return keys_.size(); }
  // Records that came when later ones had left: these stand out of order in the file.
  std::uint64_t late_count() const { return late_count_; }

 private:
  static constexpr std::size_t kBatch = 32 * 1024;

  struct Key {
    std::uint64_t ticks;
    std::uint32_t index;  // Into pending_, which is in order of arrival.

    bool operator<(const Key& other) const {
      return ticks != other.ticks ? ticks < other.ticks : index < other.index;
    }
  };

  void sort_keys() {
    if (!std::is_sorted(keys_.begin(), keys_.end())) std::sort(keys_.begin(), keys_.end());
  }

  template <typename Write>
  void release_first(std::size_t count, Write&& write) {
    for (std::size_t i = 0; i < count; ++i) write(keys_[i].ticks, pending_[keys_[i].index]);
    if (count > 0) released_ticks_ = std::max(released_ticks_, keys_[count - 1].ticks);
    keep_from(count);
    // A backlog that may not leave yet must not be sorted again at every call.
    trigger_ = std::max(kBatch, 2 * keys_.size());
  }

  // Drops the first `count` keys; the records of the others move together, in order.
  void keep_from(std::size_t count) {
    const std::size_t left = keys_.size() - count;
    rest_.clear();
    for (std::size_t i = 0; i < left; ++i) {
      rest_.push_back(pending_[keys_[count + i].index]);
      keys_[i] = {keys_[count + i].ticks, static_cast<std::uint32_t>(i)};
    }
    keys_.resize(left);
    std::swap(pending_, rest_);
  }

  std::size_t limit_;
  std::size_t trigger_ = kBatch;
  std::vector<Key> keys_;
  std::vector<Pending> pending_;
  std::vector<Pending> rest_;  // Memory for keep_from, used again.
  std::uint64_t released_ticks_ = 0;
  std::uint64_t late_count_ = 0;
};

}  // namespace npuprof::sim
