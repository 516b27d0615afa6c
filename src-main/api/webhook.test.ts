import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { OpenRepositoryView, RunStatus } from "#shared/contract/views/app.ts";
import { createTestClock, eventually } from "../testing/kit.ts";
import { createWebhook, messagesBetween } from "./webhook.ts";

const run = (stage: RunStatus["stage"]): RunStatus =>
  ({ id: "r1", goal: "Rotate the key sk-secret", stage, failure: null }) as unknown as RunStatus;
const shop = (more: Partial<OpenRepositoryView> = {}): readonly OpenRepositoryView[] => [
  { path: "/home/me/shop", name: "shop", runs: [run("working" as RunStatus["stage"])], waiting: [], ...more },
];
const card = { id: "q1", run: "r1", title: "Question", headline: "Which of sk-secret?" };

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A server of the user's own. */
async function served(answer: Answer) {
  const bodies: unknown[] = [];
  const requests: IncomingMessage[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    requests.push(request);
    bodies.push(JSON.parse(Buffer.concat(chunks).toString("utf8")));
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { bodies, requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?token=t` };
}

function webhookAt(address: string) {
  const passing = createTestClock(Date.UTC(2026, 7, 1));
  let timers = 0;
  const clock = {
    ...passing,
    after(ms: number, work: () => void) {
      timers += 1;
      return passing.after(ms, work);
    },
    /** How many were started: one for each attempt, and one for each wait. */
    timers: () => timers,
  };
  const failures: string[] = [];
  const webhook = createWebhook({
    address: () => address,
    onFailure: ({ message, remedy }) => failures.push(`${message} ${remedy}`),
    clock,
  });
  webhook.observe(shop());
  return { clock, failures, webhook };
}

const ok: Answer = (_, response) => void response.writeHead(204).end();

describe("messagesBetween", () => {
  it("tells what waits, what is done and what has stopped, and nothing of what was there", () => {
    expect(messagesBetween(shop(), shop({ waiting: [card] }))).toEqual([
      { event: "waits", text: "A run in shop waits for you: Question.", repository: "shop", run: "r1" },
    ]);
    const events = (stage: RunStatus["stage"]) =>
      messagesBetween(shop(), shop({ runs: [run(stage)] })).map(({ event }) => event);
    expect([events("complete"), events("failed"), events("stopped")]).toEqual([
      ["done"],
      ["stopped"],
      ["stopped"],
    ]);
    expect(messagesBetween([], shop({ waiting: [card] }))).toEqual([]);
    expect(messagesBetween(shop({ waiting: [card] }), shop({ waiting: [card] }))).toEqual([]);
    expect(messagesBetween(shop(), shop({ waiting: [card], lockedBy: "Hox 1" }))).toEqual([]);
  });
});

describe("createWebhook", () => {
  it("sends a small JSON body without goal, question and path, in order", async () => {
    const { bodies, requests, url } = await served(ok);
    const { webhook, failures } = webhookAt(url);
    webhook.observe(shop({ waiting: [card] }));
    webhook.observe(shop({ runs: [run("complete")] }));
    await eventually(() => expect(bodies).toHaveLength(2));
    expect(bodies).toEqual([
      {
        ...{ event: "waits", text: "A run in shop waits for you: Question.", repository: "shop" },
        ...{ run: "r1", at: "2026-08-01T00:00:00.000Z" },
      },
      {
        ...{ event: "done", text: "A run in shop is done.", repository: "shop" },
        ...{ run: "r1", at: "2026-08-01T00:00:00.000Z" },
      },
    ]);
    expect(JSON.stringify(bodies)).not.toMatch(/secret|home/u);
    expect(requests[0]?.headers).toMatchObject({ "content-type": "application/json", "user-agent": "hox" });
    expect(failures).toEqual([]);
  });

  it("tries again a few times where the server is down, and reports that once", async () => {
    let isDown = true;
    const { bodies, url } = await served((request, response) =>
      isDown ? void response.writeHead(503).end() : ok(request, response),
    );
    const { webhook, clock, failures } = webhookAt(url);
    webhook.observe(shop({ waiting: [card] }));
    for (const [attempts, wait] of [
      [1, 2_000],
      [2, 10_000],
      [3, 60_000],
    ] as const) {
      // The time limit of an attempt may be as long as the wait after it.
      await eventually(() => expect([clock.timers(), clock.untilNext()]).toEqual([2 * attempts, wait]));
      expect(bodies).toHaveLength(attempts);
      clock.pass(wait);
    }
    await eventually(() => expect(failures).toHaveLength(1));
    expect(bodies).toHaveLength(4);
    expect(failures[0]).toMatch(
      /^Your webhook at 127\.0\.0\.1:\d+ did not take a message: it answers with HTTP status 503\./u,
    );
    expect(failures[0]).not.toContain("token");
    isDown = false;
    webhook.observe(shop({ runs: [run("failed")] }));
    await eventually(() => expect(bodies).toHaveLength(5));
    await webhook.close();
    expect(failures).toHaveLength(1);
  });

  it("follows no redirect, and does not repeat what is refused", async () => {
    const elsewhere = await served(ok);
    const { bodies, url } = await served(
      (_, response) =>
        void response.writeHead(bodies.length === 1 ? 307 : 403, { location: elsewhere.url }).end(),
    );
    const { webhook, failures } = webhookAt(url);
    webhook.observe(shop({ waiting: [card] }));
    await eventually(() => expect(failures).toHaveLength(1));
    expect(failures[0]).toContain("it redirects, which Hox does not follow");
    webhook.observe(shop({ runs: [run("complete")] }));
    await eventually(() => expect(failures).toHaveLength(2));
    expect(bodies).toHaveLength(2);
    expect(elsewhere.bodies).toEqual([]);
  });

  it("gives up on a server that does not answer, and on one that is not there", async () => {
    const { bodies, url } = await served(() => undefined);
    const { webhook, clock, failures } = webhookAt(url);
    webhook.observe(shop({ waiting: [card] }));
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      await eventually(() => expect([bodies.length, clock.untilNext()]).toEqual([attempt, 10_000]));
      clock.pass(10_000);
      if (attempt === 4) break;
      await eventually(() => expect(clock.untilNext()).toBe([2_000, 10_000, 60_000][attempt - 1]));
      clock.pass(60_000);
    }
    await eventually(() => expect(failures[0]).toContain("it did not answer within 10 seconds"));
    const gone = webhookAt("http://127.0.0.1:9/");
    gone.webhook.observe(shop({ waiting: [card] }));
    await eventually(() => expect(gone.clock.untilNext()).toBe(2_000));
    await gone.webhook.close();
    await eventually(() => expect(gone.failures).toEqual([]));
  });

  it("sends nothing without an address, and what just happened before it is closed", async () => {
    const none = webhookAt("");
    none.webhook.observe(shop({ waiting: [card] }));
    await none.webhook.close();
    const { bodies, url } = await served(ok);
    const { webhook } = webhookAt(url);
    webhook.observe(shop({ runs: [run("complete")] }));
    await webhook.close();
    expect(bodies).toHaveLength(1);
  });
});
