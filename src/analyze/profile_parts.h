#pragma once

// What a profile consists of, as one value per step for each of its parts, so that two profiles can
// be compared with regard to how much steps differ among themselves. Texts are copies: parts
// outlive the trace.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analyze/kernel_class.h"
#include "trace/trace.h"

namespace npuprof::analyze {

// One part; vectors are by step, in the order of ProfileParts::steps. Times in ns.
struct PartSeries {
  std::string key;
  std::string detail;  // Kernels: input shapes.
  // Kernels only. The class by the operator that launched the first of them.
  KernelClass kernel_class = KernelClass::kVector;
  std::uint32_t depth = 0;            // In the tree of overall times; 0 elsewhere.
  std::vector<std::uint64_t> counts;  // Empty where nothing is counted.
  std::vector<std::int64_t> ns;       // On the device; of calls on the host.
  std::vector<std::int64_t> host_ns;  // Operators: host time without what they call.
  std::vector<std::int64_t> bytes;    // Operators: device memory they asked for.

  std::uint64_t total_count() const;
  std::int64_t total_ns() const;
};

// How much of a part (operator or module) is of which kernel, over all steps.
struct PartKernel {
  std::uint32_t part = 0;
  std::uint32_t kernel = 0;
  std::uint64_t count = 0;
  std::int64_t ns = 0;
};

struct ProfileParts {
  std::uint16_t device = 0;  // The one with most kernels: all device times are of it alone.
  std::size_t device_count = 0;
  std::vector<std::int64_t> steps;  // Numbers; empty if the profile has none: all of it is one.
  bool is_foreign = false;          // Kernels are not those of an NPU.

  // Computing, communication, free, whole; parts below them by depth. Fixed keys, so that those of
  // two profiles belong together whatever groups and kernels they have.
  std::vector<PartSeries> overall;
  std::vector<PartSeries> kernels;         // By (type, input shapes).
  std::vector<PartSeries> kernel_types;    // By type.
  std::vector<PartSeries> kernel_classes;  // All KernelClasses.
  // By name: what operators launch themselves, or through others that the program did not call.
  std::vector<PartSeries> operators;
  std::vector<PartSeries> modules;           // By path.
  std::vector<PartSeries> collectives;       // By type.
  std::vector<PartSeries> calls;             // By name, of CANN or the driver.
  std::vector<PartKernel> operator_kernels;  // By (part, kernel).
  std::vector<PartKernel> module_kernels;
  // The most at a time, by step; empty if memory was not recorded.
  std::vector<std::int64_t> allocated_bytes;
  std::vector<std::int64_t> reserved_bytes;

  std::size_t step_count() const { return steps.empty() ? 1 : steps.size(); }
};

// Of all steps that used the device. What lies outside of steps is left out.
ProfileParts profile_parts(const trace::Trace& trace);

// Positions of steps for things that happened on the device and on the host.
class StepPlaces {
 public:
  explicit StepPlaces(const trace::Trace& trace);
  ~StepPlaces();
  StepPlaces(const StepPlaces&) = delete;
  StepPlaces& operator=(const StepPlaces&) = delete;

  const std::vector<std::int64_t>& ids() const { return ids_; }
  std::size_t count() const { return ids_.empty() ? 1 : ids_.size(); }
  // kNone = outside of all.
  std::uint32_t of_device_time(std::int64_t time_ns) const;
  std::uint32_t of_host_time(std::int64_t time_ns) const;

 private:
  struct Finder;
  std::unique_ptr<Finder> finder_;
  std::vector<std::int64_t> ids_;
};

// The tree of overall times, for profile_parts().
std::vector<PartSeries> overall_parts(const trace::Trace& trace, std::uint16_t device,
                                      const StepPlaces& places,
                                      const std::vector<StringId>& operator_of_task);

}  // namespace npuprof::analyze
