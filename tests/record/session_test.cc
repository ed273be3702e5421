#include "record/session.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "format/framework/file_names.h"
#include "npuprof/record.hpp"
#include "record/recorded.h"
#include "temporary_directory.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/garbage_collections.h"
#include "trace/framework/memory_events.h"
#include "trace/framework/parameter_tensors.h"
#include "trace/framework/program_counters.h"
#include "trace/framework/python_calls.h"
#include "trace/framework/queue_ranges.h"
#include "trace/host/host_usage.h"
#include "trace/host/marks.h"

namespace npuprof::record {
namespace {

using npuprof::testing::TemporaryDirectory;
using testing::load_recorded;
using testing::Recorded;

SessionOptions plain_options() {
  SessionOptions options;
  options.info = default_profiler_info();
  return options;
}

std::unique_ptr<record::RecordingSession> open_session(const std::filesystem::path& directory,
                                                       SessionOptions options = plain_options()) {
  auto session = record::RecordingSession::open(directory, std::move(options));
  EXPECT_TRUE(session.ok()) << (session.ok() ? "" : session.error().message);
  return session.ok() ? std::move(session).value() : nullptr;
}

using Outcome = record::RecordingSession::Outcome;

TEST(Session, FindsEachRangeAgainWithNestingAndTimes) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "a_1_2_ascend_pt";
  auto session = open_session(path);
  ASSERT_EQ(session->start(), Outcome::kDone);
  const Name outer("outer");
  const Name inner("inner");
  struct Times {
    std::int64_t before_ns;
    std::int64_t after_ns;
  };
  std::vector<Times> bounds;
  for (int i = 0; i < 100; ++i) {
    const std::int64_t before = clock_ns(CLOCK_MONOTONIC_RAW);
    {
      const Range outer_range(outer);
      for (int j = 0; j < 3; ++j) const Range inner_range(inner);
      const TextRange text_range("text " + std::to_string(i));
      const TextRange deeper("deeper");
    }
    bounds.push_back({before, clock_ns(CLOCK_MONOTONIC_RAW)});
  }
  ASSERT_EQ(session->stop(), Outcome::kDone);
  EXPECT_EQ(session->stats().events_written, 600u);
  EXPECT_FALSE(session->stats().has_losses());
  EXPECT_EQ(session->stats().threads, 1u);
  ASSERT_EQ(session->finalize(), Outcome::kDone);

  const Recorded recorded = load_recorded(path);
  EXPECT_EQ(recorded.losses_text(), "");
  const auto& ops = recorded.trace.framework_ops();
  ASSERT_EQ(recorded.op_count(), 600u);
  const auto outers = recorded.ops_named("outer");
  ASSERT_EQ(outers.size(), 100u);
  const std::int64_t offset = recorded.trace.session.monotonic_to_wall_ns;
  constexpr std::int64_t kToleranceNs = 5'000;  // Of the two clocks to each other.
  for (std::size_t i = 0; i < outers.size(); ++i) {
    EXPECT_GE(ops.start_ns[outers[i]], bounds[i].before_ns + offset - kToleranceNs);
    EXPECT_LE(ops.end_ns[outers[i]], bounds[i].after_ns + offset + kToleranceNs);
    EXPECT_EQ(ops.tid[outers[i]], static_cast<std::uint32_t>(::getpid()));
    EXPECT_EQ(ops.pid[outers[i]], static_cast<std::uint32_t>(::getpid()));
    EXPECT_EQ(ops.scope[outers[i]], static_cast<std::uint8_t>(OpScope::kUserScope));
    EXPECT_EQ(ops.sequence[outers[i]], -1);
    const std::size_t text = recorded.op_named("text " + std::to_string(i));
    EXPECT_EQ(ops.parent[text], outers[i]);
  }
  for (const std::size_t row : recorded.ops_named("inner")) {
    EXPECT_EQ(recorded.name(ops.parent[row]), "outer");
  }
  for (const std::size_t row : recorded.ops_named("deeper")) {
    EXPECT_EQ(recorded.name(ops.parent[row]).substr(0, 5), "text ");
  }
}

TEST(Session, EventsThatAreGoneAreCounted) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "a_ascend_pt";
  auto session = open_session(path);
  ASSERT_EQ(session->start(), Outcome::kDone);
  for (int i = 0; i < 7; ++i) active_buffer()->range(Name("a").id(), now_ticks(), now_ticks());
  ASSERT_EQ(session->finalize(), Outcome::kDone);
  std::filesystem::remove(path / "FRAMEWORK" / "torch.op_range");
  const std::string losses = load_recorded(path).losses_text();
  EXPECT_NE(losses.find("7 of the 7 events that were recorded are not there"), losses.npos)
      << losses;
}

