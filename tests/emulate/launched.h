// A kernel of tests/data/emulate, launched: its results, counts and faults.
//
//   Launched run("split", "sides", {.block = {32}, .arguments = {"buf:256:zero"}});
//   EXPECT_EQ(run.word(0, 3), 5u);            // of argument 0's buffer, as the kernel left it
//   EXPECT_EQ(run.count("BSYNC").warps, 2u);
//   EXPECT_EQ(run.line("sum += i"), …);       // the source line with that text
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "emulate/run.h"
#include "launch/launch.h"
#include "read/binary/container.h"
#include "read/program/kernel.h"

namespace burin::emulate {

using Word = std::optional<std::uint32_t>;  // none: Unknown
using Words = std::vector<Word>;

class Launched {
 public:
  struct Shape {
    launch::Dims grid{};
    launch::Dims block{};
    std::vector<std::string> arguments{};
    std::vector<std::string> settings{};
    unsigned sm = 90;
    RunOptions options{};
    std::vector<launch::PlacedBuffer> memory{};
    std::vector<launch::Texture> textures{};
    std::vector<std::string> unknown_variables{};  // names
  };

  Launched(const std::string& file, const std::string& name, Shape shape)
      : source_(BURIN_SOURCE_DIR "/tests/data/emulate/" + file + ".cu"),
        options_(std::move(shape.options)) {
    if (options_.threads == 0) options_.threads = 1;
    if (options_.most_instructions == 0) options_.most_instructions = 1'000'000;
    load_kernel(BURIN_SOURCE_DIR "/tests/data/emulate/" + file + ".fatbin", name, shape.sm);
    if (kernel_.function != nullptr) start(shape);
  }
  Launched(const Launched&) = delete;
  Launched& operator=(const Launched&) = delete;

  // Empty where the run ended well.
  const std::string& error() const { return error_; }
  const burin::emulate::Run& run() const { return run_; }
  const read::Kernel& kernel() const { return kernel_; }
  const launch::Launch& launch() const { return launch_; }

  Word word(std::size_t argument, std::size_t index) const {
    Datum d;
    if (argument >= run_.buffers.size() ||
        run_.memory->read(run_.buffers[argument] + 4 * index, 4, d) != MemoryStatus::kDone) {
      ADD_FAILURE() << "no word " << index << " of argument " << argument << "; " << error_;
      return std::nullopt;
    }
    if ((d.unknown & 0xf) != 0) return std::nullopt;
    std::uint32_t value = 0;
    std::memcpy(&value, d.bytes.data(), sizeof value);
    return value;
  }
  Words words(std::size_t argument, std::size_t first, std::size_t count) const {
    Words out;
    for (std::size_t i = 0; i < count; ++i) out.push_back(word(argument, first + i));
    return out;
  }
  // What the buffer held before.
  std::vector<std::uint32_t> given(std::size_t argument) const {
    const launch::Buffer& buffer = *launch_.arguments[argument].buffer();
    std::vector<std::uint32_t> out(buffer.size / 4);
    buffer.fill(0, {reinterpret_cast<std::uint8_t*>(out.data()), 4 * out.size()});
    return out;
  }

  // Of all instructions with the mnemonic.
  InstructionCount count(std::string_view mnemonic) const {
    return sum([&](std::uint32_t i) { return kernel_.instructions[i].mnemonic() == mnemonic; });
  }
  // Of the instructions with the mnemonic on one line; any mnemonic where it is empty.
  InstructionCount count_at(std::uint32_t line, std::string_view mnemonic = "") const {
    return sum([&](std::uint32_t i) {
      return line_of(i) == line &&
             (mnemonic.empty() || kernel_.instructions[i].mnemonic() == mnemonic);
    });
  }

  // The innermost source line of an instruction; 0 where none is known.
  std::uint32_t line_of(std::uint32_t instruction) const {
    const std::int32_t l = kernel_.location_at(16 * instruction);
    return l < 0 ? 0 : image_.locations[static_cast<std::size_t>(l)].line;
  }
  // The number of the first line of the source that holds the text.
  std::uint32_t line(std::string_view text) const {
    std::ifstream file(source_);
    std::string read;
    for (std::uint32_t number = 1; std::getline(file, read); ++number)
      if (read.find(text) != std::string::npos) return number;
    ADD_FAILURE() << "no line of " << source_ << " holds: " << text;
    return 0;
  }

  const Fault* fault(Fault::Kind kind) const {
    const auto found = std::ranges::find(run_.faults, kind, &Fault::kind);
    return found == run_.faults.end() ? nullptr : &*found;
  }

 private:
  void give_up(const Error& error) {
    ADD_FAILURE() << error.message;
    error_ = error.message;
  }

  void load_kernel(const std::string& path, const std::string& name, unsigned sm) {
    Result<MappedFile> file = MappedFile::open(path);
    if (!file) return give_up(file.error());
    Result<read::Container> container = read::open_container(file->bytes());
    if (!container) return give_up(container.error());
    const auto entry = std::ranges::find(
        container->entries, sm, [](const read::Entry& e) -> unsigned { return e.arch.sm; });
    if (entry == container->entries.end()) return give_up({"no code for the architecture"});
    Result<read::Image> image = read::load(*entry);  // compressed, so it owns its bytes
    if (!image) return give_up(image.error());
    image_ = std::move(*image);
    const auto function = std::ranges::find(image_.functions, name, &read::Function::name);
    if (function == image_.functions.end()) return give_up({"no kernel " + name});
    Result<read::Kernel> kernel = read::build_kernel(image_, *function, {.dependences = false});
    if (!kernel) return give_up(kernel.error());
    kernel_ = std::move(*kernel);
  }

  void start(const Shape& shape) {
    Result<std::vector<launch::Argument>> arguments = launch::parse_arguments(shape.arguments);
    if (!arguments) return give_up(arguments.error());
    launch_ = {.grid = shape.grid, .block = shape.block, .arguments = std::move(*arguments)};
    Result<std::vector<launch::Setting>> settings =
        launch::resolve_settings(shape.settings, image_);
    if (!settings) return give_up(settings.error());
    launch_.settings = std::move(*settings);
    launch_.memory = shape.memory;
    launch_.textures = shape.textures;
    for (const read::Variable& variable : image_.variables) {
      if (std::ranges::count(shape.unknown_variables, variable.name) == 0) continue;
      launch_.unknown_variables.push_back(variable.place);
    }
    if (Result<void> fits = launch::check_launch(launch_, *kernel_.function); !fits) {
      return give_up(fits.error());
    }
    Result<burin::emulate::Run> result = emulate(kernel_, launch_, options_);
    if (!result) return give_up(result.error());
    run_ = std::move(*result);
    if (run_.stopped) error_ = run_.stopped->message;
  }

  template <typename Choose>
  InstructionCount sum(Choose choose) const {
    InstructionCount out;
    for (std::uint32_t i = 0; i < run_.counts.size(); ++i) {
      if (!choose(i)) continue;
      out.warps += run_.counts[i].warps;
      out.lanes += run_.counts[i].lanes;
      out.divergent += run_.counts[i].divergent;
    }
    return out;
  }

  std::string source_;
  RunOptions options_;
  read::Image image_;
  read::Kernel kernel_;
  launch::Launch launch_;
  burin::emulate::Run run_;
  std::string error_;
};

}  // namespace burin::emulate
