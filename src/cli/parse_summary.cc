#include "cli/parse_summary.h"

#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "base/json_writer.h"

namespace npuprof::cli {
namespace {

namespace fs = std::filesystem;

// More ranks than these are summed up.
constexpr std::size_t kMaxRows = 64;
constexpr std::size_t kMaxPaths = 8;

// Three digits are enough to compare: "65.9 ms", "1.24 s".
std::string duration(std::int64_t ns) {
  const auto value = static_cast<double>(ns);
  const auto text = [](double number, const char* unit) {
    const int decimals = number < 9.995 ? 2 : number < 99.95 ? 1 : 0;
    return fmt::format("{:.{}f} {}", number, decimals, unit);
  };
  if (value < 999.5e3) return text(value / 1e3, "us");
  if (value < 999.5e6) return text(value / 1e6, "ms");
  return text(value / 1e9, "s");
}

std::string share(std::int64_t part_ns, std::int64_t all_ns) {
  if (all_ns <= 0) return "";
  return fmt::format("{:.1f} %", 100 * static_cast<double>(part_ns) / static_cast<double>(all_ns));
}

struct Totals {
  std::size_t steps = 0;
  std::size_t kernels = 0;
  std::size_t collectives = 0;
  std::size_t operators = 0;
  std::int64_t computing_ns = 0;
  std::int64_t communication_ns = 0;
  std::int64_t free_ns = 0;

  void add(const ParseOutcome& outcome) {
    steps = std::max(steps, outcome.steps);
    kernels += outcome.kernels;
    collectives += outcome.collectives;
    operators += outcome.operators;
    computing_ns += outcome.computing_ns;
    communication_ns += outcome.not_overlapped_ns;
    free_ns += outcome.free_ns;
  }
};

void append_row(std::string& out, std::string_view rank, const Totals& totals) {
  const std::int64_t all_ns = totals.computing_ns + totals.communication_ns + totals.free_ns;
  const auto part = [&](std::int64_t ns) {
    return all_ns > 0 ? fmt::format("{:>10} {:>7}", duration(ns), share(ns, all_ns))
                      : fmt::format("{:>18}", "-");
  };
  fmt::format_to(std::back_inserter(out), "{:>5} {:>6} {:>10} {:>12} {:>10}  {}  {}  {}\n", rank,
                 totals.steps, totals.kernels, totals.collectives, totals.operators,
                 part(totals.computing_ns), part(totals.communication_ns), part(totals.free_ns));
}

void append_table(std::string& out, const std::vector<const ParseOutcome*>& parsed) {
  fmt::format_to(std::back_inserter(out),
                 "{:>5} {:>6} {:>10} {:>12} {:>10}  {:>18}  {:>18}  {:>18}\n", "rank", "steps",
                 "kernels", "collectives", "operators", "computing", "communicating*", "free");
  Totals all;
  for (std::size_t i = 0; i < parsed.size(); ++i) {
    const ParseOutcome& outcome = *parsed[i];
    all.add(outcome);
    if (i >= kMaxRows) continue;
    Totals one;
    one.add(outcome);
    append_row(out, outcome.rank < 0 ? "-" : std::to_string(outcome.rank), one);
  }
  if (parsed.size() > kMaxRows) {
    fmt::format_to(std::back_inserter(out), "      ... {} more\n", parsed.size() - kMaxRows);
  }
  if (parsed.size() > 1) append_row(out, "all", all);
  if (all.computing_ns + all.communication_ns + all.free_ns > 0) {
    out += "* while nothing computes\n";
  }
}

void append_losses(std::string& out, const std::vector<ParseOutcome>& outcomes,
                   const std::vector<std::string>& left_out) {
  std::size_t losses = 0;
  std::size_t lossy = 0;
  std::size_t failed = 0;
  for (const ParseOutcome& outcome : outcomes) {
    losses += outcome.losses.items().size();
    lossy += outcome.losses.empty() ? 0 : 1;
    failed += outcome.status.ok() ? 0 : 1;
  }
  auto to = std::back_inserter(out);
  if (losses > 0) {
    fmt::format_to(to, "Losses: {} in {} of {} profile{}, see the warnings.\n", losses, lossy,
                   outcomes.size(), outcomes.size() == 1 ? "" : "s");
  } else if (failed == 0 && left_out.empty()) {
    out += "Losses: none\n";
  }
  if (!left_out.empty()) fmt::format_to(to, "Left out: {}, see the warnings.\n", left_out.size());
  if (failed > 0) fmt::format_to(to, "Not parsed: {} of {}\n", failed, outcomes.size());
}

}  // namespace

std::string summary_text(const std::vector<ParseOutcome>& outcomes,
                         const std::vector<std::string>& left_out) {
  std::vector<const ParseOutcome*> parsed;
  for (const ParseOutcome& outcome : outcomes) {
    if (outcome.status.ok()) parsed.push_back(&outcome);
  }
  std::string out;
  auto to = std::back_inserter(out);
  if (!parsed.empty()) append_table(out, parsed);
  const bool simulated = std::any_of(
      parsed.begin(), parsed.end(), [](const ParseOutcome* outcome) { return outcome->simulated; });
  if (simulated) out += "These profiles come from a simulated NPU.\n";
  append_losses(out, outcomes, left_out);
  for (std::size_t i = 0; i < std::min(parsed.size(), kMaxPaths); ++i) {
    fmt::format_to(to, "{}{}\n", i == 0 ? "Results: " : "         ", parsed[i]->output.native());
  }
  if (parsed.size() > kMaxPaths) {
    fmt::format_to(to, "         ... {} more\n", parsed.size() - kMaxPaths);
  }
  return out;
}

std::string summary_json(const std::vector<ParseOutcome>& outcomes,
                         const std::vector<std::string>& left_out) {
  std::string text;
  JsonWriter json(text, 1);
  json.begin_object().key("profiles").begin_array();
  for (const ParseOutcome& outcome : outcomes) {
    json.begin_object()
        .member("path", outcome.path.native())
        .member("output", outcome.output.native());
    json.member("rank", outcome.rank)
        .member("steps", outcome.steps)
        .member("kernels", outcome.kernels);
    json.member("tasks", outcome.tasks).member("collectives", outcome.collectives);
    json.member("operators", outcome.operators).member("computing_ns", outcome.computing_ns);
    json.member("communication_not_overlapped_ns", outcome.not_overlapped_ns);
    json.member("free_ns", outcome.free_ns).member("simulated", outcome.simulated);
    json.key("losses").begin_array();
    for (const trace::Loss& loss : outcome.losses.items()) {
      json.begin_object().member("file", loss.file).member("offset", loss.offset);
      json.member("records", loss.records).member("what", loss.what).end_object();
    }
    json.end_array();
    json.key("notes").begin_array();
    for (const trace::Note& note : outcome.losses.notes()) {
      json.begin_object().member("file", note.file).member("records", note.records);
      json.member("what", note.what).end_object();
    }
    json.end_array();
    json.key("error");
    if (outcome.status.ok()) {
      json.null();
    } else {
      json.value(outcome.status.error().message);
    }
    json.end_object();
  }
  json.end_array();
  json.key("left_out").begin_array();
  for (const std::string& sentence : left_out) json.value(sentence);
  json.end_array().end_object();
  return text;
}

}  // namespace npuprof::cli
