#include "format/catalog.h"

#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/device/stars_soc.h"
#include "format/framework/gc_record.h"
#include "format/framework/op_mark.h"
#include "format/host/compact.h"
#include "format/host/variable.h"

namespace npuprof::format {
namespace {

using device::ChipId;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The names at each level, and how many groups are open.
class NameSink final : public FieldSink {
 public:
  void number(std::string_view name, std::uint64_t) override { add(name); }
  void number(std::string_view name, std::int64_t) override { add(name); }
  void number(std::string_view name, double) override { add(name); }
  void text(std::string_view name, std::string_view) override { add(name); }
  void bytes(std::string_view name, Bytes) override { add(name); }
  void begin_group(std::string_view name) override { open(name); }
  void end_group() override { levels_.pop_back(); }
  void begin_list(std::string_view name) override { open(name); }
  void end_list() override { levels_.pop_back(); }

  std::size_t depth() const { return levels_.size(); }
  const std::set<std::string>& names() const { return levels_.front(); }
  const std::vector<std::string>& repeated() const { return repeated_; }

 private:
  void add(std::string_view name) {
    if (!name.empty() && !levels_.back().emplace(name).second) repeated_.emplace_back(name);
  }
  void open(std::string_view name) {
    add(name);
    levels_.emplace_back();
  }
  std::vector<std::set<std::string>> levels_{1};
  std::vector<std::string> repeated_;
};

std::vector<Piece> pieces_of(const FileKind& kind, const Contents& contents) {
  std::vector<Piece> pieces;
  std::size_t end = contents.begin;
  kind.for_each_piece(contents, [&](const Piece& piece) {
    EXPECT_EQ(piece.offset, end);
    EXPECT_FALSE(piece.bytes.empty());
    EXPECT_EQ(piece.bytes.data(), contents.bytes.data() + piece.offset);
    EXPECT_TRUE(!piece.is_damaged || !piece.flaw.empty());
    end += piece.bytes.size();
    pieces.push_back(piece);
    return true;
  });
  EXPECT_EQ(end, contents.bytes.size());
  return pieces;
}

std::vector<std::string> kinds_of(const std::vector<Piece>& pieces) {
  std::vector<std::string> kinds;
  for (const Piece& piece : pieces) kinds.emplace_back(piece.view.kind);
  return kinds;
}

std::string kind_name(std::string_view file, const Surroundings& around = {}) {
  const FileKind* kind = file_kind_of(file, around);
  return kind == nullptr ? "none" : kind->name;
}

template <Record T>
void append_record(std::vector<std::byte>& out, const T& record) {
  const Bytes bytes = bytes_of(record);
  out.insert(out.end(), bytes.begin(), bytes.end());
}

device::TaskLog task_log() {
  device::TaskLog log{};
  log.head = device::StarsHead::make(device::StarsFunction::kTaskStart, 0, 0);
  log.syscnt = 7;
  return log;
}

TEST(Catalog, KnowsFilesByTheirNames) {
  EXPECT_EQ(kind_name("torch.op_range"), "torch.op_range");
  EXPECT_EQ(kind_name("torch.op_range.1"), "torch.op_range");
  EXPECT_EQ(kind_name("aging.api_event.data.slice_0"), "api_event.data");
  EXPECT_EQ(kind_name("unaging.compact.task_track.slice_12"), "compact.task_track");
  EXPECT_EQ(kind_name("aging.compact.never_heard_of.slice_0"), "compact");
  EXPECT_EQ(kind_name("unaging.additional.hash_dic.slice_0"), "dictionary");
  EXPECT_EQ(kind_name("unaging.variable.capture_op_info.slice_0"), "variable.capture_op_info");
  EXPECT_EQ(kind_name("stars_soc.data.0.slice_3"), "stars_soc.data");
  EXPECT_EQ(kind_name("hwts.log.data.45.dev.profiler_default_tag.0.slice_0"), "hwts.data");
  EXPECT_EQ(kind_name("instr.group_3_aiv1.0.slice_0"), "instr.group.aiv");
  EXPECT_EQ(kind_name("ccu0.stat.0.slice_0"), "ccu.stat");
  EXPECT_EQ(kind_name("host_cpu.data.slice_0"), "host_samples");
  EXPECT_EQ(kind_name("info.json.0"), "text");
  EXPECT_EQ(kind_name("stars_soc.data.0.slice_3.done"), "text");
  EXPECT_EQ(kind_name("ascend_pytorch_profiler_0.db"), "none");
  EXPECT_EQ(kind_name("never_heard_of.data.0.slice_0"), "none");
  EXPECT_EQ(kind_name(""), "none");
}

TEST(Catalog, AsksTheSurroundingsWhereNamesDoNotTell) {
  const Surroundings v6{.chip = ChipId::k910_95};
  EXPECT_EQ(kind_name("stars_soc.data.0.slice_0", v6), "stars_soc.data.v6");
  EXPECT_EQ(kind_name("ffts_profile.data.0.slice_0", v6), "ffts_profile.data.v6");
  EXPECT_EQ(kind_name("ffts_profile.data.0.slice_0", {.chip = ChipId::k910_95, .is_sampled = true}),
            "ffts_profile.data.sampled.v6");
  EXPECT_EQ(kind_name("ffts_profile.data.0.slice_0", {.is_sampled = true}),
            "ffts_profile.data.sampled");
  EXPECT_EQ(kind_name("hbm.data.0.slice_0", {.version_2 = true}), "hbm.data.v2");
  EXPECT_EQ(kind_name("llc.data.0.slice_0", {.chip = ChipId::k310}), "llc.data.310");
  EXPECT_EQ(kind_name("DATA_PREPROCESS.AICPU.0.slice_0", {.first_byte = '['}),
            "DATA_PREPROCESS.text");
  EXPECT_TRUE(depends_on_surroundings("stars_soc.data.0.slice_0"));
  EXPECT_FALSE(depends_on_surroundings("pcie.data.0.slice_0"));
}

TEST(Catalog, EveryKindHasANameOfItsOwnAndIsFoundByIt) {
  std::set<std::string> names;
  for (const FileKind& kind : file_kinds()) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    EXPECT_EQ(find_file_kind(kind.name), &kind);
  }
  EXPECT_EQ(find_file_kind("stars"), nullptr);
}

TEST(Catalog, MembersOfEveryRecordHaveDifferentNames) {
  for (const FileKind& kind : file_kinds()) {
    if (kind.record_bytes == 0) continue;
    // The first four bytes choose the layout in all but AI CPU records, whose type is behind them.
    for (unsigned first = 0; first < 256; ++first) {
      std::vector<std::byte> record(kind.record_bytes, std::byte{1});
      record[0] = static_cast<std::byte>(first);
      record[1] = static_cast<std::byte>(first);
      if (kind.name == "aicpu.data") {
        record[4] = static_cast<std::byte>(first);
        record[5] = record[6] = record[7] = std::byte{0};
      }
      NameSink sink;
      const View view = kind.view_of(record.data());
      ASSERT_NE(view.describe, nullptr);
      view.describe(record, sink);
      EXPECT_EQ(sink.depth(), 1u);
      EXPECT_THAT(sink.repeated(), ElementsAre()) << kind.name << " " << view.kind;
      EXPECT_FALSE(sink.names().empty()) << kind.name;
    }
  }
}

TEST(Catalog, AnyBytesOfAnyKindAreDividedWithoutGaps) {
  for (const FileKind& kind : file_kinds()) {
    SCOPED_TRACE(kind.name);
    std::vector<std::byte> bytes(3 * 1024 + 7);
    std::uint32_t state = 1;
    for (std::byte& byte : bytes)
      byte = static_cast<std::byte>((state = state * 1664525 + 1013904223) >> 24);
    std::fill(bytes.begin() + 1000, bytes.begin() + 2500, std::byte{0});
    for (const std::size_t size : {bytes.size(), std::size_t{1}, std::size_t{0}}) {
      for (const Piece& piece : pieces_of(kind, {.bytes = Bytes(bytes).first(size)})) {
        NameSink sink;
        if (piece.view.describe != nullptr) piece.view.describe(piece.bytes, sink);
        EXPECT_EQ(sink.depth(), 1u);
      }
    }
  }
}

TEST(Catalog, ZerosCutRecordsAndMissingMarksAreTold) {
  std::vector<std::byte> file;
  append_record(file, task_log());
  append_record(file, device::TaskLog{.head = {.bits = std::uint16_t{0}, .magic = std::uint16_t{0}},
                                      .syscnt = 9});
  file.resize(file.size() + 3 * 64);
  append_record(file, task_log());
  file.resize(file.size() - 10);
  const auto pieces = pieces_of(*find_file_kind("stars_soc.data"), {.bytes = file});
  ASSERT_THAT(kinds_of(pieces), ElementsAre("TaskLog", "TaskLog", "zeros", "cut_record"));
  EXPECT_FALSE(pieces[0].is_damaged);
  EXPECT_TRUE(pieces[1].is_damaged);
  EXPECT_THAT(pieces[1].flaw, HasSubstr("mark"));
  EXPECT_TRUE(pieces[2].is_damaged);
  EXPECT_EQ(pieces[2].bytes.size(), 3u * 64);
  EXPECT_TRUE(pieces[3].is_damaged);
  EXPECT_THAT(pieces[3].flaw, HasSubstr("54 of the 64 bytes"));
}

TEST(Catalog, RecordsThatGoOnInOtherSlicesAreNotDamaged) {
  std::vector<std::byte> file(20, std::byte{3});
  append_record(file, task_log());
  append_record(file, task_log());
  file.resize(file.size() - 10);
  Contents contents{.bytes = file, .begun_before = 20, .has_before = true, .has_after = true};
  const FileKind& kind = *find_file_kind("stars_soc.data");
  auto pieces = pieces_of(kind, contents);
  ASSERT_THAT(kinds_of(pieces), ElementsAre("cut_record", "TaskLog", "cut_record"));
  for (const Piece& piece : pieces) EXPECT_FALSE(piece.is_damaged) << piece.flaw;
  contents.has_before = contents.has_after = false;
  pieces = pieces_of(kind, contents);
  EXPECT_TRUE(pieces.front().is_damaged);
  EXPECT_TRUE(pieces.back().is_damaged);
}

TEST(Catalog, ZerosEndSampledCountersAndAreNoDamage) {
  const std::vector<std::byte> file(2 * 96);
  const auto pieces = pieces_of(*find_file_kind("ffts_profile.data.sampled"), {.bytes = file});
  ASSERT_THAT(kinds_of(pieces), ElementsAre("zeros"));
  EXPECT_FALSE(pieces[0].is_damaged);
}

TEST(Catalog, FieldsOfFrameworkRecordsHaveNamesAndFlaws) {
  framework::OpMark mark{};
  mark.name = "Enqueue";
  std::vector<std::byte> file;
  framework::append(mark, file);
  const std::size_t whole = file.size();
  mark.name = "\xff\xfe";
  framework::append(mark, file);
  framework::append(mark, file);
  file.resize(file.size() - 1);
  const auto pieces = pieces_of(*find_file_kind("torch.op_mark"), {.bytes = file});
  ASSERT_THAT(kinds_of(pieces), ElementsAre("OpMark", "OpMark", "cut_record"));
  EXPECT_EQ(pieces[0].bytes.size(), whole);
  EXPECT_EQ(pieces[0].flaw, "");
  EXPECT_THAT(pieces[1].flaw, HasSubstr("UTF-8"));
  NameSink sink;
  pieces[0].view.describe(pieces[0].bytes, sink);
  EXPECT_TRUE(sink.names().contains("header"));
  EXPECT_TRUE(sink.names().contains("name"));
  EXPECT_THAT(sink.repeated(), ElementsAre());
}

TEST(Catalog, BytesBetweenVariableRecordsAreShown) {
  host::CaptureOpHead head{};
  head.header = host::make_header(host::CaptureOpInfo::kVariableKind, 0, 1, 2);
  std::vector<std::byte> file;
  host::append_capture_op(file, head, std::vector<host::Tensor>(2));
  file.resize(file.size() + 5, std::byte{9});
  host::append_capture_op(file, head, {});
  const auto pieces = pieces_of(*find_file_kind("variable.capture_op_info"), {.bytes = file});
  ASSERT_THAT(kinds_of(pieces), ElementsAre("CaptureOpHead", "stray_bytes", "CaptureOpHead"));
  EXPECT_TRUE(pieces[1].is_damaged);
}

TEST(Catalog, StopsWhenNoMoreIsWanted) {
  const std::vector<std::byte> file(10 * sizeof(framework::GcRecord), std::byte{1});
  int seen = 0;
  find_file_kind("torch.gc_record")->for_each_piece({.bytes = file}, [&](const Piece&) {
    return ++seen < 3;
  });
  EXPECT_EQ(seen, 3);
}

}  // namespace
}  // namespace npuprof::format
