import { blocks, headline, icon, link, make, opened, plain } from "./blocks.js";
import { Outbox, draft, name, remember, remembered } from "./outbox.js";

const data = JSON.parse(document.getElementById("data").textContent);
const embedded = new URLSearchParams(location.search).has("embed");
const root = document.documentElement;
const at = (id) => document.getElementById(id);
const [talk, form, text, state, heard] = ["talk", "ask", "text", "state", "heard"].map(at);
const LATE = 30 * 60_000;
const [MOST_LINES, MOST_SAID] = [5, 400];
const INSIDE = new Set(["do:why", "do:sources", "do:chart", "do:good", "do:bad"]);

let lang = remembered("lang") ?? (navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en");
const say = (key, values = {}) => (data.words[lang][key] ?? key).replace(/\{(\w+)\}/g, (_, one) => values[one] ?? "");
const verb = (key) => key.split("#")[0];

// --- what was shared ---------------------------------------------------------------------------------------------

const unpack = (packed) => JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(packed.replace(/-/g, "+").replace(/_/g, "/")), (one) => one.charCodeAt(0))));
const pack = (value) => btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(value)))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");

function sharedHere() {
  if (!location.hash.startsWith("#s=")) return null;
  try {
    const found = unpack(location.hash.slice(3));
    const fine = Array.isArray(found.q) && found.q.length > 0 && found.q.length <= 12 && found.q.every((one) => typeof one === "string" && one.length <= 2000);
    const lines = Array.isArray(found.l) ? found.l.slice(0, MOST_LINES).map((one) => String(one).slice(0, 1000)) : [String(found.h ?? "")];
    return fine ? { q: found.q, l: lines, v: String(found.v ?? ""), d: String(found.d ?? "") } : null;
  } catch {
    return null;
  }
}

const shared = sharedHere();
const own = () => {
  if (!embedded) return "";
  const found = remembered("talk") ?? name();
  remember("talk", found);
  return found;
};
const outbox = new Outbox(news, shared ? name() : own(), !shared);

// --- a turn ------------------------------------------------------------------------------------------------------

const isEnd = () => innerHeight + scrollY > document.body.scrollHeight - 160;

function article(turn) {
  const made = make("article", { class: "turn", id: `t-${turn.id}`, lang: turn.reply?.language });
  made.append(make("h2", { class: "said", text: turn.label ?? turn.said }));
  made.append(turn.reply ? card(turn) : pending(turn));
  return made;
}

function pending(turn) {
  if (turn.refused) return make("div", { class: "card" }, make("p", { class: "wrong", text: say("refused", { why: turn.refused }) }));
  return make("div", { class: "card" }, make("div", { class: "waiting" }, make("span", { class: "dots", "aria-hidden": "true" })));
}

const isTitle = (block) => block.lines.every((runs) => runs.every((one) => one.bold));

function card(turn) {
  const { reply } = turn;
  const [first, rest] = opened(reply.blocks);
  const made = make("div", { class: "card" });
  if (first) made.append(headline(first));
  // The picture stands behind the sentences and before what explains them.
  const end = rest.findIndex((block) => block.kind !== "paragraph");
  const cut = end > 0 && isTitle(rest[end - 1]) ? end - 1 : end;
  const [said, further] = cut < 0 ? [rest, []] : [rest.slice(0, cut), rest.slice(cut)];
  const place = make("div");
  made.append(...blocks(said, say("table")), place, ...blocks(further, say("table")));
  if (turn.extra) made.append(more(turn.extra));
  if (reply.decision === "answer" && (reply.sources.length || has(reply, "do:why"))) made.append(receipt(turn));
  made.append(choices(turn, place), tools(turn));
  if (shows(turn)) draw(place, reply.chart);
  return made;
}

const has = (reply, act) => reply.choices.find((one) => verb(one.key) === act);

function more(reply) {
  return make("div", { class: "more" }, ...blocks(reply.blocks, say("table")));
}

