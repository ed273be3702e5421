#include "cann/profiling_options.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "npuprof/cann_abi.h"
#include "temporary_directory.h"

namespace npuprof::cann {
namespace {

using ::npuprof::testing::TemporaryDirectory;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

std::string refusal(std::string_view text, const OptionsTarget& target = {}) {
  const auto parsed = parse_profiling_options(text, target);
  return parsed.ok() ? "accepted" : parsed.error().message;
}

ProfilingOptions accepted(std::string_view text, const OptionsTarget& target = {}) {
  auto parsed = parse_profiling_options(text, target);
  EXPECT_TRUE(parsed.ok()) << text << ": " << parsed.error().message;
  return parsed.ok() ? std::move(parsed).value() : ProfilingOptions{};
}

// {"output":"./", <more>}
std::string with(const std::string& more) { return R"({"output":"./",)" + more + "}"; }

TEST(ProfilingOptions, RefusesWhatTheGraphEngineRefuses) {
  for (const char* text :
       {"", "5", "[]", "null", "on",
        R"({"output":"/data/p","training_trace":"on",task_trace":"on"})",
        R"({"output":"./","training_trace":"off"})", R"({"output":"./","training_trace":true})",
        R"({"output":"./","training_trace":"on","fp_point":5})",
        R"({"output":"./","training_trace":"on","bp_point":null})"}) {
    EXPECT_THAT(refusal(text), StartsWith("E10001: profiling_options: ")) << text;
  }
  EXPECT_THAT(refusal(with(R"("training_trace":"off")")), HasSubstr("leave the key out"));
}

TEST(ProfilingOptions, RefusesTextThatIsCut) {
  const auto padded = [](std::size_t size) {
    std::string text = R"({"output":")";
    return text + std::string(size - text.size() - 2, 'a') + "\"}";
  };
  EXPECT_EQ(accepted(padded(2047)).output.size(), 2047u - 13);
  EXPECT_THAT(refusal(padded(2048)), StartsWith("E10001"));
  EXPECT_THAT(refusal(padded(3000)), HasSubstr("3000 bytes"));
}

TEST(ProfilingOptions, ChecksOfTheGraphEngineComeFirst) {
  EXPECT_THAT(refusal(with(R"("training_trace":"off","nonsense":1)")), StartsWith("E10001"));
  EXPECT_THAT(refusal(with(R"("sys_io_sampling_freq":"10","nonsense":1)")),
              HasSubstr("nonsense is not supported"));
  EXPECT_THAT(refusal(with(R"("aicpu":1,"sys_cpu_freq":"1")")), HasSubstr("sys_cpu_freq"));
  EXPECT_THAT(refusal(R"({"aicpu":"yes","output":""})"), StartsWith("EK0001"));
  EXPECT_THAT(refusal(R"({"aic_metrics":"yes","output":""})"), StartsWith("EK0003"));
}

TEST(ProfilingOptions, RefusesUnknownKeysAndWrongTypes) {
  for (const char* more :
       {R"("aiv_metrics":"Memory")", R"("power":"on")", R"("Task_time":"on")",
        R"("sys_io_sampling_freq":"10")", R"("sys_io_sampling_freq":10.5)",
        R"("host_sys_usage_freq":true)", R"("aicpu":true)", R"("llc_profiling":1)",
        R"("host_sys":["cpu"])", R"("host_sys_usage":{})", R"("task_block":null)",
        R"("sys_mem_serviceflow":1)", R"("aic_metrics":3)", R"("optype":1)"}) {
    EXPECT_THAT(refusal(with(more)), StartsWith("EK0001")) << more;
  }
  EXPECT_THAT(refusal(with(R"("aiv_metrics":"Memory")")), HasSubstr("aic_metrics counts both"));
}

