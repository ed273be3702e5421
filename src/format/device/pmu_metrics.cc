#include "format/device/pmu_metrics.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace npuprof::format::device {
namespace {

using Kind = MetricKind;

constexpr PmuMetric pipe(std::string_view name, std::uint16_t event) {
  return {name, Kind::kPipeRatio, {{{event, 1}}}};
}
constexpr PmuMetric pipe(std::string_view name, std::uint16_t first, std::uint16_t second) {
  return {name, Kind::kPipeRatio, {{{first, 1}, {second, 1}}}};
}
constexpr PmuMetric ratio(std::string_view name, std::uint16_t event) {
  return {name, Kind::kRatio, {{{event, 1}}}};
}
constexpr PmuMetric ratio(std::string_view name, std::uint16_t first, std::uint16_t second) {
  return {name, Kind::kRatio, {{{first, 1}, {second, 1}}}};
}
constexpr PmuMetric quotient(std::string_view name, std::uint16_t over, std::uint16_t under) {
  return {name, Kind::kQuotient, {{{over, 1}}}, {{{under, 1}}}};
}
constexpr PmuMetric count(std::string_view name, std::uint16_t event) {
  return {name, Kind::kCount, {{{event, 1}}}};
}
constexpr PmuMetric bandwidth(std::string_view name, std::uint16_t event, double bits) {
  return {name, Kind::kBandwidth, {{{event, bits}}}};
}
constexpr PmuMetric bandwidth(std::string_view name, std::uint16_t first, std::uint16_t second,
                              double bits) {
  return {name, Kind::kBandwidth, {{{first, bits}, {second, bits}}}};
}
constexpr PmuMetric kilobytes(std::string_view name, CounterTerm first, CounterTerm second = {}) {
  return {name, Kind::kKilobytes, {{first, second}}};
}

constexpr std::array kPipeUtilization = {
    pipe("vec", 0x8),
    pipe("mac", 0xa),
    pipe("scalar", 0x9),
    pipe("mte1", 0xb),
    pipe("mte2", 0xc),
    pipe("mte3", 0xd),
    quotient("icache_miss_rate", 0x55, 0x54),
};

constexpr std::array kPipeUtilizationExact = {
    pipe("mac", 0x416, 0x417), pipe("scalar", 0x9),    pipe("mte1", 0x302),
    pipe("mte2", 0xc),         pipe("fixpipe", 0x303), quotient("icache_miss_rate", 0x55, 0x54),
};

constexpr std::array kPipelineExecute = {
    pipe("vec_exe", 0x12c),     pipe("mac_exe", 0x49, 0x4a), pipe("scalar_exe", 0x9),
    pipe("mte1_exe", 0x302),    pipe("mte2_exe", 0xc),       pipe("mte3_exe", 0xd),
    pipe("fixpipe_exe", 0x303),
};

constexpr std::array kPipeUtilizationV6 = {
    pipe("vec", 0x501),     pipe("mac", 0x301),
    pipe("scalar", 0x1),    pipe("mte1", 0x701),
    pipe("mte2", 0x202),    pipe("mte3", 0x203),
    pipe("fixpipe", 0x714), quotient("icache_miss_rate", 0x35, 0x34),
};

// Operations per event of vector instructions: fp32, fp16 in two widths, int32, others.
constexpr PmuMetric vector_operations(double fp32, double int32, double misc) {
  return {"vector_fops",
          Kind::kCount,
          {{{0x4c, 128}, {0x4d, 64}, {0x4b, fp32}, {0x4e, int32}, {0x4f, misc}}}};
}

constexpr std::array<PmuMetric, 8> arithmetic(PmuMetric vector_fops) {
  return {ratio("mac_fp16_ratio", 0x49),
          ratio("mac_int8_ratio", 0x4a),
          ratio("vec_fp32_ratio", 0x4b),
          ratio("vec_fp16_ratio", 0x4c, 0x4d),
          ratio("vec_int32_ratio", 0x4e),
          ratio("vec_misc_ratio", 0x4f),
          PmuMetric{"cube_fops", Kind::kCount, {{{0x49, 8192}, {0x4a, 16384}}}},
          vector_fops};
}
constexpr std::array kArithmetic = arithmetic(vector_operations(64, 64, 32));
constexpr std::array kArithmetic310 = arithmetic(vector_operations(32, 64, 32));
constexpr std::array kArithmeticHalfVector = arithmetic(vector_operations(64, 16, 16));
constexpr std::array kArithmeticV6 = {
    ratio("mac_fp16_ratio", 0x323),
    ratio("mac_int8_ratio", 0x324),
    PmuMetric{"cube_fops", Kind::kCount, {{{0x323, 8192}, {0x324, 16384}}}},
};

constexpr std::array kMemory = {
    bandwidth("ub_read_bw", 0x15, 1024),     bandwidth("ub_write_bw", 0x16, 1024),
    bandwidth("l1_read_bw", 0x31, 4096),     bandwidth("l1_write_bw", 0x32, 1024),
    bandwidth("l2_read_bw", 0xf, 2048),      bandwidth("l2_write_bw", 0x10, 2048),
    bandwidth("main_mem_read_bw", 0x12, 64), bandwidth("main_mem_write_bw", 0x13, 64),
};
// The reader for the 910B shows main memory before L2.
constexpr std::array kMemory910B = {
    kMemory[0], kMemory[1], kMemory[2], kMemory[3], kMemory[6], kMemory[7], kMemory[4], kMemory[5],
};
constexpr std::array kMemoryV6 = {
    bandwidth("ub_read_bw", 0x56f, 0x571, 1024), bandwidth("ub_write_bw", 0x570, 0x572, 1024),
    bandwidth("l1_read_bw", 0x707, 4096),        bandwidth("l1_write_bw", 0x709, 1024),
    bandwidth("main_mem_read_bw", 0x422, 64),    bandwidth("main_mem_write_bw", 0x423, 64),
};

constexpr std::array kMemoryL0 = {
    bandwidth("l0a_read_bw", 0x1b, 4096),      bandwidth("l0a_write_bw", 0x1c, 4096),
    bandwidth("l0b_read_bw", 0x21, 4096),      bandwidth("l0b_write_bw", 0x22, 2048),
    bandwidth("l0c_read_bw", 0x27, 2048),      bandwidth("l0c_write_bw", 0x29, 2048),
    bandwidth("l0c_read_bw_cube", 0x28, 8192), bandwidth("l0c_write_bw_cube", 0x2a, 8192),
};
constexpr std::array kMemoryL0V6 = {
    bandwidth("l0a_read_bw", 0x304, 4096),       bandwidth("l0a_write_bw", 0x703, 4096),
    bandwidth("l0b_read_bw", 0x306, 4096),       bandwidth("l0b_write_bw", 0x705, 2048),
    bandwidth("l0c_read_bw", 0x712, 2048),       bandwidth("l0c_read_bw_cube", 0x30a, 8192),
    bandwidth("l0c_write_bw_cube", 0x308, 8192),
};

constexpr std::array kMemoryUb = {
    bandwidth("ub_read_bw_mte", 0x3d, 128),    bandwidth("ub_write_bw_mte", 0x3e, 128),
    bandwidth("ub_read_bw_vector", 0x43, 256), bandwidth("ub_write_bw_vector", 0x44, 256),
    bandwidth("ub_read_bw_scalar", 0x37, 128), bandwidth("ub_write_bw_scalar", 0x38, 128),
};
constexpr std::array kMemoryUb310B = {
    bandwidth("ub_read_bw_mte", 0x1a5, 128),           bandwidth("ub_write_bw_mte", 0x1a6, 128),
    bandwidth("ub_read_bw_vector", 0x17f, 0x180, 256), bandwidth("ub_write_bw_vector", 0x191, 256),
    bandwidth("ub_read_bw_scalar", 0x37, 128),         bandwidth("ub_write_bw_scalar", 0x38, 128),
};
constexpr std::array kMemoryUbV6 = {
    bandwidth("ub_read_bw_mte", 0x204, 128),    bandwidth("ub_write_bw_mte", 0x206, 128),
    bandwidth("ub_read_bw_vector", 0x571, 256), bandwidth("ub_write_bw_vector", 0x572, 256),
    bandwidth("ub_read_bw_scalar", 0x3, 128),   bandwidth("ub_write_bw_scalar", 0x5, 128),
    bandwidth("fixp2ub_write_bw", 0x70c, 2048),
};

constexpr std::array kConflict = {
    ratio("vec_bankgroup_cflt_ratio", 0x64),
    ratio("vec_bank_cflt_ratio", 0x65),
    ratio("vec_resc_cflt_ratio", 0x66),
};
constexpr std::array kConflictV6 = {
    ratio("vec_bank_cflt_ratio", 0x540, 0x556),
    quotient("vec_resc_cflt_ratio", 0x528, 0x502),
};

constexpr std::array kL2Cache = {
    count("write_cache_hit", 0x500),   count("write_cache_miss_allocate", 0x502),
    count("r0_read_cache_hit", 0x504), count("r0_read_cache_miss_allocate", 0x506),
    count("r1_read_cache_hit", 0x508), count("r1_read_cache_miss_allocate", 0x50a),
};
constexpr std::array kL2CacheV6 = {
    count("read_local_l2_hit", 0x424),    count("read_local_l2_miss", 0x425),
    count("read_local_l2_victim", 0x426), count("write_local_l2_hit", 0x42a),
    count("write_local_l2_miss", 0x42b),  count("write_local_l2_victim", 0x42c),
};

constexpr std::array kMemoryAccess = {
    kilobytes("read_main_memory_datas", {0x50d, 1.0 / 8}, {0x50e, 1.0 / 8}),
    kilobytes("write_main_memory_datas", {0x50c, 1.0 / 8}),
    kilobytes("GM_to_L1_datas", {0x32, 1.0 / 4}, {0x206, -1.0 / 4}),
    kilobytes("L0C_to_L1_datas", {0x206, 1.0 / 8}),
    kilobytes("L0C_to_GM_datas", {0x20c, 1.0 / 8}, {0x206, -1.0 / 8}),
    kilobytes("GM_to_UB_datas", {0x3e, 1.0 / 8}),
    kilobytes("UB_to_GM_datas", {0x3d, 1.0 / 8}),
};

std::span<const PmuMetric> v6_metrics(PmuGroup group) {
  switch (group) {
    case PmuGroup::kPipeUtilization:
      return kPipeUtilizationV6;
    case PmuGroup::kArithmeticUtilization:
      return kArithmeticV6;
    case PmuGroup::kMemory:
      return kMemoryV6;
    case PmuGroup::kMemoryL0:
      return kMemoryL0V6;
    case PmuGroup::kMemoryUb:
      return kMemoryUbV6;
    case PmuGroup::kResourceConflictRatio:
      return kConflictV6;
    case PmuGroup::kL2Cache:
      return kL2CacheV6;
    default:
      return {};
  }
}

std::span<const PmuMetric> arithmetic_metrics(ChipId chip) {
  if (chip == ChipId::k310) return kArithmetic310;
  const bool half_vector = chip == ChipId::k610 || chip == ChipId::kLhisi || chip == ChipId::k310P;
  return half_vector ? kArithmeticHalfVector : kArithmetic;
}

std::span<const PmuMetric> memory_ub_metrics(ChipId chip) {
  // On a 910B the transfer engines' part is not told apart: vector and scalar only.
  if (chip == ChipId::k910B) return std::span<const PmuMetric>(kMemoryUb).subspan(2);
  if (family_of(chip) == ChipFamily::kStars) return kMemoryUb310B;
  return kMemoryUb;
}

std::span<const PmuMetric> classic_metrics(PmuGroup group, ChipId chip) {
  switch (group) {
    case PmuGroup::kPipeUtilization:
      return kPipeUtilization;
    case PmuGroup::kPipeUtilizationExact:
      return kPipeUtilizationExact;
    case PmuGroup::kPipelineExecuteUtilization:
      return kPipelineExecute;
    case PmuGroup::kArithmeticUtilization:
      return arithmetic_metrics(chip);
    case PmuGroup::kMemory:
      if (chip == ChipId::k910B) return kMemory910B;
      return kMemory;
    case PmuGroup::kMemoryL0:
      return kMemoryL0;
    case PmuGroup::kMemoryUb:
      return memory_ub_metrics(chip);
    case PmuGroup::kResourceConflictRatio:
      return kConflict;
    case PmuGroup::kL2Cache:
      return kL2Cache;
    case PmuGroup::kMemoryAccess:
      return kMemoryAccess;
    default:
      return {};
  }
}

std::optional<std::uint8_t> index_of(std::span<const std::uint16_t> events, std::uint16_t event) {
  const auto found = std::find(events.begin(), events.end(), event);
  if (found == events.end()) return std::nullopt;
  return static_cast<std::uint8_t>(found - events.begin());
}

}  // namespace

