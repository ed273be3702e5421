// `npuprof record`, the program itself. What it records is tested in tests/python.

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cli/program.h"

namespace npuprof {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using npuprof::testing::ProgramResult;
using npuprof::testing::TemporaryDirectory;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class RecordProgram : public ::testing::Test {
 protected:
  // With the Python files of the source tree: compiled modules may not be built.
  ProgramResult record(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(),
                     {std::string("NPUPROF_PYTHON=") + NPUPROF_SOURCE_DIR + "/python",
                      NPUPROF_PROGRAM, "record", "-o", (directory_ / "out").native()});
    return npuprof::testing::run_program("env", arguments);
  }
  // Runs a shell script that stands for the program; returns what it printed.
  ProgramResult record_shell(std::vector<std::string> options, const std::string& script) const {
    options.insert(options.end(), {"--", "sh", "-c", script});
    return record(options);
  }
  fs::path result() const { return directory_ / "out/host_1_20250101000000000_ascend_pt"; }
  // A script that leaves a result as the recorder would.
  std::string recorder(const std::string& state) const {
    const std::string path = npuprof::testing::shell_quoted(result().native());
    return "mkdir -p " + path + "; echo '{\"npuprof_recorder\": " + state + "}' > " + path +
           "/profiler_info.json; ";
  }

  TemporaryDirectory directory_;
};

TEST_F(RecordProgram, TheProgramLearnsWhatToRecord) {
  const ProgramResult done = record_shell(
      {"--start-step", "3", "--active", "2", "--record-shapes", "--simulate", "--no-parse"},
      "echo \"$NPUPROF_RECORD\"; echo \"$PYTHONPATH\"; echo \"$NPUPROF_SIMULATE\"");
  EXPECT_EQ(done.status, 3);
  const json request = json::parse(done.output.substr(0, done.output.find('\n')));
  EXPECT_EQ(request, json({{"prof_dir", (directory_ / "out").native()},
                           {"start_step", 3},
                           {"active", 2},
                           {"record_shapes", true},
                           {"analyse", false}}));
  EXPECT_THAT(done.output, HasSubstr("/python/npuprof/_site"));
  EXPECT_THAT(done.output, HasSubstr("\n1\n"));
  EXPECT_THAT(done.errors, HasSubstr("nothing was recorded"));
}

TEST_F(RecordProgram, SaysWhyNothingWasRecorded) {
  const auto reason = [&](const std::string& script) {
    const ProgramResult done = record_shell({}, script);
    EXPECT_EQ(done.status, 3);
    return done.errors;
  };
  EXPECT_THAT(reason("true"), HasSubstr("no Python program ran in it"));
  EXPECT_THAT(reason("echo >> \"$NPUPROF_RECORD_NOTES\""), HasSubstr("was killed before"));
  EXPECT_THAT(reason("for word in one two one; do printf '\\n%s\\n' $word; done >> "
                     "\"$NPUPROF_RECORD_NOTES\""),
              HasSubstr("': one; two\n"));
  EXPECT_THAT(
      record_shell({}, "echo \"$NPUPROF_RECORD_NOTES\"; rm \"$NPUPROF_RECORD_NOTES\"").errors,
      HasSubstr("no Python program ran in it"));
}

TEST_F(RecordProgram, ByTimeOrByStepsOrAsAWhole) {
  const auto request = [&](const std::vector<std::string>& options) {
    const std::string text = record_shell(options, "echo \"$NPUPROF_RECORD\"").output;
    json values = json::parse(text);
    values.erase("prof_dir");
    values.erase("analyse");
    return values;
  };
  EXPECT_EQ(request({}), json::object());
  EXPECT_EQ(request({"--delay", "1.5"}), json({{"delay_seconds", 1.5}}));
  EXPECT_EQ(request({"--duration", "2"}), json({{"duration_seconds", 2.0}}));
  EXPECT_EQ(request({"--warmup", "2"}), json({{"warmup", 2}, {"active", 1}}));
  EXPECT_EQ(request({"--start-step", "2"}), json({{"start_step", 2}}));
}

