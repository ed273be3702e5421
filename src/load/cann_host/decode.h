#pragma once

// What the decoders of host records share. Each of them fills one table on a thread of its own.

#include <cstddef>
#include <span>
#include <utility>

#include "load/cann_host/host_clock.h"
#include "load/cann_host/host_files.h"
#include "load/cann_host/host_names.h"
#include "trace/losses.h"
#include "trace/table.h"

namespace npuprof::load {

struct DecodeContext {
  const HostFiles& files;
  const HostClock& clock;
  bool has_wide_task_ids;  // Chips 15 and 16: 32-bit task ids, no flips.
  Names names;
  trace::Losses& losses;
};

// Decodes a kind with one row per record at most. `fill(record, slice, row)` writes the columns of
// `row` and returns whether to keep it.
template <format::Record T, trace::Columnar Table, typename Fill>
void decode_rows(DecodeContext& context, const format::host::RecordKind& kind, Table& table,
                 Fill&& fill) {
  const auto slices = context.files.open(kind, context.losses);
  std::size_t row = table.size();
  trace::resize_rows(table, row + count_records(slices, sizeof(T)));
  for_each_host_record<T>(slices, RecordMark::kChecked, context.losses,
                          [&](const T& record, const HostSlice& slice) {
                            if (fill(record, slice, row)) ++row;
                          });
  trace::resize_rows(table, row);
}

// Decodes a kind with any number of rows per record. `add(record, slice)` appends them.
template <format::Record T, typename Add>
void decode_lists(DecodeContext& context, const format::host::RecordKind& kind, Add&& add) {
  const auto slices = context.files.open(kind, context.losses);
  for_each_host_record<T>(slices, RecordMark::kChecked, context.losses, add);
}

}  // namespace npuprof::load
