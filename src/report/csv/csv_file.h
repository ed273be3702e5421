#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/thread_pool.h"
#include "report/text/parallel_file.h"

namespace npuprof::report {

// Where the CSV files of one export go and how they are named and ended.
struct CsvTarget {
  std::filesystem::path directory;
  std::string suffix;                // Between the stem and ".csv", such as "_20250109101530".
  std::string_view line_end = "\n";  // CANN's own files; those of frameworks end with "\r\n".
  std::size_t rows_per_file = 0;     // More rows go to "stem_slice_<n>suffix.csv"; 0 = never.
};

// Formats the rows [first, last); each with its line end.
using CsvRows = ParallelFile::Format;

// Writes a table. Without rows there is no file.
Status write_csv(const CsvTarget& target, std::string_view stem, std::string_view header,
                 std::size_t rows, const CsvRows& format, ThreadPool& pool);

}  // namespace npuprof::report
