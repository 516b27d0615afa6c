/**
 * One worker's files while its place is on another machine. The host's own workspace has the same files: what the machine
 * changed is brought after each call that writes, and what jj changed goes there before the next call. So jj never leaves the
 * host, and another machine, or the host, can continue from what was brought last.
 */
import { createSerial } from "#shared/async/serial.ts";
import type { RunnerHandle } from "../../external-agents/start-runner.ts";
import { MachineGone } from "../../places/host/machine-link.ts";
import { FilesRefused } from "../../places/host/receive-files.ts";
import type { RemotePlace } from "../../places/host/remote-place.ts";
import { ToolFailure } from "../../tools/tool-interface.ts";
import { explain } from "../engine-errors.ts";

/** Longer commands are interrupted this often, to bring what they have made. */
const bringEveryMs = 15_000;

const maxClosingMs = 2_000;

const notBrought = (machine: string): string =>
  `Worker ${machine} did not answer while Hox closed. What it changed last is brought at the next start, if it still has it.`;

/** An agent that has lost its place so often works on the host: what it does may be the reason. */
const maxLosses = 2;

/** So many lost calls are named. */
const maxNamed = 12;

export interface TravelParts {
  /** Grants a place: on a machine, or null on the host; the files there are those of the host's workspace. */
  readonly take: () => Promise<RemotePlace | null>;
  /** The host has the place from now on. */
  readonly release: () => Promise<void>;
  /** Makes the place one in which checks can run. */
  readonly setUp: (remote: RemotePlace | null) => Promise<void>;
  /** What a machine sent was refused. */
  readonly refused: (from: RemotePlace, refusal: FilesRefused) => void;
  readonly notice: (text: string) => void;
  /** The host is about to end. */
  readonly isClosing: () => boolean;
}

export type Travel = ReturnType<typeof createTravel>;

