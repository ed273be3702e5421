#include "load/framework/load_framework.h"

#include <gmock/gmock.h>

#include "format/framework/gc_record.h"
#include "format/framework/memory_usage.h"
#include "format/framework/op_mark.h"
#include "format/framework/op_range.h"
#include "format/framework/param_tensor_info.h"
#include "format/framework/python_tracer.h"
#include "load/framework/raw_framework.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/garbage_collections.h"
#include "trace/framework/memory_events.h"
#include "trace/framework/parameter_tensors.h"
#include "trace/framework/python_events.h"
#include "trace/framework/python_names.h"
#include "trace/framework/queue_marks.h"

namespace npuprof::load {
namespace {

namespace framework = format::framework;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::plain_info;
using testing::RawBytes;
using testing::RawProfile;
using ::testing::SizeIs;
using trace::kNone;

struct Loaded {
  trace::Trace trace;
  trace::Losses losses;

  std::string_view text(StringId id) const { return trace.strings.view(id); }
};

Loaded load(const RawProfile& raw, const FrameworkLoadOptions& options = {}) {
  Loaded loaded;
  load_framework(raw.profile, read_recording_info(raw.profile), loaded.trace, loaded.losses,
                 options);
  return loaded;
}

framework::OpRange op(std::string_view name, std::int64_t start, std::int64_t end) {
  framework::OpRange record{};
  record.fixed.start = start;
  record.fixed.end = end;
  record.fixed.process_id = 77;
  record.fixed.start_thread_id = 78;
  record.fixed.end_thread_id = 79;
  record.name = name;
  return record;
}

TEST(LoadFramework, ReadsOperators) {
  framework::OpRange full = op("aten::mm", 1000, 2500);
  full.fixed.sequence_number = 7;
  full.fixed.forward_thread = 2;
  full.fixed.scope = 1;
  full.fixed.is_async = 1;
  full.input_dtypes = "float;None";
  full.input_shapes = "2,3;";
  full.input_tensors = "tensors";
  full.input_tensor_lists = "lists";
  full.input_scalars = "Int";
  full.stack = "a.py(1): f;b.py(2): g";
  full.module_hierarchy = "Net.linear";
  full.extra_args = "k:v";
  framework::OpRange shapeless = op("aten::item", 3000, 3500);
  shapeless.fixed.sequence_number = -1;
  shapeless.input_dtypes = "";
  shapeless.input_shapes = "";
  RawProfile raw;
  raw.put_info(plain_info());
  raw.put("torch.op_range", RawBytes().add(full).add(shapeless).add(op("plain", 4000, 4500)));
  const Loaded loaded = load(raw);
  const trace::FrameworkOps& ops = loaded.trace.framework_ops();
  EXPECT_THAT(loaded.losses.items(), IsEmpty());
  EXPECT_THAT(ops.start_ns, ElementsAre(1000, 3000, 4000));
  EXPECT_THAT(ops.end_ns, ElementsAre(2500, 3500, 4500));
  EXPECT_THAT(ops.sequence, ElementsAre(7, -1, -1));
  EXPECT_THAT(ops.pid, ElementsAre(77, 77, 77));
  EXPECT_THAT(ops.tid, ElementsAre(78, 78, 78));
  EXPECT_THAT(ops.forward_thread, ElementsAre(2, 0, 0));
  EXPECT_THAT(ops.scope, ElementsAre(1, 0, 0));
  EXPECT_THAT(ops.is_async, ElementsAre(1, 0, 0));
  EXPECT_THAT(ops.has_inputs, ElementsAre(1, 1, 0));
  EXPECT_THAT(ops.parent, ElementsAre(kNone, kNone, kNone));
  EXPECT_EQ(loaded.trace.session.pid, 77u);
  EXPECT_EQ(loaded.text(ops.name[0]), "aten::mm");
  EXPECT_EQ(loaded.text(ops.input_dtypes[0]), "float;None");
  EXPECT_EQ(loaded.text(ops.input_shapes[0]), "2,3;");
  EXPECT_EQ(loaded.text(ops.input_tensors[0]), "tensors");
  EXPECT_EQ(loaded.text(ops.input_tensor_lists[0]), "lists");
  EXPECT_EQ(loaded.text(ops.input_scalars[0]), "Int");
  EXPECT_EQ(loaded.text(ops.stack[0]), "a.py(1): f;b.py(2): g");
  EXPECT_EQ(loaded.text(ops.module_hierarchy[0]), "Net.linear");
  EXPECT_EQ(loaded.text(ops.extra_args[0]), "k:v");
  EXPECT_EQ(ops.stack[2], kEmptyString);
}

TEST(LoadFramework, ReadsTheSmallFiles) {
  framework::OpMark mark{};
  mark.fixed = {.time = 10, .category = 1, .correlation_id = 5, .thread_id = 78, .process_id = 77};
  mark.name = "aclnnMm";
  framework::MemoryUsage memory{};
  memory.fixed = {.address = 0x1000,
                  .time = 20,
                  .size = -512,
                  .total_allocated = 1,
                  .total_reserved = 2,
                  .total_active = 3,
                  .stream = 4,
                  .device_type = 20,
                  .device_index = -1,
                  .component = 1,
                  .event = 2,
                  .allocator = 1,
                  .thread_id = 78,
                  .process_id = 77};
  framework::PythonHash name{};
  name.fixed.key = 9;
  name.value = "Linear######4096";
  framework::ParamTensorInfo module{};
  module.fixed.key = 9;
  module.module_parameters = "module";
  framework::ParamTensorInfo optimizer{};
  optimizer.fixed.key = 8;
  optimizer.optimizer_parameters = "optimizer";
  const framework::PythonCall call{
      .time = 30, .thread_id = 78, .process_id = 77, .key = 9, .tag = 2};
  const framework::GcRecord collection{.process_id = 77, .start = 40, .end = 50};
  RawProfile raw;
  raw.put_info(plain_info());
  raw.put("torch.op_mark", RawBytes().add(mark));
  raw.put("torch.memory_usage", RawBytes().add(memory));
  raw.put("torch.python_tracer_func", RawBytes().add_bare(call));
  raw.put("torch.python_tracer_hash", RawBytes().add(name));
  raw.put("torch.param_tensor_info", RawBytes().add(module).add(optimizer));
  raw.put("torch.gc_record", RawBytes().add_bare(collection));
  const Loaded loaded = load(raw);
  EXPECT_THAT(loaded.losses.items(), IsEmpty());

  const trace::QueueMarks& marks = loaded.trace.queue_marks();
  ASSERT_THAT(marks.time_ns, ElementsAre(10));
  EXPECT_EQ(marks.category[0], 1);
  EXPECT_EQ(marks.correlation[0], 5u);
  EXPECT_EQ(marks.tid[0], 78u);
  EXPECT_EQ(marks.pid[0], 77u);
  EXPECT_EQ(loaded.text(marks.name[0]), "aclnnMm");

  const trace::MemoryEvents& events = loaded.trace.memory_events();
  ASSERT_THAT(events.time_ns, ElementsAre(20));
  EXPECT_EQ(events.address[0], 0x1000u);
  EXPECT_EQ(events.size_bytes[0], -512);
  EXPECT_EQ(events.total_allocated_bytes[0], 1);
  EXPECT_EQ(events.total_reserved_bytes[0], 2);
  EXPECT_EQ(events.total_active_bytes[0], 3);
  EXPECT_EQ(events.stream[0], 4);
  EXPECT_EQ(events.device_type[0], 20);
  EXPECT_EQ(events.device_index[0], -1);
  EXPECT_EQ(events.component[0], 1);
  EXPECT_EQ(events.kind[0], 2);
  EXPECT_EQ(events.allocator[0], 1);
  EXPECT_EQ(events.tid[0], 78u);
  EXPECT_EQ(events.pid[0], 77u);
  EXPECT_EQ(events.owner[0], kNone);

  const trace::PythonEvents& calls = loaded.trace.python_events();
  ASSERT_THAT(calls.time_ns, ElementsAre(30));
  EXPECT_EQ(calls.tid[0], 78u);
  EXPECT_EQ(calls.pid[0], 77u);
  EXPECT_EQ(calls.key[0], 9u);
  EXPECT_EQ(calls.tag[0], 2);

  ASSERT_THAT(loaded.trace.python_names().key, ElementsAre(9));
  EXPECT_EQ(loaded.text(loaded.trace.python_names().text[0]), "Linear######4096");

  ASSERT_THAT(loaded.trace.parameter_tensors().key, ElementsAre(9, 8));
  EXPECT_THAT(loaded.trace.parameter_tensors().is_optimizer, ElementsAre(0, 1));
  EXPECT_EQ(loaded.text(loaded.trace.parameter_tensors().text[0]), "module");
  EXPECT_EQ(loaded.text(loaded.trace.parameter_tensors().text[1]), "optimizer");

  EXPECT_THAT(loaded.trace.garbage_collections().start_ns, ElementsAre(40));
  EXPECT_THAT(loaded.trace.garbage_collections().end_ns, ElementsAre(50));
  EXPECT_THAT(loaded.trace.garbage_collections().pid, ElementsAre(77));
}

TEST(LoadFramework, AcceptsASuffixAfterTheFileName) {
  RawProfile raw;
  raw.put_info(plain_info());
  raw.put("torch.op_range.0", RawBytes().add(op("a", 1, 2)));
  EXPECT_THAT(load(raw).trace.framework_ops().start_ns, ElementsAre(1));
}

TEST(LoadFramework, MissingFilesAreFineButEmptyOnesHaveLostSomething) {
  RawProfile raw;
  raw.put_info(plain_info());
  raw.put("torch.gc_record", "");
  const Loaded loaded = load(raw);
  EXPECT_EQ(loaded.trace.framework_ops().size(), 0u);
  EXPECT_EQ(loaded.trace.garbage_collections().size(), 0u);
  ASSERT_THAT(loaded.losses.items(), SizeIs(1));
  EXPECT_THAT(loaded.losses.items()[0].file, HasSubstr("torch.gc_record"));
}

TEST(LoadFramework, KeepsWhatComesBeforeACutRecord) {
  RawBytes bytes;
  bytes.add(op("first", 1, 2));
  const std::size_t whole = bytes.size();
  bytes.add(op("second", 3, 4)).cut(3);
  RawProfile raw;
  raw.put_info(plain_info());
  raw.put("torch.op_range", bytes);
  const Loaded loaded = load(raw);
  EXPECT_THAT(loaded.trace.framework_ops().start_ns, ElementsAre(1));
  ASSERT_THAT(loaded.losses.items(), SizeIs(1));
  const trace::Loss& loss = loaded.losses.items()[0];
  EXPECT_THAT(loss.file, HasSubstr("torch.op_range"));
  EXPECT_EQ(loss.offset, whole);
  EXPECT_EQ(loss.records, 1u);
}

TEST(LoadFramework, KeepsWholeBareRecordsBeforeACutOne) {
  const framework::GcRecord collection{.process_id = 77, .start = 40, .end = 50};
  RawBytes bytes;
  bytes.add_bare(collection).add_bare(collection).cut(1);
  RawProfile raw;
  raw.put_info(plain_info());
  raw.put("torch.gc_record", bytes);
  const Loaded loaded = load(raw);
  EXPECT_THAT(loaded.trace.garbage_collections().start_ns, ElementsAre(40));
  ASSERT_THAT(loaded.losses.items(), SizeIs(1));
  EXPECT_EQ(loaded.losses.items()[0].offset, sizeof(framework::GcRecord));
}

TEST(LoadFramework, BareRecordsOfZerosAreNone) {
  RawProfile raw;
  const framework::PythonCall call{.time = 7, .thread_id = 1, .process_id = 2, .key = 3};
  const framework::PythonCall none{.time = 0, .thread_id = 0, .process_id = 0, .key = 0, .tag = 0};
  RawBytes bytes;
  bytes.add_bare(call).add_bare(none).add_bare(call);
  for (int i = 0; i < 1000; ++i) bytes.add_bare(none);
  raw.put("torch.python_tracer_func", bytes);
  const Loaded loaded = load(raw);
  EXPECT_EQ(loaded.trace.python_events().size(), 2u);
  std::uint64_t lost = 0;
  for (const trace::Loss& loss : loaded.losses.items()) lost += loss.records;
  EXPECT_EQ(lost, 1001u);
}

TEST(LoadFramework, SkipsAShortRecord) {
  const framework::TlvHeader header{1, 4};
  RawBytes bytes;
  bytes.add(op("first", 1, 2));
  const std::size_t begin = bytes.size();
  bytes.add_bare(header).add_bytes(as_bytes("abcd")).add(op("third", 5, 6));
  RawProfile raw;
  raw.put_info(plain_info());
  raw.put("torch.op_range", bytes);
  const Loaded loaded = load(raw);
  EXPECT_THAT(loaded.trace.framework_ops().start_ns, ElementsAre(1, 5));
  ASSERT_THAT(loaded.losses.items(), SizeIs(1));
  EXPECT_EQ(loaded.losses.items()[0].offset, begin);
  EXPECT_EQ(loaded.losses.items()[0].records, 1u);
}

TEST(LoadFramework, KeepsARecordWithACutOrUndecodableText) {
  RawBytes bytes;
  bytes.add(op("caf\xff", 1, 2));
  // The last field of this record claims more bytes than the record has.
  const framework::OpMark damaged{};
  RawBytes marks;
  marks.add(damaged);
  std::string text(marks.text());
  text[sizeof(framework::TlvHeader) + sizeof(framework::OpMarkFixed) + 2] = 9;
  RawProfile raw;
  raw.put_info(plain_info());
  raw.put("torch.op_range", bytes);
  raw.put("torch.op_mark", text);
  const Loaded loaded = load(raw);
  EXPECT_EQ(loaded.text(loaded.trace.framework_ops().name.at(0)), "N/A");
  EXPECT_EQ(loaded.text(loaded.trace.queue_marks().name.at(0)), "");
  ASSERT_THAT(loaded.losses.items(), SizeIs(2));
  EXPECT_THAT(loaded.losses.items()[0].what, HasSubstr("UTF-8"));
  EXPECT_EQ(loaded.losses.items()[0].records, 0u);
  EXPECT_THAT(loaded.losses.items()[1].file, HasSubstr("torch.op_mark"));
}

TEST(LoadFramework, LeavesOutRecordsThatMakeNoSense) {
  framework::OpMark mark{};
  mark.name = "a";
  mark.fixed.time = 10;
  framework::OpMark unknown_category = mark;
  unknown_category.fixed.category = 4;
  framework::OpMark impossible_time = mark;
  impossible_time.fixed.time = INT64_MAX;
  framework::OpMark last = mark;
  last.fixed.time = 20;
  RawBytes bytes;
  bytes.add(mark);
  const std::size_t begin = bytes.size();
  bytes.add(unknown_category).add(impossible_time).add(last);
  RawProfile raw;
  raw.put_info(plain_info());
  raw.put("torch.op_mark", bytes);
  const Loaded loaded = load(raw);
  EXPECT_THAT(loaded.trace.queue_marks().time_ns, ElementsAre(10, 20));
  EXPECT_THAT(loaded.trace.queue_marks().name, SizeIs(2));
  ASSERT_THAT(loaded.losses.items(), SizeIs(1));
  EXPECT_EQ(loaded.losses.items()[0].offset, begin);
  EXPECT_EQ(loaded.losses.items()[0].records, 2u);
}

// All columns of a table as one text, strings spelled out and numbered.
std::string dump(trace::AnyConstTable table) {
  std::string text;
  for (const trace::ColumnFacts& facts : table.columns()) {
    text.append(facts.name).append(":");
    for (std::size_t row = 0; row < table.size(); ++row) {
      text.append(" ").append(std::to_string(facts.values->integer(table.column(facts), row, 0)));
    }
    text += '\n';
  }
  return text;
}

TEST(LoadFramework, GivesTheSameResultOnAnyNumberOfThreads) {
  RawBytes ops;
  RawBytes marks;
  RawBytes calls;
  std::vector<std::string> names;
  names.reserve(40);
  for (int i = 0; i < 40; ++i) names.push_back("name" + std::to_string(i * i % 23));
  for (int i = 0; i < 40; ++i) {
    framework::OpRange record = op(names[i], i, i + 1);
    if (i % 3 == 0) record.stack = names[39 - i];
    if (i == 17) record.fixed.start = INT64_MAX;
    ops.add(record);
    framework::OpMark mark{};
    mark.fixed.time = i;
    mark.name = names[i * 7 % 40];
    marks.add(mark);
    calls.add_bare(framework::PythonCall{.time = static_cast<std::uint64_t>(i),
                                         .thread_id = 1,
                                         .process_id = 1,
                                         .key = 1,
                                         .tag = 0});
  }
  ops.cut(1);
  RawProfile raw;
  raw.put_info(plain_info());
  raw.put("torch.op_range", ops);
  raw.put("torch.op_mark", marks);
  raw.put("torch.python_tracer_func", calls);
  const Loaded one = load(raw);
  ASSERT_EQ(one.trace.framework_ops().size(), 38u);
  ThreadPool pool(3);
  for (const std::size_t part_bytes : {1, 100, 1000, 1000000}) {
    const Loaded many = load(raw, {.pool = &pool, .part_bytes = part_bytes});
    EXPECT_EQ(dump(many.trace.framework_ops()), dump(one.trace.framework_ops()));
    EXPECT_EQ(dump(many.trace.queue_marks()), dump(one.trace.queue_marks()));
    EXPECT_EQ(dump(many.trace.python_events()), dump(one.trace.python_events()));
    ASSERT_EQ(many.trace.strings.size(), one.trace.strings.size());
    for (std::uint32_t id = 0; id < one.trace.strings.size(); ++id) {
      EXPECT_EQ(many.text(StringId{id}), one.text(StringId{id}));
    }
    ASSERT_EQ(many.losses.items().size(), one.losses.items().size());
    for (std::size_t i = 0; i < one.losses.items().size(); ++i) {
      EXPECT_EQ(many.losses.items()[i].offset, one.losses.items()[i].offset);
      EXPECT_EQ(many.losses.items()[i].records, one.losses.items()[i].records);
      EXPECT_EQ(many.losses.items()[i].what, one.losses.items()[i].what);
    }
  }
}

TEST(LoadFramework, RandomBytesAreLossesAndNeverACrash) {
  std::uint64_t state = 1;
  for (int round = 0; round < 60; ++round) {
    RawProfile raw;
    raw.put_info(plain_info());
    std::string noise(static_cast<std::size_t>(round) * 7, '\0');
    for (char& c : noise) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      // Small numbers are common, so that lengths are often plausible.
      c = static_cast<char>((state >> 60) == 0 ? state >> 40 : (state >> 62) == 0 ? 0 : 1);
    }
    for (const char* name :
         {"torch.op_range", "torch.op_mark", "torch.memory_usage", "torch.python_tracer_func",
          "torch.python_tracer_hash", "torch.param_tensor_info", "torch.gc_record"}) {
      raw.put(name, noise);
    }
    const Loaded loaded = load(raw, {.pool = nullptr, .part_bytes = 64});
    EXPECT_LE(loaded.trace.framework_ops().size(), noise.size() / sizeof(framework::OpRangeFixed));
  }
}

}  // namespace
}  // namespace npuprof::load
