/**
 * An agent that speaks ACP and does what its script says, faults included. `SCRIPT`, or the file that its argument names, holds
 * a list of steps for each prompt; prompts are counted in HOME, so that a restarted process continues with the next.
 *
 * Steps: {say} {sayMuch} {think} {plan} {call} {write,text} {run} {ask,call} {mcp,input} {model} {flood} {wait} {touch} {die} {hang} {noise}
 * {usage} {provider} {stop} {error} {late} {deafToCancel} {deafToEnd} {pid} {closeOutput}
 */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, closeSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import * as acp from "@agentclientprotocol/sdk/unstable";

const [, , scriptFile] = process.argv;
const script = JSON.parse(scriptFile ? readFileSync(scriptFile, "utf8") : (process.env.SCRIPT ?? "[]"));
const offers = JSON.parse(process.env.OFFERS ?? '{"resume":true,"http":true,"system":true}');
const sessions = new Map();
let ids = 0;
let isDeafToEnd = false;
/** @param {string} line for the test to read */
const note = (line) => appendFileSync(log, `${line.replaceAll("\n", " ")}\n`);

/** Where agents keep their sessions: one that is not there cannot be resumed, if the agent says so (`keepsSessions`). */
const kept = join(process.env.HOME ?? "", ".claude", "projects");
const remember = (sessionId) => {
  mkdirSync(kept, { recursive: true });
  writeFileSync(join(kept, sessionId), "");
};
const log = join(process.env.HOME ?? "", "agent-state.log");
const state = join((offers.keepsSessions ? kept : process.env.HOME) ?? "", "agent-state");

const nextPrompt = () => {
  const count = existsSync(state) ? Number(readFileSync(state, "utf8")) : 0;
  writeFileSync(state, String(count + 1));
  return script[count] ?? [];
};

async function callTool({ url, headers }, name, input) {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...Object.fromEntries(headers.map((one) => [one.name, one.value])),
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: name === null ? "tools/list" : "tools/call",
      params: name === null ? {} : { name, arguments: input },
    }),
  });
  note(`mcp ${response.status} ${await response.text()}`);
}

