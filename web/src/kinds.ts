// The documents of captures, tuning and differences, as --json writes them.
import type { Certainty } from "./documents";

export interface CapturedLaunch {
  id: number;
  kernel: number; // id, from 1
  gpu: number;
  stream: number;
  grid: number[];
  block: number[];
  start_ns: number | null;
  time_us: number | null;
  ranges: string;
  graph: boolean;
  memory: boolean;
}
export interface Capture {
  schema: string;
  file: string;
  processes: { id: number; pid: number; command: string[]; host: string; launches_seen: number; ended: boolean }[];
  gpus: { id: number; name: string; sm: number; multiprocessors: number }[];
  kernels: { id: number; name: string; demangled: string; has_code: boolean; samples?: number }[];
  launches: CapturedLaunch[];
  problems: { launch: number; count: number; sentence: string }[];
  comparison?: {
    machine: string;
    median_error: number;
    groups: { kernel: number; example: number; launches: number; total_us: number; measured_us: number; predicted_us?: number; error?: number; problem?: string; stall_overlap?: number; certainty?: Certainty }[];
  };
}
export type Stacks = Record<string, number | string>;

export type Config = Record<string, number | string | boolean>;
export interface Trial {
  config: Config;
  time_us: number | null;
  status: string;
  reason?: string;
  objective?: number;
  [figure: string]: unknown;
}
export interface TuneRun {
  device: string;
  problem: Config;
  seed: number;
  best: { config: Config; time_us: number; objective?: number; unit?: string } | null;
  optimum_us: number | null;
  final?: { confidence: number; finalists: { config: Config; time_us: number; samples: number }[] };
  ended: string;
  seconds: number;
  space?: { valid?: number; product: number; parameters: Record<string, (number | string)[]> };
  trials?: Trial[];
}
export interface Tune extends TuneRun {
  schema: string;
  kernel: string;
  strategy: string;
  caches?: string;
  runs?: TuneRun[];
  notes: string[];
}
export interface Carved {
  config: Config;
  fate: string;
  reason?: string;
  time_us?: number;
  predicted_us?: number;
  occupancy?: number;
  registers?: number;
  [metric: string]: unknown;
}
export interface Carve {
  schema: string;
  kernel: string;
  machine: string;
  sizes: { problem: Config; configurations: number; compiled: number; rows?: { selection: string; kept: number; best_us: number | null; share_of_best: number | null }[]; kept?: Carved[]; pruned?: Carved[] }[];
  notes: string[];
}
export interface Saturate {
  schema: string;
  kernel: string;
  device: string;
  size: string;
  target: number;
  unit: string;
  threshold: number;
  saturation_point: number | null;
  configurations: { config: string; coarsening: number; plateau: number | null; saturation_point: number | null; reason?: string; samples: { size: number; time_us: number; throughput: number; in_regime: boolean; waves?: number }[] }[];
  notes: string[];
}
export interface CoarsenStep {
  level: string;
  axis: string;
  factor: number;
  stride?: number;
}
interface CoarsenLaunch {
  grid: number[];
  block: number[];
  smem: number;
}
export interface Coarsen {
  schema: string;
  file: string;
  kernel: string;
  machine: string;
  coarsenings: CoarsenStep[];
  original_launch: CoarsenLaunch;
  launch: CoarsenLaunch;
  specialised_grid: boolean;
  registers?: [number, number]; // before and after
  spill_bytes?: [number, number];
  predicted_us?: [number, number];
  check?: { equal: boolean; compiled_with: string; compared_bytes: number; differences: number; first_difference?: string; float_atomics: boolean; equal_as_compiled: boolean };
  candidates?: { coarsenings: CoarsenStep[]; predicted_us?: number; refused?: string }[];
  output?: string;
}
export interface Listing {
  schema: string;
  folder: string;
  items: { name: string; kind: string; bytes: number; modified_ms: number; memory: boolean }[];
}
export interface Fit {
  schema: string;
  kernel: string;
  source: string;
  samples: number;
  sizes: number;
  shapes: number;
  reference: { expression: string; held_out_error: number };
  models: { model: string; mean: number; worst: number; cases: number; chosen: boolean }[];
  axes?: { name: string; low: number; high: number }[];
  fastest?: { sizes: Record<string, number>; shape: number[]; time_us: number }[];
  regions: { where: string; shapes: number[][] }[];
  notes: string[];
}

export interface DiffSide {
  kernel: string;
  demangled: string;
  measured_us: number | null;
  predicted_us: number | null;
  stalls: Record<string, number>;
  [counted: string]: unknown;
}
export interface DiffLine {
  file: string | null;
  line: number | null;
  instructions: number;
  share: number;
  stalls: Record<string, number>;
}
export interface Diff {
  schema: string;
  before: string;
  after: string;
  kernels: { kernel: string; renamed: boolean; changed: boolean; time_ratio: number | null; before: DiffSide; after: DiffSide; lines: { before: DiffLine | null; after: DiffLine | null }[]; advice: { rule: string; change: string; before: number | null; after: number | null; file: string | null; line: number | null }[] }[];
  gone: DiffSide[];
  added: DiffSide[];
  notes: string[];
}
