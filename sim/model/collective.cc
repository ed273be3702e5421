#include "sim/model/collective.h"

#include <algorithm>
#include <numeric>

#include "sim/model/collective_run.h"

namespace npuprof::sim {
namespace {

// The group as a grid: `columns` ranks in each of `rows` nodes. A group that is not spread evenly
// over nodes is taken as one column, so that everything goes round one ring.
struct Grid {
  int rows = 0;
  int columns = 0;
  std::vector<int> member;  // [row * columns + column] = place in the group.

  int at(int row, int column) const {
    return member[static_cast<std::size_t>(row * columns + column)];
  }
  std::span<const int> row(int index) const {
    return std::span(member).subspan(static_cast<std::size_t>(index * columns),
                                     static_cast<std::size_t>(columns));
  }
};

Grid make_grid(const Network& network, std::span<const std::uint32_t> group) {
  Grid grid;
  grid.member.resize(group.size());
  std::iota(grid.member.begin(), grid.member.end(), 0);
  const auto node = [&](int i) { return network.node_of(group[static_cast<std::size_t>(i)]); };
  std::stable_sort(grid.member.begin(), grid.member.end(),
                   [&](int a, int b) { return node(a) < node(b); });

  std::vector<int> row_sizes;
  for (std::size_t i = 0; i < grid.member.size(); ++i) {
    const bool new_row = i == 0 || node(grid.member[i]) != node(grid.member[i - 1]);
    if (new_row) row_sizes.push_back(0);
    ++row_sizes.back();
  }
  const bool even = std::all_of(row_sizes.begin(), row_sizes.end(),
                                [&](int size) { return size == row_sizes.front(); });
  grid.rows = even ? static_cast<int>(row_sizes.size()) : static_cast<int>(group.size());
  grid.columns = static_cast<int>(group.size()) / std::max(grid.rows, 1);
  return grid;
}

// The steps of each collective, written for the whole group.
class Program {
 public:
  Program(CollectiveRun& run, const Grid& grid, std::span<const CollectiveDesc* const> descs)
      : run_(run), grid_(grid), descs_(descs), desc_(*descs.front()) {}

  void execute() {
    const std::uint64_t bytes = desc_.bytes();
    const auto ranks = static_cast<std::uint64_t>(run_.size());
    const auto columns = static_cast<std::uint64_t>(grid_.columns);
    const auto rows = static_cast<std::uint64_t>(grid_.rows);
    if (ranks == 1) {
      local(bytes);
      return;
    }
    run_.touch();
    switch (desc_.kind) {
      case CollectiveKind::kAllReduce:
        local(bytes / columns);
        mesh_all(bytes / columns, true);
        ring(bytes / ranks, true);
        ring(bytes / ranks, false);
        mesh_all(bytes / columns, false);
        local(bytes / columns);
        break;
      case CollectiveKind::kReduceScatter:
        local(bytes * rows);
        mesh_all(bytes * rows, true);
        ring(bytes, true);
        local(bytes);
        break;
      case CollectiveKind::kAllGather:
        local(bytes);
        ring(bytes, false);
        mesh_all(bytes * rows, false);
        local(bytes * rows);
        break;
      case CollectiveKind::kBroadcast:
        chain_from_root(bytes, false);
        star_from_root(bytes / columns);
        mesh_all(bytes / columns, false);
        break;
      case CollectiveKind::kReduce:
        local(bytes / columns);
        mesh_all(bytes / columns, true);
        chain_to_root(bytes / columns);
        star_to_root(bytes / columns);
        break;
      case CollectiveKind::kScatter:
        spread_from_root(bytes * columns);
        star_from_root(bytes);
        break;
      case CollectiveKind::kAlltoAll:
      case CollectiveKind::kAlltoAllV:
        all_to_all();
        break;
      default:
        break;
    }
    run_.touch();
  }

 private:
  void local(std::uint64_t bytes) {
    run_.local(std::vector<std::uint64_t>(run_.size(), bytes));
    run_.next_stage();
  }

  // Rows do not touch each other, so running them one after the other here costs no virtual time.
  void mesh_rows(bool reduce, const auto& bytes_of) {
    for (int row = 0; row < grid_.rows; ++row) run_.mesh(grid_.row(row), reduce, bytes_of);
    run_.next_stage();
  }
  void mesh_all(std::uint64_t bytes, bool reduce) {
    if (grid_.columns == 1) return;
    mesh_rows(reduce, [bytes](int, int) { return bytes; });
  }

