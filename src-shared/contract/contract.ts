/** The only door between a renderer and the host: the same over a message port and a socket. */
import { eventIterator, oc, type } from "@orpc/contract";
import { z } from "zod";
import type { Ceremony } from "../domain/ceremony/ceremony-parts.ts";
import type { CheckResult, ConversationRow } from "../domain/conversation/conversation.ts";
import type { PlanProblem } from "../domain/plan/plan-problem.ts";
import type { Budget } from "../domain/spending/budget.ts";
import type { Change } from "../graph/change.ts";
import { cardAnswer, type InboxItem } from "./cards.ts";
import type { NumberedEvent } from "./events.ts";
import { changeId, commitId, operationId, workerName } from "./fields.ts";
import {
  metadataPatch,
  queueMove,
  reassignWorker,
  runLimits,
  runStart,
  settingsPatch,
  undoWorker,
  workerLimits,
} from "./inputs.ts";
import { plan, planAmendment } from "./plan-inputs.ts";
import type { PushPreview } from "./push.ts";
import type { ToolView } from "./views/app.ts";
import type { FolderView } from "./views/folder.ts";
import type { GroundView, UndoLandingPreview } from "./views/landing.ts";
import type { CleanUp, Leftovers } from "./views/leftovers.ts";
import type { RunView } from "./views/run.ts";
import type { ByHandView } from "./views/takeover.ts";
import type { UndoPreview } from "./views/undo.ts";

const nothing = type<void>();

/** Errors that every procedure may answer with; `data.remedy` says what to do. */
const errors = {
  REFUSED: {
    data: z.object({
      remedy: z.string().nullable(),
      start: z.number().optional(),
      end: z.number().optional(),
    }),
  },
  STALE: { data: z.object({ remedy: z.string().nullable() }) },
  NOT_OPEN: { data: z.object({ remedy: z.string().nullable() }) },
  /** This client has more requests under way than the host does for one; nothing was done of this one. */
  TOO_MANY_REQUESTS: { status: 429, data: z.object({ remedy: z.string().nullable() }) },
};

const base = oc.errors(errors);

export interface ChangeDetails {
  readonly change: Change;
  readonly files: readonly { readonly path: string; readonly kind: string }[];
  readonly conflicts: readonly { readonly path: string; readonly sides: number }[];
  /** Trailers that Hox does not understand, each with what is wrong. */
  readonly problems: readonly string[];
}

export interface RebasePreview {
  readonly operation: string;
  /** Rows of the resulting graph that differ from today's. */
  readonly changes: readonly Change[];
  readonly newConflicts: readonly string[];
  readonly resolvedConflicts: readonly string[];
}

export interface FolderEntry {
  readonly name: string;
  readonly path: string;
  readonly kind: "jj" | "git" | "folder";
}

