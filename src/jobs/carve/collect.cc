#include "jobs/carve/collect.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include "model/emulated_device.h"

namespace burin::jobs {
namespace {

using Clock = std::chrono::steady_clock;

// Counts configurations that have been compiled, in threads.
class Counting {
 public:
  Counting(const CountJob& job, CountsFile& file, std::map<tune::Point, model::Counted>& done)
      : job_(job), file_(file), done_(done) {
    const unsigned threads =
        job.threads != 0 ? job.threads : std::max(1u, std::thread::hardware_concurrency());
    most_ = 2 * threads;
    for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  }
  ~Counting() { end(); }

  // Waits while as many configurations are queued as threads will take soon.
  void add(const tune::Point& point, tune::Built built) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return queue_.size() < most_; });
    queue_.push_back({point, std::move(built)});
    changed_.notify_all();
  }

  void end() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
      changed_.notify_all();
    }
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }

  std::size_t finished() {
    const std::lock_guard lock(mutex_);
    return finished_;
  }

  Result<void> written() const { return written_; }

 private:
  struct Task {
    tune::Point point;
    tune::Built built;
  };

  void work() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return ended_ || !queue_.empty(); });
      if (queue_.empty()) return;
      const Task task = std::move(queue_.front());
      queue_.pop_front();
      changed_.notify_all();
      lock.unlock();
      model::Counted counted = count(task);
      lock.lock();
      if (Result<void> kept = file_.append(counted); !kept && written_) written_ = kept;
      done_[task.point] = std::move(counted);
      ++finished_;
    }
  }

  model::Counted count(const Task& task) const {
    model::Counted counted{.point = task.point,
                           .status = task.built.status,
                           .reason = task.built.reason,
                           .compile_seconds = task.built.compile_seconds};
    if (!counted.ok()) return counted;
    Result<std::vector<model::LaunchCounts>> launches =
        model::count_request(task.built.request, job_.machine, job_.options);
    if (!launches) {
      counted.status = tune::Status::kRuntime;
      counted.reason = launches.error().message;
      return counted;
    }
    counted.launches = std::move(*launches);
    if (job_.predict) {
      model::EmulatedDevice device(job_.machine, 1);
      const measure::DeviceAnswer answer = device.run(task.built.request);
      if (answer && !answer->times_us.empty()) counted.predicted_us = answer->times_us.front();
    }
    return counted;
  }

  const CountJob& job_;
  CountsFile& file_;
  std::map<tune::Point, model::Counted>& done_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> queue_;
  std::size_t most_ = 1;
  bool ended_ = false;
  std::size_t finished_ = 0;
  Result<void> written_;
  std::vector<std::thread> threads_;
};

}  // namespace

Result<std::vector<model::Counted>> collect_counts(tune::Builder& builder, const CountJob& job,
                                                   CountsFile& file, const Progress& progress) {
  const auto begin = Clock::now();
  std::map<tune::Point, model::Counted> done;
  std::vector<tune::Point> missing;
  for (const tune::Point& point : job.points) {
    const auto known = file.known().find(point);
    const bool enough = known != file.known().end() &&
                        (!job.predict || !known->second.ok() || known->second.predicted_us);
    if (enough) {
      done.emplace(point, known->second);
    } else {
      missing.push_back(point);
    }
  }
  const std::size_t before = done.size();
  std::optional<Error> error;
  Result<void> written;
  {
    Counting counting(job, file, done);
    std::size_t started = 0;
    for (std::size_t i = 0; i < missing.size(); ++i) {
      const std::chrono::duration<double> spent = Clock::now() - begin;
      const bool late = job.max_seconds && spent.count() > *job.max_seconds;
      if (late || (job.interrupted && job.interrupted())) break;
      for (; started < missing.size() && started < i + 2 * job.ahead; ++started) {
        builder.start(missing[started]);
      }
      Result<tune::Built> built = builder.finish(missing[i]);
      if (!built) {
        error = built.error();
        break;
      }
      counting.add(missing[i], std::move(*built));
      progress.step("compiled and counted: configuration", before + counting.finished(),
                    job.points.size());
    }
    counting.end();
    written = counting.written();
  }
  progress.done();
  if (error) return *error;
  if (!written) return written.error();
  std::vector<model::Counted> counted;
  for (const tune::Point& point : job.points) {
    const auto found = done.find(point);
    if (found != done.end()) counted.push_back(std::move(found->second));
  }
  return counted;
}

}  // namespace burin::jobs
