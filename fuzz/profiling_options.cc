// Texts of profiling_options. Whatever they hold, an answer begins with a code of its check.

#include "cann/profiling_options.h"

#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/input.h"

namespace npuprof::fuzz {
namespace {

void check(Bytes data, const cann::OptionsTarget& target) {
  const auto options = cann::parse_profiling_options(as_text(data), target);
  if (!options.ok()) {
    require(options.error().message.starts_with("E"));
    use(options.error().message);
    return;
  }
  require(!options->output.empty() && options->custom_events.size() <= 8);
  require(options->host_sys_usage_freq >= 1 && options->host_sys_usage_freq <= 50);
  require(!options->storage_limit_mb || *options->storage_limit_mb >= 200);
  std::vector<std::string> left_out;
  use(cann::make_switches(*options, left_out).bits);
  for (const std::string& note : options->notes) use(note);
}

void on_a_device(Bytes data) { check(data, {}); }
void on_a_host(Bytes data) { check(data, {.has_driver = false, .work_path = "/data"}); }

constexpr Decoder kDecoders[] = {on_a_device, on_a_host};

}  // namespace
}  // namespace npuprof::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return npuprof::fuzz::run_one(npuprof::fuzz::kDecoders, data, size);
}
