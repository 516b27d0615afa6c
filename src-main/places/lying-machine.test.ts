import { randomBytes } from "node:crypto";
import { lstat, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createServer as createSocketServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { call, implement, ORPCError } from "@orpc/server";
import { RPCHandler } from "@orpc/server/ws";
import { expect, onTestFinished, test, vi } from "vitest";
import { WebSocket } from "ws";
import { installScriptedAgent } from "../engine/testing/installed-agent.ts";
import { createTravel } from "../engine/workspaces/travelling-files.ts";
import type { RunnerEvent } from "../external-agents/runner/runner-protocol.ts";
import { attachRunner } from "../external-agents/runner-link.ts";
import { socketsIn } from "../external-agents/start-runner.ts";
import { eventually } from "../testing/kit.ts";
import { openWorkerDoor } from "../transport/worker-door.ts";
import { createConnectedMachines } from "./host/connected-machines.ts";
import { MachineGone } from "./host/machine-link.ts";
import { FilesRefused } from "./host/receive-files.ts";
import type { RemotePlace } from "./host/remote-place.ts";
import { hostAddress, machinesPath } from "./machine/host-request.ts";
import { createMachine } from "./machine/machine.ts";
import { machineContract, machineProtocol } from "./machine-contract.ts";
import { openPlaces, placeId } from "./places-database.ts";
import { blobId, emptyTree, makeObjectStore, startFrom } from "./trees.ts";

const host = implement(machineContract);
type Router = Awaited<ReturnType<typeof createMachine>>["router"];

/** A place on a machine that is sound but for what `lie` replaces, and the host's folder of the same files. */
async function openPlace(
  lie: (sound: Router) => Partial<Router> = () => ({}),
  options: { readonly protocol?: number } = {},
) {
  const folder = await mkdtemp(join(tmpdir(), "hox-lying-"));
  const database = openPlaces(join(folder, "workers.sqlite"), () => Date.now());
  const { machines, places } = database;
  const connected = createConnectedMachines({ places, machines });
  const door = await openWorkerDoor({ connected, machines }, 0);
  const machine = await createMachine({
    folder: join(folder, "machine"),
    name: "box",
    labels: ["test"],
    capacity: 2,
    ...options,
  });
  const enrolled = machines.enrol(machines.invite(), "box");
  const authorization = `Worker ${enrolled?.id}:${enrolled?.key}`;
  const socket = new WebSocket(hostAddress(`ws://127.0.0.1:${door.port}`), { headers: { authorization } });
  const handler = new RPCHandler(host.router({ ...machine.router, ...lie(machine.router) } as Router));
  socket.on("open", () => void handler.upgrade(socket));
  onTestFinished(async () => {
    socket.terminate();
    await machine.close();
    await door.close();
    database.close();
    await rm(folder, { recursive: true, force: true });
  });
  const files = join(folder, "files");
  await mkdir(files);
  await writeFile(join(files, "a.txt"), "first\n");
  const store = await makeObjectStore(join(folder, "objects.git"), { exclude: "" });
  const local = { ...store, folder: files, index: join(folder, "index") };
  await startFrom(local, emptyTree);
  const owner = { repository: "/repo", run: "r", worker: "agent-1" };
  while (machines.all()[0]?.heardAt == null) await new Promise((resolve) => setTimeout(resolve, 10));
  const take = async (worker = owner.worker): Promise<RemotePlace> => {
    const taken = await connected.take({
      ...{ ...owner, worker, label: "test", agent: null, priority: 0, local, root: "/repo", exclude: "" },
      unreachable: () => undefined,
      failed: () => undefined,
      hosts: [],
      protectedFiles: [],
    });
    if (taken === null) throw new Error("There is no place.");
    return taken;
  };
  const place = await take();
  const run = (command: string) => place.run({ ...quietly, command });
  return {
    folder,
    files,
    machines,
    places,
    connected,
    owner,
    place,
    take,
    run,
    socket,
    read: (path: string) => readFile(join(files, path), "utf8"),
  };
}

const rules = { protectedFiles: [] };
const quietly = { environment: {}, timeoutMs: 20_000, signal: new AbortController().signal };
const refusalOf = async (pulled: Promise<unknown>): Promise<FilesRefused> => {
  const error = await pulled.then(
    () => null,
    (failure: unknown) => failure,
  );
  if (!(error instanceof FilesRefused)) throw new Error(`Not refused: ${error}`);
  return error;
};
/** A machine that says this of its files, and has these contents. */
const saying =
  (
    files: readonly {
      path: string;
      mode: string | null;
      content: Buffer | null;
      bytes?: number;
      oid?: string;
    }[],
    tree?: string,
  ) =>
  (sound: Router): Partial<Router> => ({
    changes: host.changes.handler(async () => ({
      tree: tree ?? "c".repeat(40),
      files: files.map(({ path, mode, content, bytes, oid }) => ({
        ...{ path, mode },
        oid: content === null ? null : (oid ?? blobId(content)),
        bytes: bytes ?? content?.length ?? 0,
      })),
      contents: [],
    })),
    contents: host.contents.handler(async ({ input }) =>
      input.oids.map((asked) => ({
        oid: asked,
        data:
          files
            .find(({ content, oid }) => content !== null && (oid ?? blobId(content)) === asked)
            ?.content?.toString("base64") ?? "",
      })),
    ),
    hold: sound.hold,
  });

test("a sound machine's files, commands and changes arrive as they are", async () => {
  const { place, run, read, files } = await openPlace();
  expect((await place.files(rules).readText("a.txt")).text).toBe("first\n");
  await place.files(rules).writeText("src/b.txt", "second\n");
  expect(
    await run("cat a.txt src/b.txt; chmod +x a.txt; ln -s a.txt link; mkdir -p x/.jj && touch x/.jj/y"),
  ).toMatchObject({
    outcome: "exited",
    exitCode: 0,
    output: "first\nsecond\n",
  });
  expect(await place.pull()).toBe(true);
  expect(await place.pull()).toBe(false);
  expect(await read("src/b.txt")).toBe("second\n");
  expect(await read("link")).toBe("first\n");
  expect((await lstat(join(files, "a.txt"))).mode & 0o111).not.toBe(0);
  await expect(lstat(join(files, "x"))).rejects.toMatchObject({ code: "ENOENT" });
  await run(
    "rm -r src link && mkdir link && echo inside > link/c.txt && git init -q nested && touch nested/d.txt",
  );
  await place.pull();
  await expect(lstat(join(files, "src"))).rejects.toMatchObject({ code: "ENOENT" });
  expect(await read("link/c.txt")).toBe("inside\n");
  await writeFile(join(files, "a.txt"), "from the host\n");
  await place.push();
  expect((await run("cat a.txt link/c.txt")).output).toBe("from the host\ninside\n");
});

test("what set-up commands made is taken over by a place with the same files, and serves one with others", async () => {
  const { folder, place, run, take, files, connected, places, owner } = await openPlace();
  const begun = places.of(owner)?.tree ?? "";
  let works = 0;
  /** As package managers do: they keep what is there. */
  const setUp = async (at: RemotePlace, isSound: boolean, tree?: string) => {
    const work = async () => {
      works += 1;
      const command = `mkdir -p made && echo '*' > made/.gitignore; for in in made "$HOME"; do test -e "$in/by" || echo ${works} > "$in/by"; done`;
      expect((await at.run({ ...quietly, command })).exitCode).toBe(0);
      return isSound;
    };
    await at.setUp(["make"], work, tree === undefined ? undefined : { tree, folders: ["made", "out/made"] });
    return (await at.run({ ...quietly, command: 'cat made/by "$HOME/by" a.txt' })).output;
  };
  expect(await setUp(place, true)).toBe("1\n1\nfirst\n");
  await run("echo agent > made/by");
  const second = await take("agent-2");
  expect(await setUp(second, true)).toBe("1\n1\nfirst\n");
  expect(await second.pull()).toBe(false);
  expect(works).toBe(1);
  await connected.release({ ...owner, worker: "agent-2" });
  await writeFile(join(files, "a.txt"), "other\n");
  expect(await setUp(await take("agent-3"), false)).toBe("2\n2\nother\n");
  await connected.release({ ...owner, worker: "agent-3" });
  // What failed is not kept.
  expect(await setUp(await take("agent-4"), true, begun)).toBe("1\n1\nother\n");
  expect(works).toBe(3);
  await connected.release({ ...owner, worker: "agent-4" });
  // A folder that is reached through a link is no folder of the place.
  await mkdir(join(folder, "elsewhere", "made"), { recursive: true });
  await writeFile(join(folder, "elsewhere", "made", "secret"), "secret\n");
  await symlink(join(folder, "elsewhere"), join(files, "out"));
  await setUp(await take("agent-5"), true);
  const linked = places.of({ ...owner, worker: "agent-5" })?.tree ?? "";
  await connected.release({ ...owner, worker: "agent-5" });
  await rm(join(files, "out"));
  await mkdir(join(files, "out"));
  await writeFile(join(files, "out", "b.txt"), "b\n");
  const last = await take("agent-6");
  await setUp(last, true, linked);
  expect((await last.run({ ...quietly, command: "ls out" })).output).toBe("b.txt\n");
});

test("a machine without a sandbox, or of another version, gets no place", async () => {
  const unsandboxed = (): Partial<Router> => ({
    about: host.about.handler(async () => ({
      ...{ name: "box", labels: ["test"], capacity: 2, protocol: machineProtocol },
      isolation: { kind: "none", summary: "none" },
    })),
  });
  await expect(openPlace(unsandboxed)).rejects.toThrow("There is no place.");
  await expect(openPlace(undefined, { protocol: machineProtocol + 1 })).rejects.toThrow("There is no place.");
});

test("a link that leads out is refused, also where a command made it", async () => {
  const { place, run, files } = await openPlace();
  await run("ln -s /etc/passwd out");
  expect(await refusalOf(place.pull())).toMatchObject({
    message: expect.stringContaining("the link out leads out"),
    isFaultOfMachine: false,
  });
  await expect(lstat(join(files, "out"))).rejects.toMatchObject({ code: "ENOENT" });
});

test.each([
  ["a file of 17 MB", "truncate -s 17000000 b.txt", "b.txt has 17000000 bytes"],
  ["a name with a backslash", "touch b.txt 'a\\b'", "has a backslash"],
])("%s that a command made is refused, and is no fault of the machine", async (_, command, message) => {
  const { place, run, files } = await openPlace();
  await run(command);
  expect(await refusalOf(place.pull())).toMatchObject({
    message: expect.stringContaining(message),
    isFaultOfMachine: false,
  });
  await expect(lstat(join(files, "b.txt"))).rejects.toMatchObject({ code: "ENOENT" });
});

test.each([
  [
    "a hook of Git's",
    saying([{ path: ".git/hooks/pre-commit", mode: "100755", content: Buffer.from("x") }]),
    "belongs to a repository",
  ],
  [
    "a path that leads out",
    saying([{ path: "../../x", mode: "100644", content: Buffer.from("x") }]),
    "leads out",
  ],
  [
    "a nested repository",
    saying([{ path: "sub", mode: "160000", content: Buffer.from("x") }]),
    "neither a file nor a link",
  ],
  [
    "another tree than its files are",
    saying([{ path: "b.txt", mode: "100644", content: Buffer.from("x") }]),
    "are the tree",
  ],
  [
    "another content than its id says",
    saying([{ path: "b.txt", mode: "100644", content: Buffer.from("x"), oid: "d".repeat(40) }]),
    "not what its id says",
  ],
  [
    "more bytes than it announced",
    saying([{ path: "b.txt", mode: "100644", content: Buffer.alloc(3_000_000), bytes: 10 }]),
    "not what its id says",
  ],
  [
    "a file of another repository, by its id alone",
    saying([
      {
        path: "b.txt",
        mode: "100644",
        content: Buffer.from(""),
        oid: blobId(Buffer.from("secret\n")),
        bytes: 7,
      },
    ]),
    "not what its id says",
  ],
])("a machine that sends %s is refused, and nothing is written", async (_, lie, message) => {
  const { place, files } = await openPlace(lie);
  expect(await refusalOf(place.pull())).toMatchObject({
    message: expect.stringContaining(message),
    isFaultOfMachine: true,
  });
  await expect(lstat(join(files, "b.txt"))).rejects.toMatchObject({ code: "ENOENT" });
  await expect(lstat(join(files, ".git"))).rejects.toMatchObject({ code: "ENOENT" });
});

test("files of an earlier epoch are refused, and nothing of them is written", async () => {
  const { place, places, connected, owner, files } = await openPlace();
  await place.files(rules).writeText("b.txt", "late\n");
  await connected.release(owner);
  expect((await refusalOf(place.pull())).message).toContain("granted again");
  await expect(lstat(join(files, "b.txt"))).rejects.toMatchObject({ code: "ENOENT" });
  expect(places.of(owner)).toMatchObject({ epoch: 2, machine: null });
});

test("work that arrived is kept where the host ends as soon as it counts", async () => {
  const { place, take, places, read } = await openPlace();
  await place.files(rules).writeText("b.txt", "second\n");
  const accepting = vi.spyOn(places, "acceptTree");
  accepting.mockImplementationOnce((...given) => {
    accepting.mockRestore();
    places.acceptTree(...given);
    throw new Error("The host has ended.");
  });
  await expect(place.pull()).rejects.toThrow("The host has ended.");
  const continued = await take();
  expect(continued.epoch).toBe(place.epoch);
  expect(await read("b.txt")).toBe("second\n");
  expect((await continued.files(rules).readText("b.txt")).text).toBe("second\n");
});

/** Takes the place anew in a host that ends while it sends the files, and so does nothing about it. */
async function endWhileSending({ take, places }: Awaited<ReturnType<typeof openPlace>>): Promise<void> {
  const releasing = vi.spyOn(places, "release").mockImplementation(() => undefined);
  const sending = vi.spyOn(places, "acceptTree").mockImplementation(() => {
    throw new Error("The host has ended.");
  });
  await expect(take()).rejects.toThrow("There is no place.");
  releasing.mockRestore();
  sending.mockRestore();
}

test("a place that the host had no time to fill takes no file from the host", async () => {
  let isFilled = true;
  const opened = await openPlace((sound) => ({
    checkOut: host.checkOut.handler(async ({ input }) => {
      if (isFilled) await call(sound.checkOut, input);
    }),
  }));
  const { place, connected, owner, take, read } = opened;
  await place.files(rules).writeText("b.txt", "second\n");
  await place.pull();
  await connected.release(owner);
  isFilled = false;
  await endWhileSending(opened);
  isFilled = true;
  const continued = await take();
  expect(await read("a.txt")).toBe("first\n");
  expect(await read("b.txt")).toBe("second\n");
  expect((await continued.files(rules).readText("b.txt")).text).toBe("second\n");
});

test("what the host changes after it ended while it sent files is kept", async () => {
  const opened = await openPlace();
  const { place, files, take, read } = opened;
  await writeFile(join(files, "a.txt"), "second\n");
  await endWhileSending(opened);
  await writeFile(join(files, "a.txt"), "third\n");
  const continued = await take();
  expect(continued.epoch).toBe(place.epoch);
  expect(await read("a.txt")).toBe("third\n");
  expect((await continued.files(rules).readText("a.txt")).text).toBe("third\n");
});

test("of what machine and host changed while they were apart, both count, and the host's where they contradict each other", async () => {
  const { place, files, take, read } = await openPlace();
  const lines = ["one", "two", "three", "four", "five", ""];
  const withLine = (at: number, line: string): string => lines.with(at, line).join("\n");
  const there = place.files(rules);
  for (const name of ["b.txt", "c.txt", "d.txt"]) await there.writeText(name, lines.join("\n"));
  await place.pull();
  await there.writeText("b.txt", withLine(0, "of the agent"));
  await there.writeText("c.txt", withLine(2, "of the agent"));
  await there.remove("d.txt");
  await there.writeText("e.txt", "new\n");
  await writeFile(join(files, "b.txt"), withLine(4, "of the trunk"));
  await writeFile(join(files, "c.txt"), withLine(2, "of the trunk"));
  await writeFile(join(files, "d.txt"), withLine(0, "of the trunk"));
  const continued = await take();
  expect(continued.epoch).toBe(place.epoch);
  const merged = lines.with(0, "of the agent").with(4, "of the trunk").join("\n");
  const expected = {
    "b.txt": merged,
    "c.txt": withLine(2, "of the trunk"),
    "d.txt": withLine(0, "of the trunk"),
  };
  for (const [name, text] of Object.entries({ ...expected, "e.txt": "new\n" })) {
    expect(await read(name), name).toBe(text);
    expect((await continued.files(rules).readText(name)).text, name).toBe(text);
  }
  expect(continued.leftOut).toEqual(["c.txt", "d.txt"]);
});

test("what a call wrote is brought without another question, and what a command wrote meanwhile is asked for", async () => {
  const asked: string[] = [];
  const { place, run, read } = await openPlace((sound) => ({
    changes: host.changes.handler(({ input }) => {
      asked.push("changes");
      return call(sound.changes, input);
    }),
    contents: host.contents.handler(({ input }) => {
      asked.push("contents");
      return call(sound.contents, input);
    }),
  }));
  await place.files(rules).writeText("b.txt", "second\n");
  expect(await place.pull()).toBe(true);
  expect(await read("b.txt")).toBe("second\n");
  expect(asked).toEqual([]);
  await place.files(rules).writeText("c.txt", "third\n");
  await run("echo fourth > d.txt");
  expect(await place.pull()).toBe(true);
  expect([await read("c.txt"), await read("d.txt")]).toEqual(["third\n", "fourth\n"]);
  expect(asked).toEqual(["changes"]);
  await Promise.all([
    place.files(rules).writeText("e.txt", "fifth\n"),
    place.files(rules).writeText("f.txt", "sixth\n"),
  ]);
  while (await place.pull());
  expect([await read("e.txt"), await read("f.txt")]).toEqual(["fifth\n", "sixth\n"]);
  // Too much to come along.
  await place.files(rules).writeText("g.txt", "x".repeat(300_000));
  expect(await place.pull()).toBe(true);
  expect(await read("g.txt")).toHaveLength(300_000);
  expect(asked.at(-1)).toBe("contents");
});

test("nothing is written of files for which there is no time", async () => {
  const { place, files, read } = await openPlace();
  await place.files(rules).writeText("b.txt", "second\n");
  expect(await place.pull(() => false)).toBe(false);
  await expect(lstat(join(files, "b.txt"))).rejects.toMatchObject({ code: "ENOENT" });
  expect(await place.pull()).toBe(true);
  expect(await read("b.txt")).toBe("second\n");
});

/** An agent whose files travel; its machine fails from `breakIt` on. */
async function openTravel() {
  let isBroken = false;
  const opened = await openPlace((sound) => ({
    changes: host.changes.handler(({ input }) => {
      if (isBroken) throw new ORPCError("INTERNAL_SERVER_ERROR", { message: "No space left on device" });
      return call(sound.changes, input);
    }),
    write: host.write.handler(async function* ({ input }) {
      for await (const event of await call(sound.write, input))
        if (!isBroken || "outcome" in event) yield event;
    }),
  }));
  const { take, connected, owner } = opened;
  const notices: string[] = [];
  let takes = 0;
  const travel = createTravel({
    async take() {
      takes += 1;
      return take();
    },
    release: () => connected.release(owner),
    setUp: async () => undefined,
    refused: () => undefined,
    notice: (text) => void notices.push(text),
    isClosing: () => false,
  });
  await travel.settle();
  const write = (path: string): Promise<unknown> =>
    travel.use(
      `write of ${path}`,
      (place) => place.files(rules).writeText(path, "text\n"),
      () => Promise.resolve(null),
    );
  return {
    ...{ ...opened, travel, notices, write },
    takes: () => takes,
    breakIt: () => {
      isBroken = true;
    },
  };
}

test("an agent hears why its machine failed, and works on the host after the second time", async () => {
  const { travel, notices, write, takes, breakIt } = await openTravel();
  breakIt();
  await write("b.txt");
  await travel.bring();
  expect(notices[0]).toContain("Worker box, where your files were, failed: No space left on device.");
  expect(travel.takeLoss()).toContain("write of b.txt");
  await write("c.txt");
  await travel.bring();
  expect(notices[1]).toContain("you work on the host now");
  expect(travel.place()).toBeNull();
  expect(await travel.settle()).toBe(false);
  expect(takes()).toBe(2);
});

test("an agent that leaves a machine which fails takes no other place", async () => {
  const { travel, notices, write, takes, breakIt, places } = await openTravel();
  await write("b.txt");
  await travel.bring();
  const { promise, resolve } = Promise.withResolvers<void>();
  const slow = travel.use(
    "a slow call",
    () => promise,
    () => promise,
  );
  breakIt();
  await travel.comeHome();
  resolve();
  await slow;
  expect(notices).toMatchObject([
    expect.stringContaining("as of write of b.txt, and you work on the host now"),
  ]);
  expect(takes()).toBe(1);
  expect(places.held()).toEqual([]);
});

test("the next life of a host renews the lease of a place that it continues", async () => {
  const { places, owner, take } = await openPlace();
  const { epoch = 0, expiresAt = 0 } = places.of(owner) ?? {};
  await take();
  expect(places.of(owner)?.epoch).toBe(epoch);
  expect(places.of(owner)?.expiresAt).toBeGreaterThan(expiresAt);
});

test("what an earlier life of the host had of a run is freed when the run is over", async () => {
  const { places, machines, owner, place } = await openPlace();
  places.grant({ ...owner, run: "other" }, place.machineId);
  const later = createConnectedMachines({ places, machines });
  await later.releaseLeft({ repository: owner.repository, run: owner.run });
  expect(places.held().map(({ run }) => run)).toEqual(["other"]);
});

test("a machine that is no longer connected is drained, too", async () => {
  const { place, connected, socket, machines } = await openPlace();
  socket.terminate();
  await expect(place.files(rules).readText("a.txt")).rejects.toBeInstanceOf(MachineGone);
  await connected.distrust(place.machineId);
  expect(machines.all()).toMatchObject([{ state: "draining" }]);
});

test("a machine that sends a message beyond every limit is cut off", async () => {
  const { place, socket } = await openPlace();
  socket.send(randomBytes(13_000_000).toString("hex"));
  await expect(place.files(rules).readText("a.txt")).rejects.toBeInstanceOf(MachineGone);
});

test("a machine that never ends a command has failed once its time limit has passed", async () => {
  const { run } = await openPlace(() => ({
    run: host.run.handler(async function* ({ signal }) {
      yield { output: "working\n" };
      await new Promise((resolve) => signal?.addEventListener("abort", resolve));
    }),
  }));
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const ended = run("true").then(String, String);
  await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(0));
  await vi.advanceTimersByTimeAsync(90_000);
  expect(await ended).toContain("did not end a command at its time limit");
});

