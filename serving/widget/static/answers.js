// The view of a finished answer: text with citations, sources, certainty, unsupported sentences, feedback buttons.

const ANSWER_REASONS = ["wrong", "incomplete", "outdated", "wrong_source", "misread_term", "unclear", "other"];
const REFUSAL_REASONS = ["should_have_answered", "misread_term", "unclear", "other"];
// Outcomes that are shown as text; the others get a card or quotations.
const TEXT_OUTCOMES = new Set(["answered", "conversation"]);
const UNSUPPORTED_LABELS = new Set(["partial", "unfaithful"]);

function answerView(exchange, texts, actions, contact) {
  const { golden, text } = exchange;
  const chips = readingChips(golden, texts, actions);
  const steps = stepsList(golden.steps || [], texts.stepsDone, texts);
  if (golden.outcome && !TEXT_OUTCOMES.has(golden.outcome)) {
    return [chips, refusalCard(golden, text, texts, actions, contact), fallbackNotices(golden, texts), toolbar(exchange, texts, actions), steps];
  }
  const sources = sourceList(golden.citations || [], texts);
  const weak = (golden.sentences || []).filter((sentence) => UNSUPPORTED_LABELS.has(sentence.label)).map((sentence) => ({ ...sentence, kind: sentence.label }));
  const { nodes } = renderMarkdown(text, { cite: sources.cite, sentences: weak });
  return [
    chips,
    make("div", { class: "answer", dir: "auto" }, nodes),
    unsupportedList(weak, texts),
    sources.node,
    certaintyView(golden, texts),
    toolbar(exchange, texts, actions),
    steps,
  ];
}

// The sources. Each expands to its quotation; a citation's number in the text opens it too.
function sourceList(citations, texts) {
  const byNumber = new Map();
  const items = citations.map((citation) => {
    const place = citation.page ? formatText(texts.page, citation) : "";
    const address = webAddress(citation.url || "");
    const body = make(
      "div",
      { class: "passage" },
      citation.headings && citation.headings.length ? make("p", { class: "muted" }, citation.headings.join(" › ")) : null,
      make("blockquote", { dir: "auto" }, citation.quote),
      address ? make("p", {}, link(address, texts.openDocument)) : null,
    );
    const label = [make("span", { class: "sr" }, `${texts.source} `), make("span", { class: "badge" }, citation.number), " ", documentName(citation), " ", make("span", { class: "muted" }, place)];
    const ariaLabel = formatText(texts.citation, { number: citation.number, title: citation.title || citation.document, page: place });
    const { button, set } = disclosure({ class: "source" }, label, body);
    byNumber.set(citation.number, { ariaLabel, show: () => { set(true); button.focus(); body.scrollIntoView({ block: "nearest" }); } });
    return make("li", {}, button, body);
  });
  const cite = (number) => {
    const found = byNumber.get(number);
    return found ? make("button", { class: "cite", "aria-label": found.ariaLabel, onclick: found.show }, number) : null;
  };
  const node = items.length ? make("section", { class: "sources", "aria-label": texts.sources }, make("h3", { class: "small" }, texts.sources), make("ul", {}, items)) : null;
  return { cite, node };
}

function unsupportedList(weak, texts) {
  if (!weak.length) return null;
  const items = weak.map((sentence) => {
    const reason = sentence.reason || (sentence.kind === "partial" ? texts.partlySupported : texts.unsupported);
    return make("li", {}, make("q", { dir: "auto" }, sentence.text), " ", make("span", { class: "muted", dir: "auto" }, reason));
  });
  return make("div", { class: "unsupported" }, make("h3", { class: "small" }, texts.unsupportedHead), make("ul", {}, items));
}

// Notices about the steps that the embedded engine did instead of the language model.
function fallbackNotices(golden, texts) {
  const steps = new Set((golden.degraded || []).map((each) => each.split(":")[0]));
  const quoted = steps.delete("quote_answer");
  return [...(quoted ? [texts.unsupportedDraft] : []), ...(steps.size ? [texts.degraded] : [])].map((text) => make("p", { class: "muted" }, text));
}

function certaintyView(golden, texts) {
  const degraded = [
    ...(golden.poor_pages || []).map((page) => make("p", { class: "muted" }, formatText(texts.poorPage, page))),
    ...fallbackNotices(golden, texts),
  ];
  if (typeof golden.certainty !== "number") return degraded;
  const level = golden.certainty_level;
  const label = `${texts.certaintyLevels[level]} · ${percent(golden.certainty)}`;
  return [make("p", { class: `certainty ${level}`, title: texts.certainty }, label), degraded];
}

