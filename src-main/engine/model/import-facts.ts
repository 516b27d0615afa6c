/** What journals of before held of a run: facts that were written over, in place of events. */

import type { DecisionRecord } from "#shared/domain/decision/decision-events.ts";
import {
  type Dependencies,
  type DependencyEvent,
  reduceDependencies,
} from "#shared/domain/dependencies/dependency-events.ts";
import {
  addProtectedChange,
  type ProtectedChangeEvent,
  type ProtectedChangesOfRun,
} from "#shared/domain/files/protected-changes.ts";
import { rootOrchestrator } from "#shared/domain/graph-words/address.ts";
import type { Status } from "#shared/domain/graph-words/metadata.ts";
import type { Landed, LandingState } from "#shared/domain/landing/landing-events.ts";
import type { Fold, FoldReview } from "#shared/domain/merge-request/fold.ts";
import type { News, NewsOfRun } from "#shared/domain/news/news-events.ts";
import { noOwnFacts, type OwnFacts } from "#shared/domain/plan/plan-events.ts";
import { type FirstLookEvent, notLooked, reduceFirstLook } from "#shared/domain/project/first-look.ts";
import {
  type CheckRound,
  type NewWorker,
  newWorker,
  type WorkerRecord,
} from "#shared/domain/worker/worker-record.ts";
import type { ModelEvent } from "./run-events.ts";
import { emptyModel, type RunModel } from "./run-model.ts";

/** The fact "run" as it stood in journals of before; the oldest knew one orchestrator only. */
type StoredRun = Partial<
  Omit<RunModel, "workers" | "decisions" | "orchestrators" | "landing" | "questions">
> &
  Partial<OwnFacts> & {
    readonly exchanges?: RunModel["questions"];
    readonly orchestrators?: Readonly<Record<string, Partial<OwnFacts>>>;
    /** `from` and `to` are those between which the branch moved; the oldest did not keep them. */
    readonly landed?:
      | (Pick<Landed, "bookmark" | "changeId"> & {
          readonly from?: string | null;
          readonly to?: string;
          readonly undoneAt?: number | null;
        })
      | null;
    readonly decisions?: readonly (Omit<DecisionRecord, "orchestrator"> & {
      readonly orchestrator?: string;
    })[];
  };

/** The fact of a worker as it stood there; nothing in it says anything of what is counted elsewhere now. */
type StoredWorker = Omit<NewWorker, "fold"> & {
  readonly contextTokens?: number;
  readonly toolCalls?: number;
  /** Fields that are called otherwise now. */
  readonly fold?: (Omit<Fold, "reviews"> & { readonly voices: readonly FoldReview[] }) | null;
  readonly held?: boolean;
  readonly seen?: WorkerRecord["lastGraphStatus"];
  readonly byHand?: WorkerRecord["takeover"];
  readonly took?: WorkerRecord["trunkSync"];
  readonly quiet?: WorkerRecord["stall"];
  readonly quiets?: number;
  readonly still?: number;
  readonly stuck?: WorkerRecord["blocked"];
  readonly stucks?: number;
  readonly helped?: number;
  readonly exchange?: string | null;
};

/** @param imported `run`: the fact of that name; `facts`: all others whose concept is told by events now, by name */
export function importFacts(imported: Extract<ModelEvent, { kind: "Imported" }>): RunModel {
  const stored = (imported.run ?? {}) as StoredRun;
  const { plan, planApproved, base, integration, orchestrators, decisions, landed, exchanges, ...rest } =
    stored;
  const alone = withoutUndefined({ plan, planApproved, base, integration }) as Partial<OwnFacts>;
  const leads: Readonly<Record<string, Partial<OwnFacts>>> = {
    [rootOrchestrator]: alone,
    ...orchestrators,
  };
  return {
    ...emptyModel,
    ...withoutUndefined(rest),
    questions: exchanges ?? [],
    orchestrators: Object.fromEntries(
      Object.entries(leads).flatMap(([name, own]) => {
        const all = { ...importOwn(name, imported.facts), ...own };
        return JSON.stringify(all) === JSON.stringify(noOwnFacts) ? [] : [[name, all] as const];
      }),
    ),
    news: importNews(Object.keys(leads), imported.facts),
    messages: (imported.facts.messages ?? null) as RunModel["messages"],
    decisions: (decisions ?? []).map((one) => ({
      ...one,
      orchestrator: one.orchestrator ?? rootOrchestrator,
    })),
    workers: Object.fromEntries(
      Object.entries(imported.facts)
        .filter(([name]) => name.startsWith("worker/"))
        .map(([, fact]) => importWorker(fact as StoredWorker, imported.facts))
        .map((worker) => [worker.name, worker]),
    ),
    firstLook: eventsUnder<FirstLookEvent>(imported.facts, "first-look/").reduce(reduceFirstLook, notLooked),
    dependencies: eventsUnder<DependencyEvent>(imported.facts, "dependencies/").reduce<Dependencies>(
      reduceDependencies,
      [],
    ),
    packages: (imported.facts["installed-packages"] ?? null) as RunModel["packages"],
    areCopiesTold: imported.facts["whole-copies-told"] === true,
    protectedChanges: factsUnder(imported.facts, "protected-changes/").reduce<ProtectedChangesOfRun>(
      (before, [name, event]) =>
        addProtectedChange(before, name.split("/")[0] ?? "", event as ProtectedChangeEvent),
      {},
    ),
    landing: importLanding(imported.facts, landed ?? null),
    troubles: Object.fromEntries(
      factsUnder(imported.facts, "trouble/").map(([of, count]) => [of, Number(count)]),
    ),
    hasPendingHooks: imported.facts["hooks-after-run"] === "due",
  };
}

