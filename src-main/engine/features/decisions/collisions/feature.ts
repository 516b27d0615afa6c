import { z } from "zod";
import { parseAddress } from "#shared/domain/change-metadata/address.ts";
import { compareQueued } from "#shared/domain/change-metadata/rank.ts";
import { reachesAnyOf } from "#shared/domain/files/protected-files.ts";
import { inOneLine } from "#shared/domain/merge-request/merge-request.ts";
import {
  type Collision,
  type CollisionWait,
  collisionId,
  formatOrder,
  formatWait,
  openWaits,
  otherOf,
  reduceCollisions,
  unreportedTo,
  type WaitEnd,
  waitOf,
  waitsInCircle,
} from "#shared/domain/radar/collisions.ts";
import { formatPlace, type RadarPair } from "#shared/domain/radar/radar.ts";
import { type PromptText, prompt, promptLine, quoteText, section } from "#shared/domain/text/prompt-text.ts";
import { updatesFor } from "#shared/domain/updates/update-events.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import type { WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import { priorityOf } from "#shared/run/state.ts";
import { structuredTool, type Tool } from "../../../../tools/tool-interface.ts";
import { isNameIn } from "../../../graph-sync/radar.ts";
import { background, type Feature } from "../../../kernel/feature.ts";
import { askIfPossible } from "../../../orchestrators/orchestrator.ts";
import { handlerFor } from "../../../orchestrators/orchestrator-tools.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { isQuick, parentOf, rootOf } from "../../../workers/hierarchy.ts";
import { rebaseOntoTrunk } from "../../../workspaces/trunk.ts";

const recordOf = (run: RunReader, worker: string): WorkerRecord | undefined =>
  run.workers.get(worker)?.record;

/** Its work is not merged yet. */
const isUnfinished = (record: WorkerRecord | undefined): boolean =>
  record !== undefined &&
  roles[record.role].canWriteTask &&
  record.control.kind !== "reassigned" &&
  record.status !== "done" &&
  record.status !== "abandoned";

const isAtWork = (record: WorkerRecord | undefined): boolean =>
  isUnfinished(record) && (record?.status === "in_progress" || record?.status === "blocked");

/** Whether both are of this run. */
const isOfRun = (run: RunReader, { a, b }: Pick<Collision, "a" | "b">): boolean =>
  [a, b].every((name) => run.workers.has(name));

/** The other active run that a name belongs to: the one that it leads, or in which it works. */
const otherRunOf = (run: Run, worker: string): Run | undefined =>
  run.workers.has(worker) ? undefined : run.others().find((other) => isNameIn(other, worker));

const agentOf = (name: string): string => parseAddress(name).agent ?? name;

/** Its work has not landed, or is not merged where it is of this run. */
function isStillOpen(run: Run, worker: string): boolean {
  const other = otherRunOf(run, worker);
  return other === undefined
    ? isUnfinished(recordOf(run, worker))
    : worker === rootOf(other) || isUnfinished(recordOf(other, agentOf(worker)));
}

/** Pairs of the radar's last look that are new, or meet in further files. */
const newPairs = (run: Run): readonly RadarPair[] =>
  (run.radar.pairs() ?? []).filter(({ a, b, files }) => {
    const known = run.facts.collisions.find(({ id }) => id === collisionId(a, b));
    return (
      [a, b].every((name) => isStillOpen(run, name)) && files.some((file) => !known?.files.includes(file))
    );
  });

/** A worker's collisions that the radar's last look, if there was one, still shows. */
function currentCollisions(run: Run, worker: string): readonly Collision[] {
  const now = run.radar.pairs();
  return run.facts.collisions.filter(
    ({ id, a, b }) =>
      (a === worker || b === worker) &&
      [a, b].every((name) => isStillOpen(run, name)) &&
      (now === null || now.some((pair) => collisionId(pair.a, pair.b) === id)),
  );
}

