// Binary records in device_<N>/data.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "format/device/aicore.h"
#include "format/device/aicpu.h"
#include "format/device/ccu.h"
#include "format/device/data_preprocess.h"
#include "format/device/ffts_profile.h"
#include "format/device/frequency.h"
#include "format/device/hwts.h"
#include "format/device/instruction_profile.h"
#include "format/device/instruction_words.h"
#include "format/device/l2_cache.h"
#include "format/device/links.h"
#include "format/device/memory_samples.h"
#include "format/device/module_names.h"
#include "format/device/nano_stars.h"
#include "format/device/soc_pmu.h"
#include "format/device/stars_soc.h"
#include "format/device/stars_soc_profile.h"
#include "format/device/task_identity.h"
#include "format/device/task_types.h"
#include "format/device/training_trace.h"
#include "format/device/ts_track.h"
#include "format/device/ts_track_310.h"
#include "format/device/tscpu.h"
#include "fuzz/input.h"

namespace npuprof::fuzz {
namespace {

using namespace format::device;

void use_sqe_type(std::uint8_t type) {
  for (const Chip& chip : all_chips()) {
    if (const auto kind = sqe_kind_of(chip.family, type)) use(sqe_kind_name(*kind));
  }
}

void stars_soc(Bytes data) {
  decode_records<TaskLog>(data, [](const TaskLog& log) {
    use(log.head.has_magic());
    use(log.head.function());
    use_sqe_type(log.head.sqe_type());
  });
  decode_records<FftsPlusLog>(data, [](const FftsPlusLog& log) {
    use(sub_task_type_name(log.sub_task_type()));
    use(log.ffts_type());
  });
  decode_plain_records<TaskLogV6>(data);
  decode_records<BlockLogV6>(data, [](const BlockLogV6& log) { use(log.is_mixed()); });
  decode_records<FusionLogV6>(data, [](const FusionLogV6& log) { use(log.mission_id()); });
}

struct IdentityWords {
  format::U16 stream;
  format::U16 task;
  format::U8 sqe_type;