TEST(ProfilingOptions, SwitchesAreOnOrOff) {
  for (const char* key : {"runtime_api", "hccl", "aicpu", "l2", "msproftx", "task_memory",
                          "task_tsfw", "instr_profiling"}) {
    const std::string name = std::string("\"") + key + "\":";
    for (const char* value : {"\"on\"", "\"off\"", "\"\""}) (void)accepted(with(name + value));
    EXPECT_THAT(refusal(with(name + "\"ON\"")), HasSubstr("only on and off are possible"));
  }
  EXPECT_FALSE(accepted(with(R"("hccl":"")")).hccl);
  EXPECT_TRUE(accepted(with(R"("hccl":"on")")).hccl);
}

TEST(ProfilingOptions, FrequenciesHaveRanges) {
  struct Range {
    const char* key;
    int low, high;
    std::uint32_t ProfilingOptions::*member;
  };
  for (const Range& range :
       {Range{"instr_profiling_freq", 300, 30000, &ProfilingOptions::instr_profiling_freq},
        Range{"sys_hardware_mem_freq", 1, 100, &ProfilingOptions::sys_hardware_mem_freq},
        Range{"sys_io_sampling_freq", 1, 100, &ProfilingOptions::sys_io_sampling_freq},
        Range{"sys_interconnection_freq", 1, 50, &ProfilingOptions::sys_interconnection_freq},
        Range{"dvpp_freq", 1, 100, &ProfilingOptions::dvpp_freq},
        Range{"sys_cpu_freq", 1, 50, &ProfilingOptions::sys_cpu_freq},
        Range{"sys_lp_freq", 1, 100, &ProfilingOptions::sys_lp_freq},
        Range{"host_sys_usage_freq", 1, 50, &ProfilingOptions::host_sys_usage_freq}}) {
    const auto text = [&](long long value) {
      return with(std::string("\"") + range.key + "\":" + std::to_string(value));
    };
    EXPECT_EQ(accepted(text(range.low)).*range.member, static_cast<std::uint32_t>(range.low));
    EXPECT_EQ(accepted(text(range.high)).*range.member, static_cast<std::uint32_t>(range.high));
    for (const long long value :
         {range.low - 1ll, range.high + 1ll, -1ll, (1ll << 32) + range.low, 1ll << 62}) {
      EXPECT_THAT(refusal(text(value)), StartsWith("EK0001")) << range.key << " " << value;
    }
  }
  const OptionsTarget newest{.is_newest = true};
  EXPECT_EQ(accepted(with(R"("sys_hardware_mem_freq":10000)"), newest).sys_hardware_mem_freq,
            10000u);
  EXPECT_THAT(refusal(with(R"("sys_hardware_mem_freq":10001)"), newest), StartsWith("EK0001"));
}

TEST(ProfilingOptions, ListsAndChoicesNameWhatIsPossible) {
  EXPECT_THAT(accepted(with(R"("host_sys":"cpu,mem,numa")")).host_sys,
              ElementsAre("cpu", "mem", "numa"));
  EXPECT_THAT(refusal(with(R"("host_sys":"cpu,gpu")")), HasSubstr("osrt or numa"));
  EXPECT_THAT(refusal(with(R"("host_sys":"cpu,")")), StartsWith("EK0001"));
  EXPECT_THAT(refusal(with(R"("host_sys_usage":"disk")")), HasSubstr("cpu or mem"));
  EXPECT_THAT(accepted(with(R"("host_sys_usage":"mem,cpu")")).host_sys_usage,
              ElementsAre("mem", "cpu"));
  EXPECT_THAT(refusal(with(R"("ge_api":"on")")), HasSubstr("l0, l1 or off"));
  EXPECT_EQ(accepted(with(R"("ge_api":"l1")")).ge_api, "l1");
  EXPECT_THAT(refusal(with(R"("llc_profiling":"capacity")")), StartsWith("EK0001"));
  EXPECT_EQ(accepted(with(R"("task_block":"all")")).task_block, "all");
  EXPECT_THAT(refusal(with(R"("task_block":"l0")")), StartsWith("EK0001"));
}

