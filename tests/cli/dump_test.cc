// `npuprof dump`, the program itself.

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "format/device/stars_soc.h"
#include "format/framework/gc_record.h"
#include "places.h"
#include "sim/workload/job.h"
#include "whole_collection.h"

namespace npuprof {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using npuprof::testing::ProgramResult;
using npuprof::testing::TemporaryDirectory;
using ::testing::HasSubstr;

ProgramResult dump(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "dump");
  return npuprof::testing::run_program(NPUPROF_PROGRAM, arguments);
}

std::vector<json> objects_of(const std::string& text) {
  std::vector<json> objects;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) objects.push_back(json::parse(line));
  return objects;
}

template <typename T>
std::string as_file(const std::vector<T>& records) {
  std::string text;
  for (const T& record : records) text += as_text(format::bytes_of(record));
  return text;
}

class DumpProgram : public ::testing::Test {
 protected:
  std::string write(const std::string& name, std::string_view content) const {
    fs::create_directories((directory_ / name).parent_path());
    EXPECT_TRUE(write_file(directory_ / name, content).ok());
    return (directory_ / name).native();
  }
  // Two collections, a cut one behind zeros.
  std::string damaged() const {
    using format::framework::GcRecord;
    const std::string records = as_file<GcRecord>({{1, 20, 30}, {1, 40, 55}});
    return write("torch.gc_record", records + std::string(48, '\0') + "12345");
  }

  TemporaryDirectory directory_;
};

