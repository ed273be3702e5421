#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace npuprof::format::mindspore {

// A line of `host_info/host_info_{rank}.csv`, which MindSpore 2.3 and 2.4 wrote in place of
// `mindspore.op_range`: a range begins, ends, or something happened. Views point into the line.
struct HostInfo {
  enum class Mark : std::uint8_t { kStart = 0, kEnd = 1, kInstant = 2 };
  static constexpr std::string_view kHeader =
      "tid,pid,parent_pid,module_name,event,stage,level,start_end,custom_info,memory_usage(kB),"
      "time_stamp(us)\n";

  std::int64_t thread_id = 0;
  std::int64_t process_id = 0;
  std::int64_t parent_process_id = 0;
  std::string_view module;
  std::string_view event;
  std::string_view stage;
  std::int64_t level = 0;
  Mark mark = Mark::kInstant;
  std::string_view custom_info;  // "key:value" joined with ';'.
  std::int64_t memory_kb = 0;    // -1: not recorded.
  std::int64_t time_us = 0;      // Wall clock.
};

// Nothing if the line is none, or the header.
std::optional<HostInfo> parse_host_info(std::string_view line);
void append_host_info(std::string& text, const HostInfo& info);

}  // namespace npuprof::format::mindspore
