#include "jobs/coarsen/ptx_source.h"

#include <algorithm>
#include <vector>

#include "base/format.h"
#include "jobs/input/choose_kernel.h"
#include "read/binary/container.h"
#include "read/binary/demangle.h"
#include "read/ptx/parse.h"
#include "toolchain/compile.h"

namespace burin::jobs {
namespace {

std::string text_of(Bytes bytes) {
  return {bytes.begin(), bytes.end()};
}

Result<std::vector<std::string>> ptx_texts(const KernelSource& source) {
  if (is_cuda_source(source.file)) {
    const toolchain::CompileCache cache(toolchain::CompileCache::default_folder());
    toolchain::CompileRequest request{.source = source.file, .arch = source.arch};
    if (request.arch.empty() && source.gpu) request.arch = read::to_string(*source.gpu);
    request.flags = source.flags;
    request.output = toolchain::CompileRequest::Output::kPtx;
    Result<toolchain::Compiled> compiled = toolchain::compile(request, cache);
    if (!compiled) return compiled.error();
    return std::vector<std::string>{std::move(compiled->ptx)};
  }
  const Result<MappedFile> file = MappedFile::open(source.file);
  if (!file) return file.error();
  const Result<read::Container> container = read::open_container(file->bytes());
  if (!container) return container.error().within(source.file);
  std::vector<const read::Entry*> entries;
  for (const read::Entry& entry : container->entries) {
    if (entry.kind == read::Entry::Kind::kPtx) entries.push_back(&entry);
  }
  std::ranges::stable_sort(
      entries, [](const read::Entry* a, const read::Entry* b) { return a->arch > b->arch; });
  std::vector<std::string> texts;
  for (const read::Entry* entry : entries) {
    const Result<std::vector<std::uint8_t>> bytes = read::unpack(*entry);
    if (!bytes) return bytes.error().within(source.file);
    std::string text = text_of(*bytes);
    text.resize(std::min(text.size(), text.find('\0')));  // fatbins end it with zeros
    texts.push_back(std::move(text));
  }
  if (texts.empty()) {
    return Error{source.file +
                 ": contains machine code only, and coarsening needs PTX: give the .cu or .ptx "
                 "file, or build with -gencode arch=compute_90,code=[sm_90,compute_90]"};
  }
  return texts;
}

}  // namespace

Result<PtxSource> load_ptx(const KernelSource& source, const Progress& progress) {
  Result<std::vector<std::string>> texts = ptx_texts(source);
  if (!texts) return texts.error();
  KernelNameMatcher matcher(source.kernel.value_or(""));
  std::vector<std::vector<read::Function>> kernels;
  for (std::size_t i = 0; i < texts->size(); ++i) {
    progress.step("reading PTX", i + 1, texts->size());
    const Result<read::ptx::Module> module = read::ptx::parse((*texts)[i]);
    if (!module) return module.error().within(source.file);
    std::vector<read::Function>& found = kernels.emplace_back();
    for (const read::ptx::Function* entry : module->entries()) {
      read::Function function;
      function.name = std::string(entry->name);
      function.demangled = read::demangle(function.name);
      function.is_kernel = true;
      matcher.offer(function);
      found.push_back(std::move(function));
    }
  }
  progress.done();
  if (const Result<void> one = matcher.check(KernelNameMatcher::Use::kLaunch); !one) {
    return one.error().within(source.file);
  }
  for (std::size_t i = 0; i < texts->size(); ++i) {
    for (const read::Function& kernel : kernels[i]) {
      if (matcher.has(kernel)) return PtxSource{(*texts)[i], kernel.name, kernel.demangled};
    }
  }
  return Error{source.file + ": has no kernel"};
}

}  // namespace burin::jobs