function receipt(turn) {
  const inside = make("div");
  const made = make("details", { class: "receipt" }, make("summary", { text: say("receipt") }), inside);
  made.addEventListener("toggle", () => made.open && !inside.childElementCount && unfold(turn, inside));
  return made;
}

async function unfold(turn, inside) {
  const why = has(turn.reply, "do:why");
  if (why && !turn.why) {
    inside.append(make("p", { class: "dots" }));
    const got = await aside(why.key, turn);
    inside.replaceChildren();
    if (got && isGone(got)) inside.append(...blocks(got.blocks, say("table")));
    else turn.why = got;
    outbox.save();
  }
  if (turn.why) inside.append(...blocks(turn.why.blocks, say("table")));
  const known = [...turn.reply.sources, ...(turn.why?.sources ?? [])];
  const sources = [...new Map(known.map((one) => [one.title + one.section, one])).values()];
  if (!sources.length) return;
  inside.append(make("h3", { text: say("sources") }), make("ol", { class: "sources" }, ...sources.map((one) => {
    const title = one.section ? `${one.title} · ${one.section}` : one.title;
    const item = make("li", {}, link(one.url, title));
    if (one.as_of) item.append(` (${one.as_of})`);
    return item;
  })));
}

/** What a button of the card itself brings; null when it cannot be had now. What the server no longer keeps is asked anew. */
async function aside(key, turn) {
  try {
    const response = await outbox.post({ action: key, lang });
    if (response.ok) {
      const got = await response.json();
      return (isGone(got) && (await asked(turn, verb(key)))) || got;
    }
  } catch {
    // told below
  }
  state.textContent = say("offline");
  return null;
}

const isGone = (reply) => reply.intent === "gone";

/** The same questions in a talk of their own, and then the same button; null where that does not lead there. */
async function asked(turn, wanted) {
  const past = new Outbox(() => {}, name(), false);
  const pressed = (reply, key) => reply?.choices.find((one) => verb(one.key) === key)?.key;
  let last = null;
  for (const one of leading(turn)) {
    const key = one.action && pressed(last, verb(one.action));
    const response = await past.post(key ? { action: key, lang: one.lang } : { text: one.said, lang: one.lang });
    if (!response.ok) return null;
    last = await response.json();
  }
  const key = pressed(last, wanted);
  const response = key && (await past.post({ action: key, lang }));
  return response?.ok ? response.json() : null;
}

function choices(turn, place) {
  const row = make("div", { class: "choices", role: "group", "aria-label": say("choices") });
  if (turn.reply.chart) row.append(chartButton(turn, place));
  for (const choice of turn.reply.choices) {
    if (!INSIDE.has(verb(choice.key))) row.append(make("button", { type: "button", text: choice.label, onclick: (event) => press(turn, choice, event.currentTarget) }));
  }
  const again = isGone(turn.reply) && turn.below ? [turn.below] : [];
  for (const next of [...turn.reply.suggestions, ...again]) {
    row.append(make("button", { type: "button", class: "next", text: next, onclick: () => ask(next) }));
  }
  if (!row.childElementCount) row.hidden = true;
  return row;
}

const shows = (turn) => Boolean(turn.reply.chart) && (turn.drawn ?? true);

function chartButton(turn, place) {
  return make("button", { type: "button", text: say("chart"), "aria-pressed": String(shows(turn)), onclick: (event) => {
    turn.drawn = !shows(turn);
    event.currentTarget.setAttribute("aria-pressed", String(turn.drawn));
    outbox.save();
    if (turn.drawn) draw(place, turn.reply.chart);
    else place.replaceChildren();
  } });
}

