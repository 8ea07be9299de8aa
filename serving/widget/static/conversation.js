// A conversation: its exchanges, the meanings that were chosen, and what is asked again with another one.

const MOST_KEPT_CHARACTERS = 300_000;

class Conversation {
  constructor() {
    this.exchanges = [];
    this.picks = [];
    // Pages of plain HTTP have no randomUUID.
    this.id = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  begin(question, note, earlier) {
    const exchange = { question, note, earlier, state: "asking", text: "", golden: null, steps: [], draft: "", withdrawn: "", phase: "read_question", passages: 0, trouble: null, opinion: "" };
    this.exchanges.push(exchange);
    return exchange;
  }

  // What was asked and answered before `exchange`; where it asks an earlier one again, before that one.
  messagesFor(exchange) {
    const end = exchange.earlier === undefined ? this.exchanges.indexOf(exchange) : exchange.earlier;
    const before = this.exchanges.slice(0, end).filter((each) => each.state === "done");
    return [...before.flatMap((each) => [message("user", each.question), message("assistant", each.text)]), message("user", exchange.question)];
  }

  // Where the turns before `exchange` end, for a question that replaces it.
  placeOf(exchange) {
    return exchange.earlier === undefined ? this.exchanges.indexOf(exchange) : exchange.earlier;
  }

  choose(pick) {
    const term = pick.term.toLowerCase();
    this.picks = [...this.picks.filter((each) => each.term.toLowerCase() !== term), pick];
  }

  // A chosen meaning holds to the conversation's end, but teaches the dictionary only once.
  picksToAsk() {
    const picks = this.picks;
    this.picks = picks.map((pick) => ({ ...pick, kept: true }));
    return picks;
  }

  kept() {
    const done = this.exchanges.filter((each) => each.state === "done");
    const slim = done.map(({ question, note, text, golden, opinion }) => ({ question, note, text, golden, opinion }));
    while (slim.length && JSON.stringify(slim).length > MOST_KEPT_CHARACTERS) slim.shift();
    return { id: this.id, exchanges: slim, picks: this.picks };
  }

  static from(kept) {
    const conversation = new Conversation();
    for (const each of (kept && kept.exchanges) || []) {
      Object.assign(conversation.begin(each.question, each.note), each, { state: "done" });
    }
    conversation.picks = (kept && kept.picks) || [];
    conversation.id = (kept && kept.id) || conversation.id;
    return conversation;
  }
}

function message(role, content) {
  return { role, content };
}

// The question with a term written otherwise wherever it stands as a word of its own.
function respelt(question, term, spelling) {
  const literal = term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_])${literal}(?![\\p{L}\\p{N}_])`, "giu");
  const changed = question.replace(pattern, () => spelling);
  return changed === question ? `${question} (${term}: ${spelling})` : changed;
}

// What the tab remembers from page to page; a browser that keeps nothing loses only that.
const MEMORY = {
  read(key) {
    try {
      return JSON.parse(sessionStorage.getItem(key)) || {};
    } catch {
      return {};
    }
  },
  write(key, value) {
    try {
      sessionStorage.setItem(key, JSON.stringify(value));
    } catch {
      // Storage may be full or forbidden.
    }
  },
};
