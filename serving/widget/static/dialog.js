// The button in the corner of the page and the dialog that it opens.

const FOCUSABLE = "a[href], button, input, textarea, [tabindex='0']";
const MOST_CHARACTERS_ASKED = 8000;
// Screen readers announce a phase only if it lasts at least this long.
const PHASE_SAID_AFTER_MS = 1000;

class Dialog {
  // `options`: title, department, texts, examples, contact, memory (the key in session storage).
  constructor(root, server, options) {
    Object.assign(this, { root, server, options, texts: options.texts });
    const kept = MEMORY.read(options.memory);
    this.conversation = Conversation.from(kept);
    this.views = new Map();
    this.build();
    this.showConversation();
    if (kept.open) this.open({ focus: false });
  }

  build() {
    const { texts, options } = this;
    const { title } = options;
    this.launcher = make("button", { class: "launcher", "aria-label": filled(texts.open, { title }), "aria-haspopup": "dialog", "aria-expanded": "false", onclick: () => this.open() }, icon("ask"), make("span", { "aria-hidden": "true" }, title));
    const words = make("div", { class: "names" }, make("h2", { id: "title" }, title), options.department ? make("p", {}, options.department) : null);
    const fresh = iconButton("fresh", texts.newConversation, () => this.startAfresh());
    const close = iconButton("close", texts.close, () => this.close());
    this.log = make("div", { class: "log", tabindex: "0", role: "log", "aria-live": "off", "aria-label": title, onwheel: () => this.letGo(), ontouchmove: () => this.letGo() });
    this.live = make("div", { class: "sr", role: "status", "aria-live": "polite" });
    this.field = make("textarea", { rows: "1", maxlength: MOST_CHARACTERS_ASKED, "aria-label": texts.question, placeholder: texts.placeholder, dir: "auto", oninput: () => this.grow(), onkeydown: (event) => this.onFieldKey(event) });
    this.sendButton = make("button", { type: "submit", class: "round", "aria-label": texts.send, title: texts.send }, icon("send"));
    this.stopButton = make("button", { class: "round stop", "aria-label": texts.stop, title: texts.stop, hidden: true, onclick: () => this.stop() }, icon("stop"));
    const composer = make("form", { class: "composer", onsubmit: (event) => this.onSubmit(event) }, this.field, this.sendButton, this.stopButton);
    const bar = make("div", { class: "head" }, make("span", { class: "dot", "aria-hidden": "true" }, icon("ask")), words, fresh, close);
    this.panel = make("div", { class: "panel", role: "dialog", "aria-modal": "true", "aria-labelledby": "title", hidden: true, onkeydown: (event) => this.onKey(event) }, bar, this.log, composer, this.live);
    this.root.append(this.launcher, this.panel);
  }

  open({ focus = true } = {}) {
    if (!this.panel.hidden) return;
    this.focusedBefore = document.activeElement;
    this.panel.hidden = false;
    this.launcher.hidden = true;
    this.launcher.setAttribute("aria-expanded", "true");
    this.remember();
    this.grow();
    this.log.scrollTop = this.log.scrollHeight;
    if (focus) this.field.focus();
  }

  close() {
    if (this.panel.hidden) return;
    this.panel.hidden = true;
    this.launcher.hidden = false;
    this.launcher.setAttribute("aria-expanded", "false");
    this.remember();
    const before = this.focusedBefore;
    const elsewhere = before && before !== document.body && before !== this.root.getRootNode().host && before.isConnected;
    (elsewhere ? before : this.launcher).focus();
  }

  onKey(event) {
    if (event.key === "Escape" && !event.isComposing) {
      event.preventDefault();
      this.close();
    }
    if (event.key !== "Tab") return;
    const stops = [...this.panel.querySelectorAll(FOCUSABLE)].filter((each) => each.tabIndex >= 0 && !each.disabled && each.getClientRects().length);
    const here = this.root.getRootNode().activeElement;
    const edge = event.shiftKey ? stops[0] : stops.at(-1);
    if (here !== edge && this.panel.contains(here)) return;
    event.preventDefault();
    (event.shiftKey ? stops.at(-1) : stops[0]).focus();
  }

  onFieldKey(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.onSubmit(event);
  }

  onSubmit(event) {
    event.preventDefault();
    const question = this.field.value.trim();
    if (!question) return;
    this.field.value = "";
    this.grow();
    this.ask(question);
  }

  grow() {
    this.field.style.blockSize = "auto";
    this.field.style.blockSize = `${Math.min(this.field.scrollHeight + 2, 160)}px`;
  }

  // Ask a question. If it replaces the one at index `earlier`, `note` says what is different.
  async ask(question, { note = "", earlier } = {}) {
    if (this.underWay) this.stop();
    if (!this.conversation.exchanges.length) this.log.replaceChildren();
    const exchange = this.conversation.begin(question, note, earlier);
    const view = this.addView(exchange);
    const asked = { messages: this.conversation.messagesFor(exchange), picks: this.conversation.picksToAsk(), conversation: this.conversation.id };
    const controller = new AbortController();
    this.underWay = { exchange, controller };
    this.follow = true;
    this.setBusy(true);
    view.show();
    this.say(view.phaseText());
    this.keepInView(view);
    try {
      const hear = (chunk) => this.hear(exchange, chunk);
      const answer = await this.server.ask(asked, { hear, signal: controller.signal });
      Object.assign(exchange, answer, { state: "done" });
    } catch (error) {
      const stopped = controller.signal.aborted;
      const trouble = error instanceof Trouble ? error : new Trouble("broken", String(error && error.message));
      Object.assign(exchange, stopped ? { state: "stopped" } : { state: "failed", trouble });
    }
    this.onEnd(exchange, view);
  }

