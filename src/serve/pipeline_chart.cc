#include "serve/pipeline_chart.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "analyze/step_finder.h"
#include "base/interval_sweep.h"
#include "base/median.h"
#include "base/saturated.h"
#include "format/framework/profiler_metadata.h"
#include "trace/framework/steps.h"
#include "trace/linked/collective_ops.h"

namespace npuprof::serve {
namespace {

using analyze::PassKind;
using analyze::PipelineMessage;
using analyze::PipelinePass;

struct PipelinePlace {
  std::string key;
  std::int64_t stage = 0;
};

// By the group that the framework names, else by the one that transfers are in, in which stages go
// by rank.
PipelinePlace place_of(const PipelineSource& source, std::size_t number) {
  const trace::Trace& trace = *source.trace;
  const std::int64_t rank = trace.session.rank;
  const auto metadata = format::framework::parse_profiler_metadata(trace.session.profiler_metadata);
  if (metadata.ok() && metadata->parallel_groups) {
    for (const auto& group : *metadata->parallel_groups) {
      if (!group.group_name.starts_with("pp") || group.global_ranks.size() < 2) continue;
      return {group.communication_domain, group.group_rank};
    }
  }
  if (!source.found->passes.transfers.empty()) {
    const std::uint32_t first = source.found->passes.transfers.front();
    return {std::string(trace.strings.view(trace.collective_ops().group[first])), rank};
  }
  return {"#" + std::to_string(number), rank};
}

std::optional<std::int64_t> step_id(const trace::Trace& trace, std::uint32_t row) {
  if (row == trace::kNone) return std::nullopt;
  return trace.steps().id[std::size_t{row}];
}

class ChartMaker {
 public:
  ChartMaker(const std::vector<PipelineSource>& sources, const Pipeline& pipeline)
      : sources_(sources), pipeline_(pipeline) {}

  PipelineChart run(std::optional<std::int64_t> step) {
    choose_step(step);
    for (std::size_t stage = 0; stage < pipeline_.profiles.size(); ++stage) add_rows(stage);
    match_messages();
    find_clocks();
    add_messages();
    find_span();
    add_sums();
    return std::move(chart_);
  }

 private:
  struct Match {
    std::size_t from = 0;  // Rows.
    std::size_t to = 0;
    const PipelineMessage* sent = nullptr;
    const PipelineMessage* received = nullptr;
  };

  void choose_step(std::optional<std::int64_t> step) {
    std::set<std::int64_t> steps;
    for (const std::size_t profile : pipeline_.profiles) {
      chart_.are_marked |= sources_[profile].found->passes.are_marked;
      for (const PipelinePass& pass : sources_[profile].found->passes.passes) {
        if (const auto id = step_id(*sources_[profile].trace, pass.step)) steps.insert(*id);
      }
    }
    chart_.steps.assign(steps.begin(), steps.end());
    chart_.step = step;
    if (!step && !steps.empty()) chart_.step = *steps.begin();
  }

  // A row for each device that has passes, and one for a rank that has none.
  void add_rows(std::size_t stage) {
    const std::size_t profile = pipeline_.profiles[stage];
    const trace::Trace& trace = *sources_[profile].trace;
    const analyze::PipelinePasses& found = sources_[profile].found->passes;
    std::map<std::uint16_t, ChartRow> rows;
    for (const PipelinePass& pass : found.passes) {
      ChartRow& row = rows[pass.device];
      if (step_id(trace, pass.step) == chart_.step) row.passes.push_back(pass);
    }
    if (rows.empty()) rows.try_emplace(0);
    const auto& ops = trace.collective_ops();
    const analyze::StepFinder finder(trace.steps(), analyze::StepFinder::End::kExcluded);
    for (const std::uint32_t transfer : found.transfers) {
      if (step_id(trace, finder.find(ops.start_ns[transfer])) != chart_.step) continue;
      const auto row = rows.find(ops.device[transfer]);
      if (row != rows.end()) row->second.transfers.push_back(transfer);
    }
    for (auto& [device, row] : rows) {
      row.profile = profile;
      row.stage = static_cast<std::uint32_t>(stage);
      row.device = device;
      chart_.rows.push_back(std::move(row));
    }
  }

