// How the parts of the page reach one another: a finding jumps to its line in the code view, which
// need not know who asked.

export interface CodeTarget {
  instruction?: number; // index
  cause?: number; // instruction that it waits for
  file?: number; // in place of an instruction
  line?: number;
}

export interface Navigator {
  toCode(target: CodeTarget): void;
}
