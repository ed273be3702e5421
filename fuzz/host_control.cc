// The control files of a PROF_* directory, and the names of files and directories.

#include <string>
#include <string_view>

#include "format/host/control.h"
#include "format/host/names.h"
#include "fuzz/input.h"

namespace npuprof::fuzz {
namespace {

using namespace format::host;

void info(Bytes data) {
  const auto parsed = parse_info_json(as_text(data));
  if (!parsed.ok()) return use(parsed.error().message);
  require(parse_info_json(make_info_json(*parsed)).ok());
}

void sample(Bytes data) {
  const auto parsed = parse_sample_json(as_text(data));
  if (!parsed.ok()) return use(parsed.error().message);
  use(parsed->level().value_or(-1));
  require(parse_sample_json(make_sample_json(*parsed)).ok());
}

void collection_time(Bytes data) {
  const auto parsed = parse_collection_time(as_text(data));
  if (!parsed.ok()) return use(parsed.error().message);
  require(parse_collection_time(make_collection_time(*parsed)).ok());
}

void clock_log(Bytes data) {
  const ClockLog log = parse_clock_log(as_text(data));
  const ClockLog again = parse_clock_log(make_clock_log(log));
  require(again.counter == log.counter && again.monotonic_raw_ns == log.monotonic_raw_ns);
}

void done(Bytes data) {
  if (const auto bytes = parse_done(as_text(data))) {
    require(parse_done(make_slice_done(*bytes)) == bytes);
    require(parse_done(make_control_done(*bytes)) == bytes);
  }
}

void names(Bytes data) {
  const std::string_view name = as_text(data);
  use(is_raw_file(name));
  if (const auto file = parse_host_file_name(name)) {
    const auto made = make_host_file_name(file->age, file->module, file->tag, file->slice);
    require(parse_host_file_name(made).has_value());
  }
  if (const auto file = parse_plain_file_name(name))
    require(parse_plain_file_name(make_plain_file_name(file->base, file->slice)).has_value());
  if (const auto file = parse_device_file_name(name))
    use(make_device_file_name(file->base, file->device, file->slice));
  if (const auto directory = parse_prof_directory_name(name))
    use(make_prof_directory_name(*directory));
}

constexpr Decoder kDecoders[] = {info, sample, collection_time, clock_log, done, names};

}  // namespace
}  // namespace npuprof::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return npuprof::fuzz::run_one(npuprof::fuzz::kDecoders, data, size);
}