  // One step between rows: everybody in row r sends to the same column of row (r + distance).
  void shift_rows(int distance, int column_shift, const auto& bytes_of, bool reduce) {
    std::vector<int> next(run_.size(), CollectiveRun::kNobody);
    std::vector<std::uint64_t> bytes(run_.size());
    for (int row = 0; row < grid_.rows; ++row) {
      for (int column = 0; column < grid_.columns; ++column) {
        const int self = grid_.at(row, column);
        const int target =
            grid_.at((row + distance) % grid_.rows, (column + column_shift) % grid_.columns);
        next[static_cast<std::size_t>(self)] = target;
        bytes[static_cast<std::size_t>(self)] = bytes_of(self, target);
      }
    }
    ring_step(next, bytes, reduce);
  }
  void ring_step(std::span<const int> next, std::span<const std::uint64_t> bytes, bool reduce) {
    run_.ring_step(next, bytes, reduce);
    run_.next_stage();
  }
  void ring(std::uint64_t bytes, bool reduce) {
    for (int step = 1; step < grid_.rows; ++step) {
      shift_rows(
          1, 0, [bytes](int, int) { return bytes; }, reduce);
    }
  }

  int root_row() const { return root_place() / grid_.columns; }
  int root_column() const { return root_place() % grid_.columns; }
  int root_place() const {
    const auto found =
        std::find(grid_.member.begin(), grid_.member.end(), static_cast<int>(desc_.root));
    return found == grid_.member.end() ? 0 : static_cast<int>(found - grid_.member.begin());
  }
  // A single transfer between two rows of the root's column.
  void hop(int from_row, int to_row, std::uint64_t bytes, bool reduce) {
    std::vector<int> next(run_.size(), CollectiveRun::kNobody);
    const std::vector<std::uint64_t> sizes(run_.size(), bytes);
    const int column = root_column();
    next[static_cast<std::size_t>(grid_.at(from_row % grid_.rows, column))] =
        grid_.at(to_row % grid_.rows, column);
    ring_step(next, sizes, reduce);
  }
  void chain_from_root(std::uint64_t bytes, bool reduce) {
    for (int step = 0; step + 1 < grid_.rows; ++step) {
      hop(root_row() + step, root_row() + step + 1, bytes, reduce);
    }
  }
  // All columns pass their sums along until the root's row has them.
  void chain_to_root(std::uint64_t bytes) {
    for (int step = 1; step < grid_.rows; ++step) {
      std::vector<int> next(run_.size(), CollectiveRun::kNobody);
      const std::vector<std::uint64_t> sizes(run_.size(), bytes);
      for (int column = 0; column < grid_.columns; ++column) {
        const int from = grid_.at((root_row() + step) % grid_.rows, column);
        next[static_cast<std::size_t>(from)] =
            grid_.at((root_row() + step + 1) % grid_.rows, column);
      }
      ring_step(next, sizes, true);
    }
  }
  void spread_from_root(std::uint64_t bytes) {
    for (int step = 1; step < grid_.rows; ++step) {
      hop(root_row(), root_row() + step, bytes, false);
    }
  }
  // In every row, the member of the root's column writes to (or reads from) the others.
  void star_from_root(std::uint64_t bytes) {
    star([bytes](bool from_center) { return from_center ? bytes : CollectiveRun::kNoTransfer; });
  }
  void star_to_root(std::uint64_t bytes) {
    if (grid_.columns == 1) return;
    const int center = grid_.at(root_row(), root_column());
    run_.mesh(grid_.row(root_row()), false,
              [=](int, int to) { return to == center ? bytes : CollectiveRun::kNoTransfer; });
    run_.next_stage();
  }
  void star(const auto& bytes_of) {
    if (grid_.columns == 1) return;
    for (int row = 0; row < grid_.rows; ++row) {
      const int center = grid_.at(row, root_column());
      run_.mesh(grid_.row(row), false, [&](int from, int to) {
        if (from != center && to != center) return CollectiveRun::kNoTransfer;
        return bytes_of(from == center);
      });
    }
    run_.next_stage();
  }

  void all_to_all() {
    const auto bytes_of = [this](int from, int to) { return exchange_bytes(from, to); };
    std::vector<std::uint64_t> own(run_.size());
    for (std::size_t i = 0; i < own.size(); ++i) {
      own[i] = exchange_bytes(static_cast<int>(i), static_cast<int>(i));
    }
    run_.local(own);
    run_.next_stage();
    if (grid_.columns > 1) mesh_rows(false, bytes_of);
    for (int distance = 1; distance < grid_.rows; ++distance) {
      for (int shift = 0; shift < grid_.columns; ++shift) {
        shift_rows(distance, shift, bytes_of, false);
      }
    }
  }
  std::uint64_t exchange_bytes(int from, int to) const {
    const CollectiveDesc& desc = *descs_[static_cast<std::size_t>(from)];
    const auto target = static_cast<std::size_t>(to);
    if (desc.kind != CollectiveKind::kAlltoAllV) return desc.bytes();
    if (target >= desc.send_counts.size()) return 0;
    return desc.send_counts[target] * bytes_per_element(desc.type);
  }

