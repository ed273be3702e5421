#pragma once

#include <filesystem>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "temporary_directory.h"

namespace npuprof::testing {

enum class MemoryDevice { kNull = 3, kFull = 7 };

// A device to write to. The superuser, who could replace the one of the system by mistake, gets one
// of his own; empty if that is not allowed in the folder.
inline std::string device_to_write(const TemporaryDirectory& folder, MemoryDevice device) {
  const std::string name = device == MemoryDevice::kNull ? "null" : "full";
  if (::geteuid() != 0) return "/dev/" + name;
  constexpr unsigned kMemoryDevices = 1;
  std::string path = folder / name;
  const dev_t number = ::makedev(kMemoryDevices, static_cast<unsigned>(device));
  if (::mknod(path.c_str(), S_IFCHR | 0600, number) != 0) return "";
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return "";
  ::close(descriptor);
  return path;
}

}  // namespace npuprof::testing
