#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyze/duration_summary.h"
#include "analyze/operator_rows.h"
#include "trace/trace.h"

namespace npuprof::analyze {

// What kernels of one group have in common, apart from the device.
enum class KernelKey : std::uint8_t {
  kType,   // Type and core.
  kShape,  // That, and shapes and data types of the inputs.
  kName,
  // Kernels that are expected to take equal time: as kShape, and where shapes are not known, of one
  // name as well.
  kAlike,
};

// Kernels added up. Texts that do not tell groups apart are empty, but for type and core of kName,
// which are those of its first kernel.
struct KernelGroup {
  std::uint16_t device = 0;
  StringId name{};  // Of kName; also of kernels without a type, or of kAlike without shapes.
  StringId type{};
  StringId core_type{};
  StringId input_shapes{};
  StringId input_dtypes{};
  DurationSummary times;     // `longest` is a row of the OperatorRows.
  std::int64_t wait_ns = 0;  // For what ran before them on the device.
  double share = 0;          // Of the time of all kernels of the device, 0 to 1.
};

// Compute kernels, by device and falling total. Collectives are left out.
std::vector<KernelGroup> kernel_groups(const trace::Trace& trace, const OperatorRows& rows,
                                       KernelKey key);

// Compute kernels of one module of the model.
struct ModuleKernels {
  std::uint16_t device = 0;
  std::string module;  // Class names from the outermost inwards; empty = of none that is known.
  DurationSummary times;
  std::int64_t wait_ns = 0;
  double share = 0;
};

// By device and falling total. Nothing if the profile tells of no module.
std::vector<ModuleKernels> kernels_by_module(const trace::Trace& trace, const OperatorRows& rows);

// Whether the slowest call is far from what is usual: more than three times the median of at least
// five calls.
bool has_outlier(const DurationSummary& times);

}  // namespace npuprof::analyze
