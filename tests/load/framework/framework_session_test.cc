#include "load/framework/framework_session.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/file.h>
#include <unistd.h>

#include "load/framework/raw_framework.h"

namespace npuprof::load {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
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
  const RecordingInfo told = read_recording_info(raw.profile);
  load_framework_session(raw.profile, told, session, losses);
  EXPECT_TRUE(told.info);
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
  load_framework_session(raw.profile, read_recording_info(raw.profile), session, losses);
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
  load_framework_session(raw.profile, read_recording_info(raw.profile), session, losses);
  EXPECT_EQ(session.rank, 3);
}

TEST(FrameworkSession, AMissingProfilerInfoIsALoss) {
  RawProfile raw;
  trace::Session session;
  trace::Losses losses;
  const RecordingInfo told = read_recording_info(raw.profile);
  load_framework_session(raw.profile, told, session, losses);
  EXPECT_FALSE(told.info);
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
  const RecordingInfo told = read_recording_info(raw.profile);
  load_framework_session(raw.profile, told, session, losses);
  EXPECT_FALSE(told.info);
  EXPECT_THAT(losses.items(), SizeIs(2));
  EXPECT_EQ(session.rank, 3);
  EXPECT_EQ(session.profiler_info, "");
  EXPECT_EQ(session.profiler_metadata, "");
}

// A recording that was not completed, and what is said about it.
struct Unfinished {
  Unfinished() {
    auto info = plain_info();
    info.recorder = format::framework::ProfilerInfo::Recorder();
    info.recorder->process = 4711;
    raw.put_info(info);
  }
  void put_state(std::string_view text) { EXPECT_TRUE(write_file(state, text).ok()); }
  std::vector<std::string> losses() const {
    trace::Session session;
    trace::Losses found;
    load_framework_session(raw.profile, read_recording_info(raw.profile), session, found);
    std::vector<std::string> texts;
    for (const trace::Loss& loss : found.items()) texts.push_back(loss.what);
    return texts;
  }

  RawProfile raw;
  std::filesystem::path state = raw.profile.path / format::framework::kRecorderStateFile;
};

constexpr std::string_view kState =
    R"({"process": 4711, "events": 10, "dropped_events": 30, "too_deep_events": 2, "lost_events": 5,
        "failure": "full disk"}      )";

TEST(FrameworkSession, TellsWhatARecorderThatWasKilledHadDropped) {
  Unfinished recording;
  recording.put_state(kState);
  EXPECT_THAT(
      recording.losses(),
      ElementsAre(HasSubstr("the process ended while it was recorded"),
                  AllOf(HasSubstr("30 events"), HasSubstr("10 were written")),
                  HasSubstr("2 ranges nested deeper than 512"),
                  AllOf(HasSubstr("5 events could not be written"), HasSubstr("full disk"))));
}

TEST(FrameworkSession, TellsWhoStillRecords) {
  Unfinished recording;
  recording.put_state(kState);
  const int file = ::open(recording.state.c_str(), O_RDONLY);
  ASSERT_EQ(::flock(file, LOCK_EX), 0);
  EXPECT_THAT(recording.losses(), Contains(HasSubstr("process 4711 is still recording: ")));
  EXPECT_THAT(recording.losses(), Not(Contains(HasSubstr("ended while"))));
  ::close(file);
  EXPECT_THAT(recording.losses(), Contains(HasSubstr("the process ended while")));
}

TEST(FrameworkSession, WithoutStateItIsNotKnownWhetherAProcessStillRecords) {
  Unfinished recording;
  EXPECT_THAT(recording.losses(),
              ElementsAre(HasSubstr("process 4711 is still recording, or ended")));
  recording.put_state(kState.substr(0, 20));
  EXPECT_THAT(recording.losses(), SizeIs(1));
}

TEST(FrameworkSession, ARecordingThatIsCompleteNeedsNoState) {
  Unfinished recording;
  recording.put_state(kState);
  auto info = plain_info();
  info.recorder = format::framework::ProfilerInfo::Recorder();
  info.recorder->complete = true;
  recording.raw.put_info(info);
  EXPECT_THAT(recording.losses(), IsEmpty());
}

}  // namespace
}  // namespace npuprof::load
