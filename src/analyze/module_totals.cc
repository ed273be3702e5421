#include "analyze/module_totals.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analyze/module_folding.h"
#include "base/saturated.h"

namespace npuprof::analyze {
namespace {

using trace::kNone;

struct PlaceKey {
  std::uint64_t first;
  std::uint64_t second;
  friend bool operator==(const PlaceKey&, const PlaceKey&) = default;
};
struct PlaceKeyHash {
  std::size_t operator()(const PlaceKey& key) const {
    std::uint64_t hash = key.first * 0x9E3779B97F4A7C15 ^ key.second;
    hash ^= hash >> 31;
    return hash * 0xFF51AFD7ED558CCD;
  }
};
std::uint64_t packed_numbers(std::uint32_t high, std::uint32_t low) {
  return std::uint64_t{high} << 32 | low;
}

// A place where a module is called in a pass through the model: of layers called one after the
// other each is a place, steps are not told apart.
struct ModulePlace {
  std::uint32_t parent;
  std::uint32_t node;
  std::uint32_t ordinal;
  std::int64_t total_ns = 0;
  std::uint64_t calls = 0;

  double mean_ns() const { return static_cast<double>(total_ns) / static_cast<double>(calls); }
};

class TotalsBuilder {
 public:
  TotalsBuilder(const trace::Trace& trace, const OperatorWork& work,
                std::span<const double> ideal_ns, ModuleMembership membership)
      : trace_(trace),
        work_(work),
        ideal_ns_(ideal_ns),
        membership_(std::move(membership)),
        calls_(membership_.calls),
        forward_ns_(calls_.size()),
        backward_ns_(calls_.size()) {}

  ModuleTotals run() {
    out_.is_from_python = membership_.is_from_python;
    find_nodes();
    const FoldedTree folded = fold_modules(nodes_);
    folded_of_ = folded.of;
    for (const FoldedModule& module : folded.modules) {
      ModuleTotal& total = out_.modules.emplace_back();
      total.name = module.name;
      total.parent = module.parent;
      total.depth = module.depth;
    }
    add_work();
    add_inner_calls();
    add_calls();
    add_places();
    return std::move(out_);
  }

 private:
  void find_nodes();
  std::vector<std::uint32_t> work_in_order() const;
  void add_work();
  void add_to_modules(std::size_t row, std::uint32_t module);
  void add_inner_calls();
  void add_calls();
  void add_places();
  std::string place_name(std::uint32_t place) const;
  bool is_one_of_many(const ModulePlace& place) const;

  std::uint32_t total_of_call(std::uint32_t call) const { return folded_of_[node_of_call_[call]]; }

