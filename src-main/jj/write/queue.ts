import { setTimeout as pause } from "node:timers/promises";
import { createSerial } from "#shared/async/serial.ts";
import type { OwnWrites } from "../graph-memory/own-writes.ts";
import type { WriteOptions } from "../ports/graph-writer.ts";
import { JjError } from "../process/errors.ts";
import { operationContains, readHeads, type Store } from "../process/op-heads.ts";
import { commandOf, type Jj, type JjCall, type JjOutput } from "../process/process.ts";
import { newMark, writeMarks } from "./marks.ts";
import { bringUpToDate } from "./update-stale.ts";

/** A write as the queue runs it. */
export interface QueuedWrite {
  readonly args: readonly string[];
  /** Where `-R` points; also the folder in which jj runs. */
  readonly folder: string;
  readonly input?: string;
  readonly editor?: readonly string[];
  readonly isPush?: boolean;
  readonly options?: WriteOptions | undefined;
  /** Full ids of the changes whose descriptions it sets, usually none; omitted if unknown. */
  readonly describes?: readonly string[];
  /** The operation that it publishes, as jj named it: then it makes none itself. */
  readonly publishes?: string;
  /** Fails with `stale` instead of updating the folder's files, because tools work with them. */
  readonly leavesStale?: boolean;
}

export interface Done extends JjOutput {
  readonly operation: string;
  /** False when jj had nothing to do, so no operation was made. */
  readonly hasChanged: boolean;
}

/** Runs writes of one repository one after the other, in the order in which they were asked for. */
export interface WriteQueue {
  /**
   * Runs `task` alone.
   * @param canWait what is asked for shortly after it goes first
   */
  exclusive<T>(task: () => Promise<T>, canWait?: boolean): Promise<T>;
  /** Runs one jj command; to be called from inside `exclusive` only. Retries what other programs disturb. */
  write(command: QueuedWrite): Promise<Done>;
  /** Runs a task that queues commands and does more, such as writing files: `idle` waits for it, too. */
  around<T>(task: () => Promise<T>): Promise<T>;
  idle(): Promise<void>;
  /** Whether a write runs or waits. */
  isBusy(): boolean;
}

const writes = createSerial(() => performance.now());

/** How long others go before a write that can wait. */
const patienceMs = 2_000;

const delays = [20, 50, 100, 200, 400, 800, 1600] as const;
/** Retries of a jj that was killed; few, because it may run out of memory again. */
const killedAgain = 2;

/**
 * Makes the queue of the repository whose store this is; all handles on one store wait for each other.
 * @param placeOf the folder that a write begins in which is asked for in another one
 */
export function createQueue(
  jj: Jj,
  store: Store,
  ownWrites: OwnWrites,
  placeOf: (folder: string) => Promise<string> = async (folder) => folder,
): WriteQueue {
  const exclusive = <T>(task: () => Promise<T>, canWait = false): Promise<T> =>
    writes.run(store.folder, task, canWait ? patienceMs : 0);

  const { findMarked, findDone } = createMarkSearch(jj, store);

  async function write(asked: QueuedWrite): Promise<Done> {
    const command = { ...asked, folder: await placeOf(asked.folder) };
    const before = await readHeads(store);
    let updated = false;
    for (let attempt = 0; ; attempt++) {
      const mark = newMark();
      const ended = ownWrites.begin(mark, command.describes ?? null);
      try {
        const output = await jj.run({
          head: writeMarks(mark, command.options),
          args: ["-R", command.folder, ...command.args],
          cwd: command.folder,
          ...(command.input === undefined ? {} : { input: command.input }),
          ...(command.editor === undefined ? {} : { editor: command.editor }),
          isPush: command.isPush,
        });
        ended();
        const after = await readHeads(store);
        if (after.length === 1 && after[0] === before[0] && before.length === 1)
          return { ...output, operation: after[0] ?? "", hasChanged: false };
        const { publishes } = command;
        const own =
          (publishes === undefined ? undefined : after.find((head) => head.startsWith(publishes))) ??
          (await findMarked(mark, command.folder));
        return { ...output, operation: own ?? after[0] ?? "", hasChanged: own !== undefined };
      } catch (error) {
        ended();
        if (!(error instanceof JjError)) throw error;
        const delay = delays[attempt];
        const isCut = error.kind === "killed" || error.kind === "timeout";
        if (delay === undefined || (!isCut && error.kind !== "concurrent" && error.kind !== "stale"))
          throw error;
        if (error.kind === "stale") {
          if (updated || command.leavesStale) throw error;
          updated = true;
        } else if (!isCut) {
          await pause(delay + Math.random() * delay);
        }
        // The operation may exist although its checkout failed: then only the files must be updated.
        const own = await findDone(mark, command);
        const isGivenUp = error.kind === "timeout" || attempt >= killedAgain;
        if (own === undefined && isCut && isGivenUp) throw error;
        if (!command.leavesStale && (own !== undefined || error.kind === "stale"))
          await bringUpToDate({ jj, store }, command.folder, command.options);
        if (own !== undefined) return { stdout: "", stderr: error.stderr, operation: own, hasChanged: true };
      }
    }
  }

  const going = new Set<Promise<unknown>>();
  return {
    exclusive,
    write,
    around(task) {
      const done = task();
      const forget = (): void => void going.delete(done);
      going.add(done);
      done.then(forget, forget);
      return done;
    },
    async idle() {
      await Promise.allSettled(going);
      await writes.idle(store.folder);
    },
    isBusy: () => writes.isBusy(store.folder),
  };
}

/** Commands that are there to record the files. */
const onlyRecords: readonly string[] = ["log", "util"];

/** Makes what finds the operation that a command of ours made, by its mark. */
function createMarkSearch(jj: Jj, store: Store) {
  /** The operation with `mark`, if it is a head or near one. */
  async function findMarked(mark: string, folder: string): Promise<string | undefined> {
    const heads = await readHeads(store);
    for (const head of heads) {
      if (await operationContains(store, head, `hox.write=${mark}`)) return head;
    }
    const call: JjCall = {
      args: [
        "-R",
        folder,
        `--at-op=${heads[0] ?? "@"}`,
        "--ignore-working-copy",
        "--quiet",
        "op",
        "log",
        "--no-graph",
        "--limit=40",
        "-T",
        `self.id() ++ " " ++ if(self.attributes().contains("hox.write=${mark}"), "1", "0") ++ "\\n"`,
      ],
      cwd: folder,
    };
    const { stdout } = await jj.run(call);
    return stdout
      .split("\n")
      .find((line) => line.endsWith(" 1"))
      ?.split(" ")[0];
  }

  /** The operation of an interrupted command, without the separate snapshot operation before it. */
  async function findDone(
    mark: string,
    command: { readonly args: readonly string[]; readonly folder: string },
  ): Promise<string | undefined> {
    const own = await findMarked(mark, command.folder);
    if (own === undefined || onlyRecords.includes(commandOf(command.args))) return own;
    return (await operationContains(store, own, "snapshot working copy")) === true ? undefined : own;
  }

  return { findMarked, findDone };
}
