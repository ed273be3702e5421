#include "format/device/data_preprocess.h"

#include <iterator>
#include <utility>

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

std::optional<AiCpuTaskText> parse_aicpu_task(std::string_view item) {
  if (!item.starts_with("Thread[")) return std::nullopt;
  AiCpuTaskText task;
  const std::pair<std::string_view, std::uint64_t*> values[] = {
      {"tickDrvTopHalf=", &task.submit_tick},   {"tickDrvBottomHalf=", &task.submitted_tick},
      {"tickBeforeRun=", &task.run_start_tick}, {"tickAfterRun=", &task.run_end_tick},
      {"dispatchTime=", &task.dispatch_us},     {"totalTime=", &task.total_us}};
  for (const auto& [key, value] : values) {
    const std::size_t at = item.find(key);
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view rest = item.substr(at + key.size());
    const auto number = parse_number<std::uint64_t>(rest.substr(0, rest.find_first_of(", .")));
    if (!number) return std::nullopt;
    *value = *number;
  }
  return task;
}

void append_aicpu_task(std::string& text, const AiCpuTaskText& task) {
  fmt::format_to(std::back_inserter(text),
                 "Thread[ 1] process device[0]:aicpu[ 0] task end, tickDrvTopHalf={},"
                 "tickDrvBottomHalf={}, tickBeforeRun={},tickAfterRun={}, dispatchTime={} us, "
                 "totalTime={} us.",
                 task.submit_tick, task.submitted_tick, task.run_start_tick, task.run_end_tick,
                 task.dispatch_us, task.total_us);
  text += '\0';
}

std::optional<AiCpuNodeText> parse_aicpu_node(std::string_view item) {
  constexpr std::string_view kNode = "Node:";
  const std::size_t at = item.find(kNode);
  if (!item.starts_with('[') || at == std::string_view::npos) return std::nullopt;
  item.remove_prefix(at + kNode.size());
  AiCpuNodeText node{.node = trim(item.substr(0, item.find(',')))};
  const auto value_of = [&](std::string_view key) -> std::uint64_t {
    const std::size_t place = item.find(key);
    if (place == std::string_view::npos) return 0;
    const std::string_view rest = item.substr(place + key.size());
    return parse_number<std::uint64_t>(trim(rest.substr(0, rest.find(',')))).value_or(0);
  };
  node.compute_start_us = value_of("compute start:");
  node.memcpy_start_us = value_of("memcpy start:");
  node.memcpy_end_us = value_of("memcpy end:");
  return node;
}

}  // namespace npuprof::format::device
