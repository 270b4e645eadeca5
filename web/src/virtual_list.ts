// A list of any length of which only the rows in sight exist. All rows have the same height.
//
//   const list = new VirtualList({ label: "SASS", rowHeight: 20, render: (row) => h("div", {}, …) });
//   list.setCount(20000);
//   list.reveal(1234);
import { h } from "./dom";

const kSpare = 12; // rows above and below what is in sight

export interface VirtualListOptions {
  label: string;
  rowHeight: number;
  render: (row: number) => HTMLElement;
  onkey?: (event: KeyboardEvent) => boolean; // true: handled
  onscroll?: () => void;
}

export class VirtualList {
  readonly element: HTMLElement;
  private readonly sizer: HTMLElement;
  private readonly rows = new Map<number, HTMLElement>();
  private count = 0;
  private pending = false;
  private all = false; // for printing: every row

  constructor(private readonly options: VirtualListOptions) {
    this.sizer = h("div", { class: "sizer" });
    this.element = h(
      "div",
      {
        class: "virtual",
        tabindex: 0,
        role: "listbox",
        "aria-label": options.label,
        onscroll: () => this.schedule(),
        onkeydown: (event: KeyboardEvent) => {
          if (!event.ctrlKey && !event.metaKey && !event.altKey && options.onkey?.(event)) event.preventDefault();
        },
      },
      this.sizer,
    );
    new ResizeObserver(() => this.schedule()).observe(this.element);
  }

  setCount(count: number): void {
    this.count = count;
    this.sizer.style.height = `${count * this.options.rowHeight}px`;
    this.refresh();
  }

  // Makes all rows anew, since what they show has changed.
  refresh(): void {
    for (const row of this.rows.values()) row.remove();
    this.rows.clear();
    this.render();
  }

  // Rows in sight, whole or in part.
  get first(): number {
    return Math.floor(this.element.scrollTop / this.options.rowHeight);
  }
  get perPage(): number {
    return Math.max(1, Math.floor(this.element.clientHeight / this.options.rowHeight));
  }

  // Scrolls as little as needed, or so that the row is in the middle if it was out of sight.
  reveal(row: number): void {
    const top = row * this.options.rowHeight;
    const { scrollTop, clientHeight } = this.element;
    if (top >= scrollTop && top + this.options.rowHeight <= scrollTop + clientHeight) return;
    this.element.scrollTop = Math.max(0, top - clientHeight / 2);
    this.render();
  }

  // Scrolls so that both rows are in sight, if they fit; else the first of them.
  revealBoth(row: number, other: number): void {
    const [low, high] = [Math.min(row, other), Math.max(row, other)];
    if (high - low + 1 > this.perPage) return this.reveal(row);
    const { scrollTop, clientHeight } = this.element;
    const top = low * this.options.rowHeight;
    const bottom = (high + 1) * this.options.rowHeight;
    if (top >= scrollTop && bottom <= scrollTop + clientHeight) return;
    this.element.scrollTop = Math.max(0, (top + bottom - clientHeight) / 2);
    this.render();
  }

  // Every row exists while `show` runs; what is printed is not scrolled.
  setPrinting(printing: boolean, most: number): void {
    this.all = printing && this.count <= most;
    this.refresh();
  }

  private schedule(): void {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.render();
    });
  }

  private render(): void {
    const { rowHeight, render } = this.options;
    const first = this.all ? 0 : Math.max(0, this.first - kSpare);
    const last = this.all ? this.count : Math.min(this.count, this.first + Math.ceil(this.element.clientHeight / rowHeight) + kSpare);
    for (const [row, element] of this.rows) {
      if (row >= first && row < last) continue;
      element.remove();
      this.rows.delete(row);
    }
    const fresh = document.createDocumentFragment();
    for (let row = first; row < last; ++row) {
      if (this.rows.has(row)) continue;
      const element = render(row);
      element.style.transform = `translateY(${row * rowHeight}px)`;
      this.rows.set(row, element);
      fresh.append(element);
    }
    this.sizer.append(fresh);
    this.options.onscroll?.();
  }
}
