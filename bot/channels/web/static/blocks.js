// Elements from what the server sends. Text is only ever set as text: nothing a person typed can become markup.

/** An element with attributes (text, class, on..., data) and children. */
export function make(tag, given = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (name === "text") made.textContent = value;
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== undefined && value !== null) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

export function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  const use = document.createElementNS(space, "use");
  use.setAttribute("href", `#i-${name}`);
  svg.setAttribute("aria-hidden", "true");
  svg.append(use);
  return svg;
}

const isWeb = (url) => /^https?:\/\//.test(url);

export function link(url, text) {
  return isWeb(url) ? make("a", { href: url, rel: "noopener noreferrer", target: "_blank", text }) : make("span", { text });
}

function run(one) {
  if (one.url) return link(one.url, one.text);
  let made = document.createTextNode(one.text);
  if (one.code) made = make("code", { text: one.text });
  return one.bold ? make("strong", {}, made) : made;
}

const line = (runs) => runs.map(run);
export const plain = (runs) => runs.map((one) => one.text).join("");
const isNumber = (text) => /^[-+~≈<>¥$€]?\s?\d[\d,.]*\s?(%|x|×)?$/.test(text.trim());

/** Two or three things with many properties stand side by side, a property a row: that fits a telephone. */
const turned = (rows) => (rows.length <= 4 && rows[0].length > rows.length ? rows[0].map((_, at) => rows.map((row) => row[at] ?? [])) : rows);

function table(given, label) {
  const [head, ...body] = turned(given);
  const right = head.map((_, at) => body.length > 0 && body.every((row) => !row[at] || !plain(row[at]) || isNumber(plain(row[at]))));
  const kind = (at) => (right[at] && at > 0 ? "number" : undefined);
  const named = head.map((cell, at) => make(plain(cell) ? "th" : "td", plain(cell) ? { scope: "col", class: kind(at) } : {}, ...line(cell)));
  return make("div", { class: "wide", tabindex: "0", role: "group", "aria-label": label },
    make("table", {},
      make("thead", {}, make("tr", {}, ...named)),
      make("tbody", {}, ...body.map((row) => make("tr", {}, ...row.map((cell, at) =>
        make(at ? "td" : "th", at ? { class: kind(at) } : { scope: "row" }, ...line(cell))))))));
}

/** The elements of blocks, in order. `label`: name of a table for who cannot see it. */
export function blocks(found, label) {
  return found.flatMap((block) => {
    if (block.kind === "table") return block.rows ? [table(block.rows, label)] : [];
    if (block.kind === "heading") return block.lines.map((runs) => make("h3", {}, ...line(runs)));
    if (block.kind === "list") {
      return [make("ul", {}, ...block.lines.map((runs, at) => make("li", { class: block.indents[at] ? `in-${block.indents[at]}` : undefined }, ...line(runs))))];
    }
    const lines = block.lines.map((runs) => make("p", {}, ...line(runs)));
    return block.kind === "note" ? [make("div", { class: "note" }, ...lines)] : lines;
  });
}

/** The first line of an answer, and the blocks that follow it. */
export function opened(found) {
  const first = found[0];
  if (!first || first.kind === "table" || first.kind === "list" || !first.lines.length) return [null, found];
  const rest = first.lines.slice(1);
  return [first.lines[0], rest.length ? [{ ...first, lines: rest }, ...found.slice(1)] : found.slice(1)];
}

const ASIDE = /(（[^（）]*）|\([^()]*\))/;

/** The first line: what stands in brackets is said more quietly than the verdict. */
export function headline(runs) {
  const parts = runs.flatMap((one) => (one.url ? [run(one)] : one.text.split(ASIDE).map((text, at) => (at % 2 ? make("span", { class: "aside", text }) : text))));
  return make("p", { class: "verdict" }, ...parts);
}
