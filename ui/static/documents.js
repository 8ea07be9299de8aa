// Uploads: the browser sends files directly to the API; the page shows how they are read.
const uploads = [];
let numbered = 0;

function intakePlace() { return root.querySelector("[data-intake]"); }

// The form's settings, kept for uploads that continue while another view is open.
let settings = null;
function desk() {
  const place = intakePlace();
  if (place) {
    settings = { ...place.dataset, words: JSON.parse(place.dataset.words), suffixes: place.dataset.suffixes.split(" "),
      bytes: Number(place.dataset.bytes), files: Number(place.dataset.files) };
  }
  return settings;
}

function said(name, values) {
  return settings.words[name].replace(/\{(\w+)\}/g, (all, each) => values && each in values ? String(values[each]) : all);
}

function nameOf(path) { return path.split("/").pop() || path; }

// Values become text, never HTML: file names and messages may contain anything.
function node(name, values, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(values)) {
    if (key === "text") made.textContent = value; else made.setAttribute(key, value);
  }
  made.append(...children.filter(Boolean));
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
  // readEntries returns at most 100 entries per call.
  for (let some = await readEntries(reader); some.length; some = await readEntries(reader)) {
    for (const each of some) found.push(...await filesIn(each));
  }
  return found;
}

async function dropped(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean);
  if (!entries.length) return take([...transfer.files].map((file) => ({ file, path: file.name })));
  const found = [];
  for (const entry of entries) {
    try { found.push(...await filesIn(entry)); } catch (error) { /* skip what cannot be read */ }
  }
  take(found);
}

// Files with the same name in several folders are named after their folders, too.
function named(files) {
  const names = files.map((each) => nameOf(each.path));
  return files.map((each, at) => {
    const name = names.indexOf(names[at]) === names.lastIndexOf(names[at]) ? names[at] : each.path.split("/").join(" - ");
    return { file: each.file, name };
  });
}

function faultOf({ file, name }) {
  if (!settings.suffixes.includes((name.match(/\.[^./]+$/) || [""])[0].toLowerCase())) return said("wrong_kind", { name });
  // The server refuses a whole request if it contains such a name.
  if (/\p{C}|(?! )\p{Z}/u.test(name) || new TextEncoder().encode(name).length > 255) return said("bad_name", { name });
  if (!file.size) return said("empty", { name });
  return file.size > settings.bytes ? said("too_large", { name, size: settings.size }) : "";
}

// ---- sending --------------------------------------------------------------------------------------------------

// Each request stays below the server's limits; 1,000 bytes per file are for the form data around it.
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

async function take(files) {
  const place = intakePlace();
  if (!desk() || !place) return;
  const field = place.querySelector("[data-new-group]");
  const group = (field && field.value.trim()) || place.querySelector("[data-group]").value;
  // Hidden files, such as .DS_Store, are not documents.
  const given = named(files.filter((each) => !nameOf(each.path).startsWith(".")));
  const kept = given.filter((each) => !faultOf(each));
  numbered += 1;
  const upload = { id: String(numbered), group, refused: given.map(faultOf).filter(Boolean), sent: 0, over: false, files: kept,
    size: kept.reduce((all, each) => all + each.file.size, 0) };
  uploads.push(upload);
  draw();
  for (const some of portions(kept)) if (!upload.over) await sendSome(upload, some);
  upload.over = true;
  // From now on, the ingestion jobs show the progress; only files that were not sent stay listed here.
  if (!upload.refused.length) uploads.splice(uploads.indexOf(upload), 1);
  draw();
}

function sendSome(upload, some) {
  return new Promise((done) => {
    const form = new FormData(), before = upload.sent;
    form.append("group", upload.group);
    for (const each of some) form.append("files", each.file, each.name);
    const request = new XMLHttpRequest();
    upload.request = request;
    request.upload.addEventListener("progress", (event) => { upload.sent = before + event.loaded; draw(); });
    const fail = () => {
      upload.refused.push(...some.map((each) => each.name));
      upload.over = true;
    };
    request.addEventListener("load", () => {
      if (request.status === 202) return send("follow", node("p", { "data-jobs": JSON.parse(request.responseText).id }), true);
      fail();
      // The server translates the message.
      send("not_sent", node("p", { "data-answer": request.responseText }));
    });
    for (const kind of ["error", "abort"]) request.addEventListener(kind, () => { fail(); say(said("upload_lost"), true); });
    request.addEventListener("loadend", done);
    request.open("POST", settings.upload);
    request.setRequestHeader("X-Golden-Request", "1");
    request.send(form);
  });
}

function draw() {
  const place = root.querySelector("[data-key=uploads]");
  if (!place) return;
  const fresh = document.createElement("div");
  fresh.append(...uploads.map(uploadCard));
  mergeChildren(place, fresh);
}

// The next files of an upload, at most eight, each with its progress: they are sent one after the other.
function sendingList(upload) {
  let rest = upload.sent;
  const rows = [];
  for (const { file, name } of upload.files) {
    const bar = { "aria-label": name, value: Math.max(0, rest), max: file.size };
    if (rest < file.size && rows.length < 8) rows.push(node("li", {}, node("span", { class: "path", text: name }), node("progress", bar)));
    rest -= file.size;
  }
  return node("ul", { class: "sending" }, ...rows);
}

function uploadCard(upload) {
  const title = said(upload.over ? "refused" : "uploading", { group: upload.group });
  return node("section", { class: "card under-way", "data-key": `upload-${upload.id}` },
    node("div", { class: "head" }, node("h2", { text: title }),
      node("button", { type: "button", class: upload.over ? "" : "danger", "data-upload-id": upload.id, text: said(upload.over ? "close" : "cancel") })),
    upload.over ? null : node("progress", { "aria-label": title, value: upload.sent, max: upload.size || 1 }),
    upload.over ? null : sendingList(upload),
    upload.refused.length ? node("ul", { class: "bad", role: "alert" }, ...upload.refused.map((text) => node("li", { text }))) : null);
}

element.addEventListener("click", (event) => {
  const pick = event.target.closest("[data-pick]");
  if (pick) return choose(pick.dataset.pick === "folder");
  const button = event.target.closest("[data-upload-id]");
  const upload = button && uploads.find((each) => each.id === button.dataset.uploadId);
  if (!upload) return;
  if (upload.over) uploads.splice(uploads.indexOf(upload), 1);
  else if (upload.request) upload.request.abort();
  draw();
});

function bringsFiles(event) { return event.dataTransfer && [...event.dataTransfer.types].includes("Files"); }

// Files can be dropped anywhere on the page. Without an upload form, the browser must not open them instead of the page.
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

watch("value", () => { desk(); draw(); });
