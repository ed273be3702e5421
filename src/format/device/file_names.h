#pragma once

// Files in `device_<N>/data`, by their base: host::make_device_file_name() puts device and slice
// behind it. Those that have a number in the base are not among them.

#include <string_view>

namespace npuprof::format::device {

// Tasks, their counters, and marks of the scheduler.
inline constexpr std::string_view kStarsFile = "stars_soc.data";
inline constexpr std::string_view kFftsFile = "ffts_profile.data";
inline constexpr std::string_view kTrackFile = "ts_track.data";
inline constexpr std::string_view kVectorTrackFile = "ts_track.aiv_data";
inline constexpr std::string_view kHwtsFile = "hwts.data";
inline constexpr std::string_view kVectorHwtsFile = "hwts.aiv_data";
inline constexpr std::string_view kAiCoreFile = "aicore.data";
inline constexpr std::string_view kVectorCoreFile = "aiVectorCore.data";
inline constexpr std::string_view kNanoFile = "nano_stars_profile.data";
inline constexpr std::string_view kAicpuFile = "aicpu.data";
inline constexpr std::string_view kPreprocessNodesFile = "DATA_PREPROCESS.AICPU";
inline constexpr std::string_view kPreprocessMarksFile = "DATA_PREPROCESS.AICPU_MODEL";
inline constexpr std::string_view kPreprocessStepsFile = "DATA_PREPROCESS.DP";
inline constexpr std::string_view kPreprocessQueueFile = "DATA_PREPROCESS.TDT";
inline constexpr std::string_view kPreprocessWaitsFile = "DATA_PREPROCESS.AICPUMI";

// Samples of processors, caches and memory.
inline constexpr std::string_view kSocSamplesFile = "stars_soc_profile.data";
inline constexpr std::string_view kL2CacheFile = "l2_cache.data";
inline constexpr std::string_view kSocPmuFile = "socpmu.data";
inline constexpr std::string_view kSchedulerCpuFile = "tscpu.data";
inline constexpr std::string_view kControlCpuFile = "ai_ctrl_cpu.data";
inline constexpr std::string_view kHbmFile = "hbm.data";
inline constexpr std::string_view kLlcFile = "llc.data";
inline constexpr std::string_view kDdrFile = "ddr.data";
inline constexpr std::string_view kProcessMemoryFile = "npu_mem.app";
inline constexpr std::string_view kDeviceMemoryFile = "npu_mem.data";
inline constexpr std::string_view kModuleMemoryFile = "npu_module_mem.data";
inline constexpr std::string_view kFrequencyFile = "lpmFreqConv.data";
inline constexpr std::string_view kVoltageFrequencyFile = "lpmInfoConv.data";

// Samples of links, media engines and the network.
inline constexpr std::string_view kPcieFile = "pcie.data";
inline constexpr std::string_view kUbFile = "ub.data";
inline constexpr std::string_view kQosFile = "qos.data";
inline constexpr std::string_view kHccsFile = "hccs.data";
inline constexpr std::string_view kNicFile = "nic.data";
inline constexpr std::string_view kRoceFile = "roce.data";
inline constexpr std::string_view kDvppFile = "dvpp.data";
inline constexpr std::string_view kNetdevFile = "netdev_stats.data";

}  // namespace npuprof::format::device
