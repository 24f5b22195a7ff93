/* The parts of the page that are small: facts, duplicates, compression, and how two files differ. */

function plainTable(caption, columns, rows) {
  const head = columns.map(([label, kind]) => make("th", { scope: "col", class: kind }, label));
  const body = rows.map((cells) =>
    make("tr", {}, ...cells.map((cell, place) => make("td", { class: columns[place][1] }, cell))),
  );
  const table = make(
    "table",
    {},
    make("caption", { class: "hidden" }, caption),
    make("thead", {}, make("tr", {}, ...head)),
    make("tbody", {}, ...body),
  );
  return make("div", { class: "scroll plain", tabindex: "0", role: "region", "aria-label": caption }, table);
}

const FACTS = [
  ["size", ({ file }) => bytes(file.bytes)],
  ["device code", (data) => `${bytes(data.total("stored"))} (${percent(data.total("stored"), data.file.bytes)})`],
  ["once decoded", (data) => bytes(data.total("decoded"))],
  ["targets", ({ file }) => number(file.targets.target.length)],
  ["images", ({ file }) => number(file.counts.objects)],
  ["kernels", ({ file }) => number(file.counts.kernels)],
  ["coverage", ({ file }) => file.coverage],
];

/* Of two files both values, where they differ. */
function facts(files) {
  const told = FACTS.map(([label, get]) => [label, [...new Set(files.map(get))].join(" \u2192 ")]);
  return told.map(([label, value]) =>
    make(
      "li",
      { class: label === "coverage" && value !== "complete" ? "warn" : "" },
      make("span", {}, label),
      make("strong", {}, value),
    ),
  );
}

function duplicateSection(data) {
  const { payloads, kernels } = data.file.duplicates;
  const part = (title, found, nothing, what, where) => {
    if (!found.count) return [make("p", {}, nothing)];
    const told =
      found.copies === 1 ? `1 ${what} is a copy of another` : `${number(found.copies)} ${what}s are copies of others`;
    const rows = found.listed.map((group) => [
      nameList(data, group),
      String(group.copies),
      group.targets.map((target) => shown(data.text(target) || "no target")).join(", "),
      bytes(group.spare),
    ]);
    const left = found.count - found.listed.length;
    return [
      make("h3", {}, title),
      make(
        "p",
        {},
        `${told}: ${bytes(found.spare)} ${where}.`,
        left > 0 ? ` The ${number(found.listed.length)} groups that cost most, of ${number(found.count)}:` : "",
      ),
      plainTable(
        title,
        [
          ["What", "text wide"],
          ["Times", "number"],
          ["Targets", "text"],
          ["Copies cost", "number"],
        ],
        rows,
      ),
    ];
  };
  return [
    ...part("Equal images", payloads, "No two images hold the same bytes.", "image", "in the file"),
    ...part(
      "Equal kernels in different images",
      kernels,
      "No two kernels have the same instructions.",
      "kernel",
      "of decoded code",
    ),
  ];
}

function nameList(data, group) {
  const names = group.names.map((name) => shown(plainName(data.text(name))));
  const full = group.names.map((name) => shown(data.text(name))).join("\n");
  return make("span", { title: full }, names.join(", ") + (group.more ? ` and ${number(group.more)} more` : ""));
}

function compressionSection(data) {
  const { compression, targets } = data.file;
  const tried = sum(compression.decoded);
  const total = data.total("decoded");
  if (!tried) return [make("p", {}, "There is nothing to compress.")];
  const estimate = (method, target) =>
    compression.decoded[target]
      ? (targets.decoded[target] * compression.sizes[method][target]) / compression.decoded[target]
      : null;
  const rows = [...targets.target.keys()].map((target) => ({
    name: data.targetName(target),
    decoded: targets.decoded[target],
    stored: targets.stored[target],
    sizes: compression.methods.map((_, method) => estimate(method, target)),
  }));
  const all = {
    name: "all",
    decoded: total,
    stored: data.total("stored"),
    // Targets of which nothing was tried stay as they are.
    sizes: compression.methods.map((_, method) => sum(rows.map((row) => row.sizes[method] ?? row.stored))),
  };
  const columns = [
    ["Target", "text"],
    ["Decoded", "number"],
    ["In the file now", "number"],
    ...compression.methods.map((name) => [`with ${name}`, "number"]),
  ];
  const cells = [all, ...rows].map((row) => [
    shown(row.name),
    bytes(row.decoded),
    saved(row.stored, row.decoded),
    ...row.sizes.map((size) => saved(size, row.decoded)),
  ]);
  const best = Math.min(...all.sizes);
  const method = compression.methods[all.sizes.indexOf(best)];
  const now = all.decoded - all.stored;
  const sentences = [
    now > 0.005 * all.decoded
      ? `Compression saves ${bytes(now)} now, ${percent(now, all.decoded)} of what the code is once decoded.`
      : "The code is not compressed.",
    best < 0.99 * all.stored
      ? ` With ${method} it would be ${bytes(best)}: ${bytes(all.stored - best)} less than now.`
      : " None of these methods makes it notably smaller than it is.",
  ];
  const measured =
    tried >= 0.999 * total
      ? "Measured on all of it, each image by itself."
      : `Measured on ${bytes(tried)} of it (${percent(tried, total)}), spread over all targets, each image by itself; the rest is estimated.`;
  return [
    make("p", {}, ...sentences),
    plainTable("Compression by target", columns, cells),
    make("p", { class: "note" }, measured),
  ];
}

