#include "serve/page_server.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/lane_doubts.h"
#include "serve/report_page.h"
#include "serve/served_profiles.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/python_calls.h"

namespace npuprof::serve {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::int64_t kBegin = 1'700'000'000'000'000'000;
constexpr const char* kHostileName = "<img src=x onerror=alert(1)></script>\x01";

// A thread with operators that nest, frames of Python that cross them, and a hostile name.
class SmallProfile : public query::ProfileSource {
 public:
  SmallProfile() {
    trace_.session.origin = trace::Origin::kResults;
    add_op("outer", 0, 1000);
    add_op("inner", 100, 300);
    add_op("inner", 400, 500);
    add_op(kHostileName, 2000, 2000);
    auto& calls = trace_.python_calls();
    calls.start_ns = {kBegin + 50};
    calls.end_ns = {kBegin + 1500};
    calls.tid = {7};
    calls.pid = {1};
    calls.name = {trace_.strings.intern("train.py(3): step")};
    calls.id = {1};
    calls.parent_id = {0};
    calls.module_id = {trace::kNone};
    calls.key = {0};
  }

  const std::vector<query::ProfileFacts>& profiles() const override { return facts_; }
  Result<query::OpenedProfile> open(std::size_t number, const query::ProfilePart&) override {
    if (number == 1) return Error{ErrorCode::kCorrupt, "rank 1 is damaged"};
    return query::OpenedProfile{.owner = nullptr,
                                .request = {.trace = trace_, .results = results_},
                                .losses = {"a record"}};
  }

 private:
  void add_op(const char* name, std::int64_t start, std::int64_t end) {
    auto& ops = trace_.framework_ops();
    const std::size_t rows = ops.size() + 1;
    trace::FrameworkOps::columns(ops, [&](const char*, auto& column) { column.resize(rows); });
    ops.start_ns.back() = kBegin + start;
    ops.end_ns.back() = kBegin + end;
    ops.tid.back() = 7;
    ops.pid.back() = 1;
    ops.name.back() = trace_.strings.intern(name);
  }

