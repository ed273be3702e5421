#pragma once

#include <cstdint>
#include <vector>

#include "analyze/kernel_flops.h"
#include "analyze/operator_work.h"
#include "trace/trace.h"

namespace npuprof::analyze {

// Arguments of attention that the program told of with marks of the domain "flash_attn_args", as
// shapes do not: layout, mask, lengths of sequences.
struct AttentionMarks {
  std::vector<AttentionArguments> arguments;  // Each distinct mark once.
  // By row of OperatorWork: what was told of it, kNone = nothing. Empty = there are no marks.
  std::vector<std::uint32_t> of_work;

  // Null = nothing was told.
  const AttentionArguments* find(std::uint32_t work_row) const {
    if (of_work.empty() || of_work[work_row] == trace::kNone) return nullptr;
    return &arguments[of_work[work_row]];
  }
};

// A mark belongs to the first operator that launches FlashAttentionScore at or after it, within
// 3 ms; of several the last one counts.
AttentionMarks attention_marks(const trace::Trace& trace, const OperatorWork& work);

// The JSON of one mark. Nothing is told if it is none of attention.
AttentionArguments parse_attention_mark(std::string_view text);

}  // namespace npuprof::analyze
