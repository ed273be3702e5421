// JSON files beside those of the vendor's parsers for the same raw directories: every event of the
// timelines and every value of the communication files. Each difference that is allowed here has
// its row in docs/compatibility.md.

#include <map>
#include <string>
#include <tuple>

#include <nlohmann/json.hpp>

#include "parse/row_compare.h"
#include "parse/vendor_case.h"

namespace npuprof {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using npuprof::testing::cell;
using npuprof::testing::Differences;
using npuprof::testing::file_names;
using npuprof::testing::Row;
using npuprof::testing::Rows;

std::string text_of(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return npuprof::testing::number_text(value.get<double>());
  return value.dump();
}

// Events of a timeline as rows. Processes go by their name, connections by thread and start of the
// call, and arrows of a call by that too.
class Timeline {
 public:
  explicit Timeline(const fs::path& path) : events_(json::parse(read_file(path).value())) {
    for (const json& event : events_) {
      if (event["name"] == "process_name") {
        processes_[text_of(event["pid"])] = text_of(event["args"]["name"]);
      }
    }
    for (const json& event : events_) {
      if (event["ph"] != "X" || process_of(event) != "CANN") continue;
      calls_[text_of(event["args"]["connection_id"])] =
          text_of(event["tid"]) + " at " + text_of(event["ts"]);
    }
  }

  Rows rows() const {
    Rows rows;
    // Of arrows from one call into one layer the first counts: they may be drawn to all its tasks.
    std::map<std::pair<std::string, std::string>, Row> launches;
    for (const json& event : events_) {
      Row row = row_of(event);
      if (cell(row, "cat") != "HostToDevice") {
        rows.push_back(std::move(row));
        continue;
      }
      const std::pair key(cell(row, "pid"), cell(row, "id"));
      const auto known = launches.find(key);
      if (known == launches.end() || cell(row, "ts") < cell(known->second, "ts")) {
        launches[key] = row;
      }
    }
    for (auto& [key, row] : launches) rows.push_back(std::move(row));
    return rows;
  }

 private:
  std::string process_of(const json& event) const {
    const auto found = processes_.find(text_of(event["pid"]));
    return found == processes_.end() ? "unnamed" : found->second;
  }

  Row row_of(const json& event) const {
    Row row;
    for (const auto& [key, value] : event.items()) {
      if (key != "args") row[key] = text_of(value);
    }
    row["pid"] = process_of(event);
    if (event.contains("args")) {
      row["args"] = "";
      for (const auto& [key, value] : event["args"].items()) row["args " + key] = text_of(value);
    }
    const auto connection = row.find("args connection_id");
    if (connection != row.end()) connection->second = call(connection->second);
    if (cell(row, "cat") == "HostToDevice") {
      row["id"] = call(std::to_string(std::stoull(row["id"]) >> 32));
      row["name"] = "HostToDevice";
    } else if (cell(row, "cat") == "fwdbwd") {
      row["id"] = "";  // Ours are unique over all kinds of arrows.
    } else if (cell(row, "cat") == "async_npu") {
      // Of theirs, 19 digits, ours keep the last 15 after a 1.
      constexpr std::size_t kKeptDigits = 15;
      std::string& id = row["id"];
      if (id.size() > kKeptDigits + 1) id = "1" + id.substr(id.size() - kKeptDigits);
    }
    // Copies inside collectives have no size of their own.
    if (cell(row, "args operation") == "other") {
      for (const char* key : {"args operation", "args size(B)", "args bandwidth(GB/s)"}) {
        row.erase(key);
      }
    }
    return row;
  }

  std::string call(const std::string& connection) const {
    const auto found = calls_.find(connection);
    return found == calls_.end() ? connection : found->second;
  }

