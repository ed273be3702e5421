#include "serve/slice_reply.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace npuprof::serve {
namespace {

using report::CounterLane;
using report::Lane;

constexpr std::uint32_t kMagic = 0x4c50554e;  // "NUPL"
constexpr std::uint32_t kVersion = 1;
static_assert(std::endian::native == std::endian::little);

enum SliceFlags : std::uint8_t { kUnfinished = 1, kInstant = 2, kBucket = 4, kDoubtful = 8 };

// Rectangles of one lane, as arrays.
struct Rectangles {
  std::vector<double> start;
  std::vector<double> duration;
  std::vector<std::uint32_t> name;
  std::vector<std::uint32_t> slice;
  std::vector<std::uint32_t> count;
  std::vector<std::uint16_t> row;
  std::vector<std::uint8_t> busy;
  std::vector<std::uint8_t> flags;

  void reserve(std::size_t count) {
    start.reserve(count);
    duration.reserve(count);
    name.reserve(count);
    slice.reserve(count);
    this->count.reserve(count);
    row.reserve(count);
    busy.reserve(count);
    flags.reserve(count);
  }
};

template <typename Value>
void append_array(std::string& out, const std::vector<Value>& values) {
  if (!values.empty()) {
    out.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value));
  }
  out.append((8 - out.size() % 8) % 8, '\0');
}

void append_header(std::string& out, std::initializer_list<std::uint32_t> words) {
  append_array(out, std::vector<std::uint32_t>(words));
}

class LanePicture {
 public:
  LanePicture(const LaneIndex& index, std::uint32_t number, const Window& window, unsigned log2)
      : index_(index),
        number_(number),
        lane_(index.lanes()[number]),
        pyramid_(index.pyramid(number)),
        begin_ns_(window.span.begin_ns + index.zero_ns()),
        end_ns_(window.span.end_ns + index.zero_ns()),
        pixels_(window.pixels),
        log2_(log2) {}

  Rectangles draw() {
    out_.reserve(std::min<std::size_t>(lane_.size(), lane_.rows() * std::size_t{pixels_}));
    for (std::uint32_t row = 0; row < lane_.rows(); ++row) draw_row(row);
    return std::move(out_);
  }

 private:
  void draw_row(std::uint32_t row) {
    const auto begin = lane_.start_ns.begin();
    const auto first = begin + lane_.row_begin[row];
    const auto from = std::lower_bound(first, begin + lane_.row_begin[row + 1], begin_ns_);
    const auto to = std::lower_bound(from, begin + lane_.row_begin[row + 1], end_ns_);
    const auto begin_slice = static_cast<std::uint32_t>(from - begin);
    const auto end_slice = static_cast<std::uint32_t>(to - begin);
    // The one before may reach into the window; buckets may contain it.
    const bool reaches_in = from != first && lane_.end_ns(begin_slice - 1) > begin_ns_;
    if (end_slice - begin_slice <= pixels_) {
      for (std::uint32_t i = begin_slice - (reaches_in ? 1 : 0); i < end_slice; ++i) {
        add_slice(row, i);
      }
      return;
    }
    bool is_first = true;
    pyramid_.for_each_bucket(row, begin_ns_, end_ns_, log2_, [&](const SliceBucket& bucket) {
      if (is_first && reaches_in && bucket.first == begin_slice) add_slice(row, begin_slice - 1);
      is_first = false;
      add_bucket(row, bucket);
    });
  }

  void add_bucket(std::uint32_t row, SliceBucket bucket) {
    // What reaches far out of the bucket is the last one of it, and is drawn as it is.
    const std::int64_t last_ns = lane_.duration(bucket.last);
    if (bucket.first == bucket.last) {
      add_slice(row, bucket.last);
    } else if (last_ns >> log2_ >= 1) {
      const std::uint32_t last = bucket.last--;
      bucket.busy_ns -= std::min(last_ns, bucket.end_ns - lane_.start_ns[last]);
      // The others lie in the bucket, so any of them will do.
      if (bucket.longest == last) bucket.longest = bucket.first;
      add_several(row, bucket);
      add_slice(row, last);
    } else {
      add_several(row, bucket);
    }
  }

  void add_several(std::uint32_t row, const SliceBucket& bucket) {
    const std::int64_t start = lane_.start_ns[bucket.first];
    const std::int64_t end = std::min(lane_.end_ns(bucket.last), bucket.end_ns);
    const double share =
        end > start ? static_cast<double>(bucket.busy_ns) / static_cast<double>(end - start) : 0;
    const bool is_one = bucket.first == bucket.last;
    add(start, end - start, bucket.longest, bucket.last - bucket.first + 1, row,
        static_cast<std::uint8_t>(std::lround(std::clamp(share, 0.0, 1.0) * 255)),
        is_one ? 0 : kBucket);
  }

