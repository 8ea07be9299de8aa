// A conversation: its exchanges and the meanings that the user chose.

const MOST_KEPT_CHARACTERS = 300_000;

class Conversation {
  constructor() {
    this.exchanges = [];
    this.picks = [];
    // crypto.randomUUID does not exist on pages served over plain HTTP.
    this.id = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  begin(question, note, earlier) {
    const exchange = { question, note, earlier, state: "asking", text: "", golden: null, steps: [], draft: "", withdrawn: "", phase: "read_question", passages: 0, trouble: null, opinion: "" };
    this.exchanges.push(exchange);
    return exchange;
  }

  // The messages to send: the turns before `exchange`, or before the question that it replaces, then its question.
  messagesFor(exchange) {
    const end = exchange.earlier === undefined ? this.exchanges.indexOf(exchange) : exchange.earlier;
    const before = this.exchanges.slice(0, end).filter((each) => each.state === "done");
    return [...before.flatMap((each) => [message("user", each.question), message("assistant", each.text)]), message("user", exchange.question)];
  }

  // The number of turns before `exchange`, or before the question that it replaces.
  placeOf(exchange) {
    return exchange.earlier === undefined ? this.exchanges.indexOf(exchange) : exchange.earlier;
  }

  choose(pick) {
    const term = pick.term.toLowerCase();
    this.picks = [...this.picks.filter((each) => each.term.toLowerCase() !== term), pick];
  }

  // A chosen meaning applies until the conversation ends, but the dictionary records the choice only once.
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

// Replaces `term` wherever it is a whole word in the question; otherwise appends the spelling.
function respelt(question, term, spelling) {
  const literal = term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_])${literal}(?![\\p{L}\\p{N}_])`, "giu");
  const changed = question.replace(pattern, () => spelling);
  return changed === question ? `${question} (${term}: ${spelling})` : changed;
}

// State that survives page loads in the same tab. Without session storage, only this state is lost.
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
      // Storage may be full or blocked.
    }
  },
};