TEST_F(RecordProgram, ArgumentsOfTheProgramStayAsTheyAre) {
  const ProgramResult done = record({"--", "printf", "%s\\n", "--batch_size=4", "--", "-h"});
  EXPECT_THAT(done.output, StartsWith("--batch_size=4\n--\n-h\n"));
}

TEST_F(RecordProgram, TheStatusOfTheProgramCountsMost) {
  EXPECT_EQ(record({"--", "sh", "-c", "exit 7"}).status, 7);
  EXPECT_EQ(record({"--", "sh", "-c", "kill -TERM $$"}).status, 128 + 15);
  EXPECT_EQ(record({"--", "true"}).status, 3);
}

TEST_F(RecordProgram, SignalsGoToTheProgram) {
  // The program kills its parent, which is `npuprof record`, and hears of it.
  const ProgramResult done =
      record_shell({}, "trap 'echo heard; exit 5' TERM; kill -TERM $PPID; sleep 20 & wait");
  EXPECT_EQ(done.status, 5);
  EXPECT_THAT(done.output, HasSubstr("heard"));
}

TEST_F(RecordProgram, LossesOfTheRecorder) {
  const std::string whole = R"({"complete": true, "dropped_events": 0})";
  const ProgramResult good = record_shell({"--no-parse"}, recorder(whole));
  EXPECT_EQ(good.status, 0) << good.errors;
  EXPECT_THAT(good.errors, HasSubstr("Recorded: " + result().native()));
  // It was there before the second run, so that one has recorded nothing.
  EXPECT_EQ(record_shell({"--no-parse"}, recorder(whole)).status, 3);
  for (const std::string state :
       {R"({"complete": false})", R"({"complete": true, "dropped_events": 3})"}) {
    fs::remove_all(directory_ / "out");
    const ProgramResult bad = record_shell({"--no-parse"}, recorder(state));
    EXPECT_EQ(bad.status, 1) << state;
    EXPECT_THAT(bad.errors, HasSubstr("is not complete"));
  }
}

TEST_F(RecordProgram, WhatCannotBeParsedIsALoss) {
  const ProgramResult done = record_shell({}, recorder(R"({"complete": true})"));
  EXPECT_EQ(done.status, 1);
  EXPECT_THAT(done.errors, HasSubstr("could not be parsed"));
}

TEST_F(RecordProgram, WrongArguments) {
  const auto complaint = [&](const std::vector<std::string>& arguments) {
    const ProgramResult done = record(arguments);
    EXPECT_EQ(done.status, 2) << done.errors;
    return done.errors;
  };
  EXPECT_THAT(complaint({}), HasSubstr("program is required"));
  EXPECT_THAT(complaint({"--active", "2", "--delay", "1", "--", "true"}),
              HasSubstr("by steps or by time"));
  EXPECT_THAT(complaint({"--start-step", "-1", "--", "true"}), HasSubstr("at least 0"));
  EXPECT_THAT(complaint({"--duration", "soon", "--", "true"}), HasSubstr("soon"));
  EXPECT_THAT(complaint({"--", "/no/such/program"}),
              HasSubstr("cannot start '/no/such/program': No such file"));
}

TEST_F(RecordProgram, WithoutThePythonPackage) {
  const ProgramResult done = npuprof::testing::run_program(
      "env", {"NPUPROF_PYTHON=/nowhere", NPUPROF_PROGRAM, "record", "--", "echo", "ran"});
  EXPECT_EQ(done.status, 3);
  EXPECT_THAT(done.errors, HasSubstr("NPUPROF_PYTHON"));
  EXPECT_THAT(done.output, Not(HasSubstr("ran")));
}

}  // namespace
}  // namespace npuprof