/** As an agent does that is logged in: with the token of its login file, to a host that its proxy lets through. */
async function askProvider(host) {
  const login = join(process.env.CLAUDE_CONFIG_DIR ?? "", ".credentials.json");
  const { accessToken } = JSON.parse(readFileSync(login, "utf8")).claudeAiOauth;
  const { hostname, port } = new URL(process.env.HTTPS_PROXY ?? "");
  const path = `${host}:443`;
  const asking = request({ host: hostname, port, method: "CONNECT", path, headers: { Host: path } });
  try {
    asking.end();
    const [answer, socket, head] = await once(asking, "connect");
    if (answer.statusCode !== 200) return `refused ${answer.statusCode} ${head}`;
    const tls = connectTls({ socket, servername: host, rejectUnauthorized: false });
    tls.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${accessToken}\r\n`);
    tls.write("Connection: close\r\n\r\n");
    return `${(await tls.toArray()).join("")}`;
  } catch (error) {
    return `failed ${error.code ?? error.message}`;
  }
}

/** @returns what a command wrote; it finds Hox's tools at `MCP_URL` with `MCP_TOKEN` */
const shell = (command, { cwd, mcpServers: [{ url, headers } = { url: "", headers: [] }] }) =>
  new Promise((resolve) => {
    const [token = ""] = headers.map(({ value }) => value.replace("Bearer ", ""));
    const env = { ...process.env, MCP_URL: url, MCP_TOKEN: token };
    execFile("/bin/sh", ["-c", command], { cwd, env, maxBuffer: 1e8 }, (_, output, errors) =>
      resolve(`${output}${errors}`),
    );
  });

/** @returns the answer to the prompt, once a step gives it */
async function perform(step, { client, sessionId, session }) {
  const update = (one) => client.notify(acp.methods.client.session.update, { sessionId, update: one });
  const text = (kind, words) => update({ sessionUpdate: kind, content: { type: "text", text: words } });
  const call = async (toolCallId, more) => {
    await update({ sessionUpdate: "tool_call", toolCallId, status: "pending", ...more });
    return (rest) => update({ sessionUpdate: "tool_call_update", toolCallId, ...rest });
  };
  if ("say" in step) await text("agent_message_chunk", step.say);
  if ("sayMuch" in step) await text("agent_message_chunk", "x".repeat(step.sayMuch));
  if ("think" in step) await text("agent_thought_chunk", step.think);
  if ("plan" in step) await update({ sessionUpdate: "plan", entries: step.plan });
  if ("call" in step && !("ask" in step))
    await (await call(`call-${++ids}`, step.call))({ status: "completed", ...step.result });
  if ("write" in step) {
    const path = join(session.cwd, step.write);
    const done = await call(`call-${++ids}`, {
      title: `Write ${step.write}`,
      kind: "edit",
      locations: [{ path }],
    });
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, step.text);
    await done({ status: "completed", content: [{ type: "diff", path, oldText: null, newText: step.text }] });
  }
  if ("run" in step) {
    const done = await call(`call-${++ids}`, { title: step.run.slice(0, 100), kind: "execute" });
    const output = await shell(step.run, session);
    await done({
      status: "completed",
      content: [{ type: "content", content: { type: "text", text: output } }],
    });
  }
  if ("ask" in step) {
    const options = ["allow_once", "allow_always", "reject_once"].map((kind) => ({
      optionId: kind,
      name: kind,
      kind,
    }));
    const toolCall = { toolCallId: `call-${++ids}`, title: step.ask, ...step.call };
    const { outcome } = await client.request(acp.methods.client.session.requestPermission, {
      sessionId,
      toolCall,
      options,
    });
    note(`permission ${outcome.optionId ?? outcome.outcome}`);
  }
  if ("mcp" in step) await callTool(session.mcpServers[0], step.mcp, step.input ?? {});
  if ("model" in step) {
    const response = await fetch(`${process.env.MODEL_URL}${step.model}`, {
      method: "POST",
      headers: { "content-type": "application/json", "anthropic-version": "2023-06-01" },
      body: JSON.stringify(step.body ?? {}),
    });
    note(`model ${response.status} ${await response.text()}`);
  }
  if ("provider" in step) note(`provider ${await askProvider(step.provider)}`);
  if ("flood" in step)
    for (let count = 0; count < step.flood; count++) await text("agent_message_chunk", `${count},`);
  if ("noise" in step) process.stdout.write(`${step.noise}\n`);
  if ("touch" in step) writeFileSync(join(session.cwd, step.touch), "");
  if ("wait" in step)
    while (!existsSync(join(session.cwd, step.wait)) && !session.isCancelled) await pause(5);
  if ("late" in step) setTimeout(() => text("agent_message_chunk", step.late), 50);
  if ("deafToCancel" in step) session.isDeaf = true;
  if ("deafToEnd" in step) isDeafToEnd = true;
  if ("pid" in step) note(`pid ${process.pid}`);
  if ("closeOutput" in step) closeSync(1);
  if ("hang" in step) while (!session.isCancelled) await pause(5);
  if ("die" in step) {
    process.stderr.write("last words\n");
    process.exit(step.die);
  }
  if ("error" in step) throw new acp.RequestError(step.error, step.message ?? "failed");
}

const open = ({ cwd, mcpServers = [] }, id) =>
  sessions.set(id, { cwd, mcpServers, isCancelled: false, isDeaf: false });
acp
  .agent({ name: "scripted" })
  .onRequest(acp.methods.agent.initialize, () => ({
    protocolVersion: 1,
    agentInfo: { name: "scripted", version: "1.2.3" },
    agentCapabilities: {
      loadSession: Boolean(offers.load),
      mcpCapabilities: { http: Boolean(offers.http), sse: false },
      sessionCapabilities: {
        ...(offers.resume ? { resume: {} } : {}),
        ...(offers.system ? { systemPrompt: {} } : {}),
        close: {},
      },
    },
  }))
  .onRequest(acp.methods.agent.session.new, ({ params }) => {
    if (offers.loggedOut) throw acp.RequestError.authRequired();
    const sessionId = `session-${process.pid}-${++ids}`;
    remember(sessionId);
    note(`new ${JSON.stringify({ system: params.systemPrompt, meta: params._meta })}`);
    open(params, sessionId);
    return { sessionId };
  })
  .onRequest(acp.methods.agent.session.resume, ({ params }) => {
    note(`resume ${params.sessionId}`);
    if (offers.keepsSessions && !existsSync(join(kept, params.sessionId)))
      throw new acp.RequestError(-32002, "Resource not found");
    open(params, params.sessionId);
    return {};
  })
  .onRequest(acp.methods.agent.session.load, async ({ params, client }) => {
    note(`load ${params.sessionId}`);
    open(params, params.sessionId);
    const replay = (text) => perform({ say: text }, { client, sessionId: params.sessionId, session: params });
    await replay("replayed");
    setImmediate(() => replay("replayed late"));
    return {};
  })
  .onRequest(acp.methods.agent.session.close, ({ params }) => {
    note(`close ${params.sessionId}`);
    sessions.delete(params.sessionId);
    return {};
  })
  .onNotification(acp.methods.agent.session.cancel, ({ params }) => {
    note("cancel");
    const session = sessions.get(params.sessionId);
    if (session && !session.isDeaf) session.isCancelled = true;
  })
  .onRequest(acp.methods.agent.session.prompt, async ({ params, client }) => {
    const session = sessions.get(params.sessionId);
    session.isCancelled = false;
    note(`prompt ${params.prompt.map((block) => block.text).join("")}`);
    const steps = nextPrompt();
    for (const step of steps) {
      await perform(step, { client, sessionId: params.sessionId, session });
      if (session.isCancelled) return { stopReason: "cancelled" };
    }
    const { stop: stopReason = "end_turn" } = steps.find((step) => "stop" in step) ?? {};
    const { usage } = steps.find((step) => "usage" in step) ?? {};
    return { stopReason, ...(usage === undefined ? {} : { usage }) };
  })
  .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
process.stdin.on("end", () => {
  if (!isDeafToEnd) process.exit(0);
});
