#include "report/json/memory_timeline_json.h"

#include <cstdint>

#include "report/text/parallel_file.h"

namespace npuprof::report {
namespace {

TextBuffer& separate(TextBuffer& out, std::size_t row) { return out.text(row > 0 ? ", " : ""); }

}  // namespace

Status write_memory_changes(const analyze::MemoryChanges& changes,
                            const std::filesystem::path& path, ThreadPool& pool) {
  NPUPROF_ASSIGN_OR_RETURN(auto file, ParallelFile::create(path, pool));
  file.text("[");
  file.rows(changes.size(), [&](TextBuffer& out, std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; ++row) {
      const bool is_old = changes.time_ns[row] == analyze::kBeforeProfile;
      separate(out, row).character('[');
      out.integer(is_old ? std::int64_t{-1} : changes.time_ns[row]).text(", ");
      out.integer(static_cast<int>(changes.action[row])).text(", ");
      out.integer(changes.bytes[row]).text(", ");
      out.integer(static_cast<int>(changes.category[row])).character(']');
    }
  });
  file.text("]");
  return file.close();
}

Status write_memory_timeline(const analyze::MemoryTimeline& timeline,
                             const std::filesystem::path& path, ThreadPool& pool) {
  NPUPROF_ASSIGN_OR_RETURN(auto file, ParallelFile::create(path, pool));
  file.text("[[");
  file.rows(timeline.size(), [&](TextBuffer& out, std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; ++row) {
      separate(out, row).integer(timeline.time_us[row]);
    }
  });
  file.text("], [");
  file.rows(timeline.size(), [&](TextBuffer& out, std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; ++row) {
      separate(out, row).text("[0");
      for (const std::int64_t bytes : timeline.bytes[row]) out.text(", ").integer(bytes);
      out.character(']');
    }
  });
  file.text("]]");
  return file.close();
}

}  // namespace npuprof::report
