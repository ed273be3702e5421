#include "format/mindspore/host_info.h"

#include <fmt/format.h>

#include "base/text.h"

namespace npuprof::format::mindspore {
namespace {

constexpr std::size_t kCellsBeforeInfo = 8;
constexpr std::size_t kCellsBehindInfo = 2;

bool take_integer(std::string_view text, std::int64_t& member) {
  const auto number = parse_number<std::int64_t>(trim(text));
  if (number) member = *number;
  return number.has_value();
}

}  // namespace

std::optional<HostInfo> parse_host_info(std::string_view line) {
  line = trim(line);
  const auto cells = split(line, ',');
  if (cells.size() < kCellsBeforeInfo + 1 + kCellsBehindInfo) return std::nullopt;
  HostInfo info;
  std::int64_t mark = 0;
  const bool whole =
      take_integer(cells[0], info.thread_id) && take_integer(cells[1], info.process_id) &&
      take_integer(cells[2], info.parent_process_id) && take_integer(cells[6], info.level) &&
      take_integer(cells[7], mark) && take_integer(cells[cells.size() - 2], info.memory_kb) &&
      take_integer(cells.back(), info.time_us);
  if (!whole || mark < 0 || mark > 2) return std::nullopt;
  info.mark = static_cast<HostInfo::Mark>(mark);
  info.module = cells[3];
  info.event = cells[4];
  info.stage = cells[5];
  // Commas of the custom information are not escaped.
  const std::string_view last = cells[cells.size() - 1 - kCellsBehindInfo];
  const char* const begin = cells[kCellsBeforeInfo].data();
  info.custom_info = {begin, static_cast<std::size_t>(last.data() + last.size() - begin)};
  return info;
}

void append_host_info(std::string& text, const HostInfo& info) {
  fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{},{},{}\n", info.thread_id,
                 info.process_id, info.parent_process_id, info.module, info.event, info.stage,
                 info.level, static_cast<int>(info.mark), info.custom_info, info.memory_kb,
                 info.time_us);
}

}  // namespace npuprof::format::mindspore
