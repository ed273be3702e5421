#include "report/lanes/lane_event.h"

namespace npuprof::report {

void LaneEvent::add(std::string_view key,
                    std::variant<std::int64_t, std::uint64_t, double, std::string> value) {
  details_->arguments.push_back({std::string(key), std::move(value)});
}

void LaneEvent::add_lines(std::string_view key, std::string_view joined) {
  std::vector<std::string> lines;
  while (!joined.empty()) {
    const std::size_t end = std::min(joined.find(';'), joined.size());
    lines.emplace_back(joined.substr(0, end));
    joined.remove_prefix(std::min(joined.size(), end + 1));
  }
  details_->lines.emplace_back(std::string(key), std::move(lines));
}

}  // namespace npuprof::report