  void add_slice(std::uint32_t row, std::uint32_t slice) {
    const std::int64_t duration = lane_.duration(slice);
    std::uint8_t flags = duration == 0 ? kInstant : 0;
    if (index_.marks().is_unfinished(number_, slice)) flags |= kUnfinished;
    if (index_.marks().is_doubtful(number_, slice)) flags |= kDoubtful;
    add(lane_.start_ns[slice], duration, slice, 1, row, 255, flags);
  }

  void add(std::int64_t start_ns, std::int64_t duration_ns, std::uint32_t slice,
           std::uint32_t count, std::uint32_t row, std::uint8_t busy, std::uint8_t flags) {
    out_.start.push_back(static_cast<double>(start_ns - index_.zero_ns()));
    out_.duration.push_back(static_cast<double>(duration_ns));
    out_.name.push_back(lane_.name_number[slice]);
    out_.slice.push_back(slice);
    out_.count.push_back(count);
    out_.row.push_back(static_cast<std::uint16_t>(row));
    out_.busy.push_back(busy);
    out_.flags.push_back(flags);
  }

  const LaneIndex& index_;
  std::uint32_t number_;
  const Lane& lane_;
  const LanePyramid& pyramid_;
  std::int64_t begin_ns_;
  std::int64_t end_ns_;
  std::uint32_t pixels_;
  unsigned log2_;
  Rectangles out_;
};

void append_lane(std::string& out, std::uint32_t number, const Rectangles& rectangles) {
  append_header(out, {number, 0, static_cast<std::uint32_t>(rectangles.start.size()), 0});
  append_array(out, rectangles.start);
  append_array(out, rectangles.duration);
  append_array(out, rectangles.name);
  append_array(out, rectangles.slice);
  append_array(out, rectangles.count);
  append_array(out, rectangles.row);
  append_array(out, rectangles.busy);
  append_array(out, rectangles.flags);
}

struct CounterPoints {
  std::vector<double> time;
  std::vector<float> least;
  std::vector<float> most;
  std::vector<float> last;
};

CounterPoints counter_points(const LaneIndex& index, const CounterLane& counter,
                             const Window& window, unsigned log2) {
  const std::size_t series = counter.series.size();
  const auto& times = counter.time_ns;
  const std::int64_t zero = index.zero_ns();
  auto from = std::lower_bound(times.begin(), times.end(), window.span.begin_ns + zero);
  const auto to = std::lower_bound(from, times.end(), window.span.end_ns + zero);
  if (from != times.begin()) --from;  // The value at the begin of the window.
  const auto begin = static_cast<std::size_t>(from - times.begin());
  auto end = static_cast<std::size_t>(to - times.begin());
  end = std::min(end + 1, times.size());
  const bool is_each = end - begin <= window.pixels;
  CounterPoints points;
  for (std::size_t i = begin; i < end;) {
    const std::int64_t bucket = (times[i] - zero) >> log2;
    points.time.push_back(static_cast<double>(times[i] - zero));
    const std::size_t first = points.least.size();
    points.least.resize(first + series, std::numeric_limits<float>::quiet_NaN());
    points.most.resize(first + series, std::numeric_limits<float>::quiet_NaN());
    points.last.resize(first + series, std::numeric_limits<float>::quiet_NaN());
    do {
      for (std::size_t s = 0; s < series; ++s) {
        const auto value = static_cast<float>(counter.values[i * series + s]);
        if (std::isnan(value)) continue;
        points.least[first + s] = std::fmin(points.least[first + s], value);
        points.most[first + s] = std::fmax(points.most[first + s], value);
        points.last[first + s] = value;
      }
      ++i;
    } while (!is_each && i < end && (times[i] - zero) >> log2 == bucket);
  }
  return points;
}

void append_counter(std::string& out, std::uint32_t number, const CounterPoints& points) {
  append_header(out, {number, 1, static_cast<std::uint32_t>(points.time.size()), 0});
  append_array(out, points.time);
  append_array(out, points.least);
  append_array(out, points.most);
  append_array(out, points.last);
}

}  // namespace

std::string slices_reply(const LaneIndex& index, const Window& window,
                         const std::vector<std::uint32_t>& lanes) {
  const auto length = static_cast<std::uint64_t>(window.span.end_ns - window.span.begin_ns);
  const std::uint64_t pixel_ns = length / std::max(1U, window.pixels);
  const unsigned log2 = static_cast<unsigned>(std::bit_width(std::max<std::uint64_t>(1, pixel_ns)));
  std::string out;
  std::uint32_t count = 0;
  std::string body;
  for (const std::uint32_t number : lanes) {
    if (index.lane(number) != nullptr) {
      append_lane(body, number, LanePicture(index, number, window, log2).draw());
    } else if (const CounterLane* counter = index.counter(number)) {
      append_counter(body, number, counter_points(index, *counter, window, log2));
    } else {
      continue;
    }
    ++count;
  }
  append_header(out, {kMagic, kVersion, count, log2});
  out += body;
  return out;
}

}  // namespace npuprof::serve
