import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { MessageChannel } from "node:worker_threads";
import { createORPCClient } from "@orpc/client";
import { RPCLink as PortLink } from "@orpc/client/message-port";
import { RPCLink as SocketLink } from "@orpc/client/websocket";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { fillingLink, type HoxClient } from "#shared/contract/contract.ts";
import type { HostEvent, NumberedEvent } from "#shared/contract/events.ts";
import { socketPath, socketProtocols, tokenOf } from "#shared/contract/loopback.ts";
import { toolPath } from "../config/tools.ts";
import { createHost } from "../host.ts";
import type { Host } from "../host-interface.ts";
import { createTestRepository, type TestRepository } from "../jj/testing/create-test-repository.ts";
import { attachPort } from "./serve-line.ts";
import { type LoopbackServer, serveLoopback } from "./web-socket.ts";

type Event<K extends HostEvent["kind"]> = Extract<HostEvent, { kind: K }>;

interface Line {
  readonly client: HoxClient;
  close(): void;
}

const clientOn = (link: Parameters<typeof createORPCClient>[0], show: () => string | null): HoxClient =>
  createORPCClient(fillingLink(link, () => ({ repository: show(), run: "none" })) as typeof link);

const transports = {
  "message port": async (host: Host, show: () => string | null): Promise<Line> => {
    const { port1, port2 } = new MessageChannel();
    attachPort(host, port1);
    port2.start();
    const client = clientOn(new PortLink({ port: port2 }), show);
    return { client, close: () => port2.close() };
  },
  "web socket": async (_: Host, show: () => string | null, server: LoopbackServer): Promise<Line> => {
    const origin = `http://127.0.0.1:${server.port}`;
    const answer = await fetch(`${origin}/session`, {
      method: "POST",
      headers: { origin, "content-type": "application/json" },
      body: JSON.stringify({ token: tokenOf(new URL(server.address()).hash) }),
    });
    const { session } = (await answer.json()) as { session: string };
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}${socketPath}`, socketProtocols(session), {
      origin,
    });
    const client = clientOn(new SocketLink({ websocket: socket as unknown as globalThis.WebSocket }), show);
    return { client, close: () => socket.terminate() };
  },
};

/** Reads the stream until an event fits; what came before it is kept in `seen`. */
class Watcher {
  readonly seen: NumberedEvent[] = [];
  readonly #stream: AsyncIterator<NumberedEvent>;
  constructor(stream: AsyncIterator<NumberedEvent>) {
    this.#stream = stream;
  }
  async until<K extends HostEvent["kind"]>(
    kind: K,
    fits: (event: Event<K>) => boolean = () => true,
  ): Promise<Event<K>> {
    for (;;) {
      const next = await this.#stream.next();
      if (next.done)
        throw new Error(`The stream ended before ${kind}; seen: ${this.seen.map((one) => one.event.kind)}`);
      this.seen.push(next.value);
      const { event } = next.value;
      if (event.kind === kind && fits(event as Event<K>)) return event as Event<K>;
    }
  }
}

describe.each(Object.keys(transports) as (keyof typeof transports)[])("over a %s", (transport) => {
  let folder: string;
  let files: string;
  let state: string;
  let host: Host;
  let server: LoopbackServer;
  let line: Line;
  let repository: TestRepository;
  let root: string;

  const watch = async (since: number | null = null): Promise<Watcher> =>
    new Watcher((await line.client.watch({ since }))[Symbol.asyncIterator]());

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hox-both-"));
    files = join(folder, "renderer");
    state = join(folder, "state");
    await mkdir(files);
    repository = await createTestRepository({ isUnique: true });
    ({ root } = repository.repository);
    host = await createHost({ shell: "browser", version: "1.2.3", stateFolder: state });
    server = await serveLoopback(host, { files });
    line = await transports[transport](host, () => root, server);
  });

  afterAll(async () => {
    line.close();
    await server.close();
    await host.close();
    await repository.remove();
    await rm(folder, { recursive: true, force: true });
  });

  test("the stream begins with the whole state", async () => {
    const { app, repository: open } = await (await watch()).until("snapshot");
    expect(app).toMatchObject({
      version: "1.2.3",
      shell: "browser",
      nativeDialog: false,
    });
    expect(open).toBeNull();
  });

  test("a command without an open repository answers NOT_OPEN with a remedy", async () => {
    await expect(line.client.graph.filter({ revset: "@" })).rejects.toMatchObject({
      code: "NOT_OPEN",
      data: { remedy: expect.any(String) },
    });
    await expect(line.client.run.pause()).rejects.toMatchObject({ code: "NOT_OPEN" });
  });

  test("folders that cannot be opened are told apart, each with a remedy", async () => {
    const bare = join(folder, "bare.git");
    const plain = join(folder, "plain");
    const broken = join(folder, "broken");
    await promisify(execFile)(toolPath("git"), ["init", "--quiet", "--bare", bare]);
    await mkdir(plain);
    await mkdir(join(broken, ".jj"), { recursive: true });
    for (const [path, kind] of [
      [bare, "bare"],
      [join(folder, "nowhere"), "missing"],
      [broken, "broken"],
    ] as const) {
      expect(await line.client.folder.inspect({ path })).toMatchObject({
        kind,
        remedy: expect.stringMatching(/\w/u),
      });
      await expect(line.client.repository.open({ path })).rejects.toMatchObject({
        code: "REFUSED",
        message: expect.stringMatching(/\w/u),
        data: { remedy: expect.stringMatching(/\w/u) },
      });
    }
    expect(await line.client.folder.inspect({ path: plain })).toMatchObject({ kind: "plain" });
    await expect(line.client.repository.open({ path: plain })).rejects.toMatchObject({ code: "REFUSED" });
    await expect(line.client.folder.inspect({ path: "relative" })).rejects.toMatchObject({ code: "REFUSED" });
  });

  test("opening streams the graph, and follows a jj command in a terminal", async () => {
    const watcher = await watch();
    await watcher.until("snapshot");
    await line.client.repository.open({ path: root });
    const opened = await watcher.until("repository");
    expect(opened.repository?.view).toMatchObject({ name: "repo", rehearsal: null });
    const part = await watcher.until("graph-part");
    expect([part.first, part.last]).toEqual([true, true]);
    expect(part.changes.map((change) => change.description)).toContain("first\n");

    await repository.terminal(["describe", "-m", "from a terminal"]);
    const { delta } = await watcher.until("graph-delta", (event) =>
      event.delta.added.some((change) => change.description === "from a terminal\n"),
    );
    expect(delta.removed).toHaveLength(1);
    // What jj recorded of the files before it may be told first, and the list may have been read late.
    const isListed = ({ newer }: Event<"operations">): boolean =>
      newer.some(({ id }) => id === delta.operation);
    const [before] = watcher.seen.flatMap(({ event }) =>
      event.kind === "operations" && isListed(event) ? [event] : [],
    );
    const { newer } = before ?? (await watcher.until("operations", isListed));
    expect(newer.find(({ id }) => id === delta.operation)).toMatchObject({ actor: "terminal" });
    const { app } = await (await watch()).until("snapshot");
    expect(app.recent[0]).toMatchObject({ path: repository.repository.root, exists: true });
  });

  test("a later client sees the same graph, and a reconnected one only what it missed", async () => {
    const late = await watch();
    await late.until("snapshot");
    const part = await late.until("graph-part", (event) => event.last);
    expect(part.changes.map((change) => change.description)).toContain("from a terminal\n");
    const { seq } = late.seen.at(-1) as NumberedEvent;
    await repository.terminal(["new", "-m", "while it was cut"]);
    const again = await watch(seq);
    await again.until("graph-delta", (event) =>
      event.delta.added.some((change) => change.description === "while it was cut\n"),
    );
    expect(again.seen.some(({ event }) => event.kind === "snapshot" || event.kind === "graph-part")).toBe(
      false,
    );
  });

  test("details and diff of a commit", async () => {
    await repository.write("added.txt", "one line\n");
    await repository.terminal(["describe", "-m", "with a file\n\nHox-Priority: sometime"]);
    const { commits } = await line.client.graph.filter({ revset: "@" });
    const commitId = commits[0] ?? "";
    const details = await line.client.change.details({ commitId });
    expect(details.files).toEqual([{ path: "added.txt", kind: "added" }]);
    expect(details.conflicts).toEqual([]);
    expect(details.problems).toEqual([expect.stringContaining("Hox-Priority: sometime")]);
    expect((await line.client.change.diff({ commitId })).diff).toContain("+one line");
    expect((await line.client.change.diff({ commitId, paths: ["readme.md"] })).diff).toBe("");
    await expect(line.client.change.details({ commitId: "0123456789abcdef" })).rejects.toMatchObject({
      code: "REFUSED",
    });
  });

  test("the filter translates Hox's functions and locates an error", async () => {
    await repository.terminal(["describe", "-m", "urgent\n\nHox-Priority: high"]);
    const { commits } = await line.client.graph.filter({ revset: "priority(high) & mutable()" });
    expect(commits).toHaveLength(1);
    await expect(line.client.graph.filter({ revset: "mine() & priority(urgent)" })).rejects.toMatchObject({
      code: "REFUSED",
      data: { start: "mine() & priority(".length, end: "mine() & priority(urgent".length },
    });
    await expect(line.client.graph.filter({ revset: "nothing_like_it()" })).rejects.toMatchObject({
      code: "REFUSED",
    });
  });

  test("a drop is previewed without being published", async () => {
    await repository.terminal(["new", "root()", "-m", "elsewhere"]);
    const [[elsewhere], [first]] = await Promise.all([
      repository.repository.query('description("elsewhere*")'),
      repository.repository.query('description("first*")'),
    ]);
    const before = await repository.repository.currentOperation();
    const preview = await line.client.change.previewRebase({
      changeId: elsewhere?.changeId ?? "",
      onto: first?.changeId ?? "",
    });
    expect(preview.changes).toMatchObject([{ changeId: elsewhere?.changeId, parents: [first?.commitId] }]);
    expect([preview.newConflicts, preview.resolvedConflicts]).toEqual([[], []]);
    expect(await repository.repository.currentOperation()).toBe(before);
  });

  test("input is checked: wrong shapes get a typed answer", async () => {
    const fuzz = line.client as unknown as Record<
      string,
      Record<string, (input: unknown) => Promise<unknown>>
    >;
    for (const input of [
      undefined,
      null,
      1,
      "x",
      [],
      { path: 1 },
      { path: "" },
      { path: "/x", more: 1 },
      { path: "x".repeat(5000) },
    ]) {
      await expect(fuzz.repository?.open?.(input)).rejects.toMatchObject({ code: "BAD_REQUEST" });
    }
    await expect(fuzz.change?.diff?.({ commitId: "--config=x" })).rejects.toMatchObject({
      code: "BAD_REQUEST",
    });
    await expect(fuzz.run?.pause?.({ repository: root, run: undefined })).rejects.toMatchObject({
      code: "BAD_REQUEST",
      data: { issues: [{ message: "The command does not say which run it is for." }] },
    });
    await expect(fuzz.change?.nothing?.({})).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("a setting is written at once and sent to all; an invalid one is refused", async () => {
    const watcher = await watch();
    await watcher.until("snapshot");
    await line.client.settings.change({ theme: "dark", maxParallelAgents: 2 });
    const { app } = await watcher.until("app", (event) => event.app.settings.theme === "dark");
    expect(app.settings.maxParallelAgents).toBe(2);
    expect(JSON.parse(await readFile(join(state, "settings.json"), "utf8"))).toMatchObject({ theme: "dark" });
    await expect(line.client.settings.change({ maxParallelAgents: 0 })).rejects.toMatchObject({
      code: "BAD_REQUEST",
    });
  });

  test("the key is write-only", async () => {
    const watcher = await watch();
    await watcher.until("snapshot");
    await line.client.settings.setKey({ key: "sk-test-not-a-real-key-9876" });
    const { app } = await watcher.until("app", (event) => event.app.key.source === "session");
    expect(app.key.hint).toBe("9876");
    expect(JSON.stringify(watcher.seen)).not.toContain("not-a-real-key");
    await line.client.settings.clearKey();
    expect((await watcher.until("app", (event) => event.app.key.source === "none")).app.key.hint).toBeNull();
  });

  test("a Git repository becomes a jj repository only on request, and keeps its files", async () => {
    const path = join(folder, "with-git");
    const git = (...args: string[]) => promisify(execFile)(toolPath("git"), args, { cwd: path });
    await mkdir(path);
    await git("init", "--quiet", "-b", "main");
    await writeFile(join(path, "file.txt"), "kept\n");
    await git("add", ".");
    await git("-c", "user.name=T", "-c", "user.email=t@example.org", "commit", "--quiet", "-m", "before");
    await expect(line.client.repository.open({ path })).rejects.toMatchObject({ code: "REFUSED" });
    expect(await line.client.folder.inspect({ path })).toMatchObject({ kind: "git", canAdopt: true });
    const watcher = await watch();
    await line.client.repository.adopt({ path });
    const part = await watcher.until("graph-part", (event) =>
      event.changes.some((one) => one.description === "before\n"),
    );
    expect(part.refs.bookmarks).toHaveProperty("main");
    expect(await readFile(join(path, "file.txt"), "utf8")).toBe("kept\n");
    await line.client.repository.close({ path });
    await watcher.until("repository", (event) => event.repository === null);
  });
});

test("with two hosts on one repository the second is read-only and names the first", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hox-two-"));
  const repository = await createTestRepository({ isUnique: true });
  const { root } = repository.repository;
  const hosts = await Promise.all(
    [1, 2].map(() => createHost({ shell: "browser", version: "0", stateFolder: folder })),
  );
  try {
    const [first, second] = await Promise.all(
      hosts.map((host) => transports["message port"](host, () => root)),
    );
    if (!first || !second) throw new Error("two lines were wanted");
    await first.client.repository.open({ path: root });
    const watcher = new Watcher((await second.client.watch({ since: null }))[Symbol.asyncIterator]());
    await second.client.repository.open({ path: root });
    await watcher.until("graph-part", (event) => event.last);
    // Also for a window that comes later.
    const late = new Watcher((await second.client.watch({ since: null }))[Symbol.asyncIterator]());
    const snapshot = await late.until("snapshot");
    expect(snapshot.repository?.view.lockedBy).toContain(`process ${process.pid}`);
    await expect(second.client.run.pause()).rejects.toMatchObject({ code: "REFUSED" });
    await first.client.repository.close({ path: root });
    await second.client.repository.close({ path: root });
    await second.client.repository.open({ path: root });
    const change = (await repository.repository.query("@"))[0];
    await second.client.change.describe({ changeId: change?.changeId ?? "", description: "now it may" });
    first.close();
    second.close();
  } finally {
    await Promise.all(hosts.map((host) => host.close()));
    await repository.remove();
    await rm(folder, { recursive: true, force: true });
  }
});
