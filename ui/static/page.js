// The script of all pages except the chat: sends clicks and input to the server, with the form's fields and the page's
// query string, and shows the response.
const product = document.title;
let inputTimer = null;
let requestNumber = 0;
let followedRequest = -1;

function place() {
  return Object.fromEntries(new URLSearchParams(location.search));
}

function send(name, node, live) {
  if (name !== "follow") root.setAttribute("aria-busy", "true");
  const values = node ? { ...node.dataset } : {};
  requestNumber += 1;
  request("act", { action: name, values, fields: node ? fieldsAround(node) : {}, place: place(), requestNumber: live ? requestNumber : null });
}

function showNotice(text, problem) {
  const notice = document.getElementById("notice") || document.body.appendChild(Object.assign(document.createElement("div"), { id: "notice" }));
  notice.setAttribute("role", problem ? "alert" : "status");
  notice.className = problem ? "problem" : "";
  notice.textContent = text;
  clearTimeout(notice.hideTimer);
  // A problem stays until the next action.
  if (text && !problem) notice.hideTimer = setTimeout(() => { notice.textContent = ""; }, 8000);
}

function show() {
  const fresh = parse(props.value);
  const content = fresh.firstElementChild;
  // Ignore the answer to an earlier request: a later one is in progress.
  if (content && content.dataset.requestNumber && Number(content.dataset.requestNumber) < requestNumber) return;
  root.removeAttribute("aria-busy");
  if (!content) return;
  const attributes = { ...content.dataset };
  for (const name of ["notice", "focus", "place", "title", "problem", "revision", "requestNumber"]) delete content.dataset[name];
  const isFollowed = Number(attributes.requestNumber) === followedRequest;
  if (attributes.notice || !isFollowed) showNotice(attributes.notice || "", "problem" in attributes);
  if ("keepContent" in attributes) return;
  root.id = "content";
  mergeChildren(root, fresh);
  if (attributes.place !== undefined && attributes.place !== location.search.slice(1)) {
    const address = location.pathname + (attributes.place ? `?${attributes.place}` : "");
    if (inputTimer) history.replaceState(null, "", address); else history.pushState(null, "", address);
  }
  document.title = attributes.title ? `${attributes.title} · ${product}` : product;
  const focused = attributes.focus && root.querySelector(`[data-key="${CSS.escape(attributes.focus)}"]`);
  if (focused) focused.focus();
  follow(isFollowed);
}

// Follow a running job as soon as the page shows one, and again after every other action. With data-follow="step", each
// change is one request; otherwise one request gets an answer for each change.
function follow(isFollowed) {
  const job = root.querySelector("[data-follow]");
  if (!job || (requestNumber === followedRequest && !(isFollowed && job.dataset.follow === "step"))) return;
  send("follow", job, true);
  followedRequest = requestNumber;
}

element.addEventListener("click", (event) => {
  const button = event.target.closest("[data-action]");
  if (!button || button.disabled || button.matches("select, input:not([type=checkbox]):not([type=radio]), textarea")) return;
  if (button.dataset.confirm && !window.confirm(button.dataset.confirm)) return;
  inputTimer = null;
  // The later answers of a streaming action are ignored after the next action.
  send(button.dataset.action, button, "stream" in button.dataset);
});

element.addEventListener("change", (event) => {
  if (event.target.matches("select[data-action], input[type=date][data-action]")) send(event.target.dataset.action, event.target);
});

// Filter fields are sent while the user types, after a short pause.
element.addEventListener("input", (event) => {
  const field = event.target;
  if (!field.dataset.live) return;
  clearTimeout(inputTimer);
  inputTimer = setTimeout(() => send(field.dataset.live, field, true), 250);
});

window.addEventListener("popstate", () => send("open", null));
watch("value", show);
show();
