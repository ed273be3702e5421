#include "report/samples/counter_tracks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "report/samples/sample_kinds.h"

namespace npuprof::report {
namespace {

using analyze::Samples;

void replace(std::string& text, std::string_view mark, const std::string& with) {
  const std::size_t place = text.find(mark);
  if (place != std::string::npos) text.replace(place, mark.size(), with);
}

std::string fill_in(std::string_view pattern, std::uint32_t unit, const std::string& label) {
  constexpr std::size_t kDigits = 3;
  std::string text(pattern);
  const std::string number = std::to_string(unit);
  replace(text, "{unit}", number);
  replace(text, "{unit3}", std::string(kDigits - std::min(kDigits, number.size()), '0') + number);
  replace(text, "{die}", unit == trace::kNone ? "value" : "die " + number);
  replace(text, "{label}", label);
  return text;
}

// The tracks of one kind on one device. The names of a (unit, label) are made once.
class TrackBuilder {
 public:
  TrackBuilder(const Samples& samples, const SampleDescription& description, std::uint16_t device)
      : samples_(samples), description_(description), device_(device) {}

  std::vector<CounterTrack> build() {
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      if (samples_.device[i] == device_) add(i);
    }
    return std::move(tracks_);
  }

 private:
  struct Place {
    std::size_t track;
    std::size_t series;
  };

  void add(std::size_t i) {
    const auto [found, is_new] = places_.try_emplace({samples_.unit[i], samples_.label[i]});
    if (is_new) found->second = make_places(samples_.unit[i], samples_.label[i]);
    const auto row = samples_.row(i);
    for (std::size_t c = 0; c < description_.counters.size(); ++c) {
      const SampleCounter& counter = description_.counters[c];
      const Place& place = found->second[c];
      CounterSeries& series = tracks_[place.track].series[place.series];
      const double known = std::isnan(row[counter.value]) ? 0 : row[counter.value] * counter.scale;
      if (!series.time_ns.empty() && series.time_ns.back() == samples_.time_ns[i]) {
        series.values.back() = std::max(series.values.back(), known);
      } else {
        series.time_ns.push_back(samples_.time_ns[i]);
        series.values.push_back(known);
      }
    }
  }

  std::vector<Place> make_places(std::uint32_t unit, std::uint32_t label) {
    std::vector<Place> places;
    for (const SampleCounter& counter : description_.counters) {
      std::string name = fill_in(counter.name, unit, samples_.labels[label]);
      auto track = std::find_if(tracks_.begin(), tracks_.end(),
                                [&](const CounterTrack& other) { return other.name == name; });
      if (track == tracks_.end()) {
        track = tracks_.insert(track, {description_.layer, device_, std::move(name), {}});
      }
      std::string series = fill_in(counter.series, unit, samples_.labels[label]);
      auto& all = track->series;
      auto place = std::find_if(all.begin(), all.end(),
                                [&](const CounterSeries& other) { return other.name == series; });
      if (place == all.end()) place = all.insert(place, {std::move(series), {}, {}});
      places.push_back({static_cast<std::size_t>(track - tracks_.begin()),
                        static_cast<std::size_t>(place - all.begin())});
    }
    return places;
  }

  const Samples& samples_;
  const SampleDescription& description_;
  std::uint16_t device_;
  std::vector<CounterTrack> tracks_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Place>> places_;
};

}  // namespace

std::vector<CounterTrack> counter_tracks(std::span<const Samples> samples) {
  std::vector<CounterTrack> tracks;
  for (const SampleDescription& description : sample_descriptions()) {
    const Samples* table = analyze::find_samples(samples, description.kind);
    if (table == nullptr || description.counters.empty()) continue;
    std::vector<std::uint16_t> devices(table->device);
    std::sort(devices.begin(), devices.end());
    devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
    for (const std::uint16_t device : devices) {
      std::vector<CounterTrack> more = TrackBuilder(*table, description, device).build();
      std::move(more.begin(), more.end(), std::back_inserter(tracks));
    }
  }
  std::stable_sort(tracks.begin(), tracks.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.layer.sort_index, a.device) < std::tuple(b.layer.sort_index, b.device);
  });
  return tracks;
}

}  // namespace npuprof::report
