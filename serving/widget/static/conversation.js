// A conversation: its exchanges and the meanings that the user chose.

const MAX_STORED_CHARACTERS = 300_000;

class Conversation {
  constructor() {
    this.exchanges = [];
    this.picks = [];
    // crypto.randomUUID does not exist on pages served over plain HTTP.
    this.id = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  begin(question, note, replaces) {
    const exchange = { question, note, replaces, state: "asking", text: "", golden: null, steps: [], draft: "", withdrawn: "", phase: "read_question", passages: 0, failure: null, verdict: "" };
    this.exchanges.push(exchange);
    return exchange;
  }

  // The messages to send: the turns before `exchange`, or before the question that it replaces, then its question.
  messagesFor(exchange) {
    const before = this.exchanges.slice(0, this.positionOf(exchange)).filter((each) => each.state === "done");
    return [...before.flatMap((each) => [message("user", each.question), message("assistant", each.text)]), message("user", exchange.question)];
  }

  // The number of turns before `exchange`, or before the question that it replaces.
  positionOf(exchange) {
    return exchange.replaces === undefined ? this.exchanges.indexOf(exchange) : exchange.replaces;
  }

  addPick(pick) {
    const term = pick.term.toLowerCase();
    this.picks = [...this.picks.filter((each) => each.term.toLowerCase() !== term), pick];
  }

  // A chosen meaning applies until the conversation ends, but the dictionary records the choice only once.
  picksToAsk() {
    const picks = this.picks;
    this.picks = picks.map((pick) => ({ ...pick, kept: true }));
    return picks;
  }

  toStored() {
    const done = this.exchanges.filter((each) => each.state === "done");
    const stored = done.map(({ question, note, text, golden, verdict }) => ({ question, note, text, golden, verdict }));
    while (stored.length && JSON.stringify(stored).length > MAX_STORED_CHARACTERS) stored.shift();
    return { id: this.id, exchanges: stored, picks: this.picks };
  }

  static fromStored(stored) {
    const conversation = new Conversation();
    for (const each of (stored && stored.exchanges) || []) {
      Object.assign(conversation.begin(each.question, each.note), each, { state: "done" });
    }
    conversation.picks = (stored && stored.picks) || [];
    conversation.id = (stored && stored.id) || conversation.id;
    return conversation;
  }
}

function message(role, content) {
  return { role, content };
}

// Replaces `term` wherever it is a whole word in the question; otherwise appends the spelling.
function replaceTerm(question, term, spelling) {
  const literal = term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_])${literal}(?![\\p{L}\\p{N}_])`, "giu");
  const changed = question.replace(pattern, () => spelling);
  return changed === question ? `${question} (${term}: ${spelling})` : changed;
}

// State that survives page loads in the same tab. Without session storage, only this state is lost.
const STORAGE = {
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
