/* A table that sorts and filters, and draws only the rows that are seen: there may be a hundred thousand.

   A column is {key, label, isText, value(row), draw(row), minor}; `value` is what is sorted by, null last. */

const ROW = 30;
const BEYOND = 8;

class DataTable {
  constructor(host, count, caption) {
    this.count = count;
    this.caption = caption;
    this.words = [];
    this.body = make("tbody", {});
    this.head = make("tr", {});
    this.table = make("table", {}, make("caption", { class: "hidden" }, ""), make("thead", {}, this.head), this.body);
    this.scroll = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, this.table);
    this.scroll.addEventListener("scroll", () => this.later());
    new ResizeObserver(() => this.later()).observe(this.scroll);
    host.replaceChildren(this.scroll);
  }

  /* `rows` is how many there are; `haystack(row)` is the text that is searched. */
  show({ columns, rows, haystack, sort, caption }) {
    this.columns = columns;
    this.rows = rows;
    this.haystack = haystack;
    this.texts = new Array(rows);
    this.sort = sort;
    this.scroll.setAttribute("aria-label", caption);
    this.table.caption.textContent = caption;
    this.head.replaceChildren(...columns.map((column) => this.header(column)));
    this.arrange();
  }

  header(column) {
    const button = make(
      "button",
      { type: "button", onclick: () => this.sortBy(column) },
      column.label,
      make("span", { class: "arrow", "aria-hidden": "true" }),
    );
    return make("th", { scope: "col", class: classOf(column), "data-key": column.key }, button);
  }

  /* Numbers begin with the largest, texts with A. */
  sortBy(column) {
    const isSame = this.sort.key === column.key;
    this.sort = { key: column.key, isUp: isSame ? !this.sort.isUp : Boolean(column.isText) };
    this.arrange();
  }

  filter(text) {
    this.words = text.toLowerCase().split(/\s+/).filter(Boolean);
    this.arrange();
  }

  has(row) {
    if (this.texts[row] === undefined) this.texts[row] = this.haystack(row).toLowerCase();
    return this.words.every((word) => this.texts[row].includes(word));
  }

  arrange() {
    const column = this.columns.find((one) => one.key === this.sort.key);
    const order = [];
    for (let row = 0; row < this.rows; row += 1) if (!this.words.length || this.has(row)) order.push(row);
    const values = new Map(order.map((row) => [row, column.value(row)]));
    const sign = this.sort.isUp ? 1 : -1;
    order.sort((one, other) => compared(values.get(one), values.get(other), sign) || one - other);
    this.order = order;
    for (const cell of this.head.children) {
      const isOwn = cell.dataset.key === this.sort.key;
      if (isOwn) cell.setAttribute("aria-sort", this.sort.isUp ? "ascending" : "descending");
      else cell.removeAttribute("aria-sort");
    }
    this.table.setAttribute("aria-rowcount", order.length + 1);
    const all = number(this.rows);
    this.count.textContent =
      order.length === this.rows ? counted(this.rows, "row") : `${number(order.length)} of ${all} rows`;
    this.scroll.scrollTop = 0;
    this.draw();
  }

  later() {
    if (this.isWaiting) return;
    this.isWaiting = true;
    requestAnimationFrame(() => {
      this.isWaiting = false;
      this.draw();
    });
  }

  draw() {
    if (!this.order) return;
    const first = Math.max(0, Math.floor(this.scroll.scrollTop / ROW) - BEYOND);
    const last = Math.min(this.order.length, first + Math.ceil(this.scroll.clientHeight / ROW) + 2 * BEYOND);
    const focused = this.body.contains(document.activeElement)
      ? document.activeElement.closest("tr").dataset.row
      : null;
    const drawn = this.order.slice(first, last).map((row, place) => this.row(row, first + place));
    this.body.replaceChildren(this.space(first), ...drawn, this.space(this.order.length - last));
    if (!this.order.length)
      this.body.replaceChildren(
        make("tr", {}, make("td", { colspan: this.columns.length, class: "empty" }, "No row has these words.")),
      );
    // A row that is drawn anew keeps the focus that its old element had.
    if (focused !== null) this.body.querySelector(`tr[data-row="${focused}"] button`)?.focus({ preventScroll: true });
  }

  /* Stands for the rows that are not drawn, so that the scroll bar tells the truth. */
  space(rows) {
    const cell = make("td", { colspan: this.columns.length });
    cell.style.height = rows * ROW + "px";
    return make("tr", { class: "space", "aria-hidden": "true" }, cell);
  }

  row(row, place) {
    const cells = this.columns.map((column) => make("td", { class: classOf(column) }, column.draw(row)));
    return make("tr", { "data-row": row, "aria-rowindex": place + 2, class: place % 2 ? "odd" : "" }, ...cells);
  }
}

function classOf(column) {
  return [column.isText ? "text" : "number", column.minor ? "minor" : "", column.isWide ? "wide" : ""]
    .filter(Boolean)
    .join(" ");
}

function compared(one, other, sign) {
  if (one === null || other === null) return (one === null) - (other === null);
  return one < other ? -sign : one > other ? sign : 0;
}
