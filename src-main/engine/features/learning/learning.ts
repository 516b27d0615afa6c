import { z } from "zod";
import { rootOrchestrator } from "#shared/domain/graph-words/address.ts";
import type { MetadataPatch } from "#shared/domain/graph-words/metadata.ts";
import { isBlocking } from "#shared/domain/project/known-failures.ts";
import { prompt, promptLine, section } from "#shared/domain/text/prompt-text.ts";
import { score } from "#shared/domain/validation/score.ts";
import { metricsTrailer, sumMetrics } from "../../../metrics/collector.ts";
import { extractPatterns } from "../../../patterns/learned.ts";
import { createPatternStore, PatternRefused } from "../../../patterns/pattern-store.ts";
import { patternHash, renderPattern } from "../../../patterns/pattern-text.ts";
import { type PatternProposal, patternCategories } from "../../../patterns/patterns-interface.ts";
import { taught } from "../../ceremony/result.ts";
import { readChange } from "../../graph-sync/read-change.ts";
import { bestEffort } from "../../kernel/best-effort.ts";
import { askIfPossible } from "../../orchestrators/orchestrator.ts";
import { doAsAnswered, reply } from "../../orchestrators/replies.ts";
import {
  ownLog,
  type Run,
  type RunDriver,
  type RunJournal,
  type RunReader,
  type RunScreen,
} from "../../ports.ts";
import { recordedRun, recordedRuns, runFiguresOf } from "../../run/recorded-runs.ts";
import { ceremonyIn, integratorOf, orchestratorsOf } from "../../workers/hierarchy.ts";

export const patternShape = z.strictObject({
  name: z.string().min(1).max(100),
  category: z.enum(patternCategories),
  confidence: z.number().min(0).max(1),
  markdown: z.string().min(1).max(20_000),
});

/** After a result that was approved: its figures on the final change, and what may be worth knowing next time. */
export async function learn(run: Run): Promise<void> {
  await writeMetrics(run);
  // A result that came back from landing has taught what it teaches.
  await run.step("learned", async () => {
    if (teaches(run)) await bestEffort(run, "Nothing could be learned from the run", () => learnPattern(run));
    return true;
  });
  run.dispatch({ kind: "LearningComplete" });
}

/** A run that went as it was planned has nothing to tell another one; that is said, and nobody is asked. */
function teaches(run: RunReader & RunScreen & RunDriver): boolean {
  const { learning } = ceremonyIn(run, rootOrchestrator);
  const lessons = taught(run);
  const isAsked = learning.value === "always" || (learning.value === "taught" && lessons !== null);
  const why = learning.value === "taught" && lessons !== null ? lessons : learning.reason;
  run.appendTranscript(ownLog, {
    kind: "notice",
    text: `${isAsked ? "Learning from the run" : "Nothing to learn from the run"}: ${why}`,
  });
  return isAsked;
}

/** May begin again at any point: what was answered stays answered. */
async function learnPattern(run: Run): Promise<void> {
  const store = createPatternStore(run.repository);
  const runs = recordedRuns(run);
  const proposal = await proposePattern(run);
  if (proposal) {
    const gates = await store.gate(proposal, runs);
    if (gates.every((gate) => gate.passed)) {
      const decision = await run.inbox.ask(
        `${run.id}/pattern/${proposal.name}`,
        () => ({
          kind: "pattern",
          name: proposal.name,
          category: proposal.category,
          markdown: renderPattern(proposal),
          confidence: proposal.confidence,
          gates,
        }),
        run.runEnded.signal,
      );
      if (decision.kind === "approve")
        await bestEffort(run, `The pattern "${proposal.name}" was not kept`, async () => {
          try {
            await store.approve(proposal, runs, {
              nonce: run.journal.inboxItem(`${run.id}/pattern/${proposal.name}`)?.item.nonce ?? "",
              shown: patternHash(proposal),
              at: run.now(),
            });
          } catch (error) {
            // The branch may have got a pattern of that name meanwhile: to ask again changes nothing.
            if (!(error instanceof PatternRefused)) throw error;
            notice(run, `The pattern "${proposal.name}" was not kept: ${error.message}`);
          }
        });
    } else {
      const failed = gates.filter((gate) => !gate.passed).map((gate) => `${gate.name}: ${gate.detail}`);
      notice(run, `The pattern "${proposal.name}" did not pass the automatic gate: ${failed.join("; ")}`);
    }
  }
}

