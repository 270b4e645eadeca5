// The kernels of a file, as `burin inspect --json` writes them.
#include "python/answers.h"
#include "python/text_of.h"
#include "report/inspect/inspect_json.h"
#include "report/inspect/table.h"

namespace burin::python {
namespace {

void write_json(report::Output& out, const std::string& file, const jobs::OpenImages& images,
                std::vector<std::string>& problems, bool instructions) {
  report::InspectJson json(out, {.instructions = instructions});
  json.begin(file, images.container());
  for (std::size_t i = 0; i < images.cubins().size(); ++i) {
    const Result<read::Image> image = images.load(i);
    if (!image) {
      problems.push_back(image.error().message);
      continue;
    }
    json.begin_image(*image, *images.cubins()[i]);
    for (const bool kernels : {true, false}) {
      for (const read::Function& function : image->functions) {
        if (function.is_kernel == kernels && images.means(function))
          json.add(*image, function, nullptr);
      }
    }
    json.end_image();
  }
  json.end(images.others(), problems);
}

}  // namespace

Result<Answer> inspect(const jobs::ImagesRequest& request, bool instructions) {
  const Result<std::unique_ptr<jobs::OpenImages>> images = jobs::OpenImages::open(request, {});
  if (!images) return images.error();
  std::vector<std::string> problems = (*images)->problems();
  Answer answer;
  answer.json = text_of([&](report::Output& out) {
    write_json(out, request.file, **images, problems, instructions);
  });
  answer.text = text_of([&](report::Output& out) {
    report::write_summary(out, request.file, (*images)->container());
  });
  answer.warnings = std::move(problems);
  return answer;
}

}  // namespace burin::python
