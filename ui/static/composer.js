// Where one writes: Enter sends, Shift and Enter break the line, the field grows with what stands in it.
const MOST_LINES_PX = 220;
// What was asked or typed when the server was gone, for the page that is opened once it is back.
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
  // The buttons leave the field more or less room.
  grow();
}

function chosenIn(part) {
  const kept = part.querySelector("[data-choice=documents]");
  return kept && kept.value.split(" ").sort().join(" ");
}

function show() {
  const fresh = parse(props.value);
  // A list that was asked for before the last choice says nothing any more.
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
  // A document of one collection is in no other.
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

// A question that was asked is taken up again, to be asked in other words.
function takeUp(question) {
  // So that Ctrl+Z brings a draft back.
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
// What the keyboard reaches, and what opens, is not left behind this field.
const bottom = document.getElementById("composer");
new ResizeObserver(() => {
  document.documentElement.style.setProperty("scroll-padding-bottom", `${bottom.offsetHeight + 4}px`);
}).observe(bottom);
if (!new URLSearchParams(location.search).get("cite")) field().focus({ preventScroll: true });