  const trace::Trace& trace_;
  const OperatorWork& work_;
  std::span<const double> ideal_ns_;
  ModuleMembership membership_;
  const ModuleCalls& calls_;
  // By call. Of its own first, then with inner calls.
  std::vector<std::int64_t> forward_ns_;
  std::vector<std::int64_t> backward_ns_;
  std::vector<NamedModule> nodes_;  // Modules by name and place in the tree.
  std::vector<std::uint32_t> node_of_call_;
  std::vector<std::uint32_t> folded_of_;  // By node.
  std::vector<std::int64_t> covered_ns_;  // By folded module: until when it was busy.
  std::vector<ModulePlace> places_;
  std::vector<std::uint32_t> place_of_call_;
  std::unordered_map<PlaceKey, std::uint32_t, PlaceKeyHash> place_numbers_;
  ModuleTotals out_;
};

void TotalsBuilder::find_nodes() {
  std::unordered_map<std::uint64_t, std::uint32_t> node_of;   // By parent and name.
  std::unordered_map<std::uint64_t, std::uint32_t> ordinals;  // By calling call and node.
  node_of_call_.resize(calls_.size());
  place_of_call_.resize(calls_.size());
  for (std::uint32_t i = 0; i < calls_.size(); ++i) {
    const std::size_t call = i;
    const std::uint32_t parent = calls_.parent[call];
    const std::uint32_t above = parent == kNone ? kNone : node_of_call_[parent];
    const auto [node, is_new] =
        node_of.try_emplace(packed_numbers(above, to_index(calls_.name[call])),
                            static_cast<std::uint32_t>(nodes_.size()));
    if (is_new) {
      nodes_.push_back({plain_module_name(trace_.strings.view(calls_.name[call])), above});
    }
    node_of_call_[i] = node->second;
    const std::uint32_t ordinal =
        parent == kNone ? 0 : ordinals[packed_numbers(parent, node->second)]++;
    const std::uint32_t outer = parent == kNone ? kNone : place_of_call_[parent];
    const auto [place, is_first] = place_numbers_.try_emplace(
        {packed_numbers(outer, node->second), ordinal}, static_cast<std::uint32_t>(places_.size()));
    if (is_first) places_.push_back({outer, node->second, ordinal});
    place_of_call_[i] = place->second;
  }
}

// In order of time, so that what runs side by side is seen.
std::vector<std::uint32_t> TotalsBuilder::work_in_order() const {
  std::vector<std::uint32_t> order;
  order.reserve(work_.size());
  for (std::uint32_t i = 0; i < work_.size(); ++i) {
    const std::size_t row = i;
    const bool is_shown = work_.kind[row] != static_cast<std::uint8_t>(WorkKind::kSchedule);
    if (is_shown && work_.is_again[row] == 0) order.push_back(i);
  }
  // Long runs of it are in order already, of which a sort that merges makes use.
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (work_.device[a] != work_.device[b]) return work_.device[a] < work_.device[b];
    return work_.start_ns[a] < work_.start_ns[b];
  });
  return order;
}

void TotalsBuilder::add_work() {
  covered_ns_.assign(out_.modules.size(), INT64_MIN);
  std::size_t last = 0;
  for (const std::uint32_t i : work_in_order()) {
    const std::size_t row = i;
    if (work_.device[row] != work_.device[last]) {
      std::fill(covered_ns_.begin(), covered_ns_.end(), INT64_MIN);
    }
    last = row;
    const std::int64_t duration_ns = work_.duration_ns[row];
    add_saturated(out_.total_ns, duration_ns);
    const std::uint32_t op = work_.op[row];
    if (op == kNone) {
      add_saturated(out_.without_operator_ns, duration_ns);
      continue;
    }
    const bool is_backward = membership_.is_backward[op] != 0;
    const std::uint32_t call = membership_.call_of_op[op];
    if (call == kNone) {
      add_saturated(out_.outside_ns, duration_ns);
      if (is_backward) add_saturated(out_.outside_backward_ns, duration_ns);
      continue;
    }
    add_saturated(is_backward ? backward_ns_[call] : forward_ns_[call], duration_ns);
    add_to_modules(row, total_of_call(call));
  }
}

// To the module and to those around it.
void TotalsBuilder::add_to_modules(std::size_t row, std::uint32_t module) {
  const std::int64_t start_ns = work_.start_ns[row];
  const std::int64_t duration_ns = work_.duration_ns[row];
  const std::int64_t end_ns = saturated_sum(start_ns, duration_ns);
  const bool is_collective = work_.kind[row] == static_cast<std::uint8_t>(WorkKind::kCollective);
  const double ideal_ns = ideal_ns_.empty() || std::isnan(ideal_ns_[row]) ? 0 : ideal_ns_[row];
  add_saturated(out_.modules[module].self_ns, duration_ns);
  for (std::uint32_t at = module; at != kNone; at = out_.modules[at].parent) {
    ModuleTotal& total = out_.modules[at];
    if (is_collective) add_saturated(total.communication_ns, duration_ns);
    total.ideal_ns += ideal_ns;
    const std::int64_t begin_ns = std::max(start_ns, covered_ns_[at]);
    if (end_ns <= begin_ns) continue;
    add_saturated(total.busy_ns, saturated_difference(end_ns, begin_ns));
    covered_ns_[at] = end_ns;
  }
}