/** More are named by their places. */
const maxPairs = 8;

/** Each place once, with all that meet there. */
function placeLines(found: readonly Collision[]): readonly PromptText[] {
  const workers = new Map<string, Set<string>>();
  for (const { a, b, places } of found)
    for (const place of places.map(formatPlace))
      workers.set(place, (workers.get(place) ?? new Set()).add(a).add(b));
  return [...workers].map(([place, names]) => promptLine`- ${place}: ${[...names].join(", ")}`);
}

/** What a worker reads of its collisions: who, where, what the other one is at, and what was ordered. */
function linesFor(run: Run, worker: string, found: readonly Collision[]): readonly PromptText[] {
  if (found.length === 0) return [];
  return [
    ...(found.length > maxPairs ? placeLines(found) : []),
    ...(found.length > maxPairs ? [] : found).map((one) => {
      const other = otherOf(one, worker);
      const places = one.places.map(formatPlace).join("; ");
      const otherRun = otherRunOf(run, other);
      if (otherRun) return promptLine`- ${other} in ${places}. ${inOneLine(purposeIn(otherRun, other))}`;
      const record = recordOf(run, other);
      const note = record?.remarks.at(-1) ?? "";
      const wait = one.order?.kind === "wait" && one.order.ended === null ? one.order : null;
      return promptLine`- ${other} in ${places}. Its task: ${inOneLine(record?.title ?? "")}.${
        note === "" ? "" : ` It notes: ${inOneLine(note)}.`
      }${wait?.for === worker ? ` It waits until your work is merged.` : ""}`;
    }),
    promptLine`A trial merge of your unfinished work and theirs would conflict there. Keep your edits to these lines small. If both of you have to change them, call align_request with what you need instead of guessing.`,
  ];
}

/** What somebody of another run is at: their task, and the goal of that run. */
function purposeIn(run: Run, worker: string): string {
  const goal = `"${run.row.input.goal}"`;
  return worker === rootOf(run)
    ? `It leads another run, whose work there is complete and has not landed: ${goal}.`
    : `It belongs to another run, of ${rootOf(run)}: ${goal}. Its task: ${recordOf(run, agentOf(worker))?.title ?? ""}.`;
}

/** @returns null where there is nothing new to say */
function interruption(run: Run, worker: string): PromptText | null {
  const current = currentCollisions(run, worker);
  const open = unreportedTo(run.facts.collisions, worker).filter((one) => current.includes(one));
  return open.length === 0
    ? null
    : prompt(
        promptLine`[NOTE] Hox forecasts a conflict of your work with that of others. Consider it, then go on with your task.`,
        section("Forecast conflicts", linesFor(run, worker, open)),
      );
}

function markReported(run: Run, worker: string): void {
  const current = currentCollisions(run, worker);
  const ids = unreportedTo(run.facts.collisions, worker)
    .filter((one) => current.includes(one))
    .map(({ id }) => id);
  if (ids.length > 0) run.append({ kind: "CollisionsReported", worker, ids });
}

/** Overlaps that the plan wants: a task builds on the other's, and both name the file. */
function isPlanned(run: RunReader, { a, b, places }: Collision): boolean {
  if (!isOfRun(run, { a, b })) return false;
  const plan = run.orchestratorFacts(parentOf(run, a)).plan;
  const taskOf = (worker: string) => plan?.tasks.find(({ id }) => id === recordOf(run, worker)?.task);
  const [one, other] = [taskOf(a), taskOf(b)];
  if (!one || !other) return false;
  const builds = (task: string, on: string): boolean =>
    plan?.tasks.find(({ id }) => id === task)?.after.some((before) => before === on || builds(before, on)) ===
    true;
  return (
    (builds(one.id, other.id) || builds(other.id, one.id)) &&
    places.every(({ path }) => [one, other].every(({ files }) => reachesAnyOf(path, files)))
  );
}

