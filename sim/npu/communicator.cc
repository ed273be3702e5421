#include "sim/npu/communicator.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace npuprof::sim {
namespace {

std::string describe(const CollectiveDesc& desc) {
  return fmt::format("{} of {} {} elements with root {}", collective_name(desc.kind), desc.count,
                     data_type_name(desc.type), desc.root);
}

// All-to-all-v counts differ between ranks by nature.
bool match(const CollectiveDesc& a, const CollectiveDesc& b) {
  const bool same_count = a.kind == CollectiveKind::kAlltoAllV || a.count == b.count;
  return a.kind == b.kind && a.type == b.type && same_count && a.root == b.root;
}

Error mismatch(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

}  // namespace

// One collective all members take part in.
struct Communicator::Operation {
  explicit Operation(std::size_t members) : descs(members), ready_ns(members), arrived(members) {}

  std::vector<CollectiveDesc> descs;
  std::vector<std::int64_t> ready_ns;
  std::vector<bool> arrived;
  std::size_t arrivals = 0;
  std::uint32_t first = 0;  // Group rank of who came first, to name in errors.
  std::vector<SubTasks> tasks;
  std::optional<Error> error;
  bool done = false;
  std::size_t waiters = 0;
  std::condition_variable changed;
};

// One call of exchange().
struct Communicator::Exchange {
  std::vector<SubTasks> tasks;  // One element per transfer.
  std::size_t open = 0;
  std::int64_t ready_ns = 0;
  std::optional<Error> error;
  bool done = false;
  std::size_t waiters = 0;
  std::condition_variable changed;
};

// A send or receive that waits for its counterpart.
struct Communicator::Post {
  std::shared_ptr<Exchange> exchange;
  std::size_t index = 0;  // In the exchange.
  bool sends = false;
  std::uint64_t bytes = 0;
};

World::World(Network network, std::uint32_t rank_count, std::vector<bool> present)
    : network_(std::move(network)),
      rank_count_(rank_count),
      present_(std::move(present)),
      ended_(rank_count) {
  present_.resize(rank_count, present_.empty());
  running_ = static_cast<std::size_t>(std::count(present_.begin(), present_.end(), true));
}

World::~World() = default;

Result<Communicator*> World::communicator(std::string_view name,
                                          std::span<const std::uint32_t> ranks) {
  const std::unique_lock lock(mutex_);
  const auto found = communicators_.find(name);
  if (found != communicators_.end()) {
    Communicator* communicator = found->second.get();
    if (std::ranges::equal(communicator->ranks(), ranks)) return communicator;
    return mismatch(fmt::format("group {} was made with ranks [{}] and is now asked for with [{}]",
                                name, fmt::join(communicator->ranks(), ","),
                                fmt::join(ranks, ",")));
  }
  if (ranks.empty()) return mismatch(fmt::format("group {} has no ranks", name));
  for (const std::uint32_t rank : ranks) {
    if (rank >= rank_count_ || std::count(ranks.begin(), ranks.end(), rank) > 1) {
      return mismatch(fmt::format("group {} with ranks [{}] does not fit a job of {} ranks", name,
                                  fmt::join(ranks, ","), rank_count_));
    }
  }
  auto made = std::make_unique<Communicator>(
      *this, std::string(name), std::vector<std::uint32_t>(ranks.begin(), ranks.end()));
  return communicators_.emplace(std::string(name), std::move(made)).first->second.get();
}

void World::fail(std::uint32_t rank, std::string_view why) {
  end_rank(rank, fmt::format("failed ({})", why));
}

void World::end_rank(std::uint32_t rank, std::string how) {
  const std::unique_lock lock(mutex_);
  if (rank >= rank_count_ || ended_[rank]) return;
  ended_[rank] = std::move(how);
  if (present_[rank]) --running_;
  for (auto& [name, communicator] : communicators_) {
    communicator->on_rank_ended(rank, *ended_[rank]);
  }
  // Those left may all wait for each other without this rank.
  if (running_ == 0 || waiting_ < running_) return;
  for (auto& [name, communicator] : communicators_) {
    communicator->break_with(mismatch("deadlock: every rank that is left waits for another one"));
  }
}

void World::begin_wait() {
  ++waiting_;
  if (waiting_ < running_) return;
  for (auto& [name, communicator] : communicators_) {
    communicator->break_with(
        mismatch("deadlock: every rank waits in a communication call for one that cannot come"));
  }
}

Communicator::Communicator(World& world, std::string name, std::vector<std::uint32_t> ranks)
    : world_(world),
      name_(std::move(name)),
      ranks_(std::move(ranks)),
      next_sequence_(ranks_.size()) {
  for (const std::uint32_t rank : ranks_) {
    if (world_.is_present(rank)) ++present_members_;
    if (world_.network().node_of(rank) != world_.network().node_of(ranks_.front())) {
      spans_nodes_ = true;
    }
  }
  plane_count_ = sim::plane_count(world_.network(), ranks_);
}

Communicator::~Communicator() = default;

std::optional<std::uint32_t> Communicator::group_rank(std::uint32_t rank) const {
  const auto found = std::find(ranks_.begin(), ranks_.end(), rank);
  if (found == ranks_.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - ranks_.begin());
}

void Communicator::release(Operation& operation) {
  operation.done = true;
  world_.waiting_ -= std::exchange(operation.waiters, 0);
  operation.changed.notify_all();
}

void Communicator::release(Exchange& exchange) {
  exchange.done = true;
  world_.waiting_ -= std::exchange(exchange.waiters, 0);
  exchange.changed.notify_all();
}

void Communicator::break_with(Error error) {
  if (!broken_) broken_ = std::move(error);
  for (auto& [sequence, operation] : operations_) {
    if (operation->done) continue;
    operation->error = broken_;
    release(*operation);
  }
  for (auto& [pair, posts] : posts_) {
    for (Post& post : posts) {
      if (post.exchange->done) continue;
      post.exchange->error = broken_;
      release(*post.exchange);
    }
  }
  posts_.clear();
}

void Communicator::on_rank_ended(std::uint32_t rank, const std::string& how) {
  const auto member = group_rank(rank);
  if (!member) return;
  for (const auto& [sequence, operation] : operations_) {
    if (operation->done || operation->arrived[*member]) continue;
    break_with(
        mismatch(fmt::format("rank {} {} before operation {} of group {} ({})", rank, how, sequence,
                             name_, describe(operation->descs[operation->first]))));
    return;
  }
  for (const auto& [pair, posts] : posts_) {
    const bool concerned = pair.first == *member || pair.second == *member;
    if (!concerned || posts.empty()) continue;
    break_with(
        mismatch(fmt::format("rank {} {} before the transfer from rank {} to rank {} of group {}",
                             rank, how, ranks_[pair.first], ranks_[pair.second], name_)));
    return;
  }
}

void Communicator::wait_until(std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
                              const bool& done, std::size_t& waiters) {
  ++waiters;
  world_.begin_wait();
  changed.wait(lock, [&] { return done; });
}

std::optional<Error> Communicator::missing_partner(const Operation& operation,
                                                   std::uint64_t sequence) const {
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    const auto& ended = world_.ended_[ranks_[i]];
    if (operation.arrived[i] || !ended) continue;
    return mismatch(fmt::format("rank {} {} before operation {} of group {} ({})", ranks_[i],
                                *ended, sequence, name_,
                                describe(operation.descs[operation.first])));
  }
  return std::nullopt;
}

