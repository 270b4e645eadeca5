#include "advise/case/owner.h"

#include <algorithm>
#include <array>

#include "analyze/code/regions.h"
#include "base/format.h"

namespace burin::advise {

namespace {

constexpr std::string_view kProducts =
    "Choose sizes that are multiples of 8 (16-bit types) or 4 (floats) and data aligned to 16 "
    "bytes, "
    "so that the tensor cores and wide loads are used. Allow TF32 or use FP16 or BF16 if the "
    "accuracy "
    "permits. Join small products into one batched call, and let the library apply bias and "
    "activation in its epilogue instead of launching them separately.";
constexpr std::string_view kConvolutions =
    "Use channels_last (NHWC) layout and FP16 or BF16 if the accuracy permits, numbers of channels "
    "that are multiples of 8, and the library's search for the fastest algorithm "
    "(torch.backends.cudnn.benchmark = True).";
constexpr std::string_view kElementwise =
    "Fuse it with the operations before and after it (torch.compile), avoid copies and casts that "
    "are not needed (contiguous(), to()), and replay many small launches as a CUDA graph.";
constexpr std::string_view kPrimitives =
    "Call it once for many elements instead of often for few, fuse the operations before it into "
    "its "
    "input iterator or operator, and reuse its temporary storage.";
constexpr std::string_view kSparse =
    "Choose the format and algorithm that fit the matrix (CSR with the merge-based algorithm, "
    "blocked formats for blocks of non-zeros), and do the analysis once for many products.";

struct Library {
  std::string_view text;  // in the demangled name
  bool prefix;            // only at the start of the name
  std::string_view name;
  std::string_view callers;
};
constexpr std::array kLibraries = {
    Library{"cub::", false, "CUB", kPrimitives},
    Library{"thrust::", false, "Thrust", kPrimitives},
    Library{"at::native::", false, "PyTorch", kElementwise},
    Library{"at_cuda_detail::", false, "PyTorch", kElementwise},
    Library{"cutlass::", false, "CUTLASS", kProducts},
    Library{"cutlass_", true, "CUTLASS", kProducts},
    Library{"cublas", false, "cuBLAS", kProducts},
    Library{"cask_", false, "cuBLAS", kProducts},
    Library{"sm80_xmma_", true, "cuBLAS", kProducts},
    Library{"sm90_xmma_", true, "cuBLAS", kProducts},
    Library{"nvjet_", true, "cuBLAS", kProducts},
    Library{"gemv2T_kernel", false, "cuBLAS", kProducts},
    Library{"gemvNSP_kernel", false, "cuBLAS", kProducts},
    Library{"splitKreduce_kernel", false, "cuBLAS", kProducts},
    Library{"ampere_sgemm", true, "cuBLAS", kProducts},
    Library{"ampere_fp16", true, "cuBLAS", kProducts},
    Library{"volta_sgemm", true, "cuBLAS", kProducts},
    Library{"volta_fp16", true, "cuBLAS", kProducts},
    Library{"cudnn::", false, "cuDNN", kConvolutions},
    Library{"cudnn_", true, "cuDNN", kConvolutions},
    Library{"implicit_convolve_sgemm", false, "cuDNN", kConvolutions},
    Library{"cusparse::", false, "cuSPARSE", kSparse},
};

// Rules whose advice a caller can follow as well: fewer or larger launches, other types.
constexpr std::array<std::string_view, 4> kForCallers = {"launch-overhead", "kernel-fusion",
                                                         "block-increase", "tail-effect"};

struct Words {
  std::string_view rule;
  std::string_view hint;
};
constexpr std::string_view kStages =
    "Raise num_stages (3 or 4) so that Triton requests the next iterations' blocks while it "
    "computes "
    "on this one (or `tl.range(…, num_stages=3)` for this loop), and use tl.static_range for short "
    "loops with a constant number of iterations.";
constexpr std::string_view kBlocks =
    "Let each program compute a larger block (BLOCK sizes of twice or four times as many elements) "
    "with num_warps to match, so that what is loaded is used for more results. @triton.autotune "
    "over "
    "BLOCK sizes and num_warps finds the best.";
constexpr std::string_view kRegisters =
    "Use more warps (num_warps=8) or smaller BLOCK sizes, so that a thread holds fewer values; "
    "num_stages - 1 frees shared memory.";
constexpr std::string_view kLayout =
    "Let the last tl.arange of the offsets run along the contiguous dimension of the tensor, so "
    "that "
    "neighbouring threads load neighbouring elements; transpose the block after loading (tl.trans) "
    "instead of loading columns.";
constexpr std::string_view kVectors =
    "Triton vectorises tl.load and tl.store if it knows that offsets are contiguous and multiples "
    "of "
    "16 bytes: use BLOCK sizes of at least 128 × num_warps, strides that are multiples of 16, and "
    "tl.multiple_of and tl.max_contiguous on computed offsets.";
constexpr std::string_view kPrograms =
    "Launch more programs: smaller BLOCK sizes, or a further grid axis that splits the loop "
    "(split-K), whose partial results are combined with tl.atomic_add or a second kernel.";
constexpr std::string_view kMasks =
    "Choose with tl.where and masks instead of branching on data, and let a program have one kind "
    "of "
    "work.";
constexpr std::array kTriton = {
    Words{"register-reuse", kRegisters},
    Words{"occupancy-increase", kRegisters},
    Words{"occupancy-decrease",
          "Use fewer warps or larger BLOCK sizes, so that fewer programs share "
          "the L1 cache."},
    Words{"loop-unrolling", kStages},
    Words{"code-reordering", kStages},
    Words{"async-copy", kStages},
    Words{"coalescing", kLayout},
    Words{"memory-transaction-reduction", kVectors},
    Words{"vector-access", kVectors},
    Words{"shared-staging", kBlocks},
    Words{"thread-coarsening", kBlocks},
    Words{"results-per-thread", kBlocks},
    Words{"thread-increase", "Use more warps per program (num_warps=8) or larger BLOCK sizes."},
    Words{"block-increase", kPrograms},
    Words{"tail-effect", kPrograms},
    Words{"sm-balance",
          "Start the programs with the most work first, or let programs take the next "
          "piece of work in a loop (a persistent kernel with one program per SM)."},
    Words{"warp-balance",
          "Triton places barriers itself: try other num_warps and BLOCK sizes, so "
          "that the warps of a program have equal parts of each block."},
    Words{"bank-conflicts",
          "Triton lays out shared memory itself: try other BLOCK sizes and "
          "num_warps, and avoid tl.trans and reshapes of blocks between loads and "
          "uses."},
    Words{"atomic-contention",
          "Combine in the program first: tl.histogram for counts, tl.sum or "
          "tl.reduce over the block for sums, then one tl.atomic_add per "
          "program. Let each program process several blocks in a loop."},
    Words{"divergence", kMasks},
    Words{"branch-elimination", kMasks},
    Words{"fast-math",
          "Use tl.exp2 with scaled operands and the approximate functions of "
          "tl.extra.cuda.libdevice (fast_dividef, fast_expf) if the last few bits do "
          "not matter."},
    Words{"flush-denormals",
          "Use tl.extra.cuda.libdevice's fast functions, which flush denormal "
          "numbers."},
    Words{"precision",
          "Keep constants and accumulators in tl.float32: cast tensors and scalars with "
          ".to(tl.float32), and pass Python floats as tl.constexpr."},
    Words{"strength-reduction",
          "Mark the divisor as tl.constexpr, so that the compiler divides by a "
          "constant, or compute the offsets once outside the loop."},
};

bool is_python(std::string_view file) {
  return file.ends_with(".py");
}

}  // namespace

Owner library_of(std::string_view demangled) {
  // The return type of a template precedes its name.
  const std::string_view name = demangled.starts_with("void ") ? demangled.substr(5) : demangled;
  const std::string_view own = name.substr(0, name.find('('));
  for (const Library& library : kLibraries) {
    const std::size_t at = own.find(library.text);
    const std::size_t template_at = own.find('<');
    // A user's kernel with a library's type as its argument stays the user's.
    if (at == std::string_view::npos || (library.prefix && at != 0) || at > template_at) continue;
    return {.kind = Owner::Kind::kLibrary, .library = library.name, .callers = library.callers};
  }
  return {};
}

Owner owner_of(const read::Kernel& kernel) {
  for (std::uint32_t i = 0; i < kernel.instructions.size(); ++i) {
    if (is_python(analyze::line_of(kernel, i).file)) return {.kind = Owner::Kind::kTriton};
  }
  return library_of(kernel.function->demangled);
}

void adapt_to_owner(const Owner& owner, std::vector<Finding>& findings,
                    std::vector<std::string>& notes) {
  if (owner.kind == Owner::Kind::kTriton) {
    for (Finding& finding : findings) {
      const auto words = std::ranges::find(kTriton, finding.rule, &Words::rule);
      if (words != kTriton.end()) finding.hint = words->hint;
    }
    return;
  }
  if (owner.kind != Owner::Kind::kLibrary) return;
  std::erase_if(findings, [](const Finding& finding) {
    return std::ranges::find(kForCallers, finding.rule) == kForCallers.end();
  });
  for (Finding& finding : findings) {
    if (finding.rule == "block-increase" || finding.rule == "tail-effect") {
      finding.hint = "Give the library more work per call: larger or batched inputs.";
    }
  }
  notes.push_back(fmt::format("this kernel is part of {}: advice on its code is left out. {}",
                              owner.library, owner.callers));
}

}  // namespace burin::advise
