import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { hostname, tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { MessageChannel } from "node:worker_threads";
import { createORPCClient } from "@orpc/client";
import { RPCLink as PortLink } from "@orpc/client/message-port";
import { RPCLink as SocketLink } from "@orpc/client/websocket";
import type { ContractRouterClient } from "@orpc/contract";
import fc from "fast-check";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { WebSocket } from "ws";
import type { Contract } from "#shared/contract/contract.ts";
import { socketPath, socketProtocols, tokenOf } from "#shared/contract/loopback.ts";
import { argumentsFor, openersOn } from "#shared/domain/open-in/opener.ts";
import { createHost } from "../../host.ts";
import type { Host } from "../../host-interface.ts";
import { createTestRepository, type TestRepository } from "../../jj/testing/create-test-repository.ts";
import { eventually } from "../../testing/kit.ts";
import { attachPort } from "../../transport/serve-line.ts";
import { type LoopbackServer, serveLoopback } from "../../transport/web-socket.ts";

type HostClient = ContractRouterClient<Contract>;

let folder: string;
let host: Host;
let server: LoopbackServer;
let repo: TestRepository;
let outputFile: string;
let editor: string;
const closing: (() => void)[] = [];

/** A window on a socket. @param address as the host gives it */
async function windowAt(address: string): Promise<HostClient> {
  const origin = `http://127.0.0.1:${server.port}`;
  const answer = await fetch(`${origin}/session`, {
    method: "POST",
    headers: { origin, "content-type": "application/json" },
    body: JSON.stringify({ token: tokenOf(new URL(address).hash) }),
  });
  const { session } = (await answer.json()) as { session: string };
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}${socketPath}`, socketProtocols(session), {
    origin,
  });
  closing.push(() => socket.terminate());
  return createORPCClient(new SocketLink({ websocket: socket as unknown as globalThis.WebSocket }));
}

/** A window of the same program, as Electron's. */
function windowAtPort(): HostClient {
  const { port1, port2 } = new MessageChannel();
  attachPort(host, port1);
  port2.start();
  closing.push(() => port2.close());
  return createORPCClient(new PortLink({ port: port2 }));
}

const changeAt = async (revset: string): Promise<string> =>
  (await repo.repository.query(revset))[0]?.changeId ?? "";
/** What the program was started with, once it has been: one that takes its time is taken to be open before. */
const started = async (): Promise<{ words: readonly string[]; folder: string; environment: string }> => {
  const [at = "", environment = "", ...words] = await eventually(() =>
    readFileSync(outputFile, "utf8").split("\0"),
  );
  rmSync(outputFile);
  return { words: words.slice(0, -1), folder: at, environment };
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hox-open-in-"));
  outputFile = join(folder, "told");
  editor = join(folder, "my editor.sh");
  writeFileSync(
    editor,
    `#!/bin/sh\n{ printf '%s\\0' "$PWD" "$(env)"; printf '%s\\0' "$@"; } > '${outputFile}.new'\nmv '${outputFile}.new' '${outputFile}'\n`,
  );
  chmodSync(editor, 0o755);
  process.env.ANTHROPIC_API_KEY = "sk-canary";
  repo = await createTestRepository({ files: { "src/a b.ts": "one\ntwo\n", "gone.txt": "x\n" } });
  host = await createHost({ shell: "browser", version: "0", stateFolder: join(folder, "state") });
  mkdirSync(join(folder, "renderer"));
  server = await serveLoopback(host, { files: join(folder, "renderer") });
  const client = await windowAt(server.ownAddress());
  await client.repository.open({ path: repo.repository.root });
  await client.settings.change({ openIn: { editor: `"${editor}" --goto {path}:{line}:{column}` } });
});

afterAll(async () => {
  for (const close of closing) close();
  await server.close();
  await host.close();
  await repo.remove();
  await rm(folder, { recursive: true, force: true });
  delete process.env.ANTHROPIC_API_KEY;
});

