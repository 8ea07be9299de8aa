// Questions without an answer: what is missing, similar terms, closest passages, what to do next.

function refusalCard(golden, text, texts, actions, contact) {
  if (golden.outcome === "clarify") return clarifyCard(golden, texts, actions);
  if (golden.outcome === "unknown_term") return unknownCard(golden, texts, actions);
  if (golden.outcome === "closest_passages") return closestPassages(golden, texts, contact);
  return card(texts.declinedHead, renderMarkdown(text).nodes);
}

// Quotations that may not answer, each with its page. Not a card: they should not look like an answer or an error.
function closestPassages({ closest, missing }, texts, contact) {
  const quotations = closest.map((each) => {
    const place = [make("span", { class: "badge" }, each.number), " ", documentName(each), each.page ? [" ", make("span", { class: "muted" }, formatText(texts.page, each))] : null];
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
    make("p", { class: "muted" }, formatText(texts.closestHint, { contact: contact || texts.contact })),
  );
}

function unknownCard(golden, texts, actions) {
  const unknown = golden.unknown_terms || [];
  const suggestions = unknown.filter((each) => each.suggestions.length).map((each) => {
    const lead = unknown.length > 1 ? formatText(texts.insteadOf, { term: each.term }) : texts.didYouMean;
    const buttons = each.suggestions.map((spelling) => make("button", { class: "pill", onclick: () => actions.askWithSpelling(each.term, spelling) }, spelling));
    return make("div", { class: "suggestions" }, make("span", {}, lead), buttons);
  });
  const head = formatText(texts.unknownHead, { terms: unknown.map((each) => each.term).join(", ") });
  return card(head, make("p", {}, texts.unknown), suggestions, make("p", { class: "muted" }, texts.unknownHint));
}

function clarifyCard(golden, texts, actions) {
  const terms = [...new Set(golden.options.map(({ sense }) => sense.term))];
  const head = terms.length === 1 ? formatText(texts.clarifyHead, { term: terms[0] }) : texts.clarifyAny;
  const buttons = golden.options.map(({ sense }) => senseButton(sense, () => actions.askWithSense({ term: sense.term, text: sense.term }, sense)));
  return card(head, make("p", {}, texts.clarify), buttons);
}

function card(head, ...parts) {
  return make("div", { class: "card" }, make("h3", {}, head), parts);
}

function documentName({ title, document: name }) {
  return make("span", { class: "document", dir: "auto" }, title || name);
}
