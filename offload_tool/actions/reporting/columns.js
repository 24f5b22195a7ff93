/* What the data says: nodes for the map and rows for the table, made of the columns of one file. */

const VENDORS = { nvidia: ["NVIDIA", 85, 165], amd: ["AMD", 0, 42], other: ["Other", 205, 275] };

class FileData {
  constructor(file, strings) {
    this.file = file;
    this.strings = strings;
    this.kernelsOf = file.objects.id.map(() => []);
    for (const [row, object] of file.kernels.object.entries()) this.kernelsOf[object].push(row);
    this.hues = hues(file.targets.vendor);
  }

  text(place) {
    return place === null || place === undefined ? null : this.strings[place];
  }

  get name() {
    return this.text(this.file.name);
  }

  targetName(target) {
    return this.text(this.file.targets.target[target]) || "no target";
  }

  objectName(object) {
    const { id, kind, member } = this.file.objects;
    const where = this.text(member[object]);
    return `${kind[object]} ${id[object]}${where ? ` in ${where}` : ""}`;
  }

  total(measure) {
    return sum(this.file.targets[measure]);
  }

  /* The tree for a measure: "stored" are bytes in the file, "decoded" those after decompression. */
  root(measure) {
    const { targets } = this.file;
    const vendors = [...new Set(targets.vendor)];
    const build = () => falling(vendors.map((vendor) => this.vendorNode(vendor, measure)));
    return { label: this.name, full: this.name, kind: "file", size: this.total(measure), hue: 220, children: build };
  }

  vendorNode(vendor, measure) {
    const { targets } = this.file;
    const own = [...targets.vendor.keys()].filter((target) => targets.vendor[target] === vendor);
    const label = VENDORS[vendor][0];
    const size = sum(own.map((target) => targets[measure][target]));
    const build = () => falling(own.map((target) => this.targetNode(target, measure)));
    return { label, full: label, kind: "vendor", size, hue: VENDORS[vendor][1] + 30, children: build };
  }

  targetNode(target, measure) {
    const size = this.file.targets[measure][target];
    const label = this.targetName(target);
    return {
      label,
      full: label,
      kind: "target",
      size,
      hue: this.hues[target],
      children: () => this.objectNodes(target, measure),
    };
  }

  objectNodes(target, measure) {
    const { objects, targets } = this.file;
    const own = [...objects.target.keys()].filter((object) => objects.target[object] === target);
    const nodes = own.map((object) => this.objectNode(object, measure));
    const left = targets[measure][target] - sum(nodes.map((node) => node.size));
    const count = targets.objects[target] - own.length;
    if (count > 0 && left > 0) nodes.push(this.restNode(`${number(count)} not listed`, "images", left, target));
    return falling(nodes);
  }

  objectNode(object, measure) {
    const { objects } = this.file;
    const target = objects.target[object];
    const label = this.objectName(object);
    const kernels = this.kernelsOf[object].length;
    const note = [
      kernels ? counted(kernels, "kernel") : "",
      objects.compression[object] === "none" ? "" : objects.compression[object],
    ];
    return {
      label,
      full: label,
      kind: "image",
      size: objects[measure][object],
      hue: this.hues[target],
      note: note.filter(Boolean).join(", "),
      children: () => this.kernelNodes(object, measure),
    };
  }

  kernelNodes(object, measure) {
    const { objects, kernels } = this.file;
    const target = objects.target[object];
    const own = this.kernelsOf[object].filter((row) => kernels.code[row]);
    if (!own.length) return [];
    // In the file a kernel has no size of its own where its image is compressed: it gets its share.
    const scale =
      measure === "stored" && objects.decoded[object] ? objects.stored[object] / objects.decoded[object] : 1;
    const nodes = own.map((row) => {
      const name = this.text(kernels.name[row]);
      return {
        label: lastName(name),
        full: name,
        kind: "kernel",
        size: kernels.code[row] * scale,
        hue: this.hues[target],
      };
    });
    const left = objects[measure][object] - sum(nodes.map((node) => node.size));
    if (left >= 1) nodes.push(this.restNode("not kernels", "tables, constants, debug information", left, target));
    return falling(nodes);
  }

  restNode(label, kind, size, target) {
    return { label, full: label, kind, size, hue: this.hues[target], tone: "rest" };
  }

  /* The way in the map to an image or to one of its kernels. */
  way(object, row) {
    const target = this.file.objects.target[object];
    const names = [VENDORS[this.file.targets.vendor[target]][0], this.targetName(target), this.objectName(object)];
    return row === null ? names : [...names, this.text(this.file.kernels.name[row])];
  }

  /* What the table shows of a collection; `reveal(names)` shows a row in the map. */
  table(collection, reveal) {
    return TABLES[collection](this, reveal);
  }
}

function sum(values) {
  return values.reduce((total, value) => total + (value || 0), 0);
}

function falling(nodes) {
  return nodes.sort((one, other) => other.size - one.size);
}

