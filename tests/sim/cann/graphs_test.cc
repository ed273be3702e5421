// Graphs that a program describes to the simulated library.

#include <array>

#include "sim/cann/library.h"
#include "temporary_directory.h"

namespace npuprof::sim::testing {
namespace {

// Data, one kernel, output.
class CannGraph : public ::testing::Test {
 protected:
  CannGraph() { EXPECT_EQ(CANN(aclrtSetDevice)(0), 0); }

  aclError load(std::uint32_t* model) const { return CANN(npusimLoadGraph)(&graph_, model); }

  NpusimKernel kernel_{.call = "MatMulV2",
                       .name = "dense/MatMul",
                       .type = "MatMulV2",
                       .core = NPUSIM_CORE_AIC,
                       .block_count = 20,
                       .math_type = 0,
                       .cube_flops = 1e9,
                       .bytes_read = 1e6,
                       .bytes_written = 1e6};
  const std::array<std::uint32_t, 2> places_ = {0, 1};
  const std::array<std::int32_t, 2> outputs_ = {0, 0};
  const char* const names_[2] = {"dense/MatMul", "dense/BiasAdd"};
  std::array<NpusimNode, 3> nodes_ = {{{.name = "x", .type = "Data"},
                                       {.name = "dense/MatMul",
                                        .type = "MatMulV2",
                                        .original_type = "MatMul",
                                        .original_names = names_,
                                        .original_name_count = 2,
                                        .input_nodes = places_.data(),
                                        .input_outputs = outputs_.data(),
                                        .input_count = 1,
                                        .kernel = &kernel_},
                                       {.name = "Node_Output",
                                        .type = "NetOutput",
                                        .input_nodes = places_.data() + 1,
                                        .input_outputs = outputs_.data() + 1,
                                        .input_count = 1}}};
  NpusimGraph graph_{.name = "graph", .nodes = nodes_.data(), .node_count = 3, .loops = 1};
};

TEST_F(CannGraph, IsLoadedAndRunInACollection) {
  const ::npuprof::testing::TemporaryDirectory directory;
  {
    const Profiled profiled(directory.path(), {0}, kLevel1 | NPUPROF_PROF_TRAINING_TRACE);
    std::uint32_t model = 0;
    ASSERT_EQ(load(&model), 0);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(CANN(npusimExecuteGraph)(model, nullptr), 0);
    EXPECT_EQ(CANN(aclrtSynchronizeDevice)(), 0);
  }
  const auto found = prof_directories(directory.path());
  ASSERT_EQ(found.size(), 1u);
  const auto data = found[0] / "host" / "data";
  EXPECT_TRUE(std::filesystem::exists(data / "unaging.additional.fusion_op_info.slice_0"));
  // Marks 0 to 4 of three executions, 40 bytes each.
  EXPECT_EQ(std::filesystem::file_size(found[0] / "device_0/data/ts_track.data.0.slice_0"),
            3u * 5 * 40);
}

TEST_F(CannGraph, IsRefusedIfItMakesNoSense) {
  std::uint32_t model = 0;
  EXPECT_EQ(CANN(npusimLoadGraph)(nullptr, &model), NPUPROF_ACL_INVALID_PARAM);
  EXPECT_EQ(load(nullptr), NPUPROF_ACL_INVALID_PARAM);
  const auto refused = [&](auto&& change) {
    const auto nodes = nodes_;
    const auto graph = graph_;
    const auto kernel = kernel_;
    change();
    EXPECT_EQ(load(&model), NPUPROF_ACL_INVALID_PARAM);
    nodes_ = nodes;
    graph_ = graph;
    kernel_ = kernel;
  };
  refused([&] { graph_.loops = 0; });
  refused([&] { graph_.node_count = 0; });
  refused([&] { graph_.node_count = 0xFFFFFFFF; });
  refused([&] { graph_.name = nullptr; });
  refused([&] { graph_.nodes = nullptr; });
  refused([&] { nodes_[1].type = ""; });
  refused([&] { nodes_[1].stream = 1000; });
  refused([&] { nodes_[1].input_nodes = nullptr; });
  refused([&] { nodes_[1].input_nodes = places_.data() + 1; });  // Itself.
  refused([&] { nodes_[1].original_names = nullptr; });
  refused([&] { kernel_.block_count = 0; });
  EXPECT_EQ(load(&model), 0);
  EXPECT_EQ(CANN(npusimExecuteGraph)(model + 1000, nullptr), NPUPROF_ACL_INVALID_PARAM);
}

}  // namespace
}  // namespace npuprof::sim::testing
