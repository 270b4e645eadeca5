// Colours for C++ and SASS: by rough rules that never fail, since they only decide colours.
import { h } from "./dom";

const kKeywords = new Set(
  "alignas auto bool break case char class const constexpr continue default do double else enum extern false float for goto half if inline int long namespace operator private public return short signed sizeof static struct switch template this true typedef typename uint32_t uint64_t int32_t int64_t size_t union unsigned using void volatile while __device__ __global__ __host__ __shared__ __constant__ __restrict__ __launch_bounds__ __forceinline__ __syncthreads".split(" "),
);

const kSource = /(\/\/.*$|\/\*.*?(?:\*\/|$))|("(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)|(^\s*#\s*\w+)|(\b\d[\w.']*)|([A-Za-z_]\w*)|(\s+|.)/g;

// One line of source; `inComment`: a comment of several lines is open. Returns whether one is after it.
export function sourceLine(text: string, inComment: boolean): { nodes: (Node | string)[]; inComment: boolean } {
  const nodes: (Node | string)[] = [];
  let rest = text.replaceAll("\t", "    ");
  if (inComment) {
    const end = rest.indexOf("*/");
    if (end < 0) return { nodes: [h("span", { class: "comment" }, rest)], inComment: true };
    nodes.push(h("span", { class: "comment" }, rest.slice(0, end + 2)));
    rest = rest.slice(end + 2);
  }
  let open = false;
  for (const [, comment, string, directive, number, word, other] of rest.matchAll(kSource)) {
    if (comment !== undefined) {
      open = comment.startsWith("/*") && !comment.endsWith("*/");
      nodes.push(h("span", { class: "comment" }, comment));
    } else if (string !== undefined) nodes.push(h("span", { class: "string" }, string));
    else if (directive !== undefined) nodes.push(h("span", { class: "keyword" }, directive));
    else if (number !== undefined) nodes.push(h("span", { class: "literal" }, number));
    else if (word !== undefined) nodes.push(kKeywords.has(word) ? h("span", { class: "keyword" }, word) : word);
    else nodes.push(other!);
  }
  return { nodes, inComment: open };
}

const kSass = /(@!?U?P\w+)|([A-Z][A-Z0-9_]*)((?:\.[A-Za-z0-9_]+)*)(?=\s|$)|(\b(?:U?R\d+|URZ|RZ|U?P\d|U?PT|B\d+|SB\d|SR_[\w.]+)(?:\.[\w]+)*)|(-?\b0x[0-9a-f]+|-?\b\d[\d.e+-]*)|(\s+|.)/g;

// One instruction. The first word that is no predicate is the opcode.
export function sassText(text: string): (Node | string)[] {
  const nodes: (Node | string)[] = [];
  let hasOpcode = false;
  for (const [all, predicate, opcode, modifiers, register, number] of text.matchAll(kSass)) {
    if (predicate !== undefined) nodes.push(h("span", { class: "predicate" }, all));
    else if (opcode !== undefined && !hasOpcode) {
      hasOpcode = true;
      nodes.push(h("span", { class: "opcode" }, opcode), h("span", { class: "modifier" }, modifiers ?? ""));
    } else if (register !== undefined || opcode !== undefined) nodes.push(h("span", { class: "register" }, all));
    else if (number !== undefined) nodes.push(h("span", { class: "literal" }, all));
    else nodes.push(all);
  }
  return nodes;
}