export function createTravel(parts: TravelParts) {
  const serial = createSerial();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => serial.run("files", work);
  let remote: RemotePlace | null = null;
  /** What jj made of the files since they were sent. */
  let isStale = false;
  let commit: string | null = null;
  /** Calls that wrote, and whose files were not brought yet. */
  let unbrought: readonly string[] = [];
  let lastBrought: string | null = null;
  /** A call wrote or may have written since: between calls nothing runs there. */
  let mayDiffer = true;
  /** Calls that write now. */
  let running = 0;
  /** Of another make, where the files are: it writes when it wants to. */
  let agent: Pick<RunnerHandle, "kill"> | null = null;
  /** Its calls that have not ended. */
  const agentCalls = new Map<symbol, string>();
  let bringingForAgent: NodeJS.Timeout | undefined;
  let isBringing = false;
  /** What the agent has to be told of. */
  let loss: string | null = null;
  let losses = 0;

  const endAgent = async (): Promise<void> => {
    const left = agent;
    agent = null;
    agentCalls.clear();
    clearInterval(bringingForAgent);
    await left?.kill();
  };

  const take = (): Promise<RemotePlace | null> => (losses < maxLosses ? parts.take() : Promise.resolve(null));

  /**
   * In turn: the place is lost, and the agent will hear what is missing.
   * @param isLeaving the host has the files next; else another place is taken
   */
  const lose = async (
    from: RemotePlace,
    error: unknown,
    inFlight: string | null,
    isLeaving = false,
  ): Promise<void> => {
    if (remote !== from) return;
    remote = null;
    losses += 1;
    if (error instanceof FilesRefused) parts.refused(from, error);
    const why = formatLoss(from.machine, error);
    const missing = [...unbrought, ...agentCalls.values(), ...(inFlight === null ? [] : [inFlight])];
    unbrought = [];
    // It is told once it is where the files are then.
    void endAgent();
    const known = lastBrought === null ? "as they were when you began" : `as of ${lastBrought}`;
    // Whatever the earlier holder still sends does not count from here on.
    await parts.release();
    remote = isLeaving ? null : await take();
    isStale = false;
    const where = remote === null ? "on the host" : `on worker ${remote.machine}`;
    const lost = [
      `${why} Your files are ${known}, and you work ${where} now.`,
      ...(missing.length === 0
        ? []
        : [`Lost, in this order: ${named(missing)}. Read the files again and repeat what is missing.`]),
    ].join(" ");
    parts.notice(lost);
    // The agent may not have heard of an earlier one.
    loss = loss === null ? lost : `${loss}\n${lost}`;
    if (isLeaving) return;
    const taken = remote;
    try {
      await parts.setUp(taken);
    } catch (failure) {
      if (taken === null) throw failure;
      await lose(taken, failure, null);
    }
  };

  const bring = async (isLeaving = false): Promise<void> => {
    const from = remote;
    if (from === null || !mayDiffer) return;
    const brought = unbrought;
    try {
      mayDiffer = running > 0 || agent !== null;
      if (!(await pullInTime(from))) {
        mayDiffer = true;
        return parts.notice(notBrought(from.machine));
      }
      unbrought = unbrought.slice(brought.length);
      lastBrought = brought.at(-1) ?? lastBrought;
    } catch (error) {
      await lose(from, error, null, isLeaving);
    }
  };

  /** In turn: sends what jj changed. */
  const send = async (withGit: boolean): Promise<void> => {
    // What an agent of another make wrote since its turn would be replaced.
    if (isStale && agent !== null) await bring();
    const to = remote;
    if (to === null) return;
    try {
      if (isStale) await to.push();
      isStale = false;
      if (withGit && commit !== null) await to.showInGit(commit);
    } catch (error) {
      await lose(to, error, null);
    }
  };

  /** For those who do not wait: what fails is seen by whoever needs the files next. */
  const bringBehind = (): void => {
    // Those that wait bring what was written until their turn.
    if (isBringing) return;
    isBringing = true;
    const begin = (): Promise<void> => {
      isBringing = false;
      return bring();
    };
    void inTurn(begin).catch((error: unknown) =>
      parts.notice(`Could not bring files: ${explain(error).message}`),
    );
  };

  /** While the host closes, it waits for no machine, but for files that it writes. @returns whether it was in time */
  const pullInTime = async (from: RemotePlace): Promise<boolean> => {
    let isLate = false;
    let isWriting = false;
    const pulled = from
      .pull(() => {
        isWriting = !isLate;
        return isWriting;
      })
      .then(() => !isLate);
    if (!parts.isClosing()) return pulled;
    const { promise: late, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => {
      isLate = !isWriting;
      resolve(isLate ? false : pulled);
    }, maxClosingMs);
    return Promise.race([pulled, late]).finally(() => clearTimeout(timer));
  };

  return {
    place: () => remote,

    /** Takes a place if it has none. @returns whether it is another one than before */
    settle: (): Promise<boolean> =>
      inTurn(async () => {
        if (remote !== null || losses >= maxLosses) return false;
        remote = await take();
        isStale = false;
        if (remote === null) return true;
        // What the agent on this machine wrote meanwhile goes there, too.
        isStale = agent !== null;
        await endAgent();
        lastBrought = null;
        const { machine, leftOut } = remote;
        if (leftOut.length > 0)
          loss = `While Hox was closed, ${named(leftOut)} changed on worker ${machine} and in what your task builds on, in the same lines. What it builds on was kept. Read the files again and repeat what is missing.`;
        return true;
      }),

    /** The files are the host's alone from now on. */
    comeHome: (): Promise<void> =>
      inTurn(async () => {
        if (remote === null) return;
        await endAgent();
        await bring(true);
        remote = null;
        await parts.release();
      }),

    /** Has jj do something with the files, which are as they are on the machine then. @param isRead it changes none */
    record: <T>(verb: () => Promise<T>, isRead = false): Promise<T> =>
      remote === null
        ? verb()
        : inTurn(async () => {
            await bring();
            try {
              return await verb();
            } finally {
              isStale ||= !isRead;
            }
          }),

    /** Starts an agent where the files are: it ends when they leave. */
    async startAgent(
      away: (place: RemotePlace) => Promise<RunnerHandle>,
      home: () => Promise<RunnerHandle>,
    ): Promise<RunnerHandle> {
      const started = await this.use(null, away, home, { isCommand: true, isOfAgent: false });
      const handle: RunnerHandle = {
        ...started,
        kill: () => {
          if (agent === handle) agent = null;
          return started.kill();
        },
      };
      agent = handle;
      mayDiffer = true;
      return handle;
    },

    /** A call of the agent begins. @returns to be called at its end */
    agentCall(what: string): () => void {
      if (remote === null) return () => undefined;
      const call = Symbol(what);
      if (agentCalls.size === 0) bringingForAgent = setInterval(bringBehind, bringEveryMs);
      agentCalls.set(call, what);
      return () => {
        if (!agentCalls.delete(call)) return;
        if (agentCalls.size === 0) clearInterval(bringingForAgent);
        unbrought = [...unbrought, what];
        mayDiffer = true;
        bringBehind();
      };
    },

    bringToAgent: (): Promise<void> => (remote === null ? Promise.resolve() : inTurn(() => send(true))),

    bring: (): Promise<void> => (remote === null ? Promise.resolve() : inTurn(() => bring())),

    showInGit(shown: string): void {
      commit = shown;
    },

    /** What the agent has to be told before its work counts, once. */
    takeLoss(): string | null {
      const told = loss;
      loss = null;
      return told;
    },

    /**
     * Does something with the files where they are.
     * @param what the call as the agent knows it; null: it writes nothing
     * @throws ToolFailure once, where files were lost: the agent must know before it continues
     */
    async use<T>(
      what: string | null,
      away: (place: RemotePlace) => Promise<T>,
      home: () => Promise<T>,
      {
        isCommand = false,
        isOfAgent = true,
      }: { readonly isCommand?: boolean; readonly isOfAgent?: boolean } = {},
    ): Promise<T> {
      const tell = (): void => {
        const told = isOfAgent ? loss : null;
        if (told === null) return;
        loss = null;
        throw new ToolFailure("failed", told);
      };
      if (remote === null && loss === null) return home();
      if (isStale || isCommand) await inTurn(() => send(isCommand));
      tell();
      const place = remote;
      if (place === null) return home();
      const ended = begin(what);
      const bringing = isCommand ? setInterval(bringBehind, bringEveryMs) : undefined;
      try {
        const done = await away(place);
        ended("wrote");
        return done;
      } catch (error) {
        if (error instanceof ToolFailure) {
          ended("wrote");
          throw error;
        }
        ended("lost");
        await inTurn(() => lose(place, error, what));
        tell();
        return this.use(what, away, home, { isCommand, isOfAgent });
      } finally {
        clearInterval(bringing);
      }
    },
  };

  /** A call begins. @param what null: it writes nothing */
  function begin(what: string | null): (as: "wrote" | "lost") => void {
    if (what === null) return () => undefined;
    running += 1;
    mayDiffer = true;
    return (as) => {
      running -= 1;
      mayDiffer = true;
      if (as === "lost") return;
      unbrought = [...unbrought, what];
      bringBehind();
    };
  }
}

function formatLoss(machine: string, error: unknown): string {
  if (error instanceof FilesRefused) return `Files of worker ${machine} were refused: ${error.message}.`;
  const where = `Worker ${machine}, where your files were,`;
  if (error instanceof MachineGone) return `${where} is gone.`;
  return `${where} failed: ${explain(error).message.replace(/\.$/u, "")}.`;
}

function named(calls: readonly string[]): string {
  const shown = calls.slice(0, maxNamed).join(", ");
  return calls.length > maxNamed ? `${shown} and ${calls.length - maxNamed} more` : shown;
}