TEST(Session, TimesAreExactInTicks) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "a_1_2_ascend_pt";
  auto session = open_session(path);
  ASSERT_EQ(session->start(), Outcome::kDone);
  std::vector<std::array<std::uint64_t, 2>> ticks;
  const Name name("exact");
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t begin = now_ticks();
    const std::uint64_t end = now_ticks();
    active_buffer()->range(name.id(), begin, end);
    ticks.push_back({begin, end});
  }
  ASSERT_EQ(session->stop(), Outcome::kDone);
  ASSERT_EQ(session->finalize(), Outcome::kDone);
  const Recorded recorded = load_recorded(path);
  const std::int64_t offset = recorded.trace.session.monotonic_to_wall_ns;
  ASSERT_EQ(recorded.op_count(), ticks.size());
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    EXPECT_EQ(recorded.trace.framework_ops().start_ns[i], session->to_ns(ticks[i][0]) + offset);
    EXPECT_EQ(recorded.trace.framework_ops().end_ns[i], session->to_ns(ticks[i][1]) + offset);
  }
}

TEST(Session, RecordsOnlyWhatBeginsAndEndsInside) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "a_1_2_ascend_pt";
  auto session = open_session(path);
  npuprof_range_push("before start");
  const npuprof_begin_time early = npuprof_range_begin();
  EXPECT_EQ(early, 0u);
  ASSERT_EQ(session->start(), Outcome::kDone);
  npuprof_range_push("inside");
  npuprof_range_pop();
  npuprof_range_pop();  // Of "before start".
  npuprof_range_end(npuprof_name_id("early"), early);
  npuprof_range_push("over the stop");
  npuprof_range_push("over the stop, too");
  const npuprof_begin_time late = npuprof_range_begin();
  ASSERT_EQ(session->stop(), Outcome::kDone);
  npuprof_range_end(npuprof_name_id("late"), late);
  npuprof_range_pop();
  ASSERT_EQ(session->start(), Outcome::kDone);  // Again, in the same session.
  npuprof_range_end(npuprof_name_id("late"), late);
  npuprof_range_push("inside again");
  npuprof_range_pop();
  npuprof_range_pop();  // Of "over the stop": it has begun in another recording.
  ASSERT_EQ(session->stop(), Outcome::kDone);
  ASSERT_EQ(session->finalize(), Outcome::kDone);
  EXPECT_EQ(session->stats().events_written, 2u);

  const Recorded recorded = load_recorded(path);
  ASSERT_EQ(recorded.op_count(), 2u);
  EXPECT_EQ(recorded.name(0), "inside");
  EXPECT_EQ(recorded.name(1), "inside again");
  EXPECT_LE(recorded.trace.framework_ops().end_ns[0], recorded.trace.framework_ops().start_ns[1]);
}

TEST(Session, TwoSessionsOneAfterAnotherDoNotMix) {
  const TemporaryDirectory directory;
  for (int i = 0; i < 2; ++i) {
    auto session = open_session(directory / (std::to_string(i) + "_ascend_pt"));
    ASSERT_EQ(session->start(), Outcome::kDone);
    for (int j = 0; j <= i; ++j) {
      const TextRange range("of session " + std::to_string(i));
    }
    ASSERT_EQ(session->finalize(), Outcome::kDone);
    EXPECT_EQ(session->stats().events_written, static_cast<std::uint64_t>(i + 1));
  }
  for (int i = 0; i < 2; ++i) {
    const Recorded recorded = load_recorded(directory / (std::to_string(i) + "_ascend_pt"));
    EXPECT_EQ(recorded.op_count(), static_cast<std::size_t>(i + 1));
    EXPECT_EQ(recorded.ops_named("of session " + std::to_string(i)).size(),
              static_cast<std::size_t>(i + 1));
  }
}

