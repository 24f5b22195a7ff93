/* The map of bytes.  A node is {label, full, kind, size, hue, tone, children()}; children come in falling order of size
   and are made when they are asked for, since a file may have tens of thousands of kernels.

   The cells of the node that is shown are buttons, of which one is in the order of Tab (a roving tabindex); what is
   drawn in them are their own children, for the eye alone. */

const LABEL = 20;
const LEAST = 150;
const LEAST_INSIDE = 30;
const MOST = 400;
const MOST_INSIDE = 60;

class Treemap {
  constructor(host, trail, info) {
    this.host = host;
    this.trail = trail;
    this.info = info;
    this.path = [];
    host.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.redraw()).observe(host);
  }

  /* Shows a root; `names` is the way from it that is gone as far as it exists, so that a change of measure or of file
     leaves the reader where they are.  Gives the node that it ends at; one without children is a cell then. */
  show(root, names = []) {
    this.path = [root];
    let last = root;
    for (const name of names) {
      const next = children(last).find((child) => child.full === name);
      if (!next) break;
      last = next;
      if (children(next).length) this.path.push(next);
    }
    if (!names.length) this.passOn();
    this.draw();
    return last;
  }

  /* The same with the focus on what it ends at. */
  reveal(root, names) {
    const last = this.show(root, names);
    this.focus(last === this.at() ? 0 : this.placeOf(last));
    this.tell(last);
  }

  /* The cell of a node, or the one that it is in together with others. */
  placeOf(node) {
    return Math.max(
      0,
      this.cells.findIndex((cell) => cell.node === node || cell.node.holds?.includes(node)),
    );
  }

  /* Begins where there is something to choose from, but not within an image. */
  passOn() {
    for (let only = children(this.path[0]); only.length === 1 && only[0].kind === "vendor"; only = children(only[0])) {
      this.path.push(only[0]);
    }
  }

  names() {
    return this.path.slice(1).map((node) => node.full);
  }

  at() {
    return this.path[this.path.length - 1];
  }

  enter(node) {
    if (!children(node).length) {
      this.tell(node);
      return;
    }
    this.path.push(node);
    this.draw();
    this.focus(0);
  }

  /* Goes back to the node of a depth, with the focus on the cell that the reader comes from. */
  leave(depth) {
    if (depth < 0 || depth >= this.path.length - 1) return;
    const from = this.path[depth + 1];
    this.path.length = depth + 1;
    this.draw();
    this.focus(this.placeOf(from));
  }

  focus(number) {
    if (!this.cells[number]) return;
    for (const [place, cell] of this.cells.entries()) cell.button.tabIndex = place === number ? 0 : -1;
    this.cells[number].button.focus({ preventScroll: true });
  }

  /* After a change of size, which phones make while a page is scrolled, the reader is where they were. */
  redraw() {
    const focused = this.cells?.find((cell) => cell.button === document.activeElement);
    const told = this.told;
    this.draw();
    if (focused) this.focus(this.placeOf(focused.node));
    if (told) this.tell(told);
  }

  tell(node) {
    this.told = node;
    const share = percent(node.size, this.path[0].size);
    this.info.replaceChildren(
      make("strong", {}, shown(node.label)),
      ` \u00b7 ${node.kind} \u00b7 ${bytes(node.size)} \u00b7 ${share} of the device code`,
      node.full === node.label ? "" : make("span", { class: "full" }, shown(node.full)),
      node.note ? make("span", { class: "full" }, node.note) : "",
    );
  }

  draw() {
    if (!this.path.length || !this.host.clientWidth) return;
    const frame = { x: 0, y: 0, w: this.host.clientWidth, h: this.host.clientHeight };
    const shownChildren = kept(children(this.at()), frame.w * frame.h, LEAST, MOST);
    const places = squarify(
      shownChildren.map((node) => node.size),
      frame,
    );
    this.cells = shownChildren.map((node, number) => ({
      node,
      place: places[number],
      button: this.cell(node, places[number]),
    }));
    if (this.cells.length) this.cells[0].button.tabIndex = 0;
    const empty = make("p", { class: "empty" }, "There is no device code here whose size is known.");
    this.host.replaceChildren(...(this.cells.length ? this.cells.map((cell) => cell.button) : [empty]));
    this.host.setAttribute("aria-label", `Map of ${shown(this.at().full)}: ${counted(this.cells.length, "cell")}`);
    this.drawTrail();
    this.tell(this.at());
  }

  cell(node, place) {
    const has = children(node).length > 0;
    const button = make("button", {
      type: "button",
      class: has ? "cell" : "cell leaf",
      tabindex: "-1",
      "aria-label": `${shown(node.full)}, ${node.kind}, ${bytes(node.size)}, ${percent(node.size, this.path[0].size)}`,
      onclick: () => this.enter(node),
      onfocus: () => this.tell(node),
      onpointerenter: () => this.tell(node),
    });
    stand(button, node, place);
    const isLabelled = place.w > 44 && place.h > LABEL;
    if (isLabelled) {
      const size = place.w > 130 ? make("span", { class: "size" }, bytes(node.size)) : "";
      button.append(make("span", { class: "label" }, make("span", { class: "name" }, shown(node.label)), size));
    }
    if (has)
      inside(button, node, {
        x: 2,
        y: isLabelled ? LABEL : 2,
        w: place.w - 6,
        h: place.h - (isLabelled ? LABEL + 4 : 6),
      });
    return button;
  }

  drawTrail() {
    const items = this.path.map((node, depth) =>
      depth === this.path.length - 1
        ? make("span", { "aria-current": "location" }, shown(node.label))
        : make("button", { type: "button", onclick: () => this.leave(depth) }, shown(node.label)),
    );
    this.trail.replaceChildren(
      ...items.flatMap((item, place) =>
        place ? [make("span", { class: "sep", "aria-hidden": "true" }, "\u203a"), item] : [item],
      ),
    );
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const from = this.cells.findIndex((cell) => cell.button === document.activeElement);
    if (event.key === "Escape" || event.key === "Backspace") this.leave(this.path.length - 2);
    else if (event.key === "Home") this.focus(0);
    else if (event.key === "End") this.focus(this.cells.length - 1);
    else if (WAYS[event.key] && from >= 0) this.focus(this.neighbour(from, WAYS[event.key]));
    else return;
    event.preventDefault();
  }

  /* The nearest cell on that side; one that is off to another side counts as farther. */
  neighbour(from, [dx, dy]) {
    const own = middle(this.cells[from].place);
    let best = from;
    let least = Infinity;
    for (const [number, cell] of this.cells.entries()) {
      const other = middle(cell.place);
      const along = (other.x - own.x) * dx + (other.y - own.y) * dy;
      const aside = Math.abs((other.x - own.x) * dy) + Math.abs((other.y - own.y) * dx);
      const far = along + 2 * aside;
      if (number !== from && along > 1 && far < least) [best, least] = [number, far];
    }
    return best;
  }
}

