import { createServer } from "node:http";
import { createApp } from "./app.js";
import { problem } from "./http.js";
import { createStore } from "./store.js";

const app = createApp(createStore({ folder: process.env.HARBOUR_DATA ?? "data" }));
const port = Number(process.env.PORT ?? 8080);

createServer(async (request, response) => {
  const { status, body } = await respond(request).catch((error) => problem(500, "failed", error.message));
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}).listen(port, "127.0.0.1", () => process.stdout.write(`harbour on http://127.0.0.1:${port}\n`));

async function respond(request) {
  let text = "";
  for await (const part of request) text += part;
  let body;
  try {
    body = text === "" ? undefined : JSON.parse(text);
  } catch {
    return problem(400, "not-json", "Send JSON.");
  }
  return app.handle({ method: request.method, path: new URL(request.url, "http://harbour").pathname, body });
}