test("a page of a browser, a wrong key and a plain address of another machine are refused", async () => {
  const { socket } = await openPlace();
  const address = socket.url;
  const statusOf = (headers: Readonly<Record<string, string>>) =>
    new Promise((resolve) => {
      const other = new WebSocket(address, { headers });
      other.on("unexpected-response", (request, response) => {
        resolve(response.statusCode);
        request.destroy();
      });
      other.on("error", () => undefined);
      other.on("open", () => resolve("open"));
    });
  const wrong = `Worker ${"0".repeat(16)}:${"x".repeat(43)}`;
  expect(await statusOf({ authorization: wrong })).toBe(401);
  expect(await statusOf({})).toBe(401);
  expect(new URL(address).pathname).toBe(machinesPath);
  expect(() => hostAddress("ws://hox.example.org")).toThrow("no TLS");
  expect(hostAddress("https://hox.example.org").href).toBe(`wss://hox.example.org${machinesPath}`);
});

/** What a machine does that was stopped past its lease: it removes nothing, and serves what it had. */
const keepsAll = (sound: Router): Partial<Router> => ({
  beat: host.beat.handler(async ({ input: { confirmed } }) => {
    const held = [1, 2].map((epoch) => ({ place: ownPlace, epoch }));
    return call(sound.beat, { confirmed, held });
  }),
});
const ownPlace = placeId({ repository: "/repo", run: "r", worker: "agent-1" });

