#pragma once

// How the ranks of a training job share a model: tensor, data, pipeline and expert parallel groups.

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace npuprof::sim {

struct ParallelSizes {
  std::uint32_t tensor = 1;
  std::uint32_t pipeline = 1;
  std::uint32_t data = 1;
  std::uint32_t expert = 1;  // Divides the data parallel group.
};

struct ProcessGroup {
  std::string name;                  // As the framework calls it: "tp", "dp", "pp", "ep".
  std::string communicator;          // As the communication library calls it; unique in the job.
  std::vector<std::uint32_t> ranks;  // Of the job, ascending.
};

// The place of one rank. Ranks of a tensor parallel group are neighbours, those of a pipeline
// furthest apart, as frameworks lay them out: rank = (pipeline * data + data_index) * tensor +
// tensor_index.
class ParallelLayout {
 public:
  // The product of tensor, pipeline and data must be the number of ranks.
  static Result<ParallelLayout> make(const ParallelSizes& sizes, std::uint32_t ranks);

  const ParallelSizes& sizes() const { return sizes_; }
  std::uint32_t rank_count() const { return sizes_.tensor * sizes_.pipeline * sizes_.data; }
  std::uint32_t stage_of(std::uint32_t rank) const { return rank / (sizes_.tensor * sizes_.data); }

  // The groups `rank` belongs to; groups of one rank too.
  ProcessGroup tensor_group(std::uint32_t rank) const;
  ProcessGroup data_group(std::uint32_t rank) const;
  ProcessGroup pipeline_group(std::uint32_t rank) const;
  ProcessGroup expert_group(std::uint32_t rank) const;

 private:
  explicit ParallelLayout(const ParallelSizes& sizes) : sizes_(sizes) {}
  ProcessGroup group(const char* name, std::uint32_t first, std::uint32_t stride,
                     std::uint32_t count) const;

  ParallelSizes sizes_;
};

}  // namespace npuprof::sim
