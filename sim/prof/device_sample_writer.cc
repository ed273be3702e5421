#include "sim/prof/device_sample_writer.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "format/device/file_names.h"
#include "format/device/l2_cache.h"

namespace npuprof::sim {

namespace {

using format::device::AccPmuSample;
using format::device::AiCpuNode;
using format::device::AiCpuNodeTimes;
using format::device::AiCpuType;
using format::device::ChipId;
using format::device::ChipTransSample;
using format::device::ChipTransSampleV6;
using format::device::DdrSample;
using format::device::FrequencyRecord;
using format::device::HbmSample;
using format::device::HccsSample;
using format::device::InterSocSample;
using format::device::L2CacheRecord;
using format::device::LlcSample;
using format::device::ModuleMemorySample;
using format::device::NetworkSample;
using format::device::NpuMemorySample;
using format::device::PcieSample;
using format::device::RawTaskIdentity;
using format::device::SioBytes;
using format::device::SioSample;
using format::device::SioSampleV6;
using format::device::SocPmuKind;
using format::device::SocPmuRecord;
using format::device::SocPmuRecordV6;
using format::device::StarsFunction;
using format::device::StarsHead;
using format::device::StreamMode;

void copy_sample_counters(std::array<format::U64, 8>& target,
                          std::span<const std::uint64_t> counters) {
  const std::size_t count = std::min(target.size(), counters.size());
  for (std::size_t i = 0; i < count; ++i) target[i] = counters[i];
}

}  // namespace

DeviceSampleWriter::DeviceSampleWriter(std::filesystem::path data_directory, std::uint32_t device,
                                       ChipId chip, StreamMode stream_mode)
    : directory_(std::move(data_directory)),
      device_(device),
      chip_(chip),
      stream_mode_(stream_mode) {}

void DeviceSampleWriter::ai_core_mhz(std::uint64_t ticks, std::uint32_t mhz) {
  const std::uint32_t count = frequencies_.count;
  frequencies_.changes[count] = {.syscnt = ticks, .value = mhz};
  frequencies_.count = count + 1;
  if (frequencies_.count == FrequencyRecord::kMaxChanges) write_frequencies();
}

void DeviceSampleWriter::write_frequencies() {
  if (frequencies_.count == 0) return;
  file(format::device::kFrequencyFile).append(frequencies_);
  frequencies_ = {};
}

void DeviceSampleWriter::hbm(const HbmSample& sample) {
  file(format::device::kHbmFile).append(sample);
}
void DeviceSampleWriter::llc(const LlcSample& sample) {
  file(format::device::kLlcFile).append(sample);
}
void DeviceSampleWriter::ddr(const DdrSample& sample) {
  file(format::device::kDdrFile).append(sample);
}

void DeviceSampleWriter::process_memory(std::uint32_t time_us, std::uint64_t ddr_bytes,
                                        std::uint64_t hbm_bytes) {
  append_memory(format::device::kProcessMemoryFile, NpuMemorySample::kProcess, time_us, ddr_bytes,
                hbm_bytes);
}

void DeviceSampleWriter::device_memory(std::uint32_t time_us, std::uint64_t ddr_bytes,
                                       std::uint64_t hbm_bytes) {
  append_memory(format::device::kDeviceMemoryFile, NpuMemorySample::kDevice, time_us, ddr_bytes,
                hbm_bytes);
}

void DeviceSampleWriter::append_memory(std::string_view base, std::uint32_t scope,
                                       std::uint32_t time_us, std::uint64_t ddr_bytes,
                                       std::uint64_t hbm_bytes) {
  file(base).append(NpuMemorySample{
      .time_us = time_us, .scope = scope, .ddr_bytes = ddr_bytes, .hbm_bytes = hbm_bytes});
}

void DeviceSampleWriter::module_memory(std::uint32_t module_id, std::uint64_t host_ticks,
                                       std::uint64_t bytes) {
  file(format::device::kModuleMemoryFile)
      .append(ModuleMemorySample{
          .module_id = module_id, .host_ticks = host_ticks, .reserved_bytes = bytes});
}

void DeviceSampleWriter::pcie(const PcieSample& sample) {
  file(format::device::kPcieFile).append(sample);
}

void DeviceSampleWriter::hccs(const HccsSample& sample) {
  line_.clear();
  // The reader skips the first line unread.
  if (!files_.contains(format::device::kHccsFile))
    line_.append(format::device::kHccsHeader).append("\n");
  format::device::append_hccs_line(line_, sample);
  file(format::device::kHccsFile).write(line_);
}

void DeviceSampleWriter::nic(const NetworkSample& sample) {
  append_network(format::device::kNicFile, sample);
}
void DeviceSampleWriter::roce(const NetworkSample& sample) {
  append_network(format::device::kRoceFile, sample);
}

void DeviceSampleWriter::append_network(std::string_view base, const NetworkSample& sample) {
  line_.clear();
  if (!files_.contains(base)) line_.append(format::device::kNetworkHeader).append("\n");
  format::device::append_network_line(line_, sample);
  file(base).write(line_);
}

template <format::Record Layout>
void DeviceSampleWriter::append_soc(Layout layout, StarsFunction function, unsigned unit,
                                    std::uint64_t ticks) {
  layout.head = StarsHead::make(function, soc_sequence_++, unit);
  layout.syscnt = ticks;
  file(format::device::kSocSamplesFile).append(layout);
}

void DeviceSampleWriter::accelerator(std::uint64_t ticks, std::uint16_t id,
                                     std::array<std::uint64_t, 2> bandwidth,
                                     std::array<std::uint64_t, 2> outstanding) {
  append_soc(AccPmuSample{.accelerator_id = id,
                          .bandwidth = {bandwidth[0], bandwidth[1]},
                          .outstanding = {outstanding[0], outstanding[1]}},
             StarsFunction::kAccPmu, 0, ticks);
}

void DeviceSampleWriter::die_to_die(std::uint64_t ticks, std::uint8_t die, const SioBytes& received,
                                    const SioBytes& sent) {
  if (format::device::is_v6(chip_)) {
    append_soc(SioSampleV6{.received = received, .sent = sent}, StarsFunction::kSio, die, ticks);
  } else {
    append_soc(SioSample{.die_id = die, .received = received, .sent = sent}, StarsFunction::kSio, 0,
               ticks);
  }
}

void DeviceSampleWriter::inter_soc(std::uint64_t ticks, unsigned mata_level,
                                   unsigned l2_buffer_level) {
  append_soc(InterSocSample{.levels = InterSocSample::pack_levels(mata_level, l2_buffer_level)},
             StarsFunction::kInterSoc, 0, ticks);
}

void DeviceSampleWriter::chip_pcie(std::uint64_t ticks, std::uint8_t id, std::uint64_t written,
                                   std::uint64_t read) {
  if (format::device::is_v6(chip_)) {
    append_soc(ChipTransSampleV6{.written = written, .read = read}, StarsFunction::kChipTrans, id,
               ticks);
  } else {
    append_soc(ChipTransSample{.link = id, .received = written, .sent = read},
               StarsFunction::kChipTrans, ChipTransSample::kPcieUnit, ticks);
  }
}

void DeviceSampleWriter::chip_link(std::uint64_t ticks, std::uint8_t id, std::uint64_t received,
                                   std::uint64_t sent) {
  if (format::device::is_v6(chip_)) return;
  append_soc(ChipTransSample{.link = id, .received = received, .sent = sent},
             StarsFunction::kChipTrans, ChipTransSample::kPaLinkUnit, ticks);
}

void DeviceSampleWriter::aicpu_node(std::uint16_t stream, std::uint32_t task, std::uint64_t ticks,
                                    const AiCpuNodeTimes& times) {
  const RawTaskIdentity raw = raw_identity(stream, task);
  aicpu(AiCpuNode{.header = format::device::aicpu_header(
                      AiCpuType::kNode, AiCpuNode::kPayloadLength, times.thread_id, ticks),
                  .raw_stream = raw.stream,
                  .raw_task = raw.task,
                  .times = times});
}

void DeviceSampleWriter::l2_cache(std::uint16_t stream, std::uint16_t task, std::uint16_t task_type,
                                  std::span<const std::uint64_t> counters) {
  L2CacheRecord record{.task_type = task_type, .raw_stream = stream, .raw_task = task};
  copy_sample_counters(record.counters, counters);
  file(format::device::kL2CacheFile).append(record);
}

void DeviceSampleWriter::soc_pmu(SocPmuKind kind, std::uint16_t stream, std::uint32_t task,
                                 std::uint16_t task_type, std::span<const std::uint64_t> counters) {
  if (format::device::is_v6(chip_)) {
    SocPmuRecordV6 record{.kind = static_cast<std::uint16_t>(kind),
                          .task_type = task_type,
                          .stream_id = stream,
                          .task_id = task};
    copy_sample_counters(record.counters, counters);
    file(format::device::kSocPmuFile).append(record);
    return;
  }
  const RawTaskIdentity raw = raw_identity(stream, task);
  SocPmuRecord record{.task_type = task_type,
                      .raw_stream = raw.stream,
                      .raw_task = raw.task,
                      .kind = static_cast<std::uint16_t>(kind)};
  copy_sample_counters(record.counters, counters);
  file(format::device::kSocPmuFile).append(record);
}

void DeviceSampleWriter::flush() {
  write_frequencies();  // A record need not be full.
  for (auto& [base, writer] : files_) writer.flush();
}

Status DeviceSampleWriter::close() {
  write_frequencies();
  for (auto& [base, writer] : files_) error_.keep(writer.close());
  return error_.status();
}

SliceWriter& DeviceSampleWriter::file(std::string_view base) {
  const auto found = files_.find(base);
  if (found != files_.end()) return found->second;
  return files_.try_emplace(std::string(base), directory_, fmt::format("{}.{}", base, device_))
      .first->second;
}

RawTaskIdentity DeviceSampleWriter::raw_identity(std::uint16_t stream, std::uint32_t task) {
  const auto task_id = static_cast<std::uint16_t>(task);
  const auto raw = format::device::encode_task_identity({stream, task_id}, stream_mode_, 0);
  if (raw && (task == task_id || format::device::is_v6(chip_))) return *raw;
  error_.keep(Error{
      ErrorCode::kInvalidArgument,
      fmt::format("stream {} task {} does not fit a record of device {}", stream, task, device_)});
  return {};
}

}  // namespace npuprof::sim