TEST(Session, RefusesASecondOneAtATime) {
  const TemporaryDirectory directory;
  auto first = open_session(directory / "1_ascend_pt");
  auto second = open_session(directory / "2_ascend_pt");
  EXPECT_EQ(first->stop(), Outcome::kWrongState);
  ASSERT_EQ(first->start(), Outcome::kDone);
  EXPECT_EQ(first->start(), Outcome::kWrongState);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(second->start(), Outcome::kBusy);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("another session"), std::string::npos);
  ASSERT_EQ(first->finalize(), Outcome::kDone);
  EXPECT_EQ(first->finalize(), Outcome::kWrongState);
  EXPECT_EQ(first->start(), Outcome::kWrongState);
  EXPECT_EQ(second->start(), Outcome::kDone);
  EXPECT_EQ(second->finalize(), Outcome::kDone);
}

TEST(Session, MarksCountersAndMemory) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "a_ascend_pt";
  auto session = open_session(path);
  ASSERT_EQ(session->start(), Outcome::kDone);
  npuprof_mark("a mark");
  npuprof_mark_id(npuprof_name_id("registered mark"));
  const Counter loss("loss");
  loss.set(0.5);
  loss.set(-3);
  npuprof_memory(reinterpret_cast<const void*>(0x1000), 512, 512, 4096);
  npuprof_memory(reinterpret_cast<const void*>(0x1000), -512, 0, 4096);
  ASSERT_EQ(session->finalize(), Outcome::kDone);
  const Recorded recorded = load_recorded(path);
  const auto& ops = recorded.trace.framework_ops();
  for (const char* name : {"a mark", "registered mark"}) {
    const std::size_t mark = recorded.op_named(name);
    EXPECT_EQ(ops.start_ns[mark], ops.end_ns[mark]);
    EXPECT_EQ(recorded.text(ops.extra_args[mark]), "");
  }
  EXPECT_EQ(recorded.op_count(), 2u);
  const auto& counters = recorded.trace.program_counters();
  ASSERT_EQ(counters.size(), 2u);
  EXPECT_EQ(recorded.text(counters.name[0]), "loss");
  EXPECT_EQ(counters.value[0], 0.5);
  EXPECT_EQ(counters.value[1], -3);
  EXPECT_LE(counters.time_ns[0], counters.time_ns[1]);
  const auto& memory = recorded.trace.memory_events();
  ASSERT_EQ(memory.size(), 2u);
  EXPECT_EQ(memory.address[0], 0x1000u);
  EXPECT_EQ(memory.size_bytes[0], 512);
  EXPECT_EQ(memory.size_bytes[1], -512);
  EXPECT_EQ(memory.total_reserved_bytes[1], 4096);
  EXPECT_EQ(memory.device_type[0], 0);
}