/** Who is asked about a pair: the parent of both, or the root where one is of another run. Null: nobody. */
function decider(run: Run, pair: Collision): string | null {
  if (!isOfRun(run, pair)) return rootOf(run);
  const [parent, other] = [pair.a, pair.b].map((name) => parentOf(run, name));
  return parent === other ? (parent ?? null) : null;
}

/** Whether something can still be ordered about a pair. */
function canBeOrdered(run: Run, pair: Collision): boolean {
  const { a, b } = pair;
  const other = [a, b].find((name) => !run.workers.has(name));
  return other === undefined
    ? [a, b].every((name) => isAtWork(recordOf(run, name)))
    : isStillOpen(run, other) && isAtWork(recordOf(run, otherOf(pair, other)));
}

/** Pairs about which nothing was ordered, by the orchestrator that is asked. */
function unordered(run: Run): ReadonlyMap<string, readonly Collision[]> {
  const found = new Map<string, Collision[]>();
  if (isQuick(run) || run.config.radar.onCollision === "inform") return found;
  for (const one of run.facts.collisions) {
    // What was asked is carried through.
    if (one.order !== null || (one.asked === null && (!canBeOrdered(run, one) || isPlanned(run, one))))
      continue;
    const by = decider(run, one);
    if (by !== null) found.set(by, [...(found.get(by) ?? []), one]);
  }
  return found;
}

/** Settles what is unordered below an orchestrator: by the settings, or as it answers. */
async function order(run: Run, orchestrator: string): Promise<void> {
  const all = unordered(run).get(orchestrator) ?? [];
  const asked = all.find((one) => one.asked !== null)?.asked ?? null;
  if (asked === null && run.config.radar.onCollision === "wait") {
    const own = all.filter((one) => isOfRun(run, one));
    const waits = own.map(({ id, a, b }) => ({ id, ...waiterOf(run, a, b) }));
    return give(run, { by: "hox", pairs: all, waits });
  }
  const key = asked ?? `forecast/${run.facts.collisions.filter((one) => one.asked !== null).length}`;
  if (asked === null) run.append({ kind: "CollisionsAsked", key, ids: all.map(({ id }) => id) });
  const pairs = run.facts.collisions.filter((one) => one.asked === key && one.order === null);
  const waits = await waitsWanted(run, orchestrator, key, pairs);
  give(run, { by: orchestrator, pairs, waits });
}

/** The lower priority waits, of equal ones the one that began later. */
function waiterOf(run: RunReader, a: string, b: string): Wanted {
  const queued = (name: string) => ({ id: "", priority: priorityOf(run.facts, name) });
  const names = [...run.workers.keys()];
  const isLater = compareQueued(queued(a), queued(b)) || names.indexOf(a) - names.indexOf(b);
  return isLater > 0 ? { worker: a, for: b } : { worker: b, for: a };
}

interface Wanted {
  readonly worker: string;
  readonly for: string;
}

function give(
  run: Run,
  {
    by,
    pairs,
    waits,
  }: {
    readonly by: string;
    readonly pairs: readonly Collision[];
    readonly waits: readonly (Wanted & { readonly id: string })[];
  },
): void {
  const ids = pairs.map(({ id }) => id);
  // Who finished meanwhile neither waits nor is waited for.
  const possible = waits.filter((wait) =>
    [wait.worker, wait.for].every((name) => isUnfinished(recordOf(run, name))),
  );
  const event = { kind: "CollisionsOrdered", by, ids, waits: possible } as const;
  const ordered = reduceCollisions(run.facts.collisions, event).filter(({ id }) => ids.includes(id));
  // Asked apart from its other events, an orchestrator reads with the next one what it ordered.
  const lines = ordered.map((one) =>
    inOneLine(`Forecast conflict of ${one.a} and ${one.b}: ${formatOrder(one)}`),
  );
  run.append(event, ...(by === "hox" ? [] : updatesFor(by, "children", lines)));
}

