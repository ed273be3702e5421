#include "format/catalog.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fnmatch.h>

#include "base/text.h"
#include "format/device/aicore.h"
#include "format/device/aicpu.h"
#include "format/device/ccu.h"
#include "format/device/data_preprocess.h"
#include "format/device/ffts_profile.h"
#include "format/device/file_names.h"
#include "format/device/frequency.h"
#include "format/device/hwts.h"
#include "format/device/instruction_profile.h"
#include "format/device/instruction_words.h"
#include "format/device/l2_cache.h"
#include "format/device/links.h"
#include "format/device/memory_samples.h"
#include "format/device/nano_stars.h"
#include "format/device/soc_pmu.h"
#include "format/device/stars_soc.h"
#include "format/device/stars_soc_profile.h"
#include "format/device/training_trace.h"
#include "format/device/ts_track.h"
#include "format/device/tscpu.h"
#include "format/divide.h"
#include "format/framework/file_names.h"
#include "format/framework/gc_record.h"
#include "format/framework/memory_usage.h"
#include "format/framework/op_mark.h"
#include "format/framework/op_range.h"
#include "format/framework/param_tensor_info.h"
#include "format/framework/python_tracer.h"
#include "format/host/additional.h"
#include "format/host/api_event.h"
#include "format/host/compact.h"
#include "format/host/names.h"
#include "format/host/variable.h"
#include "format/mindspore/file_names.h"
#include "format/mindspore/memory_usage.h"
#include "format/mindspore/op_range.h"
#include "format/mindspore/record_shapes.h"

