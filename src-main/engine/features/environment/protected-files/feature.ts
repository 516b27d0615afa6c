import { cutDiff } from "#shared/domain/files/diff.ts";
import {
  judgeProtected,
  type ProtectedChangeEvent,
  protectedChanges,
} from "#shared/domain/files/protected-changes.ts";
import { type PromptText, promptLine, section } from "#shared/domain/text/prompt-text.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import type { Recorded } from "../../../../jj/ports/working-copies.ts";
import { protection } from "../../../../tools/protected-files.ts";
import { Interrupted } from "../../../engine-errors.ts";
import { readChange } from "../../../graph-sync/read-change.ts";
import type { Feature } from "../../../kernel/feature.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { save } from "../../../workspaces/save-workspace.ts";
import type { RecordedWorkspace } from "../../../workspaces/workspace-interface.ts";

/** Characters of the patch on the card. */
const maxDiffLength = 60_000;

const eventsOf = (run: RunReader, changeId: string): readonly ProtectedChangeEvent[] =>
  run.facts.protectedChanges[changeId] ?? [];

const append = (run: Run, changeId: string, event: ProtectedChangeEvent): void =>
  run.append({ kind: "ProtectedChangeJudged", changeId, event });

const isProtected = (run: RunReader): ((path: string) => boolean) => {
  const guard = protection(run.config.protectedFiles);
  return (path) => guard.covers(path) !== null;
};

/**
 * Removes changes to protected files from a snapshot, and asks the user about each once. What the user
 * allowed stays, exactly as it was shown. During a takeover the work is the user's own.
 *
 * @returns the new snapshot
 */
export async function judgeSnapshot(
  run: Run,
  worker: string,
  workspace: RecordedWorkspace,
  recorded: Recorded,
): Promise<Recorded> {
  const { changeId } = recorded;
  const touched = recorded.paths.filter(isProtected(run));
  if (touched.length === 0 || run.worker(worker).record.control.kind === "user") return recorded;
  const events = eventsOf(run, changeId);
  const { takeOut, ask, keep } = judgeProtected(touched, protectedChanges(events));
  let now = recorded;
  if (takeOut.length > 0) {
    if (ask.length > 0) {
      const card = `${run.id}/protected/${changeId}/${events.length}`;
      append(run, changeId, { kind: "TakenOut", card, paths: ask, commit: recorded.commitId });
      show(run, { worker, changeId, card });
    }
    now = await workspace.restorePaths(takeOut, null, { actor: worker });
    const text = `Protected, removed from the change: ${few(takeOut)}`;
    run.appendTranscript(worker, { kind: "notice", text });
  }
  for (const [commit, paths] of keep) {
    const difference = await run.repository.diff({ commit: now.commitId, from: commit, paths, limit: 0 });
    if (difference === "") continue;
    now = await workspace.restorePaths(paths, commit, { actor: worker });
    const text = `Protected, restored because you allowed it: ${few(paths)}`;
    run.appendTranscript(worker, { kind: "notice", text });
  }
  return now;
}

/**
 * Second barrier for protected files: other agents receive only commits, so the paths of each snapshot are
 * checked before it counts, whatever is in an agent's folder.
 *
 * Checks the commit of finished work once more before it counts, and waits for any open card. A part's result
 * is merged from changes that were each checked; it has no workspace.
 */
