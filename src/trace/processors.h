#pragma once

// What was sampled of CPUs, memory and processes: of the host, and of the operating system that
// runs on a device.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/table.h"

namespace npuprof::trace {

// In `device` columns of the tables below: the host.
inline constexpr std::uint16_t kHostDevice = 0xFFFF;

enum class CpuKind : std::uint8_t {
  kAi,         // CPUs of the device that run kernels.
  kControl,    // Those that run its operating system.
  kScheduler,  // The one of the task scheduler.
  kHost,
};

// How long CPUs did what, in jiffies since the machine was started; all CPUs of a kind together.
struct SystemCpuTimes {
  std::vector<std::int64_t> time_ns;
  std::vector<std::uint16_t> device;
  std::vector<std::uint8_t> cpu_kind;  // CpuKind.
  std::vector<std::uint64_t> user;
  std::vector<std::uint64_t> system;
  std::vector<std::uint64_t> io_wait;
  std::vector<std::uint64_t> irq;
  std::vector<std::uint64_t> soft_irq;
  std::vector<std::uint64_t> idle;
  std::vector<std::uint64_t> total;  // With times that have no column of their own.

  std::size_t size() const { return time_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("time_ns", self.time_ns);
    visit("device", self.device);
    visit("cpu_kind", self.cpu_kind);
    visit("user", self.user);
    visit("system", self.system);
    visit("io_wait", self.io_wait);
    visit("irq", self.irq);
    visit("soft_irq", self.soft_irq);
    visit("idle", self.idle);
    visit("total", self.total);
  }
};

// CPU time of a process, in jiffies since it began.
struct ProcessCpuTimes {
  std::vector<std::int64_t> time_ns;
  std::vector<std::uint16_t> device;
  std::vector<std::uint32_t> pid;
  std::vector<StringId> name;
  std::vector<std::uint64_t> used;
  std::vector<std::uint64_t> machine;  // Of all CPUs since the machine was started, busy or not.

  std::size_t size() const { return time_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("time_ns", self.time_ns);
    visit("device", self.device);
    visit("pid", self.pid);
    visit("name", self.name);
    visit("used", self.used);
    visit("machine", self.machine);
  }
};

// Memory of a whole machine.
struct SystemMemory {
  std::vector<std::int64_t> time_ns;
  std::vector<std::uint16_t> device;
  std::vector<std::uint64_t> total_kb;
  std::vector<std::uint64_t> free_kb;
  std::vector<std::uint64_t> buffers_kb;
  std::vector<std::uint64_t> cached_kb;
  std::vector<std::uint64_t> shared_kb;
  std::vector<std::uint64_t> commit_limit_kb;
  std::vector<std::uint64_t> committed_kb;
  std::vector<std::uint64_t> huge_pages_total;
  std::vector<std::uint64_t> huge_pages_free;

  std::size_t size() const { return time_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("time_ns", self.time_ns);
    visit("device", self.device);
    visit("total_kb", self.total_kb);
    visit("free_kb", self.free_kb);
    visit("buffers_kb", self.buffers_kb);
    visit("cached_kb", self.cached_kb);
    visit("shared_kb", self.shared_kb);
    visit("commit_limit_kb", self.commit_limit_kb);
    visit("committed_kb", self.committed_kb);
    visit("huge_pages_total", self.huge_pages_total);
    visit("huge_pages_free", self.huge_pages_free);
  }
};

struct ProcessMemory {
  std::vector<std::int64_t> time_ns;
  std::vector<std::uint16_t> device;
  std::vector<std::uint32_t> pid;
  std::vector<StringId> name;
  std::vector<std::uint64_t> size_pages;
  std::vector<std::uint64_t> resident_pages;
  std::vector<std::uint64_t> shared_pages;

  std::size_t size() const { return time_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("time_ns", self.time_ns);
    visit("device", self.device);
    visit("pid", self.pid);
    visit("name", self.name);
    visit("size_pages", self.size_pages);
    visit("resident_pages", self.resident_pages);
    visit("shared_pages", self.shared_pages);
  }
};

// Counter samples of CPUs of a device: how often an event occurred since the sample before, and
// which function it was in.
struct CpuSamples {
  std::vector<std::int64_t> time_ns;
  std::vector<std::uint16_t> device;
  std::vector<std::uint8_t> cpu_kind;  // CpuKind.
  std::vector<std::uint32_t> event;    // Number of the CPU's event.
  std::vector<std::uint64_t> count;
  std::vector<StringId> function;  // Of the scheduler its address.
  std::vector<StringId> module;

  std::size_t size() const { return time_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("time_ns", self.time_ns);
    visit("device", self.device);
    visit("cpu_kind", self.cpu_kind);
    visit("event", self.event);
    visit("count", self.count);
    visit("function", self.function);
    visit("module", self.module);
  }
};

}  // namespace npuprof::trace
