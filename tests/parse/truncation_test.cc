// Every file of a profile in turn ends early: after each of its records, and inside some. What was
// recorded before the end, and what other files tell, is still there, and the file is named.

#include <array>
#include <random>
#include <string>
#include <utility>

#include "damaged_profile.h"
#include "format/device/ffts_profile.h"
#include "format/device/frequency.h"
#include "format/device/l2_cache.h"
#include "format/device/links.h"
#include "format/device/memory_samples.h"
#include "format/device/soc_pmu.h"
#include "format/device/stars_soc.h"
#include "format/device/stars_soc_profile.h"
#include "format/device/ts_track.h"
#include "format/framework/gc_record.h"
#include "format/framework/python_tracer.h"
#include "format/framework/tlv.h"
#include "format/host/additional.h"
#include "format/host/api_event.h"
#include "format/host/compact.h"
#include "sanitizers.h"

namespace npuprof {
namespace {

namespace fs = std::filesystem;
namespace device = format::device;
namespace framework = format::framework;
namespace host = format::host;
using npuprof::testing::DamagedProfile;
using npuprof::testing::is_done_mark;
using npuprof::testing::Parsed;
using npuprof::testing::Part;
using npuprof::testing::part_of;
using npuprof::testing::RowCounts;

// How a file is divided into records.
enum class Layout { kRecords, kTlv, kLines, kOneText };

struct FileKind {
  std::string_view name;  // Part of the file's name.
  Layout layout;
  std::size_t record_bytes = 0;
};

constexpr FileKind kKinds[] = {
    {"torch.python_tracer_func", Layout::kRecords, sizeof(framework::PythonCall)},
    {"torch.gc_record", Layout::kRecords, sizeof(framework::GcRecord)},
    {"torch.", Layout::kTlv},
    {"_dic.", Layout::kLines},
    {".api_event.", Layout::kRecords, sizeof(host::ApiEvent)},
    {".compact.", Layout::kRecords, 64},
    {".additional.", Layout::kRecords, 256},
    {"stars_soc.data", Layout::kRecords, sizeof(device::TaskLog)},
    {"ffts_profile.data", Layout::kRecords, sizeof(device::ContextPmu)},
    {"ts_track.data", Layout::kRecords, sizeof(device::TrackRecord)},
    {"hbm.data", Layout::kRecords, sizeof(device::HbmSample)},
    {"llc.data", Layout::kRecords, sizeof(device::LlcSample)},
    {"l2_cache.data", Layout::kRecords, sizeof(device::L2CacheRecord)},
    {"socpmu.data", Layout::kRecords, sizeof(device::SocPmuRecord)},
    {"lpmFreqConv.data", Layout::kRecords, sizeof(device::FrequencyRecord)},
    {"npu_mem.", Layout::kRecords, sizeof(device::NpuMemorySample)},
    {"npu_module_mem.data", Layout::kRecords, sizeof(device::ModuleMemorySample)},
    {"pcie.data", Layout::kRecords, sizeof(device::PcieSample)},
    {"stars_soc_profile.data", Layout::kRecords, sizeof(device::SocSample)},
    {"hccs.data", Layout::kLines},
    {"nic.data", Layout::kLines},
    {"roce.data", Layout::kLines},
    {"host_", Layout::kLines},
    {"info", Layout::kOneText},
    {"json", Layout::kOneText},
    {"dev_start.log", Layout::kLines},
};

const FileKind& kind_of(const fs::path& file) {
  const auto kind = std::find_if(std::begin(kKinds), std::end(kKinds), [&](const FileKind& each) {
    return file.filename().native().find(each.name) != std::string::npos;
  });
  if (kind == std::end(kKinds)) throw std::runtime_error("what is " + file.native() + "?");
  return *kind;
}

// Where records begin, and where the last one ends.
std::vector<std::size_t> record_bounds(const FileKind& kind, const std::string& content) {
  std::vector<std::size_t> bounds{0};
  if (kind.layout == Layout::kRecords) {
    while (bounds.back() < content.size()) bounds.push_back(bounds.back() + kind.record_bytes);
  } else if (kind.layout == Layout::kTlv) {
    framework::TlvReader reader(as_bytes(content));
    for (framework::Tlv item; reader.next(item);) bounds.push_back(reader.offset());
  } else if (kind.layout == Layout::kLines) {
    for (std::size_t i = 0; i < content.size(); ++i) {
      if (content[i] == '\n') bounds.push_back(i + 1);
    }
  } else {
    bounds.push_back(content.size());
  }
  return bounds;
}

class TruncatedFiles : public npuprof::testing::DamagedFiles {
 protected:
  // A file of the framework has no mark that tells its size: it must not be named, if it ends with
  // a whole record. Only names are missed by the calls that have them, if there are any.
  void expect_named(const fs::path& file, bool at_bound, const Parsed& parsed) {
    if (at_bound && file.filename() == "torch.python_tracer_hash") return;
    const bool shows = part_of(file) != Part::kFramework || !at_bound;
    EXPECT_EQ(parsed.names(file), shows) << parsed.sentences();
    EXPECT_TRUE(shows || parsed.losses.empty()) << parsed.sentences();
  }

