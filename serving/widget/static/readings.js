// How the jargon was interpreted, as chips. Each expands to the description, other meanings and "Something else".

function readingChips(golden, texts, actions) {
  const shown = (golden.readings || []).filter((reading) => ["chosen", "documents"].includes(reading.status));
  if (!shown.length || golden.outcome === "unknown_term") return null;
  return make("div", { class: "readings", role: "group", "aria-label": texts.readings }, shown.map((reading) => readingChip(reading, texts, actions)));
}

function readingChip(reading, texts, actions) {
  const { sense } = reading;
  const others = otherSenses(reading);
  const fromDocuments = reading.status === "documents" ? make("span", { class: "muted" }, texts.documentsOnly) : null;
  const corrected = reading.corrected ? [make("s", {}, reading.text), " → "] : null;
  const menu = make("div", { class: "menu" }, readingMenu(reading, others, texts, actions));
  const chip = make("div", { class: "chip" });
  const label = [
    make("span", {}, corrected, make("strong", {}, reading.term || reading.text), sense ? `: ${sense.extended_name}` : ""),
    sense && sense.context ? [" ", make("span", { class: "context" }, sense.context)] : null,
    fromDocuments ? [" ", fromDocuments] : null,
    " ",
    make("span", { class: "change" }, texts.change),
  ];
  const { button } = disclosure({ class: "chip-button" }, label, menu, (shown) => chip.classList.toggle("shown", shown));
  chip.append(button, menu);
  return chip;
}

function readingMenu(reading, others, texts, actions) {
  const { sense } = reading;
  const notes = [sense && sense.description, reading.reason].filter(Boolean).map((text) => make("p", { class: "muted" }, text));
  const correction = reading.corrected ? make("p", { class: "muted" }, `${reading.text} → ${reading.term}`) : null;
  const buttons = others.map((other) => senseButton(other, () => actions.askWithSense(reading, other)));
  const lead = buttons.length ? make("p", { class: "lead" }, texts.otherMeanings) : null;
  return [correction, notes, lead, buttons, otherMeaningForm(reading, texts, actions)];
}

// A form for a meaning that is not in the dictionary: its words are inserted into the question.
function otherMeaningForm(reading, texts, actions) {
  const term = reading.term || reading.text;
  const field = make("input", { type: "text", maxlength: "200", autocomplete: "off", dir: "auto" });
  const label = make("label", {}, make("span", {}, formatText(texts.meaningQuestion, { term })), field);
  const form = make("form", { class: "meaning-form", onsubmit: submit }, label, make("button", { type: "submit", class: "primary" }, texts.askAgain));
  const { button } = disclosure({ class: "sense other" }, texts.somethingElse, form, (shown) => shown && field.focus());
  function submit(event) {
    event.preventDefault();
    const meaning = field.value.trim();
    if (meaning) actions.askWithMeaning(reading, meaning);
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
