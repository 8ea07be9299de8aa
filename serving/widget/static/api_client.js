// The client of the bot's HTTP API: sends questions and feedback, reads the events of an answer, reports errors.

// The wait after HTTP 429 without a Retry-After header.
const DEFAULT_RETRY_S = 10;

// A failed request; `kind` is a key of `problems` in texts.js.
class RequestError extends Error {
  constructor(kind, detail = "", { seconds = 0, status = 0 } = {}) {
    super(detail || kind);
    Object.assign(this, { kind, detail, seconds, status });
  }
}

class ApiClient {
  // `base` ends in "/". `token()` returns the page's function for bearer tokens, or null. `documents` are ids.
  constructor(base, { key, token, department, model, documents }) {
    Object.assign(this, { base, key, token, department, model, documents });
  }

  // Ask a question and pass each chunk to `onChunk`. Returns {text, golden} of the finished answer.
  async ask({ messages, picks, conversation }, { onChunk, signal }) {
    // No footer: it repeats in plain text what the widget shows itself.
    const { documents, department } = this;
    const golden = { ...(department ? { department } : {}), documents, conversation, picks, footer: false, passage_count: true };
    const body = { model: this.model || undefined, messages, stream: true, golden };
    const response = await this.send("v1/chat/completions", body, signal);
    const finished = { text: "", golden: null };
    try {
      for await (const chunk of events(response.body)) {
        if (chunk.error) throw new RequestError(chunk.error.code === "unavailable" ? "unavailable" : "broken", chunk.error.message);
        const choice = (chunk.choices || [])[0];
        finished.text += (choice && choice.delta && choice.delta.content) || "";
        if (choice && choice.finish_reason) finished.golden = withPageUrls(chunk, this.base);
        else onChunk(chunk);
      }
    } catch (error) {
      throw error instanceof RequestError || error.name === "AbortError" ? error : new RequestError("lost");
    }
    if (!finished.golden) throw new RequestError("lost");
    return finished;
  }

  async sendFeedback(feedback) {
    await this.send("api/feedback", feedback);
  }

  async send(path, body, signal) {
    let response = await this.post(path, body, signal);
    // The token may have expired since the page was opened: get a new one and retry once.
    if (response.status === 401 && this.token()) response = await this.post(path, body, signal);
    if (!response.ok) throw await errorOf(response, Boolean(this.token()));
    return response;
  }

  async post(path, body, signal) {
    const getToken = this.token();
    const headers = { "Content-Type": "application/json" };
    try {
      const bearer = getToken ? await getToken() : this.key;
      if (bearer) headers.Authorization = `Bearer ${bearer}`;
    } catch {
      throw new RequestError("login");
    }
    try {
      const options = { credentials: "omit", cache: "no-store", referrerPolicy: "no-referrer" };
      return await fetch(new URL(path, this.base), { method: "POST", headers, body: JSON.stringify(body), signal, ...options });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new RequestError(navigator.onLine === false ? "offline" : "unreachable");
    }
  }
}

// The `golden` values of a finished answer. Each citation gets the URL of its page, if the server sent one.
function withPageUrls({ golden, citations = [] }, base) {
  const withAddress = (citation) => {
    const place = String(citations[citation.number - 1] || "");
    return { ...citation, url: webAddress(place.startsWith("/") ? new URL(place, base).href : place) };
  };
  const { citations: cited = [], closest = [] } = golden || {};
  return { ...golden, citations: cited.map(withAddress), closest: closest.map(withAddress) };
}

async function errorOf(response, usesTokens) {
  const { status } = response;
  let detail = `HTTP ${status}`;
  try {
    detail = (await response.json()).error.message || detail;
  } catch {
    // The response of a proxy may not be JSON.
  }
  if (status === 401) return new RequestError(usesTokens ? "login" : "key", detail, { status });
  if (status === 403) return new RequestError("forbidden", detail, { status });
  if (status === 429) {
    const seconds = Math.ceil(Number(response.headers.get("retry-after"))) || DEFAULT_RETRY_S;
    return new RequestError("busy", detail, { status, seconds });
  }
  if (status === 502 || status === 503 || status === 504) return new RequestError("unavailable", detail, { status });
  return new RequestError(status < 500 ? "rejected" : "broken", detail, { status });
}

// Yields the parsed server-sent events of a response body. Invalid JSON throws, like a lost connection.
async function* events(body) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      rest += decoder.decode(value, { stream: !done });
      const lines = rest.split(/\r?\n/);
      rest = done ? "" : lines.pop();
      for (const line of lines) {
        if (!line.startsWith("data:")) continue;
        const data = line.slice(5).trim();
        if (data === "[DONE]") return;
        if (data) yield JSON.parse(data);
      }
      if (done) return;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
