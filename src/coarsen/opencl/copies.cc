#include "coarsen/opencl/copies.h"

#include <cstdint>
#include <string_view>

#include "base/format.h"
#include "coarsen/opencl/allowed.h"

namespace burin::coarsen {
namespace {

// P is the prefix. Every name has it, as the others may be macros of the source or of the options.
constexpr std::string_view kIds = R"(typedef struct {
  size_t P_local_id[3];
  size_t P_local_size[3];
  size_t P_group_id[3];
  size_t P_num_groups[3];
} P_ids;
P_ids P_own_ids(void) {
  P_ids P_own = {{get_local_id(0), get_local_id(1), get_local_id(2)},
                 {get_local_size(0), get_local_size(1), get_local_size(2)},
                 {get_group_id(0), get_group_id(1), get_group_id(2)},
                 {get_num_groups(0), get_num_groups(1), get_num_groups(2)}};
  return P_own;
}
size_t P_get_local_id(const __private P_ids* P, uint P_d) {
  return P_d < 3 ? P->P_local_id[P_d] : get_local_id(P_d);
}
size_t P_get_local_size(const __private P_ids* P, uint P_d) {
  return P_d < 3 ? P->P_local_size[P_d] : get_local_size(P_d);
}
size_t P_get_group_id(const __private P_ids* P, uint P_d) {
  return P_d < 3 ? P->P_group_id[P_d] : get_group_id(P_d);
}
size_t P_get_num_groups(const __private P_ids* P, uint P_d) {
  return P_d < 3 ? P->P_num_groups[P_d] : get_num_groups(P_d);
}
size_t P_get_global_size(const __private P_ids* P, uint P_d) {
  return P_d < 3 ? P->P_num_groups[P_d] * P->P_local_size[P_d] : get_global_size(P_d);
}
size_t P_without_offset(const __private P_ids* P, uint P_d) {
  return P->P_group_id[P_d] * P->P_local_size[P_d] + P->P_local_id[P_d];
}
size_t P_get_global_id(const __private P_ids* P, uint P_d) {
  return P_d < 3 ? P_without_offset(P, P_d) + get_global_offset(P_d) : get_global_id(P_d);
}
size_t P_get_enqueued_local_size(const __private P_ids* P, uint P_d) {
  return P_get_local_size(P, P_d);
}
size_t P_get_global_linear_id(const __private P_ids* P) {
  return (P_without_offset(P, 2) * P_get_global_size(P, 1) + P_without_offset(P, 1)) *
             P_get_global_size(P, 0) + P_without_offset(P, 0);
}
size_t P_get_local_linear_id(const __private P_ids* P) {
  return (P->P_local_id[2] * P->P_local_size[1] + P->P_local_id[1]) * P->P_local_size[0] +
         P->P_local_id[0];
}
)";

// "4 work-items in one along x (stride 32), 2 work-groups in one along y"
std::string summary_of(const OpenclCoarsening& coarsening) {
  std::string text;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (coarsening.thread_factor[axis] == 1) continue;
    text +=
        fmt::format("{}{} work-items in one along {} (stride {})", text.empty() ? "" : ", ",
                    coarsening.thread_factor[axis], "xyz"[axis], coarsening.thread_stride[axis]);
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (coarsening.block_factor[axis] == 1) continue;
    text += fmt::format("{}{} work-groups in one along {}", text.empty() ? "" : ", ",
                        coarsening.block_factor[axis], "xyz"[axis]);
  }
  return text.empty() ? "nothing changed" : text;
}

// The loops over the copies, outermost first, and the lines that they hold.
class OpenclLoops {
 public:
  explicit OpenclLoops(std::string prefix) : prefix_(std::move(prefix)) {}

  void open(std::string_view level, std::size_t axis, std::uint32_t count) {
    variable_ = fmt::format("{}_{}_{}", prefix_, level, axis);
    text_ += "#pragma unroll\n";
    line(fmt::format("for (uint {0} = 0; {0} < {1}; ++{0}) {{", variable_, count));
    ++depth_;
  }
  void line(std::string_view text) {
    text_.append(2 * depth_, ' ');
    text_ += text;
    text_ += '\n';
  }
  std::string close() {
    while (depth_ > 1) {
      --depth_;
      line("}");
    }
    return std::move(text_);
  }
  const std::string& variable() const { return variable_; }  // of the innermost loop

 private:
  std::string prefix_;
  std::string variable_;
  std::string text_;
  std::size_t depth_ = 1;
};

}  // namespace