  trace::Trace trace_;
  analyze::SharedResults results_{trace_};
  std::vector<query::ProfileFacts> facts_ = {{0, "/runs/a"}, {1, "/runs/b"}};
};

class PageServerTest : public ::testing::Test {
 protected:
  testing::ServedProfiles served_{std::make_unique<SmallProfile>()};
};

template <typename Value>
Value value_at(const std::string& bytes, std::size_t offset) {
  Value value{};
  EXPECT_LE(offset + sizeof value, bytes.size());
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

TEST_F(PageServerTest, ListsProfilesWithTheirStates) {
  const json profiles = served_.ask("/api/session").at("profiles");
  ASSERT_EQ(profiles.size(), 2U);
  EXPECT_EQ(profiles[0].at("state"), "ready");
  EXPECT_EQ(profiles[1].at("state"), "failed");
  EXPECT_EQ(profiles[1].at("error"), "rank 1 is damaged");
}

TEST_F(PageServerTest, TellsTimesFromTheFirstSliceOn) {
  const json profile = served_.ask("/api/profile", {{"p", "0"}});
  EXPECT_EQ(profile.at("zero_ns"), std::to_string(kBegin));
  EXPECT_EQ(profile.at("begin"), 0);
  EXPECT_EQ(profile.at("end"), 2000);
  EXPECT_EQ(profile.at("losses").at(0).at("text"), "a record");
}

TEST_F(PageServerTest, PutsFramesOfPythonIntoALaneOfTheirOwn) {
  const json lanes = served_.ask("/api/lanes").at("groups").at(0).at("lanes");
  ASSERT_EQ(lanes.size(), 2U);
  EXPECT_EQ(lanes[0].at("count"), 4);
  EXPECT_EQ(lanes[0].at("rows"), 2);
  EXPECT_EQ(lanes[1].at("name"), "Thread 7 (Python)");
  EXPECT_EQ(lanes[1].at("count"), 1);
}

TEST_F(PageServerTest, SendsSlicesAsArrays) {
  const HttpReply reply = served_.reply("/api/slices", {{"lanes", "0,99"}, {"px", "100"}});
  EXPECT_EQ(reply.type, "application/octet-stream");
  EXPECT_EQ(reply.body.substr(0, 4), "NUPL");
  EXPECT_EQ(value_at<std::uint32_t>(reply.body, 8), 1U);  // Lanes: 99 is none.
  EXPECT_EQ(value_at<std::uint32_t>(reply.body, 24), 4U);
  const std::size_t starts = 32;
  EXPECT_EQ(value_at<double>(reply.body, starts), 0.0);
  EXPECT_EQ(value_at<double>(reply.body, starts + 8), 2000.0);  // Row by row.
  EXPECT_EQ(value_at<double>(reply.body, starts + 16), 100.0);
  EXPECT_EQ(reply.body.size() % 8, 0U);
}

TEST_F(PageServerTest, SendsNoMoreRectanglesOfARowThanPixels) {
  const HttpReply reply = served_.reply("/api/slices", {{"lanes", "0"}, {"px", "1"}});
  // Two rows; the long slice is drawn as it is.
  EXPECT_LE(value_at<std::uint32_t>(reply.body, 24), 4U);
}

TEST_F(PageServerTest, TellsOfASliceWhatIsAroundIt) {
  const json slice = served_.ask("/api/slice", {{"lane", "0"}, {"event", "0"}});
  EXPECT_EQ(slice.at("name"), "outer");
  EXPECT_EQ(slice.at("self"), 700);
  EXPECT_EQ(slice.at("children"), 2);
  EXPECT_EQ(slice.at("parent"), nullptr);
  const json inner = served_.ask("/api/slice", {{"lane", "0"}, {"event", "2"}});
  EXPECT_EQ(inner.at("parent").at("name"), "outer");
  EXPECT_EQ(inner.at("next").at("begin"), 400);
  EXPECT_EQ(inner.at("count_of_name"), 2);
}

TEST_F(PageServerTest, FindsTheSliceAtATime) {
  const auto at = [&](const char* time, const char* within = "0") {
    return served_.ask("/api/at", {{"lane", "0"}, {"row", "1"}, {"t", time}, {"within", within}})
        .at("slice");
  };
  EXPECT_EQ(at("150").at("begin"), 100);
  EXPECT_EQ(at("350"), nullptr);
  EXPECT_EQ(at("390", "20").at("begin"), 400);
}

TEST_F(PageServerTest, SumsARangeAsFarAsSlicesLieInIt) {
  const json range = served_.ask("/api/range", {{"lanes", "0"}, {"t0", "200"}, {"t1", "450"}});
  EXPECT_EQ(range.at("count"), 3);
  EXPECT_EQ(range.at("sum"), 250 + 100 + 50);
  EXPECT_EQ(range.at("union"), 250);
  const json outer = range.at("by_name").at(0);
  EXPECT_EQ(outer.at("name"), "outer");
  EXPECT_EQ(outer.at("self"), 100);
  EXPECT_EQ(range.at("by_name").at(1).at("max"), 200);  // Of whole slices.
}

TEST_F(PageServerTest, CountsHitsByLaneAndTime) {
  const json found = served_.ask("/api/search", {{"q", "INNER"}, {"px", "8"}});
  EXPECT_EQ(found.at("count"), 2);
  EXPECT_EQ(found.at("map").at(0).at("buckets"), json({2, 0}));
  EXPECT_EQ(served_.ask("/api/search", {{"q", "INNER"}, {"case", "1"}}).at("count"), 0);
  EXPECT_EQ(served_.ask("/api/search", {{"q", "inne"}, {"word", "1"}}).at("count"), 0);
  EXPECT_EQ(served_.ask("/api/search", {{"q", "^(inner|outer)$"}, {"regex", "1"}}).at("count"), 3);
  EXPECT_EQ(served_.reply("/api/search", {{"q", "("}, {"regex", "1"}}).status, 400);
  EXPECT_EQ(served_.ask("/api/hit", {{"q", "inner"}, {"after", "101"}}).at("begin"), 400);
}

TEST_F(PageServerTest, GivesSlicesOfALaneAsATable) {
  const json events = served_.ask(
      "/api/events", {{"lane", "0"}, {"sort", "duration"}, {"from", "1"}, {"rows", "2"}});
  EXPECT_EQ(events.at("total_rows"), 4);
  ASSERT_EQ(events.at("rows").size(), 2U);
  EXPECT_EQ(events.at("rows").at(0).at("duration"), 200);
}

TEST_F(PageServerTest, MergesCallsByTheirPath) {
  const json nodes = served_.ask("/api/stacks", {{"lanes", "0"}}).at("nodes");
  ASSERT_EQ(nodes.size(), 3U);
  EXPECT_EQ(nodes[0].at("name"), "outer");
  EXPECT_EQ(nodes[0].at("self"), 700);
  EXPECT_EQ(nodes[2].at("parent"), 0);
  EXPECT_EQ(nodes[2].at("count"), 2);
}

TEST_F(PageServerTest, SendsHostileNamesAsTextAlone) {
  const HttpReply names = served_.reply("/api/names");
  EXPECT_THAT(names.type, HasSubstr("application/json"));
  bool is_there = false;
  const json all = json::parse(names.body).at("names");
  for (const json& name : all) {
    is_there = is_there || name.at("name").get<std::string>().starts_with("<img src=x");
  }
  EXPECT_TRUE(is_there);
  EXPECT_THAT(names.body, Not(HasSubstr("\x01")));
}

TEST_F(PageServerTest, AnswersStatementsThatReadAndNoOthers) {
  const json rows = served_.ask("/api/sql", {{"sql", "select count(*) as n from framework_ops"}});
  EXPECT_EQ(rows.at("tables").at(0).at("rows"), json({{4}}));
  for (const char* sql : {"create table x(y)", "attach '/tmp/x' as y", "select 1; select 2", ""}) {
    EXPECT_EQ(served_.reply("/api/sql", {{"sql", sql}}).status, 400) << sql;
  }
}

TEST_F(PageServerTest, GivesTablesAsCsvThatNoSpreadsheetRuns) {
  const HttpReply csv =
      served_.reply("/api/csv", {{"of", "sql"}, {"sql", "select '=1+1' as a, '@x' as b"}});
  EXPECT_THAT(csv.type, HasSubstr("text/csv"));
  EXPECT_EQ(csv.body, "a,b\n'=1+1,'@x\n");
}

TEST_F(PageServerTest, SaysWhatIsWrongWithARequest) {
  for (const auto& [path, parameters, status] :
       std::vector<std::tuple<std::string, testing::ServedProfiles::Parameters, int>>{
           {"/api/lanes", {{"p", "2"}}, 404},
           {"/api/lanes", {{"p", "x"}}, 400},
           {"/api/lanes", {{"p", "1"}}, 500},
           {"/api/slices", {{"px", "16385"}}, 400},
           {"/api/slices", {{"t0", "5"}, {"t1", "5"}}, 400},
           {"/api/slice", {{"lane", "0"}, {"event", "4"}}, 404},
           {"/api/slice", {{"lane", "0"}}, 400},
           {"/api/answer", {{"mode", "nonsense"}}, 400},
           {"/api/answer", {{"mode", "kernels"}}, 404},
           {"/api/nothing", {}, 404},
           {"/../../etc/passwd", {}, 404},
           {"/api/../../etc/passwd", {}, 404}}) {
    const HttpReply reply = served_.reply(path, parameters);
    EXPECT_EQ(reply.status, status) << path << " " << reply.body;
    EXPECT_FALSE(json::parse(reply.body).at("error").at("message").get<std::string>().empty());
  }
}

TEST_F(PageServerTest, SaysWhatDataAModeNeeds) {
  EXPECT_THAT(served_.reply("/api/answer", {{"mode", "kernels"}}).body, HasSubstr("level"));
}

TEST_F(PageServerTest, ShowsAPageEvenIfNoneWasBuilt) {
  const HttpReply page = served_.reply("/");
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.type, HasSubstr("text/html"));
}

TEST(LaneDoubts, FollowFromTheFileThatWasDamaged) {
  const std::vector<std::string> losses = {"cut ('host/data/aging.api_event.data.slice_0')"};
  EXPECT_EQ(doubt_of_layer("CANN", false, losses), losses[0]);
  EXPECT_EQ(doubt_of_layer("Ascend Hardware", false, losses), "");
  EXPECT_EQ(doubt_of_layer("Python", true, losses), "");
  EXPECT_EQ(doubt_of_layer("Ascend Hardware", false, {"cut ('stars_soc.data')"}),
            "cut ('stars_soc.data')");
}

TEST(ReportPage, EndsNoScriptByItsData) {
  EXPECT_EQ(in_script_json(R"({"name":"</script><b>"})"), R"({"name":"\u003c/script>\u003cb>"})");
  EXPECT_EQ(in_script_program("a='</script>'; b='<!--'"), "a='<\\/script>'; b='<\\!--'");
}

TEST_F(PageServerTest, ForgetsNothingWhenSeveralAskAtOnceInThreads) {
  std::vector<std::thread> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back([&] {
      for (int k = 0; k < 5; ++k) {
        EXPECT_EQ(served_.reply("/api/search", {{"q", std::to_string(k)}}).status, 200);
        EXPECT_EQ(served_.reply("/api/events", {{"lane", "0"}}).status, 200);
        EXPECT_EQ(served_.reply("/api/sql", {{"sql", "select 1"}}).status, 200);
        EXPECT_EQ(served_.reply("/api/memory/alive", {{"t", "5"}}).status, 200);
      }
    });
  }
  for (std::thread& client : clients) client.join();
}

}  // namespace
}  // namespace npuprof::serve
