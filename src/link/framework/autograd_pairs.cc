#include "link/framework/autograd_pairs.h"

#include <algorithm>
#include <vector>

#include "link/row_map.h"
#include "trace/framework/framework_ops.h"
#include "trace/linked/forward_backward.h"

namespace npuprof::link {
namespace {

using trace::FrameworkOps;
using trace::kNone;

struct Sides {
  std::uint32_t forward = kNone;
  std::uint32_t backward = kNone;
};

// Numbers in the order in which they come, each with its process.
class Places {
 public:
  std::uint32_t put(std::uint32_t number, std::uint32_t pid) {
    const RowKey key{number, pid};
    if (!keys_.empty() && keys_[last_] == key) return last_;
    std::uint32_t& place = map_[key];
    if (place == kNone) {
      place = static_cast<std::uint32_t>(keys_.size());
      keys_.push_back(key);
    }
    return last_ = place;
  }
  std::uint32_t find(RowKey key) const { return map_.find(key); }
  const std::vector<RowKey>& keys() const { return keys_; }

 private:
  RowMap map_;
  std::vector<RowKey> keys_;
  std::uint32_t last_ = 0;  // Rows of one thread come in runs.
};

// At equal start the operator that ended first is the inner one; it comes first in the file.
void keep_last_started(const FrameworkOps& ops, std::uint32_t& kept, std::uint32_t row) {
  if (kept == kNone || ops.start_ns[row] > ops.start_ns[kept]) kept = row;
}

class SequenceJoin {
 public:
  explicit SequenceJoin(const FrameworkOps& ops) : ops_(ops) {}

  // All that is on the backward side, with what it joins.
  std::vector<Sides> run() {
    put_backward();
    if (all_.empty()) return {};
    find_threads();
    const std::vector<std::uint32_t> source_of = sources_by_thread();
    each_forward([&](std::uint32_t row, std::uint32_t thread) {
      const std::uint32_t place = place_before(row, source_of[thread]);
      if (place != kNone) keep_last_started(ops_, all_[place].forward, row);
    });
    return std::move(all_);
  }

 private:
  // More are not guessed: files may be damaged.
  static constexpr std::size_t kMostGuessed = 64;

  struct Guess {
    std::uint32_t source;
    std::uint32_t thread;
    std::uint32_t votes;
  };

  void put_backward() {
    for (std::uint32_t row = 0; row < ops_.size(); ++row) {
      if (ops_.sequence[row] < 0 || ops_.forward_thread[row] == 0) continue;
      const std::uint32_t source = sources_.put(ops_.forward_thread[row], ops_.pid[row]);
      std::uint32_t& place = place_of_[sequence_key(row, source)];
      if (place == kNone) {
        place = static_cast<std::uint32_t>(all_.size());
        all_.emplace_back();
      }
      keep_last_started(ops_, all_[place].backward, row);
    }
  }

  void find_threads() {
    each_forward([](std::uint32_t, std::uint32_t) {});
  }

  template <typename Visit>
  void each_forward(Visit visit) {
    for (std::uint32_t row = 0; row < ops_.size(); ++row) {
      if (ops_.sequence[row] < 0 || ops_.forward_thread[row] != 0) continue;
      visit(row, threads_.put(ops_.tid[row], ops_.pid[row]));
    }
  }

  RowKey sequence_key(std::uint32_t row, std::uint32_t source) const {
    return {static_cast<std::uint64_t>(ops_.sequence[row]), source};
  }

  // Where the backward side of a forward operator is; kNone if there is none, or it began before.
  std::uint32_t place_before(std::uint32_t row, std::uint32_t source) const {
    if (source == kNone) return kNone;
    const std::uint32_t place = place_of_.find(sequence_key(row, source));
    if (place == kNone || ops_.start_ns[row] > ops_.start_ns[all_[place].backward]) return kNone;
    return place;
  }

  // By thread: what backward operators call it; kNone if nobody knows.
  std::vector<std::uint32_t> sources_by_thread() {
    std::vector<std::uint32_t> source_of(threads_.keys().size(), kNone);
    std::vector<std::uint32_t> ordinals;
    for (std::uint32_t source = 0; source < sources_.keys().size(); ++source) {
      const std::uint32_t thread = threads_.find(sources_.keys()[source]);
      if (thread != kNone) {
        source_of[thread] = source;
      } else if (ordinals.size() < kMostGuessed) {
        ordinals.push_back(source);
      }
    }
    if (!ordinals.empty()) guess_ordinals(ordinals, source_of);
    return source_of;
  }

  // The pair of ordinal and thread that explains most sequence numbers counts first; of equal ones
  // the thread that came first, as ordinals do.
  void guess_ordinals(const std::vector<std::uint32_t>& ordinals,
                      std::vector<std::uint32_t>& source_of) {
    std::vector<Guess> guesses = votes_for(ordinals, source_of);
    std::sort(guesses.begin(), guesses.end(), [&](const Guess& a, const Guess& b) {
      if (a.votes != b.votes) return a.votes > b.votes;
      const RowKey& first = sources_.keys()[a.source];
      const RowKey& second = sources_.keys()[b.source];
      if (first.number != second.number) return first.number < second.number;
      return a.thread < b.thread;
    });
    std::vector<std::uint8_t> is_taken(sources_.keys().size());
    for (const Guess& guess : guesses) {
      if (is_taken[guess.source] != 0 || source_of[guess.thread] != kNone) continue;
      is_taken[guess.source] = 1;
      source_of[guess.thread] = guess.source;
    }
  }

  std::vector<Guess> votes_for(const std::vector<std::uint32_t>& ordinals,
                               const std::vector<std::uint32_t>& source_of) {
    RowMap index_of;
    std::vector<Guess> guesses;
    each_forward([&](std::uint32_t row, std::uint32_t thread) {
      if (source_of[thread] != kNone) return;
      for (const std::uint32_t source : ordinals) {
        if (sources_.keys()[source].scope != ops_.pid[row]) continue;
        if (place_before(row, source) == kNone) continue;
        std::uint32_t& index = index_of[{thread, source}];
        if (index == kNone) {
          index = static_cast<std::uint32_t>(guesses.size());
          guesses.push_back({source, thread, 0});
        }
        ++guesses[index].votes;
      }
    });
    return guesses;
  }

  const FrameworkOps& ops_;
  Places threads_;  // That have forward operators, by id of the system.
  Places sources_;  // What backward operators name as their forward thread.
  RowMap place_of_;
  std::vector<Sides> all_;
};

}  // namespace

void link_forward_backward(trace::Trace& trace) {
  const FrameworkOps& ops = trace.framework_ops();
  std::vector<Sides> all = SequenceJoin(ops).run();
  std::erase_if(all, [](const Sides& sides) { return sides.forward == kNone; });
  std::sort(all.begin(), all.end(), [&](const Sides& a, const Sides& b) {
    if (ops.sequence[a.forward] != ops.sequence[b.forward]) {
      return ops.sequence[a.forward] < ops.sequence[b.forward];
    }
    return a.forward < b.forward;
  });
  trace::ForwardBackward& pairs = trace.forward_backward();
  pairs = {};
  reserve_rows(pairs, all.size());
  for (const Sides& sides : all) {
    pairs.sequence.push_back(ops.sequence[sides.forward]);
    pairs.forward.push_back(sides.forward);
    pairs.backward.push_back(sides.backward);
  }
}

}  // namespace npuprof::link
