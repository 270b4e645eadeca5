// Any text is read as CUDA source: its tokens are in order and within it, brackets match in pairs,
// and loops lie within their functions. Edits of it give the text that they say, as a patch too.
#include "advise/changes/cuda_text.h"

#include <cstdint>
#include <cstdlib>
#include <string>

#include "advise/changes/parameters.h"
#include "advise/changes/text_edit.h"

using namespace burin;
using namespace burin::advise;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const CudaText source(std::string(reinterpret_cast<const char*>(data), size));
  std::size_t end = 0;
  for (std::size_t i = 0; i < source.tokens().size(); ++i) {
    const Token& token = source.tokens()[i];
    require(token.offset >= end && token.length > 0);
    end = token.offset + token.length;
    require(end <= size && source.line_at(token.offset) == token.line);
    if (source.partner(i) != CudaText::kNone) require(source.partner(source.partner(i)) == i);
  }
  std::vector<TextEdit> edits;
  for (const FunctionText& f : functions_of(source)) {
    require(f.open_parameters < f.close_parameters && f.close_parameters < f.open_body &&
            f.open_body < f.close_body);
    for (const ParameterText& p : parameters_of(source, f)) require(p.first <= p.last);
    for (const LoopText& loop : loops_of(source, f)) {
      require(loop.keyword > f.open_body && loop.last <= f.close_body);
      edits.push_back({source.line_start(loop.line), 0, "#pragma unroll\n"});
    }
  }
  const Result<std::string> made = apply_edits(source.text(), edits);
  require(made.ok() && made->size() >= size);
  require(unified_diff(source, "k.cu", edits).empty() == edits.empty());
  return 0;
}