TEST(ProfilingOptions, LevelsOfTaskTime) {
  const auto level = [](const char* more, const OptionsTarget& target = {}) {
    return accepted(with(more), target).task_time;
  };
  EXPECT_EQ(accepted(R"({"output":"./"})").task_time, TaskTime::kLevel1);
  EXPECT_EQ(level(R"("task_time":"on")"), TaskTime::kLevel1);
  EXPECT_EQ(level(R"("task_time":"l1")"), TaskTime::kLevel1);
  EXPECT_EQ(level(R"("task_time":"off")"), TaskTime::kOff);
  EXPECT_EQ(level(R"("task_time":"l0")"), TaskTime::kLevel0);
  EXPECT_EQ(level(R"("task_time":"l2")"), TaskTime::kLevel2);
  EXPECT_EQ(level(R"("task_time":"l3")", {.is_newest = true}), TaskTime::kLevel3);
  EXPECT_THAT(refusal(with(R"("task_time":"l3")")), StartsWith("EK0005"));
  EXPECT_THAT(refusal(with(R"("task_time":"l4")")), StartsWith("EK0001"));
}

TEST(ProfilingOptions, TaskTraceHasNoEffectAndThatIsSaid) {
  const ProfilingOptions off = accepted(with(R"("task_trace":"off")"));
  EXPECT_EQ(off.task_time, TaskTime::kLevel1);
  EXPECT_THAT(off.notes, ElementsAre(HasSubstr("task_trace has no effect")));
  EXPECT_THAT(accepted(with(R"("task_trace":"on")")).notes, IsEmpty());
  EXPECT_THAT(accepted(with(R"("task_trace":"on","task_time":"l0")")).notes,
              ElementsAre(HasSubstr("task_trace has no effect")));
  EXPECT_THAT(refusal(with(R"("task_trace":"yes")")), StartsWith("EK0001"));
}

TEST(ProfilingOptions, Metrics) {
  const auto metrics = [](const char* value) {
    return accepted(with(std::string(R"("aic_metrics":")") + value + "\"")).aic_metrics;
  };
  EXPECT_EQ(accepted(R"({"output":"./"})").aic_metrics, "");
  EXPECT_EQ(metrics(""), "PipeUtilization");
  for (const char* name : {"ArithmeticUtilization", "PipeUtilization", "Memory", "MemoryL0",
                           "MemoryUB", "ResourceConflictRatio", "L2Cache", "MemoryAccess"}) {
    EXPECT_EQ(metrics(name), name);
  }
  EXPECT_THAT(refusal(with(R"("aic_metrics":"memory")")), HasSubstr("ArithmeticUtilization, "));
  EXPECT_THAT(accepted(with(R"("aic_metrics":"Custom:0x1,110,0x6E")")).custom_events,
              ElementsAre(1, 110, 110));
  for (const char* registers :
       {"", "0", "0x0", "111", "0x6F", "1,,2", "0x", "1,2,3,4,5,6,7,8,9", "x", "-1", "1 "}) {
    EXPECT_THAT(refusal(with(std::string(R"("aic_metrics":"Custom:)") + registers + "\"")),
                HasSubstr("one to eight registers"))
        << registers;
  }
}

TEST(ProfilingOptions, OutputFallsBackToTheWorkPath) {
  const OptionsTarget target{.work_path = "/data/work"};
  for (const char* text : {"{}", R"({"output":""})", R"({"output":5})"}) {
    EXPECT_EQ(accepted(text, target).output, "/data/work/profiling_data") << text;
    EXPECT_THAT(refusal(text), StartsWith("EK0003")) << text;
  }
  EXPECT_EQ(accepted(R"({"output":"a"})", target).output, "a");
  EXPECT_THAT(refusal(R"({"output":"a\tb"})"), HasSubstr("control characters"));
  EXPECT_THAT(refusal(R"({"output":"a\u007f"})"), StartsWith("EK0003"));
}

