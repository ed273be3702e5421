#include "format/device/pmu_events.h"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

#include "base/text.h"

namespace npuprof::format::device {
namespace {

constexpr std::string_view kCustomPrefix = "Custom";
constexpr std::size_t kMaxEvents = 10;

struct GroupName {
  PmuGroup group;
  std::string_view name;
};

constexpr std::array kGroupNames = {
    GroupName{PmuGroup::kArithmeticUtilization, "ArithmeticUtilization"},
    GroupName{PmuGroup::kPipeUtilization, "PipeUtilization"},
    GroupName{PmuGroup::kPipeUtilizationExact, "PipeUtilizationExct"},
    GroupName{PmuGroup::kPipelineExecuteUtilization, "PipelineExecuteUtilization"},
    GroupName{PmuGroup::kMemory, "Memory"},
    GroupName{PmuGroup::kMemoryL0, "MemoryL0"},
    GroupName{PmuGroup::kMemoryUb, "MemoryUB"},
    GroupName{PmuGroup::kResourceConflictRatio, "ResourceConflictRatio"},
    GroupName{PmuGroup::kL2Cache, "L2Cache"},
    GroupName{PmuGroup::kMemoryAccess, "MemoryAccess"},
    GroupName{PmuGroup::kPipeStallCycle, "PipeStallCycle"},
    GroupName{PmuGroup::kScalarRatio, "ScalarRatio"},
    GroupName{PmuGroup::kCustom, kCustomPrefix},
};

// Which row of the table below a chip uses.
enum class EventSet : std::uint8_t {
  kClassic,  // Chips 0 to 4.
  k910B,
  k310B,  // Chips 7, 8, 11.
  kNano,
  kV6,
};

EventSet event_set_of(ChipId chip) {
  switch (family_of(chip)) {
    case ChipFamily::kTs:
    case ChipFamily::kHwts:
      return EventSet::kClassic;
    case ChipFamily::kStars:
      return chip == ChipId::k910B ? EventSet::k910B : EventSet::k310B;
    case ChipFamily::kNano:
      return EventSet::kNano;
    case ChipFamily::kStarsV6:
      return EventSet::kV6;
  }
  return EventSet::kClassic;
}

struct EventList {
  std::uint16_t count = 0;
  std::array<std::uint16_t, kMaxEvents> events{};

  template <typename... Event>
  constexpr EventList(Event... event)  // NOLINT(*-explicit-*)
      : count(sizeof...(event)), events{static_cast<std::uint16_t>(event)...} {}

