#include "serve/call_tree.h"

#include <algorithm>
#include <unordered_map>

#include "serve/slice_family.h"

namespace npuprof::serve {
namespace {

class TreeBuilder {
 public:
  TreeBuilder(const LaneIndex& index, Span span)
      : index_(index),
        begin_ns_(span.begin_ns + index.zero_ns()),
        end_ns_(span.end_ns + index.zero_ns()) {}

  // Row by row: the parents of a row's slices have their nodes then.
  void add_lane(std::uint32_t number) {
    const report::Lane& lane = index_.lanes()[number];
    node_of_slice_.assign(lane.size(), trace::kNone);
    for (std::uint32_t row = 0; row < lane.rows(); ++row) {
      for (std::uint32_t i = lane.row_begin[row]; i < lane.row_begin[row + 1]; ++i) {
        if (lane.start_ns[i] < begin_ns_ || lane.start_ns[i] >= end_ns_) continue;
        const auto above = parent_of(lane, row, i);
        const std::uint32_t parent = above ? node_of_slice_[*above] : trace::kNone;
        add_slice(number, lane, i, parent);
      }
    }
  }

  std::vector<CallTreeNode> take() { return std::move(nodes_); }

 private:
  void add_slice(std::uint32_t number, const report::Lane& lane, std::uint32_t slice,
                 std::uint32_t parent) {
    const std::uint32_t name = lane.name_number[slice];
    const std::uint64_t key = std::uint64_t{parent} << 32 | name;
    const auto [at, is_new] = node_of_path_.try_emplace(key, nodes_.size());
    if (is_new) {
      nodes_.push_back({.name = name, .parent = parent, .first = {number, slice}});
    }
    const std::uint32_t own = at->second;
    node_of_slice_[slice] = own;
    ++nodes_[own].count;
    nodes_[own].total_ns += lane.duration(slice);
    nodes_[own].self_ns += lane.duration(slice);
    if (parent != trace::kNone) nodes_[parent].self_ns -= lane.duration(slice);
  }

  const LaneIndex& index_;
  std::int64_t begin_ns_;
  std::int64_t end_ns_;
  std::vector<CallTreeNode> nodes_;
  std::vector<std::uint32_t> node_of_slice_;                       // Of the lane.
  std::unordered_map<std::uint64_t, std::uint32_t> node_of_path_;  // By parent and name.
};

}  // namespace

std::vector<CallTreeNode> call_tree(const LaneIndex& index, Span span,
                                    const std::vector<std::uint32_t>& lanes) {
  TreeBuilder builder(index, span);
  for (const std::uint32_t lane : lanes) {
    if (index.lane(lane) != nullptr) builder.add_lane(lane);
  }
  return builder.take();
}

}  // namespace npuprof::serve
