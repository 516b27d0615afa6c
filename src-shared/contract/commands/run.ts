import { z } from "zod";
import { type ConversationRow, efforts } from "../../domain/conversation/conversation.ts";
import type { RunForecasts } from "../../domain/forecast/forecast.ts";
import { maxAttempts } from "../../domain/plan/plan.ts";
import { attachmentLimits } from "../../domain/start/attachment.ts";
import { validatorChoices } from "../../domain/validation/panel.ts";
import { maxAgentsAtOnce } from "../../domain/worker/roles.ts";
import { cardAnswer, type InboxItem } from "../cards.ts";
import { amounts, limit, line } from "../fields.ts";
import type { RunView } from "../views/run.ts";
import {
  activeRunCommand,
  answers,
  hostCommand,
  nothing,
  repositoryCommand,
  runCommand,
  runId,
  type Written,
  written,
} from "./command.ts";
import { startRoles } from "./start.ts";

/** The issue of a forge that a run begins from. Its text is attached. */
const issue = z.strictObject({
  number: z.number().int().min(1),
  url: line(2_000).min(1),
  title: z.string().max(2_000),
  /** Hox comments there once when its pull requests are open, and merging them closes it. Omitted: no. */
  isLinked: z.boolean().optional(),
});

/** A file or picture that goes to the run with its goal. */
const attachment = z.strictObject({
  name: line(200).min(1),
  /** Base64. */
  data: z.base64().max(8_000_000),
});

const iterations = z.number().int().min(1).max(1_000);

const runStart = {
  goal: z.string().trim().min(1, "must describe what the run should achieve").max(20_000),
  /** Null: the root orchestrator decides. */
  orchestrators: z.number().int().min(1).max(32).nullable().default(null),
  /** Left out: as configured. Null: no limit. */
  maxTokens: limit.optional(),
  maxMicroDollars: limit.optional(),
  /** Of each agent on its task, before the user is asked. Omitted: as configured. */
  maxIterations: iterations.optional(),
  /** Revset of the change to build on; null: the trunk bookmark or the working copy's parent. */
  onto: z.string().max(2_000).nullable().default(null),
  rehearsal: line(100).nullable().default(null),
  model: line(100).nullable().default(null),
  /** Id of the idea that it begins from. */
  idea: line(200).optional(),
  /** How many agents try each task of the plan in parallel, for the user to choose. */
  attempts: z.number().int().min(1).max(maxAttempts).optional(),
  /** One agent without plan and votes. Left out: as configured. */
  quick: z.boolean().optional(),
  /** Archangels review sessions outside Hox, until the run is stopped: no plan, no agents, no result. */
  watch: z.boolean().optional(),
  /** Label of the workers on which agents work; empty: this machine. Left out: as configured. */
  on: line(100).optional(),
  /** Who judges the result. Left out: the plan, the result and the configuration decide. */
  validators: z.enum(validatorChoices).optional(),
  /** Of roles that are to have another model than `model`, or than configured. */
  models: z.partialRecord(z.enum(startRoles), line(100).min(1)).optional(),
  /** How hard each role's model tries; left out: as configured. */
  efforts: z.partialRecord(z.enum(startRoles), z.enum(efforts)).optional(),
  issue: issue.optional(),
  attachments: z.array(attachment).max(attachmentLimits.files).readonly().optional(),
};

/** Of the whole run. Null is no limit, or as configured; omitted ones stay. */
const runLimits = {
  tokens: limit.optional(),
  microDollars: limit.optional(),
  maxParallelAgents: z.number().int().min(1).max(maxAgentsAtOnce).nullable().optional(),
  maxIterations: iterations.nullable().optional(),
};

const bookmark = z.string().min(1).max(200);

/** What taking a landing back would do. */
export interface UndoLandingPreview {
  readonly bookmark: string;
  /** The branch's earlier commit; null: there was none, and it is deleted. */
  readonly from: string | null;
  readonly to: string;
  /** Titles of the commits that come off the branch, newest first. They stay on the graph. */
  readonly commits: readonly string[];
  readonly refusal: { readonly reason: string; readonly remedy: string } | null;
}

/** The default base of a run. */
export interface RunBaseView {
  /** Git's current branch; null with jj only, and if HEAD is detached. */
  readonly standsOn: string | null;
  readonly trunk: string | null;
  /** What it would be built on; null: there is no commit yet. */
  readonly base: BaseCommitView | null;
  /** The parent of the user's files, if the base does not contain it. */
  readonly leftOut: BaseCommitView | null;
}

export interface BaseCommitView {
  readonly changeId: string;
  readonly commitId: string;
  readonly title: string;
}

