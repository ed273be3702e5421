#include "load/cann_device/link_files.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "format/device/file_names.h"
#include "format/device/link_text.h"
#include "format/device/links.h"
#include "trace/device/link_samples.h"

namespace npuprof::load {
namespace {

using namespace format::device;  // NOLINT(google-build-using-namespace): record layouts.
using trace::LinkKind;

class LinkLoader {
 public:
  LinkLoader(const DeviceFiles& files, const DeviceConfig& config, DevicePart& out)
      : files_(files), config_(config), out_(out) {}

  void load_pcie() {
    const DeviceFile file = open(kPcieFile);
    file.for_each_record<PcieSample>(out_.losses, [&](const PcieSample& sample) {
      if (!sample.is_valid()) return true;  // Nothing was measured.
      trace::LinkValues& values = append(config_.clock.from_device_monotonic(sample.time_ns),
                                         LinkKind::kPcie, sample.device_id);
      std::size_t i = 0;
      for (const MinMaxAverage* part :
           {&sample.sent_posted, &sample.sent_non_posted, &sample.sent_completion,
            &sample.sent_non_posted_latency, &sample.received_posted, &sample.received_non_posted,
            &sample.received_completion}) {
        values[i++] = part->is_measured() ? number(part->minimum) : 0;
        values[i++] = number(part->maximum);
        values[i++] = number(part->average);
      }
      return true;
    });
  }

  void load_ub() {
    const DeviceFile file = open(kUbFile);
    const auto has_magic = [](const UbSample& sample) { return sample.has_magic(); };
    file.for_each_record<UbSample>(out_.losses, has_magic, [&](const UbSample& sample) {
      if (!sample.has_magic()) return false;
      trace::LinkValues& values =
          append(config_.clock.from_start_us(sample.time_us), LinkKind::kUb, sample.port);
      values[0] = number(sample.udma_received);
      values[1] = number(sample.udma_sent);
      std::size_t i = 2;
      for (const UbDirection* part : {&sample.received, &sample.sent}) {
        for (const format::U64 value : {part->bandwidth, part->packet_rate, part->bytes,
                                        part->packets, part->errors, part->dropped}) {
          values[i++] = number(value);
        }
      }
      return true;
    });
  }

  void load_qos() {
    const DeviceFile file = open(kQosFile);
    file.for_each_record<QosSample>(out_.losses, [&](const QosSample& sample) {
      trace::LinkValues& values =
          append(config_.clock.from_syscnt(sample.syscnt), LinkKind::kQos, 0);
      std::copy(sample.bandwidth.begin(), sample.bandwidth.end(), values.begin());
      return true;
    });
  }

  void load_hccs() {
    load_text(kHccsFile, 1, "", parse_hccs_line, [&](const HccsSample& sample) {
      trace::LinkValues& values =
          append(config_.clock.from_device_monotonic(sample.time_ns), LinkKind::kHccs, 0);
      values[0] = number(sample.sent_bytes);
      values[1] = number(sample.received_bytes);
    });
  }

  void load_network(std::string_view base, LinkKind kind) {
    load_text(base, 0, kNetworkHeaderMark, parse_network_line, [&](const NetworkSample& sample) {
      trace::LinkValues& values = append(config_.clock.from_device_monotonic(sample.time_ns), kind,
                                         sample.function_id.value_or(0));
      std::size_t i = 0;
      values[i++] = sample.bandwidth_mb_s;
      for (const NetworkDirection* part : {&sample.received, &sample.sent}) {
        values[i++] = part->packets_per_s;
        values[i++] = part->bytes_per_s;
        values[i++] = number(part->packets);
        values[i++] = number(part->bytes);
        values[i++] = number(part->errors);
        values[i++] = number(part->dropped);
      }
    });
  }

  void load_netdev() {
    load_text(kNetdevFile, 0, "", parse_netdev_line, [&](const NetdevSample& sample) {
      trace::LinkValues& values =
          append(config_.clock.from_host_monotonic(sample.time_ns), LinkKind::kNetdev, 0);
      std::transform(sample.counters.begin(), sample.counters.end(), values.begin(), number);
    });
  }

  // Seconds on the device's monotonic clock, as far as the text tells.
  void load_dvpp() {
    const bool has_id = has_dvpp_ids(config_.chip);
    const auto parse = [&](std::string_view line) { return parse_dvpp_line(line, has_id); };
    load_text(kDvppFile, 0, kDvppHeaderMark, parse, [&](const DvppSample& sample) {
      constexpr double kMaxSeconds = 4e9;
      const double seconds = std::clamp(sample.time, 0.0, kMaxSeconds);
      trace::LinkValues& values =
          append(config_.clock.from_device_monotonic(
                     static_cast<std::uint64_t>(std::llround(seconds * 1e9))),
                 LinkKind::kDvpp, sample.dvpp_id.value_or(0));
      values[0] = sample.engine_type;
      values[1] = sample.engine_id;
      values[2] = number(sample.all_time);
      values[3] = number(sample.all_frames);
      values[4] = sample.all_utilization;
      values[5] = number(sample.process_time);
      values[6] = number(sample.process_frames);
      values[7] = sample.process_utilization;
    });
  }

 private:
  DeviceFile open(std::string_view base) { return files_.open(base, out_.losses); }

  // The new row's values, all 0.
  trace::LinkValues& append(std::int64_t time_ns, LinkKind kind, std::uint32_t unit) {
    trace::LinkSamples& table = out_.tables.link_samples();
    table.time_ns.push_back(time_ns);
    table.device.push_back(config_.info.id);
    table.kind.push_back(static_cast<std::uint8_t>(kind));
    table.unit.push_back(unit);
    return table.values.emplace_back();
  }

  template <typename Parse, typename Visit>
  void load_text(std::string_view base, std::size_t skipped_lines, std::string_view header_mark,
                 Parse&& parse, Visit&& visit) {
    const DeviceFile file = open(base);
    const std::string text = file.text();
    const std::size_t damaged =
        for_each_sample_line(text, skipped_lines, header_mark, parse, visit);
    if (damaged == 0) return;
    out_.losses.add(file.name(), 0, damaged,
                    fmt::format("{} line(s) cannot be read and were skipped.", damaged));
  }

  const DeviceFiles& files_;
  const DeviceConfig& config_;
  DevicePart& out_;
};

}  // namespace

void load_link_files(const DeviceFiles& files, const DeviceConfig& config, DevicePart& out) {
  LinkLoader loader(files, config, out);
  loader.load_pcie();
  loader.load_hccs();
  loader.load_network(kNicFile, LinkKind::kNic);
  loader.load_network(kRoceFile, LinkKind::kRoce);
  loader.load_netdev();
  loader.load_ub();
  loader.load_qos();
  loader.load_dvpp();
}

}  // namespace npuprof::load
