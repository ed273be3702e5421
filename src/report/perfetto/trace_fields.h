#pragma once

// Field numbers of the messages of a Perfetto trace that are written here, by message.

#include <cstdint>

namespace npuprof::report::perfetto {

using Field = std::uint32_t;

struct TraceField {
  static constexpr Field kPacket = 1;
};

struct PacketField {
  static constexpr Field kClockSnapshot = 6;
  static constexpr Field kTimestamp = 8;
  static constexpr Field kSequenceId = 10;
  static constexpr Field kTrackEvent = 11;
  static constexpr Field kInternedData = 12;
  static constexpr Field kSequenceFlags = 13;
  static constexpr Field kCompressedPackets = 50;
  static constexpr Field kTrackDescriptor = 60;
};
inline constexpr std::uint64_t kStateCleared = 1;  // Interned strings of earlier packets are gone.
inline constexpr std::uint64_t kNeedsState = 2;

struct ClockField {
  static constexpr Field kClocks = 1;     // Of the snapshot.
  static constexpr Field kId = 1;         // Of a clock in it.
  static constexpr Field kTimestamp = 2;  // Of a clock in it.
};
inline constexpr std::uint64_t kRealTimeClock = 1;
inline constexpr std::uint64_t kBootTimeClock = 6;  // The clock of packets without another.

struct TrackField {
  static constexpr Field kUuid = 1;
  static constexpr Field kName = 2;
  static constexpr Field kProcess = 3;
  static constexpr Field kParentUuid = 5;
  static constexpr Field kCounter = 8;
  static constexpr Field kChildOrdering = 11;
  static constexpr Field kSiblingOrderRank = 12;
  static constexpr Field kSiblingMergeBehavior = 15;
  static constexpr Field kSiblingMergeKey = 17;  // A number.
  static constexpr Field kProcessOrdering = 19;
};
inline constexpr std::uint64_t kExplicitChildOrdering = 3;
inline constexpr std::uint64_t kExplicitProcessOrdering = 1;
inline constexpr std::uint64_t kMergeByKey = 3;

struct ProcessField {
  static constexpr Field kPid = 1;
  static constexpr Field kSortIndex = 3;
  static constexpr Field kName = 6;
  static constexpr Field kLabels = 8;
};

struct CounterField {
  static constexpr Field kUnitName = 6;
};

struct EventField {
  static constexpr Field kCategoryIds = 3;
  static constexpr Field kDebugAnnotations = 4;
  static constexpr Field kType = 9;
  static constexpr Field kNameId = 10;
  static constexpr Field kTrackUuid = 11;
  static constexpr Field kDoubleCounterValue = 44;
  static constexpr Field kFlowIds = 47;
};
enum class EventType : std::uint8_t { kSliceBegin = 1, kSliceEnd = 2, kInstant = 3, kCounter = 4 };

struct AnnotationField {
  static constexpr Field kNameId = 1;
  static constexpr Field kUnsigned = 3;
  static constexpr Field kSigned = 4;
  static constexpr Field kDouble = 5;
  static constexpr Field kStringId = 17;
};

struct InternedField {
  static constexpr Field kCategories = 1;
  static constexpr Field kEventNames = 2;
  static constexpr Field kAnnotationNames = 3;
  static constexpr Field kAnnotationStrings = 29;
  static constexpr Field kId = 1;    // Of an entry.
  static constexpr Field kText = 2;  // Of an entry.
};

}  // namespace npuprof::report::perfetto
