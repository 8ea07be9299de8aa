"""A browser in which the end of a page's stream of events is heard late: behind the answer to the next thing asked."""

# Each page counts in window.endsHeld how often.
DELAY_STREAM_ENDS = """(() => {
  const plainly = window.fetch;
  let asked = 0;
  const nextAsked = async (before) => {
    while (asked === before) await new Promise((done) => setTimeout(done, 20));
    await new Promise((done) => setTimeout(done, 200));
  };
  window.fetch = async (...given) => {
    const answer = await plainly(...given);
    const path = new URL(given[0].url || given[0], location.href).pathname;
    if (path.endsWith("/queue/join")) asked += 1;
    if (!path.endsWith("/queue/data")) return answer;
    const late = new TransformStream({
      async transform(text, out) {
        for (const message of text.split(/(?<=\\n\\n)/)) {
          if (message.includes('"close_stream"')) {
            window.endsHeld = (window.endsHeld || 0) + 1;
            await nextAsked(asked);
          }
          out.enqueue(message);
        }
      },
    });
    const told = answer.body.pipeThrough(new TextDecoderStream()).pipeThrough(late);
    return new Response(told.pipeThrough(new TextEncoderStream()), { status: answer.status, headers: answer.headers });
  };
})()"""
