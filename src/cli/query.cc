#include "cli/query.h"

#include <algorithm>
#include <ctime>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/json_writer.h"
#include "base/log.h"
#include "cli/commands.h"
#include "cli/loaded_profile.h"
#include "cli/shown_losses.h"
#include "cli/standard_output.h"
#include "trace/linked/device_steps.h"
#include "trace/linked/iterations.h"

namespace npuprof::cli {
namespace {

constexpr std::size_t kTopIterations = 5;
constexpr const char* kUnknown = "N/A";

// One line of the table: a graph that ran on a device.
struct QueryRow {
  std::string job;
  std::string device = kUnknown;
  std::string directory;
  std::string time;
  std::string model = kUnknown;
  std::string iterations = kUnknown;
  std::string slowest = kUnknown;
  std::string rank = kUnknown;
};

using Cell = std::string QueryRow::*;
constexpr std::pair<const char*, Cell> kQueryColumns[] = {
    {"Job Info", &QueryRow::job},
    {"Device ID", &QueryRow::device},
    {"Dir Name", &QueryRow::directory},
    {"Collection Time", &QueryRow::time},
    {"Model ID", &QueryRow::model},
    {"Iteration Number", &QueryRow::iterations},
    {"Top Time Iteration", &QueryRow::slowest},
    {"Rank ID", &QueryRow::rank}};

std::string date_of(std::int64_t wall_ns) {
  if (wall_ns <= 0) return kUnknown;
  const std::time_t seconds = wall_ns / 1'000'000'000;
  std::tm local{};
  ::localtime_r(&seconds, &local);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &local);
  return fmt::format("{}.{:06}", text, wall_ns / 1000 % 1'000'000);
}

// Numbers of the longest ones, longest first.
std::string slowest_of(std::vector<std::pair<std::int64_t, std::uint64_t>> iterations) {
  std::stable_sort(iterations.begin(), iterations.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  if (iterations.size() > kTopIterations) iterations.resize(kTopIterations);
  std::vector<std::uint64_t> numbers;
  for (const auto& [duration_ns, number] : iterations) numbers.push_back(number);
  return fmt::format("{}", fmt::join(numbers, ","));
}

// Duration and number of iterations by (device, graph); steps of the framework without graphs.
auto graphs_of(const trace::Trace& trace) {
  std::map<std::pair<std::uint16_t, std::uint64_t>,
           std::vector<std::pair<std::int64_t, std::uint64_t>>>
      graphs;
  const auto add = [&](const auto& table) {
    for (std::size_t i = 0; i < table.size(); ++i) {
      graphs[{table.device[i], table.model_id[i]}].emplace_back(table.end_ns[i] - table.start_ns[i],
                                                                table.index[i]);
    }
  };
  add(trace.iterations());
  if (graphs.empty()) add(trace.device_steps());
  return graphs;
}

std::vector<QueryRow> rows_of(const LoadedProfile& profile) {
  const trace::Trace& trace = profile.trace();
  QueryRow common{.job = trace.session.simulated ? "simulated" : "NA",
                  .directory = profile.profile().path.filename().native(),
                  .time = date_of(trace.session.begin_ns)};
  if (profile.rank() >= 0) common.rank = std::to_string(profile.rank());
  std::vector<QueryRow> rows;
  for (const auto& [key, iterations] : graphs_of(trace)) {
    QueryRow row = common;
    row.device = std::to_string(key.first);
    row.model = std::to_string(key.second);
    row.iterations = std::to_string(iterations.size());
    row.slowest = slowest_of(iterations);
    rows.push_back(std::move(row));
  }
  for (const auto& device : trace.devices) {
    if (!rows.empty()) break;
    common.device = std::to_string(device.id);
    rows.push_back(common);
  }
  if (rows.empty()) rows.push_back(common);
  return rows;
}

std::string as_table(const std::vector<QueryRow>& rows) {
  std::string text;
  std::vector<std::size_t> widths;
  for (const auto& [title, cell] : kQueryColumns) {
    std::size_t width = std::string_view(title).size();
    for (const QueryRow& row : rows) width = std::max(width, (row.*cell).size());
    widths.push_back(width);
  }
  const auto add = [&](auto&& cell_of) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      text += fmt::format("{}{:<{}}", i == 0 ? "" : "  ", cell_of(i), widths[i]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  };
  add([](std::size_t i) { return std::string(kQueryColumns[i].first); });
  for (const QueryRow& row : rows) {
    add([&](std::size_t i) { return row.*kQueryColumns[i].second; });
  }
  return text;
}

std::string as_json_rows(const std::vector<QueryRow>& rows) {
  std::string text;
  JsonWriter json(text, 1);
  json.begin_array();
  for (const QueryRow& row : rows) {
    json.begin_object();
    for (const auto& [title, cell] : kQueryColumns) json.member(title, row.*cell);
    json.end_object();
  }
  json.end_array();
  return text + "\n";
}

}  // namespace

int tell_of_profiles(const std::vector<load::Profile>& profiles, bool query, bool as_json) {
  std::vector<QueryRow> rows;
  std::size_t failed = 0;
  bool is_lossy = false;
  for (const load::Profile& profile : profiles) {
    trace::Losses losses;
    const auto loaded = load_linked(profile, {}, losses);
    warn_of(losses);
    is_lossy = is_lossy || !losses.empty();
    if (!loaded.ok()) {
      log::error("'{}': {}", profile.path.native(), loaded.error().message);
      ++failed;
      continue;
    }
    for (QueryRow& row : rows_of(**loaded)) rows.push_back(std::move(row));
  }
  if (query && !rows.empty()) print(as_json ? as_json_rows(rows) : as_table(rows));
  if (!query && failed < profiles.size()) {
    log::info(
        "{} of {} profiles can be read; they are read anew by each command, so nothing is "
        "written",
        profiles.size() - failed, profiles.size());
  }
  if (failed == profiles.size()) return kUnreadable;
  return failed > 0 || is_lossy ? kLosses : kOk;
}

}  // namespace npuprof::cli
