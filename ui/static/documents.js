// Files go from the browser to the API itself; what becomes of them is heard from the API's own streams of events.
const uploads = [];
const watched = new Map();
let refreshing = null;
let numbered = 0;

function workPlace() { return root.querySelector("[data-key=work]"); }
function intakePlace() { return root.querySelector("[data-intake]"); }

let settings = null;
function desk() {
  const place = workPlace();
  if (place) {
    settings = { ...place.dataset, words: JSON.parse(place.dataset.words), messages: JSON.parse(place.dataset.messages), suffixes: place.dataset.suffixes.split(" "),
      bytes: Number(place.dataset.bytes), files: Number(place.dataset.files) };
  }
  return settings;
}

function said(name, values) {
  const text = (settings && settings.words[name]) || name;
  return text.replace(/\{(\w+)\}/g, (all, each) => values && each in values ? String(values[each]) : all);
}

// What the server says in English, by the templates that the pages translate it with.
function translated(text) {
  for (const [english, own] of Object.entries(settings.messages)) {
    const pattern = english.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{(\w+)\}/g, "(?<$1>.*?)");
    const match = new RegExp(`^${pattern}$`, "s").exec(text);
    if (match) return own.replace(/\{(\w+)\}/g, (all, name) => translated(match.groups[name]));
  }
  return text;
}

function number(value, digits) {
  return new Intl.NumberFormat(document.documentElement.lang || "en", { maximumFractionDigits: digits || 0 }).format(value);
}

function bytes(count) {
  let value = count, unit = 0;
  while (value >= 1000 && unit < 3) { value /= 1000; unit += 1; }
  return `${number(value, unit > 1 && value < 10 ? 1 : 0)} ${["B", "KB", "MB", "GB"][unit]}`;
}

function nameOf(path) { return path.split("/").pop() || path; }

// Text alone comes in: names and reasons are anything.
function node(name, values, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(values || {})) {
    if (key === "text") made.textContent = value;
    else if (key === "value" || key === "max") made[key] = value;
    else if (value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.filter(Boolean));
  return made;
}

function bar(label, value, max) {
  const made = node("progress", { "aria-label": label, max: max || 1 });
  if (value !== null) made.value = value;
  return made;
}

// ---- choosing -------------------------------------------------------------------------------------------------

function choose(folder) {
  const input = node("input", { type: "file" });
  input.multiple = true;
  if (folder) input.webkitdirectory = true; else input.accept = desk().suffixes.join(",");
  input.addEventListener("change", () => take([...input.files].map((file) => ({ file, path: file.webkitRelativePath || file.name }))));
  input.click();
}

function readEntries(reader) { return new Promise((done, fail) => reader.readEntries(done, fail)); }

