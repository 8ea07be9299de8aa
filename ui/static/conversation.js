// The conversation: the past exchanges, and the last one, which is updated while its answer is written.
const isLive = root.dataset.root === "live";
const QUESTION_ACTIONS = new Set(["example", "sense", "suggestion", "own_meaning", "again"]);
const FEEDBACK_ACTIONS = new Set(["up", "down", "withdraw_feedback", "send_feedback", "request_term", "report_missing"]);
let lastState = "";
let ratedKey = "";
let linkedTurn = new URLSearchParams(location.search).get("turn") || "";

function lastExchange() {
  return [...root.querySelectorAll(":scope > .exchange")].pop();
}

function showConversation() {
  const before = lastExchange();
  const pending = before && before.dataset.key === "pending";
  const busy = before && before.querySelector(".reply[aria-busy=true]");
  const key = before && before.dataset.key;
  mergeChildren(root, parse(props.value));
  scrollToForm();
  scrollToLinked();
  if (!isLive) return;
  const now = lastExchange();
  // Scroll to a new question after the previous exchange has moved to the past ones; updates do not scroll.
  if (now && key && now.dataset.key !== key && !pending) scrollToTop(now);
  else if (busy) scrollToActions(now && now.querySelector(".reply[aria-busy=false]"));
  reportState();
}

// The feedback form may open underneath the composer: scroll it into view.
function scrollToForm() {
  const form = ratedKey && root.querySelector(`[data-key="${CSS.escape(ratedKey)}"] .feedback-form`);
  if (!form) return;
  ratedKey = "";
  form.scrollIntoView({ block: "nearest" });
}

// Scroll once to the answer in the address: links contain its id, addresses of a cited page its number.
function scrollToLinked() {
  const id = CSS.escape(linkedTurn);
  const named = linkedTurn && root.querySelector(`:scope > [data-turn="${id}"], :scope > [data-key="exchange-${id}"]`);
  if (!named) return;
  linkedTurn = "";
  scrollToTop(named);
}

// After the user's next action, do not scroll there any more.
for (const kind of ["golden-question-sent", "golden-open-conversation"]) document.addEventListener(kind, () => { linkedTurn = ""; });

// Scroll to the buttons of a finished answer, unless the beginning of the answer would leave the screen.
function scrollToActions(reply) {
  const tools = reply && reply.querySelector(".tools");
  if (!tools) return;
  const hidden = tools.getBoundingClientRect().bottom - document.getElementById("composer").getBoundingClientRect().top;
  const room = reply.getBoundingClientRect().top - document.getElementById("top").getBoundingClientRect().bottom;
  if (hidden > 0 && hidden <= room) window.scrollBy(0, Math.ceil(hidden) + 2);
}

function scrollToTop(node) {
  setTimeout(() => { if (document.contains(node)) node.scrollIntoView({ block: "start" }); }, 80);
}

function reportState() {
  const state = root.querySelector(":scope > .state");
  if (!state) return;
  const { conversation, busy, exchanges } = state.dataset;
  const now = `${conversation} ${busy} ${exchanges}`;
  if (now === lastState) return;
  const another = lastState && lastState.split(" ")[0] !== conversation;
  lastState = now;
  const c = Number(exchanges) ? conversation : "";
  const here = new URLSearchParams(location.search).get("c") || "";
  if (here !== c) updateAddress(another ? { c, turn: "", cite: "" } : { c }, Boolean(here));
  dispatch("golden-conversation-state", { id: conversation, busy: busy === "true", exchanges: Number(exchanges) });
}

// Show the question at once, as the server is about to render it.
function showPending({ text }) {
  const article = document.querySelector("#composer template").content.querySelector("article").cloneNode(true);
  article.dataset.key = "pending";
  article.classList.add("pending");
  article.querySelector(".question-text").textContent = text;
  article.querySelector(".edit").dataset.text = text;
  root.querySelectorAll(":scope > .welcome, :scope > .pending").forEach((each) => each.remove());
  // Move the previous exchange to the past ones, as the server is about to do.
  const past = document.querySelector("#past [data-root]");
  const before = lastExchange();
  if (past && before) {
    // Only the last exchange has related questions: remove them now, so that nothing moves later.
    before.querySelectorAll(".follow").forEach((each) => each.remove());
    past.append(before);
  }
  root.append(article);
  const state = root.querySelector(":scope > .state");
  if (state) state.textContent = article.querySelector(".progress").textContent;
  article.scrollIntoView({ block: "start" });
}

