import { createHash } from "node:crypto";
import { addressMatches } from "#shared/domain/change-metadata/address.ts";
import { parseDescription } from "#shared/domain/change-metadata/trailers.ts";
import {
  alignQuestions,
  type LabelOfRun,
  labelOf,
  rootsReached,
  spokesman,
  type WrittenLabel,
} from "#shared/domain/labels/labels.ts";
import { isOver } from "#shared/domain/run/stage-state.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import type { Change } from "#shared/graph/change.ts";
import { presentTexts } from "../../../graph-sync/read-change.ts";
import { type Action, background, type Feature } from "../../../kernel/feature.ts";
import { warn } from "../../../kernel/notify.ts";
import { listenersTo, sendMessage, user } from "../../../orchestrators/messages.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { chainOf, isActive, orchestratorsOf, rootOf, scoped, tipOf } from "../../../workers/hierarchy.ts";
import { canDecide, proposeFiles } from "../../decisions/decisions/proposals.ts";
import { openQuestion } from "../../decisions/questions/feature.ts";

/** Labels by the user that were not applied yet; a decision waits until there are agents to follow it. */
const openLabels = (run: RunReader): readonly Action[] =>
  run.facts.labels
    .filter((label) => !label.isSettled && isInTime(run, label))
    .map(({ key }) => ({ id: `label/${key}` }));

/** Whether a run's work is merged, so that a decision would bind no agent. */
const isTogether = (run: RunReader): boolean =>
  ["validating", "learning", "landing"].includes(run.stateOf(rootOf(run)).current.stage);

/** A decision waits until agents work below; a message is for its present readers. */
function isInTime(run: RunReader, { kind }: LabelOfRun): boolean {
  return kind === "message" || isTogether(run) || canDecide(run, rootOf(run));
}

/** The orchestrators that an address names: one, or all that its `*` covers. */
const leadsReached = (run: RunReader, address: string): readonly string[] =>
  orchestratorsOf(run).filter((name) => addressMatches(address, name));

/** Idempotent: questions and messages are stored under the label's key. */
async function handleLabel(run: Run, key: string): Promise<void> {
  const label = run.facts.labels.find((one) => one.key === key);
  if (!label || label.isSettled) return;
  const outcome = label.kind === "message" ? await passOn(run, label) : await offer(run, label);
  run.append({ kind: "LabelSettled", key });
  run.emit({ kind: "notice", level: outcome.remedy === null ? "info" : "warning", ...outcome });
}

interface LabelOutcome {
  readonly text: string;
  readonly remedy: string | null;
}

const named = ({ changeId }: LabelOfRun): string => changeId.slice(0, 12);

/** The text is sent as the user's message; the change is not modified. */
async function passOn(run: Run, label: LabelOfRun): Promise<LabelOutcome> {
  const { to, key, text } = label;
  const readers = [...leadsReached(run, to).filter((name) => isActive(run, name)), ...listenersTo(run, to)];
  if (readers.length === 0)
    return {
      text: `No active agent matches ${to}, so the message in ${named(label)} was not delivered.`,
      remedy: `List active agents with \`hox status\`, then label the change with another address.`,
    };
  await sendMessage(run, { key: `label/${key}`, from: user, to, type: "info", text });
  return { text: `Delivered to ${readers.join(", ")}: the message in ${named(label)}.`, remedy: null };
}

/**
 * Files whose content at the decision's position differs from the change's base: the decision would revert
 * those.
 */
async function movedSince(
  run: Run,
  { parents }: Change,
  orchestrator: string,
  paths: readonly string[],
): Promise<readonly string[]> {
  const tip = await run.repository.change(tipOf(run, orchestrator));
  const [parent] = parents;
  if (!tip || parent === undefined || tip.commitId === parent) return [];
  const [began, stands] = await Promise.all(
    [parent, tip.commitId].map((commit) => presentTexts(run, commit, paths)),
  );
  return paths.filter((path) => began?.get(path) !== stands?.get(path));
}

