// The documents with one element per instruction as burin writes them, short, and as the views use
// them. docs/report.md describes the columns.
import type { Code, Profile, Timeline } from "./documents";

interface PackedProfile {
  source: string;
  total: number;
  issued: number[];
  stalls: { instruction: number[]; reason: number[]; amount: number[] };
  causes: { instruction: number[]; distance: number[]; reason: number[]; amount: number[] };
}
interface PackedCode extends Omit<Code, "text" | "stall" | "yield" | "write_barrier" | "read_barrier" | "wait_mask" | "reuse" | "places" | "profiles" | "accesses"> {
  texts: string[];
  text: number[];
  controls: [number, number, number, number, number, number][];
  control: number[];
  places: { file: number[]; line: number[]; chains: number[][]; calls: [number, number, number][]; functions: string[] };
  profiles: PackedProfile[];
  accesses?: { instruction: number[]; sectors: number[]; l1_hits: number[]; l2_hits: number[]; wavefronts: number[]; ideal_wavefronts: number[] };
}
interface PackedTimeline extends Omit<Timeline, "intervals"> {
  intervals: { warp: number[]; from: number[]; cycles: number[]; step: number[]; reason: number[]; distance: (number | null)[] };
}

// The values of a column that was written as differences.
function summed(differences: readonly number[]): number[] {
  let value = 0;
  return differences.map((difference) => (value += difference));
}

export function decodeCode(packed: PackedCode): Code {
  const control = (field: number): number[] => packed.control.map((index) => packed.controls[index]![field]!);
  return {
    ...packed,
    text: packed.text.map((index) => packed.texts[index]!),
    stall: control(0),
    yield: control(1),
    write_barrier: control(2),
    read_barrier: control(3),
    wait_mask: control(4),
    reuse: control(5),
    live: summed(packed.live),
    place: summed(packed.place),
    places: decodePlaces(packed.places),
    profiles: packed.profiles.map(decodeProfile),
    accesses: packed.accesses && decodeAccesses(packed.accesses),
  };
}

function decodePlaces({ file, line, chains, calls, functions }: PackedCode["places"]): Code["places"] {
  const lines = summed(line);
  const places: Code["places"] = file.map((each, k) => ({ file: each, line: lines[k]! }));
  for (const [place, ...chain] of chains) {
    places[place!]!.chain = chain.map((call) => [calls[call]![0], calls[call]![1], functions[calls[call]![2]]!]);
  }
  return places;
}

function decodeProfile({ source, total, issued, stalls, causes }: PackedProfile): Profile {
  const [at, waits] = [summed(stalls.instruction), summed(causes.instruction)];
  return {
    source,
    total,
    issued,
    stalls: at.map((i, k) => [i, stalls.reason[k]!, stalls.amount[k]!]),
    causes: waits.map((i, k) => [i, i - causes.distance[k]!, causes.reason[k]!, causes.amount[k]!]),
  };
}

function decodeAccesses(packed: NonNullable<PackedCode["accesses"]>): Code["accesses"] {
  return summed(packed.instruction).map((i, k) => [i, packed.sectors[k]!, packed.l1_hits[k]!, packed.l2_hits[k]!, packed.wavefronts[k]!, packed.ideal_wavefronts[k]!]);
}

export function decodeTimeline(packed: PackedTimeline): Timeline {
  const { warp, from, cycles, step, reason, distance } = packed.intervals;
  const starts = summed(from);
  const last = new Map<number, number>();
  let stall = 0;
  return {
    ...packed,
    intervals: warp.map((each, k) => {
      const instruction = (last.get(each) ?? 0) + step[k]!;
      last.set(each, instruction);
      const back = reason[k]! < 0 ? null : distance[stall++]!;
      return [each, starts[k]!, cycles[k]!, instruction, reason[k]!, back === null ? -1 : instruction - back];
    }),
  };
}
