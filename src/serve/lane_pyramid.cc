#include "serve/lane_pyramid.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

namespace npuprof::serve {
namespace {

constexpr unsigned kMostLog2 = 60;
constexpr std::size_t kFewBuckets = 32;  // A level of so few has none above it.

// How many buckets there are at each level: two neighbours are in different ones as long as the
// highest bit in which they differ is not shifted out.
std::array<std::size_t, kMostLog2 + 1> bucket_counts(const report::Lane& lane, std::uint32_t row,
                                                     std::int64_t zero_ns) {
  std::array<std::size_t, 65> differing{};
  for (std::uint32_t i = lane.row_begin[row] + 1; i < lane.row_begin[row + 1]; ++i) {
    const auto difference = static_cast<std::uint64_t>(lane.start_ns[i] - zero_ns) ^
                            static_cast<std::uint64_t>(lane.start_ns[i - 1] - zero_ns);
    ++differing[static_cast<std::size_t>(std::bit_width(difference))];
  }
  std::array<std::size_t, kMostLog2 + 1> counts{};
  std::size_t sum = 1;
  for (unsigned bits = 64; bits > kMostLog2 + 1; --bits) sum += differing[bits];
  for (unsigned log2 = kMostLog2 + 1; log2-- > 0;) {
    sum += differing[log2 + 1];
    counts[log2] = sum;
  }
  return counts;
}

}  // namespace

LanePyramid::LanePyramid(const report::Lane& lane, std::int64_t zero_ns)
    : lane_(lane), zero_ns_(zero_ns), levels_(lane.rows()) {
  for (std::uint32_t row = 0; row < lane.rows(); ++row) add_row(row);
  if (lane.size() < kFewSlices) return;
  blocks_.resize((lane.size() + kBlock - 1) / kBlock);
  for (std::uint32_t i = 0; i < lane.size(); ++i) {
    Block& block = blocks_[i / kBlock];
    if (i % kBlock == 0 || lane.duration(i) > lane.duration(block.longest)) block.longest = i;
    block.busy_ns += lane.duration(i);
  }
}

void LanePyramid::add_row(std::uint32_t row) {
  const std::uint32_t count = lane_.row_begin[row + 1] - lane_.row_begin[row];
  if (count < kFewSlices) return;
  const auto counts = bucket_counts(lane_, row, zero_ns_);
  const auto span = static_cast<std::uint64_t>(lane_.start_ns[lane_.row_begin[row + 1] - 1] -
                                               lane_.start_ns[lane_.row_begin[row]]);
  const int bits = std::bit_width(span);
  // Numbers of buckets have 32 bits.
  unsigned log2 = bits > 31 ? static_cast<unsigned>(bits - 31) : 0;
  while (log2 < kMostLog2 && counts[log2] > count / 4) ++log2;
  std::vector<Level>& levels = levels_[row];
  levels.push_back(finest_level(row, log2));
  for (++log2; log2 <= kMostLog2 && levels.back().size() > kFewBuckets; ++log2) {
    if (counts[log2] * 4 <= levels.back().size() * 3) {
      levels.push_back(coarser_level(levels.back(), log2));
    }
  }
}

std::int64_t LanePyramid::clipped_ns(std::uint32_t slice, std::int64_t bucket_end_ns) const {
  return std::min(lane_.duration(slice), bucket_end_ns - lane_.start_ns[slice]);
}

LanePyramid::Level LanePyramid::finest_level(std::uint32_t row, unsigned log2) const {
  const std::uint32_t begin = lane_.row_begin[row];
  const std::uint32_t end = lane_.row_begin[row + 1];
  Level level{.log2 = log2, .first_number = number_at(lane_.start_ns[begin], log2)};
  for (std::uint32_t i = begin; i < end;) {
    const SliceBucket sums = sum_slices(i, end, log2);
    level.buckets.push_back(
        {static_cast<std::uint32_t>(number_at(lane_.start_ns[i], log2) - level.first_number), i,
         sums.longest, static_cast<std::uint32_t>(sums.busy_ns >> level.shift())});
    i = sums.last + 1;
  }
  level.buckets.push_back({.first = end});
  level.buckets.shrink_to_fit();
  return level;
}

LanePyramid::Level LanePyramid::coarser_level(const Level& finer, unsigned log2) const {
  const unsigned up = log2 - finer.log2;
  Level level{.log2 = log2, .first_number = finer.first_number >> up};
  for (std::size_t i = 0; i < finer.size();) {
    const std::int64_t number = finer.number(i) >> up;
    SliceBucket sums{.first = finer.buckets[i].first,
                     .longest = finer.buckets[i].longest,
                     .end_ns = zero_ns_ + ((number + 1) << log2)};
    for (; i < finer.size() && finer.number(i) >> up == number; ++i) join(sums, finer, i);
    level.buckets.push_back({static_cast<std::uint32_t>(number - level.first_number), sums.first,
                             sums.longest,
                             static_cast<std::uint32_t>(sums.busy_ns >> level.shift())});
  }
  level.buckets.push_back({.first = finer.buckets.back().first});
  level.buckets.shrink_to_fit();
  return level;
}

// The last slice of a bucket may reach into the next ones.
void LanePyramid::join(SliceBucket& to, const Level& level, std::size_t i) const {
  const Bucket& bucket = level.buckets[i];
  to.last = level.buckets[i + 1].first - 1;
  if (lane_.duration(bucket.longest) > lane_.duration(to.longest)) to.longest = bucket.longest;
  const std::int64_t inner_end_ns = zero_ns_ + ((level.number(i) + 1) << level.log2);
  const std::int64_t reach_ns = clipped_ns(to.last, to.end_ns) - clipped_ns(to.last, inner_end_ns);
  to.busy_ns += (std::int64_t{bucket.busy} << level.shift()) + reach_ns;
}

void LanePyramid::add_slice(SliceBucket& bucket, std::uint32_t slice) const {
  if (lane_.duration(slice) > lane_.duration(bucket.longest)) bucket.longest = slice;
  bucket.busy_ns += lane_.duration(slice);
}

std::uint32_t LanePyramid::end_of_bucket(std::uint32_t first, std::uint32_t end,
                                         std::int64_t end_ns) const {
  std::uint32_t step = 1;
  std::uint32_t low = first;  // Is in the bucket.
  while (low + step < end && lane_.start_ns[low + step] < end_ns) {
    low += step;
    step *= 2;
  }
  const auto begin = lane_.start_ns.begin();
  const auto high = std::min<std::uint64_t>(std::uint64_t{low} + step, end);
  return static_cast<std::uint32_t>(
      std::lower_bound(begin + low, begin + static_cast<std::ptrdiff_t>(high), end_ns) - begin);
}

SliceBucket LanePyramid::sum_slices(std::uint32_t first, std::uint32_t end, unsigned log2) const {
  SliceBucket bucket{.first = first, .longest = first};
  bucket.end_ns = zero_ns_ + ((number_at(lane_.start_ns[first], log2) + 1) << log2);
  const std::uint32_t after = end_of_bucket(first, end, bucket.end_ns);
  bucket.last = after - 1;
  for (std::uint32_t i = first; i < after;) {
    if (i % kBlock == 0 && i + kBlock <= after && !blocks_.empty()) {
      const Block& block = blocks_[i / kBlock];
      if (lane_.duration(block.longest) > lane_.duration(bucket.longest)) {
        bucket.longest = block.longest;
      }
      bucket.busy_ns += block.busy_ns;
      i += kBlock;
    } else {
      add_slice(bucket, i++);
    }
  }
  bucket.busy_ns += clipped_ns(bucket.last, bucket.end_ns) - lane_.duration(bucket.last);
  return bucket;
}

std::uint32_t LanePyramid::first_slice_from(std::uint32_t row, std::int64_t wall_ns) const {
  const auto begin = lane_.start_ns.begin();
  return static_cast<std::uint32_t>(
      std::lower_bound(begin + lane_.row_begin[row], begin + lane_.row_begin[row + 1], wall_ns) -
      begin);
}

const LanePyramid::Level* LanePyramid::level_for(std::uint32_t row, unsigned log2) const {
  const Level* best = nullptr;
  for (const Level& level : levels_[row]) {
    if (level.log2 <= log2) best = &level;
  }
  return best;
}

std::size_t LanePyramid::memory_bytes() const {
  std::size_t bytes = blocks_.size() * sizeof(Block);
  for (const std::vector<Level>& levels : levels_) {
    for (const Level& level : levels) bytes += level.buckets.capacity() * sizeof(Bucket);
  }
  return bytes;
}

}  // namespace npuprof::serve
