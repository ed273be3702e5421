#include "sim/npu/graph_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/model/sample_kernels.h"
#include "sim/npu/npu_fixture.h"

namespace npuprof::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A graph written down node by node; those with a task share one kernel.
class GraphPointsTest : public ::testing::Test {
 protected:
  std::size_t node(std::string name, std::string type, std::vector<std::size_t> from,
                   std::uint32_t stream = 0) {
    GraphOperator made{.name = std::move(name), .type = std::move(type), .stream = stream};
    for (const std::size_t place : from) made.inputs.push_back({.from = place});
    const bool has_task = made.type != "Data" && made.type != "NetOutput";
    if (has_task) made.kernel = kernel_;
    nodes_.push_back(std::move(made));
    return nodes_.size() - 1;
  }

  GraphPoints points(const PointNames& names = {}) const { return find_points(nodes_, names); }

  std::vector<std::uint16_t> tags(bool training_trace = true, const PointNames& names = {}) const {
    std::vector<std::uint16_t> tags;
    for (const GraphMark& mark : place_marks(points(names), training_trace)) {
      tags.push_back(mark.tag);
    }
    return tags;
  }

  testing::Recording recording_;
  const KernelTemplate* kernel_ = &recording_.npu().kernels().add(testing::elementwise(1e3));
  std::vector<GraphOperator> nodes_;
};

TEST_F(GraphPointsTest, ForwardIsTheFirstUserOfTheFirstData) {
  const std::size_t data = node("x", "Data", {});
  const std::size_t other = node("y", "Data", {});
  node("uses the other", "Add", {other});
  const std::size_t first = node("uses it", "Add", {data});
  node("uses it too", "Add", {data});
  EXPECT_EQ(points().forward, first);
}

TEST_F(GraphPointsTest, OnlyTheFirstOutputOfTheDataCounts) {
  const std::size_t data = node("next", "GetNext", {});
  const std::size_t labels = node("labels", "Add", {});
  nodes_[labels].inputs = {{.from = data, .output = 1}};
  const std::size_t control = node("after", "Add", {});
  nodes_[control].inputs = {{.from = data, .output = GraphEdge::kControl}};
  const std::size_t images = node("images", "Add", {data});
  EXPECT_EQ(points().forward, images);
}

TEST_F(GraphPointsTest, DataIsKnownByItsOriginalTypeToo) {
  const std::size_t data = node("next", "FrameworkOp", {});
  nodes_[data].original_type = "IteratorV2";
  const std::size_t user = node("user", "Add", {data});
  EXPECT_EQ(points().forward, user);
  EXPECT_THAT(points().get_nexts, ElementsAre(data));
}

TEST_F(GraphPointsTest, NoOtherDataIsLookedAtIfNobodyUsesTheFirst) {
  node("unused", "Data", {});
  const std::size_t other = node("x", "Data", {});
  node("user", "Add", {other});
  EXPECT_EQ(points().forward, std::nullopt);
}

TEST_F(GraphPointsTest, BackwardIsTheLastInputOfTheOutputOnItsStream) {
  const std::size_t data = node("x", "Data", {});
  const std::size_t a = node("a", "Add", {data});
  const std::size_t b = node("b", "Add", {data});
  const std::size_t elsewhere = node("c", "Add", {data}, 1);
  const std::size_t counter = node("global_step", "AssignAdd", {data});
  nodes_[counter].is_global_step = true;
  const std::size_t output = node("Node_Output", "NetOutput", {a, b, elsewhere, counter});
  EXPECT_EQ(points().backward, b);
  EXPECT_THAT(points().ends, ElementsAre(output));
}

TEST_F(GraphPointsTest, BackwardIsTheLastInputOfTheLastAllReduce) {
  const std::size_t data = node("x", "Data", {});
  const std::size_t a = node("a", "Add", {data});
  const std::size_t b = node("b", "Add", {data});
  const std::size_t first = node("r0", "HcomAllReduce", {b});
  const std::size_t second = node("r1", "Custom", {a});
  nodes_[second].original_type = "HorovodAllreduce";
  const std::size_t update = node("update", "Apply", {first, second});
  node("Node_Output", "NetOutput", {update});
  EXPECT_EQ(points().backward, a);
  EXPECT_THAT(points().all_reduces, ElementsAre(first, second));
}

TEST_F(GraphPointsTest, BackwardIsNotFoundIfAllReducesHaveAStreamOfTheirOwn) {
  const std::size_t data = node("next", "GetNext", {});
  const std::size_t a = node("a", "Add", {data});
  const std::size_t reduce = node("r", "HcomAllReduce", {a}, 1);
  node("Node_Output", "NetOutput", {reduce});
  EXPECT_EQ(points().backward, std::nullopt);
  // Ends of pairs without their starts, and no parts of the iteration.
  EXPECT_THAT(tags(), ElementsAre(20001, 10001, 4));
}

TEST_F(GraphPointsTest, ForwardIsNotFoundWithoutDataAndTheRestIsMarked) {
  node("constant", "Fill", {});
  const std::size_t a = node("a", "Add", {0});
  const std::size_t reduce = node("r", "HcomAllReduce", {a});
  node("Node_Output", "NetOutput", {reduce});
  EXPECT_THAT(tags(), ElementsAre(3, 10000, 10001, 4));
}

TEST_F(GraphPointsTest, NamesOfTheUserAreFoundAmongFusedOperators) {
  node("x", "Data", {});
  const std::size_t fused = node("conv_relu", "Conv2D", {0});
  nodes_[fused].original_names = {"conv", "relu"};
  const std::size_t again = node("other", "Conv2D", {fused});
  nodes_[again].original_names = {"relu"};
  const std::size_t output = node("Node_Output", "NetOutput", {again});
  const PointNames names{.forward = "relu", .backward = "relu"};
  EXPECT_EQ(points(names).forward, fused);   // The first one,
  EXPECT_EQ(points(names).backward, again);  // and the last one.
  EXPECT_THAT(points(names).ends, ElementsAre(output));
  EXPECT_EQ(points({.forward = "nobody"}).forward, std::nullopt);
  EXPECT_EQ(points({.forward = "nobody"}).backward, again);
}

TEST_F(GraphPointsTest, TheFirstNodeCountsAsNotFound) {
  node("first", "Add", {});
  node("Node_Output", "NetOutput", {0});
  EXPECT_EQ(points({.forward = "first"}).forward, std::nullopt);
  EXPECT_EQ(points().backward, std::nullopt);
}

TEST_F(GraphPointsTest, ALoopEndsIterations) {
  node("x", "Data", {});
  const std::size_t a = node("a", "Add", {0});
  const std::size_t on = node(std::string(kLoopCountOn), "AssignAdd", {a});
  const std::size_t anew = node(std::string(kLoopBeginAnew), "Assign", {a});
  node("Node_Output", "NetOutput", {a});
  EXPECT_THAT(points().ends, ElementsAre(on, anew));
}

TEST_F(GraphPointsTest, WithoutTrainingTraceOnlyTheEndIsMarked) {
  node("x", "GetNext", {});
  const std::size_t a = node("a", "Add", {0});
  const std::size_t reduce = node("r", "HcomAllReduce", {a});
  node("Node_Output", "NetOutput", {reduce});
  EXPECT_THAT(tags(false), ElementsAre(4));
  EXPECT_THAT(tags(true), ElementsAre(20000, 20001, 2, 3, 10000, 10001, 4));
}

TEST_F(GraphPointsTest, AnEmptyGraphHasNoMarks) { EXPECT_THAT(tags(), IsEmpty()); }

}  // namespace
}  // namespace npuprof::sim