namespace npuprof::format {
namespace {

// NOLINTNEXTLINE(google-build-using-namespace): record layouts.
using namespace device;

// Which of the layouts of a file a record has.
View view_of_stars_sample(StarsFunction function, bool is_v6) {
  switch (function) {
    case StarsFunction::kAccPmu:
      return view_as<AccPmuSample>();
    case StarsFunction::kSio:
      return is_v6 ? view_as<SioSampleV6>() : view_as<SioSample>();
    case StarsFunction::kChipTrans:
      return is_v6 ? view_as<ChipTransSampleV6>() : view_as<ChipTransSample>();
    case StarsFunction::kInterSoc:
      return view_as<InterSocSample>();
    case StarsFunction::kLowPower:
      return is_v6 ? view_as<LowPowerSample>() : view_as<SocSample>();
    case StarsFunction::kQos:
      return is_v6 ? view_as<QosSampleV6>() : view_as<SocSample>();
    default:
      return view_as<SocSample>();
  }
}

template <bool kIsV6>
View view_of_soc_sample(const std::byte* record) {
  return view_of_stars_sample(load<StarsHead>(record).function(), kIsV6);
}

View view_of_stars(const std::byte* record) {
  const StarsFunction function = load<StarsHead>(record).function();
  if (function == StarsFunction::kTaskStart || function == StarsFunction::kTaskEnd) {
    return view_as<TaskLog>();
  }
  if (function == StarsFunction::kFftsPlusStart || function == StarsFunction::kFftsPlusEnd) {
    return view_as<FftsPlusLog>();
  }
  return view_of_stars_sample(function, false);
}

View view_of_stars_v6(const std::byte* record) {
  switch (load<StarsHead>(record).function()) {
    case StarsFunction::kBlockStart:
    case StarsFunction::kBlockEnd:
      return view_as<BlockLogV6>();
    case StarsFunction::kFusionStart:
    case StarsFunction::kFusionEnd:
      return view_as<FusionLogV6>();
    default:
      return view_as<TaskLogV6>();
  }
}

View view_of_counters(const std::byte* record) {
  const bool is_block = load<StarsHead>(record).function() == StarsFunction::kBlockPmu;
  return is_block ? view_as<BlockPmu>() : view_as<ContextPmu>();
}

template <bool kIsV6>
View view_of_track(const std::byte* record) {
  switch (load<TrackHead>(record).track_type()) {
    case TrackType::kStepTrace:
      return kIsV6 ? view_as<StepTraceV6>() : view_as<StepTrace>();
    case TrackType::kMemcpy:
      return view_as<MemcpyTrack>();
    case TrackType::kTaskState:
      return view_as<TaskStateTrack>();
    case TrackType::kFlip:
      return view_as<TaskFlip>();
    case TrackType::kBlockNumber:
      return view_as<BlockNumber>();
    default:
      return view_as<TrackRecord>();
  }
}

View view_of_aicpu(const std::byte* record) {
  switch (load<AiCpuRecord>(record).type()) {
    case AiCpuType::kNode:
      return view_as<AiCpuNode>();
    case AiCpuType::kDataPreprocess:
      return view_as<AiCpuDataPreprocess>();
    case AiCpuType::kModelWithQueue:
      return view_as<AiCpuModelMark>();
    case AiCpuType::kMindSporeQueue:
      return view_as<AiCpuQueueWait>();
    case AiCpuType::kCommTurn:
      return view_as<AiCpuCommTurn>();
    case AiCpuType::kComputeTurn:
      return view_as<AiCpuComputeTurn>();
    case AiCpuType::kHcclOp:
      return view_as<AiCpuHcclOp>();
    case AiCpuType::kFlip:
      return view_as<AiCpuFlip>();
    case AiCpuType::kMainStream:
      return view_as<AiCpuMainStreamMark>();
    case AiCpuType::kHcclTasks:
      return view_as<AiCpuHcclTasks>();
    default:
      return view_as<AiCpuRecord>();
  }
}

// The lanes of the record put in order.
View view_of_cube_sample(const std::byte*) {
  return {type_name<CubeInstructionRecord>(), [](Bytes bytes, FieldSink& sink) {
            const auto record = load<CubeInstructionRecord>(bytes.data());
            describe_member("reserved_0", record.reserved_0, sink);
            describe_member("flow", record.flow(), sink);
            describe_member("cycles", record.cycles(), sink);
          }};
}

// A frame of which only the header is known.
View view_of_frame(const std::byte*) { return view_as<host::RecordHeader>(); }

template <Record T>
View view_of_one(const std::byte*) {
  return view_as<T>();
}

// Whether a record has what all of its kind have, so far as the layout knows of something.
template <Record T>
bool is_sound_record(const std::byte* bytes) {
  [[maybe_unused]] const T record = load<T>(bytes);
  if constexpr (requires { record.is_sound(); }) {
    return record.is_sound();
  } else if constexpr (requires { record.has_valid_count(); }) {
    return record.has_valid_count();
  } else if constexpr (requires { record.has_magic(); }) {
    return record.has_magic();
  } else if constexpr (requires { record.head.has_magic(); }) {
    return record.head.has_magic();
  } else if constexpr (requires { record.magic; }) {
    return record.magic == host::kMagic;
  } else if constexpr (requires { record.header.magic; }) {
    return record.header.magic == host::kMagic;
  } else if constexpr (requires { record.head.header.magic; }) {
    return record.head.header.magic == host::kMagic;
  } else {
    return true;
  }
}

using Fits = bool (*)(const Surroundings&);

bool is_of_v6(const Surroundings& around) { return around.chip && is_v6(*around.chip); }
bool is_of_310(const Surroundings& around) { return around.chip == ChipId::k310; }
bool is_of_610(const Surroundings& around) { return around.chip == ChipId::k610; }
bool is_of_version_2(const Surroundings& around) { return around.version_2; }
bool is_sampled(const Surroundings& around) { return around.is_sampled; }
bool is_sampled_v6(const Surroundings& around) { return around.is_sampled && is_of_v6(around); }
bool is_task_text(const Surroundings& around) {
  return around.first_byte == '[' || around.first_byte == 'T';
}
bool is_in_frames(const Surroundings& around) { return around.size % host::kAdditionalBytes == 0; }

// Records of one size, of T or of layouts of the same size that `view` chooses from.
template <Record T>
FileKind records(std::string_view name, std::string_view patterns, Fits fits = nullptr,
                 View (*view)(const std::byte*) = view_of_one<T>) {
  FileKind kind;
  kind.name = name;
  kind.patterns = patterns;
  kind.record_bytes = sizeof(T);
  kind.fits = fits;
  kind.divide = divide_records;
  kind.view_of = view;
  kind.is_sound = is_sound_record<T>;
  kind.may_have_zeros = requires { T::kZerosAtEnd; };
  return kind;
}

// A file of this name only, always.
template <Record T>
FileKind records_of(std::string_view name, View (*view)(const std::byte*) = view_of_one<T>) {
  return records<T>(name, name, nullptr, view);
}

// Files of `host/data`, by the kind in the layout.
template <Record T>
FileKind host_records() {
  return records_of<T>(fmt::format("{}.{}", host::module_name(T::kKind.module), T::kKind.tag));
}

// Files of FRAMEWORK/ may have any suffix.
template <Record T>
FileKind framework_records(std::string_view name) {
  return records<T>(name, std::string(name) + "*");
}

FileKind divided(std::string_view name, std::string_view patterns,
                 decltype(FileKind::divide) divide, Fits fits = nullptr) {
  FileKind kind;
  kind.name = name;
  kind.patterns = patterns;
  kind.fits = fits;
  kind.divide = divide;
  return kind;
}

template <framework::TlvRecord T>
FileKind tlv(std::string_view name) {
  return divided(name, std::string(name) + "*", divide_tlv<T>);
}

FileKind lines(std::string_view name, std::string_view patterns, Fits fits = nullptr) {
  return divided(name, patterns, divide_lines, fits);
}

// Items that end with a zero byte, each perhaps on a line of its own.
FileKind items(std::string_view name, std::string_view patterns, Fits fits = nullptr) {
  FileKind kind = lines(name, patterns, fits);
  kind.may_have_zeros = true;
  return kind;
}

FileKind plain_text(std::string_view name, std::string_view patterns) {
  FileKind kind = lines(name, patterns);
  kind.is_plain_text = true;
  return kind;
}

// Of several kinds with the same pattern the first that fits counts.
std::vector<FileKind> make_file_kinds() {
  std::vector<FileKind> kinds = {
      // FRAMEWORK
      tlv<framework::OpRange>(framework::kOpRangeFile),
      tlv<framework::OpMark>(framework::kOpMarkFile),
      tlv<framework::MemoryUsage>(framework::kMemoryUsageFile),
      tlv<framework::PythonHash>(framework::kPythonTracerHashFile),
      tlv<framework::ParamTensorInfo>(framework::kParamTensorInfoFile),
      framework_records<framework::PythonCall>(framework::kPythonTracerCallFile),
      framework_records<framework::GcRecord>(framework::kGcRecordFile),
      tlv<mindspore::OpRange>(mindspore::kOpRangeFile),
      tlv<mindspore::MemoryUsage>(mindspore::kMemoryUsageFile),
      tlv<mindspore::RecordShapes>(mindspore::kRecordShapesFile),
      plain_text("mindspore.text",
                 "cpu_op_*_info_*.csv cpu_op_execute_timestamp_*.txt cpu_framework_*.txt "
                 "cpu_ms_memory_record_*.txt device_queue_profiling_*.txt "
                 "dataset_iterator_profiling_*.txt host_info_*.csv"),

      // host/data
      records_of<host::ApiEvent>("api_event.data"),
      host_records<host::TaskTrack>(),
      host_records<host::TaskTrackV2>(),
      host_records<host::DpuTrack>(),
      host_records<host::NodeBasicInfo>(),
      host_records<host::NodeAttrInfo>(),
      host_records<host::HcclOpInfo>(),
      host_records<host::MemcpyInfo>(),
      host_records<host::MemcpyExtInfo>(),
      host_records<host::MemsetInfo>(),
      host_records<host::MemmngInfo>(),
      host_records<host::CaptureStreamInfo>(),
      host_records<host::CaptureStreamInfoV2>(),
      host_records<host::ExpandStreamSpec>(),
      host_records<host::StreamSqInfo>(),
      host_records<host::TensorInfo>(),
      host_records<host::ContextIdInfo>(),
      host_records<host::FusionOpInfo>(),
      host_records<host::HcclInfo>(),
      host_records<host::MultiThread>(),
      host_records<host::Mc2CommInfo>(),
      host_records<host::DpuHcclInfo>(),
      host_records<host::GraphIdMap>(),
      host_records<host::LogicStreamInfo>(),
      host_records<host::ModelExeom>(),
      host_records<host::TaskMemoryInfo>(),
      host_records<host::StaticOpMem>(),
      host_records<host::CcuTaskInfo>(),
      host_records<host::CcuWaitSignalInfo>(),
      host_records<host::CcuGroupInfo>(),
      host_records<host::CaptureOpInfo>(),
      host_records<host::Msproftx>(),
      records<host::MemoryApplicationFrame>("additional.memory_application",
                                            "additional.memory_application", is_in_frames),
      records<host::MemoryApplication>("additional.memory_application.short",
                                       "additional.memory_application"),
      divided("variable.capture_op_info", "variable.capture_op_info", divide_capture_ops),
      lines("dictionary", "additional.*_dic"),
      lines("host_samples", "host_*.data *-CpuUsage.data *-Memory.data"),

      // device_<N>/data
      records<TaskLogV6>("stars_soc.data.v6", kStarsFile, is_of_v6, view_of_stars_v6),
      records_of<TaskLog>(kStarsFile, view_of_stars),
      records<AiCoreSampleV6>("ffts_profile.data.sampled.v6", kFftsFile, is_sampled_v6),
      records<CorePmuV6>("ffts_profile.data.v6", kFftsFile, is_of_v6),
      records<AiCoreSample>("ffts_profile.data.sampled", kFftsFile, is_sampled),
      records_of<ContextPmu>(kFftsFile, view_of_counters),
      records<TrackRecord>("ts_track.data.v6", "ts_track.data ts_track.aiv_data", is_of_v6,
                           view_of_track<true>),
      divided("ts_track.data.310", kTrackFile, divide_tracks_310, is_of_310),
      records<TrackRecord>("ts_track.data", "ts_track.data ts_track.aiv_data", nullptr,
                           view_of_track<false>),
      records<HwtsLog>("hwts.data", "hwts.data hwts.aiv_data"),
      records<AiCoreSample>("aicore.data.sampled", "aicore.data aiVectorCore.data", is_sampled),
      records<AiCorePmu>("aicore.data", "aicore.data aiVectorCore.data"),
      records_of<NanoTask>(kNanoFile),
      records<SocSample>("stars_soc_profile.data.v6", kSocSamplesFile, is_of_v6,
                         view_of_soc_sample<true>),
      records_of<SocSample>(kSocSamplesFile, view_of_soc_sample<false>),
      records_of<AiCpuRecord>(kAicpuFile, view_of_aicpu),
      items("DATA_PREPROCESS.text", "DATA_PREPROCESS.AICPU DATA_PREPROCESS.DP DATA_PREPROCESS.TDT",
            is_task_text),
      items(kPreprocessWaitsFile, kPreprocessWaitsFile),
      records_of<PreprocessNode>(kPreprocessNodesFile),
      records<PreprocessStep>("DATA_PREPROCESS.DP", "DATA_PREPROCESS.DP DATA_PREPROCESS.TDT"),
      records_of<PreprocessModelMark>(kPreprocessMarksFile),
      records_of<L2CacheRecord>(kL2CacheFile),
      records<SocPmuRecordV6>("socpmu.data.v6", kSocPmuFile, is_of_v6),
      records_of<SocPmuRecord>(kSocPmuFile),
      records<TsCpuSample610>("tscpu.data.610", kSchedulerCpuFile, is_of_610),
      records_of<TsCpuSample>(kSchedulerCpuFile),
      records<HbmSampleV2>("hbm.data.v2", kHbmFile, is_of_version_2),
      records_of<HbmSample>(kHbmFile),
      lines("llc.data.310", kLlcFile, is_of_310),
      records<LlcSampleV2>("llc.data.v2", kLlcFile, is_of_version_2),
      records_of<LlcSample>(kLlcFile),
      records_of<DdrSample>(kDdrFile),
      records<NpuMemorySample>("npu_mem.data", "npu_mem.data npu_mem.app"),
      records_of<ModuleMemorySample>(kModuleMemoryFile),
      records_of<PcieSample>(kPcieFile),
      records_of<UbSample>(kUbFile),
      records_of<QosSample>(kQosFile),
      records<FrequencyRecord>("lpmFreqConv.data", "lpmFreqConv.data lpmInfoConv.data"),
      records<CubeInstructionRecord>("instr.group.aic", "instr.group_*_aic", nullptr,
                                     view_of_cube_sample),
      records<VectorInstructionRecord>("instr.group.aiv", "instr.group_*_aiv?"),
      records<InstructionWord>("instr.biu_perf", "instr.biu_perf_group*"),
      records<CcuMission>("ccu.instr", "ccu?.instr"),
      records<CcuChannelDelays>("ccu.stat", "ccu?.stat"),
      records_of<TrainingTrace>("training_trace"),
      lines("links", "hccs.data nic.data roce.data dvpp.data netdev_stats.data"),
      lines("device_samples",
            "ai_ctrl_cpu.data SystemCpuUsage.data Memory.data *-CpuUsage.data "
            "*-Memory.data"),
      lines("Framework", "Framework.*"),

      // Beside these directories
      plain_text("text", "*.json *.json.* start_info* end_info* *.log *.log.* *.done *.txt"),
  };
  // What no layout is known for, behind those that have one.
  FileKind compact = records<host::RecordHeader>("compact", "compact.*", nullptr, view_of_frame);
  compact.record_bytes = host::kCompactBytes;
  FileKind additional =
      records<host::RecordHeader>("additional", "additional.*", nullptr, view_of_frame);
  additional.record_bytes = host::kAdditionalBytes;
  kinds.push_back(std::move(compact));
  kinds.push_back(std::move(additional));
  return kinds;
}

// The part of a name that tells the kind.
std::string kind_part(std::string_view file_name) {
  if (!host::is_raw_file(file_name)) return std::string(file_name);
  if (const auto name = host::parse_host_file_name(file_name)) {
    return fmt::format("{}.{}", host::module_name(name->module), name->tag);
  }
  if (const auto name = host::parse_device_file_name(file_name)) {
    return host::current_base(name->base);
  }
  const auto name = host::parse_plain_file_name(file_name);
  return std::string(name ? name->base : file_name);
}

bool has_pattern_of(const FileKind& kind, const std::string& part) {
  const auto patterns = split(kind.patterns, ' ');
  return std::any_of(patterns.begin(), patterns.end(), [&](std::string_view pattern) {
    return ::fnmatch(std::string(pattern).c_str(), part.c_str(), 0) == 0;
  });
}

}  // namespace

const std::vector<FileKind>& file_kinds() {
  static const std::vector<FileKind> kinds = make_file_kinds();
  return kinds;
}

const FileKind* find_file_kind(std::string_view name) {
  for (const FileKind& kind : file_kinds()) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

const FileKind* file_kind_of(std::string_view file_name, const Surroundings& surroundings) {
  const std::string part = kind_part(file_name);
  for (const FileKind& kind : file_kinds()) {
    if (kind.fits != nullptr && !kind.fits(surroundings)) continue;
    if (has_pattern_of(kind, part)) return &kind;
  }
  return nullptr;
}

bool depends_on_surroundings(std::string_view file_name) {
  const std::string part = kind_part(file_name);
  return std::any_of(file_kinds().begin(), file_kinds().end(), [&](const FileKind& kind) {
    return kind.fits != nullptr && has_pattern_of(kind, part);
  });
}

}  // namespace npuprof::format