  std::vector<const PipelineMessage*> messages_of(const ChartRow& row) const {
    const std::set<std::uint32_t> mine(row.transfers.begin(), row.transfers.end());
    std::vector<const PipelineMessage*> list;
    for (const PipelineMessage& message : sources_[row.profile].found->messages) {
      if (mine.contains(message.collective)) list.push_back(&message);
    }
    std::stable_sort(list.begin(), list.end(),
                     [](const auto* a, const auto* b) { return a->end_ns < b->end_ns; });
    return list;
  }

  // Messages from one rank to another come in the order in which they are sent. Where one side has
  // fewer of them it cannot be told which are missing.
  void match_messages() {
    using Direction = std::pair<std::uint32_t, std::uint32_t>;  // Sender, receiver.
    struct Sides {
      std::vector<std::pair<std::size_t, const PipelineMessage*>> sent;
      std::vector<std::pair<std::size_t, const PipelineMessage*>> received;
    };
    std::map<Direction, Sides> sides;
    for (std::size_t row = 0; row < chart_.rows.size(); ++row) {
      for (const PipelineMessage* message : messages_of(chart_.rows[row])) {
        if (message->is_sent) {
          sides[{message->own, message->peer}].sent.emplace_back(row, message);
        } else {
          sides[{message->peer, message->own}].received.emplace_back(row, message);
        }
      }
    }
    for (const auto& [direction, both] : sides) {
      if (both.sent.size() != both.received.size()) {
        chart_.unmatched += std::max(both.sent.size(), both.received.size());
        continue;
      }
      for (std::size_t i = 0; i < both.sent.size(); ++i) {
        matches_.push_back({both.sent[i].first, both.received[i].first, both.sent[i].second,
                            both.received[i].second});
      }
    }
  }

  // From the first row on to all that messages lead to.
  void find_clocks() {
    std::map<std::pair<std::size_t, std::size_t>, std::vector<std::int64_t>> ahead;
    for (const Match& match : matches_) {
      const std::int64_t by_ns = saturated_difference(match.sent->end_ns, match.received->end_ns);
      ahead[{match.from, match.to}].push_back(by_ns);
      ahead[{match.to, match.from}].push_back(-by_ns);
    }
    std::vector<std::uint8_t> is_known(chart_.rows.size());
    std::vector<std::size_t> queue;
    if (!chart_.rows.empty()) {
      is_known[0] = 1;
      queue.push_back(0);
    }
    for (std::size_t at = 0; at < queue.size(); ++at) {
      for (const auto& [pair, differences] : ahead) {
        if (pair.first != queue[at] || is_known[pair.second] != 0) continue;
        ChartRow& row = chart_.rows[pair.second];
        row.offset_ns = chart_.rows[pair.first].offset_ns + median_of(differences);
        row.compared = differences.size();
        is_known[pair.second] = 1;
        queue.push_back(pair.second);
      }
    }
  }

  void add_messages() {
    for (const Match& match : matches_) {
      chart_.messages.push_back(
          {.from = match.from,
           .to = match.to,
           .sent_ns = match.sent->start_ns + chart_.rows[match.from].offset_ns,
           .received_ns = match.received->end_ns + chart_.rows[match.to].offset_ns,
           .bytes = match.sent->bytes});
    }
    std::stable_sort(chart_.messages.begin(), chart_.messages.end(),
                     [](const ChartMessage& a, const ChartMessage& b) {
                       return std::tuple(a.sent_ns, a.from) < std::tuple(b.sent_ns, b.from);
                     });
  }

  void find_span() {
    bool is_first = true;
    for (const ChartRow& row : chart_.rows) {
      for (const PipelinePass& pass : row.passes) {
        const std::int64_t begin_ns = pass.start_ns + row.offset_ns;
        const std::int64_t end_ns = pass.end_ns + row.offset_ns;
        chart_.begin_ns = is_first ? begin_ns : std::min(chart_.begin_ns, begin_ns);
        chart_.end_ns = is_first ? end_ns : std::max(chart_.end_ns, end_ns);
        is_first = false;
      }
    }
  }