TEST(Session, OperatorsOfAFramework) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "a_ascend_pt";
  auto session = open_session(path);
  ASSERT_EQ(session->start(), Outcome::kDone);
  ThreadBuffer& buffer = *active_buffer();
  const std::array<std::int64_t, 2> matrix = {4, 8};
  for (int i = 0; i < 3; ++i) {
    buffer.begin_op("aten::linear", 10 + i, 0, OpScope::kFunction);
    OpInputs inputs = buffer.inputs(false);
    inputs.tensor(format::framework::DataType::kFloat, matrix);
    inputs.none();
    buffer.attach_inputs(inputs);
    buffer.attach_text(OpRangeField::kStack, "a.py(1): f;b.py(2): g");
    buffer.begin_op("aten::mm", 20 + i, 0, OpScope::kFunction);  // Nothing attached.
    buffer.end();
    buffer.end();
  }
  buffer.begin_op("AddmmBackward0", 10, 1, OpScope::kBackwardFunction);
  buffer.end();
  DetachedOp detached{.begin_ticks = now_ticks(), .start_thread_id = 4711, .sequence = 5};
  buffer.detached_op(detached, "gloo:all_reduce", {}, "c.py(3): h");
  buffer.queue_mark(OpMarkCategory::kEnqueueStart, 0, "aclnnMm");
  buffer.queue_mark(OpMarkCategory::kEnqueueEnd, 7, "aclnnMm");
  buffer.queue_mark(OpMarkCategory::kDequeueStart, 7, "aclnnMm");
  buffer.queue_mark(OpMarkCategory::kDequeueEnd, 7, "aclnnMm");
  ASSERT_EQ(session->finalize(), Outcome::kDone);

  const Recorded recorded = load_recorded(path);
  EXPECT_EQ(recorded.losses_text(), "");
  const auto& ops = recorded.trace.framework_ops();
  ASSERT_EQ(recorded.op_count(), 8u);
  const auto linears = recorded.ops_named("aten::linear");
  const auto products = recorded.ops_named("aten::mm");
  ASSERT_EQ(linears.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(ops.sequence[linears[i]], static_cast<std::int64_t>(10 + i));
    EXPECT_EQ(recorded.text(ops.input_shapes[linears[i]]), "4,8;");
    EXPECT_EQ(recorded.text(ops.input_dtypes[linears[i]]), "float;None");
    EXPECT_EQ(recorded.text(ops.stack[linears[i]]), "a.py(1): f;b.py(2): g");
    EXPECT_EQ(ops.sequence[products[i]], static_cast<std::int64_t>(20 + i));
    EXPECT_EQ(ops.has_inputs[products[i]], 0);
    EXPECT_EQ(recorded.text(ops.stack[products[i]]), "");
    EXPECT_EQ(ops.parent[products[i]], linears[i]);
  }
  const std::size_t backward = recorded.op_named("AddmmBackward0");
  EXPECT_EQ(ops.forward_thread[backward], 1u);
  EXPECT_EQ(ops.scope[backward], static_cast<std::uint8_t>(OpScope::kBackwardFunction));
  EXPECT_EQ(recorded.text(ops.stack[backward]), "");
  const std::size_t reduce = recorded.op_named("gloo:all_reduce");
  EXPECT_EQ(ops.tid[reduce], 4711u);
  EXPECT_EQ(ops.is_async[reduce], 1);
  EXPECT_EQ(recorded.text(ops.stack[reduce]), "c.py(3): h");
  ASSERT_EQ(recorded.trace.enqueues().size(), 1u);
  ASSERT_EQ(recorded.trace.dequeues().size(), 1u);
  EXPECT_EQ(recorded.trace.enqueues().correlation[0], 7u);
  EXPECT_EQ(recorded.text(recorded.trace.dequeues().name[0]), "aclnnMm");
}

TEST(Session, ATextThatOperatorsShareTravelsOnce) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "a_ascend_pt";
  auto session = open_session(path);
  ASSERT_EQ(session->start(), Outcome::kDone);
  ThreadBuffer& buffer = *active_buffer();
  EXPECT_TRUE(buffer.define_text(3, "a.py(1): f"));
  EXPECT_TRUE(buffer.define_text(4, "b.py(2): g"));
  EXPECT_TRUE(buffer.define_text(ThreadBuffer::kMostTexts, "beyond the last"));
  for (const std::uint32_t number : {3u, 4u, 3u, 5u, ThreadBuffer::kMostTexts}) {
    buffer.begin_op("aten::mm", number, 0, OpScope::kFunction);
    buffer.attach_defined_text(OpRangeField::kStack, number);
    buffer.end();
  }
  ASSERT_EQ(session->finalize(), Outcome::kDone);

  const Recorded recorded = load_recorded(path);
  EXPECT_EQ(recorded.losses_text(), "");
  ASSERT_EQ(recorded.op_count(), 5u);
  const auto& stacks = recorded.trace.framework_ops().stack;
  EXPECT_EQ(recorded.text(stacks[0]), "a.py(1): f");
  EXPECT_EQ(recorded.text(stacks[1]), "b.py(2): g");
  EXPECT_EQ(recorded.text(stacks[2]), "a.py(1): f");
  EXPECT_EQ(recorded.text(stacks[3]), "");  // Never defined.
  EXPECT_EQ(recorded.text(stacks[4]), "");
}

