import { mkdirSync, renameSync, symlinkSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { eventually } from "../testing/kit.ts";
import type { RunnerEvent } from "./runner/runner-protocol.ts";
import { attachRunner, type RunnerLink } from "./runner-link.ts";
import type { Runner } from "./start-runner.ts";
import { type Scripted, scriptedWorker } from "./testing/run-scripted.ts";

/** Stands for a host that ends before it has confirmed what it heard. */
const never = (): never => {
  throw new Error("The host ends.");
};

interface Host {
  readonly link: RunnerLink;
  readonly events: { readonly seq: number; readonly event: RunnerEvent }[];
}

async function attach(runner: Runner, after: number | null = null): Promise<Host> {
  const events: Host["events"] = [];
  const link = await attachRunner(runner, {
    after,
    onEvent: (event, seq) => void events.push({ seq, event }),
  });
  return { link, events };
}

const started = async (options: Scripted) => {
  const worker = await scriptedWorker(options);
  const runner = await worker.start();
  return { worker, runner, host: await attach(runner) };
};

const kinds = ({ events }: Host): readonly string[] => events.map(({ event }) => event.kind);

async function openSession({ link, events }: Host): Promise<string> {
  link.send({ kind: "open", id: "open", resume: null, system: "", mcpToken: null });
  return eventually(() => {
    const opened = events.find(({ event }) => event.kind === "opened")?.event;
    if (opened?.kind !== "opened") throw new Error("not opened");
    return opened.session;
  });
}

describe("a runner", () => {
  it("does a command once, however often it is sent", async () => {
    const { worker, host } = await started({ script: [[{ say: "one" }], [{ say: "two" }]] });
    const session = await openSession(host);
    const prompt = { kind: "prompt", id: "prompt", session, text: "go" } as const;
    host.link.send(prompt);
    host.link.send(prompt);
    await eventually(() => expect(kinds(host)).toContain("turn"));
    host.link.send({ ...prompt, id: "other" });
    await eventually(() => expect(kinds(host).filter((kind) => kind === "turn")).toHaveLength(2));
    expect(worker.notes().filter((note) => note.startsWith("prompt "))).toHaveLength(2);
  });

  it("repeats what a host has not handled, from the event on that the next one names, and hears only the newest", async () => {
    const { worker, runner, host } = await started({ script: [[{ say: "one" }], [{ say: "two" }]] });
    const session = await openSession(host);
    const before = host.events.length;
    const full = await attachRunner(runner, {
      onEvent() {
        throw new Error("The disk is full.");
      },
    });
    await host.link.closed;
    full.send({ kind: "prompt", id: "1", session, text: "go" });
    await full.closed;
    await eventually(() => expect(worker.notes().at(-1)).toBe("prompt go"));
    const second = await attach(runner);
    await eventually(() => expect(kinds(second)).toEqual(["update", "turn"]));
    expect(second.events.map(({ seq }) => seq)).toEqual([before + 1, before + 2]);

    const blind = await attachRunner(runner, { onEvent: () => undefined, onBatch: never });
    blind.send({ kind: "prompt", id: "2", session, text: "go" });
    await blind.closed;
    await eventually(() => expect(worker.notes().filter((note) => note === "prompt go")).toHaveLength(2));
    const third = await attach(runner, before + 3);
    await eventually(() => expect(kinds(third)).toEqual(["turn"]));
    expect(third.events[0]?.seq).toBe(before + 4);
  });

  it("is attached with its token only", async () => {
    const { runner, host } = await started({ script: [] });
    await expect(attachRunner({ ...runner, token: "guessed" }, { onEvent: () => undefined })).rejects.toThrow(
      "did not answer",
    );
    const stranger = connect(runner.socket);
    stranger.end(`${JSON.stringify({ kind: "end" })}\n`);
    expect(await text(stranger)).toBe("");
    expect(await openSession(host)).toMatch(/^session-/u);
  });

  it("is not looked for behind a link", async () => {
    const { worker, runner } = await started({ script: [] });
    const folder = join(worker.folder, "elsewhere");
    mkdirSync(folder);
    renameSync(runner.socket, join(folder, "socket"));
    symlinkSync(join(folder, "socket"), runner.socket);
    await expect(attachRunner(runner, { onEvent: () => undefined })).rejects.toThrow("is not a socket");
  });

  it("ends when no host comes and no turn is running, and not before", async () => {
    const { worker, runner, host } = await started({
      script: [[{ touch: "here" }, { wait: "go" }]],
      // Also the time until the first host is there.
      limits: { unattendedMs: 1_500 },
    });
    const session = await openSession(host);
    host.link.send({ kind: "prompt", id: "1", session, text: "go" });
    await worker.exists("here");
    host.link.close();
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    const second = await attach(runner);
    worker.touch("go");
    await eventually(() => expect(kinds(second)).toContain("turn"));
    second.link.close();
    expect(await runner.process.ended).toMatchObject({ exitCode: 0 });
  });

  it("ends with its agent when it is told to", async () => {
    const { runner, host } = await started({ script: [] });
    await openSession(host);
    host.link.send({ kind: "end" });
    expect(await runner.process.ended).toMatchObject({ exitCode: 0 });
  });

  it("says why it cannot start", async () => {
    const worker = await scriptedWorker({ script: [] });
    await expect(worker.start({ sockets: join(worker.folder, "x".repeat(100)) })).rejects.toThrow(
      "is too long for a Unix socket",
    );
  });
});