TEST_F(DumpProgram, EndsWithoutAWordWhenNobodyReadsOn) {
  using format::framework::GcRecord;
  const std::string file =
      write("torch.gc_record", as_file(std::vector<GcRecord>(100'000, GcRecord{1, 20, 30})));
  const ProgramResult result = npuprof::testing::run_shell(
      npuprof::testing::shell_line(NPUPROF_PROGRAM, {"dump", file}) + " | head -2");
  EXPECT_THAT(result.output, HasSubstr("GcRecord"));
  EXPECT_EQ(result.errors, "");
}

TEST_F(DumpProgram, ShowsRecordsAndWhatIsNone) {
  const std::string path = damaged();
  const ProgramResult result = dump({path});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.output, "# " + path +
                               ": torch.gc_record, 101 bytes\n"
                               "0 GcRecord process_id=1 start=20 end=30\n"
                               "24 GcRecord process_id=1 start=40 end=55\n"
                               "48 zeros 48 bytes ! Zeros: this was never written.\n"
                               "96 cut_record 5 bytes ! 5 of the 24 bytes of a record.\n");
  EXPECT_THAT(result.errors, HasSubstr("2 place(s) are damaged"));
}

TEST_F(DumpProgram, ShowsAPartOfAFile) {
  const std::string path = damaged();
  EXPECT_THAT(dump({path, "--first", "1", "--raw"}).output,
              HasSubstr("end=30 | 01000000000000001400000000000000"));
  EXPECT_EQ(dump({path, "--first", "2"}).status, 0);
  const ProgramResult skipped = dump({path, "--skip", "1", "--first", "1", "--json"});
  ASSERT_EQ(objects_of(skipped.output).size(), 1u);
  EXPECT_EQ(objects_of(skipped.output)[0]["offset"], 24);
  EXPECT_EQ(objects_of(dump({path, "--offset", "24", "--json"}).output)[0]["fields"]["end"], 55);
  EXPECT_EQ(dump({path, "--first", "0", "--json"}).output, "");
  EXPECT_EQ(dump({path, "--offset", "101", "--json"}).output, "");
  EXPECT_EQ(dump({path, "--offset", "102"}).status, 2);
  for (const char* option : {"--first", "--skip", "--offset"}) {
    EXPECT_EQ(dump({path, option, "-1"}).status, 2) << option;
  }
}

TEST_F(DumpProgram, SaysInJsonWhatIsDamaged) {
  const auto objects = objects_of(dump({damaged(), "--json", "--raw"}).output);
  ASSERT_EQ(objects.size(), 4u);
  EXPECT_EQ(objects[1]["kind"], "GcRecord");
  EXPECT_EQ(objects[1]["fields"], json::parse(R"({"process_id":1,"start":40,"end":55})"));
  EXPECT_FALSE(objects[1].contains("damage"));
  EXPECT_TRUE(objects[2].contains("damage"));
  EXPECT_FALSE(objects[2].contains("raw"));
  EXPECT_EQ(objects[3]["raw"], "3132333435");
}

TEST_F(DumpProgram, FilesMayBeOfAKindThatIsNamed) {
  const std::string path = write("saved.bin", read_file(damaged()).value());
  const ProgramResult unknown = dump({path});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.errors, HasSubstr("--list-kinds"));
  EXPECT_THAT(dump({path, "--kind", "torch.gc_record"}).output, HasSubstr("GcRecord"));
  EXPECT_EQ(dump({path, "--kind", "no_such"}).status, 2);
  const ProgramResult kinds = dump({"--list-kinds"});
  EXPECT_EQ(kinds.status, 0);
  EXPECT_THAT(kinds.output, HasSubstr("stars_soc.data.v6"));
}

TEST_F(DumpProgram, WrongArgumentsAndUnreadableFilesHaveAStatus) {
  EXPECT_EQ(dump({}).status, 2);
  EXPECT_EQ(dump({(directory_ / "none").native()}).status, 3);
  EXPECT_EQ(dump({directory_.path().native()}).status, 3);
  // The others are shown all the same.
  const ProgramResult both = dump({(directory_ / "none").native(), damaged()});
  EXPECT_EQ(both.status, 3);
  EXPECT_THAT(both.output, HasSubstr("GcRecord"));
  EXPECT_EQ(dump({"--help"}).status, 0);
  const std::string line =
      npuprof::testing::shell_line(NPUPROF_PROGRAM, {"dump", damaged()}) + " >/dev/full";
  EXPECT_EQ(npuprof::testing::run_shell(line).status, 3);
}

TEST_F(DumpProgram, ControlFilesAreShownAsTheyAre) {
  const std::string path = write("info.json", "{\"a\": 1}\n\x1b[31m");
  EXPECT_EQ(dump({path}).output, "{\"a\": 1}\n\\x1b[31m");
  const std::string other = write("start_info", "x");
  EXPECT_EQ(
      dump({path, other}).output,
      "# " + path + ": text, 14 bytes\n{\"a\": 1}\n\\x1b[31m\n# " + other + ": text, 1 bytes\nx");
  EXPECT_EQ(objects_of(dump({path, "--json"}).output)[0]["fields"]["text"], "{\"a\": 1}");
}

TEST_F(DumpProgram, TheChipDecidesOnTheLayout) {
  format::device::TaskLogV6 log{};
  log.head = format::device::StarsHead::make(format::device::StarsFunction::kTaskEnd, 0, 0);
  log.task_id = 77;
  const std::string path = write("device_0/data/stars_soc.data.0.slice_0",
                                 as_file<format::device::TaskLogV6>({log, log}));
  const ProgramResult guessed = dump({path});
  EXPECT_THAT(guessed.output, HasSubstr("TaskLog "));
  EXPECT_THAT(guessed.errors, HasSubstr("info.json"));
  write("device_0/info.json.0", R"({"platform_version": "15"})");
  const ProgramResult known = dump({path});
  EXPECT_EQ(known.status, 0);
  EXPECT_THAT(known.output, HasSubstr("32 TaskLogV6 "));
  EXPECT_THAT(known.output, HasSubstr("task_id=77"));
  EXPECT_EQ(known.errors, "");
}

TEST_F(DumpProgram, RecordsThatCrossSlicesAreFound) {
  format::device::TaskLog log{};
  log.head = format::device::StarsHead::make(format::device::StarsFunction::kTaskEnd, 0, 0);
  const std::string bytes = as_file<format::device::TaskLog>({log, log, log});
  write("device_0/info.json.0", R"({"platform_version": "5"})");
  const std::string first = write("device_0/data/stars_soc.data.0.slice_0", bytes.substr(0, 100));
  const std::string second = write("device_0/data/stars_soc.data.0.slice_1", bytes.substr(100));
  EXPECT_EQ(dump({first, second}).status, 0);
  EXPECT_EQ(objects_of(dump({second, "--json"}).output)[1]["offset"], 28);
  // The last record is whole when the first slice is gone.
  fs::remove(first);
  const ProgramResult alone = dump({second, "--json"});
  EXPECT_EQ(alone.status, 1);
  EXPECT_EQ(objects_of(alone.output)[1]["offset"], 28);
}

TEST_F(DumpProgram, EveryRawFileOfAProfileIsKnownAndShownWhole) {
  const std::map<std::string, sim::JobOptions> jobs = {
      {"parallel",
       {.workload = sim::Workload::kTransformer,
        .ranks = 2,
        .parallel = {.tensor = 2},
        .transformer = {.layers = 1}}},
      {"graph",
       {.workload = sim::Workload::kGraphMode,
        .graph_mode = {.graphs = 1, .kernels_per_graph = 2}}},
      {"newer", {.workload = sim::Workload::kToy}}};
  for (auto [name, job] : jobs) {
    job = npuprof::testing::with_all_collected(std::move(job));
    if (name == "newer") job.chip = *sim::find_chip("Ascend910_95");
    job.output = directory_ / name;
    job.collection.host_sys = {.cpu = true, .memory = true, .network = true};
    ASSERT_TRUE(sim::run_job(job).ok());
    std::vector<std::string> arguments = {"--json"};
    std::map<std::string, std::uint64_t> shown;
    for (const auto& entry : fs::recursive_directory_iterator(job.output)) {
      if (!entry.is_regular_file()) continue;
      arguments.push_back(entry.path().native());
      shown[entry.path().native()] = 0;
    }
    const ProgramResult result = dump(arguments);
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.errors, "");
    for (const json& object : objects_of(result.output)) {
      std::uint64_t& size = shown[object["file"]];
      EXPECT_EQ(object["offset"], size);
      size += object["size"].get<std::uint64_t>();
    }
    for (const auto& [path, size] : shown) EXPECT_EQ(size, fs::file_size(path)) << path;
  }
}

}  // namespace
}  // namespace npuprof
