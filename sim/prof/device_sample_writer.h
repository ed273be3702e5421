#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/first_error.h"
#include "base/result.h"
#include "format/device/aicpu.h"
#include "format/device/chips.h"
#include "format/device/file_names.h"
#include "format/device/frequency.h"
#include "format/device/link_text.h"
#include "format/device/links.h"
#include "format/device/memory_samples.h"
#include "format/device/soc_pmu.h"
#include "format/device/stars_soc_profile.h"
#include "format/device/task_identity.h"
#include "record/slice_writer.h"

namespace npuprof::sim {

using record::SliceWriter;

// Writes the files of `device_<N>/data` that hold samples and other records in the order of the
// calls. Part of DeviceReporter; times as the layouts say. A file exists once it has a record.
class DeviceSampleWriter {
 public:
  DeviceSampleWriter(std::filesystem::path data_directory, std::uint32_t device,
                     format::device::ChipId chip, format::device::StreamMode stream_mode);
  DeviceSampleWriter(const DeviceSampleWriter&) = delete;
  DeviceSampleWriter& operator=(const DeviceSampleWriter&) = delete;

  // The AI core clock from `ticks` on. Goes to lpmFreqConv.data, which all readers know (the newer
  // lpmInfoConv.data is unknown to one).
  void ai_core_mhz(std::uint64_t ticks, std::uint32_t mhz);

  // ---- Memory.
  void hbm(const format::device::HbmSample& sample);
  void llc(const format::device::LlcSample& sample);
  void ddr(const format::device::DdrSample& sample);
  void process_memory(std::uint32_t time_us, std::uint64_t ddr_bytes, std::uint64_t hbm_bytes);
  void device_memory(std::uint32_t time_us, std::uint64_t ddr_bytes, std::uint64_t hbm_bytes);
  void module_memory(std::uint32_t module_id, std::uint64_t host_ticks, std::uint64_t bytes);

  // ---- Links.
  void pcie(const format::device::PcieSample& sample);
  void hccs(const format::device::HccsSample& sample);
  void nic(const format::device::NetworkSample& sample);
  void roce(const format::device::NetworkSample& sample);

  // ---- Parts of the chip (stars_soc_profile.data).
  // Pairs: of writes, of reads.
  void accelerator(std::uint64_t ticks, std::uint16_t id, std::array<std::uint64_t, 2> bandwidth,
                   std::array<std::uint64_t, 2> outstanding);
  void die_to_die(std::uint64_t ticks, std::uint8_t die, const format::device::SioBytes& received,
                  const format::device::SioBytes& sent);
  void inter_soc(std::uint64_t ticks, unsigned mata_level, unsigned l2_buffer_level);
  // PCIe as the chip sees it; chips 15 and 16 take `id` for the die.
  void chip_pcie(std::uint64_t ticks, std::uint8_t id, std::uint64_t written, std::uint64_t read);
  // A link to another chip; chips 15 and 16 do not report these.
  void chip_link(std::uint64_t ticks, std::uint8_t id, std::uint64_t received, std::uint64_t sent);

  // ---- Per kernel.
  void aicpu_node(std::uint16_t stream, std::uint32_t task, std::uint64_t ticks,
                  const format::device::AiCpuNodeTimes& times);
  // Any other record of aicpu.data.
  template <format::Record Layout>
  void aicpu(const Layout& record) {
    static_assert(sizeof(Layout) == 256);
    file(format::device::kAicpuFile).append(record);
  }
  void l2_cache(std::uint16_t stream, std::uint16_t task, std::uint16_t task_type,
                std::span<const std::uint64_t> counters);
  void soc_pmu(format::device::SocPmuKind kind, std::uint16_t stream, std::uint32_t task,
               std::uint16_t task_type, std::span<const std::uint64_t> counters);

  // Hands what is buffered to the operating system.
  void flush();
  Status close();

 private:
  SliceWriter& file(std::string_view base);
  template <format::Record Layout>
  void append_soc(Layout layout, format::device::StarsFunction function, unsigned unit,
                  std::uint64_t ticks);
  void append_memory(std::string_view base, std::uint32_t scope, std::uint32_t time_us,
                     std::uint64_t ddr_bytes, std::uint64_t hbm_bytes);
  void append_network(std::string_view base, const format::device::NetworkSample& sample);
  void write_frequencies();
  format::device::RawTaskIdentity raw_identity(std::uint16_t stream, std::uint32_t task);

  std::filesystem::path directory_;
  std::uint32_t device_;
  format::device::ChipId chip_;
  format::device::StreamMode stream_mode_;
  std::map<std::string, SliceWriter, std::less<>> files_;  // By base name without the device.
  std::string line_;                                       // Memory for text, used again.
  format::device::FrequencyRecord frequencies_{};
  unsigned soc_sequence_ = 0;
  FirstError error_;
};

}  // namespace npuprof::sim
