// The view of one exchange: the question, the progress, and then the answer or an error.

class ExchangeView {
  constructor(exchange, texts, actions, contact) {
    Object.assign(this, { exchange, texts, actions, contact, drawing: 0 });
    const question = make("div", { class: "asked" }, make("span", { class: "sr" }, `${texts.you}: `), make("p", { class: "question-text", dir: "auto" }, exchange.question), exchange.note ? make("p", { class: "muted" }, exchange.note) : null);
    this.reply = make("div", { class: "reply", role: "group", "aria-label": texts.answer });
    this.node = make("article", { class: "exchange", tabindex: "-1" }, question, this.reply);
  }

  show() {
    const { exchange, texts } = this;
    cancelAnimationFrame(this.drawing);
    this.drawing = 0;
    clearInterval(this.waiting);
    this.reply.setAttribute("aria-busy", String(exchange.state === "asking"));
    if (exchange.state === "asking") {
      this.step = make("span", {});
      this.remark = make("p", { class: "muted" });
      this.draft = make("div", { class: "answer draft", dir: "auto" });
      this.fill(make("p", { class: "progress" }, make("span", { class: "spinner", "aria-hidden": "true" }), this.step), this.remark, this.draft);
      this.progress();
    } else if (exchange.state === "done") this.fill(answerView(exchange, texts, this.actions, this.contact));
    else if (exchange.state === "stopped") this.fill(this.stopped());
    else this.fill(this.failed());
  }

  fill(...parts) {
    this.reply.replaceChildren(...parts.flat(Infinity).filter(Boolean));
  }

  progress() {
    const { exchange, texts } = this;
    this.step.textContent = this.phaseText();
    this.remark.textContent = exchange.draft ? texts.draft : exchange.withdrawn ? formatText(texts.withdrawn, { reason: exchange.withdrawn }) : "";
    this.remark.hidden = !this.remark.textContent;
    this.draft.replaceChildren(...renderMarkdown(exchange.draft).nodes);
  }

  phaseText() {
    const { exchange: { phase, passages }, texts } = this;
    if (phase !== "search" || !passages) return texts.phases[phase] || texts.phases.read_question;
    return formatText(passages === 1 ? texts.searchingOne : texts.searchingMany, { count: passages.toLocaleString(texts.language) });
  }

  stopped() {
    const { exchange, texts } = this;
    const draft = exchange.draft.trim();
    const draftView = draft ? [make("p", { class: "muted" }, texts.unchecked), make("div", { class: "answer draft still", dir: "auto" }, renderMarkdown(draft).nodes)] : null;
    return [draftView, make("p", { class: "remark" }, texts.stopped), this.retryButton(), stepsList(exchange.steps, texts.stepsStopped, texts)];
  }

  failed() {
    const { failure } = this.exchange;
    const message = make("p", {}, errorText(failure, this.texts));
    const retry = this.retryButton();
    if (failure.seconds > 0) this.countDown(message, retry, failure.seconds);
    return [make("div", { class: "problem" }, message, retry)];
  }

  retryButton() {
    return make("button", { class: "pill", onclick: () => this.actions.retry() }, icon("retry"), this.texts.retry);
  }

  // Counts down until the server accepts questions again. The button keeps the focus, but does nothing until then.
  countDown(message, retry, seconds) {
    const until = Date.now() + seconds * 1000;
    const stillWaiting = (event) => event.stopImmediatePropagation();
    retry.setAttribute("aria-disabled", "true");
    retry.addEventListener("click", stillWaiting, { capture: true });
    this.waiting = setInterval(() => {
      const left = Math.ceil((until - Date.now()) / 1000);
      if (left > 0) {
        message.textContent = formatText(this.texts.problems.busy, { seconds: left });
        return;
      }
      clearInterval(this.waiting);
      retry.removeAttribute("aria-disabled");
      retry.removeEventListener("click", stillWaiting, { capture: true });
      message.textContent = this.texts.problems.retryNow;
    }, 500);
  }

  // The announcement for screen readers at the end: the answer without its buttons.
  announcement() {
    const parts = [...this.reply.querySelectorAll(".answer:not(.draft), .card, .problem p, .remark, .unsupported, .certainty")].map((each) => {
      const copy = each.cloneNode(true);
      for (const marker of copy.querySelectorAll(".cite, .pill, .passage")) marker.remove();
      // Separate the blocks: there may be no white space between them.
      for (const block of copy.querySelectorAll("p, li, h3, button, tr, td, th")) block.append(" ");
      return copy.textContent.trim();
    });
    return parts.join(" ").replace(/\s+/g, " ");
  }
}
