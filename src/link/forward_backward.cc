#include "link/forward_backward.h"

#include <algorithm>
#include <vector>

#include "link/row_map.h"

namespace npuprof::link {
namespace {

using trace::FrameworkOps;
using trace::kNone;

struct Sides {
  std::uint32_t forward = kNone;
  std::uint32_t backward = kNone;
};

// At equal start the operator that ended first is the inner one; it comes first in the file.
void keep_last_started(const FrameworkOps& ops, std::uint32_t& kept, std::uint32_t row) {
  if (kept == kNone || ops.start_ns[row] > ops.start_ns[kept]) kept = row;
}

// All sequence numbers that occur on the backward side, and what they join.
std::vector<Sides> sides_by_sequence(const FrameworkOps& ops) {
  const auto is_backward = [&](std::uint32_t row) {
    return ops.sequence[row] >= 0 && ops.forward_thread[row] != 0;
  };
  const auto key = [&](std::uint32_t row) {
    return RowKey{static_cast<std::uint64_t>(ops.sequence[row]), ops.pid[row]};
  };
  RowMap place_of;
  std::vector<Sides> all;
  for (std::uint32_t row = 0; row < ops.size(); ++row) {
    if (!is_backward(row)) continue;
    std::uint32_t& place = place_of[key(row)];
    if (place == kNone) {
      place = static_cast<std::uint32_t>(all.size());
      all.emplace_back();
    }
    keep_last_started(ops, all[place].backward, row);
  }
  for (std::uint32_t row = 0; row < ops.size(); ++row) {
    if (ops.sequence[row] < 0 || ops.forward_thread[row] != 0) continue;
    const std::uint32_t place = place_of.find(key(row));
    if (place == kNone || ops.start_ns[row] > ops.start_ns[all[place].backward]) continue;
    keep_last_started(ops, all[place].forward, row);
  }
  return all;
}

}  // namespace

void link_forward_backward(trace::Trace& trace) {
  const FrameworkOps& ops = trace.framework_ops;
  std::vector<Sides> all = sides_by_sequence(ops);
  std::erase_if(all, [](const Sides& sides) { return sides.forward == kNone; });
  std::sort(all.begin(), all.end(), [&](const Sides& a, const Sides& b) {
    if (ops.sequence[a.forward] != ops.sequence[b.forward]) {
      return ops.sequence[a.forward] < ops.sequence[b.forward];
    }
    return a.forward < b.forward;
  });
  trace::ForwardBackward& pairs = trace.forward_backward;
  pairs = {};
  reserve_rows(pairs, all.size());
  for (const Sides& sides : all) {
    pairs.sequence.push_back(ops.sequence[sides.forward]);
    pairs.forward.push_back(sides.forward);
    pairs.backward.push_back(sides.backward);
  }
}

}  // namespace npuprof::link