Result<void> check_opencl_factors(const OpenclCoarsening& coarsening) {
  std::uint64_t copies = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const char name = "xyz"[axis];
    const std::uint32_t local = coarsening.local_size[axis];
    const std::uint32_t factor = coarsening.thread_factor[axis];
    const std::uint32_t stride = coarsening.thread_stride[axis];
    const std::uint32_t block = coarsening.block_factor[axis];
    if (local == 0 || coarsening.groups[axis] == 0) {
      return Error{fmt::format("the launch has no work-items along {}", name), Exit::kUsage};
    }
    if (factor == 0 || stride == 0 || block == 0) {
      return Error{fmt::format("factors and strides begin at 1; along {} one is 0", name),
                   Exit::kUsage};
    }
    if (local % factor != 0) {
      return Error{fmt::format("the thread factor {} along {} does not divide the local size {}",
                               factor, name, local),
                   Exit::kUsage};
    }
    if (factor > 1 && local / factor % stride != 0) {
      return Error{fmt::format("the stride {} along {} does not divide the new local size {}",
                               stride, name, local / factor),
                   Exit::kUsage};
    }
    for (const std::uint32_t count : {factor, block}) {
      copies *= count;
      if (copies > kMaxOpenclCopies) {
        return Error{fmt::format("more than {} work-items would become one; choose smaller factors",
                                 kMaxOpenclCopies),
                     Exit::kUsage};
      }
    }
  }
  return {};
}

CoarsenedOpencl coarsened_launch(const OpenclCoarsening& coarsening) {
  CoarsenedOpencl launch;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::uint32_t block = coarsening.block_factor[axis];
    launch.local_size[axis] = coarsening.local_size[axis] / coarsening.thread_factor[axis];
    launch.groups[axis] = (coarsening.groups[axis] - 1) / block + 1;
  }
  return launch;
}

std::string ids_text(const std::string& prefix, const std::string& kernel,
                     const std::set<std::string>& ids, const OpenclCoarsening& coarsening) {
  std::string text =
      fmt::format("// Coarsened by burin, kernel {}: {}.\n", kernel, summary_of(coarsening));
  for (const char c : kIds) {
    if (c == 'P') {
      text += prefix;
    } else {
      text += c;
    }
  }
  for (const OpenclIdFunction& function : kOpenclIdFunctions) {
    if (!ids.contains(std::string(function.name))) continue;
    text += function.has_dimension
                ? fmt::format("#define {0}(d) {1}_{0}({1}, d)\n", function.name, prefix)
                : fmt::format("#define {0}() {1}_{0}({1})\n", function.name, prefix);
  }
  return text;
}

std::string ids_parameter(const std::string& prefix) {
  return fmt::format("const __private {0}_ids* {0}", prefix);
}

std::string own_ids_text(const std::string& prefix) {
  return fmt::format(" const {0}_ids {0}_own = {0}_own_ids(); {1} = &{0}_own; ", prefix,
                     ids_parameter(prefix));
}

std::string loops_text(const std::string& prefix, const OpenclKernelHead& head,
                       const std::string& body, const OpenclCoarsening& coarsening) {
  OpenclLoops loops(prefix);
  loops.line(fmt::format("const {0}_ids {0}_own = {0}_own_ids();", prefix));
  loops.line(fmt::format("{0}_ids {0}_copy = {0}_own;", prefix));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (const std::uint32_t factor = coarsening.thread_factor[axis]; factor > 1) {
      loops.line(fmt::format("{0}_copy.{0}_local_size[{1}] *= {2};", prefix, axis, factor));
    }
    if (coarsening.block_factor[axis] > 1) {
      loops.line(fmt::format("{0}_copy.{0}_num_groups[{1}] = {2};", prefix, axis,
                             coarsening.groups[axis]));
    }
  }
  for (const std::size_t axis : {2u, 1u, 0u}) {
    const std::uint32_t factor = coarsening.block_factor[axis];
    if (factor == 1) continue;
    loops.open("block", axis, factor);
    loops.line(fmt::format("{0}_copy.{0}_group_id[{1}] = {0}_own.{0}_group_id[{1}] * {2} + {3};",
                           prefix, axis, factor, loops.variable()));
    if (coarsening.groups[axis] % factor != 0) {
      loops.line(fmt::format("if ({0}_copy.{0}_group_id[{1}] >= {2}) break;", prefix, axis,
                             coarsening.groups[axis]));
    }
  }
  for (const std::size_t axis : {2u, 1u, 0u}) {
    const std::uint32_t factor = coarsening.thread_factor[axis];
    const std::uint32_t stride = coarsening.thread_stride[axis];
    if (factor == 1) continue;
    loops.open("thread", axis, factor);
    const std::string own = fmt::format("{0}_own.{0}_local_id[{1}]", prefix, axis);
    const std::string id = stride == 1
                               ? fmt::format("{} * {} + {}", own, factor, loops.variable())
                               : fmt::format("{0} / {1} * {2} + {0} % {1} + {3} * {1}", own, stride,
                                             std::uint64_t{factor} * stride, loops.variable());
    loops.line(fmt::format("{0}_copy.{0}_local_id[{1}] = {2};", prefix, axis, id));
  }
  std::string call = fmt::format("{}(&{}_copy", body, prefix);
  for (const std::string& parameter : head.parameters) call += ", " + parameter;
  loops.line(call + ");");
  return fmt::format("{} {{\n{}}}\n", head.text, loops.close());
}

}  // namespace burin::coarsen
