#include <algorithm>

#include "base/format.h"
#include "report/carve/carve.h"

namespace burin::report {
namespace {

constexpr double kPlotWidth = 640;
constexpr double kPlotHeight = 480;
constexpr double kPlotLeft = 60;
constexpr double kPlotRight = 20;
constexpr double kPlotTop = 40;
constexpr double kPlotBottom = 50;

struct PlotPlace {
  double x = 0;
  double y = 0;
};

class CarvedPlot {
 public:
  explicit CarvedPlot(const jobs::CarvedSize& size) : size_(size) {
    for (const model::Metrics& metrics : size.carving().metrics) {
      for (std::size_t i = 0; i < 2; ++i) most_[i] = std::max(most_[i], metrics.axes[i]);
    }
  }

  PlotPlace place(std::size_t i) const {
    const auto& axes = size_.carving().metrics[i].axes;
    return {
        kPlotLeft + (kPlotWidth - kPlotLeft - kPlotRight) * axes[0] / std::max(most_[0], 1e-300),
        kPlotHeight - kPlotBottom -
            (kPlotHeight - kPlotTop - kPlotBottom) * axes[1] / std::max(most_[1], 1e-300)};
  }

 private:
  const jobs::CarvedSize& size_;
  double most_[2] = {};
};

std::string escaped_svg(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '>') {
      out += "&gt;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string axes_svg() {
  const double bottom = kPlotHeight - kPlotBottom;
  std::string out = fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#888\"/>\n",
      kPlotLeft, kPlotTop, kPlotWidth - kPlotLeft - kPlotRight,
      kPlotHeight - kPlotTop - kPlotBottom);
  for (int tick = 0; tick <= 5; ++tick) {
    const double share = tick / 5.0;
    const double x = kPlotLeft + share * (kPlotWidth - kPlotLeft - kPlotRight);
    const double y = bottom - share * (kPlotHeight - kPlotTop - kPlotBottom);
    out += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{:.1f}</text>\n", x,
                       bottom + 18, share);
    out += fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{:.1f}</text>\n",
                       kPlotLeft - 6, y + 4, share);
  }
  out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">efficiency</text>\n",
                     (kPlotLeft + kPlotWidth - kPlotRight) / 2, kPlotHeight - 10);
  out += fmt::format(
      "<text x=\"16\" y=\"{0}\" text-anchor=\"middle\" "
      "transform=\"rotate(-90 16 {0})\">utilization</text>\n",
      (kPlotTop + bottom) / 2);
  return out;
}

// A cross; a square if a threshold removed it; a dot if it was kept.
std::string mark_svg(model::Fate fate, PlotPlace at) {
  if (fate == model::Fate::kThreshold) {
    return fmt::format(
        "<rect class=\"threshold\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"6\" "
        "height=\"6\"/>",
        at.x - 3, at.y - 3);
  }
  if (model::is_kept(fate)) {
    return fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\"/>",
                       fate == model::Fate::kGuard ? "guard" : "kept", at.x, at.y);
  }
  return fmt::format("<path class=\"pruned\" d=\"M{0:.1f} {1:.1f}h6m-3 -3v6\"/>", at.x - 3, at.y);
}

}  // namespace

std::string carved_svg(const jobs::CarvedSpace& carved, const jobs::CarvedSize& size) {
  const model::Carving& carving = size.carving();
  const CarvedPlot plot(size);
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" font-family=\"sans-serif\" font-size=\"12\">\n<style>.pruned{{stroke:#999;"
      "fill:none}}.threshold{{stroke:#c60;fill:none}}.kept{{fill:#06c}}.guard{{fill:#0a0}}"
      ".front{{stroke:#06c;fill:none;stroke-dasharray:4 3}}.best{{stroke:#c00;fill:none;"
      "stroke-width:2}}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
      kPlotWidth, kPlotHeight);
  out += fmt::format(
      "<text x=\"{}\" y=\"20\" font-weight=\"bold\">{} on {}: {} of {} configurations "
      "kept</text>\n",
      kPlotLeft, escaped_svg(carved.spec.launches.front().kernel), escaped_svg(carved.machine),
      carving.kept.size(), size.space.size());
  out += axes_svg();
  std::vector<PlotPlace> line;
  for (const std::size_t i : carving.front) line.push_back(plot.place(i));
  // The outline in these two axes; with a third one, points of the front lie below it.
  std::ranges::sort(line, {}, [](const PlotPlace& at) { return -at.x; });
  double highest = kPlotHeight;
  std::string path;
  for (const PlotPlace& at : line) {
    if (at.y > highest) continue;
    highest = at.y;
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", at.x, at.y);
  }
  if (!path.empty()) out += fmt::format("<path class=\"front\" d=\"{}\"/>\n", path);
  for (std::size_t i = 0; i < carving.verdicts.size(); ++i) {
    if (carving.metrics[i].cycles <= 0) continue;
    out += fmt::format("<g>{}<title>{}</title></g>\n",
                       mark_svg(carving.verdicts[i].fate, plot.place(i)),
                       escaped_svg(tune::describe(size.space, size.counted[i].point)));
  }
  if (size.source == jobs::TimeSource::kRecorded || size.source == jobs::TimeSource::kPredicted) {
    const auto best = std::ranges::min_element(size.times_us);
    const PlotPlace at = plot.place(static_cast<std::size_t>(best - size.times_us.begin()));
    out +=
        fmt::format("<circle class=\"best\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"8\"/>\n", at.x, at.y);
  }
  return out + "</svg>\n";
}

}  // namespace burin::report
