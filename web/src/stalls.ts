// The reasons why a warp does not issue: one colour and one explanation each, everywhere the same.
// The colours are told apart with the common kinds of colour blindness (after Okabe and Ito, and
// Tol); the names always stand beside them.

export interface Reason {
  label: string;
  about: string;
}

const kReasons: Record<string, Reason> = {
  long_scoreboard: { label: "long scoreboard", about: "waits for a result from L1, L2 or DRAM" },
  short_scoreboard: { label: "short scoreboard", about: "waits for shared memory, a special function or a shuffle" },
  wait: { label: "wait", about: "fixed latency of the instruction before" },
  barrier: { label: "barrier", about: "waits for other warps of the block" },
  math_pipe_throttle: { label: "math pipe throttle", about: "the arithmetic pipe is busy" },
  mio_throttle: { label: "MIO throttle", about: "the queue to shared memory and special functions is full" },
  lg_throttle: { label: "LG throttle", about: "the queue to global and local memory is full" },
  not_selected: { label: "not selected", about: "ready, but another warp issued" },
  no_instruction: { label: "no instruction", about: "the next instruction has not been fetched" },
  branch_resolving: { label: "branch resolving", about: "waits for a branch target" },
  dispatch_stall: { label: "dispatch", about: "register reads exceed the banks' throughput" },
  imc_miss: { label: "constant miss", about: "waits for a constant" },
  membar: { label: "membar", about: "waits for stores to become visible" },
  sleeping: { label: "sleeping", about: "the warp put itself to sleep" },
  drain: { label: "drain", about: "waits for its stores before it exits" },
  gmma: { label: "GMMA", about: "waits for matrix products of the warpgroup" },
  misc: { label: "misc", about: "anything else" },
};

export const reason = (name: string): Reason => kReasons[name] ?? { label: name, about: "" };

// A CSS variable that style.css defines for the light and the dark theme.
export const colour = (name: string): string => `var(--stall-${name in kReasons ? name : "misc"})`;
export const kIssue = "var(--issue)";

// Resources, in words.
const kResources: Record<string, string> = {
  dram: "DRAM", l2: "L2", l1: "L1", shared: "shared memory", issue: "issue", lsu: "LSU", fma: "FMA",
  alu: "ALU", half: "half", fp64: "FP64", xu: "XU", tensor: "tensor", uniform: "uniform",
  barrier: "barrier", constant: "constant", dispatch: "dispatch", tma: "TMA", chain: "dependency chain",
  tail: "fullest SM", launch: "empty launch", texture: "texture", fetch: "instruction fetch",
};
export const resource = (name: string): string => kResources[name] ?? name;
