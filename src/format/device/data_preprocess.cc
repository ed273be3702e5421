#include "format/device/data_preprocess.h"

#include <iterator>

#include <fmt/format.h>

#include "base/text.h"
#include "format/text_scan.h"

namespace npuprof::format::device {
namespace {

// Takes the next comma-separated part off `text` and returns what follows its first colon.
std::optional<std::string_view> take_value(std::string_view& text) {
  const std::size_t comma = text.find(',');
  const std::string_view part = text.substr(0, comma);
  text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  const auto pair = split_at_colon(part);
  if (!pair) return std::nullopt;
  return trim(pair->value);
}

std::optional<std::uint64_t> take_next_number(std::string_view& text) {
  const auto value = take_value(text);
  return value ? parse_number<std::uint64_t>(*value) : std::nullopt;
}

}  // namespace

bool take_preprocess_item(std::string_view& text, std::string_view& item) {
  while (!text.empty()) {
    const std::size_t end = text.find('\0');
    item = trim(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!item.empty()) return true;
  }
  return false;
}

std::optional<PreprocessStepText> parse_preprocess_step(std::string_view item) {
  const std::size_t close = item.find(']');
  if (item.empty() || item.front() != '[' || close == std::string_view::npos) return std::nullopt;
  const auto time = parse_number<std::uint64_t>(trim(item.substr(1, close - 1)));
  item.remove_prefix(close + 1);
  const std::size_t comma = item.find(',');
  if (!time || comma == std::string_view::npos) return std::nullopt;
  PreprocessStepText step;
  step.time_ns = *time;
  step.action = trim(item.substr(0, comma));
  item.remove_prefix(comma + 1);
  const auto source = take_value(item);
  const auto index = take_next_number(item);
  const auto size = take_next_number(item);
  if (!source || !index || !size) return std::nullopt;
  step.source = *source;
  step.index = *index;
  step.size = *size;
  return step;
}

void append_preprocess_step(std::string& text, const PreprocessStepText& step) {
  fmt::format_to(std::back_inserter(text), "[{}] {}, source:{}, index:{}, size:{}\n", step.time_ns,
                 step.action, step.source, step.index, step.size);
  text += '\0';
}

std::optional<PreprocessQueueWait> parse_queue_wait(std::string_view item) {
  const auto node = take_value(item);
  const auto queue_size = take_next_number(item);
  const auto start = take_next_number(item);
  const auto end = take_next_number(item);
  if (!node || !queue_size || !start || !end) return std::nullopt;
  return PreprocessQueueWait{*node, *queue_size, *start, *end};
}

void append_queue_wait(std::string& text, const PreprocessQueueWait& wait) {
  fmt::format_to(std::back_inserter(text), "Node:{}, queue size:{}, Run start:{}, Run end:{}\n",
                 wait.node, wait.queue_size, wait.start_us, wait.end_us);
  text += '\0';
}

}  // namespace npuprof::format::device