/* A size and what part of the whole it saves. */
function saved(size, whole) {
  if (size === null) return "not tried";
  const part = whole ? Math.round((100 * (whole - size)) / whole) : 0;
  return make("span", {}, bytes(size), make("small", {}, part > 0 ? ` \u2212${part} %` : ""));
}

const CHANGES = { added: "+", removed: "\u2212", changed: "~" };

function changeCell(change) {
  return make("span", { class: "change " + change }, `${CHANGES[change]} ${change}`);
}

function difference(before, after) {
  const delta = (after || 0) - (before || 0);
  const text = delta === 0 ? "0 B" : (delta > 0 ? "+" : "\u2212") + bytes(Math.abs(delta));
  return make("span", { class: delta > 0 ? "more" : delta < 0 ? "less" : "" }, text);
}

/* The targets of both files, those of the first in their order, then what only the second has. */
function targetChanges(one, other) {
  const names = [
    ...new Set(
      [one, other].flatMap((data) => [...data.file.targets.target.keys()].map((target) => data.targetName(target))),
    ),
  ];
  const at = (data, name) => [...data.file.targets.target.keys()].find((target) => data.targetName(target) === name);
  const value = (data, name, key) => (at(data, name) === undefined ? null : data.file.targets[key][at(data, name)]);
  const rows = names.map((name) => [
    shown(name),
    number(value(one, name, "objects")),
    number(value(other, name, "objects")),
    bytes(value(one, name, "stored")),
    bytes(value(other, name, "stored")),
    difference(value(one, name, "stored"), value(other, name, "stored")),
    difference(value(one, name, "decoded"), value(other, name, "decoded")),
  ]);
  rows.push([
    make("strong", {}, "all"),
    number(one.file.counts.objects),
    number(other.file.counts.objects),
    bytes(one.total("stored")),
    bytes(other.total("stored")),
    difference(one.total("stored"), other.total("stored")),
    difference(one.total("decoded"), other.total("decoded")),
  ]);
  const columns = [
    ["Target", "text"],
    ["Images before", "number minor"],
    ["after", "number minor"],
    ["In the file before", "number"],
    ["after", "number"],
    ["Difference", "number"],
    ["Decoded difference", "number minor"],
  ];
  return plainTable("Sizes by target", columns, rows);
}

function comparisonSection(comparison, one, other) {
  const { added, removed, changed } = comparison;
  const equal = added + removed + changed === 0;
  const text = (place) => one.text(place);
  const head = equal
    ? "Both files hold the same images."
    : `${counted(added, "image")} added, ${number(removed)} removed, ${number(changed)} changed.`;
  const parts = [make("p", {}, head), make("h3", {}, "Sizes by target"), targetChanges(one, other)];
  if (comparison.images.length)
    parts.push(
      make("h3", {}, "Images"),
      ...changeTable(
        "Images that differ",
        comparison.image_count,
        comparison.images.map((row) => ({
          ...row,
          name: row.kind + (row.member === null ? "" : ` in ${text(row.member)}`),
          what: row.what.map(([name, old, now]) => [name, text(old), text(now)]),
        })),
        text,
      ),
    );
  if (comparison.kernels.length)
    parts.push(
      make("h3", {}, "Kernels of changed images"),
      ...changeTable(
        "Kernels that differ",
        comparison.kernel_count,
        comparison.kernels.map((row) => ({ ...row, name: text(row.name) })),
        text,
      ),
    );
  return parts;
}

/* A table of changes, which may be long: it is one that draws what is seen. */
function changeTable(caption, count, rows, text) {
  const host = make("div", {});
  const told = make("p", { class: "note" });
  const table = new DataTable(host, told, caption);
  const what = (row) =>
    rows[row].what
      .map(([name, old, now]) => `${name.replaceAll("_", " ")} ${old ?? "unknown"} \u2192 ${now ?? "unknown"}`)
      .join(", ");
  const columns = [
    textColumn("change", "Change", (row) => rows[row].change, { draw: (row) => changeCell(rows[row].change) }),
    textColumn("name", "What", (row) => rows[row].name, {
      isWide: true,
      draw: (row) => make("span", { class: "name", title: shown(rows[row].name) }, shown(plainName(rows[row].name))),
    }),
    textColumn("target", "Target", (row) => text(rows[row].target)),
    numberColumn(
      "before",
      "Before",
      rows.map((row) => row.before),
      bytes,
    ),
    numberColumn(
      "after",
      "After",
      rows.map((row) => row.after),
      bytes,
    ),
    {
      key: "delta",
      label: "Difference",
      value: (row) => (rows[row].after || 0) - (rows[row].before || 0),
      draw: (row) => difference(rows[row].before, rows[row].after),
    },
    textColumn("what", "Else", what, { isWide: true }),
  ];
  const haystack = (row) => [rows[row].change, rows[row].name, text(rows[row].target), what(row)].join(" ");
  table.show({ columns, rows: rows.length, haystack, sort: { key: "delta", isUp: false }, caption });
  const left = count - rows.length;
  return [host, told, left > 0 ? make("p", { class: "note" }, `${number(left)} more are not listed.`) : ""];
}
