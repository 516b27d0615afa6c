/** What an archangel may do in a review: look, comment, suggest. It changes nothing. */
import { z } from "zod";
import { commentRelations } from "#shared/domain/archangel/archangel.ts";
import { reviewOf } from "#shared/domain/archangel/archangel-events.ts";
import {
  type CommentRecord,
  noStatements,
  type ReviewStatements,
  type SeenWork,
  type SuggestionRecord,
  suggestionKey,
} from "#shared/domain/archangel/archangel-records.ts";
import { priorities } from "#shared/domain/change-metadata/metadata.ts";
import { partsOf, shownName } from "#shared/domain/text/shown-text.ts";
import { readingTools } from "../../../../tools/agent-tools.ts";
import {
  defineTool,
  structuredTool,
  type Tool,
  type ToolContext,
  type ToolErrorKind,
  type ToolOutcome,
} from "../../../../tools/tool-interface.ts";
import type { Run } from "../../../ports.ts";

/** Limits per review, so that the comments get read. */
const maxComments = 8;
const maxSuggestions = 3;

/** Its comments so far in the open review. */
const statementsIn = ({ run, archangel }: Reviewer): ReviewStatements =>
  reviewOf(run.facts.archangels, archangel)?.statements ?? noStatements;

/** An archangel in a review. */
interface Reviewer {
  readonly run: Run;
  readonly archangel: string;
  readonly work: readonly SeenWork[];
}

const refused = (output: string, error: ToolErrorKind = "not-found"): ToolOutcome => ({
  ok: false,
  error,
  output,
});

const workerOrNull = (run: Run, name: string): string | null => (run.workers.has(name) ? name : null);

/** @returns its worker or session, or an error text for the archangel if it is ambiguous */
function whoseWork(
  { run, work }: Reviewer,
  worker: string | undefined,
  change: string | undefined,
): string | ToolOutcome {
  const names = work.map((one) => one.who);
  const known = [...run.workers.values()].map(({ record }) => record);
  const there = `There are: ${[...new Set([...names, ...known.flatMap(({ name, changeId }) => (changeId === null ? [] : [name]))])].join(", ")}.`;
  if (worker !== undefined)
    return names.includes(worker) || known.some((one) => one.name === worker && one.changeId !== null)
      ? worker
      : refused(`No worker named ${worker} has work in this run. ${there}`);
  if (change !== undefined)
    return (
      known.find(({ changeId }) => changeId?.startsWith(change))?.name ??
      refused(`No work of this run has the change ${change}. ${there}`)
    );
  const [only, ...more] = names;
  return only !== undefined && more.length === 0
    ? only
    : refused(`Say whose work it is about. ${there}`, "invalid-input");
}

type Anchor = { readonly commit: string | null; readonly lineText: string | null };

/** The line in the work that a comment is on; it must exist. */
async function anchorOf(
  reviewer: Reviewer,
  worker: string,
  file: string | undefined,
  line: number | undefined,
): Promise<Anchor | ToolOutcome> {
  const commit = commitOf(reviewer, worker);
  if (file === undefined)
    return line === undefined
      ? { commit, lineText: null }
      : refused("A line needs a file: give its path too, or leave the line out.", "invalid-input");
  const text = await textIn(reviewer, worker, file);
  if (text === null)
    return refused(
      `${shownName(file)} is no text file in the work of ${worker}. Give a path from the root of the repository.`,
    );
  if (line === undefined) return { commit, lineText: null };
  const lines = text.replace(/\n$/u, "").split("\n");
  const words = lines[line - 1];
  return words === undefined
    ? refused(
        `${shownName(file)} has ${lines.length} lines in the work of ${worker}, and no line ${line}. Read it with read_work, or leave the line out.`,
        "invalid-input",
      )
    : { commit, lineText: words };
}

const commitOf = ({ run, work }: Reviewer, worker: string): string | null => {
  const changeId = run.workers.get(worker)?.record.changeId ?? "";
  return work.find((one) => one.who === worker)?.commit ?? run.changes.get(changeId)?.commitId ?? null;
};

