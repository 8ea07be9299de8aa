// Uploads: the browser sends files directly to the API; the page shows how they are read.
const uploads = [];
let uploadCount = 0;

function uploadForm() { return root.querySelector("[data-upload-form]"); }

// The form's settings, kept for uploads that continue while another view is open.
let settings = null;
function readSettings() {
  const form = uploadForm();
  if (form) {
    settings = { ...form.dataset, texts: JSON.parse(form.dataset.texts), suffixes: form.dataset.suffixes.split(" "),
      bytes: Number(form.dataset.bytes), files: Number(form.dataset.files) };
  }
  return settings;
}

function textOf(name, values) {
  return settings.texts[name].replace(/\{(\w+)\}/g, (all, each) => values && each in values ? String(values[each]) : all);
}

function nameOf(path) { return path.split("/").pop() || path; }

// Values become text, never HTML: file names and messages may contain anything.
function createElement(name, values, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(values)) {
    if (key === "text") made.textContent = value; else made.setAttribute(key, value);
  }
  made.append(...children.filter(Boolean));
  return made;
}

// ---- choosing -------------------------------------------------------------------------------------------------

function chooseFiles(folder) {
  const input = createElement("input", { type: "file" });
  input.multiple = true;
  if (folder) input.webkitdirectory = true; else input.accept = readSettings().suffixes.join(",");
  input.addEventListener("change", () => addFiles([...input.files].map((file) => ({ file, path: file.webkitRelativePath || file.name }))));
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
  for (let entries = await readEntries(reader); entries.length; entries = await readEntries(reader)) {
    for (const each of entries) found.push(...await filesIn(each));
  }
  return found;
}

async function addDropped(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean);
  if (!entries.length) return addFiles([...transfer.files].map((file) => ({ file, path: file.name })));
  const found = [];
  for (const entry of entries) {
    try { found.push(...await filesIn(entry)); } catch (error) { /* skip what cannot be read */ }
  }
  addFiles(found);
}

// Files with the same name in several folders are named after their folders, too.
function withUniqueNames(files) {
  const names = files.map((each) => nameOf(each.path));
  return files.map((each, at) => {
    const name = names.indexOf(names[at]) === names.lastIndexOf(names[at]) ? names[at] : each.path.split("/").join(" - ");
    return { file: each.file, name };
  });
}

function rejectionOf({ file, name }) {
  if (!settings.suffixes.includes((name.match(/\.[^./]+$/) || [""])[0].toLowerCase())) return textOf("wrong_kind", { name });
  // The server refuses a whole request if it contains such a name.
  if (/\p{C}|(?! )\p{Z}/u.test(name) || new TextEncoder().encode(name).length > 255) return textOf("bad_name", { name });
  if (!file.size) return textOf("empty", { name });
  return file.size > settings.bytes ? textOf("too_large", { name, size: settings.size }) : "";
}

// ---- sending --------------------------------------------------------------------------------------------------

// Each request stays below the server's limits; 1,000 bytes per file are for the form data around it.
function batchesOf(files) {
  const made = [[]];
  let size = 0;
  for (const each of files) {
    const bytes = each.file.size + 1000;
    if (made.at(-1).length && (size + bytes > settings.bytes || made.at(-1).length >= settings.files)) { made.push([]); size = 0; }
    made.at(-1).push(each);
    size += bytes;
  }
  return made.filter((each) => each.length);
}

async function addFiles(files) {
  const form = uploadForm();
  if (!readSettings() || !form) return;
  const field = form.querySelector("[data-new-group]");
  const group = (field && field.value.trim()) || form.querySelector("[data-group]").value;
  // Hidden files, such as .DS_Store, are not documents.
  const named = withUniqueNames(files.filter((each) => !nameOf(each.path).startsWith(".")));
  const accepted = named.filter((each) => !rejectionOf(each));
  uploadCount += 1;
  const upload = { id: String(uploadCount), group, refused: named.map(rejectionOf).filter(Boolean), sent: 0, done: false, files: accepted,
    size: accepted.reduce((all, each) => all + each.file.size, 0) };
  uploads.push(upload);
  draw();
  for (const batch of batchesOf(accepted)) if (!upload.done) await sendBatch(upload, batch);
  upload.done = true;
  // From here on, the ingestion jobs show the progress; only files that were not sent stay listed here.
  if (!upload.refused.length) uploads.splice(uploads.indexOf(upload), 1);
  draw();
}

