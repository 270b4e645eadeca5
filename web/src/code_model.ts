// A kernel's code with one of its profiles: what each instruction and each source line costs, and
// what waits for what.
import type { Code, Profile } from "./documents";

export interface Part {
  reason: number; // index into Code.reasons; -1: issued
  amount: number; // warp-cycles or samples
}
export interface Link {
  other: number; // instruction
  reason: number;
  amount: number;
}

export const lineKey = (file: number, line: number): string => `${file}:${line}`;

export class CodeModel {
  readonly profile: Profile | undefined;
  readonly total: number;
  readonly amounts: Float64Array; // per instruction: issued and stalled
  readonly highest: number; // of amounts
  private readonly parts = new Map<number, Part[]>();
  private readonly causes = new Map<number, Link[]>();
  private readonly waiters = new Map<number, Link[]>();
  private readonly byLine = new Map<string, number[]>();
  private readonly ownLine = new Map<string, Part[]>();
  readonly lineAmounts = new Map<string, number>();
  readonly highestLine: number;

  constructor(readonly code: Code, which = 0) {
    this.profile = code.profiles[which];
    this.total = this.profile?.total ?? 0;
    this.amounts = new Float64Array(code.instructions);
    if (this.profile) this.addProfile(this.profile);
    this.highest = this.amounts.reduce((most, x) => Math.max(most, x), 0);
    this.addLines();
    this.highestLine = Math.max(0, ...this.lineAmounts.values());
  }

  private addProfile(profile: Profile): void {
    profile.issued.forEach((amount, i) => this.addPart(i, { reason: -1, amount }));
    for (const [i, reason, amount] of profile.stalls) this.addPart(i, { reason, amount });
    for (const [waits, cause, reason, amount] of profile.causes) {
      push(this.causes, waits, { other: cause, reason, amount });
      push(this.waiters, cause, { other: waits, reason, amount });
    }
    for (const links of [this.causes, this.waiters]) {
      for (const list of links.values()) list.sort((a, b) => b.amount - a.amount);
    }
    for (const list of this.parts.values()) list.sort((a, b) => b.amount - a.amount);
  }

  private addPart(i: number, part: Part): void {
    if (part.amount <= 0) return;
    this.amounts[i]! += part.amount;
    push(this.parts, i, part);
  }

  // An instruction belongs to its line of the kernel's own source, and to each call that it was
  // inlined from; its cost counts for the former only.
  private addLines(): void {
    const { code } = this;
    for (let i = 0; i < code.instructions; ++i) {
      const place = code.places[code.place[i]!];
      if (!place) continue;
      const own = lineKey(place.file, place.line);
      this.lineAmounts.set(own, (this.lineAmounts.get(own) ?? 0) + this.amounts[i]!);
      const sums = this.ownLine.get(own) ?? [];
      for (const part of this.partsOf(i)) {
        const same = sums.find((sum) => sum.reason === part.reason);
        if (same) same.amount += part.amount;
        else sums.push({ ...part });
      }
      this.ownLine.set(own, sums);
      const keys = new Set([own, ...(place.chain ?? []).map(([file, line]) => lineKey(file, line))]);
      for (const key of keys) push(this.byLine, key, i);
    }
    for (const sums of this.ownLine.values()) sums.sort((a, b) => b.amount - a.amount);
  }

  share(i: number): number {
    return this.total > 0 ? this.amounts[i]! / this.total : 0;
  }
  lineShare(file: number, line: number): number {
    return this.total > 0 ? (this.lineAmounts.get(lineKey(file, line)) ?? 0) / this.total : 0;
  }
  // Largest first.
  partsOf(i: number): readonly Part[] {
    return this.parts.get(i) ?? [];
  }
  linePartsOf(file: number, line: number): readonly Part[] {
    return this.ownLine.get(lineKey(file, line)) ?? [];
  }
  causesOf(i: number): readonly Link[] {
    return this.causes.get(i) ?? [];
  }
  waitersOf(i: number): readonly Link[] {
    return this.waiters.get(i) ?? [];
  }
  instructionsOf(file: number, line: number): readonly number[] {
    return this.byLine.get(lineKey(file, line)) ?? [];
  }
  hottest(instructions: readonly number[]): number | undefined {
    return instructions.reduce<number | undefined>(
      (best, i) => (best === undefined || this.amounts[i]! > this.amounts[best]! ? i : best),
      undefined,
    );
  }
  lineOf(i: number): { file: number; line: number } | undefined {
    return this.code.places[this.code.place[i]!];
  }
  fileNumber(path: string): number {
    return this.code.files.findIndex((file) => file.path === path);
  }
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