  void add_sums() {
    const std::int64_t span_ns = chart_.end_ns - chart_.begin_ns;
    double bubble = 0;
    std::size_t passes_forward = 0;
    for (ChartRow& row : chart_.rows) {
      const std::int64_t busy_ns = add_row_sums(row, span_ns);
      bubble += static_cast<double>(span_ns - busy_ns);
      const auto forward =
          std::count_if(row.passes.begin(), row.passes.end(),
                        [](const PipelinePass& pass) { return pass.kind == PassKind::kForward; });
      passes_forward = std::max(passes_forward, static_cast<std::size_t>(forward));
    }
    const std::size_t rows = chart_.rows.size();
    if (span_ns > 0)
      chart_.bubble_share = bubble / (static_cast<double>(span_ns) * static_cast<double>(rows));
    const std::size_t stages = pipeline_.profiles.size();
    if (passes_forward > 0) {
      chart_.least_share =
          static_cast<double>(stages - 1) / static_cast<double>(passes_forward + stages - 1);
    }
  }

  // Returns the length of all passes together.
  std::int64_t add_row_sums(ChartRow& row, std::int64_t span_ns) const {
    std::array<std::vector<Interval>, analyze::kPassKinds> by_kind;
    std::vector<Interval> all;
    for (const PipelinePass& pass : row.passes) {
      by_kind[static_cast<std::size_t>(pass.kind)].push_back({pass.start_ns, pass.end_ns});
      all.push_back({pass.start_ns, pass.end_ns});
    }
    for (std::size_t kind = 0; kind < by_kind.size(); ++kind) {
      row.pass_ns[kind] = total_length(merge_intervals(std::move(by_kind[kind])));
    }
    all = merge_intervals(std::move(all));
    const auto& ops = sources_[row.profile].trace->collective_ops();
    std::vector<Interval> transfers;
    for (const std::uint32_t transfer : row.transfers) {
      const Interval shown{std::max(ops.start_ns[transfer], chart_.begin_ns - row.offset_ns),
                           std::min(ops.end_ns[transfer], chart_.end_ns - row.offset_ns)};
      transfers.push_back(shown);
    }
    row.transfer_ns = total_length(difference(merge_intervals(std::move(transfers)), all));
    const std::int64_t busy_ns = total_length(all);
    row.rest_ns = span_ns - busy_ns - row.transfer_ns;
    return busy_ns;
  }

  const std::vector<PipelineSource>& sources_;
  const Pipeline& pipeline_;
  std::vector<Match> matches_;
  PipelineChart chart_;
};

}  // namespace

PipelineOfRank pipeline_of_rank(const trace::Trace& trace) {
  PipelineOfRank found{.passes = analyze::pipeline_passes(trace), .messages = {}};
  found.messages = analyze::pipeline_messages(trace, found.passes.transfers);
  return found;
}

std::vector<Pipeline> find_pipelines(const std::vector<PipelineSource>& sources) {
  std::vector<PipelinePlace> places;
  std::vector<Pipeline> pipelines;
  std::map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    places.push_back(place_of(sources[i], i));
    const auto [place, is_new] = known.try_emplace(places.back().key, pipelines.size());
    if (is_new) pipelines.push_back({.key = places.back().key, .profiles = {}});
    pipelines[place->second].profiles.push_back(i);
  }
  for (Pipeline& pipeline : pipelines) {
    std::stable_sort(
        pipeline.profiles.begin(), pipeline.profiles.end(),
        [&](std::size_t a, std::size_t b) { return places[a].stage < places[b].stage; });
  }
  return pipelines;
}

PipelineChart pipeline_chart(const std::vector<PipelineSource>& sources, const Pipeline& pipeline,
                             std::optional<std::int64_t> step) {
  return ChartMaker(sources, pipeline).run(step);
}

}  // namespace npuprof::serve