/** A file of a worker as the archangel sees it. */
async function textIn(reviewer: Reviewer, worker: string, file: string): Promise<string | null> {
  const { run, work } = reviewer;
  const commit = commitOf(reviewer, worker);
  if (commit !== null) return (await run.repository.readTexts(commit, [file])).get(file) ?? null;
  const files = work.find((one) => one.who === worker)?.files;
  return files?.includes(file) ? (await run.workspaces.home().files().readText(file)).text : null;
}

type Keep = (statements: Partial<ReviewStatements>, output: string) => ToolOutcome;

/**
 * Kept at once, and counted when the model has answered. A call that runs again after a death is answered as before.
 * @param say makes of a call what it says, and keeps that in the same breath: others of its turn say something, too
 */
async function saying(
  { run, archangel }: Reviewer,
  { callId }: ToolContext,
  say: (keep: Keep) => ToolOutcome | Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  const review = reviewOf(run.facts.archangels, archangel);
  if (review === null || callId === undefined) throw new Error(`${archangel} is in no review.`);
  const known = Object.hasOwn(review.calls, callId) ? review.calls[callId] : undefined;
  if (known !== undefined) return { ok: true, output: known };
  return say((statements, output) => {
    run.append({ kind: "ReviewOutputReceived", archangel, key: review.key, callId, output, statements });
    return { ok: true, output };
  });
}

export const reviewTools = (reviewer: Reviewer): readonly Tool[] => [
  ...readingTools(),
  readWorkTool(reviewer),
  commentTool(reviewer),
  replyTool(reviewer),
  suggestTool(reviewer),
  structuredTool(
    "nothing_to_say",
    "Ends the review. Call it after your last comment, or without any.",
    z.strictObject({}),
  ),
];

const who = z.string().min(1).max(200).optional();
const path = z.string().min(1).max(1_000);

const commentShape = z.strictObject({
  worker: who.describe("Whose work it is about; left out where only one is in this review."),
  change: who.describe("The same by the id of its change."),
  path: path.optional().describe("The file; omit it for the change as a whole."),
  line: z.int().min(1).optional().describe("The line in the current file, from 1 on."),
  text: z.string().trim().min(1).max(2_000),
  relation: z.enum(commentRelations).describe("How it relates to the plan; risk: it may break something."),
  step: z.string().max(200).optional().describe("The step of the plan, by its title."),
});

const commentTool = (reviewer: Reviewer): Tool =>
  defineTool<z.infer<typeof commentShape>>({
    name: "comment",
    description:
      "Comments on a line, a file or a change. It blocks nothing; the user decides who reads it. Use it for what should be known now.",
    input: commentShape,
    writes: false,
    run: (input, context) =>
      saying(reviewer, context, async (keep) => {
        const { run, archangel } = reviewer;
        if (statementsIn(reviewer).comments.length >= maxComments)
          return refused(
            `A review has at most ${maxComments} comments. Keep the rest, or say what matters most.`,
            "not-allowed",
          );
        const worker = whoseWork(reviewer, input.worker, input.change);
        if (typeof worker !== "string") return worker;
        const anchor = await anchorOf(reviewer, worker, input.path, input.line);
        if ("ok" in anchor) return anchor;
        const statements = statementsIn(reviewer);
        const known = [...run.facts.archangels.comments, ...statements.comments].find(
          (one) =>
            one.archangel === archangel &&
            one.worker === workerOrNull(run, worker) &&
            one.path === (input.path ?? null) &&
            one.lineText === anchor.lineText &&
            one.text === input.text,
        );
        if (known) return refused(`You have made this comment already: ${known.id}.`, "not-allowed");
        const id = nextId(run, archangel, statements);
        const comment: CommentRecord = {
          id,
          archangel,
          worker: workerOrNull(run, worker),
          changeId: run.workers.get(worker)?.record.changeId ?? null,
          commit: anchor.commit,
          path: input.path ?? null,
          line: input.line ?? null,
          lineText: anchor.lineText,
          text: input.text,
          relation: input.relation,
          step: input.step ?? null,
          at: run.now(),
          isResolved: false,
          isOutdated: false,
          sentTo: null,
          replies: [],
          seenReplies: 0,
          placedIn: anchor.commit,
        };
        return keep({ comments: [comment] }, `Kept as ${id}.`);
      }),
  });

