import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { MessageChannel } from "node:worker_threads";
import { createORPCClient } from "@orpc/client";
import { RPCLink } from "@orpc/client/message-port";
import { execa } from "execa";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { CardAnswer, InboxItem } from "#shared/contract/cards.ts";
import { fillingLink, type HoxClient } from "#shared/contract/contract.ts";
import type { HostEvent, NumberedEvent } from "#shared/contract/events.ts";
import type { OpenRepositoryView } from "#shared/contract/views/app.ts";
import { isLocked } from "./api/repository-lock.ts";
import { repositoryStateFolder } from "./config/state-folder.ts";
import { trustRepositoryConfig } from "./config/write-settings.ts";
import { done, exampleFiles, write } from "./engine/testing/three-agents-script.ts";
import { createHost } from "./host.ts";
import type { Host } from "./host-interface.ts";
import { createTestRepository, type TestRepository } from "./jj/testing/create-test-repository.ts";
import type { Scene } from "./model/stand-in/script.ts";
import { type StandIn, startStandIn } from "./model/stand-in/stand-in.ts";
import { eventually, tempDir } from "./testing/kit.ts";
import { attachPort } from "./transport/serve-line.ts";

const entry = fileURLToPath(new URL("cli.ts", import.meta.url));
let folder: string;
let state: string;
let repos: readonly [TestRepository, TestRepository];
let standIn: StandIn;
let host: Host;
let closings: (() => void)[];

/** One agent that asks before it writes. */
const asksAndWrites = (file: string): readonly Scene[] => [
  {
    name: `asks about the ${file}`,
    prompt: (seen) => seen.prompt.includes(`Write the ${file}`) && !seen.prompt.includes("Call it so."),
    steps: [
      {
        calls: [
          {
            tool: "align_request",
            input: { question: `What is the ${file} called?`, options: [], blocking: true },
          },
        ],
      },
    ],
  },
  {
    name: `writes the ${file}`,
    prompt: (seen) => seen.prompt.includes(`Write the ${file}`) && seen.prompt.includes("Call it so."),
    steps: [write(`src/${file}.txt`, `the ${file}\n`), done(`The ${file} is written.`)],
  },
];

beforeEach(async () => {
  folder = tempDir();
  state = join(folder, "state");
  closings = [];
  repos = await Promise.all([
    createTestRepository({ files: exampleFiles, isUnique: true }),
    createTestRepository({ files: exampleFiles, isUnique: true }),
  ]);
  for (const repo of repos) {
    await repo.terminal(["bookmark", "set", "main", "-r", "@-"]);
    await trustRepositoryConfig(state, repo.repository.root);
  }
  standIn = await startStandIn({
    script: { name: "two", routes: { "agent-*": [...asksAndWrites("store"), ...asksAndWrites("view")] } },
    models: ["claude-sonnet-5-5"],
    pace: 0,
  });
  Object.assign(process.env, { ANTHROPIC_API_KEY: standIn.apiKey, ANTHROPIC_BASE_URL: standIn.url });
  host = await createHost({ shell: "browser", version: "1", stateFolder: state });
});
afterEach(async () => {
  for (const close of closings) close();
  await host.close();
  await standIn.close();
  for (const repo of repos) await repo.remove();
  delete process.env.ANTHROPIC_API_KEY;
  delete process.env.ANTHROPIC_BASE_URL;
});

/** A window: what it hears, and calls that say which repository they are for. */
interface Window {
  readonly client: HoxClient;
  readonly seen: NumberedEvent[];
  about(root: string | null): HoxClient;
  until<K extends HostEvent["kind"]>(
    kind: K,
    fits?: (event: Extract<HostEvent, { kind: K }>) => boolean,
  ): Promise<Extract<HostEvent, { kind: K }>>;
  /** How a repository stands, once that fits. */
  stands(root: string, fits: (view: OpenRepositoryView) => boolean): Promise<OpenRepositoryView>;
}

async function openWindow(shows?: string): Promise<Window> {
  const { port1, port2 } = new MessageChannel();
  attachPort(host, port1);
  port2.start();
  closings.push(() => port2.close());
  let named: string | null = null;
  const link = new RPCLink({ port: port2 });
  const client: HoxClient = createORPCClient(
    fillingLink(link, () => ({ repository: named, run: null })) as typeof link,
  );
  const from = { since: null, ...(shows === undefined ? {} : { repository: shows }) };
  const stream = (await client.watch(from))[Symbol.asyncIterator]();
  const seen: NumberedEvent[] = [];
  const until: Window["until"] = async (kind, fits = () => true) => {
    for (;;) {
      const next = await stream.next();
      if (next.done) throw new Error(`The stream ended before ${kind}.`);
      seen.push(next.value);
      const { event } = next.value;
      if (event.kind === kind && fits(event as Parameters<typeof fits>[0]))
        return event as Parameters<typeof fits>[0];
    }
  };
  return {
    client,
    seen,
    until,
    about(root) {
      named = root;
      return client;
    },
    async stands(root, fits) {
      const found = (all: readonly OpenRepositoryView[] = []) =>
        all.find((one) => one.path === root && fits(one));
      const { repositories } = await until(
        "open-repositories",
        (event) => found(event.repositories) !== undefined,
      );
      return found(repositories) as OpenRepositoryView;
    },
  };
}

const quick = (goal: string) => ({
  ...{ goal, quick: true, orchestrators: null, onto: null, rehearsal: null, model: "claude-sonnet-5-5" },
});

