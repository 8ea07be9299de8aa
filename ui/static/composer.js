// The question field: Enter sends, Shift+Enter starts a new line, the field grows with its text.
const MAX_HEIGHT_PX = 220;
// The key in session storage of the question to restore once the server is back.
const DRAFT_KEY = "golden-retriever-draft";
let busy = false;
let searchTimer = 0;

function field() {
  return root.querySelector("textarea");
}

function resizeField() {
  const box = field();
  if (!box) return;
  box.style.height = "auto";
  box.style.height = `${Math.min(box.scrollHeight + 2, MAX_HEIGHT_PX)}px`;
}

function updateButtons() {
  const stop = root.querySelector(".stop");
  const send = root.querySelector(".send");
  if (!stop || !send) return;
  stop.hidden = !busy;
  send.hidden = busy && !field().value.trim();
  // The buttons change the width of the field.
  resizeField();
}

function chosenDocuments(part) {
  const input = part.querySelector("[data-choice=documents]");
  return input && input.value.split(" ").sort().join(" ");
}

function show() {
  const fresh = parse(props.value);
  // Ignore a list that was requested before the last choice.
  if (chosenDocuments(root) !== null && chosenDocuments(root) !== chosenDocuments(fresh)) return;
  mergeChildren(root, fresh);
  updateButtons();
}

function sendQuestion() {
  const box = field();
  const question = box.value.trim();
  if (!question) return;
  dispatch("golden-question-sent", { text: question });
  request("ask", eventData("send", {}, { question: box.value }), "live");
  box.value = "";
  updateButtons();
}

element.addEventListener("input", (event) => {
  if (event.target === field()) updateButtons();
  if (event.target.type !== "search") return;
  clearTimeout(searchTimer);
  searchTimer = setTimeout(searchDocuments, 250);
});
element.addEventListener("keydown", (event) => {
  if (event.target !== field() || event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  sendQuestion();
});
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select, dialog");
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const lastQuestion = [...document.querySelectorAll("#live .asked .question-text")].pop();
  if (event.key === "?" && !typing) openDialog("help");
  else if (event.key === "/" && !typing) field().focus();
  else if (event.key === "ArrowUp" && event.target === field() && !field().value && lastQuestion) editQuestion(lastQuestion.textContent);
  else return;
  event.preventDefault();
});
element.addEventListener("click", (event) => {
  const button = event.target.closest("[data-action], [data-dialog]");
  if (!button) return;
  if (button.dataset.dialog) openDialog(button.dataset.dialog);
  if (button.dataset.action === "send") sendQuestion();
  if (button.dataset.action === "close") button.closest("dialog").close();
  if (button.dataset.action === "stop") trigger("halt", eventData("stop"));
  if (button.dataset.action === "new") {
    trigger("begin", eventData("new"));
    field().focus();
  }
});
element.addEventListener("change", (event) => {
  const chosen = root.querySelector("[data-choice=documents]");
  const boxes = [...root.querySelectorAll(".chooser [type=checkbox]")];
  if (boxes.includes(event.target)) chosen.value = boxes.filter((each) => each.checked).map((each) => each.value).join(" ");
  // A document belongs to one collection only.
  else if (event.target.dataset.choice === "collection" && chosen) chosen.value = "";
  else if (!event.target.dataset.choice) return;
  trigger("choose");
  if (chosen) searchDocuments();
});

function openDialog(name) {
  root.querySelector(`dialog.${name}`).showModal();
  if (name === "chooser") searchDocuments();
}

function searchDocuments() {
  clearTimeout(searchTimer);
  trigger("find", eventData("find", {}, { text: root.querySelector("[type=search]").value }));
}
document.addEventListener("golden-question-sent", () => { busy = true; updateButtons(); });
document.addEventListener("golden-conversation-state", (event) => {
  busy = event.detail.busy;
  updateButtons();
});

// Put an earlier question into the field, to be edited.
function editQuestion(question) {
  // insertText can be undone, so Ctrl+Z restores a draft.
  field().focus();
  field().select();
  if (!document.execCommand("insertText", false, question)) field().value = question;
  updateButtons();
}

document.addEventListener("golden-edit-question", (event) => editQuestion(event.detail));
document.addEventListener("golden-server-unreachable", () => {
  window.addEventListener("pagehide", () => {
    const asked = document.querySelector("#live .reply[aria-busy=true]") && [...document.querySelectorAll("#live .question-text")].pop();
    sessionStorage.setItem(DRAFT_KEY, field().value || (asked ? asked.textContent : ""));
  });
});

watch("value", show);
show();
field().value = sessionStorage.getItem(DRAFT_KEY) || "";
sessionStorage.removeItem(DRAFT_KEY);
updateButtons();
// The composer covers the bottom of the page: focused and opened elements are scrolled to above it.
const composer = document.getElementById("composer");
new ResizeObserver(() => {
  document.documentElement.style.setProperty("scroll-padding-bottom", `${composer.offsetHeight + 4}px`);
}).observe(composer);
if (!new URLSearchParams(location.search).get("cite")) field().focus({ preventScroll: true });
