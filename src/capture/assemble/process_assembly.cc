#include "capture/assemble/process_assembly.h"

#include <algorithm>
#include <optional>

#include "base/format.h"
#include "base/text.h"

namespace burin::capture {

void ProcessAssembly::operator()(const SpoolProcess& r) {
  pid_ = r.pid;
  process_ = writer_.add(CapturedProcess{.id = 0,
                                         .pid = r.pid,
                                         .parent = r.parent,
                                         .command = r.command,
                                         .folder = r.folder,
                                         .host = r.host,
                                         .settings = r.settings,
                                         .begin_unix_ns = r.begin_unix_ns,
                                         .begin_ns = r.begin_ns,
                                         .end_ns = std::nullopt,
                                         .driver_version = r.driver_version,
                                         .cupti_version = r.cupti_version,
                                         .launches_seen = 0});
  first_.process = process_;
  first_.command = r.command;
  ++sums_.processes;
}

void ProcessAssembly::operator()(const SpoolEnd& r) {
  ended_ = true;
  sums_.launches_seen += r.launches_seen;
  writer_.set_end(process_, r.end_ns, r.launches_seen);
}

void ProcessAssembly::operator()(const SpoolDevice& r) {
  gpus_[r.ordinal] = writer_.add(CapturedGpu{.id = 0,
                                             .process = process_,
                                             .ordinal = r.ordinal,
                                             .name = r.name,
                                             .bus = r.bus,
                                             .sm = 10 * r.capability_major + r.capability_minor,
                                             .multiprocessors = r.multiprocessors,
                                             .clock_khz = r.clock_khz,
                                             .memory_bytes = r.memory_bytes,
                                             .l2_bytes = r.l2_bytes});
}

void ProcessAssembly::operator()(const SpoolModule& r) {
  const std::uint64_t module = writer_.add_module(r.cubin, r.crc);
  sums_.modules = std::max(sums_.modules, module);
  modules_[r.module] = module;
  cubins_.push_back({module, r.crc, r.cubin});
}

// The one module of the process with this checksum (0: any) that holds a function of this name; 0
// where none or several do.
std::uint64_t ProcessAssembly::module_with(const std::string& function, std::uint64_t crc) const {
  std::vector<const Cubin*> found;
  for (const Cubin& cubin : cubins_) {
    if (crc == 0 || cubin.crc == crc) found.push_back(&cubin);
  }
  // The checksum alone tells most of them, and reading takes time.
  if (crc == 0 || found.size() > 1) {
    std::erase_if(found, [&](const Cubin* cubin) {
      const Result<read::Image> image = read::read_cubin(cubin->bytes, std::nullopt);
      return !image || std::ranges::count(image->functions, function, &read::Function::name) == 0;
    });
  }
  return found.size() == 1 ? found.front()->module : 0;
}

void ProcessAssembly::operator()(const SpoolKernel& r) {
  CapturedKernel kernel{.id = 0, .module = 0, .name = r.name, .parameters = {}};
  const auto module = modules_.find(r.module);
  kernel.module = module != modules_.end() ? module->second : module_with(r.name, 0);
  for (const SpoolParameter& p : r.parameters) kernel.parameters.push_back({p.offset, p.size});
  kernels_[r.kernel] = writer_.add(kernel);
  names_[r.kernel] = r.name;
  first_.kernels[r.name] = kernels_[r.kernel];
}

void ProcessAssembly::operator()(const SpoolLaunch& r) {
  const auto kernel = kernels_.find(r.kernel);
  if (kernel == kernels_.end()) return;  // a damaged spool; the recorder tells kernels first
  CapturedLaunch launch{.id = 0,
                        .process = process_,
                        .number = r.launch,
                        .kernel = kernel->second,
                        .gpu = gpus_.contains(r.device) ? gpus_[r.device] : 0,
                        .context = r.context,
                        .stream = r.stream,
                        .thread = r.thread,
                        .grid = {r.grid[0], r.grid[1], r.grid[2]},
                        .block = {r.block[0], r.block[1], r.block[2]},
                        .shared_bytes = r.shared_bytes,
                        .is_graph = (r.flags & SpoolLaunch::kGraph) != 0,
                        .is_cooperative = (r.flags & SpoolLaunch::kCooperative) != 0,
                        .stack = stacks_.contains(r.stack) ? stacks_[r.stack] : 0,
                        .correlation = r.correlation,
                        .ranges = r.ranges};
  if (r.cluster[0] != 0) launch.cluster = launch::Dims{r.cluster[0], r.cluster[1], r.cluster[2]};
  const LaunchKey key{r.correlation, r.graph_node};
  const auto time = times_.find(key);
  if (time != times_.end()) {
    launch.start_ns = time->second.start_ns;
    launch.duration_ns = time->second.end_ns - time->second.start_ns;
    times_.erase(time);
  }
  CapturedArguments arguments;
  if ((r.flags & SpoolLaunch::kArgumentsUnknown) == 0) arguments.bytes = r.arguments;
  for (const SpoolAllocation& a : r.allocations) {
    arguments.allocations.push_back({a.argument_offset, a.address, a.size, a.memory});
  }
  const std::uint64_t id = writer_.add(launch, arguments);
  if (!launch.start_ns) {
    if (r.correlation != 0) {
      untimed_[key] = id;
    } else {
      ++sums_.launches_without_time;
    }
  }
  launches_[r.launch] = id;
  // A graph's kernels are counted together, and told when they have run.
  if (!launch.is_graph) {
    first_.launches[{names_[r.kernel], r.grid, r.block, r.shared_bytes}].push_back(
        {id, launch.kernel});
  }
  if (r.correlation != 0) by_correlation_[r.correlation] = id;
  launched_.insert(launch.kernel);
  ++kept_;
  ++sums_.launches;
}

void ProcessAssembly::operator()(const SpoolTimes& r) {
  for (const SpoolTime& time : r.times) {
    if (time.end_ns < time.start_ns) continue;
    const auto launch = untimed_.find({time.correlation, time.graph_node});
    if (launch == untimed_.end()) {
      times_.insert_or_assign({time.correlation, time.graph_node}, time);
      continue;
    }
    writer_.set_time(launch->second, time.start_ns, time.end_ns - time.start_ns);
    untimed_.erase(launch);
  }
}

void ProcessAssembly::operator()(const SpoolStack& r) {
  std::vector<CapturedFrame> frames;
  for (const SpoolFrame& f : r.frames) {
    if (!f.symbol.empty()) {
      frames.push_back({f.object, f.offset, f.symbol});
      continue;
    }
    // A source line says more than an offset in the program: main.cpp:42, as for Python.
    const std::string symbol = symbols_.find(f.object, f.offset);
    const std::string line = symbols_.line(f.object, f.offset);
    frames.push_back(line.empty() ? CapturedFrame{f.object, f.offset, symbol}
                                  : CapturedFrame{line, 0, symbol});
  }
  stacks_[r.stack] = writer_.add_stack(frames);
}

void ProcessAssembly::operator()(const SpoolMemory& r) {
  const auto launch = launches_.find(r.launch);
  if (launch == launches_.end()) return;
  std::uint64_t address = r.address;
  for (const std::uint64_t number : r.contents) {
    if (const auto page = pages_.find(number); page != pages_.end()) {
      const auto [known, is_new] = contents_.try_emplace(number);
      if (is_new) known->second = writer_.add_content(page->second);
      writer_.add_memory(launch->second, static_cast<MemoryMoment>(r.moment), address,
                         known->second);
    }
    address += kSpoolPageBytes;
  }
}

void ProcessAssembly::operator()(const SpoolContent& r) {
  pages_[r.content] = r.bytes;
}

void ProcessAssembly::operator()(const SpoolVariable& r) {
  const auto launch = launches_.find(r.launch);
  if (launch != launches_.end()) writer_.add(launch->second, {r.name, r.address, r.size});
}

void ProcessAssembly::operator()(const SpoolTexture& r) {
  writer_.add(process_, r.after,
              launch::Texture{.handle = r.handle,
                              .address = r.address,
                              .texel_bytes = r.texel_bytes,
                              .channels = r.channels,
                              .width = r.width,
                              .height = r.height,
                              .pitch = r.pitch,
                              .is_array = r.is_array != 0,
                              .is_normalized = r.is_normalized != 0});
}

void ProcessAssembly::operator()(const SpoolSampling& r) {
  Context& context = contexts_[r.context];
  context.sampling.process = process_;
  context.sampling.context = r.context;
  context.sampling.gpu = gpus_.contains(r.device) ? gpus_[r.device] : 0;
  context.sampling.period_cycles = r.period_cycles;
  context.sampling.is_serialized = r.serialized != 0;
  context.reasons.clear();
  for (const std::string& name : r.reasons) {
    const StallReasonName reason = stall_reason(name);
    context.reasons.push_back({std::string(reason.reason), reason.not_issued});
  }
}

std::uint64_t ProcessAssembly::function(const SpoolFunction& function) {
  const auto [known, is_new] = functions_.try_emplace({function.crc, function.name});
  if (is_new) {
    const std::uint64_t module = function.crc == 0 ? 0 : module_with(function.name, function.crc);
    known->second = writer_.add(
        CapturedKernel{.id = 0, .module = module, .name = function.name, .parameters = {}});
  }
  return known->second;
}

void ProcessAssembly::add_samples(const SpoolSamples& r, const SpoolSample& sample) {
  if (sample.function >= r.functions.size()) return;
  const std::vector<Reason>& reasons = contexts_[r.context].reasons;
  const std::uint64_t kernel = function(r.functions[sample.function]);
  const auto launch = by_correlation_.find(sample.correlation);
  for (const SpoolStall& stall : sample.stalls) {
    if (stall.samples == 0 || stall.reason >= reasons.size()) continue;
    const Reason& reason = reasons[stall.reason];
    if (reason.name.empty()) continue;
    writer_.add(CapturedSample{.kernel = kernel,
                               .launch = launch == by_correlation_.end() ? 0 : launch->second,
                               .offset = sample.offset,
                               .reason = reason.name,
                               .samples = reason.not_issued ? 0u : stall.samples,
                               .not_issued = reason.not_issued ? stall.samples : 0u});
    if (!reason.not_issued) sums_.samples += stall.samples;
  }
}

void ProcessAssembly::operator()(const SpoolSamples& r) {
  CapturedSampling& sampling = contexts_[r.context].sampling;
  sampling.total += r.total;
  sampling.dropped += r.dropped;
  sampling.not_user += r.not_user;
  sampling.buffer_full += r.buffer_full;
  sums_.samples_lost += r.dropped;
  for (const SpoolSample& sample : r.samples) add_samples(r, sample);
}

void ProcessAssembly::operator()(const SpoolCounters& r) {
  const std::uint64_t kernel = function(r.function);
  for (const SpoolCount& count : r.counts) {
    const std::size_t metrics = std::min(count.values.size(), r.metrics.size());
    for (std::size_t k = 0; k < metrics; ++k) {
      writer_.add(CapturedCounter{.kernel = kernel,
                                  .launch = 0,
                                  .offset = count.offset,
                                  .metric = r.metrics[k],
                                  .value = static_cast<double>(count.values[k])});
    }
  }
}

void ProcessAssembly::warn(std::uint32_t kind, std::uint64_t count, std::uint64_t launch,
                           std::string sentence) {
  writer_.add(CapturedProblem{process_, kind, count, launch, std::move(sentence)});
  ++sums_.problems;
}

void ProcessAssembly::operator()(const SpoolProblem& r) {
  is_cut_short_ = is_cut_short_ || r.what == SpoolProblem::kDiskFull;
  const auto launch = launches_.find(r.launch);
  warn(r.what, r.count, launch == launches_.end() ? 0 : launch->second, r.sentence);
}

void ProcessAssembly::finish(bool truncated) {
  for (const auto& [number, context] : contexts_) {
    CapturedSampling sampling = context.sampling;
    sampling.process = process_;
    sampling.context = number;
    writer_.add(sampling);
  }
  sums_.launches_without_time += untimed_.size();
  if (ended_) return;
  sums_.launches_seen += kept_;
  if (is_cut_short_) return;  // a problem says why
  ++sums_.killed;
  warn(SpoolProblem::kOther, 0, 0,
       fmt::format("process {} was killed or crashed{}: the capture contains what it recorded "
                   "until then, including {}",
                   pid_, truncated ? " while writing" : "", count_of(kept_, "launch")));
}

}  // namespace burin::capture