export async function settleProtectedChanges(
  run: Run,
  { worker, changeId }: { readonly worker: string; readonly changeId: string },
  signal: AbortSignal,
): Promise<void> {
  const workspace = run.workspaces.of(worker);
  const { commitId } = await readChange(run, changeId);
  const files = await run.repository.changedPaths(commitId);
  if (workspace && files.some(isProtected(run))) {
    const saved = await save(workspace);
    if (saved.changeId !== changeId) return;
    await judgeSnapshot(run, worker, workspace, saved);
  }
  for (const card of waitingCards(run, changeId)) {
    run.setActivity(worker, "waiting", "waiting for you: protected files");
    const cancelled = AbortSignal.any([signal, run.runEnded.signal]);
    const decision = await run.inbox.ask(card, () => cardOf(run, { worker, changeId, card }), cancelled);
    const { paths, commit } = takenOut(run, changeId, card);
    if (decision.kind === "approve") {
      // Idempotent: existing content is not changed.
      await run.workspaces.of(worker)?.restorePaths(paths, commit, { actor: worker });
      append(run, changeId, { kind: "Allowed", card });
    } else append(run, changeId, { kind: "LeftOut", card });
  }
}

/** What the agent has to know of it. */
function protectedLines(run: RunReader, worker: string): readonly PromptText[] {
  const { changeId } = run.worker(worker).record;
  if (changeId === null) return [];
  const changes = [...protectedChanges(eventsOf(run, changeId)).values()];
  const paths = (answer: (typeof changes)[number]["answer"]): readonly string[] =>
    changes.filter((change) => change.answer === answer && change.card !== null).map(({ path }) => path);
  const line = (files: readonly string[], note: string): readonly PromptText[] =>
    files.length === 0 ? [] : [promptLine`- ${few(files)}: ${note}`];
  return [
    ...line(
      paths("waiting"),
      "you changed it and it is protected, so it was removed from your change. The user was asked; continue without it.",
    ),
    ...line(paths("left-out"), "it is protected, and the user leaves your change to it out."),
    ...line(
      paths("allowed"),
      "it is protected; the user allowed your change as it was. Do not change it further.",
    ),
  ];
}

/** A question, and whose change it is about. */
interface Asked {
  readonly worker: string;
  readonly changeId: string;
  readonly card: string;
}

/** The card is in the inbox from now on; work that needs the answer asks for it again. */
function show(run: Run, asked: Asked): void {
  run.inbox
    .ask(asked.card, () => cardOf(run, asked))
    .catch((error: unknown) => {
      if (error instanceof Interrupted) return;
      run.emit({
        kind: "notice",
        level: "error",
        text: `Could not ask you about protected files of ${asked.worker}: ${error instanceof Error ? error.message : String(error)}`,
        remedy: "Hox asks again when its work is finished.",
      });
    });
}

async function cardOf(run: Run, { worker, changeId, card }: Asked) {
  const { paths, commit } = takenOut(run, changeId, card);
  const whole = await run.repository.diff({ commit, paths, limit: maxDiffLength });
  const { diff, isCut } = cutDiff(whole, maxDiffLength);
  return {
    kind: "protected" as const,
    worker,
    paths,
    commitId: commit,
    diff,
    ...(isCut ? { isDiffCut: true } : {}),
  };
}

function takenOut(run: RunReader, changeId: string, card: string) {
  const event = eventsOf(run, changeId).find((one) => one.kind === "TakenOut" && one.card === card);
  if (event?.kind !== "TakenOut") throw new Error(`Card ${card} is no longer open.`);
  return event;
}

const waitingCards = (run: RunReader, changeId: string): readonly string[] => {
  const events = eventsOf(run, changeId);
  const answered = new Set(
    events.flatMap((event) => (event.kind === "Allowed" || event.kind === "LeftOut" ? [event.card] : [])),
  );
  return events.flatMap((event) =>
    event.kind === "TakenOut" && !answered.has(event.card) ? [event.card] : [],
  );
};

const few = (paths: readonly string[]): string => {
  const shown = paths.slice(0, 10).map(shownName).join(", ");
  return paths.length > 10 ? `${shown} and ${paths.length - 10} more` : shown;
};

/** Files that no agent may change without the user's approval. */
export const protectedFiles: Feature<Run> = {
  name: "protected-files",
  agents: {
    beforeOffer: settleProtectedChanges,
    prompt: {
      "protected-files": (run, { worker }) => [section("Protected files", protectedLines(run, worker))],
    },
  },
};