const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function middle(place) {
  return { x: place.x + place.w / 2, y: place.y + place.h / 2 };
}

/* A node's children, made once. */
function children(node) {
  if (!node.made) node.made = node.children ? node.children().filter((child) => child.size > 0) : [];
  return node.made;
}

/* The children that can be drawn; the others become one node, which can be gone into. */
function kept(nodes, area, least, most) {
  const values = nodes.map((node) => node.size);
  const count = drawable(values, area, least, most);
  if (count >= nodes.length - 1 || (count === 0 && nodes.length <= most)) return nodes;
  const rest = nodes.slice(count);
  const size = rest.reduce((sum, node) => sum + node.size, 0);
  const label = `${number(rest.length)} smaller`;
  const together = {
    label,
    full: label,
    kind: "together",
    size,
    hue: rest[0].hue,
    tone: "rest",
    holds: rest,
    children: () => rest,
  };
  return [...nodes.slice(0, count), together].sort((one, other) => other.size - one.size);
}

function stand(element, node, place) {
  element.style.left = place.x + "px";
  element.style.top = place.y + "px";
  element.style.width = Math.max(0, place.w) + "px";
  element.style.height = Math.max(0, place.h) + "px";
  element.style.setProperty("--hue", node.hue);
  element.classList.add("tone-" + (node.tone || "plain"));
}

/* Draws a node's children into its cell. */
function inside(button, node, frame) {
  if (frame.w < 8 || frame.h < 8) return;
  const nodes = children(node);
  const count = drawable(
    nodes.map((child) => child.size),
    frame.w * frame.h,
    LEAST_INSIDE,
    MOST_INSIDE,
  );
  const drawn = nodes.slice(0, count);
  const rest = nodes.slice(count).reduce((sum, child) => sum + child.size, 0);
  const places = squarify([...drawn.map((child) => child.size), ...(rest ? [rest] : [])], frame);
  for (const [number, child] of drawn.entries()) {
    const place = places[number];
    const text = place.w > 52 && place.h > 16 ? shown(child.label) : "";
    const part = make("span", { class: "part", "aria-hidden": "true" }, text);
    stand(part, child, place);
    button.append(part);
  }
}