  // `kept` of `records` records are left: no table has fewer rows than with fewer records, or more
  // than the whole file gives; where a record is a row, there are just as many.
  void expect_rows(const fs::path& file, std::size_t kept, std::size_t records,
                   const RowCounts& without, const RowCounts& with_fewer, const RowCounts& rows) {
    for (const auto& [table, whole] : profile_->whole().rows(part_of(file))) {
      EXPECT_GE(rows.at(table), with_fewer.at(table)) << table;
      EXPECT_LE(rows.at(table), whole) << table;
      const bool is_row_per_record = whole - without.at(table) == records;
      if (!is_row_per_record) continue;
      EXPECT_EQ(rows.at(table), without.at(table) + kept) << table;
    }
  }

  void cut_at_each_record(const fs::path& file) {
    const std::string content = read_file(file).value();
    const std::vector<std::size_t> bounds = record_bounds(kind_of(file), content);
    ASSERT_EQ(bounds.back(), content.size());
    const std::size_t records = bounds.size() - 1;
    const RowCounts without = profile_->parse_with(file, "").rows(part_of(file));
    RowCounts before = without;
    // A release build tries every one.
    const std::size_t step = npuprof::testing::kHasAddressSanitizer ? 1 + records / 8 : 1;
    for (std::size_t kept = 1; kept < records; kept += step) {
      SCOPED_TRACE("cut at " + std::to_string(bounds[kept]));
      const Parsed parsed = profile_->parse_with(file, content.substr(0, bounds[kept]));
      profile_->expect_others_whole(file, parsed);
      expect_named(file, true, parsed);
      if (part_of(file) == Part::kSession) continue;
      RowCounts rows = parsed.rows(part_of(file));
      expect_rows(file, kept, records, without, before, rows);
      before = std::move(rows);
    }
  }

  void cut_inside_records(const fs::path& file, std::mt19937& random) {
    const std::string content = read_file(file).value();
    const std::vector<std::size_t> bounds = record_bounds(kind_of(file), content);
    const std::size_t anywhere[] = {content.size() - 1, random() % content.size(),
                                    random() % content.size(), random() % content.size()};
    for (const std::size_t cut : anywhere) {
      SCOPED_TRACE("cut at " + std::to_string(cut));
      const Parsed parsed = profile_->parse_with(file, content.substr(0, cut));
      profile_->expect_others_whole(file, parsed);
      const bool at_bound = cut > 0 && std::binary_search(bounds.begin(), bounds.end(), cut);
      expect_named(file, at_bound, parsed);
    }
  }
};

TEST_P(TruncatedFiles, WholeRecordsBeforeTheCutAreKept) {
  for (const fs::path& file : files(0)) {
    if (is_done_mark(file)) continue;
    SCOPED_TRACE(file);
    cut_at_each_record(file);
  }
}

TEST_P(TruncatedFiles, ACutInsideARecordIsNamed) {
  std::mt19937 random(1);
  for (const fs::path& file : files(1)) {
    if (is_done_mark(file)) continue;
    SCOPED_TRACE(file);
    cut_inside_records(file, random);
  }
}

// Without the marks that tell sizes, as a killed process leaves them, records show a cut.
TEST_P(TruncatedFiles, ACutInsideARecordIsNamedWithoutMarks) {
  for (const fs::path& file : profile_->files()) {
    if (is_done_mark(file)) fs::remove(file);
  }
  for (const fs::path& file : profile_->files()) {
    if (is_done_mark(file) || kind_of(file).layout != Layout::kRecords) continue;
    SCOPED_TRACE(file);
    const std::string content = read_file(file).value();
    const Parsed parsed = profile_->parse_with(file, content.substr(0, content.size() - 1));
    EXPECT_TRUE(parsed.names(file)) << parsed.sentences();
    profile_->expect_others_whole(file, parsed);
  }
}

INSTANTIATE_TEST_SUITE_P(Job, TruncatedFiles, ::testing::Values("parallel", "graph"));

}  // namespace
}  // namespace npuprof
