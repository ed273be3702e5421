#pragma once

// What the advisor finds: a fact about the profile that costs time, with the rows it is derived
// from.

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace npuprof::analyze {

enum class EvidenceKind : std::uint8_t { kText, kCount, kTime, kMoment, kBytes, kShare, kReal };

struct EvidenceColumn {
  std::string key;    // For programs.
  std::string title;  // For people.
  EvidenceKind kind = EvidenceKind::kText;
  std::string unit = {};  // kReal only.
};

// Text; counts, ns and bytes; shares and reals.
using EvidenceCell = std::variant<std::string, std::int64_t, double>;

struct Evidence {
  std::vector<EvidenceColumn> columns;
  std::vector<std::vector<EvidenceCell>> rows;  // Worst first, each with all columns.
};

// By the share of the device's time that could be gained.
enum class Severity : std::uint8_t { kHigh, kMedium, kLow };
std::string_view severity_name(Severity severity);

struct Finding {
  std::string_view name;  // That of the check.
  Severity severity = Severity::kLow;
  std::string sentence;      // What is the case.
  std::string action;        // What to do about it.
  std::int64_t gain_ns = 0;  // Of all steps, estimated, at most; 0 = not known.
  Evidence evidence;
};

}  // namespace npuprof::analyze
