#include "format/host/graph_text.h"

#include <gtest/gtest.h>

namespace npuprof::format::host {
namespace {

TEST(GraphText, ReadsTasks) {
  std::string text;
  append_graph_task(text, {"Default/network/Mul-op29", 2, 30093, 3});
  EXPECT_EQ(text, "Default/network/Mul-op29 2 30093 3\n");
  const auto task = parse_graph_task(text);
  ASSERT_TRUE(task);
  EXPECT_EQ(task->op_name, "Default/network/Mul-op29");
  EXPECT_EQ(task->block_num, 2u);
  EXPECT_EQ(task->task, 30093u);
  EXPECT_EQ(task->stream, 3u);
  for (const char* other : {"", "x", "x 1", "x 1 2", "1 2 3", "x 1 2 y"}) {
    EXPECT_FALSE(parse_graph_task(other)) << other;
  }
}

TEST(GraphText, ReadsNodes) {
  const GraphNode node{.op_name = "Default/Mul-op29",
                       .op_type = "Mul",
                       .inputs = {{"NC1HWC0", 40, "2,3"}, {"DefaultFormat", 31, ""}},
                       .outputs = {{"DefaultFormat", 40, "2"}}};
  std::string text;
  append_graph_node(text, node);
  GraphNode again;
  again.inputs.resize(7);
  ASSERT_TRUE(parse_graph_node(text, again));
  EXPECT_EQ(again.op_name, node.op_name);
  EXPECT_EQ(again.op_type, node.op_type);
  ASSERT_EQ(again.inputs.size(), 2u);
  EXPECT_EQ(again.inputs[0].format, "NC1HWC0");
  EXPECT_EQ(again.inputs[0].data_type, 40u);
  EXPECT_EQ(again.inputs[0].shape, "2,3");
  EXPECT_EQ(again.inputs[1].shape, "");
  ASSERT_EQ(again.outputs.size(), 1u);
  EXPECT_EQ(again.outputs[0].shape, "2");
  EXPECT_FALSE(parse_graph_node("", again));
  EXPECT_FALSE(parse_graph_node("input_format:x", again));
}

TEST(GraphText, KnowsDataTypesOfBothNumberings) {
  EXPECT_EQ(graph_data_type_name(31, GraphTypeNumbers::kBefore1_0), "INT32");
  EXPECT_EQ(graph_data_type_name(39, GraphTypeNumbers::kBefore1_0), "FLOAT16");
  EXPECT_EQ(graph_data_type_name(40, GraphTypeNumbers::kBefore1_0), "FLOAT32");
  EXPECT_EQ(graph_data_type_name(34, GraphTypeNumbers::kSince1_0), "INT32");
  EXPECT_EQ(graph_data_type_name(42, GraphTypeNumbers::kSince1_0), "FLOAT16");
  EXPECT_EQ(graph_data_type_name(43, GraphTypeNumbers::kSince1_0), "FLOAT32");
  EXPECT_EQ(graph_data_type_name(26, GraphTypeNumbers::kBefore1_0), "");
  EXPECT_EQ(graph_data_type_name(42, GraphTypeNumbers::kBefore1_0), "");
  EXPECT_TRUE(is_later_data_type(42));
  EXPECT_FALSE(is_later_data_type(41));
}

}  // namespace
}  // namespace npuprof::format::host
