// The panel with the cited page.
let opener = null;
// Whether the user has closed the panel: the answer to an earlier request must not open it again.
let closed = false;

function showPanel() {
  const fresh = parse(props.value);
  if (closed && fresh.firstElementChild) return;
  root.replaceChildren(...fresh.childNodes);
  markOpen();
  const heading = root.querySelector("h2");
  if (!heading) return;
  const open = root.querySelector("[data-citation]");
  updateAddress(open && open.dataset.number ? { turn: open.dataset.exchange, cite: open.dataset.number } : { turn: "", cite: "" });
  if (!opener || document.contains(opener)) heading.focus({ preventScroll: true });
  scrollToHighlight();
}

// Scroll to the highlight on the picture, or else to the marked sentence in the text.
function scrollToHighlight() {
  const body = root.querySelector(".panel-body");
  const image = body && body.querySelector(".page-picture img");
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
  updateAddress({ turn: "", cite: "" });
  if (opener && document.contains(opener)) opener.focus();
}

element.addEventListener("click", (event) => {
  const button = event.target.closest("[data-action]");
  if (!button || button.disabled) return;
  if (button.dataset.action === "close") return closePanel();
  trigger("cite", eventData(button.dataset.action, { ...button.dataset }));
});

document.addEventListener("golden-open-citation", (event) => {
  opener = event.detail.button;
  closed = false;
  if (root.firstElementChild) return;
  // Show a placeholder at once, until the server has rendered the page.
  const placeholder = document.createElement("div");
  placeholder.className = "passage loading";
  placeholder.setAttribute("aria-busy", "true");
  placeholder.append(Object.assign(document.createElement("div"), { className: "skeleton" }));
  root.append(placeholder);
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !document.querySelector("dialog[open]")) closePanel();
});
// Another conversation, or an address in the browser's history, may open a page.
document.addEventListener("golden-open-conversation", () => { closed = false; });
window.addEventListener("popstate", () => { closed = false; });
watch("value", showPanel);
showPanel();