async function press(turn, choice, button) {
  if (!choice.key.startsWith("do:")) {
    outbox.put({ said: choice.label, action: choice.key, lang, below: leading(turn)[0].said });
    return;
  }
  button.disabled = true;
  const got = await aside(choice.key, turn);
  button.disabled = false;
  if (!got) return;
  turn.extra = got;
  outbox.save();
  redraw(turn).querySelector(".more").scrollIntoView({ block: "nearest" });
}

// --- pictures ----------------------------------------------------------------------------------------------------

const isNarrow = () => innerWidth < 560;
const isDark = () => (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";

const nearby = new IntersectionObserver((seen) => seen.filter((one) => one.isIntersecting).forEach((one) => {
  nearby.unobserve(one.target);
  one.target.paint();
}), { rootMargin: "400px" });

/** The picture of a chart, fetched when it comes near the window. */
function draw(place, chart) {
  const [width, height] = isNarrow() ? chart.narrow : chart.size;
  const picture = make("img", { alt: say("chart_of", { title: chart.title }), width, height });
  place.replaceChildren(make("figure", {}, picture,
    make("details", {}, make("summary", { text: say("figures") }), make("div", {}, ...blocks(chart.table, chart.title)))));
  picture.paint = () => paint(picture, chart);
  nearby.observe(picture);
}

async function paint(picture, chart) {
  try {
    const response = await fetch("/chart", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ chart: chart.spec, theme: isDark() ? "dark" : "light", lang, narrow: isNarrow() }),
    });
    if (!response.ok) throw new Error(response.status);
    const old = picture.src;
    picture.src = URL.createObjectURL(await response.blob());
    if (old) URL.revokeObjectURL(old);
  } catch {
    picture.hidden = true;
    picture.parentElement.querySelector("details").open = true;
    state.textContent = say("no_picture");
  }
}

const repaint = () => document.querySelectorAll("figure img[src]").forEach((one) => one.paint());

// --- tools of a card ---------------------------------------------------------------------------------------------

function tools(turn) {
  const told = make("span", { class: "told", role: "status" });
  const tool = (what, act, pressed) => make("button", {
    type: "button", class: "plain icon", title: say(what), "aria-label": say(what), "aria-pressed": pressed, onclick: act,
  }, icon(what));
  const row = make("div", { class: "tools" },
    tool("copy", () => copied(markdown(turn), told, "copied")),
    tool("share", () => copied(permalink(turn), told, "shared_copied")));
  if (turn.reply.case && turn.reply.decision === "answer") {
    for (const [what, act] of [["up", "good"], ["down", "bad"]]) {
      row.append(tool(what, () => rate(turn, act, told), turn.rated === undefined ? undefined : String(turn.rated === act)));
    }
  }
  row.append(told);
  return row;
}

function markdown({ said, reply }) {
  const cited = reply.sources.map((one) => {
    const title = one.section ? `${one.title} · ${one.section}` : one.title;
    return `- ${one.url ? `[${title}](${one.url})` : title}${one.as_of ? ` (${one.as_of})` : ""}`;
  });
  return [`**${said}**`, reply.markdown, ...(cited.length ? [`${say("sources")}:\n\n${cited.join("\n")}`] : [])].join("\n\n");
}

async function copied(what, told, key) {
  try {
    await navigator.clipboard.writeText(what);
    told.textContent = say(key);
  } catch {
    const box = make("textarea", { class: "unseen" });
    box.value = what;
    document.body.append(box);
    box.select();
    told.textContent = document.execCommand("copy") ? say(key) : say("copy_failed");
    box.remove();
  }
  setTimeout(() => (told.textContent = ""), 4000);
}

async function rate(turn, act, told) {
  if (turn.rated || !(await aside(`do:${act}#${turn.reply.case}`))) return;
  turn.rated = act;
  outbox.save();
  redraw(turn).querySelector(".told").textContent = say("thanks");
}

