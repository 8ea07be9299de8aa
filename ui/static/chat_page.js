// Helpers for all parts of the chat page: the open conversation, the data of an event, the query string, page events.
function conversationState() {
  const state = document.querySelector("#live .state");
  return state ? state.dataset : {};
}

function eventData(action, values, fields) {
  const data = { action, values: values || {}, fields: fields || {}, conversation: conversationState().conversation || "" };
  for (const each of document.querySelectorAll("#composer [data-choice]")) data[each.dataset.choice] = each.value;
  return data;
}

// Update the query string to the open item; parameters with the value "" are removed.
function updateAddress(changes, push) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) if (value) query.set(name, value); else query.delete(name);
  const search = query.toString() ? `?${query}` : "";
  if (search === location.search) return;
  history[push ? "pushState" : "replaceState"](null, "", location.pathname + search);
}

function dispatch(name, detail) {
  document.dispatchEvent(new CustomEvent(name, { detail }));
}