const notice = (run: RunScreen, text: string): void =>
  run.emit({ kind: "notice", level: "warning", text, remedy: "Nothing to do; the run goes on." });

/** What the orchestrator proposes; where it has nothing, what the figures say by themselves. */
async function proposePattern(run: Run): Promise<PatternProposal | null> {
  const figures = runFiguresOf(run);
  const answer = await askIfPossible(
    run,
    rootOrchestrator,
    "learn",
    "learn",
    prompt(
      section(
        "How the run went",
        Object.entries(figures).map(([name, value]) => promptLine`- ${name} = ${value}`),
      ),
      section(
        "Decisions",
        run.facts.decisions.map((one) => promptLine`- ${one.title}: ${one.reason}`),
      ),
      promptLine`The run is ${run.id}.`,
    ),
  );
  const proposed =
    answer &&
    (await doAsAnswered<PatternProposal | null>(answer, {
      propose_pattern: reply(patternShape, async (pattern) => ({ ...pattern, run: run.id })),
      report_done: async () => null,
    }));
  if (proposed) return proposed;
  if (!figuresSaySomething(run)) return null;
  const { fastChecks, slowChecks } = run.config.backpressure;
  return (
    extractPatterns(recordedRun(run, "complete"), {
      fast: fastChecks ?? [],
      slow: (slowChecks ?? []).map((check) => check.command),
    })[0] ?? null
  );
}

/** Complete runs before figures alone are worth a question, and agents in the one that is over. */
const [runsThatTeach, agentsThatTeach] = [3, 2];

/** One run, or one agent, proves nothing: what would be kept for every run to come has to be more than an accident. */
const figuresSaySomething = (run: RunReader & RunJournal): boolean =>
  runFiguresOf(run).agents >= agentsThatTeach &&
  recordedRuns(run).filter(({ outcome }) => outcome === "complete").length >= runsThatTeach;

/** Before landing, because a change that has landed may be immutable. (HOX-6.2) */
async function writeMetrics(run: Run): Promise<void> {
  const { integration } = run.orchestratorFacts(rootOrchestrator);
  const integrator = integratorOf(rootOrchestrator);
  if (integration === null) throw new Error("There is no integration change.");
  await run.step("metrics", async () => {
    const all = run.metrics.all();
    const sum = sumMetrics(all, run.id);
    const { validation } = run.facts;
    const checks = validation?.checks ?? [];
    // Of every plan: a delegated task counts as one, and what its part made of it as well.
    const tasks = orchestratorsOf(run).flatMap((name) => run.stateOf(name).tasks);
    const counted = validation?.seats.filter((seat) => seat.counted) ?? [];
    const result = score({
      approvals: counted.filter((seat) => seat.vote === "approve").length,
      rejections: counted.filter((seat) => seat.vote === "reject").length,
      checksPassed: checks.filter((check) => !isBlocking(check)).length,
      checksFailed: checks.filter(isBlocking).length,
      tasksPlanned: tasks.length,
      tasksDone: tasks.filter((task) => task.state === "done").length,
      milliseconds: Object.values(sum.msByPhase).reduce((total, ms) => total + ms, 0),
      expectedMilliseconds: null,
      toolCalls: Object.values(sum.toolCalls).reduce((total, calls) => total + calls, 0),
      failedCalls: sum.failedCalls,
      microDollars: sum.spent.microDollars,
      expectedMicroDollars: run.facts.limits.microDollars,
    });
    run.append({ kind: "MetricsMeasured", metrics: all }, { kind: "RunScored", score: result });
    const { store } = run.config.metrics;
    await readChange(run, integration);
    const workspace = run.workspaces.of(integrator);
    if (workspace) await workspace.snapshot({ actor: integrator });
    const trailer = metricsTrailer(sum, { score: Math.round(result.total * 1000) / 1000 });
    const mark = (patch: MetadataPatch) =>
      run.repository.setMetadata([{ change: integration, patch: { status: "done", ...patch } }], {
        actor: "hox",
      });
    const marked =
      store !== "database" &&
      (await bestEffort(run, "The figures of the run could not be written", async () => {
        await mark({ metrics: trailer });
      }));
    // The figures one can do without, the word that it is done one cannot.
    if (!marked) await mark({});
  });
}
