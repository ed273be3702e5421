// profiler_info.json, profiler_metadata.json and the clock that follows from the former.

#include <cstdint>
#include <string>

#include "format/framework/profiler_info.h"
#include "format/framework/profiler_metadata.h"
#include "format/framework/record_clock.h"
#include "fuzz/input.h"

namespace npuprof::fuzz {
namespace {

using namespace format::framework;

void use_clock(const ClockSources& sources) {
  const Clock clock(sources);
  for (const std::int64_t stamp : {INT64_MIN, INT64_C(-1), INT64_C(0), INT64_MAX}) {
    use(clock.monotonic_ns(stamp));
    use(clock.wall_ns(stamp));
  }
}

void profiler_info(Bytes data) {
  const auto info = parse_profiler_info(as_text(data));
  if (!info.ok()) return use(info.error().message);
  use_clock(clock_sources(*info));
  use(profiler_info_file_name(info->rank_id));
  require(parse_profiler_info(to_json(*info)).ok());
}

void profiler_metadata(Bytes data) {
  const auto metadata = parse_profiler_metadata(as_text(data));
  if (!metadata.ok()) return use(metadata.error().message);
  require(parse_profiler_metadata(to_json(*metadata)).ok());
}

// The numbers as they stand in the input, and its rest as the two texts.
void clock_of_numbers(Bytes data) {
  struct Numbers {
    format::F64 frequency_mhz;
    format::I64 start_count, start_ns, end_ns, monotonic_end_ns, host_count, host_ns, raw_ns;
  };
  if (data.size() < sizeof(Numbers)) return;
  const auto numbers = format::load<Numbers>(data.data());
  const std::string_view text = as_text(data.subspan(sizeof(Numbers)));
  ClockSources sources{.counter_enabled = (numbers.start_count & 1) != 0,
                       .start_frequency_mhz = numbers.frequency_mhz,
                       .start_count = numbers.start_count,
                       .start_monotonic_ns = numbers.start_ns,
                       .collection_time_end_ns = numbers.end_ns,
                       .monotonic_time_end_ns = numbers.monotonic_end_ns};
  use_clock(sources);
  sources.host_count = numbers.host_count;
  sources.host_monotonic_ns = numbers.host_ns;
  sources.clock_monotonic_raw_ns = numbers.raw_ns;
  sources.collection_time_begin_us = text;
  sources.cpu_frequency = text;
  use_clock(sources);
}

void file_names(Bytes data) { use(is_profiler_info_file_name(as_text(data))); }

constexpr Decoder kDecoders[] = {profiler_info, profiler_metadata, clock_of_numbers, file_names};

}  // namespace
}  // namespace npuprof::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return npuprof::fuzz::run_one(npuprof::fuzz::kDecoders, data, size);
}