/** Asks the orchestrator once; what it decides or adds to its plan first is carried out. */
async function waitsWanted(
  run: Run,
  orchestrator: string,
  key: string,
  pairs: readonly Collision[],
): Promise<readonly (Wanted & { readonly id: string })[]> {
  let before: readonly PromptText[] = [];
  for (let round = 1; ; round++) {
    const open = pairs.filter((one) => canBeOrdered(run, one));
    if (open.length === 0) return [];
    const step = round === 1 ? key : `${key}/${round}`;
    const text = prompt(...before, questionText(run, open));
    const answer = await askIfPossible(run, orchestrator, step, "conflict forecast", text);
    if (answer === null) return [];
    const execute = handlerFor(run, answer.tool);
    if (execute === null)
      return answer.tool === "let_wait"
        ? waitShape.parse(answer.value).waits.map(({ agent, until_merged: other }) => ({
            ...{ worker: agent, for: other },
            id: pairOf(open, agent, other)?.id ?? "",
          }))
        : [];
    const { reply } = await execute(run, { orchestrator, key: step, value: answer.value, inReplyTo: null });
    before = [reply, promptLine`The event still wants its answer:`];
  }
}

const pairOf = (pairs: readonly Collision[], one: string, other: string): Collision | undefined =>
  pairs.find(({ a, b }) => (a === one && b === other) || (a === other && b === one));

const questionText = (run: Run, pairs: readonly Collision[]): PromptText =>
  prompt(
    section(
      "Agents whose unfinished work would conflict",
      pairs.length > maxPairs
        ? placeLines(pairs)
        : pairs.map((one) => promptLine`- ${one.a} and ${one.b}: ${one.places.map(formatPlace).join("; ")}`),
    ),
    ...[...new Set(pairs.flatMap(({ a, b }) => [a, b]))].flatMap((name) => {
      const otherRun = otherRunOf(run, name);
      if (otherRun) return section(name, [quoteText(purposeIn(otherRun, name))]);
      const record = recordOf(run, name);
      if (!record) return [];
      return section(name, [
        quoteText(record.title),
        ...record.remarks.slice(-1).map((note) => promptLine`It notes: ${note}`),
        promptLine`Iteration ${record.iteration + 1}, priority ${priorityOf(run.facts, name) ?? "medium"}.`,
      ]);
    }),
    promptLine`Both agents of each pair know. Most small overlaps need nothing more.`,
    ...(pairs.every((one) => isOfRun(run, one))
      ? []
      : [
          promptLine`Nobody of your run can wait for another run. Tell its root with inform what changes its work. A decision for both runs is the user's: propose yours with propose_mutation, and the user can put it to the other run as well.`,
        ]),
  );

const waitShape = z.strictObject({
  waits: z
    .array(
      z.strictObject({
        agent: z.string().min(1).max(200).describe("The one that waits."),
        until_merged: z.string().min(1).max(200).describe("The one whose work it waits for."),
      }),
    )
    .min(1)
    .max(20),
});

/** Says at the call what cannot be ordered, so that the model corrects it at once. */
function letWait(run: Run, orchestrator: string): Tool {
  const tool = structuredTool(
    "let_wait",
    "Pauses agents until the work of another one is merged. Each then gets that work and resolves the conflicts. Use it when two agents rewrite the same lines and one can build on the other.",
    waitShape,
  );
  return {
    ...tool,
    async run(input, context) {
      const { waits } = waitShape.parse(input);
      const pairs = (unordered(run).get(orchestrator) ?? []).filter((one) => isOfRun(run, one));
      const wrong = waits.find(({ agent, until_merged: other }) => !pairOf(pairs, agent, other));
      if (wrong)
        return {
          ok: false,
          error: "invalid-input",
          output: `${wrong.agent} and ${wrong.until_merged} are no pair of the event.`,
        };
      const circle = waits.find(
        (wait, at) =>
          waitsInCircle(run.facts.collisions, { worker: wait.agent, for: wait.until_merged }) ||
          waits
            .slice(0, at)
            .some((one) => one.agent === wait.until_merged && one.until_merged === wait.agent),
      );
      return circle
        ? {
            ok: false,
            error: "invalid-input",
            output: `${circle.until_merged} would wait for ${circle.agent}, too: neither would resume.`,
          }
        : tool.run(input, context);
    },
  };
}