/** The first sentences of an answer, as they stood. */
function opening(found) {
  const lines = [];
  let room = MOST_SAID;
  for (const block of found) {
    if (block.kind !== "paragraph") break;
    for (const runs of block.lines) {
      const text = plain(runs);
      if (lines.length && (lines.length >= MOST_LINES || text.length > room)) return lines;
      lines.push(text);
      room -= text.length;
    }
  }
  return lines;
}

/** A question that stands alone needs none of those before it, and a link to its answer tells nobody of them. */
const leans = (turn) => turn.action || (turn.follows && !turn.reply.alone);

/** The turns that lead to an answer, that of the answer last. */
function leading(turn) {
  const before = outbox.turns.slice(0, outbox.turns.indexOf(turn) + 1).filter((one) => one.reply);
  let start = before.length - 1;
  while (start > 0 && leans(before[start]) && before.length - start < 6) start -= 1;
  return before.slice(start);
}

/** The questions that lead to an answer, with what it said: in the fragment, which no server ever sees. */
function permalink(turn) {
  const kept = { q: leading(turn).map((one) => one.said), l: opening(turn.reply.blocks), v: turn.reply.version, d: new Date(turn.at).toISOString().slice(0, 10) };
  return `${location.origin}/#s=${pack(kept)}`;
}

// --- the talk ----------------------------------------------------------------------------------------------------

function redraw(turn) {
  const made = article(turn);
  const old = at(`t-${turn.id}`);
  if (old) old.replaceWith(made);
  else talk.append(made);
  return made;
}

function news(turn, what, seconds) {
  at("welcome").hidden = true;
  talk.hidden = false;
  const near = isEnd();
  const isNew = !at(`t-${turn.id}`);
  const made = redraw(turn);
  if (what === "waiting") {
    made.querySelector(".card").replaceChildren(make("div", { class: "waiting" },
      make("p", { text: say(navigator.onLine ? "kept" : "kept_offline", { seconds }) }),
      make("button", { type: "button", text: say("try_now"), onclick: () => outbox.now() })));
  }
  state.textContent = what === "waiting" ? say("unreachable") : "";
  if (what === "answered") {
    const [first] = opened(turn.reply.blocks);
    heard.textContent = first ? plain(first) : say("answered");
    if (shared) changed(turn);
  }
  // The start of the question stays in sight; who has scrolled up to read is left alone.
  if (isNew || (near && what === "answered")) made.scrollIntoView({ block: "start", behavior: "auto" });
}

function ask(said) {
  outbox.put({ said, lang, follows: recently() });
}

const recently = () => outbox.turns.length > 0 && Date.now() - outbox.turns.at(-1).at < LATE;

function restore(isOpening = true) {
  const turns = outbox.turns;
  at("welcome").hidden = turns.length > 0 || Boolean(shared);
  talk.hidden = !turns.length;
  talk.replaceChildren(...turns.map(article));
  if (turns.length && !recently()) talk.append(make("p", { class: "gone" }, make("span", { text: say("forgotten") })));
  // Only now: what was there before is not to be read out.
  talk.setAttribute("role", "log");
  talk.setAttribute("aria-live", "off");
  if (turns.length && isOpening) at(`t-${turns.at(-1).id}`).scrollIntoView({ block: "start" });
}

// --- a shared answer ---------------------------------------------------------------------------------------------

/** The first lines of the same questions, answered as on a day, in a talk of their own; null where that does not work. */
async function asOn(day) {
  const past = new Outbox(() => {}, name(), false);
  let last = null;
  for (const said of shared.q) {
    const response = await past.post({ text: said, lang, on: day });
    if (!response.ok) return null;
    last = await response.json();
  }
  return last && opening(last.blocks);
}

/** Why an answer differs from the one that was shared: newer prices and days, or records and rules that were mended. */
async function explain() {
  const then = await asOn(shared.d).catch(() => null);
  if (!then) return;
  const mended = then.filter((one) => !shared.l.includes(one));
  at("shared").querySelector("button").before(make("p", { text: say(mended.length ? "since_mended" : "since_prices", { day: shared.d }) }),
    ...(mended.length ? [make("ul", {}, ...mended.map((one) => make("li", { text: one })))] : []));
}