/* A hue a target: those of one vendor lie side by side in the vendor's part of the circle. */
function hues(vendors) {
  const counts = {};
  const places = vendors.map((vendor) => (counts[vendor] = (counts[vendor] || 0) + 1) - 1);
  return vendors.map((vendor, target) => {
    const [, from, to] = VENDORS[vendor];
    return from + ((to - from) * (places[target] + 0.5)) / counts[vendor];
  });
}

function nameCell(name, reveal) {
  const plain = plainName(name);
  const full = shown(name);
  const parts = plain === name ? [full] : [shown(plain) + " ", make("span", { class: "mangled" }, full)];
  return make("button", { type: "button", class: "name", title: full, onclick: reveal }, ...parts);
}

function textColumn(key, label, get, more) {
  return { key, label, isText: true, value: get, draw: (row) => shown(get(row) ?? "\u2013"), ...more };
}

function numberColumn(key, label, values, draw = number, more = {}) {
  return { key, label, value: (row) => values[row], draw: (row) => draw(values[row]), ...more };
}

const TABLES = {
  targets(data, reveal) {
    const { targets } = data.file;
    const name = (row) => data.targetName(row);
    const way = (row) => [VENDORS[targets.vendor[row]][0], name(row)];
    const columns = [
      textColumn("target", "Target", name, { draw: (row) => nameCell(name(row), () => reveal(way(row))) }),
      textColumn("vendor", "Vendor", (row) => VENDORS[targets.vendor[row]][0], { minor: true }),
      textColumn("kinds", "Kinds", (row) => targets.kinds[row], { minor: true }),
      numberColumn("objects", "Images", targets.objects),
      numberColumn("kernels", "Kernels", targets.kernels),
      numberColumn("stored", "In the file", targets.stored, bytes),
      numberColumn("decoded", "Decoded", targets.decoded, bytes),
      textColumn("coverage", "Coverage", (row) => targets.coverage[row], { minor: true }),
    ];
    const haystack = (row) => [name(row), targets.vendor[row], targets.kinds[row], targets.coverage[row]].join(" ");
    return { columns, rows: targets.target.length, haystack, sort: { key: "stored", isUp: false }, caption: "Targets" };
  },

  images(data, reveal) {
    const { objects, targets } = data.file;
    const name = (row) => data.objectName(row);
    const target = (row) => data.targetName(objects.target[row]);
    const optional = [
      ["section", "Section"],
      ["fault", "Fault"],
    ].filter(([key]) => objects[key].some((text) => text !== null));
    const columns = [
      textColumn("image", "Image", name, {
        value: (row) => Number(objects.id[row]),
        draw: (row) => nameCell(name(row), () => reveal(data.way(row, null))),
      }),
      textColumn("target", "Target", target),
      textColumn("compression", "Compression", (row) => objects.compression[row], { minor: true }),
      numberColumn("stored", "In the file", objects.stored, bytes),
      numberColumn("decoded", "Decoded", objects.decoded, bytes),
      {
        ...numberColumn("kernels", "Kernels", []),
        value: (row) => data.kernelsOf[row].length,
        draw: (row) => number(data.kernelsOf[row].length),
      },
      textColumn("coverage", "Coverage", (row) => objects.coverage[row], { minor: true }),
      ...optional.map(([key, label]) =>
        textColumn(key, label, (row) => data.text(objects[key][row]), { minor: key !== "fault", isWide: true }),
      ),
    ];
    const texts = (row) => [
      name(row),
      target(row),
      targets.vendor[objects.target[row]],
      objects.compression[row],
      objects.coverage[row],
      data.text(objects.container[row]),
      data.text(objects.section[row]),
      data.text(objects.fault[row]),
      objects.equal[row] ? "duplicate" : "",
    ];
    return {
      columns,
      rows: objects.id.length,
      haystack: (row) => texts(row).join(" "),
      sort: { key: "stored", isUp: false },
      caption: "Images",
    };
  },

  kernels(data, reveal) {
    const { kernels, objects } = data.file;
    const name = (row) => data.text(kernels.name[row]);
    const target = (row) => data.targetName(objects.target[kernels.object[row]]);
    const columns = [
      textColumn("name", "Kernel", name, {
        isWide: true,
        draw: (row) => nameCell(name(row), () => reveal(data.way(kernels.object[row], row))),
      }),
      textColumn("target", "Target", target),
      numberColumn("code", "Code", kernels.code, bytes),
      numberColumn("registers", "Registers", kernels.registers),
      numberColumn("shared", "Shared", kernels.shared, bytes, { minor: true }),
      numberColumn("arguments", "Arguments", kernels.arguments, bytes, { minor: true }),
      textColumn("image", "Image", (row) => data.objectName(kernels.object[row]), {
        minor: true,
        value: (row) => kernels.object[row],
      }),
    ];
    const haystack = (row) =>
      [
        name(row),
        plainName(name(row)),
        target(row),
        data.objectName(kernels.object[row]),
        kernels.equal[row] ? "duplicate" : "",
      ].join(" ");
    return { columns, rows: kernels.name.length, haystack, sort: { key: "code", isUp: false }, caption: "Kernels" };
  },
};
