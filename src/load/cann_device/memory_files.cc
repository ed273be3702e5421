#include "load/cann_device/memory_files.h"

#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "base/saturated.h"
#include "format/device/file_names.h"
#include "format/device/link_text.h"
#include "format/device/memory_samples.h"
#include "format/device/perf_text.h"
#include "trace/device/device_memory.h"
#include "trace/device/memory_bandwidth.h"
#include "trace/device/module_memory.h"

namespace npuprof::load {
namespace {

using namespace format::device;  // NOLINT(google-build-using-namespace): record layouts.

class BandwidthWriter {
 public:
  BandwidthWriter(const DeviceConfig& config, trace::MemoryBandwidth& table,
                  trace::MemoryBandwidthKind kind)
      : config_(config), table_(table), kind_(kind) {}

  void add(std::int64_t time_ns, std::uint32_t unit, std::uint32_t event, std::uint64_t count) {
    table_.time_ns.push_back(time_ns);
    table_.device.push_back(config_.info.id);
    table_.kind.push_back(static_cast<std::uint8_t>(kind_));
    table_.unit.push_back(unit);
    table_.event.push_back(event);
    table_.count.push_back(count);
  }

 private:
  const DeviceConfig& config_;
  trace::MemoryBandwidth& table_;
  trace::MemoryBandwidthKind kind_;
};

std::uint32_t direction(bool is_read) { return is_read ? 0 : 1; }

void load_hbm(const DeviceFile& file, const DeviceConfig& config, DevicePart& out) {
  BandwidthWriter writer(config, out.tables.memory_bandwidth(), trace::MemoryBandwidthKind::kHbm);
  if (config.version_2) {
    file.for_each_record<HbmSampleV2>(out.losses, [&](const HbmSampleV2& sample) {
      writer.add(config.clock.from_host_monotonic(sample.time_ns), sample.hbm_id,
                 direction(sample.is_read()), sample.count);
      return true;
    });
  } else {
    file.for_each_record<HbmSample>(out.losses, [&](const HbmSample& sample) {
      writer.add(config.clock.from_start_us(sample.time_us), sample.hbm_id,
                 direction(sample.is_read()), sample.count);
      return true;
    });
  }
}

void load_llc(const DeviceFile& file, const DeviceConfig& config, DevicePart& out) {
  BandwidthWriter writer(config, out.tables.memory_bandwidth(), trace::MemoryBandwidthKind::kLlc);
  if (config.version_2) {
    file.for_each_record<LlcSampleV2>(out.losses, [&](const LlcSampleV2& sample) {
      writer.add(config.clock.from_host_monotonic(sample.time_ns), sample.slice_id, sample.event,
                 sample.count);
      return true;
    });
  } else {
    file.for_each_record<LlcSample>(out.losses, [&](const LlcSample& sample) {
      writer.add(config.clock.from_start_us(sample.time_us), sample.slice_id, sample.event,
                 sample.count);
      return true;
    });
  }
}

// The 310 counts with Linux's perf.
void load_llc_310(const DeviceFile& file, const DeviceConfig& config, DevicePart& out) {
  BandwidthWriter writer(config, out.tables.memory_bandwidth(),
                         trace::MemoryBandwidthKind::kLlc310);
  const std::string text = file.text();
  const std::size_t damaged = for_each_sample_line(
      text, 0, kPerfCommentMark, parse_cache_count_310, [&](const CacheCount310& count) {
        writer.add(saturated_sum(config.clock.start_ns, count.time_ns), 0, count.event,
                   count.count);
      });
  if (damaged == 0) return;
  out.losses.add(file.name(), 0, damaged,
                 fmt::format("{} line(s) cannot be read and were skipped.", damaged));
}

void load_ddr(const DeviceFile& file, const DeviceConfig& config, DevicePart& out) {
  BandwidthWriter writer(config, out.tables.memory_bandwidth(), trace::MemoryBandwidthKind::kDdr);
  file.for_each_record<DdrSample>(out.losses, [&](const DdrSample& sample) {
    writer.add(config.clock.from_start_us(sample.time_us), sample.channel,
               direction(sample.is_read()), sample.count);
    return true;
  });
}

void load_device_memory(const DeviceFile& file, const DeviceConfig& config, DevicePart& out) {
  const auto is_sound = [](const NpuMemorySample& sample) { return sample.is_sound(); };
  file.for_each_record<NpuMemorySample>(out.losses, is_sound, [&](const NpuMemorySample& sample) {
    if (!sample.is_sound()) return false;
    trace::DeviceMemory& table = out.tables.device_memory();
    table.time_ns.push_back(config.version_2 ? config.clock.from_host_monotonic(sample.time_v2)
                                             : config.clock.from_start_us(sample.time_us));
    table.device.push_back(config.info.id);
    table.event.push_back(static_cast<std::uint8_t>(sample.scope));
    table.ddr_bytes.push_back(sample.ddr_bytes);
    table.hbm_bytes.push_back(sample.hbm_bytes);
    return true;
  });
}

void load_module_memory(const DeviceFile& file, const DeviceConfig& config, DevicePart& out) {
  file.for_each_record<ModuleMemorySample>(out.losses, [&](const ModuleMemorySample& sample) {
    trace::ModuleMemory& table = out.tables.module_memory();
    table.time_ns.push_back(config.clock.from_host_ticks(sample.host_ticks));
    table.device.push_back(config.info.id);
    table.module.push_back(sample.module_id);
    const auto bytes = sample.known_bytes();
    table.reserved_bytes.push_back(bytes ? static_cast<std::int64_t>(*bytes) : -1);
    return true;
  });
}

}  // namespace

void load_memory_files(const DeviceFiles& files, const DeviceConfig& config, DevicePart& out) {
  load_hbm(files.open(kHbmFile, out.losses), config, out);
  const DeviceFile llc = files.open(kLlcFile, out.losses);
  if (writes_llc_as_text(config.chip)) {
    load_llc_310(llc, config, out);
  } else {
    load_llc(llc, config, out);
  }
  load_ddr(files.open(kDdrFile, out.losses), config, out);
  for (const std::string_view base : {kProcessMemoryFile, kDeviceMemoryFile}) {
    load_device_memory(files.open(base, out.losses), config, out);
  }
  load_module_memory(files.open(kModuleMemoryFile, out.losses), config, out);
}

}  // namespace npuprof::load