function changed(turn) {
  if (outbox.waiting() || turn !== outbox.turns[shared.q.length - 1]) return;
  const now = opening(turn.reply.blocks);
  const gone = shared.l.filter((one) => !now.includes(one));
  const told = [make("p", { text: say("shared_on", { day: shared.d, version: shared.v || "?" }) })];
  if (!gone.length) told.push(make("p", { text: say(shared.v === turn.reply.version ? "same_data" : "same_answer") }));
  else {
    told.push(make("p", { text: say("was") }), make("ul", {}, ...gone.map((one) => make("li", { class: "then", text: one }))), make("p", { text: say("changed") }));
    for (const line of document.querySelectorAll(`#t-${turn.id} .card > p`)) line.classList.toggle("now", !shared.l.includes(line.textContent));
  }
  at("shared").replaceChildren(...told,
    make("button", { type: "button", text: say("own_chat"), onclick: () => location.assign("/") }));
  at("shared").hidden = false;
  if (gone.length && /^\d{4}-\d\d-\d\d$/.test(shared.d)) explain();
}

// --- the frame ---------------------------------------------------------------------------------------------------

function words() {
  root.lang = lang === "zh" ? "zh-CN" : "en";
  document.title = say("name");
  for (const key of ["tagline", "promise", "privacy", "label"]) at(key).textContent = say(key);
  text.placeholder = say("placeholder");
  talk.setAttribute("aria-label", say("talk"));
  at("language").textContent = say("other_language");
  at("language").lang = lang === "zh" ? "en" : "zh-CN";
  at("bar").setAttribute("aria-label", say("bar"));
  for (const key of ["theme", "forget", "send"]) {
    at(key).setAttribute("aria-label", say(key));
    at(key).title = say(key);
  }
  at("examples").replaceChildren(...[1, 2, 3, 4, 5, 6].map((one) => make("button", { type: "button", onclick: () => ask(say(`example_${one}`)) },
    make("small", { text: say(`example_${one}_about`) }), make("span", { text: say(`example_${one}`) }))));
}

function wire() {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const said = text.value.trim();
    if (!said) return text.focus();
    text.value = "";
    draft.set("");
    grow();
    ask(said);
  });
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      form.requestSubmit();
    } else if (event.key === "ArrowUp" && !text.value && outbox.turns.length) {
      event.preventDefault();
      text.value = outbox.turns.findLast((turn) => !turn.action)?.said ?? "";
    }
  });
  text.addEventListener("input", () => {
    grow();
    draft.set(text.value);
  });
  addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      text.focus();
    }
  });
  at("language").addEventListener("click", () => {
    lang = lang === "zh" ? "en" : "zh";
    remember("lang", lang);
    words();
    restore();
  });
  at("theme").addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    remember("theme", root.dataset.theme);
    repaint();
  });
  at("forget").addEventListener("click", () => {
    outbox.clear();
    outbox.post({ text: "/forget", lang }).catch(() => {});
    if (shared) return location.assign("/");
    restore();
    state.textContent = say("forgot");
    text.focus();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  addEventListener("hashchange", () => location.reload());
}

function grow() {
  text.style.height = "auto";
  text.style.height = `${text.scrollHeight}px`;
}

const theme = remembered("theme");
if (theme === "light" || theme === "dark") root.dataset.theme = theme;
root.classList.toggle("embed", embedded);
words();
wire();
restore();
outbox.heard = () => restore(false);
text.value = draft.get();
grow();
if (shared) for (const said of shared.q) outbox.put({ said, lang });
else outbox.now();
if (!embedded && matchMedia("(pointer: fine)").matches && !outbox.turns.length) text.focus();
if (!embedded && isSecureContext) navigator.serviceWorker?.register("/sw.js").catch(() => {});