/** As a window answers a card. */
const answerTo = ({ run, id, nonce, shown }: InboxItem, decision: CardAnswer) => ({
  ...{ run, id, nonce, shown, decision },
});

async function hox(root: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await execa(process.execPath, [entry, ...args], {
    cwd: root,
    stdin: "ignore",
    env: { HOX_STATE: state, npm_lifecycle_event: "", NO_COLOR: "1" },
  });
  return stdout;
}

test("two repositories in one host keep their own runs, whichever is shown, and stay separate", {
  tags: ["long"],
}, async () => {
  const [a, b] = repos.map(({ repository }) => repository.root) as [string, string];
  const release = standIn.hold(() => true);
  const first = await openWindow();
  await first.until("snapshot");
  await first.client.repository.open({ path: a });
  await first.until("graph-part", ({ last }) => last);
  const { run: inA } = await first.about(a).run.start(quick("Write the store"));
  await first.until("run-update", ({ update }) => JSON.stringify(update.live).includes("thinking"));

  // Another one comes on screen while the agent of the first is in the middle of its turn, which goes on unseen.
  await first.about(a).repository.open({ path: b });
  await first.until("repository", ({ repository }) => repository?.view.path === b);
  const left = first.seen.length;
  release();
  const asking = await first.stands(a, ({ waiting }) => waiting.length > 0);
  expect(asking).toMatchObject({
    runs: [{ id: inA, goal: "Write the store", paused: "no", endedAt: null }],
    waiting: [{ run: inA, title: "Question", headline: "What is the store called?" }],
  });
  const { run: inB } = await first.about(b).run.start(quick("Write the view"));
  await first.until("inbox", ({ items }) => items.length > 0);

  // A second window looks at the first one; a reload comes back to the one that it was in.
  const second = await openWindow(a);
  const { repository } = await second.until("snapshot");
  expect(repository).toMatchObject({ view: { path: a }, run: inA });
  expect((await (await openWindow(b)).until("snapshot")).repository?.run).toBe(inB);

  // A call is for the repository that it names, whatever its window shows.
  const [card] = asking.waiting;
  const inbox = async (window: Window, root: string) => (await window.about(root).run.state()).inbox;
  const [question] = await inbox(first, a);
  expect(question).toMatchObject({ id: card?.id, run: inA });
  expect(await inbox(second, a)).toEqual([question]);
  expect(await inbox(first, b)).toMatchObject([{ run: inB }]);
  await expect(first.about(null).run.state()).rejects.toMatchObject({ code: "BAD_REQUEST" });
  if (!question) throw new Error("There is no question.");
  await expect(
    first.about(b).inbox.answer(answerTo(question, { kind: "answer", text: "x" })),
  ).rejects.toMatchObject({ code: "STALE" });
  await expect(first.about(folder).run.state()).rejects.toMatchObject({ code: "NOT_OPEN" });

  // Terminals find the host in either folder, and steer what is there alone.
  expect(await hox(b, "pause")).toMatch(/paus/iu);
  // What a terminal reads of a run is written every two seconds.
  await eventually(async () => {
    const [inFolderA, inFolderB] = await Promise.all(
      [a, b].map(
        async (root) =>
          JSON.parse(await hox(root, "status", "--json")) as { run: { id: string; paused: string } },
      ),
    );
    expect([inFolderA?.run, inFolderB?.run]).toMatchObject([
      { id: inA, paused: "no" },
      { id: inB, paused: "paused" },
    ]);
  });

  // The first one comes to its end meanwhile.
  await second.about(a).inbox.answer(answerTo(question, { kind: "answer", text: "Call it so." }));
  await first.stands(a, ({ waiting }) => waiting.some(({ title }) => title === "Result"));
  const [land] = await inbox(second, a);
  if (!land) throw new Error("Nothing waits to be landed.");
  await second.about(a).inbox.answer(answerTo(land, { kind: "approve", bookmark: "main" }));
  await first.stands(a, ({ runs }) => runs[0]?.stage === "complete");
  expect(await repos[0].terminal(["file", "show", "-r", "main", "src/store.txt"])).toBe("the store");

  // Nothing of it came into the window that shows the other.
  const heard = first.seen.slice(left).map(({ event }) => event);
  expect(heard.flatMap((event) => (event.kind === "run" ? [event.run.id] : []))).not.toContain(inA);
  expect(heard.flatMap((event) => (event.kind === "inbox" ? event.items : []))).toEqual(
    expect.not.arrayContaining([expect.objectContaining({ run: inA })]),
  );
  const ofGraph = heard.filter(({ kind }) => kind.startsWith("graph-") || kind === "conversation");
  expect(JSON.stringify(ofGraph)).not.toContain("store");

  // Where nothing goes on and nobody looks it is closed; what is paused stays, until a user closes it.
  await second.about(a).repository.open({ path: b });
  await second.until("snapshot", (event) => event.repository?.view.path === b);
  await first.until("open-repositories", ({ repositories }) => repositories.length === 1);
  expect([a, b].map((root) => isLocked(repositoryStateFolder(state, root)))).toEqual([false, true]);
  await first.about(null).repository.close({ path: b });
  for (const window of [first, second])
    await window.until("repository", (event) => event.repository === null);
  const { app } = await (await openWindow()).until("snapshot");
  expect(app.recent).toMatchObject([
    { path: b, unfinished: { goal: "Write the view" } },
    { path: a, unfinished: null },
  ]);
});