TEST(Session, PythonCallsParametersAndCollections) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "a_ascend_pt";
  auto session = open_session(path);
  ASSERT_EQ(session->start(), Outcome::kDone);
  ThreadBuffer& buffer = *active_buffer();
  constexpr std::uint64_t kFunction = 11;
  constexpr std::uint64_t kModule = 12;
  constexpr std::uint64_t kExit = 13;
  buffer.python(PythonTag::kCall, kFunction);
  buffer.python(PythonTag::kCall, kModule);
  buffer.python(PythonTag::kReturn, kExit);
  buffer.python(PythonTag::kReturn, kExit);
  buffer.python_name(kFunction, "train.py(3): main");
  buffer.python_name(kModule, "Linear######4096");
  buffer.python_name(kExit, format::framework::kPythonExitMarker);
  buffer.parameters(kModule, false, "weight)0x10;0x1000;float;4;2,3;3,1;20;0)");
  buffer.parameters(kFunction, true, "0x10;0x1000;float;4;2,3;3,1;20;0))");
  const std::uint64_t begin = now_ticks();
  buffer.garbage_collection(begin, now_ticks());
  ASSERT_EQ(session->finalize(), Outcome::kDone);

  const Recorded recorded = load_recorded(path);
  EXPECT_EQ(recorded.losses_text(), "");
  const auto& calls = recorded.trace.python_calls();
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(recorded.text(calls.name[1]), "train.py(3): main");
  EXPECT_LE(calls.start_ns[1], calls.start_ns[0]);
  EXPECT_GE(calls.end_ns[1], calls.end_ns[0]);
  ASSERT_EQ(recorded.trace.parameter_tensors().size(), 2u);
  EXPECT_EQ(recorded.trace.parameter_tensors().key[0], kModule);
  EXPECT_EQ(recorded.trace.parameter_tensors().is_optimizer[1], 1);
  ASSERT_EQ(recorded.trace.garbage_collections().size(), 1u);
  EXPECT_GE(recorded.trace.garbage_collections().end_ns[0],
            recorded.trace.garbage_collections().start_ns[0]);
}

TEST(Session, MarkersOfDomains) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "a_ascend_pt";
  SessionOptions options = plain_options();
  options.domains.exclude = {"noisy"};
  auto session = open_session(path, options);
  const Domain quiet("quiet");
  const Domain noisy("noisy");
  quiet.mark("before recording");
  ASSERT_EQ(session->start(), Outcome::kDone);
  const Domain standard;
  standard.mark("at default");
  noisy.mark("not this");
  EXPECT_EQ(noisy.range_start("nor this"), 0u);
  EXPECT_EQ(noisy.range_push("nor this"), -1);
  quiet.mark(std::string(400, 'q').c_str());
  EXPECT_EQ(quiet.range_start("=rejected"), 0u);
  const std::uint64_t id = quiet.range_start("across threads");
  EXPECT_NE(id, 0u);
  std::thread([&] { quiet.range_end(id); }).join();
  const std::uint64_t wrong = quiet.range_start("ended in the wrong domain");
  standard.range_end(wrong);
  EXPECT_EQ(quiet.range_push("outer"), 0);
  EXPECT_EQ(quiet.range_push("inner"), 1);
  EXPECT_EQ(quiet.range_pop(), 1);
  EXPECT_EQ(quiet.range_pop(), 0);
  ASSERT_EQ(session->finalize(), Outcome::kDone);

  const Recorded recorded = load_recorded(path);
  EXPECT_EQ(recorded.losses_text(), "");
  const auto& marks = recorded.trace.marks();
  std::map<std::string, std::size_t> rows;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    rows[std::string(recorded.text(marks.domain[i])) + "/" +
         std::string(recorded.text(marks.message[i]))] = i;
  }
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_TRUE(rows.contains("default/at default"));
  EXPECT_TRUE(rows.contains("quiet/" + std::string(400, 'q')));
  EXPECT_TRUE(rows.contains("quiet/across threads"));
  const std::size_t outer = rows.at("quiet/outer");
  const std::size_t inner = rows.at("quiet/inner");
  EXPECT_LE(marks.start_ns[outer], marks.start_ns[inner]);
  EXPECT_GE(marks.end_ns[outer], marks.end_ns[inner]);
  EXPECT_EQ(marks.tid[outer], static_cast<std::uint32_t>(::getpid()));
  // On the time line of everything else.
  const std::int64_t offset = recorded.trace.session.monotonic_to_wall_ns;
  EXPECT_NEAR(static_cast<double>(marks.end_ns[inner] - offset),
              static_cast<double>(clock_ns(CLOCK_MONOTONIC_RAW)), 60e9);
}

TEST(Session, DomainsThatAreIncluded) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "a_ascend_pt";
  SessionOptions options = plain_options();
  options.domains.include = {"default", "made later"};
  auto session = open_session(path, options);
  ASSERT_EQ(session->start(), Outcome::kDone);
  Domain().mark("one");
  Domain("made later").mark("two");
  Domain("another").mark("three");
  ASSERT_EQ(session->finalize(), Outcome::kDone);
  EXPECT_EQ(load_recorded(path).trace.marks().size(), 2u);
}

