// Text in device_<N>/data and in the settings that say what it holds.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "format/device/data_preprocess.h"
#include "format/device/instruction_profile.h"
#include "format/device/link_text.h"
#include "format/device/perf_text.h"
#include "format/device/pmu_events.h"
#include "format/device/pmu_metrics.h"
#include "fuzz/input.h"

namespace npuprof::fuzz {
namespace {

using namespace format::device;

void hccs(Bytes data) {
  use(for_each_sample_line(as_text(data), 1, {}, parse_hccs_line, [](const HccsSample& sample) {
    std::string line;
    append_hccs_line(line, sample);
    require(parse_hccs_line(line.substr(0, line.find('\n'))).has_value());
  }));
}

void network(Bytes data) {
  use(for_each_sample_line(as_text(data), 0, kNetworkHeaderMark, parse_network_line,
                           [](const NetworkSample& sample) {
                             std::string line;
                             append_network_line(line, sample);
                             use(line);
                           }));
}

void dvpp(Bytes data) {
  for (const bool has_id : {false, true}) {
    const auto parse = [&](std::string_view line) { return parse_dvpp_line(line, has_id); };
    use(for_each_sample_line(as_text(data), 0, kDvppHeaderMark, parse,
                             [](const DvppSample& sample) { use(sample.engine_type); }));
  }
}

void netdev(Bytes data) {
  use(for_each_sample_line(as_text(data), 0, {}, parse_netdev_line, [](const NetdevSample& sample) {
    std::string line;
    append_netdev_line(line, sample);
    require(parse_netdev_line(line.substr(0, line.find('\n'))).has_value());
  }));
}

void perf_samples(Bytes data) {
  std::string text;
  const PerfCounts counts = read_perf_samples(as_text(data), [&](const PerfSample& sample) {
    use(sample.function);
    use(sample.module);
    append_perf_sample(text,
                       {.time_ns = sample.time_ns,
                        .cpu = sample.cpu,
                        .count = sample.count,
                        .event = sample.event,
                        .function = "f",
                        .module = "m"},
                       "command", 1);
  });
  use(counts.damaged);
}

void cache_counts(Bytes data) {
  use(for_each_sample_line(
      as_text(data), 0, kPerfCommentMark, parse_cache_count_310, [](const CacheCount310& count) {
        std::string line;
        append_cache_count_310(line, count);
        require(parse_cache_count_310(line.substr(0, line.find('\n'))).has_value());
      }));
}

void preprocess_items(Bytes data) {
  for (const std::string_view item : split(as_text(data), '\0')) {
    std::string written;
    if (const auto step = parse_preprocess_step(item)) append_preprocess_step(written, *step);
    if (const auto task = parse_aicpu_task(item)) append_aicpu_task(written, *task);
    if (const auto node = parse_aicpu_node(item)) use(node->node);
    if (const auto wait = parse_queue_wait(item)) append_queue_wait(written, *wait);
    use(written);
  }
}

void instruction_file_names(Bytes data) {
  if (const auto file = parse_instruction_file(as_text(data))) use(file->group);
}

// The events of a setting decide how counters become columns.
void use_events(PmuGroup group, const std::vector<std::uint16_t>& events) {
  use(format_event_list(events));
  for (const Chip& chip : all_chips()) {
    const PmuEvaluator evaluator(group, chip.id, events);
    std::vector<double> values(evaluator.columns().size());
    std::array<format::U64, 10> counters;
    counters.fill(~std::uint64_t{0});
    evaluator.evaluate(counters, 0, 0, values);
    evaluator.evaluate(counters, 1000, chip.ai_core_mhz, values);
    for (const auto& column : evaluator.columns()) use(column.name);
  }
}

void event_lists(Bytes data) {
  if (data.empty()) return;
  const auto group_count = static_cast<std::uint8_t>(PmuGroup::kCustom) + 1;
  const auto group = static_cast<PmuGroup>(std::to_integer<int>(data[0]) % group_count);
  const std::string_view text = as_text(data.subspan(1));
  if (const auto events = parse_event_list(text); events.ok()) use_events(group, *events);
  if (const auto events = parse_custom_group(text); events.ok())
    use_events(PmuGroup::kCustom, *events);
  if (const auto named = find_pmu_group(text)) use(pmu_group_name(*named));
}

constexpr Decoder kDecoders[] = {hccs,        network,          dvpp,
                                 netdev,      preprocess_items, instruction_file_names,
                                 event_lists, perf_samples,     cache_counts};

}  // namespace
}  // namespace npuprof::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return npuprof::fuzz::run_one(npuprof::fuzz::kDecoders, data, size);
}