Result<SubTasks> Communicator::collective(std::uint32_t rank, const CollectiveDesc& desc,
                                          std::int64_t ready_ns) {
  const auto member = group_rank(rank);
  if (!member) return mismatch(fmt::format("rank {} is no member of group {}", rank, name_));
  if (desc.root >= ranks_.size()) {
    return mismatch(
        fmt::format("root {} is outside group {} of {} ranks", desc.root, name_, ranks_.size()));
  }
  std::unique_lock lock(world_.mutex_);
  if (broken_) return *broken_;
  const std::uint64_t sequence = next_sequence_[*member]++;
  std::shared_ptr<Operation>& slot = operations_[sequence];
  if (!slot) {
    slot = std::make_shared<Operation>(ranks_.size());
    slot->first = *member;
  }
  const std::shared_ptr<Operation> operation = slot;
  if (operation->arrivals > 0 && !match(operation->descs[operation->first], desc)) {
    break_with(mismatch(fmt::format(
        "operation {} of group {} is {} on rank {} but {} on rank {}: all ranks must call the same "
        "collectives in the same order",
        sequence, name_, describe(operation->descs[operation->first]), ranks_[operation->first],
        describe(desc), rank)));
    return *broken_;
  }
  operation->descs[*member] = desc;
  operation->ready_ns[*member] = ready_ns;
  operation->arrived[*member] = true;
  ++operation->arrivals;

  if (operation->arrivals == present_members_) {
    operations_.erase(sequence);
    complete(lock, *operation);
  } else if (auto error = missing_partner(*operation, sequence)) {
    break_with(*std::move(error));
  } else {
    wait_until(lock, operation->changed, operation->done, operation->waiters);
  }
  if (operation->error) return *operation->error;
  return std::move(operation->tasks[*member]);
}

