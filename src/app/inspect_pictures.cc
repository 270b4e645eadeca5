#include "app/inspect_pictures.h"

#include "base/format.h"
#include "base/text.h"
#include "read/program/kernel.h"
#include "read/program/source.h"
#include "report/html/launch_view.h"

namespace burin::app {
namespace {

bool is_shown(const jobs::OpenImages& images, const read::Function& function) {
  return function.is_kernel && images.means(function);
}

// Refuses before anything is written.
Result<void> check_size(const jobs::OpenImages& images, const std::string& file) {
  std::size_t count = 0, kernels = 0;
  for (std::size_t i = 0; i < images.cubins().size(); ++i) {
    const Result<read::Image> image = images.load(i);
    if (!image) continue;  // told with the listing
    for (const read::Function& function : image->functions) {
      if (!is_shown(images, function)) continue;
      ++kernels;
      count += function.code.size() / read::kInstructionBytes;
    }
  }
  if (kernels == 0) return Error{"--html: " + file + " has no kernel to show"};
  if (count <= report::kMaxReportInstructions) return {};
  return Error{
      fmt::format("--html: the {} kernels of {} have {} instructions, more than the {} of "
                  "a report; choose some with --kernel NAME or --arch",
                  kernels, file, with_commas(count), with_commas(report::kMaxReportInstructions)),
      Exit::kUsage};
}

}  // namespace

Result<void> write_pictures(const PictureOptions& options, const jobs::OpenImages& images,
                            const std::string& file) {
  if (options.html.empty()) return {};
  if (Result<void> fine = check_size(images, file); !fine) return fine;
  read::SourceText source(folder_of(file));
  return write_html(options.html, "code of " + std::string(file_name(file)),
                    [&](report::Json& json) {
                      for (std::size_t i = 0; i < images.cubins().size(); ++i) {
                        const Result<read::Image> image = images.load(i);
                        if (!image) continue;
                        for (const read::Function& function : image->functions) {
                          if (!is_shown(images, function)) continue;
                          const Result<read::Kernel> kernel =
                              read::build_kernel(*image, function, {.dependences = false});
                          if (!kernel) continue;
                          const report::CodeReport code{.kernel = *kernel, .source = source};
                          report::write_launch_view(json, {.file = file, .code = code});
                        }
                      }
                    });
}

}  // namespace burin::app
