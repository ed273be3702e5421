#pragma once

// From where on the advisor speaks up. Times in ns, sizes in bytes unless the name says otherwise.

#include <cstddef>
#include <cstdint>

namespace npuprof::analyze::advice {

// Severity by the share of the profile's time that could be gained.
inline constexpr double kHighShare = 0.05;
inline constexpr double kMediumShare = 0.03;
inline constexpr std::size_t kEvidenceRows = 200;

// Computation.
inline constexpr std::int64_t kLongestAicpuNs = 20'000;
inline constexpr std::int64_t kUnboundKernelNs = 20'000;
inline constexpr double kUnboundRatio = 0.8;
inline constexpr std::int64_t kSmallestBlockKernelNs =
    10'000;  // Shorter ones have too little work.
inline constexpr double kFrequencyShortfall = 0.05;
inline constexpr double kCubeBytes = 100e6;  // What a group of matrix products moves in total.
inline constexpr std::int64_t kCubeAxisMultiple = 256;  // Bytes of an inner axis.
inline constexpr double kCubeMacRatio = 0.8;
inline constexpr double kCubeMte2Ratio = 0.95;
inline constexpr std::int64_t kAttentionAxisMultiple = 128;
inline constexpr double kAttentionMte2Ratio = 0.8;
inline constexpr double kAttentionUnitRatio = 0.75;  // Vector forward, fixpipe backward.
inline constexpr double kVectorTimeShare = 0.01;
inline constexpr std::int64_t kVectorTimeNs = 1'000'000'000;
inline constexpr double kVectorSumRatio = 0.9;
inline constexpr double kVectorUnitRatio = 0.7;
inline constexpr std::size_t kWorstOperators = 5;
// Less work than this says nothing of how fast it is done.
inline constexpr double kLeastMovedBytes = 1e6;
inline constexpr double kLeastIdealNs = 5'000;
inline constexpr std::size_t kFewestFamilies = 3;  // To know what is usual.
inline constexpr double kSlowFamilyFactor = 4;     // As slow as that to move its data,
inline constexpr double kSlowProductShare = 0.25;  // or as far from the peak.
inline constexpr double kUsualProductShare = 0.6;  // What products reach when all is well.

// Communication. Sizes in decimal MB, bandwidths in GB/s.
inline constexpr double kSmallSdmaMb = 16;
inline constexpr double kSmallRdmaMb = 1;
inline constexpr double kSmallPacketShare = 0.2;
inline constexpr double kSdmaBandwidth = 18;
inline constexpr double kContentionShare = 0.8;
inline constexpr double kRetransmissionMs = 4000;
inline constexpr std::uint64_t kAlignedBytes = 512;

// Schedule.
inline constexpr double kFreeShare = 0.1;
inline constexpr std::uint64_t kDispatchCalls = 20;
inline constexpr std::uint64_t kSyncBatchNorms = 20;
inline constexpr double kSynchronizedLaunches = 0.5;
inline constexpr std::uint64_t kFewestLaunches = 20;  // Of fewer no share is worth telling.
inline constexpr std::int64_t kGarbageNs = 1'000'000;
inline constexpr std::int64_t kSilentGapNs = 200'000'000;  // Nobody recorded garbage collections.
inline constexpr double kSilentCallShare = 0.01;
inline constexpr double kSilentCallsPerUs = 1e-4;
inline constexpr std::int64_t kDataLoaderNs = 10'000'000;
inline constexpr std::int64_t kMemoryCallsNs = 10'000'000;
inline constexpr std::int64_t kAclnnCacheLimit = 10'000;

// Fusion.
inline constexpr std::size_t kShortestSequence = 3;
inline constexpr std::size_t kLongestSequence = 10;
inline constexpr std::uint64_t kRepeatedSequence = 5;  // More often than this.
inline constexpr double kBusyShare = 0.4;              // Less is bound by the host.
inline constexpr double kMteShare = 0.8;               // More is bound by moving data.
inline constexpr double kSequenceShare = 0.01;         // Of the profile's time.
inline constexpr std::size_t kSequences = 5;

}  // namespace npuprof::analyze::advice