async function filesIn(entry) {
  if (entry.isFile) {
    const file = await new Promise((done, fail) => entry.file(done, fail));
    return [{ file, path: entry.fullPath.replace(/^\//, "") }];
  }
  const found = [], reader = entry.createReader();
  // A folder is told a hundred files at a time.
  for (let some = await readEntries(reader); some.length; some = await readEntries(reader)) {
    for (const each of some) found.push(...await filesIn(each));
  }
  return found;
}

async function dropped(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry && item.webkitGetAsEntry()).filter(Boolean);
  const plain = [...transfer.files];
  if (!entries.length) return take(plain.map((file) => ({ file, path: file.name })));
  const found = [];
  for (const entry of entries) {
    try { found.push(...await filesIn(entry)); } catch (error) { /* what cannot be read is not there */ }
  }
  take(found);
}

// Files of one name from several folders keep them apart by their folders' names.
function named(files) {
  const taken = new Map();
  for (const each of files) {
    const name = nameOf(each.path);
    taken.set(name, (taken.get(name) || 0) + 1);
  }
  return files.map((each) => {
    const name = nameOf(each.path);
    return { ...each, name: taken.get(name) > 1 ? each.path.split("/").join(" - ") : name };
  });
}

function isKnown(path) { return settings.suffixes.includes((path.match(/\.[^./]+$/) || [""])[0].toLowerCase()); }

function faultOf(each) {
  if (!isKnown(each.name)) return said("wrong_kind", { name: each.name });
  // The server refuses such names, and with them all that is sent together.
  if (/\p{C}|(?! )\p{Z}/u.test(each.name) || new TextEncoder().encode(each.name).length > 255) return said("bad_name", { name: each.name });
  if (!each.file.size) return said("empty", { name: each.name });
  if (each.file.size > desk().bytes) return said("too_large", { name: each.name, size: settings.size });
  return "";
}

// Each request stays below what the server takes at once; 1 000 bytes a file are for the form around it.
function portions(files) {
  const made = [[]];
  let size = 0;
  for (const each of files) {
    const weight = each.file.size + 1000;
    if (made.at(-1).length && (size + weight > settings.bytes || made.at(-1).length >= settings.files)) { made.push([]); size = 0; }
    made.at(-1).push(each);
    size += weight;
  }
  return made.filter((each) => each.length);
}

function take(files) {
  const place = intakePlace();
  if (!desk() || !place) return;
  const field = place.querySelector("[data-new-group]");
  const group = (field && field.value.trim()) || place.querySelector("[data-group]").value;
  const kept = [], refused = [];
  // What systems keep beside files is no document.
  for (const each of named(files.filter((each) => !nameOf(each.path).startsWith(".")))) {
    const fault = faultOf(each);
    if (fault) refused.push(fault); else kept.push(each);
  }
  numbered += 1;
  const upload = { id: String(numbered), group, refused, files: kept.map((each) => ({ ...each, sent: 0, state: "sending" })), problem: "", over: !kept.length };
  uploads.push(upload);
  draw();
  sendAll(upload);
}

async function sendAll(upload) {
  for (const some of portions(upload.files)) {
    if (upload.over) break;
    await sendSome(upload, some);
  }
  upload.over = true;
  // What went well is told by its reading from now on: what did not, or could not be sent, stays.
  upload.files = upload.files.filter((each) => each.state !== "sent");
  if (!upload.problem && !upload.refused.length) uploads.splice(uploads.indexOf(upload), 1);
  draw();
}

function sendSome(upload, some) {
  return new Promise((done) => {
    const form = new FormData();
    form.append("group", upload.group);
    for (const each of some) form.append("files", each.file, each.name);
    const request = new XMLHttpRequest();
    upload.request = request;
    const sums = some.reduce((all, each) => [...all, all.at(-1) + each.file.size], [0]);
    request.upload.addEventListener("progress", (event) => {
      const share = event.total ? event.loaded / event.total : 0, sent = share * sums.at(-1);
      some.forEach((each, at) => { each.sent = Math.max(0, Math.min(each.file.size, sent - sums[at])); });
      draw();
    });
    const end = (state, problem) => {
      for (const each of some) { each.state = state; if (state === "sent") each.sent = each.file.size; }
      if (problem) { upload.problem = problem; upload.over = true; }
      draw();
      done();
    };
    request.addEventListener("load", () => {
      let told = {};
      try { told = JSON.parse(request.responseText); } catch (error) { /* the status says enough */ }
      if (request.status === 202) { follow(told); return end("sent", ""); }
      end("failed", told.error ? translated(told.error.message) : `${request.status}`);
    });
    request.addEventListener("error", () => end("failed", said("upload_lost")));
    request.addEventListener("abort", () => end("failed", said("upload_lost")));
    request.open("POST", settings.upload);
    request.setRequestHeader("X-Golden-Request", "1");
    request.send(form);
  });
}

// ---- watching -------------------------------------------------------------------------------------------------

async function listJobs() {
  const answer = await fetch(settings.jobs);
  if (!answer.ok) return;
  for (const job of await answer.json()) if (!["done", "failed", "cancelled"].includes(job.state)) follow(job);
}

function follow(job) {
  if (watched.has(job.id)) return;
  // A path without a known suffix is a folder: its files are told as they are read.
  const files = new Map(job.paths.filter((path) => isKnown(path)).map((path) => [path, { phase: "waiting" }]));
  watched.set(job.id, { id: job.id, state: job.state, reason: "", progress: job.progress, files, total: job.paths.length,
    events: job.events, stream: null, lost: false, over: false });
  listen();
  draw();
}

// One stream is enough, and leaves the browser its other connections: that of the first job that is not to be tried again
// later, for that may take half an hour.
function listen() {
  const left = [...watched.values()].filter((each) => !each.over);
  const job = left.find((each) => each.state !== "waiting") || left[0];
  const heard = left.find((each) => each.stream);
  if (!job || (heard && (heard === job || heard.state !== "waiting"))) return;
  if (heard) {
    heard.stream.close();
    heard.stream = null;
  }
  const stream = new EventSource(`${settings.prefix}${job.events}`);
  job.stream = stream;
  const hear = (kind, does) => stream.addEventListener(kind, (event) => { job.lost = false; does(JSON.parse(event.data)); draw(); });
  hear("started", () => { Object.assign(job, { state: "running", reason: "" }); });
  hear("waiting", (told) => { Object.assign(job, { state: "waiting", reason: told.reason }); listen(); });
  hear("progress", (told) => {
    Object.assign(job, { state: "running", progress: told });
    const ended = job.files.has(told.current) && job.files.get(told.current).status;
    if (told.current && !ended) job.files.set(told.current, { phase: told.phase, pages: told.current_pages, total: told.current_total });
  });
  hear("file", (told) => { job.files.set(told.path, told); });
  hear("done", (told) => {
    Object.assign(job, { state: told.state, reason: told.reason, over: true });
    const count = Object.values(told.counts).reduce((all, each) => all + each, 0);
    // The list shows what was read; only what went wrong is worth a card.
    if (told.state === "done" && ![...job.files.values()].some((each) => each.status === "failed")) watched.delete(job.id);
    closeStream(job);
    refresh(said("ended", { count: number(count) }));
  });
  stream.addEventListener("error", () => {
    if (stream.readyState !== EventSource.CLOSED) { job.lost = true; return draw(); }
    // The server forgot it, or began anew.
    job.over = true;
    watched.delete(job.id);
    closeStream(job);
    draw();
  });
}

function closeStream(job) {
  if (job.stream) job.stream.close();
  job.stream = null;
  listen();
}

// The list shows what came of it, soon and once.
function refresh(text) {
  clearTimeout(refreshing);
  refreshing = setTimeout(() => { send("open", null); if (text) say(text, false); }, 150);
}

async function cancel(id) {
  await fetch(`${settings.jobs}/${id}`, { method: "DELETE", headers: { "X-Golden-Request": "1" } });
}

async function reread(id) {
  const answer = await fetch(`${settings.upload}/${encodeURIComponent(id)}/reading`, { method: "POST", headers: { "X-Golden-Request": "1" } });
  const told = await answer.json();
  if (answer.ok) follow(told); else say(translated(told.error.message), true);
}

// ---- showing --------------------------------------------------------------------------------------------------

let drawing = 0;
function draw() {
  if (!drawing) drawing = requestAnimationFrame(() => { drawing = 0; drawNow(); });
}

function drawNow() {
  const place = workPlace();
  if (!place || !settings) return;
  const fresh = document.createElement("div");
  for (const each of uploads) fresh.append(uploadCard(each));
  for (const each of watched.values()) fresh.append(jobCard(each));
  mergeChildren(place, fresh);
}

function uploadCard(upload) {
  const total = upload.files.reduce((all, each) => all + each.file.size, 0);
  const sent = upload.files.reduce((all, each) => all + each.sent, 0);
  const title = said(upload.over ? "refused" : "uploading", { group: upload.group });
  const rows = upload.files.slice(0, 100).map((each) => node("li", {},
    node("span", { text: each.name, class: "path" }), bar(each.name, each.sent, each.file.size),
    node("span", { text: each.state === "failed" ? said("not_sent", { reason: upload.problem }) : said(each.state), class: "quiet" })));
  const left = upload.files.length - rows.length;
  const key = `upload-${upload.id}`;
  return node("section", { class: "card under-way", "data-key": key },
    node("div", { class: "head" }, node("h2", { text: title }), closer(upload.over, key, upload.over ? "put-upload" : "stop-upload", upload.id)),
    upload.over ? null : bar(title, sent, total),
    upload.over ? null : node("p", { class: "quiet", text: said("uploaded", { sent: bytes(sent), total: bytes(total) }) }),
    upload.problem ? node("p", { class: "bad", role: "alert", text: upload.problem }) : null,
    upload.refused.length ? node("ul", { class: "bad" }, ...upload.refused.slice(0, 200).map((text) => node("li", { text }))) : null,
    rows.length ? node("ul", { class: "sending" }, ...rows) : null,
    left > 0 ? node("p", { class: "quiet", text: said("left_out", { count: number(left) }) }) : null);
}

function closer(over, key, action, id) {
  return node("button", { type: "button", class: over ? "" : "danger", "data-work": action, "data-id": id,
    "data-key": `${key}-${action}`, text: said(over ? "close" : "cancel") });
}

function jobState(job) {
  if (job.lost) return said("connection");
  if (job.state === "failed") return said("failed", { reason: translated(job.reason) });
  if (job.state === "waiting") return said("later", { reason: translated(job.reason) });
  return said(job.state);
}

// A file's bar: most of the time goes by with reading its pages.
const SHARES = { waiting: 0, reading: 0, enriching: 0.75, embedding: 0.85, storing: 0.95 };
const ROWS = 30;

function fileRow(path, file) {
  const name = nameOf(path), failed = file.status === "failed";
  const counted = file.phase === "reading" && file.total;
  const share = file.status ? 1 : counted ? 0.75 * file.pages / file.total : SHARES[file.phase];
  const text = failed ? translated(file.reason) : counted ? said("page_of", { page: number(file.pages), total: number(file.total) })
    : said(file.status || file.phase);
  return node("li", { class: failed ? "bad" : "" }, node("span", { text: name, class: "path" }),
    failed ? null : bar(name, share, 1), node("span", { text, class: failed ? "" : "quiet" }));
}

function jobCard(job) {
  const told = job.progress || {};
  const filesTotal = told.files_total || job.total, filesDone = job.over ? filesTotal : told.files_done || 0;
  const share = job.over ? 1 : told.total ? told.done / told.total : filesTotal ? filesDone / filesTotal : 0;
  const line = [said("files_of", { done: number(filesDone), total: number(filesTotal) })];
  if (told.pages) line.push(said("pages_read", { count: number(told.pages) }));
  if (!job.over && told.seconds_left !== null && told.seconds_left !== undefined) {
    const left = told.seconds_left;
    line.push(left < 90 ? said("left_s", { count: number(Math.ceil(left)) }) : said("left_min", { count: number(Math.ceil(left / 60)) }));
  }
  const files = [...job.files], rank = ([, file]) => (file.status === "failed" ? 0 : !file.status && file.phase !== "waiting" ? 1 : 2);
  const wanted = job.over ? files.filter((each) => !rank(each)) : files;
  // Of many files the failed ones and those under way are shown first; each stays in its place while all fit.
  const rows = wanted.length > ROWS ? wanted.sort((one, other) => rank(one) - rank(other)).slice(0, ROWS) : wanted;
  const more = wanted.length - rows.length;
  const title = jobState(job);
  return node("section", { class: "card under-way", "data-key": `job-${job.id}` },
    node("div", { class: "head" }, node("h2", { text: title }), closer(job.over, `job-${job.id}`, job.over ? "put-job" : "stop-job", job.id)),
    job.over ? null : bar(title, share, 1), node("p", { class: "quiet", text: line.join(" · ") }),
    rows.length ? node("ul", { class: "sending" }, ...rows.map(([path, file]) => fileRow(path, file))) : null,
    more > 0 ? node("p", { class: "quiet", text: said("left_out", { count: number(more) }) }) : null);
}

// ---- events ---------------------------------------------------------------------------------------------------

element.addEventListener("click", (event) => {
  const pick = event.target.closest("[data-pick]");
  if (pick) return choose(pick.dataset.pick === "folder");
  const button = event.target.closest("[data-work]");
  if (!button) return;
  const id = button.dataset.id;
  if (button.dataset.work === "reread") return void reread(id);
  if (button.dataset.work === "stop-job") cancel(id);
  if (button.dataset.work === "put-job") watched.delete(id);
  const upload = uploads.find((each) => each.id === id);
  if (upload && button.dataset.work === "put-upload") uploads.splice(uploads.indexOf(upload), 1);
  if (upload && button.dataset.work === "stop-upload") { upload.over = true; if (upload.request) upload.request.abort(); }
  draw();
});

function bringsFiles(event) { return event.dataTransfer && [...event.dataTransfer.types].includes("Files"); }

// Files may be dropped anywhere on the page; where it takes none, they must not replace it.
for (const kind of ["dragenter", "dragover", "dragleave", "drop"]) {
  window.addEventListener(kind, (event) => {
    if (!bringsFiles(event)) return;
    event.preventDefault();
    const place = intakePlace();
    if (!place) return;
    place.classList.toggle("over", kind === "dragenter" || kind === "dragover" || (kind === "dragleave" && event.relatedTarget !== null));
    if (kind === "drop") dropped(event.dataTransfer);
  });
}

// What was begun before this page was opened is shown, too: the page is there once the desk was shown.
let begun = false;
watch("value", () => {
  desk();
  if (settings && !begun) { begun = true; listJobs(); }
  draw();
});