std::span<const PmuMetric> pmu_metrics(PmuGroup group, ChipId chip) {
  if (family_of(chip) == ChipFamily::kNano || pmu_events(group, chip).empty()) return {};
  return is_v6(chip) ? v6_metrics(group) : classic_metrics(group, chip);
}

PmuEvaluator::PmuEvaluator(PmuGroup group, ChipId chip, std::span<const std::uint16_t> events) {
  events = events.first(std::min(events.size(), counters_per_record(chip)));
  if (group == PmuGroup::kCustom) {
    for (const std::uint16_t event : events) {
      const std::string name = fmt::format("r{:x}", event);
      add_metric({name, Kind::kCount, {{{event, 1}}}}, events);
    }
    return;
  }
  for (const PmuMetric& metric : pmu_metrics(group, chip)) add_metric(metric, events);
}

void PmuEvaluator::add_metric(const PmuMetric& metric, std::span<const std::uint16_t> events) {
  const auto column = static_cast<std::uint8_t>(columns_.size());
  std::vector<Input> inputs;
  const auto add_terms = [&](std::span<const CounterTerm> terms, bool divides) {
    for (const CounterTerm& term : terms) {
      if (term.weight == 0) continue;
      const auto index = index_of(events, term.event);
      if (!index) return false;
      inputs.push_back({column, divides, *index, term.weight});
    }
    return true;
  };
  if (!add_terms(metric.terms, false) || !add_terms(metric.divisors, true)) return;
  columns_.push_back({std::string(metric.name), metric.kind});
  inputs_.insert(inputs_.end(), inputs.begin(), inputs.end());
}

