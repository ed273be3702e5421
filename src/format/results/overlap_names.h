#pragma once

// What intervals of computing, communication and neither are called in results.

#include <array>
#include <string_view>

namespace npuprof::format::results {

struct OverlapName {
  std::string_view shown;   // In timelines.
  std::string_view stored;  // In databases.
};

// By trace::OverlapKind.
inline constexpr std::array kOverlapNames{
    OverlapName{"Computing", "COMPUTE"},
    OverlapName{"Communication", "COMMUNICATION"},
    OverlapName{"Communication(Not Overlapped)", "COMM_NOT_OVERLAP_COMP"},
    OverlapName{"Free", "FREE"},
};

}  // namespace npuprof::format::results
