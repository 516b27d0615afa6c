/** One run over a set of a project: by a team, or by one agent alone, with scripted words or with a real model. */
import { join } from "node:path";
import { type Surroundings, setUpProject } from "../../e2e/real/repository.ts";
import { initInGitRepository } from "../../src-main/jj/init.ts";
import { priceOf } from "../../src-main/model/price-table.ts";
import { type StandIn, startStandIn } from "../../src-main/model/stand-in/stand-in.ts";
import { MeasuredHost } from "../measured-host/measured-host.ts";
import { isOver, type RunSeen, type ToolSeen } from "../measured-host/messages.ts";
import type { Feature, FeatureSet, Files, TeamProject } from "./feature.ts";
import {
  type AgentTimes,
  askerOf,
  type NamedPair,
  type Observed,
  type Spending,
  spendingBy,
} from "./score.ts";
import { type Fault, goalOf, type Resolution, teamScript, writesIn } from "./script.ts";

/** A model behind a key of the user's. */
export interface RealModel {
  readonly apiKey: string;
  readonly model: string;
  /** Default: the provider's own. */
  readonly url?: string;
}

export interface RunOptions {
  readonly project: TeamProject;
  readonly set: FeatureSet;
  /** The files that its features change, as they are before. */
  readonly base: Files;
  /** One agent has all features as its task, and nobody plans or judges. */
  readonly isAlone?: boolean;
  readonly faults?: Readonly<Record<string, Fault>>;
  /** Kills the host once in the middle of the work, and cuts a conversation. */
  readonly kills?: boolean;
  readonly real?: RealModel | null;
  readonly say: (line: string) => void;
}

/** No run takes longer, also on a busy machine. */
const limitMs = 20 * 60_000;
/** Of the scripted orchestrator and validators; agents have their own pace. */
const latencyMs = 3_000;
/** When an answer begins, long before it is complete, as a provider's does. */
const beginMs = latencyMs / 5;
/** Of a run with a real model: about ten times what one should take. */
const maxRealTokens = 5_000_000;
/** The one that validators have by default: then all roles cost the same. */
const scriptedModel = "claude-sonnet-5-5";

/** The project as it was published, at the same path each time, in a repository that jj knows. */
export async function freshProject(project: TeamProject, cache: string): Promise<Surroundings> {
  const there = await setUpProject(project, cache, () => undefined);
  Object.assign(process.env, there.environment);
  await initInGitRepository(there.root);
  return there;
}

/** Takes down what a run does, as it does it. */
class Notes {
  readonly named: NamedPair[] = [];
  readonly resolutions: Resolution[] = [];
  readonly #written = new Map<string, Record<string, number>>();
  readonly #done = new Map<string, number>();
  readonly #features: readonly Feature[];
  #byWorker = new Map<string, string>();

  constructor(features: readonly Feature[]) {
    this.#features = features;
  }