/** A preview of moving the user's folder onto what landed. */
export interface CatchUpPreview {
  readonly bookmark: string;
  /** Its new parent. */
  readonly to: string;
  readonly title: string;
  /** It is already on that, or on a descendant: nothing to do. */
  readonly isThere: boolean;
  /** The user's own edits in the folder, which stay in their change; null: none. */
  readonly own: {
    readonly changeId: string;
    readonly title: string;
    readonly files: readonly string[];
  } | null;
  readonly refusal: { readonly reason: string; readonly remedy: string } | null;
}

/** What became of the workspaces of runs that are over, as absolute paths. */
export interface CleanUp {
  readonly removed: readonly string[];
  /** They hold what jj does not record. */
  readonly kept: readonly { readonly folder: string; readonly reason: string; readonly remedy: string }[];
  /** Branches of agents, by name, and how many messages went with them. */
  readonly branches: readonly string[];
  readonly messages: number;
}

/** What runs that are over have left on the graph and for Git. */
export interface Leftovers {
  readonly workspaces: readonly string[];
  readonly branches: readonly string[];
  readonly messages: number;
  /** Work that has not landed, by run. It is only named. */
  readonly work: readonly {
    readonly run: string;
    readonly goal: string;
    readonly changes: readonly { readonly changeId: string; readonly title: string }[];
  }[];
}

/** What a push of one bookmark would do on its remote. */
export interface PushPreview {
  readonly bookmark: string;
  /** Null: the repository has no remote. */
  readonly remote: string | null;
  /** In jj's words, such as `bookmark: main [move forward from 867d365d0f73 to e7f45b201fc0]`; none: it is there already. */
  readonly moves: readonly string[];
  /** Changes that the remote does not have yet, newest first; at most 500. */
  readonly changes: readonly { readonly changeId: string; readonly title: string }[];
  /** Commits whose metadata is in Git notes, where the remote was not seen to have these. */
  readonly notes: number;
}

/** The run as a whole, what it lands, and what it leaves. */
export const runCommands = {
  /** Runs and waiting cards at once: the newest run, and other active ones. */
  "run.state": {
    ...hostCommand(
      {},
      answers<{ run: RunView | null; inbox: readonly InboxItem[]; otherRuns: readonly RunView[] }>(),
    ),
    isOverEndpoint: true as const,
  },
  /** What a task and a validator cost and took in earlier runs of this repository, by model. */
  "run.forecast": repositoryCommand({}, answers<RunForecasts>()),
  "run.start": repositoryCommand(runStart, answers<{ run: string }>()),
  /** Pauses all active runs, e.g. for an edit that affects all of them. */
  "run.pauseAll": repositoryCommand({}, nothing),
  "run.pause": activeRunCommand({}, nothing),
  "run.resume": activeRunCommand({}, nothing),
  /** Saves the work of every agent, then ends the run as stopped. */
  "run.stop": activeRunCommand({}, nothing),
  "run.extendBudget": activeRunCommand(amounts.shape, nothing),
  /** Raises or lowers what the run may spend, how many agents work at once, and how long each may try. */
  "run.setLimits": activeRunCommand(runLimits, nothing),

  /** What a push of a bookmark would do on its remote. Asks no server. */
  "run.previewPush": hostCommand({ bookmark }, answers<PushPreview>()),
  /** Pushes it, if that still does exactly what was shown, and the notes with metadata to `notesTo`. Only after the user's yes. */
  "run.push": repositoryCommand(
    {
      bookmark,
      moves: z.array(z.string().max(1_000)).max(100).readonly(),
      notesTo: z.string().max(200).optional(),
    },
    written,
  ),
  "run.base": repositoryCommand({}, answers<RunBaseView>()),
  /** A preview of undoing the last landing. */
  "run.previewUndoLanding": repositoryCommand({}, answers<UndoLandingPreview>()),
  /**
   * Undoes a landing: the branch moves back, the work stays on the graph. Only after the user's confirmation.
   */
  "run.undoLanding": repositoryCommand({}, written),
  /** A preview of moving the user's folder onto the last landing. Records its files. */
  "run.previewCatchUp": repositoryCommand({}, answers<CatchUpPreview>()),
  /** Does it; edits stay as the change they are. `operation` is what `operation.undo` undoes. */
  "run.catchUp": repositoryCommand({}, answers<{ operation: string | null }>()),
  /** What runs that are over have left. */
  "run.leftovers": repositoryCommand({}, answers<Leftovers>()),
  /**
   * Removes the workspaces of runs that are over; their work is in their changes. Only after the user's
   * confirmation.
   */
  "run.cleanUp": repositoryCommand({}, answers<CleanUp & Written>()),
  "run.conversation": repositoryCommand(
    { run: runId, worker: z.string().max(200) },
    answers<readonly ConversationRow[]>(),
  ),

  /** Bound to the nonce and to the hash of what was shown; a stale or repeated answer is STALE. */
  "inbox.answer": runCommand(
    {
      id: z.string().max(200),
      nonce: z.string().max(200),
      shown: z.string().max(200),
      decision: cardAnswer,
    },
    nothing,
  ),
};
