#pragma once

#include <cstdint>
#include <string_view>

#include "format/host/levels.h"
#include "trace/host/api_calls.h"
#include "trace/host/captured_ops.h"
#include "trace/host/captured_streams.h"
#include "trace/host/collective_infos.h"
#include "trace/host/collective_task_infos.h"
#include "trace/host/context_ids.h"
#include "trace/host/copy_infos.h"
#include "trace/host/node_attributes.h"
#include "trace/host/node_infos.h"
#include "trace/host/node_tensors.h"
#include "trace/host/task_tracks.h"
#include "trace/trace.h"

namespace npuprof::link::testing {

// Writes the host tables of a Trace by hand. Rows of a table must be added in time order.
class HostTrace {
 public:
  HostTrace() {
    trace_.session.level = trace::Level::kLevel1;
    trace_.session.chip = 5;
    trace_.session.driver_version = 0x072211;
  }

  trace::Trace& trace() { return trace_; }
  StringId text(std::string_view value) { return trace_.strings.intern(value); }
  std::string_view text(StringId id) const { return trace_.strings.view(id); }

  std::uint32_t tid = 7;  // Of the rows added next.

  std::uint32_t call(std::uint16_t level, std::int64_t start, std::int64_t end,
                     std::string_view item = {}, std::string_view name = {}) {
    auto& calls = trace_.api_calls();
    add_row(calls);
    calls.start_ns.back() = start;
    calls.end_ns.back() = end;
    calls.level.back() = level;
    calls.name.back() = text(name);
    calls.item_name.back() = text(item);
    return last_row(calls);
  }
  std::uint32_t acl(std::int64_t start, std::int64_t end, std::string_view name = "aclnnAdd") {
    return call(format::host::kLevelAcl, start, end, {}, name);
  }
  std::uint32_t node(std::int64_t start, std::int64_t end, std::string_view item,
                     std::string_view name = "launch") {
    return call(format::host::kLevelNode, start, end, item, name);
  }
  std::uint32_t hccl(std::int64_t start, std::int64_t end, std::string_view item,
                     std::string_view name = "master") {
    return call(format::host::kLevelHccl, start, end, item, name);
  }
  std::uint32_t model(std::int64_t start, std::int64_t end, std::uint32_t model_id,
                      std::uint32_t request_id) {
    const std::uint32_t row = call(format::host::kLevelModel, start, end, {}, "ModelExecute");
    trace_.api_calls().item[row] = model_id;
    trace_.api_calls().request_id[row] = request_id;
    return row;
  }

  std::uint32_t track(std::int64_t time, std::uint16_t stream, std::uint32_t task,
                      format::host::TaskType type, std::string_view kernel = {}) {
    auto& tracks = trace_.task_tracks();
    add_row(tracks);
    tracks.time_ns.back() = time;
    tracks.stream.back() = stream;
    tracks.task.back() = task;
    tracks.type.back() = static_cast<std::uint16_t>(type);
    tracks.type_name.back() = text(format::host::task_type_name(tracks.type.back()));
    tracks.kernel_name.back() = text(kernel);
    tracks.model_id.back() = trace::kNone;
    return last_row(tracks);
  }
  void flip(std::int64_t time, std::uint16_t stream, std::uint32_t task, std::uint16_t number) {
    track(time, stream, task, format::host::TaskType::kFlip);
    trace_.task_tracks().batch.back() = number;
  }

  std::uint32_t node_info(std::int64_t time, std::string_view op_name, std::string_view op_type,
                          std::uint32_t task_type = 0, std::uint16_t blocks = 8,
                          std::uint16_t ratio = 0) {
    auto& infos = trace_.node_infos();
    add_row(infos);
    infos.time_ns.back() = time;
    infos.op_name.back() = text(op_name);
    infos.op_type.back() = text(op_type);
    infos.task_type.back() = task_type;
    infos.block_num.back() = blocks;
    infos.mix_ratio.back() = ratio;
    infos.op_flag.back() = 1;
    return last_row(infos);
  }
  std::uint32_t tensors(std::int64_t time, std::string_view op_name, std::string_view shapes) {
    auto& table = trace_.node_tensors();
    add_row(table);
    table.time_ns.back() = time;
    table.op_name.back() = text(op_name);
    table.input_shapes.back() = text(shapes);
    return last_row(table);
  }
  void attributes(std::int64_t time, std::string_view op_name, std::string_view value) {
    auto& table = trace_.node_attributes();
    add_row(table);
    table.time_ns.back() = time;
    table.op_name.back() = text(op_name);
    table.attributes.back() = text(value);
  }
  void context(std::int64_t time, std::uint16_t level, std::string_view op_name,
               std::uint32_t context_id) {
    auto& table = trace_.context_ids();
    add_row(table);
    table.time_ns.back() = time;
    table.level.back() = level;
    table.op_name.back() = text(op_name);
    table.context.back() = context_id;
  }
  std::uint32_t collective_info(std::int64_t time, std::string_view group) {
    auto& table = trace_.collective_infos();
    add_row(table);
    table.time_ns.back() = time;
    table.group.back() = text(group);
    return last_row(table);
  }
  std::uint32_t collective_task(std::int64_t time, std::string_view name,
                                std::uint32_t context_id = trace::kNone) {
    auto& table = trace_.collective_task_infos();
    add_row(table);
    table.time_ns.back() = time;
    table.name.back() = text(name);
    table.context.back() = context_id;
    return last_row(table);
  }
  void copy(std::int64_t time, std::uint64_t bytes, std::uint64_t max_bytes,
            std::uint16_t direction) {
    auto& table = trace_.copy_infos();
    add_row(table);
    table.time_ns.back() = time;
    table.size_bytes.back() = bytes;
    table.max_task_bytes.back() = max_bytes;
    table.direction.back() = direction;
  }
  void captured_stream(std::int64_t time, std::uint16_t stream, std::uint16_t model_id,
                       std::uint16_t status) {
    auto& table = trace_.captured_streams();
    trace::resize_rows(table, table.size() + 1);
    table.time_ns.back() = time;
    table.stream.back() = stream;
    table.model_id.back() = model_id;
    table.status.back() = status;
  }
  std::uint32_t captured_op(std::uint32_t stream, std::uint32_t task, std::string_view op_name) {
    auto& table = trace_.captured_ops();
    trace::resize_rows(table, table.size() + 1);
    table.stream.back() = stream;
    table.task.back() = task;
    table.op_name.back() = text(op_name);
    table.op_type.back() = text("Captured");
    table.block_num.back() = 4;
    return last_row(table);
  }

 private:
  template <typename Table>
  void add_row(Table& table) {
    trace::resize_rows(table, table.size() + 1);
    table.tid.back() = tid;
  }
  template <typename Table>
  static std::uint32_t last_row(const Table& table) {
    return static_cast<std::uint32_t>(table.size() - 1);
  }

  trace::Trace trace_;
};

}  // namespace npuprof::link::testing