test("opens a file at its line for a window of the host, without a shell and without the key", async () => {
  const { root } = repo.repository;
  writeFileSync(join(root, "src", "$(touch pwned) 'x\".ts"), "it\n");
  await repo.repository.query("@");
  await repo.terminal(["status"]);
  for (const client of [await windowAt(server.ownAddress()), windowAtPort()]) {
    const changeId = await changeAt("@");
    const path = "src/$(touch pwned) 'x\".ts";
    expect(
      await client.openIn.open({
        repository: repo.repository.root,
        kind: "editor",
        changeId,
        path,
        line: 12,
      }),
    ).toEqual({
      kind: "opened",
      program: "my editor.sh",
      path: join(root, path),
      note: null,
    });
    const process = await started();
    expect(process.words).toEqual(["--goto", `${join(root, path)}:12:1`]);
    expect(process.folder).toBe(join(root, "src"));
    expect(process.environment).not.toContain("canary");
    await client.openIn.open({
      repository: repo.repository.root,
      kind: "editor",
      changeId,
      path: null,
      line: null,
    });
    expect((await started()).words).toEqual(["--goto", root]);
  }
  expect(existsSync(join(root, "pwned"))).toBe(false);
});

test("an editor without placeholders gets the path", async () => {
  const client = await windowAt(server.ownAddress());
  await client.settings.change({ openIn: { editor: `"${editor}" --wait` } });
  await client.openIn.open({
    repository: repo.repository.root,
    kind: "editor",
    changeId: await changeAt("@"),
    path: "src/a b.ts",
    line: 3,
  });
  expect((await started()).words).toEqual(["--wait", join(repo.repository.root, "src", "a b.ts")]);
  await client.settings.change({ openIn: { editor: `"${editor}" --goto {path}:{line}:{column}` } });
});

test("a file that is not checked out is opened as a read-only copy of its change", async () => {
  const client = await windowAt(server.ownAddress());
  const old = await changeAt("@-");
  await repo.repository.query("@");
  writeFileSync(join(repo.repository.root, "src", "a b.ts"), "changed since\n");
  await repo.terminal(["status"]);
  for (let twice = 0; twice < 2; twice++) {
    const opened = await client.openIn.open({
      repository: repo.repository.root,
      kind: "editor",
      changeId: old,
      path: "src/a b.ts",
      line: null,
    });
    if (opened.kind !== "opened") throw new Error("It was not opened.");
    expect(opened.note).toContain("a read-only copy");
    expect(readFileSync(opened.path, "utf8")).toBe("one\ntwo\n");
    expect(statSync(opened.path).mode & 0o777).toBe(0o400);
    expect((await started()).words).toEqual(["--goto", opened.path]);
  }
  await expect(
    client.openIn.open({
      repository: repo.repository.root,
      kind: "terminal",
      changeId: old,
      path: null,
      line: null,
    }),
  ).rejects.toMatchObject({ message: expect.stringContaining("This change is not checked out") });
});

test("another window starts nothing and gets the path", async () => {
  const client = await windowAt(server.address());
  const changeId = await changeAt("@");
  expect(
    await client.openIn.open({
      repository: repo.repository.root,
      kind: "editor",
      changeId,
      path: "src/a b.ts",
      line: 2,
    }),
  ).toEqual({
    kind: "elsewhere",
    path: join(repo.repository.root, "src", "a b.ts"),
    folder: join(repo.repository.root, "src"),
    line: 2,
    note: null,
    machine: hostname(),
    user: userInfo().username,
  });
  expect(existsSync(outputFile)).toBe(false);
});

test("a path that leads elsewhere, is missing or is not in the change is refused with the remedy", async () => {
  const client = await windowAt(server.ownAddress());
  const { root } = repo.repository;
  symlinkSync("/etc", join(root, "etc"));
  symlinkSync("/etc/passwd", join(root, "link.txt"));
  await repo.terminal(["status"]);
  const changeId = await changeAt("@");
  const refused = (path: string) =>
    expect(
      client.openIn.open({ repository: repo.repository.root, kind: "editor", changeId, path, line: null }),
    ).rejects;
  await refused("link.txt").toMatchObject({ message: expect.stringContaining("is a link") });
  await refused("etc").toMatchObject({ message: expect.stringContaining("is a link") });
  await refused("etc/passwd").toMatchObject({
    message: expect.stringContaining("not a file in this change"),
  });
  await refused("../outside").toMatchObject({
    message: expect.stringContaining("not a file in this change"),
  });
  // Between jj's last look and the click an agent puts a link in the place of a folder.
  rmSync(join(root, "src"), { recursive: true });
  symlinkSync("/etc", join(root, "src"));
  await refused("src/a b.ts").toMatchObject({ data: { remedy: expect.stringMatching(/\w/u) } });
  rmSync(join(root, "src"));
  rmSync(join(root, "gone.txt"));
  await refused("gone.txt").toMatchObject({ message: expect.stringMatching(/no longer exists/u) });
  expect(existsSync(outputFile)).toBe(false);
});

