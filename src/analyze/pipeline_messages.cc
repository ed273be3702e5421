#include "analyze/pipeline_messages.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "analyze/collective_groups.h"
#include "base/saturated.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"

namespace npuprof::analyze {
namespace {

// Parts of one transfer on one plane with one other rank.
struct Exchange {
  std::uint32_t own = 0;
  std::uint64_t bytes = 0;
  std::int64_t start_ns = INT64_MAX;
  std::int64_t moved_ns = INT64_MAX;  // When data first moves.
  std::int64_t end_ns = INT64_MIN;
};
using ExchangeKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // Row, plane, peer.

std::map<ExchangeKey, Exchange> exchanges(const trace::Trace& trace,
                                          std::span<const std::uint32_t> transfers) {
  const auto& parts = trace.collective_tasks();
  std::vector<std::uint8_t> is_asked(trace.collective_ops().size());
  for (const std::uint32_t row : transfers) is_asked[row] = 1;
  std::map<ExchangeKey, Exchange> found;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::uint32_t op = parts.op[i];
    const std::uint32_t own = parts.source_rank[i];
    const std::uint32_t peer = parts.destination_rank[i];
    if (op >= is_asked.size() || is_asked[op] == 0 || own == peer) continue;
    if (own == trace::kNone || peer == trace::kNone) continue;
    Exchange& exchange = found[{op, parts.plane[i], peer}];
    exchange.own = own;
    exchange.start_ns = std::min(exchange.start_ns, parts.start_ns[i]);
    exchange.end_ns = std::max(exchange.end_ns, parts.end_ns[i]);
    if (trace.strings.view(parts.name[i]).starts_with("Notify")) continue;
    add_saturated(exchange.bytes, parts.size_bytes[i]);
    exchange.moved_ns = std::min(exchange.moved_ns, parts.start_ns[i]);
  }
  return found;
}

}  // namespace

std::vector<PipelineMessage> pipeline_messages(const trace::Trace& trace,
                                               std::span<const std::uint32_t> transfers) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, bool>, std::size_t> places;
  std::vector<PipelineMessage> messages;
  for (const auto& [key, exchange] : exchanges(trace, transfers)) {
    const auto& [row, plane, peer] = key;
    const TransferSides sides = transfer_sides(collective_type(trace, row));
    const bool is_sent = sides.sends && (!sides.receives || exchange.bytes > 0);
    const bool moves = exchange.moved_ns != INT64_MAX;
    const std::int64_t start_ns = is_sent && moves ? exchange.moved_ns : exchange.start_ns;
    const auto [place, is_new] = places.try_emplace({row, peer, is_sent}, messages.size());
    if (is_new) {
      messages.push_back({.collective = row,
                          .own = exchange.own,
                          .peer = peer,
                          .is_sent = is_sent,
                          .start_ns = start_ns,
                          .end_ns = exchange.end_ns});
    }
    PipelineMessage& message = messages[place->second];
    add_saturated(message.bytes, exchange.bytes);
    message.start_ns = std::min(message.start_ns, start_ns);
    message.end_ns = std::max(message.end_ns, exchange.end_ns);
  }
  return messages;
}

}  // namespace npuprof::analyze
