/** The forks of a run, as its events make them. Pure: no clock, no files. */
import type { AnyEvent } from "../any-event.ts";

/** A conversation that another one began in the middle of its work. Plain JSON. */
export interface Fork {
  /** As a worker of the run: its transcript and its costs are that worker's. */
  readonly name: string;
  /** Whose call it answers. */
  readonly caller: string;
  /** Of the caller's conversation and of the call in it: a call that runs again after a crash finds its fork by both. */
  readonly conversation: string;
  readonly callId: string;
  /** `clone`, or the name of a named agent. */
  readonly agent: string;
  readonly task: string;
  /** Its clone nesting depth, including itself. (HIVE-3) */
  readonly cloneDepth: number;
  /** The same of named agents. */
  readonly namedDepth: number;
  /** ms since 1970. */
  readonly begunAt: number;
  /** Paths that it has written; while it works they are its own. */
  readonly files: readonly string[];
  /** Share of its first request that the provider read from its cache, 0 to 1; null before that was answered. */
  readonly cachedShare: number | null;
  /** Null while it works. */
  readonly result: ForkResult | null;
  /** Cancelled: its caller's work ended or was undone before the result. */
  readonly isCancelled: boolean;
}

/** The result of a fork for its caller: the same shape for every call. (HIVE-6) */
export interface ForkResult {
  readonly status: "success" | "error";
  /** The fork's last message; empty if there is none. */
  readonly content: string;
  /** Why it failed, with what can be done; null for a success. */
  readonly error: string | null;
  readonly metadata: {
    /** `clone`, or the name of a named agent. */
    readonly agent: string;
    readonly model: string;
    readonly provider: string;
    readonly latency_ms: number;
    /** Of all its requests together; what was read from a cache counts as input. */
    readonly usage: { readonly input_tokens: number; readonly output_tokens: number };
  };
}

/** What an agent is called that is its caller's copy. */
export const cloneName = "clone";

/** Whether a call asks for a copy of its caller. (HIVE-2) */
export const isCloneCall = (agent: string): boolean => ["", cloneName].includes(agent.trim());

/** By name, in the order in which they began. */
export type Forks = Readonly<Record<string, Fork>>;

/** Kept in the journal, so that a kind is added and never changed. */
export type ForkEvent = { readonly fork: string } & (
  | ({ readonly kind: "ForkStarted" } & Pick<
      Fork,
      "caller" | "conversation" | "callId" | "agent" | "task" | "cloneDepth" | "namedDepth" | "begunAt"
    >)
  | { readonly kind: "ForkWrote"; readonly path: string }
  | { readonly kind: "ForkFirstAnswered"; readonly cachedShare: number }
  | { readonly kind: "ForkEnded"; readonly result: ForkResult }
);

/** True while it works, as far as is known. */
export const isAtWork = ({ result, isCancelled }: Fork): boolean => result === null && !isCancelled;

/** What ends a caller's conversation, and with it whatever still works for it. */
interface CallerEnd {
  readonly kind: "IterationEnded" | "WorkReset" | "WorkUndone" | "WorkAbandoned" | "TaskReassigned";
  readonly worker: string;
}

/** Adds an event. Total: one that fits no fork, or says nothing new, changes nothing. */
export function reduceForks(forks: Forks, given: ForkEvent | CallerEnd | AnyEvent): Forks {
  const event = given as ForkEvent | CallerEnd;
  switch (event.kind) {
    case "ForkStarted":
    case "ForkWrote":
    case "ForkFirstAnswered":
    case "ForkEnded":
      return forkChanged(forks, event);
    case "IterationEnded":
    case "WorkReset":
    case "WorkUndone":
    case "WorkAbandoned":
    case "TaskReassigned":
      return cancelWhere(forks, (fork) => fork.caller === event.worker);
    default:
      return forks;
  }
}

function forkChanged(forks: Forks, event: ForkEvent): Forks {
  const known = Object.hasOwn(forks, event.fork) ? forks[event.fork] : undefined;
  if (event.kind === "ForkStarted") {
    if (known) return forks;
    const { kind: _, fork: name, ...begun } = event;
    // Whoever begins one in another conversation has left the one before.
    const others = cancelWhere(
      forks,
      (fork) => fork.caller === event.caller && fork.conversation !== event.conversation,
    );
    return {
      ...others,
      [name]: { name, ...begun, files: [], cachedShare: null, result: null, isCancelled: false },
    };
  }
  if (!known || !isAtWork(known)) return forks;
  const after = changed(known, event);
  return after === known ? forks : { ...forks, [known.name]: after };
}

function changed(fork: Fork, event: Exclude<ForkEvent, { kind: "ForkStarted" }>): Fork {
  switch (event.kind) {
    case "ForkWrote":
      return fork.files.includes(event.path) ? fork : { ...fork, files: [...fork.files, event.path] };
    case "ForkFirstAnswered":
      return fork.cachedShare === null ? { ...fork, cachedShare: event.cachedShare } : fork;
    case "ForkEnded":
      return { ...fork, result: event.result };
  }
}

