#include "cli/shown_losses.h"

#include "base/log.h"

namespace npuprof::cli {

void warn_of(const trace::Losses& losses) {
  for (const trace::Note& note : losses.notes()) log::info("{} ('{}')", note.what, note.file);
  for (const trace::Loss& loss : losses.items()) {
    if (loss.offset == 0) {
      log::warning("{} ('{}')", loss.what, loss.file);
    } else {
      log::warning("{} (at byte {} of '{}')", loss.what, loss.offset, loss.file);
    }
  }
}

}  // namespace npuprof::cli