  CollectiveRun& run_;
  const Grid& grid_;
  std::span<const CollectiveDesc* const> descs_;
  const CollectiveDesc& desc_;
};

}  // namespace

std::vector<SubTasks> schedule_collective(const Network& network,
                                          std::span<const std::uint32_t> group,
                                          std::span<const CollectiveDesc* const> descs,
                                          std::span<const std::int64_t> ready_ns) {
  CollectiveRun run(network, group, ready_ns);
  const Grid grid = make_grid(network, group);
  Program(run, grid, descs).execute();
  return std::move(run).take();
}

std::size_t collective_task_count(const Network& network, std::span<const std::uint32_t> group,
                                  CollectiveKind kind, std::size_t group_rank) {
  const CollectiveDesc desc{.kind = kind};
  const std::vector<const CollectiveDesc*> descs(group.size(), &desc);
  const std::vector<std::int64_t> ready_ns(group.size(), 0);
  return schedule_collective(network, group, descs, ready_ns)[group_rank].size();
}

TransferTasks schedule_transfer(const Network& network, std::uint32_t from, std::uint32_t to,
                                std::uint64_t bytes, std::int64_t sender_ready_ns,
                                std::int64_t receiver_ready_ns) {
  const std::uint32_t group[] = {from, to};
  const std::int64_t ready_ns[] = {sender_ready_ns, receiver_ready_ns};
  CollectiveRun run(network, group, ready_ns);
  const int next[] = {1, CollectiveRun::kNobody};
  const std::uint64_t sizes[] = {bytes, 0};
  run.ring_step(next, sizes, false);
  std::vector<SubTasks> tasks = std::move(run).take();
  return {std::move(tasks[0]), std::move(tasks[1])};
}

std::size_t transfer_task_count(const Network& network, std::uint32_t from, std::uint32_t to,
                                bool sends) {
  const TransferTasks tasks = schedule_transfer(network, from, to, 0, 0, 0);
  return sends ? tasks.sender.size() : tasks.receiver.size();
}

std::uint32_t plane_count(const Network& network, std::span<const std::uint32_t> group) {
  return static_cast<std::uint32_t>(std::max(make_grid(network, group).columns, 1));
}

std::string_view collective_name(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::kAllReduce:
      return "hcom_allReduce_";
    case CollectiveKind::kAllGather:
      return "hcom_allGather_";
    case CollectiveKind::kReduceScatter:
      return "hcom_reduceScatter_";
    case CollectiveKind::kBroadcast:
      return "hcom_broadcast_";
    case CollectiveKind::kReduce:
      return "hcom_reduce_";
    case CollectiveKind::kScatter:
      return "hcom_scatter_";
    case CollectiveKind::kAlltoAll:
      return "hcom_alltoall_";
    case CollectiveKind::kAlltoAllV:
      return "hcom_alltoallv_";
    case CollectiveKind::kSend:
      return "hcom_send_";
    case CollectiveKind::kReceive:
      return "hcom_receive_";
    case CollectiveKind::kBatchSendReceive:
      return "hcom_batchSendRecv_";
  }
  return "hcom_unknown_";
}

std::string_view algorithm_name(CollectiveKind kind, bool several_nodes) {
  switch (kind) {
    case CollectiveKind::kSend:
    case CollectiveKind::kReceive:
    case CollectiveKind::kBatchSendReceive:
      return "NA";
    case CollectiveKind::kAlltoAll:
    case CollectiveKind::kAlltoAllV:
      return several_nodes ? "MESH-PAIRWISE" : "MESH";
    default:
      return several_nodes ? "MESH-RING" : "MESH";
  }
}

std::string_view sub_task_name(SubTaskKind kind) {
  switch (kind) {
    case SubTaskKind::kMemcpy:
      return "Memcpy";
    case SubTaskKind::kReduceInline:
      return "Reduce_Inline";
    case SubTaskKind::kNotifyRecord:
      return "Notify_Record";
    case SubTaskKind::kNotifyWait:
      return "Notify_Wait";
    case SubTaskKind::kRdmaPayload:
    case SubTaskKind::kRdmaNotify:
      return "RDMASend";
  }
  return "Unknown";
}

}  // namespace npuprof::sim