  static constexpr void visit(auto& self, auto&& field) {
    field("stream", self.stream);
    field("task", self.task);
    field("sqe_type", self.sqe_type);
  }
};

void task_identities(Bytes data) {
  decode_records<IdentityWords>(data, [](const IdentityWords& words) {
    for (const auto mode : {StreamMode::kNormal, StreamMode::kExpanded}) {
      const auto identity = decode_task_identity({words.stream, words.task}, mode, words.sqe_type);
      if (const auto raw = encode_task_identity(identity, mode, words.sqe_type))
        require(decode_task_identity(*raw, mode, words.sqe_type) == identity);
    }
  });
}

void kernel_counters(Bytes data) {
  decode_records<AiCorePmu>(data, [](const AiCorePmu& pmu) { use(pmu.sequence()); });
  decode_records<ContextPmu>(data, [](const ContextPmu& pmu) {
    if (const auto kind = core_kind(pmu.ffts_type(), pmu.sub_task_type())) use(*kind);
  });
  decode_records<BlockPmu>(data, [](const BlockPmu& pmu) {
    if (const auto kind = core_kind(pmu.ffts_type(), pmu.sub_task_type())) use(*kind);
    use(pmu.core_id());
  });
  decode_records<CorePmuV6>(data, [](const CorePmuV6& pmu) { use(pmu.is_vector_core()); });
  decode_plain_records<AiCoreSample>(data);
  decode_plain_records<AiCoreSampleV6>(data);
  decode_records<HwtsLog>(data, [](const HwtsLog& log) { use(log.type()); });
  decode_records<TrainingTrace>(data, [](const TrainingTrace& record) { use(record.is_job()); });
  decode_records<NanoTask>(data, [](const NanoTask& task) { use(task.total_cycles()); });
}

void l2_cache(Bytes data) {
  decode_records<L2CacheRecord>(data, [](const L2CacheRecord& record) {
    std::array<std::uint64_t, std::tuple_size_v<decltype(record.counters)>> counters;
    std::copy(record.counters.begin(), record.counters.end(), counters.begin());
    for (const Chip& chip : all_chips()) {
      const L2Events events = l2_events(chip.id);
      use(sum_events(events.hits, events.collected, counters));
    }
  });
}

void soc_samples(Bytes data) {
  decode_records<SocSample>(data, [](const SocSample& sample) {
    use_record(sample.as<AccPmuSample>());
    use_record(sample.as<SioSample>());
    use_record(sample.as<SioSampleV6>());
    use(sample.as<ChipTransSample>().link_id());
    use(sample.as<ChipTransSampleV6>().is_valid());
    use(sample.as<InterSocSample>().mata_level());
    const auto power = sample.as<LowPowerSample>();
    for (std::size_t i = 0; i < LowPowerSample::kChannels; ++i) use(power.channel(i));
    use_record(sample.as<QosSampleV6>());
  });
}

void tracks(Bytes data) {
  decode_records<TrackRecord>(data, [](const TrackRecord& record) {
    use(record.head.track_type());
    use_record(record.as<StepTrace>());
    use_record(record.as<StepTraceV6>());
    use(record.as<MemcpyTrack>().track_state());
    use_record(record.as<TaskStateTrack>());
    use_record(record.as<TaskFlip>());
    use(record.as<BlockNumber>().slave_block_count());
  });
}

void variable_tracks(Bytes data) {
  std::size_t read = 0;
  const std::size_t left = for_each_variable_record(data, [&](VariableHead head, Bytes record) {
    read += record.size();
    use(head.track_type());
    use(as_text(record));
    if (record.size() >= sizeof(TimelineRecord))
      use_record(format::load<TimelineRecord>(record.data()));
    if (record.size() >= sizeof(EventCountRecord))
      use_record(format::load<EventCountRecord>(record.data()));
  });
  require(read + left == data.size());
}

void ai_cpu(Bytes data) {
  decode_records<AiCpuRecord>(data, [](const AiCpuRecord& record) {
    use(record.has_magic());
    use(record.type());
    use_record(record.as<AiCpuNode>());
    use(record.as<AiCpuDataPreprocess>().action.view());
    use(record.as<AiCpuDataPreprocess>().source.view());
    use_record(record.as<AiCpuModelMark>());
    use_record(record.as<AiCpuQueueWait>());
    use_record(record.as<AiCpuCommTurn>());
    use_record(record.as<AiCpuComputeTurn>());
    use_record(record.as<AiCpuHcclOp>());
    use_record(record.as<AiCpuFlip>());
    use_record(record.as<AiCpuMainStreamMark>());
    use_record(record.as<AiCpuHcclTasks>());
  });
}

void preprocess(Bytes data) {
  decode_records<PreprocessNode>(data, [](const PreprocessNode& node) { use(node.is_valid()); });
  decode_records<PreprocessStep>(data, [](const PreprocessStep& step) { use(step.is_valid()); });
  decode_records<PreprocessModelMark>(
      data, [](const PreprocessModelMark& mark) { use(mark.is_valid()); });
}

void samples(Bytes data) {
  decode_records<HbmSample>(data, [](const HbmSample& sample) { use(sample.is_read()); });
  decode_plain_records<HbmSampleV2>(data);
  decode_plain_records<LlcSample>(data);
  decode_plain_records<LlcSampleV2>(data);
  decode_plain_records<DdrSample>(data);
  decode_plain_records<NpuMemorySample>(data);
  decode_records<ModuleMemorySample>(
      data, [](const ModuleMemorySample& sample) { use(sample.known_bytes().value_or(0)); });
  decode_records<PcieSample>(data, [](const PcieSample& sample) { use(sample.is_valid()); });
  decode_records<UbSample>(data, [](const UbSample& sample) { use(sample.has_magic()); });
  decode_plain_records<QosSample>(data);
  decode_records<SocPmuRecord>(data, [](const SocPmuRecord& r) { use(r.soc_pmu_kind()); });
  decode_records<SocPmuRecordV6>(data, [](const SocPmuRecordV6& r) { use(r.soc_pmu_kind()); });
  decode_plain_records<TsCpuSample>(data);
  decode_plain_records<TsCpuSample610>(data);
}

void frequencies(Bytes data) {
  decode_records<FrequencyRecord>(data, [](const FrequencyRecord& record) {
    use(record.has_valid_count());
    for (const FrequencyChange& change : record.used()) use_record(change);
  });
}

void communication_unit(Bytes data) {
  decode_records<CcuMission>(data, [](const CcuMission& mission) {
    for (std::size_t rank = 0; rank < CcuMission::kRanks; ++rank)
      use(mission.end_of_rank(rank).value_or(0));
  });
  decode_plain_records<CcuChannelDelays>(data);
}

void instruction_samples(Bytes data) {
  decode_records<CubeInstructionRecord>(data, [](const CubeInstructionRecord& record) {
    use_record(record.flow());
    use(record.cycles().syscnt());
  });
  decode_records<VectorInstructionRecord>(data, [](const VectorInstructionRecord& record) {
    for (std::size_t i = 0; i < CycleSample::kNumbers; ++i) use(record.cycles.number(i));
    use(record.cycles.syscnt());
  });
}

void instruction_words(Bytes data) {
  InstructionDecoder decoder(0.05);
  std::size_t words = 0;
  const auto slices = in_slices(data);
  format::for_each_record<InstructionWord>(slices, format::Leftover::kAtEnd,
                                           [&](const InstructionWord& word) {
                                             ++words;
                                             decoder.feed(word, [](const PipeEvent& event) {
                                               require(event.pipe < kPipeCount);
                                               use(kPipeNames[event.pipe]);
                                               use(event.end_syscnt);
                                             });
                                           });
  require(decoder.damaged_words() <= words);
}

constexpr Decoder kDecoders[] = {
    stars_soc,           task_identities,  kernel_counters, l2_cache,
    soc_samples,         tracks,           variable_tracks, ai_cpu,
    preprocess,          samples,          frequencies,     communication_unit,
    instruction_samples, instruction_words};

}  // namespace
}  // namespace npuprof::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return npuprof::fuzz::run_one(npuprof::fuzz::kDecoders, data, size);
}
