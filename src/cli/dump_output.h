#pragma once

// Pieces of files as lines, for people or as JSON.

#include <filesystem>
#include <memory>
#include <string>

#include "format/catalog.h"

namespace npuprof::cli {

class DumpOutput {
 public:
  virtual ~DumpOutput() = default;
  DumpOutput() = default;
  DumpOutput(const DumpOutput&) = delete;
  DumpOutput& operator=(const DumpOutput&) = delete;

  // Before the pieces of a file; `is_alone` if no other file is shown.
  virtual void begin_file(const std::string& path, const format::FileKind& kind,
                          std::size_t size_bytes, bool is_alone) = 0;
  // False once nothing can be written any more.
  bool add(const format::Piece& piece);
  void flush();

 protected:
  virtual void append(const format::Piece& piece, std::string& out) = 0;
  std::string& buffer() { return buffer_; }

 private:
  std::string buffer_;
};

// A line for each piece: "offset kind name=value ...". With `raw` its bytes are in the line, too.
std::unique_ptr<DumpOutput> make_text_dump(bool raw);

// A JSON object on a line for each piece.
std::unique_ptr<DumpOutput> make_json_dump(bool raw);

}  // namespace npuprof::cli
