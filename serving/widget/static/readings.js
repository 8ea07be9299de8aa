// How the jargon was interpreted, as chips. Each expands to the description, other meanings and "Something else".

function readingChips(golden, texts, actions) {
  const shown = (golden.readings || []).filter((reading) => ["chosen", "documents"].includes(reading.status));
  if (!shown.length || golden.outcome === "unknown_term") return null;
  return make("div", { class: "readings", role: "group", "aria-label": texts.readings }, shown.map((reading) => readingChip(reading, texts, actions)));
}

function readingChip(reading, texts, actions) {
  const { sense } = reading;
  const others = otherSenses(reading);
  const mined = reading.status === "documents" ? make("span", { class: "quiet" }, texts.documentsOnly) : null;
  const corrected = reading.corrected ? [make("s", {}, reading.text), " → "] : null;
  const menu = make("div", { class: "menu" }, readingMenu(reading, others, texts, actions));
  const chip = make("div", { class: "chip" });
  const label = [
    make("span", {}, corrected, make("strong", {}, reading.term || reading.text), sense ? `: ${sense.extended_name}` : ""),
    sense && sense.context ? [" ", make("span", { class: "context" }, sense.context)] : null,
    mined ? [" ", mined] : null,
    " ",
    make("span", { class: "change" }, texts.change),
  ];
  const { button } = disclosure({ class: "read" }, label, menu, (shown) => chip.classList.toggle("shown", shown));
  chip.append(button, menu);
  return chip;
}

function readingMenu(reading, others, texts, actions) {
  const { sense } = reading;
  const says = [sense && sense.description, reading.reason].filter(Boolean).map((text) => make("p", { class: "quiet" }, text));
  const spelt = reading.corrected ? make("p", { class: "quiet" }, `${reading.text} → ${reading.term}`) : null;
  const buttons = others.map((other) => senseButton(other, () => actions.pick(reading, other)));
  const lead = buttons.length ? make("p", { class: "lead" }, texts.otherMeanings) : null;
  return [spelt, says, lead, buttons, somethingElse(reading, texts, actions)];
}

// A form for a meaning that is not in the dictionary: it goes into the question in words.
function somethingElse(reading, texts, actions) {
  const term = reading.term || reading.text;
  const field = make("input", { type: "text", maxlength: "200", autocomplete: "off", dir: "auto" });
  const label = make("label", {}, make("span", {}, filled(texts.meantBy, { term })), field);
  const form = make("form", { class: "else", onsubmit: submit }, label, make("button", { type: "submit", class: "primary" }, texts.askAgain));
  const { button } = disclosure({ class: "sense other" }, texts.somethingElse, form, (shown) => shown && field.focus());
  function submit(event) {
    event.preventDefault();
    const meaning = field.value.trim();
    if (meaning) actions.mean(reading, meaning);
  }
  return [button, form];
}

function otherSenses({ sense, alternatives = [] }) {
  return alternatives.filter((each) => !sense || each.extended_name !== sense.extended_name || each.context !== sense.context);
}

function senseButton(sense, onclick) {
  const context = sense.context ? [" ", make("span", { class: "context" }, sense.context)] : null;
  const description = sense.description ? [" ", make("span", { class: "description" }, sense.description)] : null;
  return make("button", { class: "sense", onclick }, make("strong", {}, sense.extended_name), context, description);
}

// Cards for questions without an answer: what is missing, similar terms, what to do next.
function refusalCard(golden, text, texts, actions, contact) {
  if (golden.outcome === "clarify") return clarifyCard(golden, texts, actions);
  if (golden.outcome === "unknown_term") return unknownCard(golden, texts, actions);
  if (golden.outcome === "closest_passages") return closestPassages(golden, texts, contact);
  return card(texts.declinedHead, renderMarkdown(text).nodes);
}

// Quotations that may not answer, each with its page. Not a card: they should not look like an answer or an error.
function closestPassages({ closest, missing }, texts, contact) {
  const quotations = closest.map((each) => {
    const place = [make("span", { class: "badge" }, each.number), " ", documentName(each), each.page ? [" ", make("span", { class: "quiet" }, filled(texts.page, each))] : null];
    const address = webAddress(each.url || "");
    const open = address ? [" ", link(address, texts.openDocument)] : null;
    return make("li", {}, make("blockquote", { dir: "auto" }, each.quote), make("p", {}, place, open));
  });
  return make(
    "div",
    { class: "closest" },
    make("h3", {}, texts.closestHead),
    make("ol", {}, quotations),
    missing.length ? [make("h3", { class: "small" }, texts.missing), make("ul", { class: "tags" }, missing.map((each) => make("li", {}, each)))] : null,
    make("p", { class: "quiet" }, filled(texts.otherWords, { contact: contact || texts.contact })),
  );
}

function unknownCard(golden, texts, actions) {
  const unknown = golden.unknown_terms || [];
  const suggestions = unknown.filter((each) => each.suggestions.length).map((each) => {
    const lead = unknown.length > 1 ? filled(texts.insteadOf, { term: each.term }) : texts.didYouMean;
    const buttons = each.suggestions.map((spelling) => make("button", { class: "pill", onclick: () => actions.respell(each.term, spelling) }, spelling));
    return make("div", { class: "suggestions" }, make("span", {}, lead), buttons);
  });
  const head = filled(texts.unknownHead, { terms: unknown.map((each) => each.term).join(", ") });
  return card(head, make("p", {}, texts.unknown), suggestions, make("p", { class: "quiet" }, texts.writeOut));
}

function clarifyCard(golden, texts, actions) {
  const terms = [...new Set(golden.options.map((option) => option.term))];
  const head = terms.length === 1 ? filled(texts.clarifyHead, { term: terms[0] }) : texts.clarifyAny;
  const buttons = golden.options.map((option) => senseButton(option, () => actions.pick({ term: option.term, text: option.term }, option)));
  return card(head, make("p", {}, texts.clarify), buttons);
}

function card(head, ...parts) {
  return make("div", { class: "card" }, make("h3", {}, head), parts);
}

function documentName({ title, document: name }) {
  return make("span", { class: "document", dir: "auto" }, title || name);
}
