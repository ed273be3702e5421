#include "report/output_file.h"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/write_all.h"
#include "report/pending_output.h"
#include "report/text/gzip.h"

namespace npuprof::report {
namespace {

namespace fs = std::filesystem;

// /dev/stdout and /dev/fd/1, whatever they lead to.
bool is_standard_output(const struct stat& file) {
  struct stat standard {};
  return ::fstat(STDOUT_FILENO, &standard) == 0 && standard.st_dev == file.st_dev &&
         standard.st_ino == file.st_ino;
}

Error cannot_be_written(const std::string& given, const char* what_it_is) {
  return Error{ErrorCode::kInvalidArgument, "'" + given + "' is " + what_it_is +
                                                ": give the name of a file, or - for standard "
                                                "output"};
}

}  // namespace

Result<OutputFile> OutputFile::find(const std::string& given) {
  OutputFile output;
  if (given == "-") {
    output.is_standard_output_ = true;
    return output;
  }
  output.path_ = given;
  output.name_ = output.path_.filename();
  struct stat there {};
  std::error_code error;
  if (::stat(given.c_str(), &there) != 0) {
    if (output.name_.empty()) return cannot_be_written(given, "no name of a file");
    if (fs::is_symlink(output.path_, error)) {
      return cannot_be_written(given, "a link to what is not there");
    }
    output.path_ = fs::absolute(given, error);
  } else if (is_standard_output(there)) {
    output.is_standard_output_ = true;
  } else if (S_ISREG(there.st_mode)) {
    output.path_ = fs::canonical(given, error);
  } else if (S_ISFIFO(there.st_mode) || S_ISCHR(there.st_mode)) {
    output.is_device_ = true;
  } else {
    return cannot_be_written(given, S_ISDIR(there.st_mode) ? "a directory" : "a disk or a socket");
  }
  if (error) return Error::from_errno("cannot write", given, error.value());
  return output;
}

Status OutputFile::copy_from(const fs::path& file) const {
  NPUPROF_ASSIGN_OR_RETURN(const auto content, MappedFile::open(file));
  if (is_standard_output_) return write_all(STDOUT_FILENO, content.bytes(), "standard output");
  const int device = ::open(path_.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
  if (device < 0) return Error::from_errno("cannot open", path_.native(), errno);
  Status written = write_all(device, content.bytes(), path_.native());
  if (::close(device) != 0 && written.ok()) {
    return Error::from_errno("cannot write", path_.native(), errno);
  }
  return written;
}

Status OutputFile::write(const std::function<Status(const fs::path& file)>& make) const {
  NPUPROF_ASSIGN_OR_RETURN(auto pending, is_stream() ? PendingOutput::temporary_file("stream")
                                                     : PendingOutput::file_at(path_));
  if (name_.ends_with(".gz")) {
    const fs::path plain = pending.path() / "uncompressed.npuprof";
    NPUPROF_RETURN_IF_ERROR(make(plain));
    NPUPROF_RETURN_IF_ERROR(gzip_file(plain, pending.file()));
  } else {
    NPUPROF_RETURN_IF_ERROR(make(pending.file()));
  }
  return is_stream() ? copy_from(pending.file()) : pending.publish();
}

}  // namespace npuprof::report