/** Counted through the run, so that people can name it. */
const nextId = ({ facts }: Run, archangel: string, statements: ReviewStatements): string =>
  `${archangel}-${facts.archangels.comments.filter((one) => one.archangel === archangel).length + statements.comments.length + 1}`;

const partSize = 30_000;
const readShape = z.strictObject({
  worker: who.describe("Whose work; left out where only one is in this review."),
  path: path.describe("From the root of the repository."),
  part: z.int().min(1).optional().describe("Of a long file; default 1."),
});

const readWorkTool = (reviewer: Reviewer): Tool =>
  defineTool<z.infer<typeof readShape>>({
    name: "read_work",
    description: "Reads a file in a worker's change, with line numbers. Use it before you comment on a line.",
    input: readShape,
    writes: false,
    async run(input) {
      const worker = whoseWork(reviewer, input.worker, undefined);
      if (typeof worker !== "string") return worker;
      const text = await textIn(reviewer, worker, input.path);
      if (text === null) return refused(`${shownName(input.path)} is no text file in the work of ${worker}.`);
      const numbered = text
        .replace(/\n$/u, "")
        .split("\n")
        .map((line, at) => `${at + 1}\t${line}`)
        .join("\n");
      const parts = partsOf(numbered, partSize);
      const shown = parts[(input.part ?? 1) - 1];
      return shown === undefined
        ? refused(`${shownName(input.path)} has ${parts.length} ${parts.length === 1 ? "part" : "parts"}.`)
        : { ok: true, output: `Part ${input.part ?? 1} of ${parts.length}\n${shown}` };
    },
  });

const replyShape = z.strictObject({
  comment: z.string().max(200),
  text: z.string().trim().min(1).max(2_000),
});

const replyTool = (reviewer: Reviewer): Tool =>
  defineTool<z.infer<typeof replyShape>>({
    name: "reply",
    description:
      "Replies to an answer to one of your comments. Use it only when they asked something or are mistaken.",
    input: replyShape,
    writes: false,
    run: ({ comment, text }, context) =>
      saying(reviewer, context, (keep) => {
        const { run, archangel } = reviewer;
        const own = run.facts.archangels.comments.filter((one) => one.archangel === archangel);
        if (!own.some(({ id }) => id === comment))
          return refused(
            `You have no comment ${comment}. There are: ${own.map(({ id }) => id).join(", ") || "none"}.`,
          );
        return keep({ replies: { [comment]: text } }, "Kept.");
      }),
  });

const suggestShape = z.strictObject({
  suggestion: z.string().trim().min(1).max(200).describe("What should be done, in one line."),
  context: z.string().trim().min(1).max(4_000).describe("Why, and what the agent that does it has to know."),
  priority: z.enum(priorities),
  files: z.array(path).max(20).default([]),
  worker: who.describe("Whose work led to it."),
});

const suggestTool = (reviewer: Reviewer): Tool =>
  defineTool<z.infer<typeof suggestShape>>({
    name: "suggest_task",
    description:
      "Suggests a new task. Use it for work that is missing, not for what a comment can say. Nothing happens before the user accepts it.",
    input: suggestShape,
    writes: false,
    run: ({ worker, ...suggestion }, context) =>
      saying(reviewer, context, (keep) => {
        const { run, archangel, work } = reviewer;
        const statements = statementsIn(reviewer);
        if (statements.suggestions.length >= maxSuggestions)
          return refused(
            `A review has at most ${maxSuggestions} suggestions. Make the most of them.`,
            "not-allowed",
          );
        const key = suggestionKey(suggestion);
        const isDuplicate =
          [...run.facts.archangels.suggestions, ...statements.suggestions].some(
            (one) => suggestionKey(one) === key,
          ) || run.journal.isSuggestionRefused(key);
        if (isDuplicate)
          return refused("This was suggested already, or refused: it does not come again.", "not-allowed");
        const nth =
          run.facts.archangels.suggestions.filter((one) => one.agent === archangel).length +
          statements.suggestions.length +
          1;
        const kept: SuggestionRecord = {
          ...suggestion,
          id: `${archangel}-task-${nth}`,
          agent: archangel,
          session: worker ?? work[0]?.who ?? null,
          at: run.now(),
          state: "open",
        };
        return keep({ suggestions: [kept] }, "Kept.");
      }),
  });