export const contract = {
  /** One stream for all that changes. Send the last number seen to go on; null for a snapshot. */
  watch: base
    .input(z.strictObject({ since: z.number().int().nullable() }))
    .output(eventIterator(type<NumberedEvent>())),

  folder: {
    inspect: base.input(z.strictObject({ path: z.string().max(4096) })).output(type<FolderView>()),
    /** Folders below a path for the picker of the browser shell; null starts at the home folder. */
    list: base
      .input(z.strictObject({ path: z.string().max(4096).nullable() }))
      .output(type<{ path: string; parent: string | null; entries: readonly FolderEntry[] }>()),
    /** The system's own dialog; null when cancelled. Only where `app.nativeDialog`. */
    pick: base.output(type<string | null>()),
  },
  repository: {
    open: base.input(z.strictObject({ path: z.string().min(1).max(4096) })).output(nothing),
    /** Makes a Git repository, or a plain folder, a jj repository beside what is there, and opens it. Only after the user's yes. */
    adopt: base.input(z.strictObject({ path: z.string().min(1).max(4096) })).output(nothing),
    /**
     * Where another host holds the repository (`heldBy`): asks it to save and let go, and works here from then on.
     * Answers REFUSED when it lives and does not let go.
     */
    takeOver: base.output(nothing),
    close: base.output(nothing),
    forgetRecent: base.input(z.strictObject({ path: z.string().max(4096) })).output(nothing),
  },
  graph: {
    /** Commit ids that a revset (jj's language with Hox's functions) names. Answers REFUSED with the place of a mistake. */
    filter: base
      .input(z.strictObject({ revset: z.string().max(10_000) }))
      .output(type<{ commits: readonly string[] }>()),
  },
  change: {
    details: base.input(z.strictObject({ commitId })).output(type<ChangeDetails>()),
    /** Git-format diff, whole or of some files. */
    diff: base
      .input(z.strictObject({ commitId, paths: z.array(z.string().max(4096)).max(500).optional() }))
      .output(type<{ diff: string; truncated: boolean }>()),
    describe: base.input(z.strictObject({ changeId, description: z.string().max(200_000) })).output(nothing),
    setMetadata: base
      .input(z.strictObject({ changeIds: z.array(changeId).min(1).max(500), patch: metadataPatch }))
      .output(nothing),
    previewRebase: base.input(z.strictObject({ changeId, onto: changeId })).output(type<RebasePreview>()),
    rebase: base.input(z.strictObject({ changeId, onto: changeId })).output(nothing),
    abandon: base.input(z.strictObject({ changeId })).output(nothing),
  },
  queue: { move: base.input(queueMove).output(nothing) },
  operation: {
    revert: base.input(z.strictObject({ operation: operationId })).output(nothing),
  },
  run: {
    /** The run and what waits for a person, in one look. */
    state: base.output(type<{ run: RunView | null; inbox: readonly InboxItem[] }>()),
    /** What a run may spend that is started without another word: as the repository or the app is configured. */
    limitsToStartWith: base.output(type<Budget>()),
    start: base.input(runStart).output(type<{ run: string }>()),
    pause: base.output(nothing),
    resume: base.output(nothing),
    stop: base.output(nothing),
    extendBudget: base
      .input(
        z.strictObject({
          tokens: z.number().int().positive().nullable(),
          microDollars: z.number().int().positive().nullable(),
        }),
      )
      .output(nothing),
    /** Raises or lowers what the run may spend, how many agents work at once, and how long each may try. */
    setLimits: base.input(runLimits).output(nothing),
    /** The same for one worker and everyone below it. */
    setWorkerLimits: base.input(workerLimits).output(nothing),
    /** What a push of a bookmark would do on its remote. Asks no server. */
    previewPush: base
      .input(z.strictObject({ bookmark: z.string().min(1).max(200) }))
      .output(type<PushPreview>()),
    /** Pushes it, if that still does exactly what was shown. Only after the user's yes. */
    push: base
      .input(
        z.strictObject({
          bookmark: z.string().min(1).max(200),
          moves: z.array(z.string().max(1_000)).max(100).readonly(),
        }),
      )
      .output(nothing),
    ground: base.output(type<GroundView>()),
    /** What taking back the last landing would do. */
    previewUndoLanding: base.output(type<UndoLandingPreview>()),
    /** Takes it back: the branch stands where it stood, the work stays on the graph. Only after the user's yes. */
    undoLanding: base.output(nothing),
    /** What runs that are over have left. */
    leftovers: base.output(type<Leftovers>()),
    /** Removes the workspaces of runs that are over; their work stands in their changes. Only after the user's yes. */
    cleanUp: base.output(type<CleanUp>()),
    conversation: base
      .input(z.strictObject({ run: z.string().max(100), worker: z.string().max(200) }))
      .output(type<readonly ConversationRow[]>()),
    /** One agent comes to its turn boundary and waits there; everyone else works on. */
    pauseWorker: base.input(z.strictObject({ worker: workerName })).output(nothing),
    resumeWorker: base.input(z.strictObject({ worker: workerName })).output(nothing),
    /** One that failed or is blocked begins again, with a fresh context. */
    retryWorker: base.input(z.strictObject({ worker: workerName })).output(nothing),
    /** A message to one agent, delivered with its next prompt. */
    messageWorker: base
      .input(z.strictObject({ worker: workerName, text: z.string().trim().min(1).max(20_000) }))
      .output(nothing),
    /** Gives the task to a fresh agent; the one before stops at its turn boundary, and its work stays. Answers its name. */
    reassignWorker: base.input(reassignWorker).output(type<{ worker: string }>()),
    /** The agent waits at its turn boundary while a person does its task in the folder that is answered. */
    takeOver: base.input(z.strictObject({ worker: workerName })).output(type<{ folder: string }>()),
    /** What the person changed so far; saves the files first. */
    lookAtHands: base.input(z.strictObject({ worker: workerName })).output(type<ByHandView>()),
    /** Shows the folder of a task in hand in the system's file manager. Only where `app.showsFolders`. */
    showHands: base.input(z.strictObject({ worker: workerName })).output(nothing),
    /** The agent goes on, and is told what the person changed and says. */
    giveBack: base
      .input(z.strictObject({ worker: workerName, words: z.string().trim().max(20_000) }))
      .output(nothing),
    /** The person's work goes through the checks as an agent's does; while one fails it stays in hand. */
    finishByHand: base
      .input(z.strictObject({ worker: workerName, summary: z.string().trim().max(20_000) }))
      .output(type<{ done: boolean; checks: readonly CheckResult[] }>()),
    /** What `undoWorker` would do now. */
    previewUndo: base.input(z.strictObject({ worker: workerName })).output(type<UndoPreview>()),
    /** Takes back the file changes of one agent and nobody else's. */
    undoWorker: base.input(undoWorker).output(nothing),
  },
  plan: {
    /** Problems of a plan as a person edits it, with what the imports of the files that the run builds on say. */
    check: base
      .input(z.strictObject({ orchestrator: planAmendment.shape.orchestrator, plan }))
      .output(type<readonly PlanProblem[]>()),
    /** What a plan needs beside its agents as a person edits it, and why. */
    ceremony: base
      .input(z.strictObject({ orchestrator: planAmendment.shape.orchestrator, plan }))
      .output(type<Ceremony>()),
    /** Changes the approved plan of the run that goes on: all of the edits, or none. */
    amend: base.input(planAmendment).output(nothing),
  },
  inbox: {
    /** Bound to the nonce and to the hash of what was shown; a stale or repeated answer is STALE. */
    answer: base
      .input(
        z.strictObject({
          id: z.string().max(200),
          nonce: z.string().max(200),
          shown: z.string().max(200),
          decision: cardAnswer,
        }),
      )
      .output(nothing),
  },
  rehearsal: {
    /** Copies the bundled example to a folder of its own, opens it and starts the scripted run. */
    start: base.input(z.strictObject({ name: z.string().max(100) })).output(type<{ path: string }>()),
  },
  settings: {
    change: base.input(settingsPatch).output(nothing),
    setKey: base.input(z.strictObject({ key: z.string().trim().min(1).max(500) })).output(nothing),
    clearKey: base.output(nothing),
  },
  doctor: base.output(type<readonly ToolView[]>()),
  tools: {
    /** Puts a jj of Hox's own into its cache and looks at the tools again. Only after the user's yes. */
    fetchJj: base.output(nothing),
    /** Ends the fetching; `fetchJj` then answers without one. */
    cancelFetch: base.output(nothing),
  },
};

export type Contract = typeof contract;
