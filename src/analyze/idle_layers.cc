#include "analyze/idle_layers.h"

#include <algorithm>

#include "base/nearby_search.h"

namespace npuprof::analyze {

using trace::kNone;

LayerHit TimeLayer::find(std::int64_t time_ns) {
  if (starts_ns_.empty()) return {};
  const auto has_started = [&](std::size_t i) { return starts_ns_[i] <= time_ns; };
  place_ = count_started(starts_ns_.size(), place_, has_started);
  LayerHit hit;
  if (place_ < starts_ns_.size()) hit.until_ns = starts_ns_[place_];
  if (place_ == 0) return hit;
  if (time_ns < ends_ns_[place_ - 1]) {
    return {labels_[place_ - 1], starts_ns_[place_ - 1], ends_ns_[place_ - 1]};
  }
  hit.since_ns = ends_ns_[place_ - 1];
  return hit;
}

std::uint32_t TimeLayer::Builder::enclosing(std::int64_t start_ns) {
  close_until(start_ns);
  return open_.empty() ? kNone : open_.back().label;
}

void TimeLayer::Builder::begin(std::int64_t start_ns, std::int64_t end_ns, std::uint32_t label) {
  if (end_ns <= start_ns) return;
  close_until(start_ns);
  if (!open_.empty()) emit(start_ns, open_.back().label);
  cursor_ns_ = std::max(cursor_ns_, start_ns);
  open_.push_back({end_ns, label});
}

void TimeLayer::Builder::finish() {
  close_until(INT64_MAX);
  while (!open_.empty()) {
    emit(open_.back().end_ns, open_.back().label);
    open_.pop_back();
  }
}

void TimeLayer::Builder::close_until(std::int64_t time_ns) {
  while (!open_.empty() && open_.back().end_ns <= time_ns) {
    emit(open_.back().end_ns, open_.back().label);
    open_.pop_back();
  }
}

void TimeLayer::Builder::emit(std::int64_t end_ns, std::uint32_t label) {
  if (end_ns <= cursor_ns_) return;
  if (!layer_.labels_.empty() && layer_.labels_.back() == label &&
      layer_.ends_ns_.back() == cursor_ns_) {
    layer_.ends_ns_.back() = end_ns;
  } else {
    layer_.starts_ns_.push_back(cursor_ns_);
    layer_.ends_ns_.push_back(end_ns);
    layer_.labels_.push_back(label);
  }
  cursor_ns_ = end_ns;
}

}  // namespace npuprof::analyze
