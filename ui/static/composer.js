// The question field: Enter sends, Shift+Enter starts a new line, the field grows with its text.
const MOST_LINES_PX = 220;
// The key in session storage of the question to restore once the server is back.
const DRAFT = "golden-retriever-draft";
let busy = false;
let finding = 0;

function field() {
  return root.querySelector("textarea");
}

function grow() {
  const box = field();
  if (!box) return;
  box.style.height = "auto";
  box.style.height = `${Math.min(box.scrollHeight + 2, MOST_LINES_PX)}px`;
}

function buttons() {
  const stop = root.querySelector(".stop");
  const send = root.querySelector(".send");
  if (!stop || !send) return;
  stop.hidden = !busy;
  send.hidden = busy && !field().value.trim();
  // The buttons change the width of the field.
  grow();
}

function chosenIn(part) {
  const kept = part.querySelector("[data-choice=documents]");
  return kept && kept.value.split(" ").sort().join(" ");
}

function show() {
  const fresh = parse(props.value);
  // Ignore a list that was requested before the last choice.
  if (chosenIn(root) !== null && chosenIn(root) !== chosenIn(fresh)) return;
  mergeChildren(root, fresh);
  buttons();
}

function ask() {
  const box = field();
  const question = box.value.trim();
  if (!question) return;
  tell("golden-asking", { text: question });
  request("ask", sent("send", {}, { question: box.value }), "live");
  box.value = "";
  buttons();
}

element.addEventListener("input", (event) => {
  if (event.target === field()) buttons();
  if (event.target.type !== "search") return;
  clearTimeout(finding);
  finding = setTimeout(find, 250);
});
element.addEventListener("keydown", (event) => {
  if (event.target !== field() || event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  ask();
});
document.addEventListener("keydown", (event) => {
  const writes = event.target.closest("input, textarea, select, dialog");
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const last = [...document.querySelectorAll("#live .asked .words")].pop();
  if (event.key === "?" && !writes) openDialog("help");
  else if (event.key === "/" && !writes) field().focus();
  else if (event.key === "ArrowUp" && event.target === field() && !field().value && last) takeUp(last.textContent);
  else return;
  event.preventDefault();
});
element.addEventListener("click", (event) => {
  const button = event.target.closest("[data-action], [data-opens]");
  if (!button) return;
  if (button.dataset.opens) openDialog(button.dataset.opens);
  if (button.dataset.action === "send") ask();
  if (button.dataset.action === "close") button.closest("dialog").close();
  if (button.dataset.action === "stop") trigger("halt", sent("stop"));
  if (button.dataset.action === "new") {
    trigger("begin", sent("new"));
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
  if (chosen) find();
});

function openDialog(name) {
  root.querySelector(`dialog.${name}`).showModal();
  if (name === "chooser") find();
}

function find() {
  clearTimeout(finding);
  trigger("find", sent("find", {}, { text: root.querySelector("[type=search]").value }));
}
document.addEventListener("golden-asking", () => { busy = true; buttons(); });
document.addEventListener("golden-conversation", (event) => {
  busy = event.detail.busy;
  buttons();
});

// Put an earlier question into the field, to be edited.
function takeUp(question) {
  // insertText can be undone, so Ctrl+Z restores a draft.
  field().focus();
  field().select();
  if (!document.execCommand("insertText", false, question)) field().value = question;
  buttons();
}

document.addEventListener("golden-edit", (event) => takeUp(event.detail));
document.addEventListener("golden-unreachable", () => {
  window.addEventListener("pagehide", () => {
    const asked = document.querySelector("#live .reply[aria-busy=true]") && [...document.querySelectorAll("#live .words")].pop();
    sessionStorage.setItem(DRAFT, field().value || (asked ? asked.textContent : ""));
  });
});

watch("value", show);
show();
field().value = sessionStorage.getItem(DRAFT) || "";
sessionStorage.removeItem(DRAFT);
buttons();
// The composer covers the bottom of the page: focused and opened elements are scrolled to above it.
const bottom = document.getElementById("composer");
new ResizeObserver(() => {
  document.documentElement.style.setProperty("scroll-padding-bottom", `${bottom.offsetHeight + 4}px`);
}).observe(bottom);
if (!new URLSearchParams(location.search).get("cite")) field().focus({ preventScroll: true });
