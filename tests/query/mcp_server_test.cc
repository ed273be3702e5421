#include "query/mcp_server.h"

#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "query/mcp_lines.h"
#include "query/sql_profile.h"

namespace npuprof::query {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Two ranks; the second one cannot be read.
class TwoProfiles : public ProfileSource {
 public:
  const std::vector<ProfileFacts>& profiles() const override { return facts_; }
  Result<OpenedProfile> open(std::size_t number, const ProfilePart& part) override {
    ++opened;
    if (number == 1) return Error{ErrorCode::kCorrupt, "rank 1 is damaged"};
    if (part.step && *part.step != 7) return Error{ErrorCode::kNotFound, "there is no such step"};
    return OpenedProfile{.owner = nullptr, .request = profile_.request(), .losses = {"a file"}};
  }

  int opened = 0;

 private:
  std::vector<ProfileFacts> facts_ = {{0, "/runs/a"}, {1, "/runs/b"}};
  testing::SqlProfile profile_;
};

class McpServerTest : public ::testing::Test {
 protected:
  json ask(const std::string& line) {
    const auto answer = server_.answer(line);
    if (!answer) return nullptr;
    EXPECT_EQ(answer->find('\n'), std::string::npos);
    return json::parse(*answer);
  }
  int error_of(const std::string& line) {
    const json answer = ask(line);
    return answer.is_object() && answer.contains("error") ? answer["error"]["code"].get<int>() : 0;
  }
  json call(const std::string& tool, const json& arguments) {
    const json request = {{"jsonrpc", "2.0"},
                          {"id", 1},
                          {"method", "tools/call"},
                          {"params", {{"name", tool}, {"arguments", arguments}}}};
    return ask(request.dump());
  }
  std::string text_of(const std::string& tool, const json& arguments, bool is_error = false) {
    const json answer = call(tool, arguments);
    if (!answer.contains("result")) return answer.dump();
    EXPECT_EQ(answer["result"]["isError"], is_error) << answer;
    EXPECT_EQ(answer["result"]["content"].size(), 1u);
    return answer["result"]["content"][0]["text"];
  }

  TwoProfiles source_;
  McpServer server_{source_, "1.2.3"};
};

std::string initialize_line(const std::string& version) {
  return R"({"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":")" +
         version + R"(","capabilities":{},"clientInfo":{"name":"t","version":"0"}}})";
}

TEST_F(McpServerTest, SpeaksTheVersionItIsAskedForOrTheNewest) {
  for (const char* version : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}) {
    const json answer = ask(initialize_line(version));
    EXPECT_EQ(answer["id"], "a");
    EXPECT_EQ(answer["result"]["protocolVersion"], version);
  }
  const json answer = ask(initialize_line("2099-01-01"));
  EXPECT_EQ(answer["result"]["protocolVersion"], "2025-11-25");
  EXPECT_EQ(answer["result"]["serverInfo"]["name"], "npuprof");
  EXPECT_EQ(answer["result"]["serverInfo"]["version"], "1.2.3");
  EXPECT_TRUE(answer["result"]["capabilities"].contains("tools"));
}

