/** A client in a process of its own that has entered and asks for far too much at once; prints what it was answered. */
import { WebSocket } from "ws";
import { socketPath, socketProtocols } from "#shared/contract/loopback.ts";

const [port = "", session = "", count = "", procedure = "", body = ""] = process.argv.slice(2);
const socket = new WebSocket(`ws://127.0.0.1:${port}${socketPath}`, socketProtocols(session), {
  origin: `http://127.0.0.1:${port}`,
});
const answers: Record<string, number> = {};
let remedy: string | null = null;
let left = Number(count);
const begun = performance.now();
socket.on("open", () => {
  for (let number = 0; number < Number(count); number++)
    socket.send(JSON.stringify({ i: String(number), p: { u: `/${procedure}`, b: JSON.parse(body) } }));
});
socket.on("message", (data) => {
  const { p } = JSON.parse(data.toString()) as {
    p: { s?: number; b?: { json?: { code?: string; data?: { remedy?: string } } } };
  };
  const code = p.s === undefined ? "answered" : (p.b?.json?.code ?? String(p.s));
  answers[code] = (answers[code] ?? 0) + 1;
  if (code === "TOO_MANY_REQUESTS") remedy = p.b?.json?.data?.remedy ?? null;
  if (--left === 0) socket.close();
});
socket.on("close", (code) => {
  console.log(JSON.stringify({ answers, remedy, code, ms: Math.round(performance.now() - begun) }));
});
