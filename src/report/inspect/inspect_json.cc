#include "report/inspect/inspect_json.h"

#include "read/isa/decode.h"
#include "read/isa/print.h"
#include "read/program/loop_lines.h"
#include "read/program/source.h"
#include "read/program/words.h"
#include "report/inspect/flow.h"
#include "report/inspect/listing.h"

namespace burin::report {
namespace {

std::optional<std::uint64_t> threads_of(const std::optional<std::array<std::uint32_t, 3>>& shape) {
  if (!shape) return std::nullopt;
  return std::uint64_t{(*shape)[0]} * (*shape)[1] * (*shape)[2];
}

std::optional<unsigned> scoreboard(std::uint8_t number) {
  return number == 7 ? std::nullopt : std::optional<unsigned>(number);
}

std::optional<std::string_view> text_or_null(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional<std::string_view>(text);
}

void write_place(Json& json, const read::Image& image, const read::Location& place) {
  json.field("file", read::path_of(image, place));
  json.field("line", place.line);
}

}  // namespace

void InspectJson::begin(std::string_view path, const read::Container& container) {
  json_.open('{');
  json_.field("schema", "burin.inspect/1");
  json_.field("file", path);
  json_.field("format", read::name(container.format));
  json_.open("images", '[');
}

void InspectJson::begin_image(const read::Image& image, const read::Entry& entry) {
  json_.open('{');
  json_.field("arch", read::to_string(image.arch));
  json_.field("relocatable", image.relocatable);
  json_.field("toolkit", text_or_null(image.toolkit));
  json_.field("source", text_or_null(entry.name));
  json_.field("member", text_or_null(entry.member));
  json_.open("kernels", '[');
  in_functions_ = false;
}

void InspectJson::end_image() {
  if (!in_functions_) {
    json_.close();
    json_.open("functions", '[');
  }
  json_.close();
  json_.close();
}

void InspectJson::add(const read::Image& image, const read::Function& function,
                      const read::Kernel* kernel) {
  if (!function.is_kernel && !in_functions_) {
    in_functions_ = true;
    json_.close();
    json_.open("functions", '[');
  }
  json_.open('{');
  json_.field("name", function.name);
  json_.field("demangled", function.demangled);
  json_.field("registers", function.registers);
  json_.field("shared_bytes", function.shared_bytes);
  json_.field("local_bytes", function.local_bytes);
  json_.field("stack_bytes", function.stack_bytes);
  json_.field("barriers", function.barriers);
  json_.field("max_registers", function.max_registers);
  json_.field("max_threads", threads_of(function.max_threads));
  json_.field("required_block", function.required_block);
  json_.field("cluster", function.cluster);
  json_.field("param_base", function.parameter_base);
  json_.field("param_bytes", function.parameter_bytes);
  json_.open("params", '[');
  for (const read::Parameter& parameter : function.parameters) {
    json_.open('{');
    json_.field("offset", parameter.offset);
    json_.field("size", parameter.size);
    json_.close();
  }
  json_.close();
  json_.open("constants", '[');
  for (const auto* banks : {&function.constants, &image.constants}) {
    for (const read::ConstantBank& bank : *banks) {
      json_.open('{');
      json_.field("bank", bank.bank);
      json_.field("bytes", bank.contents.size());
      json_.close();
    }
  }
  json_.close();
  json_.field("code_bytes", function.code.size());
  if (options_.instructions) write_instructions(image, function);
  if (kernel != nullptr) write_flow(*kernel);
  json_.close();
}

void InspectJson::write_instructions(const read::Image& image, const read::Function& function) {
  json_.open("instructions", '[');
  read::LineWalk lines(function);
  std::string text;
  read::Instruction instruction;
  const bool listable = check_code(image, function).ok();
  const std::size_t count = listable ? function.code.size() / 16 : 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    read::decode_at(function.code, i, image.arch, instruction);
    const read::Control& control = instruction.control;
    json_.open('{');
    json_.field("offset", instruction.offset);
    json_.field("raw", Word{instruction.high, instruction.low});
    text.clear();
    read::print(instruction, text);
    json_.field("text", text);
    json_.field("opcode",
                instruction.known() ? std::optional(instruction.mnemonic()) : std::nullopt);
    json_.field("stall", unsigned{control.stall});
    json_.field("yield", control.yield);
    json_.field("write_barrier", scoreboard(control.write_barrier));
    json_.field("read_barrier", scoreboard(control.read_barrier));
    json_.field("wait_mask", unsigned{control.wait_mask});
    json_.field("reuse", unsigned{control.reuse});
    const auto chain = read::call_chain(image, lines.at(instruction.offset));
    if (chain.empty()) {
      json_.field("line", nullptr);
    } else {
      json_.open("line", '{');
      write_place(json_, image, *chain.front());
      if (options_.call_chains) {
        json_.open("inlined_from", '[');
        for (std::size_t frame = 1; frame < chain.size(); ++frame) {
          json_.open('{');
          write_place(json_, image, *chain[frame]);
          json_.close();
        }
        json_.close();
      }
      json_.close();
    }
    json_.close();
  }
  json_.close();
}