  seeRun({ workers, radar }: RunSeen): void {
    for (const { name, title } of workers) {
      const feature = this.#features.find((one) => one.title === title);
      if (feature) this.#byWorker.set(name, feature.id);
    }
    for (const pair of radar) {
      const [a, b] = [this.#byWorker.get(pair.a), this.#byWorker.get(pair.b)];
      if (a === undefined || b === undefined) continue;
      if (!this.named.some((one) => one.a === a && one.b === b)) this.named.push({ a, b, at: Date.now() });
    }
  }

  seeTool({ worker, tool, path, hasFailed, at }: ToolSeen): void {
    const feature = this.#byWorker.get(worker);
    if (feature === undefined || hasFailed || this.#done.has(feature)) return;
    if (tool === "report_done") this.#done.set(feature, at);
    else if (path !== null && /^(?:write|edit)_file$/u.test(tool))
      this.#written.set(feature, { ...this.#written.get(feature), [path]: at });
  }

  times(): Readonly<Record<string, AgentTimes>> {
    return Object.fromEntries(
      this.#features.map(({ id }) => [
        id,
        { written: this.#written.get(id) ?? {}, done: this.#done.get(id) ?? null },
      ]),
    );
  }
}

/** Runs it in a repository made by `freshProject`. */
export async function runSet(there: Surroundings, options: RunOptions): Promise<Observed> {
  const { project, set, base, isAlone = false, faults = {}, real = null, say } = options;
  const notes = new Notes(set.features);
  const scripted = {
    ...{ project, set, base, faults },
    onResolution: (one: Resolution) => void notes.resolutions.push(one),
  };
  const standIn = real
    ? null
    : await startStandIn({ script: teamScript(scripted, isAlone), latencyMs, beginMs });
  const model = real ?? standIn;
  if (!model) throw new Error("There is neither a real model nor a scripted one.");
  const start = async (): Promise<MeasuredHost> => {
    const host = await MeasuredHost.start({
      root: there.root,
      stateFolder: join(there.folder, "state"),
      model,
    });
    host.onRun = (run) => notes.seeRun(run);
    host.onTool = (tool) => notes.seeTool(tool);
    return host;
  };
  let host = await start();
  let jj = 0;
  try {
    const begun = performance.now();
    host.begin(goalOf(set), {
      ...{ quick: isAlone, model: real?.model ?? scriptedModel },
      ...(real ? { maxTokens: maxRealTokens } : {}),
    });
    if (options.kills && standIn) {
      jj += await killInTheMiddle(host, standIn);
      say(`${project.name} ${set.name}: killed the host after ${standIn.count()} requests`);
      host = await start();
    }
    const stuck = await waitForEnd(host, standIn);
    const wallMs = performance.now() - begun;
    if (stuck !== null) say(`${project.name} ${set.name}: ${stuck}`);
    const run = host.run;
    return {
      hasLanded: stuck === null && run?.stage === "complete",
      stuck,
      wallMs,
      jj: jj + (host.gone ? 0 : (await host.measure()).jj),
      tokens: run?.tokens ?? 0,
      microDollars: run?.microDollars ?? 0,
      spending: standIn && spendingOf(standIn),
      named: notes.named,
      times: notes.times(),
      resolutions: notes.resolutions,
      cards: host.cards.length + host.notices.filter(({ level }) => level === "decided").length,
    };
  } finally {
    await host.close();
    await standIn?.close();
  }
}

const spendingOf = (standIn: StandIn): readonly Spending[] =>
  spendingBy(
    standIn.requests().flatMap(({ seen, usage }) =>
      usage === null
        ? []
        : [
            {
              who: askerOf(seen),
              spent: { usage, microDollars: priceOf(usage, seen.model), requests: 1 },
            },
          ],
    ),
  );

/** @returns why it did not come to its end, or null */
async function waitForEnd(host: MeasuredHost, standIn: StandIn | null): Promise<string | null> {
  const unmatched = (): readonly string[] => standIn?.unmatched() ?? [];
  try {
    await host.until(
      () => (host.run !== null && isOver(host.run)) || host.cards.length > 0 || unmatched().length > 0,
      limitMs,
    );
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  const [unscripted] = unmatched();
  if (unscripted !== undefined) return `not in the script: ${unscripted}`;
  if (host.run?.stage === "complete") return null;
  if (host.run && isOver(host.run)) return `${host.run.stage}: ${host.run.failure?.reason ?? ""}`;
  return `waits for the user: ${JSON.stringify(host.cards)}`;
}

/** As a power cut does, when half of the agents have begun to write. @returns jj processes so far */
async function killInTheMiddle(host: MeasuredHost, standIn: StandIn): Promise<number> {
  standIn.fail({ kind: "cut", role: "agent-1", turns: 1 });
  const wrote = (): number =>
    standIn.requests().filter(({ seen }) => seen.role.startsWith("agent-") && writesIn(seen) === 1).length;
  await host.until(() => wrote() >= 2, limitMs);
  const { jj } = await host.measure();
  await host.kill();
  return jj;
}
