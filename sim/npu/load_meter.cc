#include "sim/npu/load_meter.h"

#include <algorithm>

namespace npuprof::sim {

LoadMeter::Bucket& LoadMeter::bucket(std::int64_t index) {
  // What is late counts in the first bucket that is left.
  const auto place = static_cast<std::size_t>(std::max<std::int64_t>(index - first_, 0));
  if (buckets_.size() <= place) buckets_.resize(place + 1);
  return buckets_[place];
}

void LoadMeter::add(Quantity quantity, Interval run, double amount) {
  const std::int64_t first = run.begin / kBucketNs;
  const std::int64_t last = run.end / kBucketNs;
  if (first == last || run.end <= run.begin) {
    bucket(first)[quantity] += amount;
    return;
  }
  const double per_ns = amount / static_cast<double>(run.end - run.begin);
  for (std::int64_t index = first; index <= last; ++index) {
    const std::int64_t begin_ns = std::max(run.begin, index * kBucketNs);
    const std::int64_t end_ns = std::min(run.end, (index + 1) * kBucketNs);
    bucket(index)[quantity] += per_ns * static_cast<double>(end_ns - begin_ns);
  }
}

double LoadMeter::rate(Quantity quantity, std::int64_t end_ns, std::int64_t window_ns) const {
  const std::int64_t last = std::max<std::int64_t>(end_ns / kBucketNs, 1);
  const std::int64_t count = std::max<std::int64_t>(window_ns / kBucketNs, 1);
  double amount = 0;
  for (std::int64_t index = std::max(last - count, first_); index < last; ++index) {
    const auto place = static_cast<std::size_t>(index - first_);
    if (place < buckets_.size()) amount += buckets_[place][quantity];
  }
  return amount / static_cast<double>(count * kBucketNs);
}

void LoadMeter::forget_before(std::int64_t time_ns) {
  const std::int64_t keep = time_ns / kBucketNs;
  if (keep <= first_) return;
  const auto drop = static_cast<std::ptrdiff_t>(
      std::min<std::int64_t>(keep - first_, static_cast<std::int64_t>(buckets_.size())));
  buckets_.erase(buckets_.begin(), buckets_.begin() + drop);
  first_ = keep;
}

}  // namespace npuprof::sim
