#include "toolchain/pool.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "base/format.h"
#include "toolchain/compiler_process.h"
#include "toolchain/message.h"

namespace burin::toolchain {
namespace {

using PoolClock = std::chrono::steady_clock;

// nvcc's limit is enforced in the compiler process, which takes up to a second to end it; only if
// that does not answer soon after, it is stuck itself, in NVRTC.
constexpr double kGraceSeconds = 1.5;
// What a process that is told to end has left for killing nvcc and removing its files.
constexpr double kEndSeconds = 1.5;

PoolClock::time_point after_seconds(double seconds) {
  return PoolClock::now() + std::chrono::duration_cast<PoolClock::duration>(
                                std::chrono::duration<double>(std::min(seconds, 1e9)));
}

}  // namespace

class CompilePool::Dispatcher {
 public:
  Dispatcher(std::string path_of_burin, unsigned processes, CompileCache cache)
      : path_(std::move(path_of_burin)),
        cache_(std::move(cache)),
        slots_(path_.empty() ? 0 : std::max(processes, 1u)),
        wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        thread_([this] { path_.empty() ? compile_here() : dispatch(); }) {}

  ~Dispatcher() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
      waiting_.clear();
    }
    wake();
    thread_.join();
    ::close(wake_);
  }

  Ticket submit(CompileRequest request, int priority) {
    const std::lock_guard lock(mutex_);
    const Ticket ticket = ++counts_.submitted;
    pending_.insert(ticket);
    waiting_.emplace(std::pair(-priority, ticket), std::move(request));
    wake();
    return ticket;
  }

  CompileResult wait(Ticket ticket) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return results_.contains(ticket) || !pending_.contains(ticket); });
    return take(ticket);
  }

  std::optional<CompileResult> try_take(Ticket ticket) {
    const std::lock_guard lock(mutex_);
    if (pending_.contains(ticket)) return std::nullopt;
    return take(ticket);
  }

  std::optional<Ticket> wait_any(double limit_seconds) {
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, after_seconds(limit_seconds),
                        [&] { return !finished_.empty() || pending_.empty(); });
    if (finished_.empty()) return std::nullopt;
    return finished_.front();
  }

  void cancel(Ticket ticket) {
    const std::lock_guard lock(mutex_);
    forget(ticket);
    pending_.erase(ticket);
    std::erase_if(waiting_, [&](const auto& job) { return job.first.second == ticket; });
    changed_.notify_all();
    wake();  // the dispatcher ends the process whose job is no longer pending
  }

  Counts counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
  }

 private:
  // First by priority, the highest first, then by age.
  using Waiting = std::map<std::pair<int, Ticket>, CompileRequest>;

  struct Slot {
    std::optional<CompilerProcess> process{};
    Ticket ticket = 0;  // 0: idle
    std::string source{};
    Compiler compiler = Compiler::kAuto;
    double limit_seconds = 0;
    PoolClock::time_point deadline{};
  };

  // A process that was told to end, and when it is killed if it has not.
  struct Leaving {
    CompilerProcess process;
    PoolClock::time_point deadline;
  };

  void wake() {
    const std::uint64_t one = 1;
    while (::write(wake_, &one, sizeof one) < 0 && errno == EINTR) {
    }
    work_.notify_all();
  }

  CompileResult take(Ticket ticket) {
    const auto found = results_.find(ticket);
    if (found == results_.end()) {
      return Error{"this compilation was cancelled, or its result was taken before"};
    }
    CompileResult result = std::move(found->second);
    forget(ticket);
    return result;
  }

  void forget(Ticket ticket) {
    results_.erase(ticket);
    std::erase(finished_, ticket);
  }

  void finish(Ticket ticket, CompileResult result) {
    const std::lock_guard lock(mutex_);
    ++counts_.finished;
    if (pending_.erase(ticket) == 0) return;  // cancelled
    results_.emplace(ticket, std::move(result));
    finished_.push_back(ticket);
    changed_.notify_all();
  }

  // The dispatcher's thread without compiler processes.
  void compile_here() {
    std::unique_lock lock(mutex_);
    for (;;) {
      work_.wait(lock, [&] { return ending_ || !waiting_.empty(); });
      if (ending_) return;
      auto job = waiting_.extract(waiting_.begin());
      lock.unlock();
      finish(job.key().second, compile(job.mapped(), cache_));
      lock.lock();
    }
  }

  // The dispatcher's thread. It alone touches the slots.
  void dispatch() {
    while (give_out()) {
      std::vector<pollfd> files{{wake_, POLLIN, 0}};
      std::vector<Slot*> busy;
      auto next = after_seconds(60);
      for (Slot& slot : slots_) {
        if (slot.ticket == 0) continue;
        files.push_back({slot.process->output(), POLLIN, 0});
        busy.push_back(&slot);
        next = std::min(next, slot.deadline);
      }
      for (const Leaving& leaving : leaving_) {
        files.push_back({leaving.process.output(), POLLIN, 0});
        next = std::min(next, leaving.deadline);
      }
      const std::chrono::duration<double, std::milli> left = next - PoolClock::now();
      const int ready =
          ::poll(files.data(), files.size(), static_cast<int>(std::max(left.count(), 0.0)) + 1);
      if (ready < 0 && errno != EINTR) return;
      std::uint64_t wakes = 0;
      if (ready > 0 && (files[0].revents & POLLIN) != 0) {
        static_cast<void>(::read(wake_, &wakes, sizeof wakes) == sizeof wakes);
      }
      for (std::size_t i = 0; i < busy.size(); ++i) {
        if (ready > 0 && files[i + 1].revents != 0) {
          receive(*busy[i]);
        } else if (PoolClock::now() >= busy[i]->deadline) {
          give_up(*busy[i]);
        }
      }
      std::erase_if(leaving_, [](Leaving& leaving) {
        return leaving.process.has_ended(0) || PoolClock::now() >= leaving.deadline;
      });
    }
    for (Slot& slot : slots_) end(slot);
    for (Leaving& leaving : leaving_) {
      const std::chrono::duration<double> left = leaving.deadline - PoolClock::now();
      leaving.process.has_ended(left.count());
    }
  }

  void end(Slot& slot) {
    if (!slot.process) return;
    slot.process->end();
    leaving_.push_back({std::move(*slot.process), after_seconds(kEndSeconds)});
    slot = {};
  }

  // Ends what was cancelled and gives waiting requests to idle slots. False: the pool ends.
  bool give_out() {
    for (Slot& slot : slots_) {
      {
        const std::lock_guard lock(mutex_);
        if (ending_) return false;
        if (slot.ticket != 0 && !pending_.contains(slot.ticket)) {
          ++counts_.finished;
          end(slot);
        }
      }
      while (slot.ticket == 0) {
        Waiting::node_type job;
        {
          const std::lock_guard lock(mutex_);
          if (waiting_.empty()) break;
          job = waiting_.extract(waiting_.begin());
        }
        start(slot, job.key().second, std::move(job.mapped()));
      }
    }
    return true;
  }

  void start(Slot& slot, Ticket ticket, CompileRequest request) {
    const CompileOrder order{std::move(request), cache_.folder(), cache_.most_bytes()};
    // A process may have ended since its last answer, hence the second try.
    for (int tries = 0; tries < 2; ++tries) {
      if (!slot.process) {
        Result<CompilerProcess> process = CompilerProcess::start(path_);
        if (!process) break;
        const std::lock_guard lock(mutex_);
        ++counts_.processes_started;
        slot.process = std::move(*process);
      }
      if (slot.process->send(order)) {
        slot.ticket = ticket;
        slot.source = order.request.source;
        slot.compiler = order.request.compiler;
        slot.limit_seconds = order.request.limit_seconds;
        slot.deadline = after_seconds(slot.limit_seconds + kGraceSeconds);
        return;
      }
      slot.process.reset();
    }
    finish(ticket, Error{fmt::format("{}: cannot start the compiler process {} compiler",
                                     order.request.source, path_),
                         Exit::kDevice});
  }

  void receive(Slot& slot) {
    std::optional<CompileResult> result = slot.process->receive();
    const Ticket ticket = std::exchange(slot.ticket, 0);
    if (!result) {
      // Whatever it said instead: words of the dynamic linker, or of the C library as it aborted.
      const std::string words = slot.process->last_words().substr(0, 200);
      const std::string said = words.empty() ? "" : " (" + words + ")";
      result =
          Error{fmt::format("{}: the compiler process ended unexpectedly{}; compile with nvcc "
                            "to see whether NVRTC is to blame",
                            slot.source, said)};
      slot.process.reset();
      const std::lock_guard lock(mutex_);
      ++counts_.crashes;
    }
    finish(ticket, std::move(*result));
  }

  void give_up(Slot& slot) {
    const Ticket ticket = slot.ticket;
    const Error error{fmt::format(
        "{}: {} did not finish within {:g} seconds; its process was killed", slot.source,
        slot.compiler == Compiler::kNvcc ? "nvcc" : "NVRTC", slot.limit_seconds)};
    end(slot);
    {
      const std::lock_guard lock(mutex_);
      ++counts_.timeouts;
    }
    finish(ticket, {error, true});
  }

  const std::string path_;
  const CompileCache cache_;
  std::vector<Slot> slots_;
  std::vector<Leaving> leaving_;
  const int wake_;

  mutable std::mutex mutex_;         // for all that follows
  std::condition_variable changed_;  // a result, or a cancellation
  std::condition_variable work_;     // for compile_here()
  Waiting waiting_;
  std::set<Ticket> pending_;  // waiting or being compiled
  std::map<Ticket, CompileResult> results_;
  std::deque<Ticket> finished_;  // those in results_, the first finished first
  Counts counts_;
  bool ending_ = false;

  std::thread thread_;  // last: it uses all of the above
};

CompilePool::CompilePool(std::string path_of_burin, unsigned processes, CompileCache cache)
    : dispatcher_(
          std::make_unique<Dispatcher>(std::move(path_of_burin), processes, std::move(cache))) {}

CompilePool::~CompilePool() = default;

CompilePool::Ticket CompilePool::submit(CompileRequest request, int priority) {
  return dispatcher_->submit(std::move(request), priority);
}

CompileResult CompilePool::wait(Ticket ticket) {
  return dispatcher_->wait(ticket);
}

std::optional<CompileResult> CompilePool::try_take(Ticket ticket) {
  return dispatcher_->try_take(ticket);
}

std::optional<CompilePool::Ticket> CompilePool::wait_any(double limit_seconds) {
  return dispatcher_->wait_any(limit_seconds);
}

void CompilePool::cancel(Ticket ticket) {
  dispatcher_->cancel(ticket);
}

CompilePool::Counts CompilePool::counts() const {
  return dispatcher_->counts();
}

}  // namespace burin::toolchain