function stepsList(steps, head, texts) {
  if (!steps.length) return null;
  const seconds = (steps.reduce((sum, step) => sum + step.milliseconds, 0) / 1000).toLocaleString(texts.language, { maximumFractionDigits: 1 });
  const lines = steps.map((step) => {
    const name = texts.steps[step.node] || step.node;
    return make("li", {}, make("span", {}, name), make("span", { class: "muted", dir: "auto" }, step.finding));
  });
  const body = make("ol", { class: "steps" }, lines);
  const { button } = disclosure({ class: "muted plain" }, [icon("open"), formatText(head, { count: steps.length, seconds })], body);
  return make("div", {}, button, body);
}

// The copy button and, if the server stores the turn, thumbs up and down with a reason.
function toolbar(exchange, texts, actions) {
  const status = make("span", { class: "muted", role: "status" });
  const copy = iconButton("copy", texts.copy, async () => {
    status.textContent = (await actions.copy(withSources(exchange, texts))) ? texts.copied : texts.notCopied;
  });
  const bar = make("div", { class: "tools" }, copy, exchange.golden.turn_id ? thumbs(exchange, texts, actions, status) : null, status);
  return bar;
}

function thumbs(exchange, texts, actions, status) {
  const reasons = exchange.golden.outcome === "answered" ? ANSWER_REASONS : REFUSAL_REASONS;
  const form = reasonForm(reasons, texts, (reason, text) => send("down", reason, text), () => showVerdict(""));
  form.hidden = true;
  const up = iconButton("up", texts.helpful, () => send("up"), { "aria-pressed": "false" });
  const down = iconButton("down", texts.unhelpful, () => {
    showVerdict("down");
    form.querySelector("input").focus();
  }, { "aria-pressed": "false" });
  function showVerdict(verdict) {
    up.setAttribute("aria-pressed", String(verdict === "up"));
    down.setAttribute("aria-pressed", String(verdict === "down"));
    form.hidden = verdict !== "down";
    if (!verdict) down.focus();
  }
  async function send(verdict, reason, text) {
    showVerdict(verdict);
    try {
      await actions.sendFeedback({ turn: exchange.golden.turn_id, verdict, ...(reason ? { reason } : {}), ...(text ? { text } : {}) });
      if (!form.hidden) down.focus();
      form.hidden = true;
      status.textContent = texts.thanks;
      exchange.verdict = verdict;
    } catch (failure) {
      status.textContent = formatText(texts.feedbackFailed, { problem: errorText(failure, texts) });
    }
  }
  if (exchange.verdict) {
    showVerdict(exchange.verdict);
    form.hidden = true;
  }
  return [up, down, form];
}

function reasonForm(reasons, texts, send, cancel) {
  const group = `reason-${Math.random().toString(36).slice(2)}`;
  const choices = reasons.map((value) => make("label", {}, make("input", { type: "radio", name: group, value }), make("span", {}, texts.reasons[value])));
  const more = make("textarea", { rows: "2", maxlength: "2000", "aria-label": texts.tellMore, placeholder: texts.tellMore, dir: "auto" });
  const submit = (event) => {
    event.preventDefault();
    const chosen = form.querySelector("input:checked");
    send(chosen ? chosen.value : "", more.value.trim());
  };
  const buttons = make("div", { class: "row" }, make("button", { type: "submit", class: "primary" }, texts.sendFeedback), make("button", { class: "pill", onclick: cancel }, texts.cancel));
  const form = make("form", { class: "reasons", onsubmit: submit }, make("fieldset", {}, make("legend", {}, texts.whatWasWrong), choices), more, buttons);
  return form;
}

function withSources({ golden, text }, texts) {
  const lines = (golden.citations || []).map((citation) => {
    const place = [citation.title || citation.document, citation.page ? formatText(texts.page, citation) : ""].filter(Boolean).join(", ");
    return `[${citation.number}] ${place}: “${citation.quote}”`;
  });
  return lines.length ? `${text.trim()}\n\n${texts.sources}\n${lines.join("\n")}` : text.trim();
}

function errorText(failure, texts) {
  const problem = texts.problems[failure.kind] || texts.problems.broken;
  return formatText(problem, { problem: failure.detail || failure.message || "", seconds: failure.seconds });
}