TEST(Session, DomainNames) {
  EXPECT_EQ(npuprof_domain_create("default"), static_cast<npuprof_domain>(NPUPROF_NO_DOMAIN));
  EXPECT_EQ(npuprof_domain_create(nullptr), static_cast<npuprof_domain>(NPUPROF_NO_DOMAIN));
  EXPECT_EQ(npuprof_domain_create(""), static_cast<npuprof_domain>(NPUPROF_NO_DOMAIN));
  EXPECT_EQ(npuprof_domain_create("@x"), static_cast<npuprof_domain>(NPUPROF_NO_DOMAIN));
  EXPECT_EQ(npuprof_domain_create(std::string(1024, 'x').c_str()),
            static_cast<npuprof_domain>(NPUPROF_NO_DOMAIN));
  const npuprof_domain domain = npuprof_domain_create("some domain");
  EXPECT_NE(domain, static_cast<npuprof_domain>(NPUPROF_NO_DOMAIN));
  EXPECT_EQ(npuprof_domain_create("some domain"), domain);
}

TEST(Session, SamplesTheMachine) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "a_ascend_pt";
  SessionOptions options = plain_options();
  options.host_sys = {.cpu = true, .memory = true, .disk = true, .network = true};
  options.host_sys_hz = 200;
  auto session = open_session(path, options);
  ASSERT_EQ(session->start(), Outcome::kDone);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  ASSERT_EQ(session->finalize(), Outcome::kDone);
  const Recorded recorded = load_recorded(path);
  EXPECT_EQ(recorded.losses_text(), "");
  const auto& usage = recorded.trace.host_usage();
  std::array<int, 4> counts{};
  for (const std::uint8_t kind : usage.kind) ++counts.at(kind);
  EXPECT_GT(counts[static_cast<std::size_t>(trace::HostUsageKind::kMemory)], 2);
  EXPECT_GT(counts[static_cast<std::size_t>(trace::HostUsageKind::kDisk)], 2);
}

TEST(Session, CountsWhatIsDroppedWhileTheWriterRests) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "a_ascend_pt";
  SessionOptions options = plain_options();
  options.limits.buffer_bytes = 32 * 1024;
  std::uint64_t written = 0;
  auto session = open_session(path, options);
  ASSERT_EQ(session->start(), Outcome::kDone);
  session->pause_writer(true);
  // The thread may have a larger buffer from before; a new one gets a new one.
  constexpr std::uint64_t kRanges = 100'000;
  std::thread([&] {
    const Name name("many");
    for (std::uint64_t i = 0; i < kRanges; ++i) const Range range(name);
  }).join();
  session->pause_writer(false);
  ::testing::internal::CaptureStderr();
  ASSERT_EQ(session->stop(), Outcome::kDone);
  const std::string warning = ::testing::internal::GetCapturedStderr();
  written = session->stats().events_written;
  EXPECT_GT(written, 0u);
  EXPECT_GT(session->stats().events_dropped, 0u);
  EXPECT_EQ(written + session->stats().events_dropped, kRanges);
  EXPECT_EQ(std::count(warning.begin(), warning.end(), '\n'), 1) << warning;
  EXPECT_NE(warning.find(std::to_string(session->stats().events_dropped)), std::string::npos);
  ASSERT_EQ(session->finalize(), Outcome::kDone);
  const Recorded recorded = load_recorded(path);
  EXPECT_EQ(recorded.op_count(), written);
  EXPECT_NE(recorded.losses_text().find("dropped"), std::string::npos);
}

TEST(Session, BoundsTheMemoryOfAllThreads) {
  const TemporaryDirectory directory;
  SessionOptions options = plain_options();
  options.limits = {.buffer_bytes = 1 << 20, .memory_bytes = 1};
  auto session = open_session(directory / "a_ascend_pt", options);
  ASSERT_EQ(session->start(), Outcome::kDone);
  // Threads in parallel, so that buffers of earlier tests do not suffice.
  std::vector<std::thread> threads;
  std::atomic<int> waiting{0};
  for (int i = 0; i < 100; ++i) {
    threads.emplace_back([&] {
      npuprof_mark("x");
      ++waiting;
      while (waiting < 100) std::this_thread::yield();
    });
  }
  for (std::thread& thread : threads) thread.join();
  ::testing::internal::CaptureStderr();
  ASSERT_EQ(session->stop(), Outcome::kDone);
  ::testing::internal::GetCapturedStderr();
  EXPECT_GT(session->stats().events_dropped, 0u);
  EXPECT_EQ(session->stats().events_dropped + session->stats().events_written, 100u);
  ASSERT_EQ(session->finalize(), Outcome::kDone);
}

