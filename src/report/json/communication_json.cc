#include "report/json/communication_json.h"

#include <string>
#include <vector>

#include "base/file.h"
#include "base/json_writer.h"
#include "base/units.h"
#include "format/results/file_names.h"

namespace npuprof::report {
namespace {

using analyze::CommunicationOp;
using analyze::LinkSummary;
using analyze::LinkTraffic;
using OpPointers = std::vector<const CommunicationOp*>;

std::string key_of(const auto& op) { return op.name + "@" + std::string(result_text(op.group)); }

void put_collective_time(JsonWriter& json, const analyze::CommunicationTime& time,
                         bool with_start) {
  json.key("Communication Time Info").begin_object();
  if (with_start) json.member("Start Timestamp(us)", time.start_us());
  json.member("Elapse Time(ms)", time.elapse_ms).member("Transit Time(ms)", time.transit_ms);
  json.member("Wait Time(ms)", time.wait_ms);
  json.member("Synchronization Time(ms)", time.synchronization_ms);
  json.member("Idle Time(ms)", time.idle_ms).member("Wait Time Ratio", time.wait_ratio);
  json.member("Synchronization Time Ratio", time.synchronization_ratio).end_object();
}

void put_traffic(JsonWriter& json, const analyze::TrafficByTransport& traffic) {
  json.key("Communication Bandwidth Info").begin_object();
  for (std::size_t i = 0; i < traffic.size(); ++i) {
    json.key(analyze::transport_name(static_cast<analyze::Transport>(i))).begin_object();
    json.member("Transit Size(MB)", traffic[i].size_mb);
    json.member("Transit Time(ms)", traffic[i].time_ms);
    json.member("Bandwidth(GB/s)", traffic[i].bandwidth_gb_s);
    json.member("Large Packet Ratio", traffic[i].large_packet_ratio);
    json.key("Size Distribution").begin_object();
    for (const analyze::PacketCount& packet : traffic[i].packets) {
      std::string size;
      append_double(size, packet.size_mb);
      json.key(size).begin_array().value(packet.count).value(packet.total_ms).end_array();
    }
    json.end_object().end_object();
  }
  json.end_object();
}

void put_op(JsonWriter& json, std::string_view key, const CommunicationOp& op, bool with_start) {
  json.key(key).begin_object();
  put_collective_time(json, op.time, with_start);
  put_traffic(json, op.traffic);
  json.end_object();
}

void put_class(JsonWriter& json, const char* name, const OpPointers& ops) {
  json.key(name).begin_object();
  for (const CommunicationOp* op : ops) put_op(json, key_of(*op), *op, true);
  if (!ops.empty()) put_op(json, "Total Op Info", analyze::total_of(ops), false);
  json.end_object();
}

constexpr const char* kOpName = "Op Name";
constexpr const char* kMindSporeOpName = "op_name";

void put_link(JsonWriter& json, const LinkTraffic& link, std::string_view op_name,
              const char* name_key = kOpName) {
  json.key(std::to_string(link.source_rank) + "-" + std::to_string(link.destination_rank));
  json.begin_object().member("Transport Type", link.transport);
  json.member("Transit Size(MB)", link.size_mb).member("Transit Time(ms)", link.time_ms);
  json.member("Bandwidth(GB/s)", link.bandwidth_gb_s);
  if (!op_name.empty()) json.member(name_key, op_name);
  json.end_object();
}

void put_matrix_class(JsonWriter& json, const char* name, const OpPointers& ops,
                      trace::Framework framework) {
  json.key(name).begin_object();
  const std::vector<LinkSummary> rows = analyze::link_summaries(ops, framework);
  const bool is_mindspore = framework == trace::Framework::kMindSpore;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto starts = [&](std::size_t row) {
      return row == 0 || rows[row].name != rows[row - 1].name ||
             rows[row].group != rows[row - 1].group;
    };
    if (starts(i)) {
      if (i > 0) json.end_object();
      json.key(key_of(rows[i])).begin_object();
    }
    put_link(json, rows[i].link, rows[i].op_name, is_mindspore ? kMindSporeOpName : kOpName);
  }
  if (!rows.empty()) json.end_object();
  json.end_object();
}

std::string matrix_of_all(std::span<const CommunicationOp> ops) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  for (const CommunicationOp& op : ops) {
    json.key(key_of(op)).begin_object();
    for (const LinkTraffic& link : op.links) put_link(json, link, "");
    json.end_object();
  }
  json.key("Total HCCL Operators").begin_object();
  for (const LinkTraffic& link : analyze::total_links(ops)) put_link(json, link, "");
  json.end_object().end_object();
  return text;
}

}  // namespace

Status write_framework_communication(const analyze::SharedResults& results,
                                     const std::filesystem::path& directory) {
  if (results.communication().empty()) return ok_status();
  const trace::Framework framework = results.trace().session.framework;
  std::string times;
  std::string matrix;
  JsonWriter times_json(times);
  JsonWriter matrix_json(matrix);
  times_json.begin_object();
  matrix_json.begin_object();
  for (const analyze::CommunicationStep& step : results.communication_steps()) {
    times_json.key(step.name).begin_object();
    put_class(times_json, "p2p", step.p2p);
    put_class(times_json, "collective", step.collective);
    times_json.end_object();
    if (step.p2p.empty() && step.collective.empty()) continue;
    matrix_json.key(step.name).begin_object();
    put_matrix_class(matrix_json, "p2p", step.p2p, framework);
    put_matrix_class(matrix_json, "collective", step.collective, framework);
    matrix_json.end_object();
  }
  times_json.end_object();
  matrix_json.end_object();
  NPUPROF_RETURN_IF_ERROR(write_file(directory / format::results::kCommunicationFile, times));
  return write_file(directory / format::results::kCommunicationMatrixFile, matrix);
}

Status write_cann_communication(std::span<const CommunicationOp> ops,
                                const std::filesystem::path& directory) {
  if (ops.empty()) return ok_status();
  std::string times;
  JsonWriter json(times);
  OpPointers all;
  json.begin_object();
  for (const CommunicationOp& op : ops) {
    put_op(json, key_of(op), op, true);
    all.push_back(&op);
  }
  put_op(json, "Total HCCL Operators", analyze::total_of(all), true);
  json.end_object();
  NPUPROF_RETURN_IF_ERROR(write_file(directory / format::results::kCommunicationFile, times));
  return write_file(directory / format::results::kCommunicationMatrixFile, matrix_of_all(ops));
}

}  // namespace npuprof::report