TEST_F(McpServerTest, NotificationsAndAnswersAreNotAnswered) {
  EXPECT_FALSE(server_.answer(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"));
  EXPECT_FALSE(server_.answer(R"({"jsonrpc":"2.0","method":"of nobody","params":[]})"));
  EXPECT_FALSE(server_.answer(R"({"jsonrpc":"2.0","id":4,"result":{}})"));
  EXPECT_FALSE(server_.answer(""));
  EXPECT_FALSE(server_.answer(" \t\r"));
}

TEST_F(McpServerTest, PingIsAnswered) {
  EXPECT_EQ(server_.answer(R"({"jsonrpc":"2.0","id":7,"method":"ping"})"),
            R"({"id":7,"jsonrpc":"2.0","result":{}})");
}

TEST_F(McpServerTest, WhatItCannotDoIsAnErrorWithTheRightNumber) {
  EXPECT_EQ(error_of("{"), -32700);
  EXPECT_EQ(error_of("\xFF\xFE"), -32700);
  EXPECT_EQ(error_of(std::string("\0\0", 2)), -32700);
  EXPECT_EQ(error_of("{} {}"), -32700);
  EXPECT_EQ(error_of(std::string(100'000, '[')), -32700);
  EXPECT_EQ(error_of("7"), -32600);
  EXPECT_EQ(error_of("null"), -32600);
  EXPECT_EQ(error_of("[]"), -32600);
  EXPECT_EQ(error_of("{}"), -32600);
  EXPECT_EQ(error_of(R"({"jsonrpc":"1.0","id":1,"method":"ping"})"), -32600);
  EXPECT_EQ(error_of(R"({"jsonrpc":"2.0","id":1,"method":7})"), -32600);
  EXPECT_EQ(error_of(R"({"jsonrpc":"2.0","id":null,"method":"ping"})"), -32600);
  EXPECT_EQ(error_of(R"({"jsonrpc":"2.0","id":{"a":[1]},"method":"ping"})"), -32600);
  EXPECT_EQ(error_of(R"({"jsonrpc":"2.0","id":1,"method":"server/discover"})"), -32601);
  EXPECT_EQ(error_of(R"({"jsonrpc":"2.0","id":1,"method":"resources/list"})"), -32601);
  EXPECT_EQ(error_of(R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]})"), -32602);
  EXPECT_EQ(error_of(R"({"jsonrpc":"2.0","id":1,"method":"initialize"})"), -32602);
  EXPECT_EQ(error_of(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}})"), -32602);
  EXPECT_EQ(
      error_of(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"no tool"}})"),
      -32602);
  EXPECT_EQ(
      error_of(
          R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sql","arguments":3}})"),
      -32602);
  EXPECT_EQ(json::parse(server_.refuse_long_line())["error"]["code"], -32600);
}

TEST_F(McpServerTest, AnswersBatches) {
  const json answer =
      ask(R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"},3])");
  ASSERT_EQ(answer.size(), 2u);
  EXPECT_EQ(answer[0]["id"], 1);
  EXPECT_EQ(answer[1]["error"]["code"], -32600);
  EXPECT_FALSE(server_.answer(R"([{"jsonrpc":"2.0","method":"x"}])"));
}

TEST_F(McpServerTest, EveryModeIsATool) {
  const json answer = ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
  std::set<std::string> names;
  for (const json& tool : answer["result"]["tools"]) {
    EXPECT_TRUE(names.insert(tool["name"]).second) << tool["name"];
    EXPECT_FALSE(tool["description"].get<std::string>().empty());
    EXPECT_EQ(tool["inputSchema"]["type"], "object");
  }
  for (const answers::Mode* mode : answers::all_modes()) {
    EXPECT_TRUE(names.count(std::string(mode->name))) << mode->name;
  }
  for (const char* name : {"sql", "compare", "gate", "list_profiles", "describe_tables"}) {
    EXPECT_TRUE(names.count(name)) << name;
  }
  EXPECT_EQ(source_.opened, 0) << "nothing is read before somebody asks";
}

TEST_F(McpServerTest, ModesAnswerInFewRowsAndSayHowManyThereAre) {
  const std::string text = text_of("step_time", {{"top", 1}});
  EXPECT_THAT(text, StartsWith("About rank 0, /runs/a (2 profiles; rank or path choose).\n"
                               "Not all of it could be read: a file\n"));
  EXPECT_THAT(text, HasSubstr("device | step | total_ns"));
  EXPECT_THAT(text, HasSubstr("\n0 | 7 | 150"));
  EXPECT_THAT(text, HasSubstr("(1 row)"));
}

TEST_F(McpServerTest, ProfilesAreCompared) {
  EXPECT_THAT(text_of("compare", {{"rank", 0}, {"step", 7}, {"top", 1}}),
              AllOf(HasSubstr("About rank 0, /runs/a"), HasSubstr("A step takes"),
                    HasSubstr("name | base_count | count")));
  EXPECT_EQ(text_of("compare", {{"rank", 1}, {"base_rank", 0}}, true), "rank 1 is damaged");
  EXPECT_THAT(text_of("compare", {}, true), HasSubstr("nothing to compare with"));
  EXPECT_THAT(text_of("compare", {{"base_rank", 17}}, true), HasSubstr("no such profile"));
}

TEST_F(McpServerTest, AProfilePassesTheGateOrDoesNot) {
  const json same = {{"rank", 0}, {"step", 7}};
  EXPECT_THAT(text_of("gate", same), AllOf(HasSubstr("About rank 0, /runs/a"), HasSubstr("Passed"),
                                           HasSubstr("level | name | base_ns")));
  EXPECT_THAT(text_of("gate", {{"rank", 0}, {"step", 7}, {"max_regression", "5"}}, true),
              HasSubstr("write 5% or 0.05"));
  EXPECT_THAT(text_of("gate", json::object(), true), HasSubstr("nothing to compare with"));
}

TEST_F(McpServerTest, StatementsAreAnsweredInFewRows) {
  EXPECT_THAT(text_of("sql", {{"query", "SELECT name, duration_ns FROM kernel"}, {"top", "1"}}),
              HasSubstr("name | duration_ns\nmm_kernel | 50\n(1 of 2 rows are shown)\n"));
  EXPECT_EQ(text_of("sql", {{"query", "SELECT x FROM kernel"}}, true),
            "no such column: x (line 1, character 8)");
  EXPECT_THAT(text_of("sql", {{"query", "DROP VIEW kernel"}}, true), HasSubstr("nothing else"));
  EXPECT_EQ(source_.opened, 1) << "a profile is read once";
}

TEST_F(McpServerTest, ErrorsOfToolsAreResults) {
  EXPECT_EQ(text_of("step_time", {{"rank", 1}}, true), "rank 1 is damaged");
  EXPECT_EQ(text_of("step_time", {{"step", 8}}, true), "there is no such step");
  EXPECT_THAT(text_of("step_time", {{"rank", 5}}, true), HasSubstr("list_profiles"));
  EXPECT_THAT(text_of("step_time", {{"path", "/runs/c"}}, true), HasSubstr("list_profiles"));
  EXPECT_THAT(text_of("step_time", {{"rank", "x"}}, true), HasSubstr("whole number"));
  EXPECT_THAT(text_of("step_time", {{"rank", 1e300}}, true), HasSubstr("whole number"));
  EXPECT_THAT(text_of("step_time", {{"top", 0}}, true), HasSubstr("1 to 1000"));
  EXPECT_THAT(text_of("step_time", {{"name", json::array()}}, true), HasSubstr("text"));
  EXPECT_THAT(text_of("step_time", {{"colour", 1}}, true), HasSubstr("no argument 'colour'"));
  EXPECT_THAT(text_of("sql", json::object(), true), HasSubstr("query is missing"));
  EXPECT_THAT(text_of("step_time", {{"sort", "nowhere"}}, true), HasSubstr("nowhere"));
}

TEST_F(McpServerTest, TablesAndProfilesAreDescribed) {
  EXPECT_EQ(text_of("list_profiles", json::object()), "rank 0: /runs/a\nrank 1: /runs/b\n");
  const std::string names = text_of("describe_tables", {{"path", "/runs/a"}});
  EXPECT_THAT(names, HasSubstr("kernel: Operators that ran"));
  EXPECT_THAT(names, HasSubstr("\ntasks 3\n"));
  EXPECT_THAT(names, HasSubstr("answer_step_time: "));
  EXPECT_THAT(text_of("describe_tables", {{"table", "kernels"}}),
              HasSubstr("task INTEGER: row of tasks\n"));
  EXPECT_THAT(text_of("describe_tables", {{"table", "none"}}, true), HasSubstr("'none'"));
}

TEST(LineBuffer, CutsLinesWhereverBytesComeInParts) {
  const std::string stream = "one\r\ntwo\n\nthree";
  for (std::size_t part = 1; part <= stream.size(); ++part) {
    LineBuffer lines(100);
    std::vector<std::string> found;
    for (std::size_t i = 0; i < stream.size(); i += part) {
      lines.add(std::string_view(stream).substr(i, part));
      while (const auto line = lines.next()) found.push_back(line->text);
    }
    if (const auto line = lines.last()) found.push_back(line->text);
    EXPECT_THAT(found, ::testing::ElementsAre("one", "two", "", "three")) << part;
  }
}

TEST(LineBuffer, DropsLinesThatAreTooLongAndGoesOn) {
  const std::string stream = std::string(50, 'x') + "\nok\n" + std::string(11, 'y');
  for (std::size_t part = 1; part <= stream.size(); ++part) {
    LineBuffer lines(10);
    std::string found;
    const auto note = [&](const LineBuffer::Line& line) {
      found += line.is_too_long ? "long;" : line.text + ";";
    };
    for (std::size_t i = 0; i < stream.size(); i += part) {
      lines.add(std::string_view(stream).substr(i, part));
      while (const auto line = lines.next()) note(*line);
    }
    if (const auto line = lines.last()) note(*line);
    EXPECT_EQ(found, "long;ok;long;") << part;
  }
}

}  // namespace
}  // namespace npuprof::query
