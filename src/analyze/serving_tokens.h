#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analyze/serving.h"

namespace npuprof::analyze {

// What the kernels of an iteration say about it.
struct ServingEvidence {
  std::optional<std::uint64_t> matmul_tokens;     // Of the first matrix product with a plain shape.
  std::optional<std::uint64_t> attention_tokens;  // Of the first attention.
  bool has_prompt_attention = false;
  bool has_cached_attention = false;  // A token for each sequence, from cached keys and values.
  bool has_gradients = false;         // Then it is training.

  std::optional<std::uint64_t> tokens() const {
    return matmul_tokens ? matmul_tokens : attention_tokens;
  }
};

// Gathers evidence; looks at each name once.
class ServingEvidenceReader {
 public:
  explicit ServingEvidenceReader(const trace::Trace& trace);

  // Kernels of an iteration must come in order of their start.
  void add_kernel(std::uint32_t kernel, ServingEvidence& evidence);
  // Where kernels have no shapes: operators of the framework, as they were recorded.
  void add_op(std::uint32_t op, ServingEvidence& evidence);

 private:
  enum class Role : std::uint8_t {
    kNotAsked,
    kNone,
    kMatmul,
    kAttention,  // Serves prompts and single tokens alike.
    kPromptAttention,
    kCachedAttention,
    kGradient,
  };
  static Role role_of(std::string_view type);
  Role role(StringId type);

  const trace::Trace& trace_;
  std::vector<Role> roles_;  // By string id.
};

// Rows of a matrix with these dimensions ("8,4096;4096,12288": 8): the product of all but the last.
std::optional<std::uint64_t> rows_of_first_input(std::string_view shapes);
// Tokens of a query: "T,N,D", "B,S,H" or "B,N,S,D".
std::optional<std::uint64_t> tokens_of_query(std::string_view shapes);

// The phase of each iteration: by its attention, else by its tokens: where the counts fall into two
// groups that are far apart, the small ones are decode. kUnknown if nothing tells.
std::vector<ServingPhase> phases_of(std::span<const ServingEvidence> evidence);

}  // namespace npuprof::analyze