TEST(Session, ThreadsThatComeAndGoShareBuffers) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "a_ascend_pt";
  auto session = open_session(path);
  ASSERT_EQ(session->start(), Outcome::kDone);
  const auto count_buffers = [] {
    std::size_t count = 0;
    for (auto* b = Registry::instance().buffers(); b != nullptr; b = b->next) ++count;
    return count;
  };
  std::thread([] { npuprof_mark("first"); }).join();
  const std::size_t before = count_buffers();
  constexpr int kThreads = 300;
  for (int i = 0; i < kThreads; ++i) {
    std::thread([i] { npuprof_mark(("thread " + std::to_string(i)).c_str()); }).join();
  }
  EXPECT_LT(count_buffers() - before, static_cast<std::size_t>(kThreads) / 2);
  ASSERT_EQ(session->finalize(), Outcome::kDone);
  EXPECT_EQ(session->stats().events_written, static_cast<std::uint64_t>(kThreads + 1));
  EXPECT_EQ(load_recorded(path).op_count(), static_cast<std::size_t>(kThreads + 1));
}

TEST(Session, MetadataAndInfo) {
  const TemporaryDirectory directory;
  npuprof_options options;
  npuprof_options_init(&options);
  options.rank = 3;
  const std::filesystem::path path = directory / "a_ascend_pt";
  npuprof_session* session = npuprof_session_open_directory(path.c_str(), &options);
  ASSERT_NE(session, nullptr);
  EXPECT_STREQ(npuprof_session_directory(session), path.c_str());
  EXPECT_EQ(npuprof_session_metadata(session, "model", "a \"big\" one"), NPUPROF_OK);
  EXPECT_EQ(npuprof_session_metadata_json(session, "sizes", "[1, 2]"), NPUPROF_OK);
  EXPECT_EQ(npuprof_session_metadata(session, "model", "another"), NPUPROF_OK);
  EXPECT_EQ(npuprof_session_info_json(session,
                                      R"({"config": {"common_config": {"record_shapes": true}}})"),
            NPUPROF_OK);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(npuprof_session_metadata_json(session, "bad", "[1, "), NPUPROF_FAILED);
  EXPECT_EQ(npuprof_session_metadata(session, "long", std::string(5000, 'x').c_str()),
            NPUPROF_FAILED);
  const std::string warnings = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(warnings.begin(), warnings.end(), '\n'), 1) << warnings;
  EXPECT_EQ(npuprof_session_start_ns(session), 0);
  const std::int64_t before_ns = npuprof_timestamp_ns();
  ASSERT_EQ(npuprof_session_start(session), NPUPROF_OK);
  const std::int64_t start_ns = npuprof_session_start_ns(session);
  EXPECT_LE(before_ns, start_ns);
  EXPECT_LE(start_ns, npuprof_timestamp_ns());
  npuprof_stats stats;
  ASSERT_EQ(npuprof_session_finalize(session, &stats), NPUPROF_OK);

  const auto text = read_file(path / "profiler_metadata.json");
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(text->find(R"({"model": "another", "sizes": [1, 2], "ENV_VARIABLES")"), 0u) << *text;
  const auto info =
      format::framework::parse_profiler_info(read_file(path / "profiler_info_3.json").value());
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(info->rank_id, 3);
  EXPECT_TRUE(info->common.record_shapes);
  ASSERT_TRUE(info->recorder.has_value());
  EXPECT_TRUE(info->recorder->complete);
  EXPECT_FALSE(info->start.syscnt_enable);
  EXPECT_EQ(info->start.start_monotonic_ns, start_ns);
}

