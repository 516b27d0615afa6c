/**
 * Ends this process by SIGKILL at chosen moments of a run: before and after every write of the journal, inside every
 * transaction, before, during and after every jj operation, and around every call to a forge. What is chosen depends on names and counts alone, never on
 * time, so a death can be found again.
 */
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import type { Forges } from "../../forge/connect.ts";
import type { Forge } from "../../forge/forge-interface.ts";
import type { Repository } from "../../jj/ports/repository-interface.ts";
import type { Workspace } from "../../jj/ports/working-copies.ts";
import type { Journal } from "../../journal/journal.ts";

/** Which points of all are deadly. */
export type Selection =
  /** The first point of each kind, or of the kinds in one of `of` parts. */
  | { readonly kind: "each-kind"; readonly of?: number }
  /** The first point of each name that holds these words: what happens around one thing. */
  | { readonly kind: "named"; readonly words: string }
  /** One part of all points of `points`, so that several runs together die at every one. */
  | { readonly kind: "share"; readonly part: number; readonly of: number; readonly points: string }
  | { readonly kind: "none" };

/** What a process leaves behind for the one that looks at it: one JSON line each, written before anything follows. */
export type Trace =
  | { readonly kind: "passed"; readonly point: string }
  | { readonly kind: "killed"; readonly point: string; readonly place: number }
  | { readonly kind: "started"; readonly run: string }
  /** A user's answer was about to be given. */
  | { readonly kind: "given"; readonly card: string; readonly decision: unknown }
  /** The engine has said that it has the answer. */
  | { readonly kind: "taken"; readonly card: string };

export function readTrace(file: string): readonly Trace[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Trace);
}

export const note = (file: string, entry: Trace): void => appendFileSync(file, `${JSON.stringify(entry)}\n`);

/** `journal.setStep base before` → `journal.setStep before`. */
export const kindOf = (point: string): string => {
  const words = point.split(" ");
  return `${words[0]} ${words.at(-1)}`;
};

/** The same for the same name, and spread evenly. */
const numberOf = (name: string): number => createHash("sha256").update(name).digest().readUInt32BE();

/** How often each point is passed in a run in which nobody dies. */
export type PointCounts = Readonly<Record<string, number>>;

/** Points that only a start after a death comes by are deadly so often. */
const newPlaces = 2;
/** Looks at a forge are many and alike: so many of each are deadly. */
const maxLooks = 3;

export interface KillPoints {
  /** This moment is one of them. */
  at(point: string): void;
  journal(journal: Journal): Journal;
  repository(repository: Repository): Repository;
  forges(forges: Forges): Forges;
}

export function createKillPoints(file: string, selection: Selection): KillPoints {
  const passed = new Map<string, number>();
  const killed = new Set<string>();
  const kinds = new Set<string>();
  for (const entry of readTrace(file)) {
    if (entry.kind === "passed") passed.set(entry.point, (passed.get(entry.point) ?? 0) + 1);
    if (entry.kind === "killed") {
      killed.add(`${entry.point}#${entry.place}`);
      kinds.add(kindOf(entry.point));
    }
  }

  const counts =
    selection.kind === "share" ? (JSON.parse(readFileSync(selection.points, "utf8")) as PointCounts) : {};

  const chosen = (point: string, place: number): boolean => {
    switch (selection.kind) {
      case "none":
        return false;
      case "each-kind":
        // Before an operation is behind whatever was written last.
        return (
          !kinds.has(kindOf(point)) &&
          !/^jj\..* before$/u.test(point) &&
          numberOf(kindOf(point)) % (selection.of ?? 1) === 0
        );
      case "named":
        return place === 0 && point.includes(selection.words);
      case "share": {
        const isLook = /^forge\.(?:read|find|checks|reviews|threads)/u.test(point);
        if (place >= Math.min(counts[point] ?? newPlaces, isLook ? maxLooks : Number.POSITIVE_INFINITY))
          return false;
        return numberOf(`${point}#${place}`) % selection.of === selection.part;
      }
    }
  };

  const at = (point: string): void => {
    const place = passed.get(point) ?? 0;
    if (!killed.has(`${point}#${place}`) && chosen(point, place)) {
      note(file, { kind: "killed", point, place });
      process.kill(process.pid, "SIGKILL");
    }
    passed.set(point, place + 1);
    note(file, { kind: "passed", point });
  };

  return {
    at,
    journal: (journal) => aroundWrites(journal, at),
    repository: (repository) => aroundOperations(repository, "", () => repository.processCount(), at),
    forges: (forges) => ({
      ...forges,
      async ofRemotes(...given) {
        const found = await forges.ofRemotes(...given);
        return { ...found, forge: aroundCalls(found.forge, at) };
      },
    }),
  };
}

