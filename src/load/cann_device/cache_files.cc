#include "load/cann_device/cache_files.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "format/device/file_names.h"
#include "format/device/l2_cache.h"
#include "format/device/soc_pmu.h"
#include "trace/device/cache_counters.h"

namespace npuprof::load {
namespace {

using namespace format::device;  // NOLINT(google-build-using-namespace): record layouts.
using trace::CacheCounterKind;

std::optional<CacheCounterKind> kind_of(SocPmuKind kind) {
  switch (kind) {
    case SocPmuKind::kL2Cache:
      return CacheCounterKind::kL2;
    case SocPmuKind::kSmmu:
      return CacheCounterKind::kSmmu;
    case SocPmuKind::kPageFault:
      return CacheCounterKind::kPageFault;
  }
  return std::nullopt;
}

class CacheLoader {
 public:
  CacheLoader(const DeviceConfig& config, StreamMode mode, DevicePart& out)
      : config_(config), mode_(mode), out_(out) {}

  void load_l2(const DeviceFile& file) {
    file.for_each_record<L2CacheRecord>(out_.losses, [&](const L2CacheRecord& record) {
      append_raw(record.raw_stream, record.raw_task, CacheCounterKind::kL2, record.counters);
      return true;
    });
  }

  void load_soc_pmu(const DeviceFile& file) {
    file.for_each_record<SocPmuRecord>(out_.losses, [&](const SocPmuRecord& record) {
      const auto kind = kind_of(record.soc_pmu_kind());
      if (kind) append_raw(record.raw_stream, record.raw_task, *kind, record.counters);
      return kind.has_value();
    });
  }

  void load_soc_pmu_v6(const DeviceFile& file) {
    file.for_each_record<SocPmuRecordV6>(out_.losses, [&](const SocPmuRecordV6& record) {
      const auto kind = kind_of(record.soc_pmu_kind());
      if (kind) append(record.stream_id, record.task_id, *kind, record.counters);
      return kind.has_value();
    });
  }

 private:
  void append_raw(std::uint16_t stream, std::uint16_t task, CacheCounterKind kind,
                  const std::array<format::U64, 8>& counters) {
    TaskIdentity identity{stream_of_track(stream), task};
    if (family_of(config_.chip) == ChipFamily::kStars) {
      identity = decode_task_identity({stream, task}, mode_, 0);
    }
    append(identity.stream, identity.task, kind, counters);
  }

  void append(std::uint16_t stream, std::uint32_t task, CacheCounterKind kind,
              const std::array<format::U64, 8>& counters) {
    trace::CacheCounters& table = out_.tables.cache_counters();
    table.device.push_back(config_.info.id);
    table.stream.push_back(stream);
    table.task.push_back(task);
    table.kind.push_back(static_cast<std::uint8_t>(kind));
    trace::CacheCounts counts;
    std::copy(counters.begin(), counters.end(), counts.begin());
    table.counts.push_back(counts);
    table.kernel.push_back(trace::kNone);
  }

  const DeviceConfig& config_;
  StreamMode mode_;
  DevicePart& out_;
};

}  // namespace

void load_cache_files(const DeviceFiles& files, const DeviceConfig& config, StreamMode stream_mode,
                      DevicePart& out) {
  CacheLoader loader(config, stream_mode, out);
  loader.load_l2(files.open(kL2CacheFile, out.losses));
  const DeviceFile soc_pmu = files.open(kSocPmuFile, out.losses);
  if (is_v6(config.chip)) {
    loader.load_soc_pmu_v6(soc_pmu);
  } else {
    loader.load_soc_pmu(soc_pmu);
  }
}

}  // namespace npuprof::load