void Communicator::complete(std::unique_lock<std::mutex>& lock, Operation& operation) {
  // Ranks that are not simulated come as early as the first that is, and ask for the same.
  std::int64_t first_ready_ns = operation.ready_ns[operation.first];
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    if (operation.arrived[i]) first_ready_ns = std::min(first_ready_ns, operation.ready_ns[i]);
  }
  std::vector<const CollectiveDesc*> descs(ranks_.size());
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    if (!operation.arrived[i]) operation.ready_ns[i] = first_ready_ns;
    // Which desc stands for an absent rank must not depend on who came first.
    const std::size_t stand_in = static_cast<std::size_t>(
        std::find(operation.arrived.begin(), operation.arrived.end(), true) -
        operation.arrived.begin());
    descs[i] = &operation.descs[operation.arrived[i] ? i : stand_in];
  }
  // Nobody else can reach this operation any more, except its waiters, who look at `done` only.
  lock.unlock();
  std::vector<SubTasks> tasks =
      schedule_collective(world_.network(), ranks_, descs, operation.ready_ns);
  lock.lock();
  operation.tasks = std::move(tasks);
  release(operation);
}

void Communicator::post(std::uint32_t group_rank, const Transfer& transfer, std::size_t index,
                        std::shared_ptr<Exchange> exchange) {
  const std::uint32_t from = transfer.sends ? group_rank : transfer.peer;
  const std::uint32_t to = transfer.sends ? transfer.peer : group_rank;
  if (!world_.is_present(ranks_[transfer.peer])) {
    TransferTasks tasks = schedule_transfer(world_.network(), ranks_[from], ranks_[to],
                                            transfer.bytes, exchange->ready_ns, exchange->ready_ns);
    exchange->tasks[index] = std::move(transfer.sends ? tasks.sender : tasks.receiver);
    --exchange->open;
    return;
  }
  std::vector<Post>& posts = posts_[{from, to}];
  const auto partner = std::find_if(
      posts.begin(), posts.end(), [&](const Post& other) { return other.sends != transfer.sends; });
  if (partner == posts.end()) {
    posts.push_back({std::move(exchange), index, transfer.sends, transfer.bytes});
    return;
  }
  const Post other = *partner;
  posts.erase(partner);
  if (other.bytes != transfer.bytes) {
    break_with(mismatch(
        fmt::format("rank {} and rank {} of group {} disagree about a transfer: {} bytes are sent "
                    "and {} expected",
                    ranks_[from], ranks_[to], name_, transfer.sends ? transfer.bytes : other.bytes,
                    transfer.sends ? other.bytes : transfer.bytes)));
    if (!other.exchange->done) {
      other.exchange->error = broken_;
      release(*other.exchange);
    }
    return;
  }
  Exchange& sender = transfer.sends ? *exchange : *other.exchange;
  Exchange& receiver = transfer.sends ? *other.exchange : *exchange;
  TransferTasks tasks = schedule_transfer(world_.network(), ranks_[from], ranks_[to],
                                          transfer.bytes, sender.ready_ns, receiver.ready_ns);
  sender.tasks[transfer.sends ? index : other.index] = std::move(tasks.sender);
  receiver.tasks[transfer.sends ? other.index : index] = std::move(tasks.receiver);
  --sender.open;
  --receiver.open;
  if (other.exchange->open == 0) release(*other.exchange);
}

