#pragma once

// A small simulated profile with files of all kinds, which tests damage one at a time.

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "even_columns.h"
#include "link/link.h"
#include "load/load_profile.h"
#include "sanitizers.h"
#include "temporary_directory.h"
#include "trace/device/cache_counters.h"
#include "trace/device/device_memory.h"
#include "trace/device/device_tasks.h"
#include "trace/device/frequencies.h"
#include "trace/device/link_samples.h"
#include "trace/device/memory_bandwidth.h"
#include "trace/device/module_memory.h"
#include "trace/device/pmu_records.h"
#include "trace/device/rate_samples.h"
#include "trace/device/step_marks.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/garbage_collections.h"
#include "trace/framework/memory_events.h"
#include "trace/framework/parameter_tensors.h"
#include "trace/framework/python_events.h"
#include "trace/framework/python_names.h"
#include "trace/framework/queue_marks.h"
#include "trace/host/api_calls.h"
#include "trace/host/collective_infos.h"
#include "trace/host/collective_task_infos.h"
#include "trace/host/context_ids.h"
#include "trace/host/copy_infos.h"
#include "trace/host/graph_names.h"
#include "trace/host/host_usage.h"
#include "trace/host/logical_streams.h"
#include "trace/host/marks.h"
#include "trace/host/node_attributes.h"
#include "trace/host/node_infos.h"
#include "trace/host/node_tensors.h"
#include "trace/host/task_tracks.h"
#include "trace/linked/kernels.h"
#include "whole_collection.h"

namespace npuprof::testing {

// Which part of a profile a file belongs to: damage to one must leave the others alone.
enum class Part { kFramework, kHost, kDevice, kSession };

inline Part part_of(const std::filesystem::path& file) {
  const std::string& path = file.native();
  const auto has = [&](std::string_view text) { return path.find(text) != std::string::npos; };
  if (has("/data/")) return has("/host/") ? Part::kHost : Part::kDevice;
  // Clocks and settings tell how all the rest is to be read.
  return has("FRAMEWORK") ? Part::kFramework : Part::kSession;
}

// Rows of the tables that loaders fill, by name.
using RowCounts = std::map<std::string, std::size_t>;

inline RowCounts framework_rows(const trace::Trace& trace) {
  return {{"framework_ops", trace.framework_ops().size()},
          {"queue_marks", trace.queue_marks().size()},
          {"memory_events", trace.memory_events().size()},
          {"python_events", trace.python_events().size()},
          {"python_names", trace.python_names().size()},
          {"parameter_tensors", trace.parameter_tensors().size()},
          {"garbage_collections", trace.garbage_collections().size()}};
}
inline RowCounts host_rows(const trace::Trace& trace) {
  return {{"api_calls", trace.api_calls().size()},
          {"task_tracks", trace.task_tracks().size()},
          {"node_infos", trace.node_infos().size()},
          {"node_tensors", trace.node_tensors().size()},
          {"node_attributes", trace.node_attributes().size()},
          {"context_ids", trace.context_ids().size()},
          {"collective_infos", trace.collective_infos().size()},
          {"collective_task_infos", trace.collective_task_infos().size()},
          {"copy_infos", trace.copy_infos().size()},
          {"marks", trace.marks().size()},
          {"graph_names", trace.graph_names().size()},
          {"logical_streams", trace.logical_streams().size()},
          {"host_usage", trace.host_usage().size()}};
}
inline RowCounts device_rows(const trace::Trace& trace) {
  return {{"device_tasks", trace.device_tasks().size()},
          {"pmu_records", trace.pmu_records().size()},
          {"step_marks", trace.step_marks().size()},
          {"cache_counters", trace.cache_counters().size()},
          {"frequencies", trace.frequencies().size()},
          {"memory_bandwidth", trace.memory_bandwidth().size()},
          {"device_memory", trace.device_memory().size()},
          {"module_memory", trace.module_memory().size()},
          {"link_samples", trace.link_samples().size()},
          {"rate_samples", trace.rate_samples().size()}};
}

// What came of parsing a profile.
struct Parsed {
  RowCounts framework;
  RowCounts host;
  RowCounts device;
  trace::Losses losses;
  trace::Trace trace;  // Linked.

