#include "report/sqlite/cann_tables.h"

namespace npuprof::report::sqlite {
namespace {

constexpr auto kI = Affinity::kInteger;
constexpr auto kN = Affinity::kNumeric;

}  // namespace

void write_sample_tables(const trace::Trace& trace, DatabaseStrings& strings,
                         BulkDatabase& database) {
  const auto& frequencies = trace.frequencies;
  std::vector<std::uint32_t> core_clock;  // Rows that are frequencies, not voltages.
  for (std::uint32_t i = 0; i < frequencies.size(); ++i) {
    if (frequencies.kind[i] == 0) core_clock.push_back(i);
  }
  if (!core_clock.empty()) {
    database.table(
        {"AICORE_FREQ", {{"deviceId", kI}, {"timestampNs", kN}, {"freq", kI}, {"dieId", kN}}},
        core_clock.size(), [&](RowSink& sink, std::size_t first, std::size_t last) {
          for (std::size_t i = first; i < last; ++i) {
            auto& row = sink.row();
            row.integer(frequencies.device[core_clock[i]]);
            row.integer(frequencies.time_ns[core_clock[i]]);
            row.integer(frequencies.value[core_clock[i]]);
            row.integer(-1);
            row.end_row();
          }
        });
  }
  const auto& memory = trace.device_memory;
  if (memory.size() > 0) {
    const std::int64_t types[] = {strings.id("app"), strings.id("device")};
    database.table(
        {"NPU_MEM",
         {{"type", kI}, {"ddr", kN}, {"hbm", kN}, {"timestampNs", kI}, {"deviceId", kI}}},
        memory.size(), [&](RowSink& sink, std::size_t first, std::size_t last) {
          for (std::size_t i = first; i < last; ++i) {
            auto& row = sink.row();
            row.integer(types[memory.event[i] != 0 ? 1 : 0]);
            row.integer(static_cast<std::int64_t>(memory.ddr_bytes[i]));
            row.integer(static_cast<std::int64_t>(memory.hbm_bytes[i]));
            row.integer(memory.time_ns[i]);
            row.integer(memory.device[i]);
            row.end_row();
          }
        });
  }
  const auto& modules = trace.module_memory;
  if (modules.size() > 0) {
    database.table(
        {"NPU_MODULE_MEM",
         {{"moduleId", kI}, {"timestampNs", kI}, {"totalReserved", kN}, {"deviceId", kI}}},
        modules.size(), [&](RowSink& sink, std::size_t first, std::size_t last) {
          for (std::size_t i = first; i < last; ++i) {
            auto& row = sink.row();
            row.integer(modules.module[i]);
            row.integer(modules.time_ns[i]);
            row.integer(modules.reserved_bytes[i]);
            row.integer(modules.device[i]);
            row.end_row();
          }
        });
  }
  const auto& operators = trace.operator_memory;
  if (operators.size() > 0) {
    strings.use(operators.op_name);
    const std::int64_t allocate = strings.id("allocate");
    const std::int64_t release = strings.id("release");
    const std::int64_t component = strings.id("GE");
    database.table({"NPU_OP_MEM",
                    {{"operatorName", kI},
                     {"addr", kI},
                     {"type", kI},
                     {"size", kI},
                     {"timestampNs", kI},
                     {"globalTid", kI},
                     {"totalAllocate", kN},
                     {"totalReserve", kN},
                     {"component", kI},
                     {"deviceId", kI}}},
                   operators.size(), [&](RowSink& sink, std::size_t first, std::size_t last) {
                     for (std::size_t i = first; i < last; ++i) {
                       auto& row = sink.row();
                       row.integer(strings.id(operators.op_name[i]));
                       row.integer(static_cast<std::int64_t>(operators.address[i]));
                       row.integer(operators.size_bytes[i] < 0 ? release : allocate);
                       row.integer(operators.size_bytes[i] < 0 ? -operators.size_bytes[i]
                                                               : operators.size_bytes[i]);
                       row.integer(operators.time_ns[i]);
                       row.integer(global_tid(trace.session.pid, operators.tid[i]));
                       row.integer(static_cast<std::int64_t>(operators.total_allocated_bytes[i]));
                       row.integer(static_cast<std::int64_t>(operators.total_reserved_bytes[i]));
                       row.integer(component);
                       row.integer(operators.device[i]);
                       row.end_row();
                     }
                   });
  }
}

}  // namespace npuprof::report::sqlite
