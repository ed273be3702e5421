#include "load/cann_device/soc_samples.h"

#include <algorithm>
#include <initializer_list>

#include "format/device/file_names.h"
#include "trace/device/frequencies.h"
#include "trace/device/link_samples.h"

namespace npuprof::load {

using namespace format::device;  // NOLINT(google-build-using-namespace): record layouts.

void SocSamples::append(std::uint64_t syscnt, trace::LinkKind kind, std::uint32_t unit,
                        std::initializer_list<double> values) {
  trace::LinkSamples& table = out_.tables.link_samples();
  table.time_ns.push_back(config_.clock.from_syscnt(syscnt));
  table.device.push_back(config_.info.id);
  table.kind.push_back(static_cast<std::uint8_t>(kind));
  table.unit.push_back(unit);
  trace::LinkValues row{};
  std::copy(values.begin(), values.end(), row.begin());
  table.values.push_back(row);
}

void SocSamples::add(const SocSample& sample) {
  switch (sample.head.function()) {
    case StarsFunction::kAccPmu: {
      const auto pmu = sample.as<AccPmuSample>();
      append(
          pmu.syscnt, trace::LinkKind::kAccPmu, pmu.accelerator_id,
          {number(pmu.bandwidth[AccPmuSample::kRead]), number(pmu.bandwidth[AccPmuSample::kWrite]),
           number(pmu.outstanding[AccPmuSample::kRead]),
           number(pmu.outstanding[AccPmuSample::kWrite])});
      break;
    }
    case StarsFunction::kSio:
      add_sio(sample);
      break;
    case StarsFunction::kChipTrans:
      add_chip_trans(sample);
      break;
    case StarsFunction::kInterSoc: {
      const auto levels = sample.as<InterSocSample>();
      append(levels.syscnt, trace::LinkKind::kSocLevel, 0,
             {number(levels.l2_buffer_level()), number(levels.mata_level())});
      break;
    }
    case StarsFunction::kLowPower:
      if (is_v6(config_.chip)) add_low_power(sample.as<LowPowerSample>());
      break;
    case StarsFunction::kQos:
      if (is_v6(config_.chip)) add_qos(sample.as<QosSampleV6>());
      break;
    default:
      break;
  }
}

void SocSamples::add_sio(const SocSample& sample) {
  const auto append_bytes = [&](std::uint32_t die, const SioBytes& in, const SioBytes& out) {
    append(sample.syscnt, trace::LinkKind::kSio, die,
           {number(in.request), number(in.response), number(in.snoop), number(in.data),
            number(out.request), number(out.response), number(out.snoop), number(out.data)});
  };
  if (is_v6(config_.chip)) {
    const auto sio = sample.as<SioSampleV6>();
    append_bytes(sio.head.unit(), sio.received, sio.sent);
  } else {
    const auto sio = sample.as<SioSample>();
    append_bytes(sio.die_id, sio.received, sio.sent);
  }
}

void SocSamples::add_chip_trans(const SocSample& sample) {
  if (is_v6(config_.chip)) {
    const auto pcie = sample.as<ChipTransSampleV6>();
    if (!pcie.is_valid()) return;
    append(pcie.syscnt, trace::LinkKind::kPcieTrans, pcie.head.unit(),
           {number(pcie.written), number(pcie.read)});
    return;
  }
  const auto link = sample.as<ChipTransSample>();
  const bool is_pa_link = link.head.unit() == ChipTransSample::kPaLinkUnit;
  if (!is_pa_link && !link.is_pcie()) return;
  append(link.syscnt, is_pa_link ? trace::LinkKind::kPaLink : trace::LinkKind::kPcieTrans,
         link.link_id(), {number(link.received), number(link.sent)});
}

void SocSamples::add_low_power(const LowPowerSample& sample) {
  const std::uint8_t die = sample.head.unit();
  if (die > 1) return;
  trace::Frequencies& table = out_.tables.frequencies();
  table.time_ns.push_back(config_.clock.from_syscnt(sample.syscnt));
  table.device.push_back(config_.info.id);
  table.kind.push_back(0);
  table.value.push_back(sample.channel(LowPowerSample::kAiCoreMhzChannel));
  table.die.push_back(die);
}

void SocSamples::add_qos(const QosSampleV6& sample) {
  trace::LinkSamples& table = out_.tables.link_samples();
  append(sample.syscnt, trace::LinkKind::kQos, sample.head.unit(), {});
  for (std::size_t i = QosSampleV6::kFirstMeaningful; i < sample.bandwidth.size(); ++i) {
    table.values.back()[i - QosSampleV6::kFirstMeaningful] = number(sample.bandwidth[i]);
  }
}

void load_soc_profile(const DeviceFiles& files, const DeviceConfig& config, DevicePart& out) {
  const DeviceFile file = files.open(kSocSamplesFile, out.losses);
  SocSamples samples(config, out);
  const auto has_magic = [](const SocSample& sample) { return sample.head.has_magic(); };
  file.for_each_record<SocSample>(out.losses, has_magic, [&](const SocSample& sample) {
    if (!sample.head.has_magic()) return false;
    samples.add(sample);
    return true;
  });
}

}  // namespace npuprof::load