void PmuEvaluator::evaluate(std::span<const U64> counters, std::uint64_t total_cycles,
                            double core_mhz, std::span<double> values) const {
  const auto cycles = static_cast<double>(total_cycles);
  auto input = inputs_.begin();
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    double sum = 0;
    double divisor = 0;
    for (; input != inputs_.end() && input->column == column; ++input) {
      const double term = input->index < counters.size()
                              ? static_cast<double>(counters[input->index].get()) * input->weight
                              : 0;
      (input->divides ? divisor : sum) += term;
    }
    switch (columns_[column].kind) {
      case Kind::kCount:
      case Kind::kKilobytes:
        divisor = 1;
        break;
      case Kind::kPipeRatio:
      case Kind::kRatio:
        divisor = cycles;
        break;
      case Kind::kQuotient:
        // By way of the rates, as the vendor computes it: the last digit agrees.
        sum = cycles == 0 ? 0 : sum / cycles;
        divisor = cycles == 0 ? 0 : divisor / cycles;
        break;
      case Kind::kBandwidth:
        divisor = core_mhz > 0 ? cycles / (core_mhz * 1e6) * 8589934592.0 : 0;  // Bits per GB.
        break;
    }
    values[column] = divisor == 0 ? 0 : sum / divisor;
  }
}

double total_time_us(std::uint64_t total_cycles, double core_mhz, std::uint32_t block_count,
                     std::uint32_t core_count) {
  if (total_cycles == 0 || core_mhz <= 0 || block_count == 0 || core_count == 0) return 0;
  const auto rounds = (std::uint64_t{block_count} + core_count - 1) / core_count;
  return static_cast<double>(total_cycles) / core_mhz / block_count * static_cast<double>(rounds);
}

}  // namespace npuprof::format::device