test("a missing or failing program is reported with its output and the remedy", async () => {
  const client = await windowAt(server.ownAddress());
  const changeId = await changeAt("@");
  const opens = async (command: string) => {
    await client.settings.change({ openIn: { files: command } });
    return client.openIn.open({
      repository: repo.repository.root,
      kind: "files",
      changeId,
      path: null,
      line: null,
    });
  };
  await expect(opens("no-such-program {folder}")).rejects.toMatchObject({
    code: "REFUSED",
    message: "no-such-program could not open it: it is not installed",
    data: { remedy: expect.stringContaining("Settings, Open in") },
  });
  const failing = join(folder, "fails.sh");
  writeFileSync(failing, "#!/bin/sh\necho 'no screen' >&2\nexit 3\n");
  chmodSync(failing, 0o755);
  // On a busy machine it may take longer to fail than a program that is taken to be open.
  const setTimer = setTimeout;
  const timers = vi
    .spyOn(globalThis, "setTimeout")
    .mockImplementation(((work: () => void, ms: number) =>
      setTimer(work, ms === 2_000 ? 120_000 : ms)) as typeof setTimeout);
  onTestFinished(() => timers.mockRestore());
  await expect(opens(failing)).rejects.toMatchObject({
    message: "fails.sh could not open it: it exited with code 3: no screen",
  });
  timers.mockRestore();
  const staying = join(folder, "stays.sh");
  const id = join(folder, "stays.pid");
  writeFileSync(staying, `#!/bin/sh\necho $$ > '${id}.new'\nmv '${id}.new' '${id}'\nexec sleep 30\n`);
  chmodSync(staying, 0o755);
  expect(await opens(`${staying} {folder}`)).toMatchObject({ kind: "opened", program: "stays.sh" });
  await eventually(() => process.kill(Number(readFileSync(id, "utf8"))));
});

test("a repository's configuration cannot set the program", async () => {
  const client = await windowAt(server.ownAddress());
  const { root } = repo.repository;
  mkdirSync(join(root, ".hox"), { recursive: true });
  writeFileSync(
    join(root, ".hox", "config.toml"),
    `[openIn]\neditor = "${editor} pwned"\n[open_in]\neditor = "x"\n`,
  );
  const programs = await client.openIn.programs();
  expect(programs.editor.map(({ command }) => command)).toEqual(
    openersOn(process.platform).editor.map(({ command }) => command),
  );
  expect(JSON.stringify(programs)).not.toContain("pwned");
});

test("a path is one argument, and placeholders in it are not replaced", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary" }),
      fc.option(fc.integer({ min: 1, max: 1e6 })),
      fc.constantFrom(...Object.values(openersOn("linux")).flat()),
      (name, line, { command }) => {
        const words = command.split(" ");
        const place = { path: `/r/${name}`, folder: "/r", line };
        const filled = argumentsFor(words, place);
        expect(filled[0]).toBe(words[0]);
        expect(filled.length).toBeLessThanOrEqual(words.length);
        if (command.includes("{path}"))
          expect(filled.some((word) => word.startsWith(place.path) || word.endsWith(place.path))).toBe(true);
      },
    ),
  );
});

test("no line argument is passed without a line", () => {
  const place = { path: "/r/file.ts", folder: "/r", line: null };
  const commandLine = (command: string): string => argumentsFor(command.split(" "), place).join(" ");
  expect(commandLine("code --goto {path}:{line}:{column}")).toBe("code --goto /r/file.ts");
  expect(commandLine("emacsclient -n +{line}:{column} {path}")).toBe("emacsclient -n /r/file.ts");
  expect(commandLine("idea --line {line} --column {column} {path}")).toBe(
    "idea --line 1 --column 1 /r/file.ts",
  );
});
