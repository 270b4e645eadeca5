// Strategies as plain loops: a coroutine that asks for the values of points and goes on when they
// are known.
//
//   Procedure descend(Search& search) {
//     Point here = search.any();
//     double value = co_await search.value_of(here);
//     …
//   }
//
// Each call of propose() runs the coroutine until it needs the value of a point that was never
// asked for, and returns that point. Values that the history has are there at once. A coroutine
// that goes on with known points only is given unseen ones after a while, so that every strategy
// ends by exhausting the space.
#pragma once

#include <coroutine>
#include <deque>
#include <exception>
#include <functional>
#include <utility>
#include <vector>

#include "tune/search/opening.h"
#include "tune/search/proposer.h"

namespace burin::tune {

class Procedure {
 public:
  struct promise_type {
    Procedure get_return_object() {
      return Procedure(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };

  explicit Procedure(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  Procedure(Procedure&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Procedure& operator=(Procedure&&) = delete;
  ~Procedure() {
    if (handle_) handle_.destroy();
  }

  bool done() const { return handle_.done(); }
  void resume() { handle_.resume(); }

 private:
  std::coroutine_handle<promise_type> handle_;
};

// What a coroutine sees of its search.
class Search {
 public:
  explicit Search(const Proposing& proposing)
      : history(proposing.history), random(proposing.seed), ahead(proposing.ahead) {}

  History& history;
  Random random;
  std::size_t ahead;  // a loop that asks for this many points at once keeps all devices busy

  const Space& space() const { return history.space(); }

  // A valid point with equal probability, seen or not.
  Point any() { return space().at(random.below(space().size())); }
  // Points to begin with: the best so far, or else a few opening points.
  std::vector<Point> start() {
    if (history.best() != nullptr) return {history.best()->point};
    return opening_points(history, scales_of(space()), kOpeningPoints, random);
  }

  // The values of points, known or not, once all are known.
  struct Values {
    Search* search;
    bool await_ready() { return search->needs_no_answer(); }
    void await_suspend(std::coroutine_handle<>) {}
    std::vector<double> await_resume() { return search->awaited_values(); }
  };
  Values values_of(const std::vector<Point>& points) {
    awaited_ = points;
    return {this};
  }

  struct Value {
    Search* search;
    bool await_ready() { return search->needs_no_answer(); }
    void await_suspend(std::coroutine_handle<>) {}
    double await_resume() { return search->awaited_values().front(); }
  };
  Value value_of(const Point& point) {
    awaited_ = {point};
    return {this};
  }

 private:
  friend class ProcedureProposer;
  bool needs_no_answer();
  std::vector<double> awaited_values() const;

  std::deque<Point> wanted_;    // to be proposed
  std::vector<Point> awaited_;  // whose answers the coroutine needs
  std::size_t idle_ = 0;        // known points awaited since the last new one
};

class ProcedureProposer : public Proposer {
 public:
  ProcedureProposer(const Proposing& proposing, const std::function<Procedure(Search&)>& procedure)
      : search_(proposing), procedure_(procedure(search_)) {}
  std::optional<Point> propose() override;

 private:
  Search search_;
  Procedure procedure_;
};

}  // namespace burin::tune