/** Everything that the change does to files would be inherited by all agents. */
async function offer(run: Run, label: LabelOfRun): Promise<LabelOutcome> {
  const { key, changeId, title, text } = label;
  const refused = (why: string, remedy: string): LabelOutcome => ({
    text: `The decision in ${named(label)} was not proposed: ${why}`,
    remedy,
  });
  const leads = leadsReached(run, label.to);
  // Children of another addressed orchestrator are bound through it.
  const [to, another] = leads.filter((name) =>
    chainOf(run, name).every((above) => above === name || !leads.includes(above)),
  );
  if (to === undefined)
    return refused(
      `${label.to} is not an orchestrator of this run.`,
      `Label it with --set-orchestrator ${rootOf(run)}.`,
    );
  if (another !== undefined)
    return refused(
      `${label.to} matches ${leads.join(" and ")}, but a decision belongs to one orchestrator.`,
      `Name one, or their parent: --set-orchestrator ${rootOf(run)}.`,
    );
  if (isTogether(run) || !isActive(run, to))
    return refused(
      `the work of ${to} is already integrated, so the decision would apply to no agent.`,
      "Edit the result itself; validators then judge the edited result.",
    );
  const change = await run.repository.change(changeId);
  if (!change) return refused("its change is gone.", "Label another change.");
  if (change.conflict) return refused("its files are in conflict.", "Resolve them first.");
  const changed = await run.repository.changedFiles(change.commitId);
  if (changed.length === 0)
    return refused(
      "it changes no files, and a decision is a change to files that tasks build on.",
      "Add file changes to it, or send a message with --set-msg-to instead.",
    );
  const removed = changed.filter(({ kind }) => kind === "removed" || kind === "renamed");
  if (removed.length > 0)
    return refused(
      `it deletes ${removed.map(({ path }) => path).join(", ")}.`,
      "Decisions can only write files; delete files in a task.",
    );
  const paths = changed.map(({ path }) => path);
  const texts = await run.repository.readTexts(change.commitId, paths);
  const unread = paths.filter((path) => !texts.has(path));
  if (unread.length > 0)
    return refused(`${unread.join(", ")} cannot be read as text.`, "Decisions can only edit text files.");
  const moved = await movedSince(run, change, to, paths);
  if (moved.length > 0)
    return refused(
      `${moved.join(", ")} has changed below ${to}.`,
      `Rebase it onto ${tipOf(run, to).slice(0, 12)} and label it again.`,
    );
  const reason = text.slice(title.length).trim() || title;
  const proposed = {
    id: scoped(to, `label/${key}`),
    orchestrator: to,
    title,
    reason,
    inReplyTo: null,
  };
  const why = await proposeFiles(run, proposed, Object.fromEntries(texts));
  return why === null
    ? { text: `"${title}" of ${named(label)} now applies to all tasks of ${to}.`, remedy: null }
    : { text: `"${title}" of ${named(label)} was not applied: ${why}`, remedy: null };
}

/** Questions in the descriptions of tasks. (HOX-4.1) */
function askFromDescriptions(run: Run): void {
  for (const { record } of run.workers.values()) {
    const change = record.task === null ? undefined : run.changes.get(record.changeId ?? "");
    if (!change || record.status === "done" || record.status === "abandoned") continue;
    for (const question of alignQuestions(change.description)) {
      if (run.facts.questions.some((one) => one.from === record.name && one.question === question)) continue;
      const { iteration } = record;
      openQuestion(run, { from: record.name, question, options: [], blocking: false, iteration });
      run.schedule();
    }
  }
}