  hear(exchange, { golden }) {
    if (!golden || exchange.state !== "asking") return;
    exchange.passages = golden.passage_count || exchange.passages;
    if (golden.phase && golden.phase !== exchange.phase) this.enter(exchange, golden.phase);
    if (golden.step) exchange.steps.push(golden.step);
    if (golden.draft) exchange.draft += golden.draft;
    if (golden.draft_withdrawn) Object.assign(exchange, { draft: "", withdrawn: golden.draft_withdrawn });
    const view = this.views.get(exchange);
    // At most one update per frame. Background tabs get no frames: they are updated when they become visible.
    if (view.drawing) return;
    view.drawing = requestAnimationFrame(() => {
      view.drawing = 0;
      if (exchange.state === "asking") view.progress();
      this.keepInView(view);
    });
  }

  enter(exchange, phase) {
    exchange.phase = phase;
    clearTimeout(this.saying);
    this.saying = setTimeout(() => this.say(this.views.get(exchange).phaseText()), PHASE_SAID_AFTER_MS);
  }

  onEnd(exchange, view) {
    const current = this.underWay && this.underWay.exchange === exchange;
    if (!this.views.has(exchange)) return;
    view.show();
    this.remember();
    if (!current) return;
    this.underWay = null;
    this.setBusy(false);
    this.keepInView(view);
    this.say(view.spoken());
  }

  stop() {
    if (!this.underWay) return;
    const { exchange, controller } = this.underWay;
    controller.abort();
    exchange.state = "stopped";
    this.onEnd(exchange, this.views.get(exchange));
  }

  setBusy(busy) {
    const focused = this.root.getRootNode().activeElement;
    this.stopButton.hidden = !busy;
    this.sendButton.hidden = busy;
    if (focused === this.stopButton || focused === this.sendButton) this.field.focus();
  }

  startAfresh() {
    this.stop();
    this.conversation = new Conversation();
    this.showConversation();
    this.remember();
    this.field.focus();
  }

  showConversation() {
    this.views.clear();
    this.log.replaceChildren();
    for (const exchange of this.conversation.exchanges) this.addView(exchange).show();
    if (!this.conversation.exchanges.length) this.log.append(this.welcome());
  }

  welcome() {
    const { texts, options } = this;
    const buttons = options.examples.map((example) => make("button", { class: "sense", dir: "auto", onclick: () => this.ask(example) }, example));
    return make("div", { class: "welcome" }, make("h3", {}, texts.welcome), make("p", { class: "quiet" }, texts.welcomeMore), buttons.length ? [make("h3", { class: "small" }, texts.examples), buttons] : null);
  }

  addView(exchange) {
    const view = new ExchangeView(exchange, this.texts, this.actionsFor(exchange), this.options.contact);
    this.views.set(exchange, view);
    this.log.append(view.node);
    return view;
  }

  actionsFor(exchange) {
    const again = (question, note) => {
      this.ask(question, { note, earlier: this.conversation.placeOf(exchange) });
      // The pressed button belongs to the old answer: move the focus to the new one.
      [...this.views.values()].at(-1).node.focus({ preventScroll: true });
    };
    const { texts, conversation } = this;
    const readAs = (term, name) => filled(texts.asked, { changes: filled(texts.readAs, { term, name }) });
    const pick = (reading, sense) => {
      const term = reading.term || reading.text;
      conversation.choose({ term, extended_name: sense.extended_name, context: sense.context });
      again(exchange.question, readAs(term, sense.extended_name));
    };
    return {
      pick,
      mean: (reading, meaning) => {
        const known = (reading.alternatives || []).find((each) => each.extended_name.toLowerCase() === meaning.toLowerCase());
        if (known) return pick(reading, known);
        const term = reading.term || reading.text;
        conversation.choose({ term, extended_name: "", decision: "none" });
        again(respelt(exchange.question, reading.text, `${meaning} (${reading.text})`), readAs(term, meaning));
      },
      respell: (term, spelling) => again(respelt(exchange.question, term, spelling), filled(texts.asked, { changes: filled(texts.writtenAs, { term, spelling }) })),
      retry: () => again(exchange.question, exchange.note),
      opinion: async (opinion) => {
        await this.server.tell(opinion);
        exchange.opinion = opinion.verdict;
        this.remember();
      },
      copy: (text) => copyText(text, this.root),
    };
  }

  say(text) {
    clearTimeout(this.saying);
    this.live.textContent = text;
  }

  letGo() {
    this.follow = false;
  }

  // Keep the question at the top while its answer grows, until the user scrolls.
  keepInView(view) {
    if (this.follow) this.log.scrollTop = view.node.offsetTop - 10;
  }

  remember() {
    MEMORY.write(this.options.memory, { open: !this.panel.hidden, ...this.conversation.kept() });
  }
}