  // Rows of the tables that files of this part fill.
  RowCounts rows(Part part) const {
    if (part == Part::kFramework) return framework;
    if (part == Part::kHost) return host;
    return part == Part::kDevice ? device : RowCounts();
  }
  bool names(const std::filesystem::path& file) const {
    const auto names_it = [&](const std::string& text) {
      return text.find(file.filename().native()) != std::string::npos;
    };
    return std::any_of(losses.items().begin(), losses.items().end(), [&](const trace::Loss& loss) {
      return names_it(loss.file) || names_it(loss.what);
    });
  }
  std::string sentences() const {
    std::string text;
    for (const trace::Loss& loss : losses.items()) text += loss.file + ": " + loss.what + "\n";
    return text;
  }
};

class DamagedProfile {
 public:
  // Adds to the job that all there is be collected in one step.
  explicit DamagedProfile(sim::JobOptions job) {
    job = with_all_collected(std::move(job));
    job.output = directory_ / "job";
    job.collection.host_sys = {.cpu = true, .memory = true, .network = true};
    EXPECT_TRUE(sim::run_job(job).ok());
    path_ = load::discover(job.output)->profiles.front().path;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path_)) {
      if (entry.is_regular_file()) files_.push_back(entry.path());
    }
    std::sort(files_.begin(), files_.end());
    whole_ = parse();
    EXPECT_EQ(whole_.sentences(), "");
  }

  const std::filesystem::path& path() const { return path_; }
  const std::filesystem::path& directory() const { return directory_.path(); }
  // All of the profile, in the order of their names.
  const std::vector<std::filesystem::path>& files() const { return files_; }
  const Parsed& whole() const { return whole_; }

  // Loads and links. What is there is looked up anew, as files come and go.
  Parsed parse() const {
    Parsed parsed;
    const auto found = load::discover(path_);
    EXPECT_TRUE(found.ok());
    ThreadPool pool(1);
    auto trace = load::load_profile(found->profiles.at(0), pool, parsed.losses);
    EXPECT_TRUE(trace.ok());
    if (!trace.ok()) return parsed;
    parsed.framework = framework_rows(*trace);
    parsed.host = host_rows(*trace);
    parsed.device = device_rows(*trace);
    parsed.losses.append(link::link_all(*trace, &pool), path_.native());
    EXPECT_EQ(uneven_columns(*trace), "");
    parsed.trace = std::move(trace).value();
    return parsed;
  }

  // Parses with `content` in the place of the file; puts the file back.
  Parsed parse_with(const std::filesystem::path& file, std::string_view content) const {
    const std::string original = read_file(file).value();
    EXPECT_TRUE(write_file(file, content).ok());
    Parsed parsed = parse();
    EXPECT_TRUE(write_file(file, original).ok());
    return parsed;
  }
  Parsed parse_without(const std::filesystem::path& file) const {
    const std::filesystem::path aside = directory_ / "aside";
    std::filesystem::rename(file, aside);
    Parsed parsed = parse();
    std::filesystem::rename(aside, file);
    return parsed;
  }

  // What does not come from the part of the damaged file must be there.
  void expect_others_whole(const std::filesystem::path& file, const Parsed& parsed) const {
    const Part damaged = part_of(file);
    if (damaged == Part::kSession) return;
    for (const Part part : {Part::kFramework, Part::kHost, Part::kDevice}) {
      if (part == damaged) continue;
      EXPECT_EQ(parsed.rows(part), whole_.rows(part));
    }
    if (damaged == Part::kFramework) {
      EXPECT_EQ(parsed.trace.kernels().size(), whole_.trace.kernels().size());
    }
  }

 private:
  TemporaryDirectory directory_;
  std::filesystem::path path_;
  std::vector<std::filesystem::path> files_;
  Parsed whole_;
};

// The profile of a rank that communicates, and that of a compiled graph, have all kinds of files
// between them.
inline sim::JobOptions parallel_job() {
  return {.workload = sim::Workload::kTransformer,
          .ranks = 2,
          .parallel = {.tensor = 2},
          .transformer = {.layers = 1}};
}
inline sim::JobOptions graph_job() {
  return {.workload = sim::Workload::kGraphMode,
          .graph_mode = {.graphs = 1, .kernels_per_graph = 2}};
}

// Tests of damage, on both.
class DamagedFiles : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    SCOPED_TRACE(GetParam());
    profile_.emplace(GetParam() == std::string_view("parallel") ? parallel_job() : graph_job());
  }
  // All files. Under sanitizers every third one, from another one in each test that gives another
  // `turn`: a release build tries all.
  std::vector<std::filesystem::path> files(std::size_t turn) const {
    const std::vector<std::filesystem::path>& all = profile_->files();
    if (!kHasAddressSanitizer) return all;
    std::vector<std::filesystem::path> chosen;
    for (std::size_t i = turn % 3; i < all.size(); i += 3) chosen.push_back(all[i]);
    return chosen;
  }

  std::optional<DamagedProfile> profile_;
};

inline bool is_done_mark(const std::filesystem::path& file) { return file.extension() == ".done"; }

// The host says when the collection ended; the devices' word is asked only if the host's is lost.
inline bool is_unread_copy(const std::filesystem::path& file) {
  return file.filename() == "end_info.0";
}

}  // namespace npuprof::testing