test("an agent reaches gateway and tools by the lease of its place alone, and what it says after that is not heard", async () => {
  await installScriptedAgent();
  const { folder, place, places, owner } = await openPlace(keepsAll);
  const sockets = socketsIn(join(folder, "host"));
  const asked: string[] = [];
  for (const name of ["gateway", "tools"] as const) {
    await mkdir(dirname(sockets[name]), { recursive: true });
    const server = createServer((request, response) => {
      asked.push(name);
      request.resume();
      response.end("answered");
    });
    await new Promise<void>((resolve) => server.listen(sockets[name], resolve));
    onTestFinished(() => void server.close());
  }
  const steps = [{ model: "/v1" }, { mcp: "report_done" }, { flood: 3_000 }];
  const asks = `${process.execPath} -e 'fetch(process.argv[1]).catch(() => 0)'`;
  const late = [{ run: `${asks} $MODEL_URL/v1; ${asks} $MCP_URL; touch late.txt` }, { say: "late" }];
  const agent = await place.startAgent({
    ...{ agent: "claude", hidden: [], protectedFiles: [], files: {}, sessions: null, sockets },
    environment: { SCRIPT: JSON.stringify([steps, late]), MODEL_URL: "{bridge}" },
  });
  onTestFinished(agent.kill);
  const heard: RunnerEvent[] = [];
  const link = await attachRunner(agent, { onEvent: (event) => void heard.push(event) });
  const settings = { resume: null, system: "", mcpToken: "secret" };
  link.send({ kind: "open", id: "open", ...settings });
  const opened = () => heard.find((event) => event.kind === "opened");
  await eventually(() => expect(opened()).toBeDefined());
  const session = opened()?.session ?? "";
  link.send({ kind: "prompt", id: "first", session, text: "Work." });
  await eventually(() => expect(heard.at(-1)).toMatchObject({ kind: "turn", stopReason: "end_turn" }));
  expect(asked).toEqual(["gateway", "tools"]);
  const said = heard.flatMap((event) => (event.kind === "update" ? [JSON.stringify(event.update)] : []));
  expect(said.filter((text) => /"\d+,"/u.test(text))).toHaveLength(3_000);
  const count = heard.length;
  places.release(owner);
  link.send({ kind: "prompt", id: "late", session, text: "Go on." });
  const files = join(folder, "machine", "places", ownPlace, "files");
  await eventually(() => lstat(join(files, "late.txt")));
  await link.closed;
  expect(asked).toEqual(["gateway", "tools"]);
  expect(heard).toHaveLength(count);
});