type Facts = Readonly<Record<string, unknown>>;

/** All whose names begin so, by the rest of the name. */
const factsUnder = (facts: Facts, beginning: string): readonly (readonly [string, unknown])[] =>
  Object.entries(facts).flatMap(([name, value]) =>
    name.startsWith(beginning) ? [[name.slice(beginning.length), value] as const] : [],
  );

/** Events were facts with numbers for names, written in their order. */
const eventsUnder = <Event>(facts: Facts, beginning: string): readonly Event[] =>
  factsUnder(facts, beginning).map(([, event]) => event as Event);

/** What stood under an orchestrator's own names; the root's had no other. */
const factOf = (orchestrator: string, facts: Facts, name: string): unknown =>
  facts[orchestrator === rootOrchestrator ? name : `${orchestrator}/${name}`];

function importOwn(orchestrator: string, facts: Facts): OwnFacts {
  const fact = (name: string): unknown => factOf(orchestrator, facts, name);
  const refusals = factsUnder(
    facts,
    orchestrator === rootOrchestrator ? "plan-rejected/" : `${orchestrator}/plan-rejected/`,
  );
  return {
    ...noOwnFacts,
    refusals: Object.fromEntries(refusals) as OwnFacts["refusals"],
    firstTouching: (fact("plan-touching") ?? null) as OwnFacts["firstTouching"],
    amendment: (fact("amendment") ?? null) as OwnFacts["amendment"],
    contractsWritten: Number(fact("contracts-written") ?? 0),
    contractsCorrected: Number(facts[`contracts-in-conflict/${orchestrator}`] ?? 0),
    merged: (fact("merged-checks") ?? null) as OwnFacts["merged"],
  };
}

const importNews = (orchestrators: readonly string[], facts: Facts): NewsOfRun =>
  Object.fromEntries(
    orchestrators.flatMap((name) => {
      const plan = (factOf(name, facts, "plan-news") ?? []) as News["plan"];
      const children = (factOf(name, facts, "child-news") ?? []) as News["children"];
      return plan.length + children.length === 0 ? [] : [[name, { plan, children }] as const];
    }),
  );

function importLanding(facts: Facts, landed: StoredRun["landed"] | null): LandingState {
  return {
    judged: (facts["validated-commit"] ?? null) as LandingState["judged"],
    question: Number(facts["land-round"] ?? 0),
    shown: (facts["land-shown"] ?? null) as LandingState["shown"],
    bringing: (facts["landing-bringing"] ?? null) as LandingState["bringing"],
    brought: (facts["landing-brought"] ?? null) as LandingState["brought"],
    hasTrunkMoved: facts["trunk-moved"] === true,
    isReturned: false,
    compared: null,
    move: (facts["land-move"] ?? null) as LandingState["move"],
    landed: landed ? importLanded(landed) : null,
  };
}

const importLanded = ({
  bookmark,
  changeId,
  from,
  to,
  undoneAt,
}: NonNullable<StoredRun["landed"]>): Landed => ({
  bookmark,
  changeId,
  move: from === undefined || to === undefined ? null : { from, to },
  undoneAt: undoneAt ?? null,
});

function importWorker(stored: StoredWorker, facts: Facts): WorkerRecord {
  const { fold, held, seen, byHand, took, quiet, quiets, still, stuck, stucks, helped, exchange, ...named } =
    stored;
  const {
    contextTokens: _,
    toolCalls: __,
    ...worker
  } = {
    fold: fold && importFold(fold),
    isHeld: held,
    lastGraphStatus: seen,
    takeover: byHand,
    trunkSync: took,
    stall: quiet,
    stallCount: quiets,
    idleIterations: still,
    blocked: stuck,
    blockCount: stucks,
    parentAttempts: helped,
    awaitedQuestion: exchange,
    ...named,
  };
  const said = facts[`status-said/${worker.name}`] as Status | null | undefined;
  const count = (name: string): number => Number(facts[`${name}/${worker.name}`] ?? 0);
  const checkRounds = Object.entries(facts)
    .filter(([name]) => name.startsWith(`checks/${worker.name}/`))
    .map(([, fact]) => fact as CheckRound);
  return {
    ...newWorker(withoutUndefined(worker) as NewWorker),
    budgetStops: count("budget-stops"),
    grants: count("granted"),
    checkRounds,
    setUp: (facts[`set-up/${worker.name}`] ?? null) as WorkerRecord["setUp"],
    remarks: (facts[`notes/${worker.name}`] ?? []) as WorkerRecord["remarks"],
    handled: factsUnder(facts, "handled/").flatMap(([name, isHandled]) => {
      const [message = "", reader] = name.split("/");
      return isHandled === true && reader === worker.name ? [message] : [];
    }),
    ...(said === undefined || said === null ? {} : { statusSaid: { status: said, nth: 1 }, statusesSaid: 1 }),
  };
}

const importFold = ({ voices, ...fold }: NonNullable<StoredWorker["fold"]>): Fold => ({
  ...fold,
  reviews: voices,
});

const withoutUndefined = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as T;
