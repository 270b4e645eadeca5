// The documents of a report, as --json writes them; docs/ describes every field. Code and timeline
// are as decode.ts makes them.
import { decodeCode, decodeTimeline } from "./decode";

export interface Place {
  file: string | null;
  line: number | null;
  offset: number | null;
  instruction?: string;
  source?: string;
  inlined?: { file: string; line: number; function: string }[];
}
export interface Cost {
  share: number;
  instructions: number;
  sectors: number;
  stalls: Record<string, number>;
}
export interface Certainty {
  low_us: number; // 10th percentile
  high_us: number; // 90th
  kind: string;
  approximated_share: number;
  defer: boolean;
  reason?: string;
}
export interface Predict {
  schema: string;
  file: string;
  kernel: string;
  demangled: string;
  arch: string;
  machine: string;
  model: string;
  caches: string;
  launch: { grid: number[]; block: number[]; cluster?: number[]; dynamic_shared_bytes: number; arguments: string[] };
  time_us: number;
  cycles: number;
  clock_mhz: number;
  occupancy: number;
  achieved_occupancy: number;
  sms_in_use: number;
  resident_blocks: number;
  resident_warps: number;
  limiters: string[];
  occupancy_limits?: { name: string; blocks: number }[];
  max_warps?: number;
  waves: number;
  tail_share: number;
  instructions: number;
  ipc: number;
  resources: Record<string, { busy: number }>;
  dram_bytes: number;
  dram_read_bytes: number;
  dram_write_bytes: number;
  l2_bytes: number;
  l2_hit_rate: number;
  l1_hit_rate: number;
  warp_cycles: number;
  issued_share: number;
  stalls: Record<string, number>;
  stalls_active: Record<string, number>;
  unknown_share: number;
  lines: ({ file: string | null; line: number | null } & Cost)[];
  recorded_us?: number;
  certainty?: Certainty;
  bound?: { unit: string; time_us: number; raised_from_us?: number };
  notes: string[];
}
export interface RegionShare {
  name: string;
  file: string | null;
  lines: string | null;
  first_offset: number;
  last_offset: number;
  share: number;
  regions?: RegionShare[];
}
export interface Sensitivity {
  resource: string;
  mode: string;
  share: number;
  uncertainty: number;
  replayed: boolean;
  regions: RegionShare[];
  interaction?: number;
}
export interface Bound {
  name: string;
  time_us: number;
}
export interface Explain {
  schema: string;
  time_us: number;
  step: number;
  sentence: string;
  sensitivity: Sensitivity[];
  bounds: Bound[];
  roofline: { operations: number; dram_bytes: number; per_second: number; most_per_second: number; limit: string };
  critical_path: (Place & { stall: string; share: number; times: number; waits_for?: Place })[];
  what_if: { change: string; time_us: number; speedup: number }[];
  occupancy_ladder: { blocks: number; warps: number; time_us: number }[];
}
export interface Finding {
  rule: string;
  speedup: number;
  speedup_paper: number | null;
  speedup_emulated: number | null;
  share: number;
  where: Place;
  cause: Place;
  hotspots: { share: number; speedup: number; def: Place; use: Place }[];
  text: string;
  hint: string;
  confidence: string;
  trust: string;
}
export interface Advise {
  schema: string;
  file: string;
  kernel: string;
  demangled: string;
  arch: string;
  machine: string;
  source: string;
  grid: number[];
  block: number[];
  time_us: number | null;
  measured_us: number | null;
  predicted_us: number | null;
  samples: number;
  limit: string;
  stalls: Record<string, number>;
  bounds: Bound[];
  findings: Finding[];
  resources: { registers: number; shared: number; local: number; spills: number; occupancy: number };
  notes: string[];
}
export interface Profile {
  source: string;
  total: number;
  issued: number[];
  stalls: [number, number, number][]; // instruction, reason, amount
  causes: [number, number, number, number][]; // waits, cause, reason, cycles
}
export interface Code {
  schema: string;
  kernel: string;
  demangled: string;
  arch: string;
  registers: number;
  instructions: number;
  text: string[];
  stall: number[];
  yield: number[];
  write_barrier: number[];
  read_barrier: number[];
  wait_mask: number[];
  reuse: number[];
  live: number[];
  branches: [number, number][];
  loops: { first: number; last: number; depth: number; parent: number | null; instructions: number; file?: string; lines?: [number, number] }[];
  place: number[];
  places: { file: number; line: number; chain?: [number, number, string][] }[];
  files: { path: string; lines: number; parts: { first: number; text: string[] }[] }[];
  reasons: string[];
  profiles: Profile[];
  accesses?: [number, number, number, number, number, number][];
}
export interface Timeline {
  schema: string;
  from: number;
  until: number;
  warps_per_block: number;
  warp: number[];
  scheduler: number[];
  intervals: [number, number, number, number, number, number][];
}

type Document = { schema: string };
export interface Report {
  schema: string;
  burin: string;
  live?: string; // served: where to ask whether it has changed
  version?: string;
  views: Document[][];
}

export interface Launch {
  predict?: Predict;
  explain?: Explain;
  advise?: Advise;
  code?: Code;
  timeline?: Timeline;
}

// The document of a view whose schema has this name, in any version.
export function find<T>(view: Document[], name: string): T | undefined {
  return view.find((document) => document.schema.startsWith(`burin.${name}/`)) as T | undefined;
}

// Decoded once: several views may look at the same launch, and decoding 20,000 instructions takes a
// few milliseconds.
const decoded = new WeakMap<Document[], Launch>();
export function launchOf(view: Document[]): Launch {
  const known = decoded.get(view);
  if (known) return known;
  const [code, timeline] = [find<Parameters<typeof decodeCode>[0]>(view, "code"), find<Parameters<typeof decodeTimeline>[0]>(view, "timeline")];
  const launch: Launch = {
    predict: find<Predict>(view, "predict"),
    explain: find<Explain>(view, "explain"),
    advise: find<Advise>(view, "advise"),
    code: code && decodeCode(code),
    timeline: timeline && decodeTimeline(timeline),
  };
  decoded.set(view, launch);
  return launch;
}