test.each([
  ["leads out of their folder", ".claude/projects/../../.bashrc"],
  ["is beside it", ".bashrc"],
])("a session of an agent that %s is not kept", async (_, path) => {
  await installScriptedAgent();
  const { folder, place } = await openPlace(() => ({
    readSessions: host.readSessions.handler(async () => ({ [path]: "evil", ".claude/projects/a": "fine" })),
  }));
  const agent = await place.startAgent({
    ...{ agent: "claude", environment: {}, hidden: [], protectedFiles: [], files: {} },
    ...{ sessions: ".claude/projects", sockets: socketsIn(join(folder, "host")) },
  });
  onTestFinished(agent.kill);
  expect(await agent.readSessions?.()).toBeNull();
});

test("what an agent has of its sessions comes to the host, without what its links lead to", async () => {
  await installScriptedAgent();
  const { folder, place } = await openPlace();
  const files = { ".claude/projects/a/b": "text" };
  const agent = await place.startAgent({
    ...{ agent: "claude", environment: {}, hidden: [], protectedFiles: [], files },
    ...{ sessions: ".claude/projects", sockets: socketsIn(join(folder, "host")) },
  });
  onTestFinished(agent.kill);
  const home = join(folder, "machine", "places", ownPlace, "agent");
  await writeFile(join(folder, "secret"), "secret\n");
  await symlink(folder, join(home, ".claude", "projects", "out"));
  await symlink(join(folder, "secret"), join(home, ".claude", "projects", "link"));
  expect(await agent.readSessions?.()).toEqual(files);
  await rm(join(home, ".claude"), { recursive: true });
  await symlink(folder, join(home, ".claude"));
  await mkdir(join(folder, "projects"));
  await writeFile(join(folder, "projects", "secret"), "secret\n");
  expect(await agent.readSessions?.()).toBeNull();
});

