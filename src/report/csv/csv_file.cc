#include "report/csv/csv_file.h"

#include <algorithm>

#include "base/stage_timer.h"

namespace npuprof::report {

Status write_csv(const CsvTarget& target, std::string_view stem, std::string_view header,
                 std::size_t rows, const CsvRows& format, ThreadPool& pool) {
  const StageTimer timer(stem);
  const std::size_t limit = target.rows_per_file;
  const bool sliced = limit != 0 && rows > limit;
  std::size_t number = 0;
  for (std::size_t first = 0; first < rows; ++number) {
    const std::size_t count = sliced ? std::min(limit, rows - first) : rows;
    std::string name(stem);
    if (sliced) name += "_slice_" + std::to_string(number);
    name += target.suffix + ".csv";
    NPUPROF_ASSIGN_OR_RETURN(auto file, ParallelFile::create(target.directory / name, pool));
    file.text(header);
    file.text(target.line_end);
    file.rows(count, [&](TextBuffer& out, std::size_t begin, std::size_t end) {
      format(out, first + begin, first + end);
    });
    NPUPROF_RETURN_IF_ERROR(file.close());
    first += count;
  }
  return ok_status();
}

}  // namespace npuprof::report
