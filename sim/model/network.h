#pragma once

#include <cstdint>
#include <vector>

#include "sim/model/chip.h"

namespace npuprof::sim {

// A fault: everything between ranks `a` and `b`, both ways, takes `factor` times as long.
struct SlowLink {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  double factor = 1;
};

// A fault: everything that `rank` sends takes `factor` times as long.
struct SlowSender {
  std::uint32_t rank = 0;
  double factor = 1;
};

struct NetworkOptions {
  std::uint32_t ranks_per_node = 8;
  std::vector<SlowLink> slow_links;
  std::vector<SlowSender> slow_senders;
};

// Which link joins two ranks, and how fast it is.
class Network {
 public:
  Network(const ChipSpec& chip, NetworkOptions options)
      : chip_(&chip), options_(std::move(options)) {}

  const ChipSpec& chip() const { return *chip_; }
  std::uint32_t node_of(std::uint32_t rank) const { return rank / options_.ranks_per_node; }
  std::uint32_t ranks_per_node() const { return options_.ranks_per_node; }

  Link link_between(std::uint32_t from, std::uint32_t to) const;
  double slowdown(std::uint32_t from, std::uint32_t to) const;
  // Time for `bytes` on the wire, without the latency.
  std::int64_t transfer_ns(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) const;
  // Time of a copy within one device.
  std::int64_t local_copy_ns(std::uint64_t bytes) const;

 private:
  const ChipSpec* chip_;
  NetworkOptions options_;
};

}  // namespace npuprof::sim
