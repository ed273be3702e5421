#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <tuple>
#include <utility>

#include "analyze/communication.h"
#include "analyze/mindspore_step_time.h"
#include "analyze/step_finder.h"
#include "trace/framework/steps.h"

namespace npuprof::analyze {
namespace {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

bool is_point_to_point(std::string_view name) {
  const std::string lower = lower_case(name);
  return lower.starts_with("hcom_send") || lower.starts_with("hcom_receive") ||
         lower.starts_with("hcom_batchsendrecv");
}

// The first of these words in the name; where several begin at one place the first listed counts,
// which files reduceScatter under reduce, as readers of the file know it.
std::string kind_of(std::string_view name) {
  constexpr std::array<std::string_view, 10> kWords{
      "send",    "reduce",    "invalid", "broadcast", "allreduce",
      "receive", "allgather", "scatter", "alltoall",  "batchsendrecv"};
  const std::string lower = lower_case(name);
  for (std::size_t place = 0; place < lower.size(); ++place) {
    const std::string_view rest = std::string_view(lower).substr(place);
    for (const std::string_view word : kWords) {
      if (rest.starts_with(word)) return std::string(word);
    }
  }
  return std::string(name.substr(0, name.find("__")));
}

using LinkKey = std::pair<std::uint32_t, std::uint32_t>;
struct LinkOfOp {
  const CommunicationOp* op;
  const LinkTraffic* link;
};

// Gathers summaries under their names, names in order of first use.
class Summaries {
 public:
  void add(const std::string& name, std::string_view group, const LinkTraffic& link,
           std::string_view op_name) {
    const auto [place, is_new] = index_.try_emplace({name, group}, groups_.size());
    if (is_new) groups_.emplace_back();
    groups_[place->second].push_back(
        {.name = name, .group = group, .link = link, .op_name = op_name});
  }
  std::vector<LinkSummary> take() {
    std::vector<LinkSummary> all;
    for (auto& group : groups_) std::move(group.begin(), group.end(), std::back_inserter(all));
    return all;
  }

 private:
  std::map<std::pair<std::string, std::string_view>, std::size_t> index_;
  std::vector<std::vector<LinkSummary>> groups_;
};

void summarize(const std::string& kind, std::vector<LinkOfOp>& links, trace::Framework framework,
               Summaries& out) {
  std::stable_sort(links.begin(), links.end(), [](const LinkOfOp& a, const LinkOfOp& b) {
    return a.link->bandwidth_gb_s > b.link->bandwidth_gb_s;
  });
  const std::string_view group = links.front().op->group;
  const auto add = [&](const char* which, std::size_t index) {
    out.add(kind + which, group, *links[index].link, links[index].op->name);
  };
  const std::size_t count = links.size();
  add("-top1", 0);
  add("-middle", count / 2);
  add("-bottom1", count - 1);
  const bool is_mindspore = framework == trace::Framework::kMindSpore;
  if (is_mindspore) {
    add("-bottom2", count - std::min<std::size_t>(count, 2));
    add("-bottom3", count - std::min<std::size_t>(count, 3));
  }
  LinkTraffic total = *links.front().link;
  total.size_mb = 0;
  total.time_ms = 0;
  for (const LinkOfOp& link : links) {
    total.size_mb += link.link->size_mb;
    total.time_ms += link.link->time_ms;
  }
  total.bandwidth_gb_s = rounded_ratio(total.size_mb, total.time_ms);
  out.add(kind + "-total", group, total, "");
  if (is_mindspore) return;
  if (count >= 2) add("-bottom2", count - 2);
  if (count >= 3) add("-bottom3", count - 3);
}

}  // namespace

std::vector<CommunicationStep> communication_steps(const trace::Trace& trace,
                                                   std::span<const CommunicationOp> ops) {
  const StepFinder finder(trace.steps(), StepFinder::End::kIncluded);
  std::vector<CommunicationStep> steps;
  std::map<std::uint32_t, std::size_t> index;
  const bool is_mindspore = trace.session.framework == trace::Framework::kMindSpore;
  if (!is_mindspore || shows_mindspore_steps(trace)) {
    for (const std::uint32_t row : finder.rows()) {
      index.emplace(row, steps.size());
      steps.push_back({.name = "step" + std::to_string(trace.steps().id[row])});
    }
  }
  if (steps.empty()) steps.push_back({.name = is_mindspore ? "step0" : "step"});
  for (const CommunicationOp& op : ops) {
    std::size_t step = 0;
    if (steps.size() > 1) {
      const std::uint32_t row = finder.find(op.time.start_ns);
      if (row == trace::kNone) continue;
      step = index.at(row);
    }
    (is_point_to_point(op.name) ? steps[step].p2p : steps[step].collective).push_back(&op);
  }
  return steps;
}

std::vector<LinkSummary> link_summaries(std::span<const CommunicationOp* const> ops,
                                        trace::Framework framework) {
  // Links of one kind and group, in order of first use.
  std::map<std::tuple<std::string, std::string_view, LinkKey>, std::size_t> index;
  std::vector<std::pair<std::string, std::vector<LinkOfOp>>> gathered;
  for (const CommunicationOp* op : ops) {
    const std::string kind = kind_of(op->name);
    for (const LinkTraffic& link : op->links) {
      const LinkKey key{link.source_rank, link.destination_rank};
      const auto [place, is_new] = index.try_emplace({kind, op->group, key}, gathered.size());
      if (is_new) gathered.push_back({kind, {}});
      gathered[place->second].second.push_back({op, &link});
    }
  }
  Summaries summaries;
  for (auto& [kind, links] : gathered) summarize(kind, links, framework, summaries);
  return summaries.take();
}

}  // namespace npuprof::analyze
