#include "load/framework/session.h"

#include <gmock/gmock.h>

#include "load/framework/raw_framework.h"

namespace npuprof::load {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::plain_info;
using testing::RawProfile;
using ::testing::SizeIs;

TEST(FrameworkSession, ComesFromProfilerInfoAndMetadata) {
  auto info = plain_info();
  info.experimental.profiler_level = "Level1";
  info.cann_version = "8.3.RC1";
  info.end.collection_time_end_ns = 99;
  info.simulated = true;
  info.rank_id = 5;
  RawProfile raw;
  raw.put_info(info);
  raw.put_metadata(R"({"trace_id": "AB"})");
  trace::Session session;
  trace::Losses losses;
  EXPECT_TRUE(load_framework_session(raw.profile, session, losses));
  EXPECT_THAT(losses.items(), IsEmpty());
  EXPECT_EQ(session.framework, trace::Framework::kPyTorch);
  EXPECT_EQ(session.rank, 5);
  EXPECT_EQ(session.level, trace::Level::kLevel1);
  EXPECT_EQ(session.cann_version, "8.3.RC1");
  EXPECT_EQ(session.end_ns, 99);
  EXPECT_TRUE(session.simulated);
  EXPECT_EQ(session.profiler_info, to_json(info));
  EXPECT_EQ(session.profiler_metadata, R"({"trace_id": "AB"})");
}

TEST(FrameworkSession, DoesNotReplaceWhatTheCannDataSaid) {
  auto info = plain_info();
  info.cann_version = "other";
  info.end.collection_time_end_ns = 99;
  RawProfile raw;
  raw.put_info(info);
  trace::Session session;
  session.cann_version = "8.0";
  session.end_ns = 50;
  session.level = trace::Level::kLevel2;
  trace::Losses losses;
  load_framework_session(raw.profile, session, losses);
  EXPECT_EQ(session.cann_version, "8.0");
  EXPECT_EQ(session.end_ns, 50);
  EXPECT_EQ(session.level, trace::Level::kLevel2);
}

TEST(FrameworkSession, TakesTheRankOfTheFileNameIfThereIsNoOther) {
  auto info = plain_info();
  info.rank_id.reset();
  RawProfile raw;
  raw.put_info(info);
  trace::Session session;
  trace::Losses losses;
  load_framework_session(raw.profile, session, losses);
  EXPECT_EQ(session.rank, 3);
}

TEST(FrameworkSession, AMissingProfilerInfoIsALoss) {
  RawProfile raw;
  trace::Session session;
  trace::Losses losses;
  EXPECT_FALSE(load_framework_session(raw.profile, session, losses));
  ASSERT_THAT(losses.items(), SizeIs(1));
  EXPECT_THAT(losses.items()[0].what, HasSubstr("profiler_info"));
  EXPECT_EQ(session.rank, -1);
}

TEST(FrameworkSession, DamagedFilesAreLosses) {
  RawProfile raw;
  raw.put_info("{\"config\":");
  raw.put_metadata("[1]");
  trace::Session session;
  trace::Losses losses;
  EXPECT_FALSE(load_framework_session(raw.profile, session, losses));
  EXPECT_THAT(losses.items(), SizeIs(2));
  EXPECT_EQ(session.rank, 3);
  EXPECT_EQ(session.profiler_info, "");
  EXPECT_EQ(session.profiler_metadata, "");
}

}  // namespace
}  // namespace npuprof::load
