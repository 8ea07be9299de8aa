// The script of all pages except the chat: sends clicks and input to the server, with the form's fields and the page's
// query string, and shows the response.
const product = document.title;
let typing = null;
let turn = 0;
let followedAt = -1;

function place() {
  return Object.fromEntries(new URLSearchParams(location.search));
}

function send(name, node, live) {
  if (name !== "follow") root.setAttribute("aria-busy", "true");
  const values = node ? { ...node.dataset } : {};
  turn += 1;
  request("act", { action: name, values, fields: node ? fieldsAround(node) : {}, place: place(), turn: live ? turn : null });
}

function say(text, problem) {
  const line = document.getElementById("notice") || document.body.appendChild(Object.assign(document.createElement("div"), { id: "notice" }));
  line.setAttribute("role", problem ? "alert" : "status");
  line.className = problem ? "problem" : "";
  line.textContent = text;
  clearTimeout(line.hiding);
  // A problem stays until the next action.
  if (text && !problem) line.hiding = setTimeout(() => { line.textContent = ""; }, 8000);
}

function show() {
  const fresh = parse(props.value);
  const whole = fresh.firstElementChild;
  // Ignore the answer to an earlier request: a later one is on its way.
  if (whole && whole.dataset.turn && Number(whole.dataset.turn) < turn) return;
  root.removeAttribute("aria-busy");
  if (!whole) return;
  const told = { ...whole.dataset };
  for (const name of ["notice", "focus", "place", "title", "problem", "said", "turn"]) delete whole.dataset[name];
  const followed = Number(told.turn) === followedAt;
  if (told.notice || !followed) say(told.notice || "", "problem" in told);
  if ("stay" in told) return;
  root.id = "content";
  mergeChildren(root, fresh);
  if (told.place !== undefined && told.place !== location.search.slice(1)) {
    const address = location.pathname + (told.place ? `?${told.place}` : "");
    if (typing) history.replaceState(null, "", address); else history.pushState(null, "", address);
  }
  document.title = told.title ? `${told.title} · ${product}` : product;
  const wanted = told.focus && root.querySelector(`[data-key="${CSS.escape(told.focus)}"]`);
  if (wanted) wanted.focus();
  follow(followed);
}

// Follow a running job as soon as the page shows one, and again after every other action. With data-follow="step", each
// change is one request; otherwise one request gets an answer for each change.
function follow(followed) {
  const going = root.querySelector("[data-follow]");
  if (!going || (turn === followedAt && !(followed && going.dataset.follow === "step"))) return;
  send("follow", going, true);
  followedAt = turn;
}

element.addEventListener("click", (event) => {
  const button = event.target.closest("[data-action]");
  if (!button || button.disabled || button.matches("select, input:not([type=checkbox]):not([type=radio]), textarea")) return;
  if (button.dataset.confirm && !window.confirm(button.dataset.confirm)) return;
  typing = null;
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
  clearTimeout(typing);
  typing = setTimeout(() => send(field.dataset.live, field, true), 250);
});

window.addEventListener("popstate", () => send("open", null));
watch("value", show);
show();
