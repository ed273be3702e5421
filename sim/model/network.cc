#include "sim/model/network.h"

#include <cmath>

namespace npuprof::sim {
namespace {

// bytes / (GB/s) = ns.
std::int64_t wire_ns(std::uint64_t bytes, double gb_per_s, double slowdown) {
  return static_cast<std::int64_t>(std::ceil(static_cast<double>(bytes) / gb_per_s * slowdown));
}

}  // namespace

Link Network::link_between(std::uint32_t from, std::uint32_t to) const {
  if (from == to) return Link::kOnChip;
  if (node_of(from) != node_of(to)) return Link::kRdma;
  if (chip_->dual_die && from / 2 == to / 2) return Link::kSio;
  return Link::kHccs;
}

double Network::slowdown(std::uint32_t from, std::uint32_t to) const {
  double factor = 1;
  for (const SlowLink& slow : options_.slow_links) {
    const bool matches = (slow.a == from && slow.b == to) || (slow.a == to && slow.b == from);
    if (matches) factor *= slow.factor;
  }
  for (const SlowSender& slow : options_.slow_senders) {
    if (slow.rank == from) factor *= slow.factor;
  }
  return factor;
}

std::int64_t Network::transfer_ns(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) const {
  return wire_ns(bytes, chip_->link(link_between(from, to)).gb_per_s, slowdown(from, to));
}

std::int64_t Network::local_copy_ns(std::uint64_t bytes) const {
  return wire_ns(bytes, chip_->link(Link::kOnChip).gb_per_s, 1);
}

}  // namespace npuprof::sim