async function copy(button) {
  const { copy: given, link } = button.dataset;
  const address = new URLSearchParams({ c: conversationState().conversation, turn: link });
  const text = link ? `${location.origin}${location.pathname}?${address}` : given;
  let done = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch (refused) {
    const field = Object.assign(document.createElement("textarea"), { value: text, className: "sr" });
    document.body.append(field);
    field.select();
    done = document.execCommand("copy");
    field.remove();
  }
  const label = button.dataset.label || button.textContent;
  button.dataset.label = label;
  button.textContent = done ? button.dataset.copied : button.dataset.failed;
  setTimeout(() => { button.textContent = label; }, 2000);
}

element.addEventListener("click", (event) => {
  const copied = event.target.closest("[data-copy], [data-link]");
  if (copied) return void copy(copied);
  const button = event.target.closest("[data-action]");
  if (!button || button.disabled) return;
  const { action } = button.dataset;
  const data = eventData(action, { ...button.dataset }, fieldsAround(button));
  if (action === "cite") {
    dispatch("golden-open-citation", { button });
    return trigger("cite", data);
  }
  if (action === "edit") return dispatch("golden-edit-question", button.dataset.text);
  if (FEEDBACK_ACTIONS.has(action)) {
    ratedKey = action === "down" ? button.closest(".exchange").dataset.key : "";
    return trigger("feedback", data);
  }
  if (!QUESTION_ACTIONS.has(action) || (action === "own_meaning" && !(data.fields.meaning || "").trim())) return;
  const chip = button.closest("details.chip");
  if (chip) chip.open = false;
  const article = button.closest(".exchange");
  const question = article && article.querySelector(".asked .question-text");
  const text = action === "example" || !question ? button.textContent : question.textContent;
  dispatch("golden-question-sent", { text });
  request("ask", data, "live");
});

document.addEventListener("click", (event) => {
  for (const chip of root.querySelectorAll("details.chip[open]")) if (!chip.contains(event.target)) chip.open = false;
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || document.querySelector("dialog[open]")) return;
  for (const chip of root.querySelectorAll("details.chip[open]")) {
    chip.open = false;
    chip.querySelector("summary").focus();
  }
});

// Tooltips with the quotation of a citation, on hover and on focus.
function addTooltips() {
  const tooltip = Object.assign(document.createElement("div"), { id: "tip", role: "tooltip", hidden: true });
  document.body.append(tooltip);
  const hide = () => { tooltip.hidden = true; };
  const show = (event) => {
    const target = event.target.closest && event.target.closest("[data-tip]");
    hide();
    if (!target) return;
    tooltip.textContent = target.dataset.tip;
    tooltip.hidden = false;
    const at = target.getBoundingClientRect();
    const above = at.top - tooltip.offsetHeight - 6;
    tooltip.style.top = `${above > 60 ? above : at.bottom + 6}px`;
    tooltip.style.left = `${Math.max(8, Math.min(at.left, innerWidth - tooltip.offsetWidth - 8))}px`;
    target.setAttribute("aria-describedby", "tip");
  };
  for (const kind of ["mouseover", "focusin"]) document.addEventListener(kind, show);
  for (const kind of ["click", "focusout", "scroll", "golden-question-sent"]) document.addEventListener(kind, hide, true);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
}

if (isLive) {
  addTooltips();
  root.id = "content";
  root.tabIndex = -1;
  document.addEventListener("golden-question-sent", (event) => showPending(event.detail));
  // Sent by the list of conversations.
  document.addEventListener("golden-open-conversation", (event) => {
    request("open", { conversation: event.detail.id || "", turn: event.detail.turn, cite: event.detail.cite });
  });
  window.addEventListener("popstate", () => {
    const query = new URLSearchParams(location.search);
    request("open", { conversation: query.get("c") || "", turn: query.get("turn") || "", cite: query.get("cite") || "" });
  });
}
watch("value", showConversation);
showConversation();
