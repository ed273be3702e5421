#pragma once

// Slices of a lane summed over ever longer buckets of time, so that what a screen shows costs by
// its pixels and not by the slices in view.
//
// A level has buckets of 2^log2 ns, counted from the zero of the profile; only those in which a
// slice begins are there. The finest level has at most a quarter as many buckets as there are
// slices, and levels that would hardly be smaller than the one below are left out: 8 to 16 bytes a
// slice. Below the finest level slices are summed when asked for; where very many lie in one
// bucket, by blocks of 64.

#include <cstdint>
#include <vector>

#include "report/lanes/lane_set.h"

namespace npuprof::serve {

// Slices of a row that begin in one bucket of time: [first, last].
struct SliceBucket {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::uint32_t longest = 0;
  std::int64_t busy_ns = 0;  // Without what reaches out of the bucket.
  std::int64_t end_ns = 0;   // Of the bucket; wall clock.
};

class LanePyramid {
 public:
  // The lane must live as long.
  LanePyramid(const report::Lane& lane, std::int64_t zero_ns);

  // Calls body(bucket) for each bucket of 2^log2 ns that begins in [begin_ns, end_ns) or contains
  // begin_ns, in order; times of the wall clock.
  template <typename Body>
  void for_each_bucket(std::uint32_t row, std::int64_t begin_ns, std::int64_t end_ns, unsigned log2,
                       const Body& body) const;

  std::size_t memory_bytes() const;

 private:
  static constexpr std::uint32_t kFewSlices = 256;  // Rows of fewer have no levels.
  static constexpr std::uint32_t kBlock = 64;

  struct Bucket {
    std::uint32_t number = 0;  // From the first one of the level.
    std::uint32_t first = 0;
    std::uint32_t longest = 0;
    std::uint32_t busy = 0;  // In units of 2^shift ns.
  };
  struct Level {
    unsigned log2 = 0;
    std::int64_t first_number = 0;  // From the zero of the profile.
    std::vector<Bucket> buckets;    // And one more, at which the last one ends.

    unsigned shift() const { return log2 > 24 ? log2 - 24 : 0; }
    std::size_t size() const { return buckets.size() - 1; }
    std::int64_t number(std::size_t i) const { return first_number + buckets[i].number; }
  };
  struct Block {
    std::uint32_t longest = 0;
    std::int64_t busy_ns = 0;
  };

  void add_row(std::uint32_t row);
  Level finest_level(std::uint32_t row, unsigned log2) const;
  Level coarser_level(const Level& finer, unsigned log2) const;
  const Level* level_for(std::uint32_t row, unsigned log2) const;
  std::int64_t number_at(std::int64_t wall_ns, unsigned log2) const {
    return (wall_ns - zero_ns_) >> log2;
  }
  std::int64_t clipped_ns(std::uint32_t slice, std::int64_t bucket_end_ns) const;
  void add_slice(SliceBucket& bucket, std::uint32_t slice) const;
  // The bucket that begins with `first`; it ends in front of `end` at the latest.
  SliceBucket sum_slices(std::uint32_t first, std::uint32_t end, unsigned log2) const;
  std::uint32_t end_of_bucket(std::uint32_t first, std::uint32_t end, std::int64_t end_ns) const;
  std::uint32_t first_slice_from(std::uint32_t row, std::int64_t wall_ns) const;
  // Adds a bucket of a level to one that contains it.
  void join(SliceBucket& to, const Level& level, std::size_t i) const;

  const report::Lane& lane_;
  std::int64_t zero_ns_;
  std::vector<std::vector<Level>> levels_;  // By row, finest first.
  std::vector<Block> blocks_;               // Of each kBlock slices of the lane.
};

template <typename Body>
void LanePyramid::for_each_bucket(std::uint32_t row, std::int64_t begin_ns, std::int64_t end_ns,
                                  unsigned log2, const Body& body) const {
  const std::int64_t first_number = number_at(begin_ns, log2);
  const Level* level = level_for(row, log2);
  if (level == nullptr) {
    const std::uint32_t end = first_slice_from(row, end_ns);
    for (std::uint32_t i = first_slice_from(row, zero_ns_ + (first_number << log2)); i < end;) {
      const SliceBucket bucket = sum_slices(i, end, log2);
      body(bucket);
      i = bucket.last + 1;
    }
    return;
  }
  const unsigned up = log2 - level->log2;
  std::size_t i = 0;
  for (std::size_t count = level->size(); count > 0;) {
    const std::size_t half = count / 2;
    if (level->number(i + half) < first_number << up) {
      i += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  const std::int64_t last_number = number_at(end_ns - 1, log2);
  while (i < level->size()) {
    const std::int64_t number = level->number(i) >> up;
    if (number > last_number) return;
    SliceBucket bucket{.first = level->buckets[i].first,
                       .longest = level->buckets[i].longest,
                       .end_ns = zero_ns_ + ((number + 1) << log2)};
    if (up == 0) {
      bucket.last = level->buckets[i + 1].first - 1;
      bucket.busy_ns = std::int64_t{level->buckets[i].busy} << level->shift();
      ++i;
    } else {
      for (; i < level->size() && level->number(i) >> up == number; ++i) join(bucket, *level, i);
    }
    body(bucket);
  }
}

}  // namespace npuprof::serve