void InspectJson::write_flow(const read::Kernel& kernel) {
  const auto index = [](std::uint32_t i) {
    return i == read::kNoIndex ? std::nullopt : std::optional<std::uint32_t>(i);
  };
  json_.open("loops", '[');
  for (std::uint32_t i = 0; i < kernel.loops.size(); ++i) {
    const read::Loop& loop = kernel.loops[i];
    const LoopSize size = size_of(kernel, i);
    const read::LoopLines lines = lines_of(kernel, loop);
    json_.open('{');
    json_.field("header", loop.header);
    json_.field("parent", index(loop.parent));
    json_.field("depth", loop.depth);
    json_.field("irreducible", loop.irreducible);
    json_.field("instructions", size.instructions);
    json_.field("own_instructions", size.own);
    json_.open("blocks", '[');
    for (const std::uint32_t block : loop.blocks) json_.element(block);
    json_.close();
    if (lines.first == 0) {
      json_.field("lines", nullptr);
    } else {
      json_.open("lines", '{');
      json_.field("file", lines.file);
      json_.field("first", lines.first);
      json_.field("last", lines.last);
      json_.close();
    }
    json_.close();
  }
  json_.close();
  json_.open("blocks", '[');
  for (const read::BasicBlock& block : kernel.blocks) {
    json_.open('{');
    json_.field("offset", kernel.instructions[block.first].offset);
    json_.field("instructions", block.last - block.first + 1);
    json_.field("loop", index(block.loop));
    json_.field("exits", block.exits);
    json_.field("unresolved", block.unresolved);
    json_.field("immediate_dominator", index(block.immediate_dominator));
    json_.field("immediate_post_dominator", index(block.immediate_post_dominator));
    json_.open("successors", '[');
    for (const read::Edge& edge : block.successors) {
      json_.open('{');
      json_.field("block", edge.block);
      json_.field("kind", read::name(edge.kind));
      json_.close();
    }
    json_.close();
    json_.close();
  }
  json_.close();
}

void InspectJson::end(std::span<const read::Entry* const> others,
                      std::span<const std::string> problems) {
  json_.close();
  json_.open("entries", '[');
  for (const read::Entry* entry : others) {
    json_.open('{');
    json_.field("kind", read::name(entry->kind));
    json_.field("arch", read::arch_name(entry->kind, entry->arch));
    json_.field("source", text_or_null(entry->name));
    json_.field("member", text_or_null(entry->member));
    json_.field("packing", read::name(entry->packing));
    json_.field("stored_bytes", entry->data.size());
    json_.field("bytes", entry->raw_size);
    json_.close();
  }
  json_.close();
  json_.open("problems", '[');
  for (const std::string& problem : problems) json_.element(problem);
  json_.close();
  json_.close();
}

}  // namespace burin::report
