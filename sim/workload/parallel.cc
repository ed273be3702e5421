#include "sim/workload/parallel.h"

namespace npuprof::sim {

Result<ParallelLayout> ParallelLayout::make(const ParallelSizes& sizes, std::uint32_t ranks) {
  for (const std::uint32_t size : {sizes.tensor, sizes.pipeline, sizes.data, sizes.expert}) {
    if (size == 0) return Error{ErrorCode::kInvalidArgument, "a parallel size must be at least 1"};
  }
  const std::uint64_t product = std::uint64_t{sizes.tensor} * sizes.pipeline * sizes.data;
  if (product != ranks) {
    return Error{ErrorCode::kInvalidArgument, "--tp x --pp x --dp is " + std::to_string(product) +
                                                  ", but --ranks is " + std::to_string(ranks)};
  }
  if (sizes.data % sizes.expert != 0) {
    return Error{ErrorCode::kInvalidArgument, "--ep " + std::to_string(sizes.expert) +
                                                  " does not divide --dp " +
                                                  std::to_string(sizes.data)};
  }
  return ParallelLayout(sizes);
}

ProcessGroup ParallelLayout::group(const char* name, std::uint32_t first, std::uint32_t stride,
                                   std::uint32_t count) const {
  ProcessGroup group{
      .name = name,
      .communicator = std::string("group_") + name + "_" + std::to_string(first) + "_node-1_60000",
      .ranks = {}};
  for (std::uint32_t i = 0; i < count; ++i) group.ranks.push_back(first + i * stride);
  return group;
}

ProcessGroup ParallelLayout::tensor_group(std::uint32_t rank) const {
  return group("tp", rank / sizes_.tensor * sizes_.tensor, 1, sizes_.tensor);
}

ProcessGroup ParallelLayout::data_group(std::uint32_t rank) const {
  const std::uint32_t stage_ranks = sizes_.tensor * sizes_.data;
  const std::uint32_t first = rank / stage_ranks * stage_ranks + rank % sizes_.tensor;
  return group("dp", first, sizes_.tensor, sizes_.data);
}

ProcessGroup ParallelLayout::pipeline_group(std::uint32_t rank) const {
  const std::uint32_t stage_ranks = sizes_.tensor * sizes_.data;
  return group("pp", rank % stage_ranks, stage_ranks, sizes_.pipeline);
}

ProcessGroup ParallelLayout::expert_group(std::uint32_t rank) const {
  const std::uint32_t stage_ranks = sizes_.tensor * sizes_.data;
  const std::uint32_t data_index = rank % stage_ranks / sizes_.tensor;
  const std::uint32_t first = rank / stage_ranks * stage_ranks + rank % sizes_.tensor +
                              data_index / sizes_.expert * sizes_.expert * sizes_.tensor;
  return group("ep", first, sizes_.tensor, sizes_.expert);
}

}  // namespace npuprof::sim
