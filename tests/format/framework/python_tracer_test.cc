#include "format/framework/python_tracer.h"

#include <gtest/gtest.h>

#include "format/framework/record_bytes.h"

namespace npuprof::format::framework {
namespace {

using testing::hex;

TEST(PythonTracer, RoundTripsRandomValues) {
  testing::expect_round_trip<PythonCall>();
  testing::expect_round_trip<PythonHashFixed>();
  testing::expect_record_round_trip<PythonHash>();
}

TEST(PythonTracer, DecodesACallWrittenByHand) {
  const auto bytes =
      hex("e8 03 00 00 00 00 00 00 4e 00 00 00 00 00 00 00 4d 00 00 00 00 00 00 00 "
          "88 77 66 55 44 33 22 11 00");
  ASSERT_EQ(bytes.size(), sizeof(PythonCall));
  const auto call = load<PythonCall>(bytes.data());
  EXPECT_EQ(call.time, 1000u);
  EXPECT_EQ(call.thread_id, 78u);
  EXPECT_EQ(call.process_id, 77u);
  EXPECT_EQ(call.key, 0x1122334455667788u);
  EXPECT_EQ(call.tag, static_cast<std::uint8_t>(PythonTag::kCall));
  EXPECT_FALSE(call.is_return());
  EXPECT_TRUE(std::ranges::equal(bytes_of(call), bytes));
}

TEST(PythonTracer, ReturnsOfBothLanguagesAreReturns) {
  PythonCall call{};
  call.tag = 1;
  EXPECT_TRUE(call.is_return());
  call.tag = 3;
  EXPECT_TRUE(call.is_return());
  call.tag = 2;
  EXPECT_FALSE(call.is_return());
}

TEST(PythonTracer, PartialLastCallIsIgnored) {
  const std::vector<std::byte> bytes(2 * sizeof(PythonCall) + 32);
  int calls = 0;
  const Bytes slices[] = {bytes};
  EXPECT_EQ(
      for_each_record<PythonCall>(slices, Leftover::kAtEnd, [&](const PythonCall&) { ++calls; }),
      32u);
  EXPECT_EQ(calls, 2);
}

TEST(PythonTracer, DecodesAHashWrittenByHand) {
  const auto bytes = hex(
      "04 00 1e 00 00 00 88 77 66 55 44 33 22 11 01 00 10 00 00 00 4c 69 6e 65 61 72 23 23 23 23 "
      "23 23 34 30 39 36");
  const auto hash = testing::expect_same_bytes<PythonHash>(bytes);
  EXPECT_EQ(hash.fixed.key, 0x1122334455667788u);
  EXPECT_EQ(hash.value, "Linear######4096");
}

TEST(PythonName, FramesRoundTrip) {
  for (const PythonFrame& frame :
       {PythonFrame{"train.py", 88, "main"}, PythonFrame{"a (copy)/b(2).py", 7, "<lambda>"},
        PythonFrame{"", 0, ""}, PythonFrame{"<frozen importlib._bootstrap>", -1, "_find"}}) {
    std::string text;
    append_python_frame(text, frame);
    EXPECT_EQ(parse_python_frame(text), frame) << text;
  }
  EXPECT_FALSE(parse_python_frame("train.py(eight): main"));
  EXPECT_FALSE(parse_python_frame("train.py: main"));
  EXPECT_FALSE(parse_python_frame("): main"));
}

TEST(PythonName, ModulesRoundTrip) {
  for (const PythonModule& module : {PythonModule{"Linear", 4096}, PythonModule{"Odd###Name", 0},
                                     PythonModule{"LlamaDecoderLayer", 0xFFFFFFFFFFFFFFFFu}}) {
    std::string text;
    append_python_module(text, module);
    EXPECT_EQ(parse_python_module(text), module) << text;
  }
}

}  // namespace
}  // namespace npuprof::format::framework