SubTasks merge_planes(std::vector<SubTasks> parts, std::uint32_t rank, std::int64_t gap_ns) {
  if (parts.size() == 1) return std::move(parts.front());
  SubTasks merged;
  std::int64_t begin_ns = INT64_MAX;
  std::int64_t end_ns = 0;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    for (SubTask& task : parts[part]) {
      task.plane = static_cast<std::uint16_t>(part + 1);
      begin_ns = std::min(begin_ns, task.begin_ns);
      end_ns = std::max(end_ns, task.end_ns);
      merged.push_back(task);
    }
  }
  if (merged.empty()) return merged;
  merged.push_back({.kind = SubTaskKind::kNotifyWait,
                    .link = Link::kOnChip,
                    .plane = 0,
                    .remote_rank = rank,
                    .notify_id = rank,
                    .begin_ns = begin_ns,
                    .end_ns = end_ns + gap_ns});
  return merged;
}

Result<SubTasks> Communicator::exchange(std::uint32_t rank, std::span<const Transfer> transfers,
                                        std::int64_t ready_ns) {
  const auto member = group_rank(rank);
  if (!member) return mismatch(fmt::format("rank {} is no member of group {}", rank, name_));
  for (const Transfer& transfer : transfers) {
    if (transfer.peer >= ranks_.size() || transfer.peer == *member) {
      return mismatch(fmt::format("rank {} of group {} cannot transfer to or from member {}", rank,
                                  name_, transfer.peer));
    }
  }
  auto call = std::make_shared<Exchange>();
  call->tasks.resize(transfers.size());
  call->open = transfers.size();
  call->ready_ns = ready_ns;

  std::unique_lock lock(world_.mutex_);
  if (broken_) return *broken_;
  for (const Transfer& transfer : transfers) {
    const auto& ended = world_.ended_[ranks_[transfer.peer]];
    post(*member, transfer, static_cast<std::size_t>(&transfer - transfers.data()), call);
    if (broken_) return *broken_;
    const bool unmatched = call->open > 0 && ended.has_value();
    if (!unmatched) continue;
    on_rank_ended(ranks_[transfer.peer], *ended);
    if (broken_) return *broken_;
  }
  if (call->open > 0) {
    wait_until(lock, call->changed, call->done, call->waiters);
    if (call->error) return *call->error;
  }
  return merge_planes(std::move(call->tasks), rank, world_.network().chip().task_gap_ns);
}

std::size_t Communicator::collective_tasks(std::uint32_t rank, CollectiveKind kind) {
  const auto member = group_rank(rank);
  if (!member) return 0;
  const std::unique_lock lock(world_.mutex_);
  const auto [entry, is_new] = task_counts_.try_emplace({kind, *member}, 0);
  if (is_new) entry->second = collective_task_count(world_.network(), ranks_, kind, *member);
  return entry->second;
}

std::size_t Communicator::exchange_tasks(std::uint32_t rank,
                                         std::span<const Transfer> transfers) const {
  std::size_t count = transfers.size() > 1 ? 1 : 0;
  for (const Transfer& transfer : transfers) {
    const std::uint32_t peer = ranks_[std::min<std::size_t>(transfer.peer, ranks_.size() - 1)];
    const std::uint32_t from = transfer.sends ? rank : peer;
    const std::uint32_t to = transfer.sends ? peer : rank;
    count += transfer_task_count(world_.network(), from, to, transfer.sends);
  }
  return count;
}

}  // namespace npuprof::sim