  std::span<const std::uint16_t> view() const { return {events.data(), count}; }
};

struct EventRow {
  PmuGroup group;
  EventList classic;
  EventList of_910b;
  EventList of_310b;
  EventList nano;
  EventList v6;
};

constexpr EventList kNotThere;
constexpr EventList kArithmeticEvents{0x49, 0x4a, 0x4b, 0x4c, 0x4d, 0x4e, 0x4f};
constexpr EventList kPipe{0x8, 0xa, 0x9, 0xb, 0xc, 0xd, 0x54, 0x55};
constexpr EventList kMemoryEvents{0x15, 0x16, 0x31, 0x32, 0xf, 0x10, 0x12, 0x13};
constexpr EventList kMemoryL0Events{0x1b, 0x1c, 0x21, 0x22, 0x27, 0x28, 0x29, 0x2a};
constexpr EventList kMemoryUbEvents{0x10, 0x13, 0x37, 0x38, 0x3d, 0x3e, 0x43, 0x44};
constexpr EventList kConflictEvents{0x64, 0x65, 0x66};
constexpr EventList kL2{0x500, 0x502, 0x504, 0x506, 0x508, 0x50a};

constexpr std::array kEventRows = {
    EventRow{PmuGroup::kArithmeticUtilization,
             kArithmeticEvents,
             kArithmeticEvents,
             kArithmeticEvents,
             kNotThere,
             {0x323, 0x324}},
    EventRow{PmuGroup::kPipeUtilization,
             kPipe,
             kPipe,
             kPipe,
             {0x300, 0x400, 0x100, 0x200, 0x201, 0x202, 0x302, 0x203, 0x101, 0x102},
             {0x501, 0x301, 0x1, 0x701, 0x202, 0x203, 0x34, 0x35, 0x714}},
    EventRow{PmuGroup::kPipeUtilizationExact,
             kNotThere,
             {0x416, 0x417, 0x9, 0x302, 0xc, 0x303, 0x54, 0x55},
             kNotThere,
             kNotThere,
             kNotThere},
    EventRow{PmuGroup::kPipelineExecuteUtilization,
             kNotThere,
             kNotThere,
             {0x12c, 0x49, 0x4a, 0x9, 0x302, 0xc, 0xd, 0x303},
             kNotThere,
             kNotThere},
    EventRow{PmuGroup::kMemory,
             kMemoryEvents,
             kMemoryEvents,
             kMemoryEvents,
             {0x201, 0x202, 0x204, 0x205},
             {0x422, 0x423, 0x56f, 0x571, 0x570, 0x572, 0x707, 0x709}},
    EventRow{PmuGroup::kMemoryL0,
             kMemoryL0Events,
             kMemoryL0Events,
             kMemoryL0Events,
             kNotThere,
             {0x304, 0x703, 0x306, 0x705, 0x712, 0x30a, 0x308}},
    EventRow{PmuGroup::kMemoryUb,
             kMemoryUbEvents,
             kMemoryUbEvents,
             {0x37, 0x38, 0x1a5, 0x1a6, 0x17f, 0x180, 0x191},
             {0x206, 0x207, 0x208, 0x209, 0x303, 0x304, 0x106, 0x107},
             {0x3, 0x5, 0x70c, 0x206, 0x204, 0x571, 0x572}},
    EventRow{PmuGroup::kResourceConflictRatio,
             kConflictEvents,
             kConflictEvents,
             kConflictEvents,
             kNotThere,
             {0x540, 0x556, 0x502, 0x528}},
    EventRow{PmuGroup::kL2Cache,
             kNotThere,
             kL2,
             kL2,
             kNotThere,
             {0x424, 0x425, 0x426, 0x42a, 0x42b, 0x42c}},
    EventRow{PmuGroup::kMemoryAccess,
             kNotThere,
             {0x32, 0x3d, 0x3e, 0x206, 0x20c, 0x50c, 0x50d, 0x50e},
             kNotThere,
             kNotThere,
             kNotThere},
    EventRow{PmuGroup::kPipeStallCycle,
             kNotThere,
             kNotThere,
             kNotThere,
             {0x406, 0x305, 0x600, 0x601, 0x602, 0x603, 0x604, 0x605, 0x606, 0x607},
             kNotThere},
    EventRow{
        PmuGroup::kScalarRatio, kNotThere, kNotThere, kNotThere, {0x103, 0x104, 0x105}, kNotThere},
};

const EventList& list_of(const EventRow& row, EventSet set) {
  switch (set) {
    case EventSet::kClassic:
      return row.classic;
    case EventSet::k910B:
      return row.of_910b;
    case EventSet::k310B:
      return row.of_310b;
    case EventSet::kNano:
      return row.nano;
    case EventSet::kV6:
      return row.v6;
  }
  return kNotThere;
}

}  // namespace

std::string_view pmu_group_name(PmuGroup group) {
  return kGroupNames[static_cast<std::size_t>(group)].name;
}

std::optional<PmuGroup> find_pmu_group(std::string_view name) {
  if (name.starts_with("Custom:")) return PmuGroup::kCustom;
  for (const GroupName& entry : kGroupNames) {
    if (entry.name == name) return entry.group;
  }
  return std::nullopt;
}

std::span<const std::uint16_t> pmu_events(PmuGroup group, ChipId chip) {
  for (const EventRow& row : kEventRows) {
    if (row.group == group) return list_of(row, event_set_of(chip)).view();
  }
  return {};
}

PmuGroup cube_core_group(PmuGroup group, ChipId chip) {
  const bool renamed = chip == ChipId::k910B && group == PmuGroup::kPipeUtilization;
  return renamed ? PmuGroup::kPipeUtilizationExact : group;
}

Result<std::vector<std::uint16_t>> parse_event_list(std::string_view text) {
  std::vector<std::uint16_t> events;
  text = trim(text);
  while (!text.empty()) {
    const auto comma = text.find(',');
    const std::string_view item = trim(text.substr(0, comma));
    const auto event = parse_hex<std::uint16_t>(item);
    if (!event) {
      return Error{ErrorCode::kCorrupt, fmt::format("'{}' is no event number", item)};
    }
    if (events.size() == kMaxEvents) {
      return Error{ErrorCode::kCorrupt, "an event list has more than 10 events"};
    }
    events.push_back(*event);
    text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
  }
  return events;
}

std::string format_event_list(std::span<const std::uint16_t> events) {
  std::string text;
  for (const std::uint16_t event : events) {
    fmt::format_to(std::back_inserter(text), "{}{:#x}", text.empty() ? "" : ",", event);
  }
  return text;
}

Result<std::vector<std::uint16_t>> parse_custom_group(std::string_view text) {
  if (!text.starts_with("Custom:")) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("a custom metrics group is written Custom:0x..,0x.., not '{}'", text)};
  }
  return parse_event_list(text.substr(kCustomPrefix.size() + 1));
}

}  // namespace npuprof::format::device
