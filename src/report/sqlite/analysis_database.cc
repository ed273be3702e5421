#include "report/sqlite/analysis_database.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/step_time.h"
#include "base/units.h"
#include "report/sqlite/bulk_database.h"
#include "report/tables/step_trace_time.h"
#include "report/tables/stored_table.h"

namespace npuprof::report::sqlite {
namespace {

using analyze::CommunicationOp;
using analyze::LinkTraffic;
using analyze::PacketCount;
using format::results::Unit;

// An operator with where it belongs; step and type are empty in CANN's own database, which has no
// columns for them.
struct PlacedOp {
  const CommunicationOp* op = nullptr;
  std::string_view step;
  std::string_view type;
};

struct PlacedLink {
  std::string name;
  std::string_view group;
  LinkTraffic link;
  std::string_view step;
  std::string_view type;
  std::string_view op_name;
};

// A packet size of a transport of an operator.
struct PacketRow {
  PlacedOp placed;
  std::size_t transport = 0;
  PacketCount packet;

  const analyze::Traffic& traffic() const { return placed.op->traffic[transport]; }
};

// Rows of one of the communication tables; only some databases tell their steps.
template <typename Row>
struct PlacedRows {
  std::vector<Row> rows;
  bool has_steps = false;

  std::size_t size() const { return rows.size(); }
  const Row& operator[](std::size_t i) const { return rows[i]; }
};
constexpr auto kHasSteps = [](const auto& rows) { return rows.has_steps; };

constexpr StoredColumn kOpColumn{"hccl_op_name", kT};
constexpr StoredColumn kGroupColumn{"group_name", kT};
constexpr StoredColumn kTransportColumn{"transport_type", kT};
constexpr StoredColumn kTransitSizeColumn{"transit_size", kN, Unit::kMb};
constexpr StoredColumn kTransitTimeColumn{"transit_time", kN, Unit::kMs};
constexpr StoredColumn kBandwidthColumn{"bandwidth", kN, Unit::kGbPerSecond};
constexpr StoredColumn kStepColumn{"step", kT};
constexpr StoredColumn kTypeColumn{"type", kT};

constexpr auto kTimeTable = stored_table(
    "CommAnalyzerTime",  //
    column(
        kOpColumn, [](const PlacedOp& row) -> auto& { return row.op->name; }),
    column(kGroupColumn, [](const PlacedOp& row) { return result_text(row.op->group); }),
    column(StoredColumn{"start_timestamp", kN, Unit::kUs},
           [](const PlacedOp& row) { return row.op->time.start_us(); }),
    column(StoredColumn{"elapse_time", kN, Unit::kMs},
           [](const PlacedOp& row) { return row.op->time.elapse_ms; }),
    column(kTransitTimeColumn, [](const PlacedOp& row) { return row.op->time.transit_ms; }),
    column(StoredColumn{"wait_time", kN, Unit::kMs},
           [](const PlacedOp& row) { return row.op->time.wait_ms; }),
    column(StoredColumn{"synchronization_time", kN, Unit::kMs},
           [](const PlacedOp& row) { return row.op->time.synchronization_ms; }),
    column(StoredColumn{"idle_time", kN, Unit::kMs},
           [](const PlacedOp& row) { return row.op->time.idle_ms; }),
    only_if(kHasSteps, column(kStepColumn, &PlacedOp::step)),
    only_if(kHasSteps, column(kTypeColumn, &PlacedOp::type)));

constexpr auto kBandwidthTable = stored_table(
    "CommAnalyzerBandwidth",  //
    column(
        kOpColumn, [](const PacketRow& row) -> auto& { return row.placed.op->name; }),
    column(kGroupColumn, [](const PacketRow& row) { return result_text(row.placed.op->group); }),
    column(kTransportColumn,
           [](const PacketRow& row) {
             return analyze::transport_name(static_cast<analyze::Transport>(row.transport));
           }),
    column(kTransitSizeColumn, [](const PacketRow& row) { return row.traffic().size_mb; }),
    column(kTransitTimeColumn, [](const PacketRow& row) { return row.traffic().time_ms; }),
    column(kBandwidthColumn, [](const PacketRow& row) { return row.traffic().bandwidth_gb_s; }),
    column(StoredColumn{"large_packet_ratio", kN},
           [](const PacketRow& row) { return row.traffic().large_packet_ratio; }),
    column(StoredColumn{"package_size", kN, Unit::kMb},
           [](const PacketRow& row) { return row.packet.size_mb; }),
    column(StoredColumn{"count", kN}, [](const PacketRow& row) { return row.packet.count; }),
    column(StoredColumn{"total_duration", kN, Unit::kMs},
           [](const PacketRow& row) { return row.packet.total_ms; }),
    only_if(kHasSteps, column(kStepColumn, [](const PacketRow& row) { return row.placed.step; })),
    only_if(kHasSteps, column(kTypeColumn, [](const PacketRow& row) { return row.placed.type; })));

constexpr auto kMatrixTable = stored_table(
    "CommAnalyzerMatrix",  //
    column(kOpColumn, &PlacedLink::name),
    column(kGroupColumn, [](const PlacedLink& row) { return result_text(row.group); }),
    column(StoredColumn{"src_rank", kT},
           [](const PlacedLink& row) { return row.link.source_rank; }),
    column(StoredColumn{"dst_rank", kT},
           [](const PlacedLink& row) { return row.link.destination_rank; }),
    column(kTransportColumn, [](const PlacedLink& row) { return row.link.transport; }),
    column(kTransitSizeColumn, [](const PlacedLink& row) { return row.link.size_mb; }),
    column(kTransitTimeColumn, [](const PlacedLink& row) { return row.link.time_ms; }),
    column(kBandwidthColumn, [](const PlacedLink& row) { return row.link.bandwidth_gb_s; }),
    only_if(kHasSteps, column(kStepColumn, &PlacedLink::step)),
    only_if(kHasSteps, column(kTypeColumn, &PlacedLink::type)),
    only_if(kHasSteps, column(StoredColumn{"op_name", kT}, &PlacedLink::op_name)));

// Transports that were not used have no row, those without packets of their own (SDMA) one.
PlacedRows<PacketRow> packet_rows(const PlacedRows<PlacedOp>& ops) {
  PlacedRows<PacketRow> packets{{}, ops.has_steps};
  for (const PlacedOp& placed : ops.rows) {
    for (std::size_t i = 0; i < placed.op->traffic.size(); ++i) {
      const analyze::Traffic& traffic = placed.op->traffic[i];
      if (traffic.size_mb == 0 && traffic.time_ms == 0) continue;
      for (const PacketCount& packet : traffic.packets) packets.rows.push_back({placed, i, packet});
      if (traffic.packets.empty()) packets.rows.push_back({placed, i, {}});
    }
  }
  return packets;
}

void place(std::span<const CommunicationOp* const> ops, std::string_view step,
           std::string_view type, PlacedRows<PlacedOp>& placed, PlacedRows<PlacedLink>& links) {
  for (const CommunicationOp* op : ops) placed.rows.push_back({op, step, type});
  // Only PyTorch has this database.
  for (analyze::LinkSummary& summary : analyze::link_summaries(ops, trace::Framework::kPyTorch)) {
    links.rows.push_back(
        {std::move(summary.name), summary.group, summary.link, step, type, summary.op_name});
  }
}

}  // namespace

Status write_analysis_database(const analyze::SharedResults& results,
                               const std::filesystem::path& path, ThreadPool& pool) {
  NPUPROF_ASSIGN_OR_RETURN(auto database, BulkDatabase::create(path, pool));
  PlacedRows<PlacedOp> placed{{}, true};
  PlacedRows<PlacedLink> links{{}, true};
  for (const analyze::CommunicationStep& step : results.communication_steps()) {
    place(step.p2p, step.name, "p2p", placed, links);
    place(step.collective, step.name, "collective", placed, links);
  }
  if (!results.communication().empty()) {
    write_stored_table<kBandwidthTable>(packet_rows(placed), database);
    write_stored_table<kMatrixTable>(links, database);
    write_stored_table<kTimeTable>(placed, database);
  }
  write_step_trace_time(analyze::step_task_times(results.trace()), database);
  return database.close();
}

Status write_communication_database(std::span<const CommunicationOp> ops,
                                    const std::filesystem::path& path, ThreadPool& pool) {
  if (ops.empty()) return ok_status();
  NPUPROF_ASSIGN_OR_RETURN(auto database, BulkDatabase::create(path, pool));
  PlacedRows<PlacedOp> placed;
  PlacedRows<PlacedLink> links;
  for (const CommunicationOp& op : ops) {
    placed.rows.push_back({.op = &op});
    for (const LinkTraffic& link : op.links) {
      links.rows.push_back({.name = op.name, .group = op.group, .link = link});
    }
  }
  write_stored_table<kTimeTable>(placed, database);
  write_stored_table<kBandwidthTable>(packet_rows(placed), database);
  write_stored_table<kMatrixTable>(links, database);
  return database.close();
}

}  // namespace npuprof::report::sqlite
