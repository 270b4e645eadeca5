// Numbers as burin's text reports write them.

// Three significant digits: 21.0, 310, 1,234.
function three(value: number): string {
  if (value === 0) return "0";
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value)) + 1e-9));
  return digits > 0 ? value.toFixed(Math.min(digits, 6)) : count(value);
}

const scaled = (value: number, units: [number, string][]): string => {
  for (const [size, name] of units) {
    if (Math.abs(value) >= size) return `${three(value / size)} ${name}`;
  }
  const [size, name] = units[units.length - 1]!;
  return `${three(value / size)} ${name}`;
};

export const time = (us: number): string =>
  scaled(us, [[1e6, "s"], [1e3, "ms"], [1, "µs"], [1e-3, "ns"]]);

export const bytes = (n: number): string =>
  n < 1024 ? `${Math.round(n)} B` : scaled(n, [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]]);

export const rate = (perSecond: number, unit: string): string =>
  scaled(perSecond, [[1e12, `T${unit}/s`], [1e9, `G${unit}/s`], [1e6, `M${unit}/s`], [1e3, `k${unit}/s`], [1, `${unit}/s`]]);

// 65,536
export const count = (n: number): string => Math.round(n).toLocaleString("en-US");

// 1.2 M
export const short = (n: number): string =>
  Math.abs(n) < 10000 ? count(n) : scaled(n, [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]]);

// 0.0231, 12, 1.2 M, 2.5e−6
export const plain = (n: number): string => {
  if (Math.abs(n) >= 10000) return short(n);
  return n !== 0 && Math.abs(n) < 0.001 ? (+n.toPrecision(3)).toExponential().replace("-", "−") : String(+n.toPrecision(3));
};

// 1 kernel, 2 kernels
export const several = (n: number, one: string, many = `${one}s`): string => `${count(n)} ${n === 1 ? one : many}`;

// 72.0 %
export const percent = (share: number, digits = 1): string => `${(100 * share).toFixed(digits)} %`;

// 2.35×
export const times = (factor: number): string => `${factor.toFixed(2)}×`;

export const hex = (offset: number): string => `0x${offset.toString(16).padStart(4, "0")}`;

export const dims = (d: readonly number[]): string => {
  const used = d[2]! > 1 ? 3 : d[1]! > 1 ? 2 : 1;
  return d.slice(0, used).map(count).join(" × ");
};

// LDG.E.64 of "@!P0 LDG.E.64.CONSTANT R4, [R2]": without its predicate, cut after two modifiers.
export const opcode = (instruction: string): string =>
  (instruction.split(" ").find((word) => !word.startsWith("@")) ?? "").split(".").slice(0, 3).join(".");

export const fileName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

// The cut of a long name in the middle, where it says least.
export const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, Math.ceil(most * 0.6) - 1)}…${text.slice(text.length - Math.floor(most * 0.4))}`;