/** The forge has done it, or not, and nobody has heard of it. */
const aroundCalls = (forge: Forge, at: (point: string) => void): Forge =>
  new Proxy(forge, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== "function") return value;
      return async (...given: unknown[]): Promise<unknown> => {
        at(`forge.${String(property)} before`);
        const answer: unknown = await value.apply(target, given);
        at(`forge.${String(property)} after`);
        return answer;
      };
    },
  });

const readings: ReadonlySet<string> = new Set<keyof Journal>([
  ...(["runs", "events", "events", "step", "config", "rows", "rowCount", "history", "spending"] as const),
  ...(["inboxItem", "openInbox", "votes", "openConversation", "close"] as const),
  "verdicts",
]);

/**
 * Whatever does not only read is a write. Inside a transaction there is one point, before it is kept; that and the one after
 * it name the events in it.
 */
function aroundWrites(journal: Journal, at: (point: string) => void): Journal {
  let inside = false;
  let events: string[] = [];
  return new Proxy(journal, {
    get(target, property, proxy) {
      const value: unknown = Reflect.get(target, property, proxy);
      if (typeof value !== "function" || readings.has(String(property))) return value;
      const write = value as (this: Journal, ...args: unknown[]) => unknown;
      return (...args: unknown[]): unknown => {
        if (inside) {
          if (property === "addEvent") events.push(subject(args.slice(1)));
          return write.apply(proxy, args);
        }
        const point = `journal.${String(property)} ${subject(args)}`;
        const named = (): string => `${point}${[...new Set(events)].join("+").slice(0, 80)}`;
        at(`${point} before`);
        inside = true;
        events = [];
        try {
          if (property === "together" || args.some((one) => typeof one === "function")) {
            const body = args[0] as () => void;
            return write.call(proxy, () => {
              body();
              at(`${named()} inside`);
            });
          }
          return write.apply(proxy, args);
        } finally {
          inside = false;
          at(`${named()} after`);
        }
      };
    },
  });
}

/** Names what a call is about, the same in every run: ids that differ from run to run are left out. */
function subject(args: readonly unknown[]): string {
  const words = args.slice(0, 2).flatMap((one) => {
    if (typeof one === "string") return [one];
    if (typeof one === "object" && one !== null && "kind" in one) return [String(one.kind)];
    return [];
  });
  return words
    .join(" ")
    .replaceAll(/\b[k-z]{32}\b|\b(?=[a-z]*\d)[0-9a-z]{10,}\b/gu, "*")
    .replaceAll(/\s+/gu, "_")
    .slice(0, 80);
}

/** What publishes no operation. All else is one, so that a new kind of operation is deadly by itself. */
const lookings: ReadonlySet<string> = new Set<keyof Repository | keyof Workspace>([
  ...([
    "currentOperation",
    "mayBeDescribedSince",
    "onlyOwnBetween",
    "operationsUpTo",
    "readGraph",
    "readDelta",
    "readPublishedDelta",
    "query",
    "refs",
    "change",
    "changesOf",
    "changesOfRun",
    "conflictsOfRun",
    "parentsOf",
    "descendantsOf",
    "headsOf",
    "isAncestor",
    "changedPaths",
    "changesBetween",
    "hasSameFiles",
  ] as const),
  ...([
    "operations",
    "diff",
    "diffs",
    "interdiff",
    "changedFiles",
    "listFiles",
    "readFile",
    "readTexts",
    "lineOrigins",
  ] as const),
  ...(["conflictedFiles", "dryRun", "trialMerge", "watch", "idle", "close"] as const),
  ...(["processCount", "processesByCommand"] as const),
  ...(["diffFiles", "remotes", "previewPush", "branches", "gitStand", "refusalToMove", "pushedTo"] as const),
  ...(["identity", "watchGit", "notes", "keepsNotes"] as const),
  ...(["workingCopy", "isQueueBusy"] as const),
]);

function aroundOperations<T extends object>(
  repository: T,
  name: string,
  started: () => number,
  at: (point: string) => void,
): T {
  return new Proxy(repository, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== "function") return value;
      const call = value as (...args: unknown[]) => unknown;
      const own = String(property);
      const around = (workspace: unknown, of: string) =>
        aroundOperations(workspace as object, of, started, at);
      // Handles of workspaces write too.
      if (own === "workspace")
        return (...args: unknown[]) => around(call.apply(target, args), String(args[0]));
      if (lookings.has(own)) return call.bind(target);
      return async (...args: unknown[]) => {
        const point = `jj.${own} ${name}`;
        at(`${point} before`);
        const before = started();
        let running = true;
        const result = Promise.resolve(call.apply(target, args)).finally(() => {
          running = false;
        });
        result.catch(() => undefined);
        // As soon as jj runs: it goes on without its host.
        while (running && started() === before) await new Promise((resolve) => setImmediate(resolve));
        if (running) at(`${point} during`);
        const done = await result;
        at(`${point} after`);
        return done !== null && typeof done === "object" && "workspace" in done
          ? { ...done, workspace: around(done.workspace, name) }
          : done;
      };
    },
  });
}