test("an agent that puts a link in the place of its runner's socket leads its worker nowhere", async () => {
  await installScriptedAgent();
  const { folder, place } = await openPlace();
  const other = join(folder, "other");
  let connections = 0;
  const server = createSocketServer(() => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(other, resolve));
  onTestFinished(() => void server.close());
  const links = `cd /run/hox-agent/in && rm runner && ln -s ${other} runner`;
  const agent = await place.startAgent({
    ...{ agent: "claude", hidden: [], protectedFiles: [], files: {}, sessions: null },
    environment: { SCRIPT: JSON.stringify([[{ run: links }]]) },
    sockets: socketsIn(join(folder, "host")),
  });
  onTestFinished(agent.kill);
  const heard: RunnerEvent[] = [];
  const link = await attachRunner(agent, { onEvent: (event) => void heard.push(event) });
  link.send({ kind: "open", id: "open", resume: null, system: "", mcpToken: "secret" });
  const opened = () => heard.find((event) => event.kind === "opened");
  await eventually(() => expect(opened()).toBeDefined());
  link.send({ kind: "prompt", id: "first", session: opened()?.session ?? "", text: "Work." });
  await eventually(() => expect(heard.at(-1)).toMatchObject({ kind: "turn", stopReason: "end_turn" }));
  await expect(attachRunner(agent, { onEvent: () => undefined })).rejects.toThrow("did not answer");
  expect(connections).toBe(0);
});
