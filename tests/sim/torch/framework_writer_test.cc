#include "sim/torch/framework_writer.h"

#include <gtest/gtest.h>

#include "format/framework/gc_record.h"
#include "format/framework/param_tensor_info.h"
#include "sim/torch/framework_fixture.h"
#include "sim/torch/program_tensor.h"

namespace npuprof::sim {
namespace {

using format::framework::OpMark;
using format::framework::OpMarkCategory;
using format::framework::OpRange;
using format::framework::OpScope;
using format::framework::TensorText;
using testing::all_options;
using testing::kMainThread;
using testing::kProcess;

class FrameworkWriterTest : public testing::FrameworkFixture {};

OpDescription addmm() {
  OpDescription op;
  op.name = "aten::addmm";
  op.inputs = {TemplateInput::tensor(ElementType::kBfloat16, std::vector<std::uint32_t>{2, 3}),
               TemplateInput::scalar_of(format::framework::ScalarKind::kDouble),
               TemplateInput::tensor_list(),
               TemplateInput::none(),
               TemplateInput::scalar_list(),
               TemplateInput::tensor(format::framework::DataType::kInt64, {})};
  op.stack = "model.py(41): forward;train.py(88): main";
  op.modules = {"outer", "inner"};
  return op;
}

TEST_F(FrameworkWriterTest, WritesAnOperatorWithAllItsFields) {
  FrameworkWriter& writer = open();
  const OpTemplate op(addmm(), writer.options());
  const ProgramTensor weight(0x10, 0x1000, format::framework::DataType::kBFloat16,
                             std::vector<std::int64_t>{2, 3}, 0);
  const TensorText tensors[] = {weight.text(), weight.text()};
  const std::span<const TensorText> lists[] = {std::span(tensors).first(1)};
  const OpCall call{
      .start_ns = 5000, .end_ns = 9000, .thread_id = kMainThread, .sequence_number = 12};
  writer.op(op, call, {.tensors = tensors, .lists = lists});

  const auto ops = records<OpRange>(format::framework::kOpRangeFile);
  ASSERT_EQ(ops.size(), 1u);
  const OpRange& found = ops[0];
  EXPECT_EQ(found.fixed.start, static_cast<std::int64_t>(ticks(5000)));
  EXPECT_EQ(found.fixed.end, static_cast<std::int64_t>(ticks(9000)));
  EXPECT_EQ(found.fixed.sequence_number, 12);
  EXPECT_EQ(found.fixed.process_id, kProcess);
  EXPECT_EQ(found.fixed.start_thread_id, kMainThread);
  EXPECT_EQ(found.fixed.end_thread_id, kMainThread);
  EXPECT_EQ(found.fixed.op_scope(), OpScope::kFunction);
  EXPECT_EQ(found.name, "aten::addmm");
  EXPECT_EQ(found.input_dtypes, "c10::BFloat16;Scalar;TensorList;None;ScalarList;long int");
  EXPECT_EQ(found.input_shapes, "2,3;;;;;");
  const std::string text = "0x10;0x1000;c10::BFloat16;2;2,3;3,1;20;0";
  EXPECT_EQ(found.input_tensors, text + ")" + text);
  EXPECT_EQ(found.input_tensor_lists, text + ")");
  EXPECT_EQ(found.input_scalars, "Double");
  EXPECT_EQ(found.stack, "model.py(41): forward;train.py(88): main");
  EXPECT_EQ(found.module_hierarchy, "outer;inner");
  EXPECT_EQ(weight.bytes(), 12);
}

TEST_F(FrameworkWriterTest, OptionsDecideWhichFieldsAnOperatorHas) {
  FrameworkOptions options = all_options();
  options.record_shapes = false;
  options.with_modules = false;
  FrameworkWriter& writer = open(options);
  const OpTemplate op(addmm(), options);
  const TensorText tensor{.dtype = "float", .element_bytes = 4};
  writer.op(op, {.thread_id = kMainThread}, {.tensors = std::span(&tensor, 1), .lists = {}});
  OpDescription backward = addmm();
  backward.scope = OpScope::kBackwardFunction;
  writer.op(OpTemplate(backward, options), {.thread_id = kMainThread});

  const auto ops = records<OpRange>(format::framework::kOpRangeFile);
  ASSERT_EQ(ops.size(), 2u);
  for (const OpRange& found : ops) {
    EXPECT_FALSE(found.input_dtypes || found.input_shapes || found.input_tensors ||
                 found.input_scalars || found.module_hierarchy);
  }
  EXPECT_TRUE(ops[0].stack);
  EXPECT_FALSE(ops[1].stack) << "backward functions have no Python frames";
  EXPECT_EQ(ops[1].fixed.op_scope(), OpScope::kBackwardFunction);
}

TEST_F(FrameworkWriterTest, WritesMarksButNoEnqueueWithoutAName) {
  FrameworkWriter& writer = open();
  writer.mark(OpMarkCategory::kEnqueueStart, 100, 0, kMainThread, "aclnnMm");
  writer.mark(OpMarkCategory::kEnqueueEnd, 200, 5, kMainThread, "");
  writer.mark(OpMarkCategory::kDequeueStart, 300, 5, kMainThread, "");
  const auto marks = records<OpMark>(format::framework::kOpMarkFile);
  ASSERT_EQ(marks.size(), 2u);
  EXPECT_EQ(marks[0].name, "aclnnMm");
  EXPECT_EQ(marks[0].fixed.time, static_cast<std::int64_t>(ticks(100)));
  EXPECT_EQ(marks[1].fixed.mark_category(), OpMarkCategory::kDequeueStart);
  EXPECT_EQ(marks[1].fixed.correlation_id, 5u);
  EXPECT_EQ(writer_->counts().marks, 2u);
}

TEST_F(FrameworkWriterTest, WritesOnlyTheFilesThatTheOptionsAskFor) {
  FrameworkOptions options;
  options.task_queue = false;
  FrameworkWriter& writer = open(options);
  writer.op(OpTemplate(addmm(), options), {});
  writer.mark(OpMarkCategory::kDequeueEnd, 1, 1, 1, "ignored");
  writer.memory(1, {});
  writer.python(format::framework::PythonTag::kCall, 1, 1, 1);
  writer.python_hash(1, "ignored");
  writer.module_parameters(1, "ignored");
  writer.garbage_collection(0, 1'000'000'000);
  ASSERT_TRUE(writer.close().ok());
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(file(""))) {
    names.push_back(entry.path().filename());
  }
  EXPECT_EQ(names, std::vector<std::string>{"torch.op_range"});
}

TEST_F(FrameworkWriterTest, FilesWithoutRecordsAreRemoved) {
  FrameworkWriter& writer = open();
  EXPECT_TRUE(std::filesystem::exists(file(format::framework::kMemoryUsageFile)));
  ASSERT_TRUE(writer.close().ok());
  EXPECT_TRUE(std::filesystem::is_empty(file("")));
}

TEST_F(FrameworkWriterTest, CollectionsBelowTheThresholdAreLeftOut) {
  FrameworkWriter& writer = open();
  writer.garbage_collection(0, 999'999);
  writer.garbage_collection(2'000'000, 3'000'000);
  const auto collections =
      bare_records<format::framework::GcRecord>(format::framework::kGcRecordFile);
  ASSERT_EQ(collections.size(), 1u);
  EXPECT_EQ(collections[0].process_id, kProcess);
  EXPECT_EQ(collections[0].start, ticks(2'000'000));
  EXPECT_EQ(collections[0].end, ticks(3'000'000));
}

TEST_F(FrameworkWriterTest, RecordsLargerThanTheBuffersAreWritten) {
  FrameworkWriter& writer = open();
  OpDescription op = addmm();
  op.stack = std::string(300'000, 's');
  const std::string parameters(200'000, 'p');
  writer.op(OpTemplate(addmm(), writer.options()), {});
  writer.op(OpTemplate(op, writer.options()), {.sequence_number = 3});
  writer.op(OpTemplate(addmm(), writer.options()), {});
  writer.optimizer_parameters(9, parameters);
  writer.module_parameters(10, "small");
  const auto ops = records<OpRange>(format::framework::kOpRangeFile);
  ASSERT_EQ(ops.size(), 3u);
  EXPECT_EQ(ops[1].stack, op.stack);
  EXPECT_EQ(ops[1].fixed.sequence_number, 3);
  const auto infos =
      records<format::framework::ParamTensorInfo>(format::framework::kParamTensorInfoFile);
  ASSERT_EQ(infos.size(), 2u);
  EXPECT_EQ(infos[0].optimizer_parameters, parameters);
  EXPECT_EQ(infos[1].module_parameters, "small");
}

TEST_F(FrameworkWriterTest, ManyOperatorsKeepTheirOrderAndNumbers) {
  FrameworkWriter& writer = open();
  const OpTemplate op(addmm(), writer.options());
  constexpr int kCount = 20'000;
  for (int i = 0; i < kCount; ++i) {
    writer.op(op, {.start_ns = i * 100,
                   .end_ns = i * 100 + 50,
                   .thread_id = kMainThread,
                   .sequence_number = i});
  }
  const auto ops = records<OpRange>(format::framework::kOpRangeFile);
  ASSERT_EQ(ops.size(), static_cast<std::size_t>(kCount));
  EXPECT_EQ(writer_->counts().ops, static_cast<std::uint64_t>(kCount));
  for (int i = 0; i < kCount; ++i) {
    ASSERT_EQ(ops[static_cast<std::size_t>(i)].fixed.sequence_number, i);
  }
}

TEST(FrameworkWriter, ReportsADirectoryThatCannotBeMade) {
  const SimClock clock{ClockOptions{}};
  EXPECT_FALSE(FrameworkWriter::create("/proc/no such place", {}, clock).ok());
}

}  // namespace
}  // namespace npuprof::sim