// Calls come after those that contain them.
void TotalsBuilder::add_inner_calls() {
  for (std::size_t call = calls_.size(); call-- > 0;) {
    const std::uint32_t parent = calls_.parent[call];
    if (parent == kNone) continue;
    add_saturated(forward_ns_[parent], forward_ns_[call]);
    add_saturated(backward_ns_[parent], backward_ns_[call]);
  }
}

void TotalsBuilder::add_calls() {
  for (std::uint32_t call = 0; call < calls_.size(); ++call) {
    ModuleTotal& total = out_.modules[total_of_call(call)];
    const std::int64_t both_ns = saturated_sum(forward_ns_[call], backward_ns_[call]);
    total.min_ns = total.calls == 0 ? both_ns : std::min(total.min_ns, both_ns);
    total.max_ns = std::max(total.max_ns, both_ns);
    ++total.calls;
    add_saturated(total.forward_ns, forward_ns_[call]);
    add_saturated(total.backward_ns, backward_ns_[call]);
    ModulePlace& place = places_[place_of_call_[call]];
    add_saturated(place.total_ns, both_ns);
    ++place.calls;
  }
}

void TotalsBuilder::add_places() {
  std::vector<std::vector<std::uint32_t>> places_of(out_.modules.size());
  for (std::uint32_t i = 0; i < places_.size(); ++i) {
    places_of[folded_of_[places_[i].node]].push_back(i);
  }
  for (std::size_t i = 0; i < places_of.size(); ++i) {
    std::vector<std::uint32_t>& places = places_of[i];
    ModuleTotal& total = out_.modules[i];
    total.places = places.size();
    if (places.size() < 2) continue;
    const auto is_faster = [&](std::uint32_t a, std::uint32_t b) {
      return places_[a].mean_ns() < places_[b].mean_ns();
    };
    const std::uint32_t slowest = *std::max_element(places.begin(), places.end(), is_faster);
    const auto middle = places.begin() + static_cast<std::ptrdiff_t>(places.size() / 2);
    std::nth_element(places.begin(), middle, places.end(), is_faster);
    total.slowest_place = place_name(slowest);
    total.slowest_ns = places_[slowest].mean_ns();
    total.typical_ns = places_[*middle].mean_ns();
  }
}

bool TotalsBuilder::is_one_of_many(const ModulePlace& place) const {
  return place_numbers_.contains({packed_numbers(place.parent, place.node), 1});
}

// From the outermost module on that tells it from others.
std::string TotalsBuilder::place_name(std::uint32_t place) const {
  std::string name;
  std::string chosen;
  for (std::uint32_t at = place; at != kNone; at = places_[at].parent) {
    const ModulePlace& here = places_[at];
    std::string part(nodes_[here.node].name);
    const bool is_numbered = part != out_.modules[folded_of_[here.node]].name;
    const bool is_repeated = is_one_of_many(here);
    if (is_repeated) part += " #" + std::to_string(here.ordinal);
    name = name.empty() ? part : part + "/" + name;
    if (is_numbered || is_repeated) chosen = name;
  }
  return chosen;
}

}  // namespace

std::int64_t ModuleTotal::total_ns() const { return saturated_sum(forward_ns, backward_ns); }

Result<ModuleTotals> module_totals(const trace::Trace& trace, const OperatorWork& work,
                                   std::span<const double> ideal_ns) {
  if (work.size() == 0) {
    return Error{ErrorCode::kNoData, "the profile has no kernels and no collectives"};
  }
  ModuleMembership membership = module_membership(trace, work);
  if (membership.calls.size() == 0) {
    return Error{ErrorCode::kNoData,
                 "the profile has neither ranges of the mstx domain 'Module' nor calls of "
                 "nn.Module or nn.Cell"};
  }
  return TotalsBuilder(trace, work, ideal_ns, std::move(membership)).run();
}

}  // namespace npuprof::analyze