  json events_;
  std::map<std::string, std::string> processes_;  // By pid.
  std::map<std::string, std::string> calls_;      // By connection id.
};

bool is_sample(const Row& row) { return cell(row, "ph") == "C"; }

// What only level 0 has: the layer of calls is cut out by name, and a MIX kernel is the whole task.
bool differs_at_level0(const Row& row) {
  const std::string pid = cell(row, "pid");
  const std::string cat = cell(row, "cat");
  return pid == "unnamed" || cat == "HostToDevice" || cat == "async_npu" ||
         pid == "Overlap Analysis" || cell(row, "args name") == "Plane 0" ||
         (pid == "Communication" && cell(row, "name") == "thread_sort_index") ||
         cell(row, "args Subtask Id") == "0";
}

class VendorTimeline : public npuprof::testing::VendorTest {
 protected:
  static void compare(const fs::path& theirs, const fs::path& ours) {
    const Rows their_rows = Timeline(theirs).rows();
    const Rows our_rows = Timeline(ours).rows();
    Differences events;
    events.skip = [](const Row& row) {
      return is_sample(row) || (level() == 0 && differs_at_level0(row));
    };
    // They name the layer of frequencies twice.
    events.once = true;
    npuprof::testing::expect_same_rows(their_rows, our_rows, events);
    Differences samples;
    samples.skip = [](const Row& row) { return !is_sample(row); };
    samples.once = true;
    // Times of samples are rounded to 256 ns; HBM has one sample, too few for a rate.
    samples.tolerance = {{"ts", 0.26},
                         {"args Read(MB/s)", npuprof::testing::kNotCompared},
                         {"args Write(MB/s)", npuprof::testing::kNotCompared}};
    npuprof::testing::expect_same_rows(their_rows, our_rows, samples);
  }
};
INSTANTIATE_TEST_SUITE_P(LevelAndRank, VendorTimeline, npuprof::testing::kAllLevelsAndRanks);

TEST_P(VendorTimeline, FrameworkEventsAreTheSame) {
  compare(results_->their_framework(rank()) / "trace_view.json",
          results_->our_framework(rank()) / "trace_view.json");
}

TEST_P(VendorTimeline, CannEventsAreTheSame) {
  const fs::path file = "mindstudio_profiler_output/msprof.json";
  compare(results_->their_cann(rank()) / file, results_->our_cann(rank()) / file);
}

// Each value as a row: where it is and what it is.
void flatten(const json& value, const std::string& path, Rows& rows) {
  if (value.is_structured() && !value.empty()) {
    for (const auto& [key, member] : value.items()) flatten(member, path + "/" + key, rows);
    return;
  }
  const bool is_start = path.ends_with("/Start Timestamp(us)");
  rows.push_back({{"path", path}, {is_start ? "start" : "value", text_of(value)}});
}

class VendorCommunication : public npuprof::testing::VendorTest {};
INSTANTIATE_TEST_SUITE_P(LevelAndRank, VendorCommunication, npuprof::testing::kAllLevelsAndRanks);

TEST_P(VendorCommunication, FilesAreTheSame) {
  Differences allowed;
  allowed.tolerance = {{"start", 0.26}};  // Theirs is computed in doubles.
  // The totals of ours have these two as well.
  allowed.skip = [](const Row& row) {
    const std::string path = cell(row, "path");
    return path.find("/Total Op Info/") != std::string::npos &&
           (path.ends_with("/Bandwidth(GB/s)") || path.ends_with("/Large Packet Ratio"));
  };
  for (const std::string file : {"communication.json", "communication_matrix.json"}) {
    const fs::path theirs = results_->their_framework(rank()) / file;
    const fs::path ours = results_->our_framework(rank()) / file;
    ASSERT_EQ(fs::exists(ours), fs::exists(theirs));
    ASSERT_EQ(fs::exists(ours), level() > 0) << "collectives have no parts at level 0";
    if (level() == 0) continue;
    Rows their_rows;
    Rows our_rows;
    flatten(json::parse(read_file(theirs).value()), "", their_rows);
    flatten(json::parse(read_file(ours).value()), "", our_rows);
    npuprof::testing::expect_same_rows(their_rows, our_rows, allowed);
  }
}

TEST_P(VendorCommunication, TheSameFilesAreWritten) {
  EXPECT_EQ(file_names(results_->our_framework(rank())),
            file_names(results_->their_framework(rank())));
  std::set<std::string> theirs =
      file_names(results_->their_cann(rank()) / "mindstudio_profiler_output");
  theirs.insert("README.txt");  // Not part of the reference.
  EXPECT_EQ(file_names(results_->our_cann(rank()) / "mindstudio_profiler_output"), theirs);
}

}  // namespace
}  // namespace npuprof
