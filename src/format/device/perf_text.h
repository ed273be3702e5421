#pragma once

// Output of Linux's perf on the device: samples of its CPUs (ai_ctrl_cpu.data) and, on the 310,
// counts of its last-level cache (llc.data).

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace npuprof::format::device {

// One sample as `perf script` prints it: a line "command pid/tid [cpu] seconds: count event:", then
// a line "address function+offset (module)" for the function and for each of its callers, then an
// empty line.
struct PerfSample {
  std::int64_t time_ns = 0;  // Device monotonic.
  std::uint32_t cpu = 0;
  std::uint64_t count = 0;    // Events since the sample before.
  std::uint32_t event = 0;    // Number of the CPU's counter event.
  std::string_view function;  // "unknown" without a symbol.
  std::string_view module;
};

struct PerfCounts {
  std::size_t samples = 0;
  std::size_t damaged = 0;  // Samples without their function, and lines that belong to no sample.
};
// Views are valid during the call only.
PerfCounts read_perf_samples(std::string_view text,
                             const std::function<void(const PerfSample&)>& sample);
void append_perf_sample(std::string& text, const PerfSample& sample, std::string_view command,
                        std::uint32_t pid);

// What the cache of the 310 counts: by access, or the lines in use by each of eight CPUs.
enum class CacheEvent310 : std::uint8_t {
  kReadAllocate,
  kReadNoAllocate,
  kReadHit,
  kWriteAllocate,
  kWriteNoAllocate,
  kWriteHit,
  kLinesOfCpu0,  // The others follow.
};
inline constexpr std::uint32_t kCacheCpus310 = 8;

// A line of `perf stat -I`: "seconds count unit/event/", perhaps with a share in parentheses.
struct CacheCount310 {
  std::int64_t time_ns = 0;  // Since the start of collecting; the count is since the line before.
  std::uint64_t count = 0;   // 0 also where perf could not count.
  std::uint32_t event = 0;   // CacheEvent310.
};
// A line with this character is no sample.
inline constexpr std::string_view kPerfCommentMark = "#";
std::optional<CacheCount310> parse_cache_count_310(std::string_view line);
void append_cache_count_310(std::string& text, const CacheCount310& count);

}  // namespace npuprof::format::device
