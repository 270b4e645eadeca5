// What is to be tuned: a kernel, its tunable parameters, how it is launched and compiled for a
// configuration, what a right result is, and what counts as good.
//
// A spec comes from a TOML file (formats/toml_spec.h), from a T1 file (formats/t1_spec.h), from a
// launch without tunable parameters (block_shapes.h), or is made by a program:
//
//   Spec spec;
//   spec.sources[Language::kCuda] = "transpose.cu";
//   spec.tunables = {{"block_size_x", {Value{16}, Value{32}}}};
//   …
//   if (Result<void> complete = check_spec(spec); !complete) return complete.error();
//
// docs/tune.md describes the fields.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "formula/expression.h"
#include "formula/template.h"
#include "launch/compare.h"
#include "tune/space/space.h"

namespace burin::tune {

enum class Language : std::uint8_t { kCuda, kOpencl };
std::string_view name(Language language);  // "cuda"

// One launch of a configuration; most configurations have one.
struct LaunchSpec {
  std::string kernel{};                               // name in the source
  std::vector<formula::Expression> block{};           // one to three
  std::vector<formula::Expression> grid{};            // one to three, in blocks
  std::optional<formula::Expression> shared_bytes{};  // dynamic shared memory; none: 0
  std::optional<formula::Expression> repeat{};        // number of launches; none: 1
  std::vector<formula::Template> arguments{};         // docs/arguments.md, with {expressions}
};

// A buffer that holds results: an argument of the first launch.
struct OutputSpec {
  std::size_t argument = 0;
  std::optional<launch::ElementType> type{};  // none: that of its fill, or of the other buffers
};

// The expected outputs: those of a kernel, of files, or of the first configuration that runs.
struct ReferenceSpec {
  std::optional<LaunchSpec>
      launch{};  // a kernel of the same source; its arguments are the first launch's
  std::map<std::size_t, std::string> files{};  // argument: path
  std::vector<OutputSpec> outputs{};           // empty: every buffer that the reference changes
  std::optional<double> tolerance{};  // none: bit for bit for integers, 1e-4 for floating point
  bool skip = false;                  // no verification at all
};

struct ObjectiveSpec {
  std::optional<formula::Expression> expression{};  // may use time_us; none: time_us
  bool maximise = false;
  std::string unit{};  // "GFLOP/s"; "" means µs if there is no expression
};

// How throughput is measured over problem sizes (burin saturate, docs/saturate.md).
struct SaturationSpec {
  std::string size{};                         // the name that is varied; "": see problem sizes
  std::optional<std::int64_t> from{};         // smallest size; none: those of [problem]
  std::optional<std::int64_t> to{};           // the target
  double step = 2;                            // each size is so many times the one before
  std::optional<formula::Expression> work{};  // units of work; none: the objective's
  bool whole_waves = false;  // sizes near the steps at which the last wave of blocks is full
  std::string config{};      // "A=1,B=2": the configuration that is measured
};

struct Spec {
  std::string path{};                         // of the spec, for messages; "" if there is none
  std::string text{};                         // verbatim, for sessions
  std::map<Language, std::string> sources{};  // paths

  std::vector<formula::Names> sizes{};  // problem sizes: the same names in each; at least one
  std::vector<Parameter> tunables{};
  std::vector<formula::Expression> restrictions{};
  std::vector<std::pair<std::string, formula::Expression>>
      derived{};  // names, each from those before

  std::vector<LaunchSpec> launches{};
  std::vector<formula::Template> settings{};  // module variables: SYMBOL=FILL
  std::vector<formula::Template> options{};   // of the compiler
  std::optional<formula::Expression> max_registers{};
  std::optional<formula::Template> instance{};  // template instance of the first launch's kernel
  ReferenceSpec reference{};
  ObjectiveSpec objective{};
  std::optional<SaturationSpec> saturation{};
};

// Checks that every expression mentions known names only, and that nothing is missing. Fills in
// what has a default: the block expressions block_size_x, _y, _z.
Result<void> check_spec(Spec& spec);

// The restrictions, and the limit of 1024 threads per block, which every launch has.
std::vector<formula::Expression> space_restrictions(const Spec& spec);

// The values of sizes, tunables and derived names for a point. `size` is one of spec.sizes. `space`
// has the parameters of the spec.
Result<formula::Names> names_of(const Spec& spec, const formula::Names& size, const Space& space,
                                const Point& point);

// "n=4096" or "n=4096, m=64": a problem size in messages and tables.
std::string describe(const formula::Names& size);

}  // namespace burin::tune