TEST(ProfilingOptions, StorageLimitIsCorrectedAndNeverRefused) {
  const auto limit = [](const char* value) {
    return accepted(with(std::string(R"("storage_limit":)") + value));
  };
  EXPECT_EQ(limit("\"300MB\"").storage_limit_mb, 300u);
  EXPECT_EQ(limit("\"4294967295MB\"").storage_limit_mb, 4294967295u);
  EXPECT_EQ(limit("\"100MB\"").storage_limit_mb, 200u);
  EXPECT_THAT(limit("\"100MB\"").notes, ElementsAre(HasSubstr("200MB is taken")));
  for (const char* value : {"\"300\"", "\"4294967296MB\"", "300", "\"-1MB\"", "\"MB\"", "{}"}) {
    EXPECT_EQ(limit(value).storage_limit_mb, std::nullopt) << value;
    EXPECT_THAT(limit(value).notes, ElementsAre(HasSubstr("there is no limit"))) << value;
  }
  EXPECT_THAT(limit("\"\"").notes, IsEmpty());
}

TEST(ProfilingOptions, AHostWithoutDriverCollectsLittle) {
  const OptionsTarget host{.has_driver = false};
  EXPECT_THAT(refusal(kAdapterDefaultOptions, host), StartsWith("EK0005"));
  for (const char* more :
       {R"("aic_metrics":"")", R"("aicpu":"on")", R"("task_memory":"on")", R"("task_tsfw":"on")",
        R"("l2":"on")", R"("instr_profiling":"on")", R"("sys_cpu_freq":1)", R"("dvpp_freq":1)"}) {
    EXPECT_THAT(refusal(with(more), host), StartsWith("EK0005")) << more;
  }
  (void)accepted(with(R"("runtime_api":"on","hccl":"on","ge_api":"l0","host_sys":"cpu",)"
                      R"("host_sys_usage":"cpu","host_sys_usage_freq":5,"aicpu":"off")"),
                 host);
}

TEST(ProfilingOptions, SaysWhatHasNoEffect) {
  const auto notes = [](const char* more) { return accepted(with(more)).notes; };
  EXPECT_THAT(notes(R"("llc_profiling":"write")"), ElementsAre(HasSubstr("llc_profiling")));
  EXPECT_THAT(notes(R"("instr_profiling_freq":400)"), ElementsAre(HasSubstr("instr_profiling")));
  EXPECT_THAT(notes(R"("host_sys_usage_freq":5)"), ElementsAre(HasSubstr("host_sys_usage")));
  EXPECT_THAT(notes(R"("fp_point":"a","bp_point":"")"), ElementsAre(HasSubstr("fp_point")));
  EXPECT_THAT(notes(R"("fp_point":5)"), ElementsAre(HasSubstr("fp_point")));
  EXPECT_THAT(notes(R"("training_trace":"on","task_time":"off")"),
              ElementsAre(HasSubstr("training_trace without task_time")));
  EXPECT_THAT(notes(R"("instr_profiling":"on","l2":"on")"), ElementsAre(HasSubstr("alone")));
  EXPECT_THAT(notes(R"("aic_metrics":"Memory","task_time":"l0")"),
              ElementsAre(HasSubstr("aic_metrics has no effect")));
}

TEST(ProfilingOptions, DefaultsOfTheTwoWays) {
  for (const std::string_view text : {kAdapterDefaultOptions, kEnvironmentDefaultOptions}) {
    const ProfilingOptions options = accepted(text);
    EXPECT_TRUE(options.training_trace && options.hccl && options.aicpu);
    EXPECT_EQ(options.task_time, TaskTime::kLevel1);
    EXPECT_EQ(options.aic_metrics, "PipeUtilization");
    EXPECT_FALSE(options.msproftx);
  }
}

TEST(ProfilingOptions, BitsForCann) {
  const auto bits = [](const char* text) {
    std::vector<std::string> left_out;
    const std::uint64_t result = make_switches(accepted(text), left_out).bits;
    EXPECT_THAT(left_out, IsEmpty());
    return result;
  };
  EXPECT_EQ(bits(R"({"output":"./","task_time":"off"})"), 0x1u);
  EXPECT_EQ(bits(R"({"output":"./","task_time":"l0"})"), 0x801u);
  EXPECT_EQ(bits(R"({"output":"./"})"), 0x823u);
  EXPECT_EQ(bits(R"({"output":"./","task_time":"l2"})"), 0x2823u);
  EXPECT_EQ(bits(kAdapterDefaultOptions.data()), 0x823u | 0x40 | 0x8 | 0x4);
  EXPECT_EQ(bits(R"({"output":"./","task_time":"off","ge_api":"l1","runtime_api":"on","l2":"on",)"
                 R"("msproftx":"on","task_memory":"on"})"),
            0x1u | 0x1000200 | 0x100 | 0x10 | 0x80 | 0x1000);
}