/** Cancels what works, and all that works for it. */
function cancelWhere(forks: Forks, isMeant: (fork: Fork) => boolean): Forks {
  let next = forks;
  for (const fork of Object.values(forks)) {
    if (!isAtWork(fork) || !isMeant(fork)) continue;
    next = { ...next, [fork.name]: { ...fork, isCancelled: true } };
    next = cancelWhere(next, (below) => below.caller === fork.name);
  }
  return next;
}

/** The fork that a call began before, in this process or in an earlier one. */
export const forkOfCall = (
  forks: Forks,
  call: Pick<Fork, "caller" | "conversation" | "callId">,
): Fork | null =>
  Object.values(forks).find(
    (fork) =>
      fork.caller === call.caller &&
      fork.conversation === call.conversation &&
      fork.callId === call.callId &&
      !fork.isCancelled,
  ) ?? null;

/** Whose workspace a fork works in: the first caller that is no fork itself. */
export function rootCaller(forks: Forks, worker: string): string {
  const fork = Object.hasOwn(forks, worker) ? forks[worker] : undefined;
  return fork ? rootCaller(forks, fork.caller) : worker;
}

/** Another fork that has locked a path in the same workspace; null if none has. */
export const holderOf = (forks: Forks, fork: string, path: string): Fork | null =>
  Object.values(forks).find(
    (one) =>
      one.name !== fork &&
      isAtWork(one) &&
      one.files.includes(path) &&
      rootCaller(forks, one.name) === rootCaller(forks, fork) &&
      // What it writes for whom it works, or has written for it, is one work.
      !isAbove(forks, one.name, fork) &&
      !isAbove(forks, fork, one.name),
  ) ?? null;

/** Paths that others at work in the same workspace hold. */
export const heldByOthers = (forks: Forks, fork: string): readonly string[] => [
  ...new Set(
    Object.values(forks).flatMap((one) =>
      one.files.filter((path) => holderOf(forks, fork, path)?.name === one.name),
    ),
  ),
];

const isAbove = (forks: Forks, above: string, below: string): boolean => {
  const fork = Object.hasOwn(forks, below) ? forks[below] : undefined;
  return fork !== undefined && (fork.caller === above || isAbove(forks, above, fork.caller));
};

/** Forks of one caller that work at the same time. */
const maxForksAtOnce = 4;
/** Forks of a whole run. */
const maxForksPerRun = 100;

/** What holds forks back, as it is configured. */
export interface ForkLimits {
  readonly enabled: boolean;
  readonly allowClones: boolean;
  readonly maxDepth: number;
  readonly maxCloneForkDepth: number;
}

/** The depth of a new fork of this caller. A named one keeps the clone depth. (HIVE-3) */
export function depthBelow(
  forks: Forks,
  caller: string,
  isClone: boolean,
): Pick<Fork, "cloneDepth" | "namedDepth"> {
  const above = Object.hasOwn(forks, caller) ? forks[caller] : undefined;
  const { cloneDepth, namedDepth } = above ?? { cloneDepth: 0, namedDepth: 0 };
  return isClone ? { cloneDepth: cloneDepth + 1, namedDepth } : { cloneDepth, namedDepth: namedDepth + 1 };
}

/** Why a caller may not fork now, in words for a model, with the limit and where it is set; null: it may. */
export function whyNoFork(forks: Forks, caller: string, agent: string, limits: ForkLimits): string | null {
  const isClone = agent === cloneName;
  const depth = depthBelow(forks, caller, isClone);
  const ofCaller = Object.values(forks).filter((fork) => fork.caller === caller && isAtWork(fork));
  if (!limits.enabled) return "Forks are switched off (hive.enabled = false).";
  if (isClone && !limits.allowClones)
    return "Clones are switched off (hive.allow_clones = false). Name an agent, or do it yourself.";
  if (isClone && depth.cloneDepth > limits.maxCloneForkDepth)
    return `A clone here would be at depth ${depth.cloneDepth}; the maximum is ${limits.maxCloneForkDepth} (hive.max_clone_fork_depth). Do it yourself.`;
  if (!isClone && depth.namedDepth > limits.maxDepth)
    return `An agent here would be at depth ${depth.namedDepth}; the maximum is ${limits.maxDepth} (hive.max_depth). Do it yourself.`;
  if (ofCaller.length >= maxForksAtOnce)
    return `${ofCaller.length} of your forks are working, which is the maximum. Ask again when one of them has ended.`;
  const count = Object.keys(forks).length;
  if (count >= maxForksPerRun)
    return `This run has had ${count} forks, which is the maximum. Do it yourself.`;
  return null;
}