/** Labels that the user writes into changes as commands to a run. (HOX-2.4, HOX-4.1) */
export const labels: Feature<Run> = {
  name: "labels",
  recover: findLabels,
  onGraph: (run) => () => askFromDescriptions(run),
  background: [
    background({
      desired: (run: Run) => openLabels(run),
      perform: (run, { id }) => handleLabel(run, id.slice("label/".length)),
      failure: () => ({
        title: "A label on a change could not be processed",
        worker: null,
        isAsked: true,
      }),
    }),
  ],
};

/**
 * Reads labels that users set since the run began, in a terminal or by hand; older ones are ignored. With
 * several active runs, each takes its own and marks the others as settled, so that they do not become its own
 * later. Runs after writes by others only.
 */
export async function findLabels(run: Run): Promise<void> {
  if (isOver(run.state)) return;
  for (const change of await run.repository.changesLabelledByHand()) {
    if (change.timestamp < run.row.startedAt) continue;
    const { subject, body, metadata } = parseDescription(change.description);
    const written = labelOf({ ...change, subject, body, metadata });
    if (written === null) continue;
    const addressed = { ...written, to: written.to ?? rootOf(run) };
    const words = createHash("sha256").update(JSON.stringify(addressed)).digest("hex").slice(0, 16);
    // A decision that was refused for its missing files is another one once it has them.
    const isEmpty =
      addressed.kind === "decision" && (await run.repository.changedPaths(change.commitId)).length === 0;
    const key = `${addressed.changeId.slice(0, 12)}-${words}${isEmpty ? "-empty" : ""}`;
    const label = { ...addressed, key };
    if (run.facts.labels.some(({ key }) => key === label.key)) continue;
    const isOurs = await isForRun(run, change, written);
    run.append(
      { kind: "LabelFound", label },
      ...(isOurs ? [] : [{ kind: "LabelSettled" as const, key: label.key }]),
    );
  }
  run.schedule();
}

/** Labels that reach no run are reported by one of them: wrong addresses when they are applied. */
async function isForRun(run: Run, change: Change, { to, title }: WrittenLabel): Promise<boolean> {
  const runs = [run, ...run.others()];
  if (runs.length === 1) return true;
  const isSpokesman = spokesman(runs.map(rootOf)) === rootOf(run);
  const reached =
    to === null
      ? await findOtherRuns(run, change, runs)
      : rootsReached(
          to,
          runs.map((one) => ({ root: rootOf(one), orchestrators: orchestratorsOf(one) })),
        );
  if (to !== null && reached.length === 0) return isSpokesman;
  if (to !== null || reached.length === 1) return reached.includes(rootOf(run));
  if (isSpokesman) reportAmbiguous(run, change, title, runs, reached);
  return false;
}

/** Runs whose contracts a change builds on, or whose contracts build on it. */
async function findOtherRuns(
  { repository }: Run,
  { commitId }: Change,
  runs: readonly RunReader[],
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const run of runs) {
    const { base } = run.orchestratorFacts(rootOf(run));
    if (base === null || !run.changes.has(base)) continue;
    if ((await repository.isAncestor(base, commitId)) || (await repository.isAncestor(commitId, base)))
      found.push(rootOf(run));
  }
  return found;
}

function reportAmbiguous(
  run: Run,
  { changeId }: Change,
  title: string,
  runs: readonly RunReader[],
  reached: readonly string[],
): void {
  const of = reached.length === 0 ? "none" : reached.length === runs.length ? "all" : "several";
  const choices = runs
    .toSorted((one, other) => (spokesman([rootOf(one), rootOf(other)]) === rootOf(one) ? -1 : 1))
    .map((one) => `--set-msg-to "${rootOf(one)}/*" for "${startOf(one.row.input.goal, 60)}"`);
  warn(
    run,
    `The decision "${startOf(title, 80)}" in ${changeId.slice(0, 12)} was not proposed: ${runs.length} runs are active, and it fits ${of} of them.`,
    `Choose a run: \`hox describe ${changeId.slice(0, 12)}\` with ${choices.join(" or ")}, or --set-msg-to "O-A-*" for all.`,
  );
}
