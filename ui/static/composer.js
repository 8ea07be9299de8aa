// Where one writes: Enter sends, Shift and Enter break the line, the field grows with what stands in it.
const MOST_LINES_PX = 220;
let busy = false;

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
}

function show() {
  mergeChildren(root, parse(props.value));
  grow();
  buttons();
}

function ask() {
  const box = field();
  const question = box.value.trim();
  if (!question) return;
  const { reading, you } = root.querySelector(".composer").dataset;
  tell("golden-asking", { text: question, reading, you });
  trigger("ask", sent("send", {}, { question: box.value }));
  box.value = "";
  grow();
}

element.addEventListener("input", (event) => {
  if (event.target !== field()) return;
  grow();
  buttons();
});
element.addEventListener("keydown", (event) => {
  if (event.target !== field() || event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  ask();
});
element.addEventListener("click", (event) => {
  const button = event.target.closest("[data-action]");
  if (!button) return;
  if (button.dataset.action === "send") ask();
  if (button.dataset.action === "stop") trigger("halt", sent("stop"));
  if (button.dataset.action === "new") {
    trigger("begin", sent("new"));
    field().focus();
  }
});
element.addEventListener("change", (event) => {
  if (event.target.dataset.choice === "department") trigger("choose", { department: event.target.value });
});
document.addEventListener("golden-asking", () => { busy = true; buttons(); });
document.addEventListener("golden-conversation", (event) => { busy = event.detail.busy; buttons(); });

watch("value", show);
show();
if (!new URLSearchParams(location.search).get("cite")) field().focus({ preventScroll: true });
