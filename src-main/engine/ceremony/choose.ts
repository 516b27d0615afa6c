/** What a plan asks for beside its agents, chosen with it and kept in the course of the run. (docs/decisions/0012) */
import { setImmediate as others } from "node:timers/promises";
import type { Ceremony } from "#shared/domain/ceremony/ceremony-parts.ts";
import { sameCeremony } from "#shared/domain/ceremony/ceremony-rules.ts";
import type { ImportGraph } from "#shared/domain/imports/import-graph.ts";
import { ceremonyOf } from "#shared/domain/plan/ceremony-of-plan.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { namesToLookFor } from "#shared/domain/plan/shared-names.ts";
import { explain } from "../engine-errors.ts";
import { readChange } from "../graph-sync/read-change.ts";
import type { StageEvent } from "../model/run-events.ts";
import type { Run, RunReader } from "../ports.ts";
import { rootOf } from "../workers/hierarchy.ts";

/** What a plan needs, with what the repository says. Nothing is kept of it but which names were found. */
export async function ceremonyFor(
  run: Run,
  orchestrator: string,
  plan: Plan,
  imports: ImportGraph | null,
): Promise<Ceremony> {
  const { ceremony } = run.config;
  // Where the configuration decides, nobody has to look.
  const known =
    ceremony.contracts === "auto" ? await knownNames(run, orchestrator, namesToLookFor(plan)) : [];
  return ceremonyOf(plan, { known: new Set(known), imports, isPart: orchestrator !== rootOf(run) }, ceremony);
}

/** What keeps what was chosen; nothing where it is known. What began already keeps its contracts as they are. */
export function ceremonyEvents(
  run: RunReader,
  orchestrator: string,
  ceremony: Ceremony,
): readonly StageEvent[] {
  const { ceremony: now, course } = run.stateOf(orchestrator);
  const chosen =
    course.stage === "planning" || now === null ? ceremony : { ...ceremony, contracts: now.contracts };
  return sameCeremony(now, chosen)
    ? []
    : [{ kind: "StageMoved", orchestrator, event: { kind: "CeremonyChosen", ceremony: chosen } }];
}

/** Enough to find a name that a person would know of; what lies beyond counts as not there, and is written down. */
const limits = { files: 4_000, maxFileBytes: 400_000, maxBytes: 16_000_000, maxMs: 3_000 };

const noText =
  /(?:^|\/)(?:node_modules|vendor|third_party|dist|\.venv|venv|site-packages)\/|\.(?:png|jpe?g|gif|ico|pdf|zip|gz|woff2?|ttf|lock|svg|min\.[cm]?js)$/iu;

/** Those of the names that stand in what an orchestrator's tasks build on, as paths or in its texts. */
async function knownNames(
  run: Run,
  orchestrator: string,
  names: readonly string[],
): Promise<readonly string[]> {
  const { namesKnown } = run.orchestratorFacts(orchestrator);
  const asked = names.filter((name) => !Object.hasOwn(namesKnown, name));
  if (asked.length > 0) {
    const found = await lookFor(run, orchestrator, asked);
    run.append({ kind: "NamesLookedUp", orchestrator, found });
  }
  const known = run.orchestratorFacts(orchestrator).namesKnown;
  return names.filter((name) => known[name] === true);
}

async function lookFor(
  run: Run,
  orchestrator: string,
  names: readonly string[],
): Promise<Readonly<Record<string, boolean>>> {
  const { base } = run.orchestratorFacts(orchestrator);
  if (base === null) return {};
  try {
    const { commitId } = await readChange(run, base);
    const files = await run.repository.listFiles(commitId);
    const isPath = (name: string): boolean =>
      files.some(
        (path) =>
          path === name || path.endsWith(`/${name}`) || path.startsWith(`${name.replace(/\/$/u, "")}/`),
      );
    const left = new Set(names.filter((name) => !isPath(name)));
    const there = Object.fromEntries(names.map((name) => [name, !left.has(name)]));
    if (left.size === 0) return there;
    const depth = (path: string): number => path.split("/").length;
    const paths = files
      .filter((path) => !noText.test(path))
      .toSorted((one, other) => depth(one) - depth(other));
    const texts = await run.repository.readTexts(commitId, paths.slice(0, limits.files), {
      maxFileBytes: limits.maxFileBytes,
      maxBytes: limits.maxBytes,
      maxMs: limits.maxMs,
      signal: run.runEnded.signal,
    });
    let begun = performance.now();
    for (const text of texts.values()) {
      for (const name of left)
        if (text.includes(name)) {
          there[name] = true;
          left.delete(name);
        }
      if (performance.now() - begun < 8) continue;
      // Agents and the window have their turn every few milliseconds.
      await others();
      begun = performance.now();
    }
    return there;
  } catch (error) {
    if (run.runEnded.signal.aborted) throw error;
    run.emit({
      kind: "notice",
      level: "warning",
      text: `Which names the repository has could not be looked up: ${explain(error).message}`,
      remedy:
        "Names that tasks share count as new, so contracts are written for them; the plan's card changes that.",
    });
    return {};
  }
}
