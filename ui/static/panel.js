// The page that is cited, beside the conversation.
let opener = null;
// Closed by who reads: what the server still says of a page that was asked for before opens nothing.
let closed = false;

function showPanel() {
  const fresh = parse(props.value);
  if (closed && fresh.firstElementChild) return;
  root.replaceChildren(...fresh.childNodes);
  markOpen();
  const heading = root.querySelector("h2");
  if (!heading) return;
  const open = root.querySelector("[data-citation]");
  address(open && open.dataset.number ? { turn: open.dataset.exchange, cite: open.dataset.number } : { turn: "", cite: "" });
  if (!opener || document.contains(opener)) heading.focus({ preventScroll: true });
  toMark();
}

// The marked sentence comes into view, on the picture or else in the text.
function toMark() {
  const body = root.querySelector(".panel-body");
  const image = body && body.querySelector(".sheet img");
  const mark = body && (body.querySelector(".highlight") || body.querySelector(".passage-text mark"));
  if (!mark) return;
  const place = () => {
    const from = body.getBoundingClientRect().top;
    const at = mark.getBoundingClientRect().top - from + body.scrollTop;
    if (at > body.clientHeight * 0.7) body.scrollTop = at - body.clientHeight / 3;
  };
  place();
  if (image && !image.complete) image.addEventListener("load", place, { once: true });
}

function markOpen() {
  document.querySelectorAll(".cite.open").forEach((each) => each.classList.remove("open"));
  const open = root.querySelector("[data-citation]");
  if (!open || !open.dataset.number) return;
  const { exchange, number } = open.dataset;
  document
    .querySelectorAll(`.cite[data-exchange="${Number(exchange)}"][data-number="${Number(number)}"]`)
    .forEach((each) => each.classList.add("open"));
}

function closePanel() {
  if (!root.firstElementChild) return;
  closed = true;
  props.value = "";
  root.replaceChildren();
  markOpen();
  address({ turn: "", cite: "" });
  if (opener && document.contains(opener)) opener.focus();
}

element.addEventListener("click", (event) => {
  const button = event.target.closest("[data-action]");
  if (!button || button.disabled) return;
  if (button.dataset.action === "close") return closePanel();
  trigger("cite", sent(button.dataset.action, { ...button.dataset }));
});

document.addEventListener("golden-opened", (event) => {
  opener = event.detail.button;
  closed = false;
  if (root.firstElementChild) return;
  // Its room is there at once; the page comes when the server has drawn it.
  const waiting = document.createElement("div");
  waiting.className = "passage loading";
  waiting.setAttribute("aria-busy", "true");
  waiting.append(Object.assign(document.createElement("div"), { className: "skeleton" }));
  root.append(waiting);
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !document.querySelector("dialog[open]")) closePanel();
});
// Another conversation, or an address that one goes back to, may come with a page of its own.
document.addEventListener("golden-open", () => { closed = false; });
window.addEventListener("popstate", () => { closed = false; });
watch("value", showPanel);
showPanel();
