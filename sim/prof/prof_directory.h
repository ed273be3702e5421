#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/host/names.h"
#include "record/collection_files.h"
#include "sim/model/chip.h"
#include "sim/model/sim_clock.h"
#include "sim/prof/collection_settings.h"

namespace npuprof::sim {

// One process whose profile is written.
struct ProfOptions {
  format::host::ProfDirectoryName name;
  CollectionSettings collection;
  const ChipSpec* chip = nullptr;  // Of all devices of the process.
  MachineInfo host = simulated_host();
  ClockAnchors clock;  // Only the readings of the host count.
  std::int64_t pid = 0;
  std::string process_name = "python3";
  std::int64_t rank_id = -1;
  // Task ids carry flips from 0x072211 on.
  std::int64_t driver_version = 0x072220;
  std::string cann_version = "8.3.0";
};

// Makes the tree of a collection and its control files:
//
//   PROF_.../host/{info.json,sample.json,start_info,host_start.log,end_info} and host/data/
//   PROF_.../device_<N>/{info.json.<N>,sample.json,start_info.<N>,...} and device_<N>/data/
//
// Each control file gets its `.done` once it is written. Without finish() the tree looks like that
// of a process that was killed: no end_info.
class ProfDirectory {
 public:
  static Result<ProfDirectory> create(const std::filesystem::path& parent, ProfOptions options);

  // Makes device_<device>. `clock` holds the readings of that device's clocks.
  Status add_device(std::uint32_t device, const ClockAnchors& clock);

  // Writes end_info of the host and all devices.
  Status finish(std::int64_t wall_us, std::int64_t monotonic_ns);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path host_data() const { return path_ / "host" / "data"; }
  std::filesystem::path device_data(std::uint32_t device) const {
    return device_directory(device) / "data";
  }

 private:
  ProfDirectory(std::filesystem::path path, ProfOptions options);

  std::filesystem::path device_directory(std::uint32_t device) const;
  Status write_host();

  std::filesystem::path path_;
  ProfOptions options_;
  std::vector<std::uint32_t> devices_;
};

using record::collection_date;
using record::prof_name_time;
// Eight letters A..R for the name, the same for the same seed.
std::string prof_name_letters(std::uint64_t seed);

}  // namespace npuprof::sim
