// The button in the corner of the page and the dialog that it opens.

const FOCUSABLE = "a[href], button, input, textarea, [tabindex='0']";
const MAX_QUESTION_CHARACTERS = 8000;
// Screen readers announce a phase only if it lasts at least this long.
const ANNOUNCE_PHASE_AFTER_MS = 1000;

class Dialog {
  // `options`: title, department, texts, examples, contact, storageKey (of the session storage).
  constructor(root, client, options) {
    Object.assign(this, { root, client, options, texts: options.texts });
    const stored = STORAGE.read(options.storageKey);
    this.conversation = Conversation.fromStored(stored);
    this.views = new Map();
    this.build();
    this.showConversation();
    if (stored.open) this.open({ focus: false });
  }

  build() {
    const { texts, options } = this;
    const { title } = options;
    this.launcher = make("button", { class: "launcher", "aria-label": formatText(texts.open, { title }), "aria-haspopup": "dialog", "aria-expanded": "false", onclick: () => this.open() }, icon("ask"), make("span", { "aria-hidden": "true" }, title));
    const titles = make("div", { class: "titles" }, make("h2", { id: "title" }, title), options.department ? make("p", {}, options.department) : null);
    const newButton = iconButton("add", texts.newConversation, () => this.startNewConversation());
    const close = iconButton("close", texts.close, () => this.close());
    this.log = make("div", { class: "log", tabindex: "0", role: "log", "aria-live": "off", "aria-label": title, onwheel: () => this.stopFollowing(), ontouchmove: () => this.stopFollowing() });
    this.announcer = make("div", { class: "sr", role: "status", "aria-live": "polite" });
    this.field = make("textarea", { rows: "1", maxlength: MAX_QUESTION_CHARACTERS, "aria-label": texts.question, placeholder: texts.placeholder, dir: "auto", oninput: () => this.grow(), onkeydown: (event) => this.onFieldKey(event) });
    this.sendButton = make("button", { type: "submit", class: "round", "aria-label": texts.send, title: texts.send }, icon("send"));
    this.stopButton = make("button", { class: "round stop", "aria-label": texts.stop, title: texts.stop, hidden: true, onclick: () => this.stop() }, icon("stop"));
    const composer = make("form", { class: "composer", onsubmit: (event) => this.onSubmit(event) }, this.field, this.sendButton, this.stopButton);
    const bar = make("div", { class: "head" }, make("span", { class: "logo", "aria-hidden": "true" }, icon("ask")), titles, newButton, close);
    this.panel = make("div", { class: "panel", role: "dialog", "aria-modal": "true", "aria-labelledby": "title", hidden: true, onkeydown: (event) => this.onKey(event) }, bar, this.log, composer, this.announcer);
    this.root.append(this.launcher, this.panel);
  }

  open({ focus = true } = {}) {
    if (!this.panel.hidden) return;
    this.focusedBefore = document.activeElement;
    this.panel.hidden = false;
    this.launcher.hidden = true;
    this.launcher.setAttribute("aria-expanded", "true");
    this.saveState();
    this.grow();
    this.log.scrollTop = this.log.scrollHeight;
    if (focus) this.field.focus();
  }

