#include "report/sqlite/analysis_database.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/step_time.h"
#include "report/sqlite/bulk_database.h"

namespace npuprof::report::sqlite {
namespace {

using analyze::CommunicationOp;
using analyze::LinkTraffic;
using analyze::PacketCount;

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

// Writes the three communication tables.
class CommunicationTables {
 public:
  CommunicationTables(BulkDatabase& database, bool with_steps)
      : database_(database), with_steps_(with_steps) {}

  void write_times(const std::vector<PlacedOp>& ops) {
    TableSchema schema{"CommAnalyzerTime",
                       {{"hccl_op_name", kT},
                        {"group_name", kT},
                        {"start_timestamp", kN},
                        {"elapse_time", kN},
                        {"transit_time", kN},
                        {"wait_time", kN},
                        {"synchronization_time", kN},
                        {"idle_time", kN}}};
    add_step_columns(schema);
    database_.table(schema, ops.size(), [&](RowSink& sink, std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        auto& row = sink.row();
        const analyze::CommunicationTime& time = ops[i].op->time;
        row.text(ops[i].op->name);
        row.text(ops[i].op->group);
        row.numeric(time.start_us());
        for (const double ms : {time.elapse_ms, time.transit_ms, time.wait_ms,
                                time.synchronization_ms, time.idle_ms}) {
          row.numeric(ms);
        }
        put_step(row, ops[i].step, ops[i].type);
        row.end_row();
      }
    });
  }

  void write_bandwidths(const std::vector<PlacedOp>& ops) {
    TableSchema schema{"CommAnalyzerBandwidth",
                       {{"hccl_op_name", kT},
                        {"group_name", kT},
                        {"transport_type", kT},
                        {"transit_size", kN},
                        {"transit_time", kN},
                        {"bandwidth", kN},
                        {"large_packet_ratio", kN},
                        {"package_size", kN},
                        {"count", kN},
                        {"total_duration", kN}}};
    add_step_columns(schema);
    const std::vector<PacketRow> rows = packet_rows(ops);
    database_.table(schema, rows.size(), [&](RowSink& sink, std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        auto& row = sink.row();
        const PacketRow& packet = rows[i];
        const auto& traffic = packet.op->op->traffic[packet.transport];
        row.text(packet.op->op->name);
        row.text(packet.op->op->group);
        row.text(analyze::transport_name(static_cast<analyze::Transport>(packet.transport)));
        row.numeric(traffic.size_mb);
        row.numeric(traffic.time_ms);
        row.numeric(traffic.bandwidth_gb_s);
        row.numeric(traffic.large_packet_ratio);
        row.numeric(packet.packet.size_mb);
        row.numeric(static_cast<double>(packet.packet.count));
        row.numeric(packet.packet.total_ms);
        put_step(row, packet.op->step, packet.op->type);
        row.end_row();
      }
    });
  }

  void write_links(const std::vector<PlacedLink>& links) {
    TableSchema schema{"CommAnalyzerMatrix",
                       {{"hccl_op_name", kT},
                        {"group_name", kT},
                        {"src_rank", kT},
                        {"dst_rank", kT},
                        {"transport_type", kT},
                        {"transit_size", kN},
                        {"transit_time", kN},
                        {"bandwidth", kN}}};
    add_step_columns(schema);
    if (with_steps_) schema.columns.push_back({"op_name", kT});
    database_.table(schema, links.size(), [&](RowSink& sink, std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        auto& row = sink.row();
        const PlacedLink& placed = links[i];
        row.text(placed.name);
        row.text(placed.group);
        row.text(std::to_string(placed.link.source_rank));
        row.text(std::to_string(placed.link.destination_rank));
        row.text(placed.link.transport);
        row.numeric(placed.link.size_mb);
        row.numeric(placed.link.time_ms);
        row.numeric(placed.link.bandwidth_gb_s);
        put_step(row, placed.step, placed.type);
        if (with_steps_) row.text(placed.op_name);
        row.end_row();
      }
    });
  }

 private:
  struct PacketRow {
    const PlacedOp* op;
    std::size_t transport;
    PacketCount packet;
  };

  // Transports that were not used have no row, those without packets of their own (SDMA) one.
  static std::vector<PacketRow> packet_rows(const std::vector<PlacedOp>& ops) {
    std::vector<PacketRow> rows;
    for (const PlacedOp& op : ops) {
      for (std::size_t i = 0; i < op.op->traffic.size(); ++i) {
        const analyze::Traffic& traffic = op.op->traffic[i];
        if (traffic.size_mb == 0 && traffic.time_ms == 0) continue;
        for (const PacketCount& packet : traffic.packets) rows.push_back({&op, i, packet});
        if (traffic.packets.empty()) rows.push_back({&op, i, {}});
      }
    }
    return rows;
  }

  void add_step_columns(TableSchema& schema) const {
    if (!with_steps_) return;
    schema.columns.push_back({"step", kT});
    schema.columns.push_back({"type", kT});
  }
  void put_step(PageBuilder& row, std::string_view step, std::string_view type) const {
    if (!with_steps_) return;
    row.text(step);
    row.text(type);
  }

  BulkDatabase& database_;
  bool with_steps_;
};

