#include "analyze/serving_tokens.h"

#include <algorithm>

#include "base/saturated.h"
#include "base/text.h"
#include "trace/framework/framework_ops.h"
#include "trace/linked/kernels.h"

namespace npuprof::analyze {
namespace {

// A prompt has several tokens, and usually many: counts this far apart are different phases.
constexpr double kPhaseRatio = 4;

bool has_text(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Dimensions of the first input; nothing if one is no positive number.
std::optional<std::vector<std::uint64_t>> first_dimensions(std::string_view shapes) {
  if (shapes.starts_with('"')) shapes.remove_prefix(1);
  shapes = shapes.substr(0, shapes.find_first_of(";\""));
  std::vector<std::uint64_t> dimensions;
  for (const std::string_view part : split(shapes, ',')) {
    const auto value = parse_number<std::uint64_t>(trim(part));
    if (!value || *value == 0) return std::nullopt;
    dimensions.push_back(*value);
  }
  return dimensions;
}

std::uint64_t capped_product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

}  // namespace

std::optional<std::uint64_t> rows_of_first_input(std::string_view shapes) {
  const auto dimensions = first_dimensions(shapes);
  if (!dimensions || dimensions->size() < 2) return std::nullopt;
  std::uint64_t rows = 1;
  for (std::size_t i = 0; i + 1 < dimensions->size(); ++i) {
    rows = capped_product(rows, (*dimensions)[i]);
  }
  return rows;
}

std::optional<std::uint64_t> tokens_of_query(std::string_view shapes) {
  const auto dimensions = first_dimensions(shapes);
  if (!dimensions) return std::nullopt;
  if (dimensions->size() == 4) return capped_product((*dimensions)[0], (*dimensions)[2]);
  if (dimensions->size() != 3) return std::nullopt;
  // T,N,D has fewer heads than a sequence has values: the last dimension of a head is small.
  const bool is_packed = (*dimensions)[2] <= 256;
  return is_packed ? (*dimensions)[0] : capped_product((*dimensions)[0], (*dimensions)[1]);
}

ServingEvidenceReader::ServingEvidenceReader(const trace::Trace& trace)
    : trace_(trace), roles_(trace.strings.size(), Role::kNotAsked) {}

ServingEvidenceReader::Role ServingEvidenceReader::role_of(std::string_view type) {
  if (has_text(type, "Attention") || has_text(type, "attention")) {
    if (has_text(type, "Grad") || has_text(type, "grad") || has_text(type, "backward")) {
      return Role::kGradient;
    }
    if (has_text(type, "Incre") || has_text(type, "Paged") || has_text(type, "paged")) {
      return Role::kCachedAttention;
    }
    if (has_text(type, "Prompt") || has_text(type, "FlashAttentionScore") ||
        has_text(type, "Unpad")) {
      return Role::kPromptAttention;
    }
    return Role::kAttention;
  }
  // Matrix products of batches are inside attention, but for those with quantized weights.
  if (type.starts_with("BatchMatMul")) return Role::kNone;
  const bool is_matmul = has_text(type, "MatMul") || has_text(type, "Matmul") ||
                         type == "aten::mm" || type == "aten::linear" || type == "aten::matmul";
  return is_matmul ? Role::kMatmul : Role::kNone;
}

ServingEvidenceReader::Role ServingEvidenceReader::role(StringId type) {
  Role& known = roles_[to_index(type)];
  if (known == Role::kNotAsked) known = role_of(trace_.strings.view(type));
  return known;
}

void ServingEvidenceReader::add_kernel(std::uint32_t kernel, ServingEvidence& evidence) {
  const trace::Kernels& kernels = trace_.kernels();
  const Role kind = role(kernels.op_type[kernel]);
  if (kind == Role::kNone) return;
  evidence.has_gradients |= kind == Role::kGradient;
  evidence.has_prompt_attention |= kind == Role::kPromptAttention;
  evidence.has_cached_attention |= kind == Role::kCachedAttention;
  const std::string_view shapes = trace_.strings.view(kernels.input_shapes[kernel]);
  if (kind == Role::kMatmul) {
    // In fractal formats the first dimensions are no tokens.
    const std::string_view formats = trace_.strings.view(kernels.input_formats[kernel]);
    const bool is_plain = !has_text(formats.substr(0, formats.find(';')), "NZ");
    if (!evidence.matmul_tokens && is_plain) evidence.matmul_tokens = rows_of_first_input(shapes);
  } else if (kind != Role::kGradient && !evidence.attention_tokens) {
    evidence.attention_tokens = tokens_of_query(shapes);
  }
}

void ServingEvidenceReader::add_op(std::uint32_t op, ServingEvidence& evidence) {
  if (evidence.matmul_tokens) return;
  const trace::FrameworkOps& ops = trace_.framework_ops();
  if (role(ops.name[op]) != Role::kMatmul) return;
  evidence.matmul_tokens = rows_of_first_input(trace_.strings.view(ops.input_shapes[op]));
}

std::vector<ServingPhase> phases_of(std::span<const ServingEvidence> evidence) {
  std::vector<std::uint64_t> counts;
  for (const ServingEvidence& one : evidence) {
    if (one.tokens()) counts.push_back(*one.tokens());
  }
  std::sort(counts.begin(), counts.end());
  double widest = kPhaseRatio;
  std::uint64_t decode_up_to = 0;  // 0: the counts do not tell.
  for (std::size_t i = 1; i < counts.size(); ++i) {
    const double ratio = static_cast<double>(counts[i]) / static_cast<double>(counts[i - 1]);
    if (ratio < widest) continue;
    widest = ratio;
    decode_up_to = counts[i - 1];
  }
  std::vector<ServingPhase> phases;
  for (const ServingEvidence& one : evidence) {
    if (one.has_gradients) {
      phases.push_back(ServingPhase::kUnknown);
    } else if (one.has_prompt_attention || one.has_cached_attention) {
      phases.push_back(!one.has_cached_attention   ? ServingPhase::kPrefill
                       : !one.has_prompt_attention ? ServingPhase::kDecode
                                                   : ServingPhase::kMixed);
    } else if (decode_up_to != 0 && one.tokens()) {
      phases.push_back(*one.tokens() <= decode_up_to ? ServingPhase::kDecode
                                                     : ServingPhase::kPrefill);
    } else {
      phases.push_back(ServingPhase::kUnknown);
    }
  }
  return phases;
}

}  // namespace npuprof::analyze
