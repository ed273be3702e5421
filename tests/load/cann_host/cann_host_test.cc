#include "load/cann_host/cann_host.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/host/additional.h"
#include "format/host/compact.h"
#include "format/host/levels.h"
#include "format/host/msproftx.h"
#include "format/host/variable.h"
#include "load/cann_host/host_directory.h"
#include "trace/host/api_calls.h"
#include "trace/host/captured_ops.h"
#include "trace/host/captured_streams.h"
#include "trace/host/collective_infos.h"
#include "trace/host/collective_task_infos.h"
#include "trace/host/communicator_streams.h"
#include "trace/host/context_ids.h"
#include "trace/host/copy_infos.h"
#include "trace/host/fusion_ops.h"
#include "trace/host/graph_names.h"
#include "trace/host/logical_streams.h"
#include "trace/host/marks.h"
#include "trace/host/node_attributes.h"
#include "trace/host/node_infos.h"
#include "trace/host/node_tensors.h"
#include "trace/host/operator_memory.h"
#include "trace/host/static_memory.h"
#include "trace/host/task_tracks.h"

namespace npuprof::load {
namespace {

using namespace format::host;  // NOLINT: a test of nearly all of it.
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::header;
using testing::HostDirectory;
using ::testing::IsEmpty;
using testing::load_cann_host;
using trace::kNone;

class CannHost : public ::testing::Test, protected HostDirectory {
 protected:
  std::vector<std::string> texts(const std::vector<StringId>& column) const {
    std::vector<std::string> result;
    for (const StringId id : column) result.emplace_back(text(id));
    return result;
  }
  static ApiEvent call(std::uint16_t level, std::uint32_t type_number, std::int64_t begin,
                       std::int64_t finish, std::uint64_t item = 0) {
    return {.level = level,
            .type = type_number,
            .thread_id = 7,
            .request_id = 0,
            .begin = ticks(begin),
            .end = ticks(finish),
            .item_id = item};
  }
  static ApiEvent event(std::int64_t time, std::uint64_t model, std::uint32_t request) {
    return {.level = kLevelModel,
            .type = kTypeModelExecute,
            .thread_id = 7,
            .request_id = request,
            .begin = ticks(time),
            .end = ApiEvent::kEventMarker,
            .item_id = model};
  }
};

TEST_F(CannHost, ReadsCallsOfAllLevels) {
  type(kLevelAcl, 0x50001, "aclnnAdd");
  add(call(kLevelNode, 5, 20, 80, hash("Add_1")));
  add(call(kLevelAcl, 0x50001, 10, 100));
  add(call(kLevelRuntime, 1003, 30, 40), Age::kUnaging);
  finish_and_load();
  const auto& calls = trace.api_calls();
  EXPECT_THAT(calls.start_ns, ElementsAre(at(10), at(20), at(30)));
  EXPECT_THAT(calls.end_ns, ElementsAre(at(100), at(80), at(40)));
  EXPECT_THAT(calls.level, ElementsAre(kLevelAcl, kLevelNode, kLevelRuntime));
  EXPECT_THAT(texts(calls.name), ElementsAre("aclnnAdd", "launch", "KernelLaunch"));
  EXPECT_THAT(texts(calls.item_name), ElementsAre("", "Add_1", ""));
  EXPECT_THAT(calls.tid, Each(7u));
  EXPECT_THAT(all_losses(), IsEmpty());
}

TEST_F(CannHost, SortsCallsSoThatOuterOnesComeFirst) {
  add(call(kLevelNode, 5, 10, 20, 1));
  add(call(kLevelNode, 5, 10, 50, 2));
  add(call(kLevelAcl, 1, 10, 30));
  add(call(kLevelAcl, 1, 5, 6));
  finish_and_load();
  EXPECT_THAT(trace.api_calls().level, ElementsAre(kLevelAcl, kLevelAcl, kLevelNode, kLevelNode));
  EXPECT_THAT(trace.api_calls().end_ns, ElementsAre(at(6), at(30), at(50), at(20)));
}

TEST_F(CannHost, JoinsPairsOfEvents) {
  add(event(10, 42, 1));
  add(event(20, 42, 2));  // Another iteration, interleaved.
  add(event(50, 42, 1));
  add(event(60, 42, 2));
  add(event(70, 42, 1));  // Never ends.
  finish_and_load();
  const auto& calls = trace.api_calls();
  EXPECT_THAT(calls.start_ns, ElementsAre(at(10), at(20)));
  EXPECT_THAT(calls.end_ns, ElementsAre(at(50), at(60)));
  EXPECT_THAT(calls.request_id, ElementsAre(1, 2));
  EXPECT_THAT(calls.item, Each(42u));
  EXPECT_THAT(texts(calls.item_name), Each("")) << "a model id is no hash";
  EXPECT_THAT(all_losses(), HasSubstr("1 calls have a begin but no end"));
}

TEST_F(CannHost, LeavesOutCallsWithoutABeginOrWithTheEndFirst) {
  ApiEvent unset = call(kLevelAcl, 1, 0, 5);
  unset.begin = 0;
  add(unset);
  add(call(kLevelAcl, 1, 50, 40));
  add(call(kLevelAcl, 12u << 16, 60, 70));  // An unknown category is kept.
  finish_and_load();
  EXPECT_EQ(trace.api_calls().size(), 1u);
  EXPECT_THAT(all_losses(), HasSubstr("1 calls end before they begin"));
}

TEST_F(CannHost, ShowsUnknownNamesAsNumbers) {
  add(call(kLevelNode, 0x30007, 10, 20, 123456789));
  finish_and_load();
  EXPECT_EQ(text(trace.api_calls().name.at(0)), "196615");
  EXPECT_EQ(text(trace.api_calls().item_name.at(0)), "123456789");
}

TEST_F(CannHost, TheLastEntryOfADictionaryCounts) {
  append("unaging.additional.hash_dic.slice_0", "5:old\n7:a:b\n5:n");
  append("unaging.additional.hash_dic.slice_1", "ew\nbroken\n");
  add(call(kLevelNode, 5, 10, 20, 5));
  add(call(kLevelNode, 5, 30, 40, 7));
  finish_and_load();
  EXPECT_THAT(texts(trace.api_calls().item_name), ElementsAre("new", "a:b"));
  EXPECT_THAT(all_losses(), HasSubstr("1 lines of the dictionary"));
}

TEST_F(CannHost, CleansNamesThatAreNoTextAndSaysInWhichFile) {
  append("unaging.additional.hash_dic.slice_0", "5:bad \xFF\n7:good\n");
  append("unaging.additional.type_info_dic.slice_0", std::string_view("10000_9:ze\0ro\n", 14));
  add(call(kLevelNode, 9, 10, 20, 5));
  add(call(kLevelNode, 9, 30, 40, 7));
  finish_and_load();
  EXPECT_THAT(texts(trace.api_calls().item_name), ElementsAre("bad \xEF\xBF\xBD", "good"));
  EXPECT_EQ(text(trace.api_calls().name.at(0)), "ze\xEF\xBF\xBDro");
  std::size_t found = 0;
  for (const trace::Loss& loss : losses.items()) {
    if (loss.what.find("1 texts are no UTF-8") == std::string::npos) continue;
    EXPECT_EQ(loss.records, 1u);
    EXPECT_THAT(loss.file, HasSubstr(found++ == 0 ? "hash_dic" : "type_info_dic"));
  }
  EXPECT_EQ(found, 2u);
}

TEST_F(CannHost, ReadsTaskTracks) {
  const TaskTrack plain{.header = header(30, TaskTrack::kShortPayloadLength),
                        .device = DeviceField::encode(0, 3),
                        .stream = 17,
                        .task_id = TaskTrack::encode_task_id(900, 2),
                        .task_type = 0,
                        .kernel_name = hash("Add_kernel")};
  TaskTrack kernel = plain;
  kernel.header = header(20, TaskTrack::kPayloadLength);
  kernel.task_type = 108;
  kernel.extension = make_extension(
      KernelExtension{.block_count = 24, .ratio_and_schedule = KernelExtension::encode(2, 1)});
  TaskTrack model = kernel;
  model.header = header(40, TaskTrack::kPayloadLength);
  model.task_type = 13;
  model.extension = make_extension(ModelExtension{.model_id = 77});
  TaskTrack simt = kernel;
  simt.header = header(50, TaskTrack::kPayloadLength);
  simt.task_type = 600;
  simt.extension = make_extension(SimtExtension{.grid = {1, 2, 3}, .block = {4, 5, 6}});
  TaskTrack dpu = plain;
  dpu.device = DeviceField::encode(DeviceField::kDpu, 0);
  type(kLevelRuntime, 0, "KERNEL_AICORE_NEW_NAME");
  add(plain);
  add(kernel);
  add(model, Age::kUnaging);
  add(simt);
  add(dpu);
  finish_and_load();

  const auto& tracks = trace.task_tracks();
  EXPECT_THAT(tracks.time_ns, ElementsAre(at(20), at(30), at(40), at(50)));
  EXPECT_THAT(tracks.device, Each(3));
  EXPECT_THAT(tracks.stream, Each(17));
  EXPECT_THAT(tracks.task, Each(900u));
  EXPECT_THAT(tracks.batch, Each(2));
  EXPECT_THAT(tracks.type, ElementsAre(108, 0, 13, 600));
  EXPECT_THAT(texts(tracks.type_name), ElementsAre("KERNEL_MIX_AIC", "KERNEL_AICORE_NEW_NAME",
                                                   "MODEL_EXECUTE", "KERNEL_SIMT"));
  EXPECT_THAT(texts(tracks.kernel_name), Each("Add_kernel"));
  EXPECT_THAT(tracks.has_blocks, ElementsAre(1, 0, 0, 0));
  EXPECT_EQ(tracks.block_num[0], 24);
  EXPECT_EQ(tracks.mix_ratio[0], 2);
  EXPECT_THAT(tracks.model_id, ElementsAre(kNone, kNone, 77, kNone));
  EXPECT_THAT(texts(tracks.grid_dim), ElementsAre("", "", "", "1,2,3"));
  EXPECT_THAT(texts(tracks.block_dim), ElementsAre("", "", "", "4,5,6"));
  EXPECT_THAT(tracks.is_static, ElementsAre(0, 0, 1, 0));
  EXPECT_THAT(all_losses(), HasSubstr("data processing unit"));
}

TEST_F(CannHost, NewChipsHaveWideTaskIds) {
  info.platform_version = 15;
  add(TaskTrack{.header = header(1), .task_id = 0x12345678});
  finish_and_load();
  EXPECT_EQ(trace.task_tracks().task.at(0), 0x12345678u);
  EXPECT_EQ(trace.task_tracks().batch.at(0), 0);
}

TEST_F(CannHost, ReadsOperatorDescriptions) {
  add(NodeBasicInfo{.header = header(10),
                    .op_name = hash("Add_1"),
                    .task_type = 2,
                    .op_type = hash("Add"),
                    .blocks = NodeBasicInfo::encode_blocks(20, 2),
                    .op_flag = 1},
      Age::kUnaging);
  add(NodeAttrInfo{.header = header(11), .op_name = hash("Add_1"), .attributes = hash("{a}")});
  finish_and_load();
  const auto& infos = trace.node_infos();
  ASSERT_EQ(infos.size(), 1u);
  EXPECT_EQ(infos.time_ns[0], at(10));
  EXPECT_EQ(text(infos.op_name[0]), "Add_1");
  EXPECT_EQ(text(infos.op_type[0]), "Add");
  EXPECT_EQ(infos.task_type[0], 2u);
  EXPECT_EQ(infos.block_num[0], 20);
  EXPECT_EQ(infos.mix_ratio[0], 2);
  EXPECT_EQ(infos.op_flag[0], 1u);
  EXPECT_EQ(infos.is_static[0], 1);
  EXPECT_THAT(texts(trace.node_attributes().attributes), ElementsAre("{a}"));
}

TEST_F(CannHost, FormatsTensorsAsResultFilesPrintThem) {
  const Tensor input{.direction = 0, .format = 2, .data_type = 27, .shape = {8, 1024, 0, 5}};
  const Tensor scalar{.direction = 0, .format = 2 | 16 << 8, .data_type = 999, .shape = {}};
  const Tensor output{.direction = 1, .format = 29, .data_type = 0, .shape = {3}};
  TensorInfo record{.header = header(10), .op_name = hash("A"), .tensor_count = 3};
  record.tensors = {input, scalar, output};
  add(record);
  record.header = header(20);
  record.tensor_count = 1;
  add(record);
  finish_and_load();
  const auto& tensors = trace.node_tensors();
  EXPECT_THAT(texts(tensors.input_shapes), ElementsAre("\"8,1024;\"", "\"8,1024\""));
  EXPECT_THAT(texts(tensors.input_dtypes), ElementsAre("DT_BF16;999", "DT_BF16"));
  EXPECT_THAT(texts(tensors.input_formats), ElementsAre("ND;ND:16", "ND"));
  EXPECT_THAT(texts(tensors.output_shapes), ElementsAre("\"3\"", ""));
  EXPECT_THAT(texts(tensors.output_dtypes), ElementsAre("FLOAT", ""));
  EXPECT_THAT(texts(tensors.output_formats), ElementsAre("FRACTAL_NZ", ""));
}

TEST_F(CannHost, JoinsTheTensorsOfOneLaunch) {
  const auto record = [&](std::int64_t time, std::uint32_t tid, std::uint32_t size) {
    TensorInfo made{.header = header(time, 0, 0, tid), .op_name = 1, .tensor_count = 1};
    made.tensors[0] = {.direction = 0, .format = 2, .data_type = 0, .shape = {size}};
    return made;
  };
  add(record(10, 7, 1));
  add(record(10, 8, 9));  // Another thread at the same time.
  add(record(10, 7, 2));
  add(record(10, 7, 3));
  add(record(20, 7, 4));
  finish_and_load();
  EXPECT_THAT(texts(trace.node_tensors().input_shapes), ElementsAre("\"1;2;3\"", "\"9\"", "\"4\""));
  EXPECT_THAT(trace.node_tensors().tid, ElementsAre(7, 8, 7));
}

TEST_F(CannHost, ReadsContextLists) {
  ContextIdInfo list{.header = header(10, 0, kLevelNode), .op_name = 1, .context_count = 3};
  list.context_ids = {5, 0, 9};
  add(list);
  ContextIdInfo range{.header = header(20, 0, kLevelHccl), .op_name = 1, .context_count = 2};
  range.context_ids = {4, 6};
  add(range);
  ContextIdInfo endless = range;
  endless.context_ids = {0, 0xFFFFFFFF};
  add(endless);
  finish_and_load();
  EXPECT_THAT(trace.context_ids().context, ElementsAre(5, 0, 9, 4, 5, 6));
  EXPECT_EQ(trace.context_ids().level[5], kLevelHccl);
  EXPECT_THAT(all_losses(), HasSubstr("no valid range of contexts"));
}

TEST_F(CannHost, ReadsCollectives) {
  add(HcclOpInfo{.header = header(10),
                 .flags = 3,
                 .data_type = 11,
                 .algorithm = hash("MESH-RING"),
                 .element_count = 1 << 20,
                 .group_name = hash("group_1")});
  add(HcclInfo{.header = header(11),
               .item = hash("Memcpy"),
               .ccl_tag = hash("tag"),
               .group_name = hash("group_1"),
               .local_rank = 1,
               .remote_rank = 2,
               .rank_size = 8,
               .plane_id = 3,
               .context_id = HcclInfo::kNoContext,
               .notify_id = 99,
               .estimated_duration_us = 1.5,
               .data_size = 4096,
               .link_type = 1,
               .transport_type = 0,
               .rdma_type = 0xFFFFFFFF});
  finish_and_load();
  const auto& infos = trace.collective_infos();
  ASSERT_EQ(infos.size(), 1u);
  EXPECT_EQ(infos.relay[0], 1);
  EXPECT_EQ(infos.retry[0], 1);
  EXPECT_EQ(infos.data_type[0], 11);
  EXPECT_EQ(text(infos.algorithm[0]), "MESH-RING");
  EXPECT_EQ(infos.count[0], 1u << 20);
  EXPECT_EQ(infos.group_hash[0], string_hash("group_1"));
  EXPECT_EQ(text(infos.group[0]), "group_1");
  const auto& tasks = trace.collective_task_infos();
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_EQ(text(tasks.name[0]), "Memcpy");
  EXPECT_EQ(text(tasks.tag[0]), "tag");
  EXPECT_EQ(tasks.remote_rank[0], 2u);
  EXPECT_EQ(tasks.plane[0], 3u);
  EXPECT_EQ(tasks.context[0], kNone);
  EXPECT_EQ(tasks.notify_id[0], 99u);
  EXPECT_EQ(tasks.estimated_us[0], 1.5);
  EXPECT_EQ(tasks.size_bytes[0], 4096u);
  EXPECT_EQ(tasks.rdma_type[0], 0xFFFFFFFFu);
}

TEST_F(CannHost, ReadsCopies) {
  add(MemcpyInfo{.header = header(10), .data_size = 100, .max_size = 64, .direction = 3});
  add(MemcpyInfo{.header = header(20), .data_size = 1, .max_size = 64, .direction = 8});
  finish_and_load();
  EXPECT_THAT(trace.copy_infos().size_bytes, ElementsAre(100, 1));
  EXPECT_THAT(trace.copy_infos().max_task_bytes, Each(64u));
  EXPECT_THAT(trace.copy_infos().direction, ElementsAre(3, 65535));
}

TEST_F(CannHost, ReadsModelsAndMemory) {
  add(GraphIdMap{.header = header(1), .model_name = hash("net"), .graph_id = 2, .model_id = 3});
  add(GraphIdMap{.header = header(2), .model_name = 0, .graph_id = 4, .model_id = 5});
  LogicStreamInfo streams{.header = header(3), .logical_stream = 6, .physical_count = 2};
  streams.physical_streams = {10, 11};
  add(streams);
  FusionOpInfo fusion{.header = header(4),
                      .op_name = hash("fused"),
                      .fused_count = 2,
                      .input_bytes = 1,
                      .total_bytes = 9};
  fusion.fused_op_names = {hash("a"), hash("b")};
  add(fusion);
  fusion.fused_count = 1;
  fusion.fused_op_names[0] = hash("c");
  add(fusion);
  add(TaskMemoryInfo{.header = header(5),
                     .address = 16,
                     .size = -32,
                     .op_name = hash("Add"),
                     .total_allocated = 64,
                     .total_reserved = 128,
                     .device = 1,
                     .device_type = 20});
  add(StaticOpMem{.header = header(6),
                  .size = 7,
                  .op_name = 0,
                  .life_start = 1,
                  .life_end = 0xFFFFFFFE,
                  .total_allocated = 8,
                  .graph_id = 2});
  finish_and_load();
  EXPECT_THAT(texts(trace.graph_names().name), ElementsAre("net", "0"));
  EXPECT_THAT(trace.graph_names().model_id, ElementsAre(3, 5));
  EXPECT_THAT(trace.logical_streams().physical, ElementsAre(10, 11));
  EXPECT_THAT(trace.logical_streams().logical, Each(6u));
  ASSERT_EQ(trace.fusion_ops().size(), 1u);
  EXPECT_EQ(text(trace.fusion_ops().original_ops[0]), "a;b;c");
  EXPECT_EQ(trace.fusion_ops().total_bytes[0], 9u);
  ASSERT_EQ(trace.operator_memory().size(), 1u);
  EXPECT_EQ(trace.operator_memory().size_bytes[0], -32);
  EXPECT_EQ(trace.operator_memory().total_reserved_bytes[0], 128u);
  ASSERT_EQ(trace.static_memory().size(), 1u);
  EXPECT_EQ(trace.static_memory().op_name[0], kEmptyString);
  EXPECT_EQ(trace.static_memory().life_end[0], 0xFFFFFFFFu);
}

TEST_F(CannHost, ReadsCapturedGraphs) {
  add(CaptureStreamInfo{.header = header(1),
                        .status = 0,
                        .captured_stream = 30,
                        .original_stream = 4,
                        .model_id = 8,
                        .device = 300},
      Age::kUnaging);
  Mc2CommInfo communicator{.header = header(2),
                           .group_name = hash("g"),
                           .rank_size = 2,
                           .aicpu_stream = 4,
                           .stream_count = 2};
  communicator.streams = {50, 51};
  add(communicator);
  add(ExpandStreamSpec{.header = header(3), .expand_status = 1});
  CaptureOpInfo op{};
  op.head = {.header = header(4),
             .device = 1,
             .stream = 30,
             .task_id = 5,
             .task_type = 0,
             .blocks = 20,
             .op_name = hash("Op"),
             .op_type = hash("Type"),
             .tensor_count = 1};
  op.tensors[0] = {.direction = 0, .format = 2, .data_type = 0, .shape = {2, 2}};
  add(op, Age::kUnaging);
  op.head.header = make_header(CaptureOpInfo::kVariableKind, 0, 7, ticks(5));
  std::vector<std::byte> variable;
  append_capture_op(variable, op.head, {});
  append("unaging.variable.capture_op_info.slice_0", as_text(variable));
  append("unaging.variable.capture_op_info.slice_0", "garbage");
  finish_and_load();

  EXPECT_THAT(trace.captured_streams().device, ElementsAre(300));
  EXPECT_THAT(trace.captured_streams().original_stream, ElementsAre(4));
  EXPECT_TRUE(trace.session.expanded_stream_ids);
  EXPECT_THAT(trace.communicator_streams().kernel_stream, ElementsAre(4, 4, 30, 30));
  EXPECT_THAT(trace.communicator_streams().stream, ElementsAre(50, 51, 50, 51));
  EXPECT_THAT(texts(trace.captured_ops().op_name), ElementsAre("Op", "Op"));
  EXPECT_THAT(texts(trace.captured_ops().input_shapes), ElementsAre("\"2,2\"", ""));
  EXPECT_THAT(all_losses(), HasSubstr("7 bytes of captured operators"));
}

TEST_F(CannHost, ReadsMarksAndJoinsLongMessages) {
  Msproftx mark{};
  mark.info_type = Msproftx::kMstx;
  mark.process_id = 1;
  mark.thread_id = 2;
  mark.event_type = Msproftx::kStartEnd;
  mark.start = ticks(50);
  mark.end = ticks(60);
  mark.mark_id = 1;
  mark.domain = hash("default");
  const std::string long_text(400, 'x');
  write_segments(mark, long_text, [&](const Msproftx& segment) { add(segment); });
  mark.mark_id = 2;
  mark.start = ticks(10);
  mark.end = ticks(10);
  mark.domain = 12345;
  write_segments(mark, "short", [&](const Msproftx& segment) { add(segment); });
  mark.info_type = Msproftx::kStamp;
  mark.start = ticks(20);
  write_segments(mark, "stamp", [&](const Msproftx& segment) { add(segment); });
  finish_and_load();
  const auto& marks = trace.marks();
  EXPECT_THAT(texts(marks.message), ElementsAre("short", "stamp", long_text));
  EXPECT_THAT(texts(marks.domain), ElementsAre("invalid", "", "default"));
  EXPECT_THAT(marks.start_ns, ElementsAre(at(10), at(20), at(50)));
  EXPECT_THAT(marks.end_ns, ElementsAre(at(10), at(10), at(60)));
  EXPECT_THAT(marks.is_mstx, ElementsAre(1, 0, 1));
  EXPECT_THAT(marks.mark_id, ElementsAre(2, 2, 1));
}

TEST_F(CannHost, ARecordOfAnotherKindIsNoMark) {
  Msproftx mark{};
  mark.info_type = Msproftx::kMstx;
  mark.start = ticks(50);
  mark.end = ticks(60);
  mark.mark_id = 1;
  add(mark);
  mark.mark_id = 2;
  mark.header.level = format::host::kLevelMsproftx;
  add(mark);
  mark.mark_id = 3;
  mark.header.level = format::host::kLevelRuntime;
  add(mark);
  finish_and_load();
  EXPECT_THAT(trace.marks().mark_id, ElementsAre(1, 2));
  EXPECT_THAT(all_losses(), HasSubstr("1 records are no marks"));
}

TEST_F(CannHost, GraphsMayHaveBeenLoadedLongBeforeButMarksAreOfTheRun) {
  constexpr std::uint64_t kEightDays = 8ull * 24 * 3600 * 100'000'000;
  log.counter = kEightDays + kAnchorTicks;
  format::host::TaskTrack loaded{};
  loaded.header = format::host::header_of<format::host::TaskTrack>(7, ticks(10));
  add(loaded, Age::kUnaging);
  Msproftx mark{};
  mark.info_type = Msproftx::kMstx;
  for (const std::uint64_t begin : {ticks(20), kEightDays + ticks(30), kEightDays + ticks(40)}) {
    mark.start = begin;
    mark.end = begin + 5;
    mark.mark_id = mark.mark_id + 1;
    add(mark);
  }
  finish_and_load();
  EXPECT_EQ(trace.task_tracks().size(), 1u);
  EXPECT_THAT(trace.marks().mark_id, ElementsAre(2, 3));
  EXPECT_THAT(all_losses(), HasSubstr("1 record(s) have times far from all others"));
}

TEST_F(CannHost, SeveralCollectionsOfAProcessBecomeOneTrace) {
  HostDirectory later;
  later.info.rank_id = 3;
  later.start.begin_us = kBeginNs / 1000 + 1;  // 1 us later.
  later.write_controls();
  later.type(kLevelAcl, 1, "later");
  later.add(call(kLevelAcl, 1, 10, 20));
  type(kLevelAcl, 1, "earlier");
  add(call(kLevelAcl, 1, 50, 60));
  write_controls();
  const auto first = discover(path());
  const auto second = discover(later.path());
  ASSERT_TRUE(first.ok() && second.ok());
  const CannDirectory both[] = {first->profiles.at(0).cann.at(0),
                                second->profiles.at(0).cann.at(0)};
  load_cann_host(both, trace, losses);
  EXPECT_THAT(texts(trace.api_calls().name), ElementsAre("earlier", "later"));
  EXPECT_THAT(trace.api_calls().start_ns, ElementsAre(at(50), at(110)));
  EXPECT_EQ(trace.session.begin_ns, kBeginNs);
}

}  // namespace
}  // namespace npuprof::load
