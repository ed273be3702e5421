#pragma once

// Tables of a database about calls and marks of the host.

#include "format/results/column.h"

namespace npuprof::format::results {

namespace cann_api {
inline constexpr std::string_view kTable = "CANN_API";
inline constexpr StoredColumn kStart{"startNs", kI, Unit::kTimeNs};
inline constexpr StoredColumn kEnd{"endNs", kI, Unit::kTimeNs};
inline constexpr StoredColumn kType{"type", kI};
inline constexpr StoredColumn kThread{"globalTid", kI};
inline constexpr StoredColumn kConnection = key_column("connectionId");
inline constexpr StoredColumn kName = text_id_column("name");
}  // namespace cann_api

namespace mstx_events {
inline constexpr std::string_view kTable = "MSTX_EVENTS";
inline constexpr StoredColumn kStart{"startNs", kI, Unit::kTimeNs};
inline constexpr StoredColumn kEnd{"endNs", kI, Unit::kTimeNs};
inline constexpr StoredColumn kType{"eventType", kI};
inline constexpr StoredColumn kRange{"rangeId", kI};
inline constexpr StoredColumn kCategory{"category", kI};
inline constexpr StoredColumn kMessage = text_id_column("message");
inline constexpr StoredColumn kThread{"globalTid", kI};
inline constexpr StoredColumn kEndThread{"endGlobalTid", kI};
inline constexpr StoredColumn kDomain = text_id_column("domainId");
inline constexpr StoredColumn kConnection{"connectionId", kI};

// Connections of marks that a device saw are numbered above this one, which means "none".
inline constexpr std::int64_t kNoConnection = 4000000000;
}  // namespace mstx_events

}  // namespace npuprof::format::results