TEST(Session, NullAndWrongCallsDoNothing) {
  EXPECT_EQ(npuprof_session_start(nullptr), NPUPROF_WRONG_STATE);
  EXPECT_EQ(npuprof_session_stop(nullptr, nullptr), NPUPROF_WRONG_STATE);
  EXPECT_EQ(npuprof_session_finalize(nullptr, nullptr), NPUPROF_WRONG_STATE);
  EXPECT_EQ(npuprof_session_metadata(nullptr, "a", "b"), NPUPROF_WRONG_STATE);
  EXPECT_STREQ(npuprof_session_directory(nullptr), "");
  EXPECT_EQ(npuprof_session_start_ns(nullptr), 0);
  EXPECT_EQ(npuprof_recording(), 0);
  npuprof_range_pop();
  npuprof_range_push(nullptr);
  npuprof_mark(nullptr);
  npuprof_mark_a(NPUPROF_DEFAULT_DOMAIN, nullptr);
  npuprof_counter(npuprof_name_id(nullptr), 1);
  EXPECT_EQ(npuprof_range_pop_a(12345), -1);
}

TEST(Session, RangesThatAreTooDeepAreNotCalledFullBuffers) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "a_ascend_pt";
  auto session = open_session(path);
  ASSERT_EQ(session->start(), Outcome::kDone);
  constexpr std::uint32_t kTooMany = 88;
  for (std::uint32_t i = 0; i < ThreadBuffer::kMaxDepth + kTooMany; ++i) npuprof_range_push("r");
  for (std::uint32_t i = 0; i < ThreadBuffer::kMaxDepth + kTooMany; ++i) npuprof_range_pop();
  ::testing::internal::CaptureStderr();
  ASSERT_EQ(session->finalize(), Outcome::kDone);
  const std::string warning = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(warning.find("88 ranges nested deeper than 512"), std::string::npos) << warning;
  EXPECT_EQ(warning.find("full"), std::string::npos) << warning;
  EXPECT_EQ(session->stats().events_too_deep, kTooMany);
  EXPECT_EQ(session->stats().events_dropped, 0u);
  const Recorded recorded = load_recorded(path);
  EXPECT_EQ(recorded.op_count(), ThreadBuffer::kMaxDepth);
  ASSERT_EQ(recorded.losses.items().size(), 1u) << recorded.losses_text();
  EXPECT_EQ(recorded.losses.items()[0].records, kTooMany);
  EXPECT_NE(recorded.losses_text().find("88 ranges nested deeper than 512"), std::string::npos)
      << recorded.losses_text();
}

TEST(Session, WhileItRecordsTheDirectorySaysWhoDoes) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "a_ascend_pt";
  auto session = open_session(path);
  ASSERT_EQ(session->start(), Outcome::kDone);
  for (int wait = 0; wait < 6000; ++wait) {
    std::error_code absent;
    const auto size =
        std::filesystem::file_size(path / format::framework::kRecorderStateFile, absent);
    if (!absent && size > 0) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  for (const bool is_stopped : {false, true}) {
    EXPECT_TRUE(!is_stopped || session->stop() == Outcome::kDone);
    const std::string losses = load_recorded(path).losses_text();
    EXPECT_NE(losses.find("process " + std::to_string(::getpid()) + " is still recording"),
              std::string::npos)
        << losses;
    EXPECT_EQ(losses.find("ended while"), std::string::npos) << losses;
  }
  ASSERT_EQ(session->finalize(), Outcome::kDone);
  EXPECT_EQ(load_recorded(path).losses_text(), "");
  EXPECT_FALSE(std::filesystem::exists(path / format::framework::kRecorderStateFile));
}

TEST(Session, AnExceptionEndsRanges) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "a_ascend_pt";
  auto session = open_session(path);
  ASSERT_EQ(session->start(), Outcome::kDone);
  try {
    const TextRange outer("outer");
    NPUPROF_RANGE("inner");
    throw 1;
  } catch (int) {
  }
  npuprof_mark("after");
  ASSERT_EQ(session->finalize(), Outcome::kDone);
  const Recorded recorded = load_recorded(path);
  ASSERT_EQ(recorded.op_count(), 3u);
  const auto& ops = recorded.trace.framework_ops();
  EXPECT_LE(ops.end_ns[recorded.op_named("outer")], ops.start_ns[recorded.op_named("after")]);
  EXPECT_EQ(ops.parent[recorded.op_named("inner")], recorded.op_named("outer"));
}

}  // namespace
}  // namespace npuprof::record
