#include "gpu/micro/build.h"

#include "base/new_file.h"
#include "gpu/micro/check_code.h"
#include "read/binary/image.h"
#include "toolchain/compile.h"

namespace burin::gpu {
namespace {

Result<void> write_file(const std::string& path, Bytes bytes) {
  Result<NewFile> file = NewFile::create(path);
  if (!file) return file.error();
  if (Result<void> written = file->write(bytes); !written) return written;
  return file->finish();
}

Bytes bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace

Result<BuiltMicro> build_micro(const Microbenchmark& micro, read::Architecture arch,
                               const std::string& folder) {
  const std::string source = folder + "/" + micro.name + ".cu";
  if (Result<void> done = write_file(source, bytes_of(micro.source)); !done) return done.error();
  if (micro.chip_only) arch.variant = 'a';
  const toolchain::CompileRequest request{
      .source = source, .arch = read::to_string(arch), .flags = {"-std=c++17", "-w"}};
  const Result<toolchain::Compiled> made = toolchain::compile(
      request, toolchain::CompileCache(toolchain::CompileCache::default_folder()));
  if (!made) return made.error();
  const Result<read::Image> image = read::read_cubin(made->cubin, {});
  if (!image) return image.error();
  for (const CodeCheck& check : micro.code) {
    if (Result<void> right = check_code(*image, check); !right) return right.error();
  }
  const std::string cubin = folder + "/" + micro.name + ".cubin";
  if (Result<void> done = write_file(cubin, made->cubin); !done) return done.error();
  return BuiltMicro{cubin, image->toolkit};
}

}  // namespace burin::gpu
