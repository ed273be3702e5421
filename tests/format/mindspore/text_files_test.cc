#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "format/mindspore/cpu_text.h"
#include "format/mindspore/data_pipeline.h"
#include "format/mindspore/file_names.h"
#include "format/mindspore/host_info.h"

namespace npuprof::format::mindspore {
namespace {

TEST(MindSporeText, ReadsWhatItWroteAboutTimesOfOperators) {
  CpuOpTimes times;
  times.name = "Default/BiasAdd-op0";
  times.runs = {{1700000000000000000, 0.05, 3}, {1700000000000100000, 123.4567891, 4}};
  std::string text;
  append_cpu_op_times(text, times);
  EXPECT_EQ(text,
            "Default/BiasAdd-op0;HostCpuOps;1700000000000000000,0.05,3 "
            "1700000000000100000,123.457,4 \n");
  CpuOpTimes found;
  std::uint64_t bad_runs = 0;
  ASSERT_TRUE(parse_cpu_op_times(text, found, bad_runs));
  EXPECT_EQ(bad_runs, 0u);
  EXPECT_EQ(found.name, times.name);
  ASSERT_EQ(found.runs.size(), 2u);
  EXPECT_EQ(found.runs[1].start_ns, 1700000000000100000);
  EXPECT_EQ(found.runs[1].worker, 4);
}

TEST(MindSporeText, KeepsTheWholeRunsOfADamagedLine) {
  CpuOpTimes found;
  std::uint64_t bad_runs = 0;
  ASSERT_TRUE(parse_cpu_op_times("Add;HostCpuOps;1,0.5,3 2,x,3 5,1", found, bad_runs));
  EXPECT_EQ(found.runs.size(), 1u);
  EXPECT_EQ(bad_runs, 2u);
  EXPECT_FALSE(parse_cpu_op_times("", found, bad_runs));
  EXPECT_FALSE(parse_cpu_op_times("Add;HostCpuOps", found, bad_runs));
}

TEST(MindSporeText, ShapesAndMemorySurviveARoundTrip) {
  CpuOpShapes shapes;
  shapes.type = "MatMul";
  shapes.name = "Default/MatMul-op0";
  shapes.graph = 1;
  shapes.inputs = {"2,3", ""};
  std::string text;
  append_cpu_op_shapes(text, shapes);
  EXPECT_EQ(text, "MatMul;Default/MatMul-op0;1;input_0:[2,3];input_1:[];\n");
  CpuOpShapes found;
  ASSERT_TRUE(parse_cpu_op_shapes(text, found));
  EXPECT_EQ(found.inputs, shapes.inputs);
  ASSERT_TRUE(parse_cpu_op_shapes(";;4294967295;", found));
  EXPECT_TRUE(found.inputs.empty());

  text.clear();
  append_cpu_memory(text, {1700000000000000000, 2048, 4096, 2048});
  EXPECT_EQ(text, "1700000000000000000,2048,4096,2048\n");
  EXPECT_EQ(parse_cpu_memory(text)->reserved_bytes, 4096);
  EXPECT_FALSE(parse_cpu_memory(CpuMemory::kHeader));
}

TEST(MindSporeText, HostInfoKeepsCommasOfTheUser) {
  HostInfo info;
  info.thread_id = 79;
  info.process_id = 77;
  info.parent_process_id = 1;
  info.module = "Dataset";
  info.event = "Batch";
  info.stage = "WorkerProcess";
  info.level = 1;
  info.mark = HostInfo::Mark::kEnd;
  info.custom_info = "shape:2,3;size:4";
  info.memory_kb = 1024;
  info.time_us = 1700000000000123;
  std::string text;
  append_host_info(text, info);
  EXPECT_EQ(text,
            "79,77,1,Dataset,Batch,WorkerProcess,1,1,shape:2,3;size:4,1024,1700000000000123\n");
  const auto read = parse_host_info(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->custom_info, "shape:2,3;size:4");
  EXPECT_EQ(read->mark, HostInfo::Mark::kEnd);
  EXPECT_EQ(read->time_us, info.time_us);
  EXPECT_FALSE(parse_host_info(HostInfo::kHeader));
  EXPECT_FALSE(parse_host_info("79,77,1,Dataset,Batch,WorkerProcess,1,3,,1024,17"));
}

TEST(MindSporeText, DataPipelineSurvivesARoundTrip) {
  PipelineFile file;
  file.sampling_interval_ms = 20;
  file.operators = {{2, "GeneratorOp", 1, PipelineFile::Queue{16, {16, 16}}, {}},
                    {1, "RepeatOp", 1, std::nullopt, {2}},
                    {0, "BatchOp", 2, PipelineFile::Queue{16, {0, 1}}, {1}}};
  const std::string text = to_json(file);
  EXPECT_EQ(text,
            R"({"op_info":[{"metrics":{"output_queue":{"length":16,"size":[16,16]}},)"
            R"("num_workers":1,"op_id":2,"op_type":"GeneratorOp"},{"children":[2],"metrics":null,)"
            R"("num_workers":1,"op_id":1,"op_type":"RepeatOp"},{"children":[1],"metrics":{)"
            R"("output_queue":{"length":16,"size":[0,1]}},"num_workers":2,"op_id":0,)"
            R"("op_type":"BatchOp"}],"sampling_interval":20})");
  EXPECT_EQ(parse_pipeline(text).value(), file);

  PipelineCpuFile cpu;
  cpu.processors = 2;
  cpu.machine = {{10, 30}, {1, 2}};
  cpu.operators = {{-1, {{1}, {2}}}, {0, {{3, 4}, {5, 6}}}};
  cpu.sampling_interval_ms = 20;
  cpu.times_ms = {100, 120};
  EXPECT_EQ(parse_pipeline_cpu(to_json(cpu)).value(), cpu);

  const PipelineTrace trace{PipelineTrace::Kind::kQueue, 64, 20, 5, 1500};
  std::string line;
  append_pipeline_trace(line, trace);
  EXPECT_EQ(line, "1 64 20 5 1500\n");
  EXPECT_EQ(parse_pipeline_trace(line), trace);
  EXPECT_EQ(parse_pipeline_trace("0 0 20 10 1500 7")->value, 10);
  EXPECT_FALSE(parse_pipeline_trace("0 0 20 10"));
  EXPECT_FALSE(parse_pipeline_trace("2 0 20 10 1500"));
}

TEST(MindSporeText, PipelinesWithoutOperatorsAreRefused) {
  EXPECT_FALSE(parse_pipeline("[]").ok());
  EXPECT_FALSE(parse_pipeline("{}").ok());
  EXPECT_FALSE(parse_pipeline_cpu("{\"op_info\": 3}").ok());
  EXPECT_TRUE(parse_pipeline("{\"op_info\": [1, {\"op_id\": \"x\"}]}").ok());
  const auto odd = parse_pipeline(R"({"op_info": [{"num_workers": 1e308, "metrics": 5}]})");
  ASSERT_TRUE(odd.ok());
  EXPECT_EQ(odd->odd_values, 2u);
}

TEST(MindSporeText, ValuesOfAnotherTypeAreCountedWhereverTheyAre) {
  const auto odd = [](const char* op) {
    return parse_pipeline(fmt::format(R"({{"op_info": [{}]}})", op)).value().odd_values;
  };
  EXPECT_EQ(odd(R"({"metrics": {"output_queue": "0x10"}})"), 1u);
  EXPECT_EQ(odd(R"({"metrics": {"output_queue": {"length": [], "size": {}}}})"), 2u);
  EXPECT_EQ(odd(R"({"op_id": {}, "op_type": 3, "children": 1}, 7)"), 4u);
  EXPECT_EQ(odd(R"({"metrics": {"output_queue": null}, "children": null}, {"metrics": null})"), 0u);
  EXPECT_EQ(odd(R"({"metrics": {}, "another": 5})"), 0u);
  const auto odd_cpu = [](const char* op) {
    return parse_pipeline_cpu(fmt::format(R"({{"op_info": [{}]}})", op)).value().odd_values;
  };
  EXPECT_EQ(odd_cpu(R"({"op_id": 0, "metrics": 5})"), 1u);
  EXPECT_EQ(odd_cpu(R"({"metrics": {"user_utilization": 1, "sys_utilization": ["x"]}})"), 2u);
}

TEST(MindSporeText, FilesHaveTheRankInTheirName) {
  EXPECT_EQ(ranked_file(kCpuFrameworkStem, 3, ".txt"), "cpu_framework_3.txt");
}

}  // namespace
}  // namespace npuprof::format::mindspore
