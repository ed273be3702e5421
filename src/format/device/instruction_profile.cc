#include "format/device/instruction_profile.h"

#include "base/text.h"

namespace npuprof::format::device {
namespace {

constexpr std::size_t kLaneBytes = 8;

// Lanes 0, 2, 4, 6 are the flow, 1, 3, 5, 7 the cycles.
template <Record T>
T gather(const std::array<std::array<U8, 8>, 8>& lanes, std::size_t first) {
  std::byte bytes[sizeof(T)];
  for (std::size_t lane = 0; lane < sizeof(T) / kLaneBytes; ++lane) {
    std::memcpy(bytes + lane * kLaneBytes, &lanes[first + 2 * lane], kLaneBytes);
  }
  return load<T>(bytes);
}

template <Record T>
void scatter(const T& sample, std::array<std::array<U8, 8>, 8>& lanes, std::size_t first) {
  const std::byte* bytes = bytes_of(sample).data();
  for (std::size_t lane = 0; lane < sizeof(T) / kLaneBytes; ++lane) {
    std::memcpy(static_cast<void*>(&lanes[first + 2 * lane]), bytes + lane * kLaneBytes,
                kLaneBytes);
  }
}

}  // namespace

FlowSample CubeInstructionRecord::flow() const { return gather<FlowSample>(lanes, 0); }
CycleSample CubeInstructionRecord::cycles() const { return gather<CycleSample>(lanes, 1); }

void CubeInstructionRecord::set(const FlowSample& flow, const CycleSample& cycles) {
  scatter(flow, lanes, 0);
  scatter(cycles, lanes, 1);
}

std::optional<InstructionFile> parse_instruction_file(std::string_view base) {
  constexpr std::string_view kSampled = "instr.group_";
  constexpr std::string_view kLogged = "instr.biu_perf_group";
  if (base.starts_with(kSampled)) {
    base.remove_prefix(kSampled.size());
  } else if (base.starts_with(kLogged)) {
    base.remove_prefix(kLogged.size());
  } else {
    return std::nullopt;
  }
  const std::size_t bar = base.find('_');
  if (bar == std::string_view::npos) return std::nullopt;
  const auto group = parse_number<std::uint32_t>(base.substr(0, bar));
  const std::string_view core = base.substr(bar + 1);
  if (!group) return std::nullopt;
  if (core == "aic") return InstructionFile{*group, InstructionCore::kCube};
  if (core == "aiv0") return InstructionFile{*group, InstructionCore::kVector0};
  if (core == "aiv1") return InstructionFile{*group, InstructionCore::kVector1};
  return std::nullopt;
}

}  // namespace npuprof::format::device