void write_step_times(const trace::Trace& trace, BulkDatabase& database) {
  const std::vector<analyze::StepTime> steps = analyze::step_task_times(trace);
  if (steps.empty()) return;
  database.table({"StepTraceTime",
                  {{"deviceId", Affinity::kInteger},
                   {"step", kT},
                   {"computing", kN},
                   {"communication_not_overlapped", kN},
                   {"overlapped", kN},
                   {"communication", kN},
                   {"free", kN},
                   {"stage", kN},
                   {"bubble", kN},
                   {"communication_not_overlapped_and_exclude_receive", kN},
                   {"preparing", kN}}},
                 steps.size(), [&](RowSink& sink, std::size_t first, std::size_t last) {
                   for (std::size_t i = first; i < last; ++i) {
                     auto& row = sink.row();
                     const analyze::StepTime& step = steps[i];
                     row.integer(step.device);
                     if (step.step) {
                       row.text(std::to_string(*step.step));
                     } else {
                       row.null();
                     }
                     for (const std::int64_t ns :
                          {step.computing_ns, step.not_overlapped_ns, step.overlapped_ns(),
                           step.communication_ns, step.free_ns, step.stage_ns, step.bubble_ns,
                           step.exclude_receive_ns(), step.preparing_ns}) {
                       row.numeric(static_cast<double>(ns) / 1000);
                     }
                     row.end_row();
                   }
                 });
}

void place(std::span<const CommunicationOp* const> ops, std::string_view step,
           std::string_view type, std::vector<PlacedOp>& placed, std::vector<PlacedLink>& links) {
  for (const CommunicationOp* op : ops) placed.push_back({op, step, type});
  for (analyze::LinkSummary& summary : analyze::link_summaries(ops)) {
    links.push_back(
        {std::move(summary.name), summary.group, summary.link, step, type, summary.op_name});
  }
}

}  // namespace

Status write_analysis_database(const trace::Trace& trace, std::span<const CommunicationOp> ops,
                               const std::filesystem::path& path, ThreadPool& pool) {
  NPUPROF_ASSIGN_OR_RETURN(auto database, BulkDatabase::create(path, pool));
  const std::vector<analyze::CommunicationStep> steps = analyze::communication_steps(trace, ops);
  std::vector<PlacedOp> placed;
  std::vector<PlacedLink> links;
  for (const analyze::CommunicationStep& step : steps) {
    place(step.p2p, step.name, "p2p", placed, links);
    place(step.collective, step.name, "collective", placed, links);
  }
  CommunicationTables tables(database, true);
  if (!ops.empty()) {
    tables.write_bandwidths(placed);
    tables.write_links(links);
    tables.write_times(placed);
  }
  write_step_times(trace, database);
  return database.close();
}

Status write_communication_database(std::span<const CommunicationOp> ops,
                                    const std::filesystem::path& path, ThreadPool& pool) {
  if (ops.empty()) return ok_status();
  NPUPROF_ASSIGN_OR_RETURN(auto database, BulkDatabase::create(path, pool));
  std::vector<PlacedOp> placed;
  std::vector<PlacedLink> links;
  for (const CommunicationOp& op : ops) {
    placed.push_back({.op = &op});
    for (const LinkTraffic& link : op.links) {
      links.push_back({.name = op.name, .group = op.group, .link = link});
    }
  }
  CommunicationTables tables(database, false);
  tables.write_times(placed);
  tables.write_bandwidths(placed);
  tables.write_links(links);
  return database.close();
}

}  // namespace npuprof::report::sqlite