function sendBatch(upload, batch) {
  return new Promise((done) => {
    const form = new FormData(), before = upload.sent;
    form.append("group", upload.group);
    for (const each of batch) form.append("files", each.file, each.name);
    const request = new XMLHttpRequest();
    upload.request = request;
    request.upload.addEventListener("progress", (event) => { upload.sent = before + event.loaded; draw(); });
    const fail = () => {
      upload.refused.push(...batch.map((each) => each.name));
      upload.done = true;
    };
    request.addEventListener("load", () => {
      if (request.status === 202) return send("follow", createElement("p", { "data-jobs": JSON.parse(request.responseText).id }), true);
      fail();
      // The server translates the message.
      send("upload_refused", createElement("p", { "data-answer": request.responseText }));
    });
    for (const kind of ["error", "abort"]) request.addEventListener(kind, () => { fail(); showNotice(textOf("upload_lost"), true); });
    request.addEventListener("loadend", done);
    request.open("POST", settings.uploadUrl);
    request.setRequestHeader("X-Golden-Request", "1");
    request.send(form);
  });
}

function draw() {
  const list = root.querySelector("[data-key=uploads]");
  if (!list) return;
  const fresh = document.createElement("div");
  fresh.append(...uploads.map(uploadCard));
  mergeChildren(list, fresh);
}

// The next files of an upload, at most eight, each with its progress: they are sent one after the other.
function fileProgress(upload) {
  let rest = upload.sent;
  const rows = [];
  for (const { file, name } of upload.files) {
    const bar = { "aria-label": name, value: Math.max(0, rest), max: file.size };
    if (rest < file.size && rows.length < 8) rows.push(createElement("li", {}, createElement("span", { class: "path", text: name }), createElement("progress", bar)));
    rest -= file.size;
  }
  return createElement("ul", { class: "file-progress" }, ...rows);
}

function uploadCard(upload) {
  const title = textOf(upload.done ? "refused" : "uploading", { group: upload.group });
  return createElement("section", { class: "card in-progress", "data-key": `upload-${upload.id}` },
    createElement("div", { class: "head" }, createElement("h2", { text: title }),
      createElement("button", { type: "button", class: upload.done ? "" : "danger", "data-upload-id": upload.id, text: textOf(upload.done ? "close" : "cancel") })),
    upload.done ? null : createElement("progress", { "aria-label": title, value: upload.sent, max: upload.size || 1 }),
    upload.done ? null : fileProgress(upload),
    upload.refused.length ? createElement("ul", { class: "bad", role: "alert" }, ...upload.refused.map((text) => createElement("li", { text }))) : null);
}

element.addEventListener("click", (event) => {
  const pick = event.target.closest("[data-pick]");
  if (pick) return chooseFiles(pick.dataset.pick === "folder");
  const button = event.target.closest("[data-upload-id]");
  const upload = button && uploads.find((each) => each.id === button.dataset.uploadId);
  if (!upload) return;
  if (upload.done) uploads.splice(uploads.indexOf(upload), 1);
  else if (upload.request) upload.request.abort();
  draw();
});

function hasFiles(event) { return event.dataTransfer && [...event.dataTransfer.types].includes("Files"); }

// Files can be dropped anywhere on the page. Without an upload form, the browser must not open them instead of the page.
for (const kind of ["dragenter", "dragover", "dragleave", "drop"]) {
  window.addEventListener(kind, (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    const form = uploadForm();
    if (!form) return;
    form.classList.toggle("drag-over", kind === "dragenter" || kind === "dragover" || (kind === "dragleave" && event.relatedTarget !== null));
    if (kind === "drop") addDropped(event.dataTransfer);
  });
}

watch("value", () => { readSettings(); draw(); });
