// Runs once for each HTML part of the page with `element`, `props`, `trigger` and `watch` given by Gradio.
// The value is HTML that the server escaped; it is merged into the page so that what is open or focused stays so.
const root = element.querySelector("[data-root]");
const isPanel = root.dataset.root === "panel";

function sameNode(old, fresh) {
  return old.nodeType === fresh.nodeType && old.nodeName === fresh.nodeName &&
    (old.nodeType !== 1 || (old.dataset.key || "") === (fresh.dataset.key || ""));
}

function merge(old, fresh) {
  if (old.nodeType !== 1) {
    if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
    return;
  }
  if (old.nodeName === "DETAILS") fresh.open = old.open;
  for (const name of old.getAttributeNames()) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const name of fresh.getAttributeNames()) {
    if (old.getAttribute(name) !== fresh.getAttribute(name)) old.setAttribute(name, fresh.getAttribute(name));
  }
  mergeChildren(old, fresh);
}

function mergeChildren(old, fresh) {
  const wanted = [...fresh.childNodes];
  wanted.forEach((node, place) => {
    const rest = [...old.childNodes].slice(place);
    const key = node.nodeType === 1 ? node.dataset.key : undefined;
    const match = key ? rest.find((each) => sameNode(each, node)) : rest[0] && sameNode(rest[0], node) ? rest[0] : null;
    if (!match) return void old.insertBefore(node, old.childNodes[place] || null);
    if (match !== old.childNodes[place]) old.insertBefore(match, old.childNodes[place]);
    merge(match, node);
  });
  while (old.childNodes.length > wanted.length) old.lastChild.remove();
}

function parse(html) {
  const template = document.createElement("template");
  template.innerHTML = html || "";
  return template.content;
}

function showTalk() {
  const before = root.lastElementChild ? root.lastElementChild.dataset.key : "";
  mergeChildren(root, parse(props.value));
  const now = root.lastElementChild;
  const begun = root.dataset.root === "live" && now && before && now.dataset.key !== before;
  // A new question goes to the top, once the exchange before it has moved up; nothing scrolls while one reads.
  if (begun && now.classList.contains("exchange")) {
    setTimeout(() => { if (document.contains(now)) now.scrollIntoView({ block: "start" }); }, 80);
  }
}

let opener = null;

function showPanel() {
  const content = parse(props.value);
  root.replaceChildren(...content.childNodes);
  if (!root.firstElementChild) return;
  const heading = root.querySelector("h2");
  if (heading) heading.focus({ preventScroll: true });
  markOpen();
  const body = root.querySelector(".panel-body");
  const mark = root.querySelector(".passage-text mark");
  if (body && mark && mark.offsetTop > body.clientHeight) body.scrollTop = mark.offsetTop - body.clientHeight / 3;
}

function markOpen() {
  document.querySelectorAll(".cite.open").forEach((each) => each.classList.remove("open"));
  const open = root.querySelector("[data-citation]");
  if (!open) return;
  const { exchange, number } = open.dataset;
  document
    .querySelectorAll(`.cite[data-exchange="${Number(exchange)}"][data-number="${Number(number)}"]`)
    .forEach((each) => each.classList.add("open"));
}

function closePanel() {
  if (!root.firstElementChild) return;
  props.value = "";
  root.replaceChildren();
  markOpen();
  if (opener && document.contains(opener)) opener.focus();
}

element.addEventListener("click", (event) => {
  const button = event.target.closest("[data-action]");
  if (!button || button.disabled) return;
  const data = { ...button.dataset };
  if (data.action === "close") return closePanel();
  if (data.action === "cite") {
    if (!isPanel) document.dispatchEvent(new CustomEvent("golden-opened", { detail: button }));
    return trigger("cite", data);
  }
  const chip = button.closest("details.chip");
  if (chip) chip.open = false;
  trigger("ask", data);
});

element.addEventListener("change", (event) => {
  if (event.target.dataset.action === "department") trigger("choose", { department: event.target.value });
});

if (isPanel) {
  document.addEventListener("golden-opened", (event) => { opener = event.detail; });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") closePanel(); });
} else {
  document.addEventListener("click", (event) => {
    for (const chip of root.querySelectorAll("details.chip[open]")) if (!chip.contains(event.target)) chip.open = false;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const chip of root.querySelectorAll("details.chip[open]")) {
      chip.open = false;
      chip.querySelector("summary").focus();
    }
  });
}

const show = isPanel ? showPanel : showTalk;
watch("value", show);
show();
