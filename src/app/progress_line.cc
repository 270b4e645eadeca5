#include "app/progress_line.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "app/terminal.h"
#include "base/format.h"

namespace burin::app {
namespace {

constexpr double kQuietSeconds = 0.3;  // short work shows nothing
constexpr double kPaintSeconds = 0.1;  // between two paintings
constexpr double kRateSeconds = 1;     // a rate over less says little

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// 45 s, 3 min 20 s, 2 h 5 min.
std::string duration_text(double seconds) {
  const auto whole = static_cast<unsigned long long>(seconds + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string rate_text(double per_second) {
  if (per_second >= 1) return fmt::format("{:.{}f}/s", per_second, per_second < 10 ? 1 : 0);
  return fmt::format("{:.1f}/min", 60 * per_second);
}

// At most `width` columns; text in UTF-8 is not cut within a character.
std::string cut_to(std::string text, std::size_t width) {
  std::size_t columns = 0;
  for (std::size_t at = 0; width > 0 && at < text.size(); ++at) {
    if ((static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) continue;
    if (++columns > width) return text.substr(0, at);
  }
  return text;
}

}  // namespace

void WorkPhase::step(std::string_view what, std::size_t now_done, std::size_t of, double now) {
  const bool is_new = of != all || now_done < done || began == 0 || (of == 0 && what != doing);
  doing = what;
  done = now_done;
  all = of;
  if (!is_new) return;
  first = now_done;
  began = now;
}

std::string progress_text(const WorkPhase& phase, double now, std::size_t width) {
  std::string text = fmt::format("{} {}", phase.doing, phase.done);
  if (phase.all != 0) text += fmt::format(" of {}", phase.all);
  const double elapsed = now - phase.began;
  if (elapsed < kRateSeconds) return cut_to(text, width);
  const double rate = static_cast<double>(phase.done - phase.first) / elapsed;
  if (rate > 0) text += "  " + rate_text(rate);
  if (rate > 0 && phase.all > phase.done) {
    text += "  " + duration_text(static_cast<double>(phase.all - phase.done) / rate) + " left";
  } else {
    text += "  " + duration_text(elapsed);
  }
  return cut_to(text, width);
}

ProgressLine::ProgressLine() : is_terminal_(::isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() {
  {
    const std::lock_guard lock(mutex_);
    wipe();
    ended_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void ProgressLine::step(std::string_view doing, std::size_t done, std::size_t all) {
  if (!is_terminal_) return;
  const std::lock_guard lock(mutex_);
  const double now = steady_seconds();
  if (first_step_ == 0) first_step_ = now;
  phase_.step(doing, done, all, now);
  if (!thread_.joinable()) thread_ = std::thread([this] { repaint(); });
  if (now - painted_ >= kPaintSeconds) paint(now);
}

void ProgressLine::clear() {
  const std::lock_guard lock(mutex_);
  wipe();
  first_step_ = 0;
  phase_ = {};
}

void ProgressLine::repaint() {
  std::unique_lock lock(mutex_);
  while (!ended_) {
    changed_.wait_for(lock, std::chrono::milliseconds(250));
    if (!ended_ && first_step_ > 0) paint(steady_seconds());
  }
}

void ProgressLine::paint(double now) {
  if (now - first_step_ < kQuietSeconds) return;
  const std::size_t width = terminal_width(STDERR_FILENO);
  const std::string text = progress_text(phase_, now, width > 1 ? width - 1 : 0);
  std::fprintf(stderr, "\r\x1b[K%s", text.c_str());
  std::fflush(stderr);
  shown_ = true;
  painted_ = now;
}

void ProgressLine::wipe() {
  if (!shown_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace burin::app