  close() {
    if (this.panel.hidden) return;
    this.panel.hidden = true;
    this.launcher.hidden = false;
    this.launcher.setAttribute("aria-expanded", "false");
    this.saveState();
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

  // Ask a question. If it replaces the one at index `replaces`, `note` says what is different.
  async ask(question, { note = "", replaces } = {}) {
    if (this.activeRequest) this.stop();
    if (!this.conversation.exchanges.length) this.log.replaceChildren();
    const exchange = this.conversation.begin(question, note, replaces);
    const view = this.addView(exchange);
    const request = { messages: this.conversation.messagesFor(exchange), picks: this.conversation.picksToAsk(), conversation: this.conversation.id };
    const controller = new AbortController();
    this.activeRequest = { exchange, controller };
    this.following = true;
    this.setBusy(true);
    view.show();
    this.announce(view.phaseText());
    this.keepInView(view);
    try {
      const onChunk = (chunk) => this.onChunk(exchange, chunk);
      const answer = await this.client.ask(request, { onChunk, signal: controller.signal });
      Object.assign(exchange, answer, { state: "done" });
    } catch (error) {
      const stopped = controller.signal.aborted;
      const failure = error instanceof RequestError ? error : new RequestError("broken", String(error && error.message));
      Object.assign(exchange, stopped ? { state: "stopped" } : { state: "failed", failure });
    }
    this.onEnd(exchange, view);
  }

  onChunk(exchange, { golden }) {
    if (!golden || exchange.state !== "asking") return;
    exchange.passages = golden.passage_count || exchange.passages;
    if (golden.phase && golden.phase !== exchange.phase) this.setPhase(exchange, golden.phase);
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

  setPhase(exchange, phase) {
    exchange.phase = phase;
    clearTimeout(this.announceTimer);
    this.announceTimer = setTimeout(() => this.announce(this.views.get(exchange).phaseText()), ANNOUNCE_PHASE_AFTER_MS);
  }

  onEnd(exchange, view) {
    const current = this.activeRequest && this.activeRequest.exchange === exchange;
    if (!this.views.has(exchange)) return;
    view.show();
    this.saveState();
    if (!current) return;
    this.activeRequest = null;
    this.setBusy(false);
    this.keepInView(view);
    this.announce(view.announcement());
  }

  stop() {
    if (!this.activeRequest) return;
    const { exchange, controller } = this.activeRequest;
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

  startNewConversation() {
    this.stop();
    this.conversation = new Conversation();
    this.showConversation();
    this.saveState();
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
    return make("div", { class: "welcome" }, make("h3", {}, texts.welcome), make("p", { class: "muted" }, texts.welcomeText), buttons.length ? [make("h3", { class: "small" }, texts.examples), buttons] : null);
  }

  addView(exchange) {
    const view = new ExchangeView(exchange, this.texts, this.actionsFor(exchange), this.options.contact);
    this.views.set(exchange, view);
    this.log.append(view.node);
    return view;
  }

  actionsFor(exchange) {
    const askAgain = (question, note) => {
      this.ask(question, { note, replaces: this.conversation.positionOf(exchange) });
      // The pressed button belongs to the old answer: move the focus to the new one.
      [...this.views.values()].at(-1).node.focus({ preventScroll: true });
    };
    const { texts, conversation } = this;
    const readAs = (term, name) => formatText(texts.askedAgain, { changes: formatText(texts.readAs, { term, name }) });
    const askWithSense = (reading, sense) => {
      const term = reading.term || reading.text;
      conversation.addPick({ term, extended_name: sense.extended_name, context: sense.context });
      askAgain(exchange.question, readAs(term, sense.extended_name));
    };
    return {
      askWithSense,
      askWithMeaning: (reading, meaning) => {
        const known = (reading.alternatives || []).find((each) => each.extended_name.toLowerCase() === meaning.toLowerCase());
        if (known) return askWithSense(reading, known);
        const term = reading.term || reading.text;
        conversation.addPick({ term, extended_name: "", decision: "none" });
        askAgain(replaceTerm(exchange.question, reading.text, `${meaning} (${reading.text})`), readAs(term, meaning));
      },
      askWithSpelling: (term, spelling) => askAgain(replaceTerm(exchange.question, term, spelling), formatText(texts.askedAgain, { changes: formatText(texts.writtenAs, { term, spelling }) })),
      retry: () => askAgain(exchange.question, exchange.note),
      sendFeedback: async (feedback) => {
        await this.client.sendFeedback(feedback);
        exchange.verdict = feedback.verdict;
        this.saveState();
      },
      copy: (text) => copyText(text, this.root),
    };
  }

  announce(text) {
    clearTimeout(this.announceTimer);
    this.announcer.textContent = text;
  }

  stopFollowing() {
    this.following = false;
  }

  // Keep the question at the top while its answer grows, until the user scrolls.
  keepInView(view) {
    if (this.following) this.log.scrollTop = view.node.offsetTop - 10;
  }

  saveState() {
    STORAGE.write(this.options.storageKey, { open: !this.panel.hidden, ...this.conversation.toStored() });
  }
}
