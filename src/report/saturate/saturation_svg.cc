#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/format.h"
#include "base/numbers.h"
#include "report/saturate/saturate.h"

namespace burin::report {
namespace {

constexpr double kWidth = 720;
constexpr double kHeight = 420;
constexpr double kLeft = 80;
constexpr double kRight = 110;
constexpr double kTop = 46;
constexpr double kBottom = 56;
constexpr double kLine = 13;  // height of a line of text
// Distinguishable by people with impaired colour vision (Okabe and Ito).
constexpr std::array<std::string_view, 7> kColours{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                   "#E69F00", "#56B4E9", "#000000"};

std::string markup(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

// A logarithmic axis.
struct LogAxis {
  double low = 0;
  double high = 1;
  double start = 0;  // pixel of `low`
  double end = 1;

  double at(double value) const {
    return start +
           (std::log(value) - std::log(low)) / (std::log(high) - std::log(low)) * (end - start);
  }
};

class SaturationPlot {
 public:
  explicit SaturationPlot(const jobs::SaturatedKernel& found) : found_(found) {
    double least = 0;
    double most = 0;
    double first = 0;
    auto last = static_cast<double>(found.target);
    for (const jobs::SaturatedConfiguration& curve : found.configurations) {
      for (const model::SizeSample& sample : curve.samples) {
        const double throughput = sample.throughput();
        least = least == 0 ? throughput : std::min(least, throughput);
        most = std::max(most, throughput);
        first = first == 0 ? sample.size : std::min(first, sample.size);
        last = std::max(last, sample.size);
      }
      most = std::max(most, curve.found.plateau);
    }
    x_ = {.low = first,
          .high = std::max(last, first * 1.001),
          .start = kLeft,
          .end = kWidth - kRight};
    y_ = {.low = least * 0.8,
          .high = std::max(most * 1.25, least),
          .start = kHeight - kBottom,
          .end = kTop};
  }

  std::string svg() {
    text_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
        "height=\"{1}\" font-family=\"sans-serif\" font-size=\"12\">\n"
        "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
        kWidth, kHeight);
    label(kLeft, 24, "start",
          fmt::format("{} on {}: throughput over {}", found_.kernel, found_.device, found_.varied));
    axes();
    marks();
    for (std::size_t i = 0; i < found_.configurations.size(); ++i) curve(i);
    return text_ + "</svg>\n";
  }

 private:
  void label(double x, double y, std::string_view anchor, std::string_view words,
             std::string_view colour = "#333") {
    text_ +=
        fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"{}\">{}</text>\n", x,
                    y, anchor, colour, markup(words));
  }
  void line(double x1, double y1, double x2, double y2, std::string_view style) {
    text_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1,
                         y1, x2, y2, style);
  }

  void axes() {
    constexpr std::string_view kGrid = "stroke=\"#ddd\"";
    for (const model::SizeSample& sample : found_.base().samples) {
      line(x_.at(sample.size), kTop, x_.at(sample.size), kHeight - kBottom, kGrid);
      label(x_.at(sample.size), kHeight - kBottom + 18, "middle", short_number(sample.size));
    }
    for (double tick = std::pow(10, std::floor(std::log10(y_.low))); tick <= y_.high; tick *= 10) {
      for (const double step : {1.0, 2.0, 5.0}) {
        if (tick * step > y_.high || tick * step < y_.low) continue;
        line(kLeft, y_.at(tick * step), kWidth - kRight, y_.at(tick * step), kGrid);
        label(kLeft - 8, y_.at(tick * step) + 4, "end", short_number(tick * step));
      }
    }
    label((kLeft + kWidth - kRight) / 2, kHeight - 14, "middle", found_.varied);
    label(kLeft, kTop - 8, "start", found_.unit.empty() ? "units of work per second" : found_.unit);
  }

  // Plateau and saturation point.
  void marks() {
    const double plateau = found_.base().found.plateau;
    if (plateau > 0) {
      line(kLeft, y_.at(plateau), kWidth - kRight, y_.at(plateau),
           "stroke=\"#555\" stroke-dasharray=\"2 3\"");
    }
    if (const std::optional<std::int64_t> msp = found_.msp()) {
      const double x = x_.at(static_cast<double>(*msp));
      line(x, kTop, x, kHeight - kBottom, "stroke=\"#009E73\" stroke-width=\"2\"");
      label(x, kTop - 8, "middle", "saturation point", "#009E73");
    }
  }

  void curve(std::size_t index) {
    const jobs::SaturatedConfiguration& curve = found_.configurations[index];
    if (curve.samples.empty()) return;
    const std::string_view colour = kColours[index % kColours.size()];
    std::string points;
    for (const model::SizeSample& sample : curve.samples) {
      const double x = x_.at(sample.size);
      const double y = y_.at(sample.throughput());
      points += fmt::format("{:.1f},{:.1f} ", x, y);
      text_ +=
          fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n", x, y, colour);
    }
    text_ +=
        fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"/>\n",
                    points, colour);
    double y = y_.at(curve.samples.back().throughput()) + 4;
    // If curves meet, their labels are placed below each other.
    while (
        std::ranges::any_of(labels_, [&](double other) { return std::abs(other - y) < kLine; })) {
      y += kLine;
    }
    labels_.push_back(y);
    label(kWidth - kRight + 8, y, "start",
          curve.coarsening == 1 ? std::string("not coarsened")
                                : fmt::format("coarsened {}×", curve.coarsening),
          colour);
  }

  static std::string short_number(double value) {
    struct Unit {
      double scale;
      std::string_view name;
    };
    static constexpr Unit kUnits[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
    if (value < 1e5 && value == std::floor(value)) return fmt::format("{:.0f}", value);
    for (const Unit& unit : kUnits) {
      if (value >= unit.scale) return fmt::format("{:.3g}{}", value / unit.scale, unit.name);
    }
    return fmt::format("{:.3g}", value);
  }

  const jobs::SaturatedKernel& found_;
  LogAxis x_;
  LogAxis y_;
  std::vector<double> labels_;  // occupied heights
  std::string text_;
};

}  // namespace

std::string saturation_svg(const jobs::SaturatedKernel& found) {
  if (found.configurations.empty() || found.base().samples.empty()) return "";
  return SaturationPlot(found).svg();
}

}  // namespace burin::report
