// Numbers of a profile's files in turn become huge: lengths and counts are not believed, so neither
// time nor memory follows them, and what other files tell is still there.

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "base/text.h"
#include "damaged_profile.h"
#include "format/framework/tlv.h"
#include "sanitizers.h"

namespace npuprof {
namespace {

namespace fs = std::filesystem;
using npuprof::testing::is_done_mark;
using npuprof::testing::Parsed;
using npuprof::testing::Part;
using npuprof::testing::part_of;

constexpr std::size_t kMebibyte = 1024;  // In kB, as the system tells sizes.

struct MemoryUse {
  std::size_t resident_kb = 0;  // The most there was in memory.
  std::size_t reserved_kb = 0;  // The most addresses that were in use, ever.
};

MemoryUse memory_use() {
  MemoryUse use;
  const std::string status = read_file("/proc/self/status").value_or("");
  for (const std::string_view line : split(status, '\n')) {
    const auto number = [&] {
      const std::string_view text = trim(line.substr(line.find(':') + 1));
      return parse_number<std::size_t>(text.substr(0, text.find(' '))).value_or(0);
    };
    if (line.starts_with("VmHWM:")) use.resident_kb = number();
    if (line.starts_with("VmPeak:")) use.reserved_kb = number();
  }
  return use;
}

// Makes the most that was in memory what there is now; false if the system does not do that.
bool forget_peak() { return write_file("/proc/self/clear_refs", "5").ok(); }

class HugeNumbers : public npuprof::testing::DamagedFiles {
 protected:
  void SetUp() override {
    DamagedFiles::SetUp();
    if (npuprof::testing::kHasAddressSanitizer) return;
    for (int warm_up = 0; warm_up < 3; ++warm_up) {
      can_measure_ = forget_peak();
      const MemoryUse before = memory_use();
      profile_->parse();
      whole_ = memory_use();
      need_kb_ = whole_.resident_kb - before.resident_kb;
    }
  }

  // Parses with the content in the place of the file. It must not take more than twice the memory.
  Parsed parse(const fs::path& file, const std::string& content) {
    if (can_measure_) forget_peak();
    const MemoryUse before = memory_use();
    Parsed parsed = profile_->parse_with(file, content);
    const MemoryUse after = memory_use();
    profile_->expect_others_whole(file, parsed);
    if (can_measure_) {
      EXPECT_LE(after.resident_kb - before.resident_kb, 2 * need_kb_ + 16 * kMebibyte);
      EXPECT_LE(after.reserved_kb, whole_.reserved_kb + 256 * kMebibyte);
    }
    return parsed;
  }

  bool can_measure_ = false;
  MemoryUse whole_;
  std::size_t need_kb_ = 0;
};

bool has_records(const fs::path& file) {
  return part_of(file) != Part::kSession && !is_done_mark(file);
}

// Whatever number is there, in the first record of most files: the largest now.
TEST_P(HugeNumbers, InRecordsAreNotBelieved) {
  constexpr std::size_t kWidth = 8;
  constexpr std::size_t kLongestRecord = 256;
  for (const fs::path& file : files(0)) {
    if (!has_records(file)) continue;
    SCOPED_TRACE(file);
    const std::string content = read_file(file).value();
    for (std::size_t at = 0; at + kWidth <= std::min(content.size(), kLongestRecord);
         at += npuprof::testing::kHasAddressSanitizer ? 5 * kWidth : kWidth) {
      SCOPED_TRACE("at " + std::to_string(at));
      std::string changed = content;
      changed.replace(at, kWidth, kWidth, '\xff');
      parse(file, changed);
    }
  }
}

// The length of a record that runs past the end of the file: those before it are kept.
TEST_P(HugeNumbers, AsLengthsEndTheFile) {
  using format::framework::TlvHeader;
  const char* const names[] = {"torch.op_range", "torch.op_mark", "torch.memory_usage",
                               "torch.python_tracer_hash"};
  for (const char* const name : names) {
    const fs::path file = profile_->path() / "FRAMEWORK" / name;
    SCOPED_TRACE(file);
    const std::string content = read_file(file).value();
    std::vector<std::size_t> begins{0};
    format::framework::TlvReader reader(as_bytes(content));
    for (format::framework::Tlv item; reader.next(item);) begins.push_back(reader.offset());
    begins.pop_back();
    for (const std::size_t record : {std::size_t{0}, begins.size() / 2, begins.size() - 1}) {
      for (const std::uint32_t length : {UINT32_MAX, 0x7fffffffU, 0x10000000U}) {
        std::string changed = content;
        const format::U32 field{length};
        std::memcpy(changed.data() + begins[record] + offsetof(TlvHeader, length), &field,
                    sizeof(field));
        const Parsed parsed = parse(file, changed);
        EXPECT_TRUE(parsed.names(file)) << parsed.sentences();
        const Parsed cut = profile_->parse_with(file, content.substr(0, begins[record]));
        EXPECT_EQ(parsed.framework, cut.framework);
      }
    }
  }
}

class HugeNumbersInTexts : public HugeNumbers {};

TEST_P(HugeNumbersInTexts, AreNotBelieved) {
  constexpr std::size_t kMostOfAFile = npuprof::testing::kHasAddressSanitizer ? 5 : 30;
  for (const fs::path& file : files(1)) {
    const std::string content = read_file(file).value();
    if (content.find('\0') != std::string::npos) continue;
    SCOPED_TRACE(file);
    std::size_t tried = 0;
    for (std::size_t at = 0; at < content.size() && tried < kMostOfAFile; ++tried) {
      at = content.find_first_of("0123456789", at);
      if (at == std::string::npos) break;
      const std::size_t end = std::min(content.find_first_not_of("0123456789", at), content.size());
      for (const char* const huge : {"9223372036854775807", "-1"}) {
        SCOPED_TRACE(std::string(huge) + " at " + std::to_string(at));
        parse(file, content.substr(0, at) + huge + content.substr(end));
      }
      at = end;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Job, HugeNumbers, ::testing::Values("parallel", "graph"));
// Both have the same texts.
INSTANTIATE_TEST_SUITE_P(Job, HugeNumbersInTexts, ::testing::Values("graph"));

}  // namespace
}  // namespace npuprof