/** Why a wait is over; null while it is worth waiting. */
function waitEnd(run: RunReader, wait: CollisionWait): WaitEnd | null {
  const [waiter, other] = [recordOf(run, wait.worker), recordOf(run, wait.for)];
  if (!isUnfinished(waiter)) return "finished";
  if (!other || other.status === "abandoned") return "abandoned";
  if (other.mergeRequest?.state.stage === "merged" || other.status === "done") return "merged";
  // Undone, paused or blocked: it may take long.
  if (other.status === "open") return "undone";
  return other.control.kind !== "worker" || other.blocked !== null ? "stopped" : null;
}

/** After a merge the waiting agent gets the work before its next turn, with what conflicts. */
async function endWait(run: Run, wait: CollisionWait): Promise<void> {
  const why = waitEnd(run, wait);
  if (why === null) return;
  const waiter = recordOf(run, wait.worker);
  // The user's files are not changed while they work with them.
  if (why === "merged" && waiter?.conflict === null && waiter.control.kind !== "user")
    await run.lock.withExclusive(wait.worker, async () => {
      await rebaseOntoTrunk(run, wait.worker, "with-conflicts");
      await run.refreshChanges();
    });
  run.append({ kind: "CollisionWaitEnded", id: wait.id, why });
  run.waiters.wake();
}

/** Reports forecast conflicts to agents and their orchestrator, which may let one agent wait for the other. */
export const collisions: Feature<Run> = {
  name: "collisions",
  agents: {
    gate: {
      name: "collisions",
      isClosed: (run, worker) => waitOf(run.facts.collisions, worker) !== null,
      async pass(run, worker, signal) {
        const wait = waitOf(run.facts.collisions, worker);
        if (wait === null) return false;
        run.setActivity(worker, "waiting", formatWait(wait));
        await run.waiters.until(() => waitOf(run.facts.collisions, worker) === null, signal);
        return true;
      },
    },
    prompt: {
      collisions: (run, { worker }) => [
        section("Forecast conflicts", linesFor(run, worker, currentCollisions(run, worker))),
      ],
    },
    interruptions: { word: interruption, read: markReported },
  },
  orchestratorTools: [
    { name: "report_done", answers: { "conflict forecast": 1 } },
    { name: "let_wait", answers: { "conflict forecast": 2 }, make: letWait },
  ],
  background: [
    background({
      desired: (run: Run) => (newPairs(run).length > 0 ? [{ id: "collisions/found" }] : []),
      async perform(run) {
        const pairs = newPairs(run).map(({ a, b, places }) => ({ a, b, places }));
        if (pairs.length > 0) run.append({ kind: "CollisionsFound", pairs });
      },
      failure: () => ({ title: "A forecast conflict could not be recorded" }),
    }),
    background({
      desired: (run: Run) =>
        [...unordered(run).keys()].map((orchestrator) => ({
          id: `collisions/order/${orchestrator}`,
          orchestrator,
        })),
      perform: (run, { orchestrator }) => order(run, orchestrator),
      failure: ({ orchestrator }) => ({
        title: `${orchestrator} could not be asked about a forecast conflict`,
        worker: orchestrator,
      }),
    }),
    background({
      desired: (run: Run) => openWaits(run.facts.collisions).filter((wait) => waitEnd(run, wait) !== null),
      perform: (run, wait) => endWait(run, wait),
      failure: ({ worker }) => ({ title: `${worker} could not get the work that it waited for`, worker }),
    }),
  ],
};
