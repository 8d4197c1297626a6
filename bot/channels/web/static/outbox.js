// What was asked and answered, kept in this browser; and questions that are on their way until an answer is here.

const TURNS = "xuanka.turns";
const MOST = 40;
const DAY = 86_400_000;
const PAUSES = [2, 4, 8, 15, 30, 60];

const storage = (() => {
  try {
    localStorage.setItem("xuanka.try", "1");
    localStorage.removeItem("xuanka.try");
    return localStorage;
  } catch {
    const kept = new Map();
    return { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value), removeItem: (key) => kept.delete(key) };
  }
})();

export const remembered = (key) => storage.getItem(`xuanka.${key}`);
export const remember = (key, value) => (value === null ? storage.removeItem(`xuanka.${key}`) : storage.setItem(`xuanka.${key}`, value));

/** The line that is being typed, for this page alone: a reload does not lose it. */
export const draft = {
  get: () => { try { return sessionStorage.getItem("xuanka.draft") ?? ""; } catch { return ""; } },
  set: (text) => { try { sessionStorage.setItem("xuanka.draft", text); } catch { /* no storage, no draft */ } },
};

/** Random hex; also where the page is not served over TLS and `randomUUID` is missing. */
export function name(bytes = 16) {
  return Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (one) => one.toString(16).padStart(2, "0")).join("");
}

export class Outbox {
  /** `tell(turn, news)`: "changed", "waiting" with seconds, "answered", "refused". `talk`: name of a talk, or "". */
  constructor(tell, talk = "", keeps = true) {
    this.tell = tell;
    this.talk = talk;
    this.keeps = keeps;
    this.turns = keeps ? this.#load() : [];
    this.tries = 0;
    this.timer = 0;
    this.busy = false;
    this.heard = null;
    addEventListener("online", () => this.now());
    if (keeps) addEventListener("storage", (event) => event.key === TURNS && this.#merged(event.newValue === null));
  }

  #load() {
    try {
      const since = Date.now() - DAY;
      return JSON.parse(remembered("turns") ?? "[]").filter((turn) => turn.at > since);
    } catch {
      return [];
    }
  }

  /** What another page of this browser wrote comes in between; what it forgot is forgotten here. */
  #merged(isForgotten) {
    if (isForgotten) this.turns = [];
    else this.turns = this.#beside(this.#load());
    this.heard?.();
  }

  /** These turns and the own ones in their order; of two of a name the one that is answered. */
  #beside(kept) {
    const found = new Map(kept.map((turn) => [turn.id, turn]));
    for (const turn of this.turns) {
      const other = found.get(turn.id);
      if (!other?.reply || turn.reply) found.set(turn.id, turn);
    }
    return [...found.values()].sort((one, other) => one.at - other.at);
  }

  save() {
    if (!this.keeps) return;
    this.turns = this.#beside(this.#load()).slice(-MOST);
    try {
      storage.setItem(TURNS, JSON.stringify(this.turns));
    } catch {
      storage.setItem(TURNS, JSON.stringify(this.turns.slice(-5)));
    }
  }

  /** Keep a turn first, then send it. */
  put(turn) {
    this.turns.push({ id: name(), at: Date.now(), reply: null, ...turn });
    this.save();
    this.now();
    return this.turns.at(-1);
  }

  clear() {
    clearTimeout(this.timer);
    this.turns = [];
    storage.removeItem(TURNS);
  }

  waiting() {
    return this.turns.find((turn) => !turn.reply && !turn.refused);
  }

  /** Send what waits, oldest first; each until it is answered or refused for good. */
  async now() {
    clearTimeout(this.timer);
    if (this.busy) return;
    this.busy = true;
    try {
      for (let turn = this.waiting(); turn; turn = this.waiting()) {
        this.tell(turn, "changed");
        const pause = await this.#send(turn);
        if (pause) {
          this.timer = setTimeout(() => this.now(), pause * 1000);
          this.tell(turn, "waiting", pause);
          return;
        }
        this.tries = 0;
        if (!this.turns.includes(turn)) continue; // forgotten while it was on its way
        this.save();
        this.tell(turn, turn.reply ? "answered" : "refused");
      }
    } finally {
      this.busy = false;
    }
  }

  /** Seconds until it should be tried again; 0 when it is settled. */
  async #send(turn) {
    let response;
    try {
      response = await this.post({ text: turn.action ? "" : turn.said, action: turn.action ?? "", lang: turn.lang }, turn.id);
      if (response.ok) turn.reply = await response.json();
    } catch {
      return this.#pause();
    }
    if (response.ok) return 0;
    if (response.status === 429 || response.status >= 500) return Math.max(Number(response.headers.get("retry-after")) || 0, this.#pause());
    turn.refused = await response.json().then((told) => told.detail, () => String(response.status));
    return 0;
  }

  #pause() {
    const pause = PAUSES[Math.min(this.tries, PAUSES.length - 1)];
    this.tries += 1;
    return pause;
  }

  /** One request of the chat; `id` makes a repeat of it the same. */
  post(body, id = name(), signal = AbortSignal.timeout(20_000)) {
    const headers = { "content-type": "application/json", "idempotency-key": id };
    if (this.talk) headers["x-xuanka-talk"] = this.talk;
    return fetch("/chat", { method: "POST", headers, body: JSON.stringify(body), signal });
  }
}
