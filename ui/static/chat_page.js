// What the chat's parts share: which conversation is open, what goes to the server, what the address says.
function stateOf() {
  const state = document.querySelector("#live .state");
  return state ? state.dataset : {};
}

function sent(action, values, fields) {
  const data = { action, values: values || {}, fields: fields || {}, conversation: stateOf().conversation || "" };
  for (const each of document.querySelectorAll("#composer [data-choice]")) data[each.dataset.choice] = each.value;
  return data;
}

// A link to what is open: names that are "" are left out.
function address(changes, push) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) if (value) query.set(name, value); else query.delete(name);
  const search = query.toString() ? `?${query}` : "";
  if (search === location.search) return;
  history[push ? "pushState" : "replaceState"](null, "", location.pathname + search);
}

function tell(name, detail) {
  document.dispatchEvent(new CustomEvent(name, { detail }));
}
