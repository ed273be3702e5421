#include "load/cann_device/instruction_files.h"

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "format/device/instruction_profile.h"
#include "format/device/instruction_words.h"
#include "load/plausible.h"
#include "trace/device/instruction_samples.h"
#include "trace/device/pipe_intervals.h"
#include "trace/device/pmu_counters.h"

namespace npuprof::load {
namespace {

using namespace format::device;  // NOLINT(google-build-using-namespace): record layouts.

// Samples of one core: counters run freely, so a row holds the difference to the sample before.
class CoreCycles {
 public:
  CoreCycles(const DeviceConfig& config, InstructionFile file, trace::InstructionSamples& table)
      : config_(config), file_(file), table_(table) {}

  void add(std::uint64_t syscnt, const CycleSample& cycles, const trace::BusTraffic& traffic) {
    trace::PipeCycles now;
    trace::PipeCycles difference;
    for (std::size_t i = 0; i < now.size(); ++i) {
      now[i] = cycles.number(i);
      difference[i] =
          static_cast<std::uint16_t>((now[i] - before_[i]) & (CycleSample::kModulus - 1));
    }
    const bool has_before = std::exchange(has_before_, true);
    before_ = now;
    if (!has_before) return;
    const bool is_cube = file_.core == InstructionCore::kCube;
    table_.time_ns.push_back(config_.clock.from_syscnt(syscnt));
    table_.device.push_back(config_.info.id);
    table_.group.push_back(static_cast<std::uint8_t>(file_.group));
    table_.core.push_back(
        static_cast<std::uint8_t>(is_cube ? trace::PmuCore::kAic : trace::PmuCore::kAiv));
    table_.core_id.push_back(static_cast<std::uint8_t>(instruction_core_id(file_)));
    table_.cycles.push_back(difference);
    table_.traffic.push_back(traffic);
  }

 private:
  const DeviceConfig& config_;
  InstructionFile file_;
  trace::InstructionSamples& table_;
  trace::PipeCycles before_{};
  bool has_before_ = false;
};

trace::BusTraffic traffic_of(const FlowSample& flow) {
  return {flow.read_commands,       flow.write_commands,      flow.read_latency.get(),
          flow.write_latency.get(), flow.read_flux.get(),     flow.write_flux.get(),
          flow.read_flux_l2.get(),  flow.write_flux_l2.get(), flow.l2_hits};
}

void load_instruction_samples(const DeviceFile& file, InstructionFile which,
                              const DeviceConfig& config, DevicePart& out) {
  CoreCycles cycles(config, which, out.tables.instruction_samples());
  if (which.core == InstructionCore::kCube) {
    file.for_each_record<CubeInstructionRecord>(
        out.losses, [&](const CubeInstructionRecord& record) {
          const FlowSample flow = record.flow();
          cycles.add(flow.syscnt, record.cycles(), traffic_of(flow));
          return true;
        });
  } else {
    file.for_each_record<VectorInstructionRecord>(
        out.losses, [&](const VectorInstructionRecord& record) {
          cycles.add(record.cycles.syscnt(), record.cycles, {});
          return true;
        });
  }
}

void load_words(const DeviceFile& file, InstructionFile which, const DeviceConfig& config,
                DevicePart& out) {
  if (config.info.aic_mhz <= 0) return;
  InstructionDecoder decoder(config.info.counter_mhz / config.info.aic_mhz);
  trace::PipeIntervals& table = out.tables.pipe_intervals();
  file.for_each_record<InstructionWord>(out.losses, [&](const InstructionWord& word) {
    decoder.feed(word, [&](const PipeEvent& event) {
      const std::int64_t start_ns = config.clock.from_syscnt(event.start_syscnt);
      const std::int64_t end_ns = config.clock.from_syscnt(event.end_syscnt);
      if (!is_plausible(start_ns, end_ns)) return;
      table.start_ns.push_back(start_ns);
      table.end_ns.push_back(end_ns);
      table.device.push_back(config.info.id);
      table.group.push_back(static_cast<std::uint8_t>(which.group));
      table.core.push_back(static_cast<std::uint8_t>(which.core));
      table.pipe.push_back(event.pipe);
      table.block.push_back(event.block_id);
      table.checkpoint.push_back(event.is_checkpoint ? event.checkpoint_events
                                                     : trace::kNoCheckpoint);
    });
    return true;
  });
  if (decoder.damaged_words() == 0) return;
  out.losses.add(
      file.name(), 0, decoder.damaged_words(),
      fmt::format("{} word(s) make no sense and were skipped.", decoder.damaged_words()));
}

}  // namespace

void load_instruction_files(const DeviceFiles& files, const DeviceConfig& config, DevicePart& out) {
  for (const std::string& base : files.names_with_prefix("instr.")) {
    const auto which = parse_instruction_file(base);
    if (!which) continue;
    const DeviceFile file = files.open(base, out.losses);
    if (is_v6(config.chip)) {
      load_words(file, *which, config, out);
    } else {
      load_instruction_samples(file, *which, config, out);
    }
  }
}

}  // namespace npuprof::load