TEST(ProfilingOptions, SettingsForCann) {
  std::vector<std::string> left_out;
  const Switches switches = make_switches(
      accepted(with(R"("storage_limit":"200MB","sys_hardware_mem_freq":50,"llc_profiling":"write",)"
                    R"("sys_io_sampling_freq":100,"sys_interconnection_freq":49,"dvpp_freq":1,)"
                    R"("sys_cpu_freq":2,"sys_lp_freq":3,"host_sys_usage":"cpu,mem",)"
                    R"("optype":"MatMul,Add","aic_metrics":"MemoryUB")")),
      left_out);
  EXPECT_THAT(
      switches.settings,
      UnorderedElementsAre(
          Pair(NPUPROF_CONFIG_STORAGE_LIMIT, "200MB"), Pair(NPUPROF_CONFIG_MEMORY_FREQUENCY, "50"),
          Pair(NPUPROF_CONFIG_LLC_MODE, "write"), Pair(NPUPROF_CONFIG_IO_FREQUENCY, "100"),
          Pair(NPUPROF_CONFIG_INTERCONNECTION_FREQUENCY, "49"),
          Pair(NPUPROF_CONFIG_DVPP_FREQUENCY, "1"), Pair(NPUPROF_CONFIG_CPU_FREQUENCY, "2"),
          Pair(NPUPROF_CONFIG_LOW_POWER_FREQUENCY, "3"),
          Pair(NPUPROF_CONFIG_HOST_SYS_USAGE, "cpu,mem"),
          Pair(NPUPROF_CONFIG_HOST_SYS_USAGE_FREQUENCY, "50"),
          Pair(NPUPROF_CONFIG_OP_TYPE, "MatMul,Add")));
  EXPECT_EQ(switches.metrics, 5);
  EXPECT_THAT(left_out, IsEmpty());
}

TEST(ProfilingOptions, WhatCannHasNoWordForIsNamed) {
  std::vector<std::string> left_out;
  const Switches switches =
      make_switches(accepted(with(R"("aic_metrics":"Custom:1","instr_profiling":"on",)"
                                  R"("task_tsfw":"on","task_block":"on")")),
                    left_out);
  EXPECT_THAT(left_out,
              ElementsAre("aic_metrics Custom", "instr_profiling", "task_tsfw", "task_block"));
  EXPECT_EQ(switches.metrics, NPUPROF_AICORE_NONE);
}

TEST(ProfilingOptions, TooLongAnOpTypeIsRefused) {
  const auto text = [](std::size_t size) {
    return with(R"("optype":")" + std::string(size, 'a') + "\"");
  };
  EXPECT_EQ(accepted(text(256)).optype.size(), 256u);
  EXPECT_THAT(refusal(text(257)), StartsWith("EK0001"));
}

TEST(ProfilingOptions, OutputIsMadeIfMissing) {
  const TemporaryDirectory directory;
  const std::filesystem::path wanted = directory.path() / "a" / "b";
  EXPECT_TRUE(prepare_output(wanted.native()).ok());
  EXPECT_TRUE(std::filesystem::is_directory(wanted));
  const Status failed = prepare_output("/proc/nowhere");
  ASSERT_FALSE(failed.ok());
  EXPECT_THAT(failed.error().message, StartsWith("EK0003"));
}

TEST(ProfilingOptions, BytesThatAreNoTextAreRefusedInPlainWords) {
  EXPECT_THAT(refusal("{\"output\":\"\xff\"}"), StartsWith("E10001"));
  EXPECT_THAT(refusal(with("\"a\\u001b[31m\":1")), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace npuprof::cann
