#include "measure.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <random>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"

namespace npuprof::bench {

namespace fs = std::filesystem;

Result<WorkDirectory> WorkDirectory::create(const fs::path& parent, std::string_view name) {
  NPUPROF_RETURN_IF_ERROR(make_directories(parent));
  std::string path = (parent / name).native() + "-XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) return Error::from_errno("cannot create", path, errno);
  return WorkDirectory(std::move(path));
}

WorkDirectory::~WorkDirectory() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

std::uint64_t bytes_below(const fs::path& directory) {
  std::uint64_t bytes = 0;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory, ignored)) {
    if (entry.is_regular_file(ignored)) bytes += entry.file_size(ignored);
  }
  return bytes;
}

void settle(const fs::path& directory) {
  const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::syncfs(descriptor);
  ::close(descriptor);
}

WriteTime better(const WriteTime& a, const WriteTime& b) {
  return {std::min(a.wall_s, b.wall_s), std::min(a.cpu_s, b.cpu_s)};
}

Result<WriteTime> write_time(const fs::path& parent, std::uint64_t bytes) {
  std::string block(1 << 20, '\0');
  std::minstd_rand random(1);  // Bytes a file system cannot compress away.
  for (char& c : block) c = static_cast<char>(random() >> 8);
  NPUPROF_ASSIGN_OR_RETURN(const WorkDirectory directory, WorkDirectory::create(parent, "floor"));
  settle(directory.path());
  const Stopwatch watch;
  NPUPROF_ASSIGN_OR_RETURN(FileWriter writer, FileWriter::create(directory.path() / "block.data"));
  while (bytes > 0) {
    const std::uint64_t size = std::min<std::uint64_t>(bytes, block.size());
    writer.write(std::string_view(block).substr(0, size));
    bytes -= size;
  }
  NPUPROF_RETURN_IF_ERROR(writer.close());
  return WriteTime{watch.wall_s(), watch.cpu_s()};
}

}  // namespace npuprof::bench
