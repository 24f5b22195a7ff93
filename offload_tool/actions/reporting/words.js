/* Words and numbers for people, and elements made without any markup from the data. */

const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;

/* Text out of a file with what cannot be seen, or turns the order of others, written as escapes. */
function shown(text) {
  return text.replace(UNSEEN, (character) => "\\u{" + character.codePointAt(0).toString(16) + "}");
}

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

function bytes(count) {
  if (count === null || count === undefined) return "\u2013";
  let unit = 0;
  let value = count;
  while (Math.abs(value) >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const digits = unit === 0 || Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toFixed(digits) + " " + UNITS[unit];
}

function number(value) {
  return value === null || value === undefined ? "\u2013" : value.toLocaleString("en-US");
}

function percent(part, whole) {
  if (!whole) return "\u2013";
  const value = (100 * part) / whole;
  if (value > 0 && value < 0.05) return "under 0.1 %";
  return (Math.abs(value) < 10 ? value.toFixed(1) : value.toFixed(0)) + " %";
}

function counted(count, noun) {
  return number(count) + " " + noun + (count === 1 ? "" : "s");
}

/* The readable part of a mangled C++ name: its nested names, and whether arguments of a template follow.  Not the
   whole grammar: what does not fit stays as it is, and the full name is always shown beside it. */
function plainName(name) {
  const start = /^_Z(N[rVK]*)?/.exec(name);
  if (!start) return name;
  let at = start[0].length;
  const parts = [];
  for (;;) {
    const length = /^(?:St|L)?(\d{1,4})/.exec(name.slice(at, at + 6));
    if (!length) break;
    const begin = at + length[0].length;
    const part = name.slice(begin, begin + Number(length[1]));
    if (part.length !== Number(length[1])) return name;
    parts.push(part.startsWith("_GLOBAL__N_") ? "(anonymous)" : part);
    at = begin + part.length;
    if (!start[1]) break;
  }
  return parts.length ? parts.join("::") + (name[at] === "I" ? "<\u2026>" : "") : name;
}

/* The same without the namespaces: names in a map are short of room, and there they are mostly the same. */
function lastName(name) {
  return plainName(name).split("::").pop() || name;
}

/* An element with attributes, properties and children.  A text is always a text node. */
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "class") element.className = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/* A group of buttons of which one is pressed; `choose` hears its value. */
function choice(host, options, chosen, choose) {
  const buttons = options.map(([value, label]) => {
    const press = () => {
      for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
      choose(value);
    };
    const button = make("button", { type: "button", "aria-pressed": String(value === chosen), onclick: press }, label);
    return button;
  });
  host.replaceChildren(...buttons);
}
