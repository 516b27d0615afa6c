/** What an archangel may do in a review: look, comment, suggest. It changes nothing. */
import { z } from "zod";
import { commentRelations } from "#shared/domain/archangel/archangel.ts";
import type { CommentRecord, SuggestionRecord } from "#shared/domain/archangel/archangel-records.ts";
import { suggestionKey } from "#shared/domain/archangel/suggestion-key.ts";
import { priorities } from "#shared/domain/graph-words/metadata.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import { partsOf } from "#shared/domain/text/text-parts.ts";
import { erase, readingTools } from "../../../tools/agent-tools.ts";
import { structuredTool } from "../../../tools/structured-tool.ts";
import type { Tool, ToolErrorKind, ToolOutcome } from "../../../tools/tool-interface.ts";
import type { Run } from "../../ports.ts";
import type { SeenWork } from "./work-seen.ts";

/** What was said in a review; it is kept when the model has answered. */
export interface Said {
  comments: readonly CommentRecord[];
  suggestions: readonly SuggestionRecord[];
  /** By comment. */
  replies: Readonly<Record<string, string>>;
}

export const nothingSaid = (): Said => ({ comments: [], suggestions: [], replies: {} });

/** In one review; whoever says more than that is read by nobody. */
const mostComments = 8;
const mostSuggestions = 3;

interface Reviewer {
  readonly run: Run;
  readonly archangel: string;
  readonly said: Said;
  readonly work: readonly SeenWork[];
}

export const reviewTools = (reviewer: Reviewer): readonly Tool[] => [
  ...readingTools(),
  readWorkTool(reviewer),
  commentTool(reviewer),
  replyTool(reviewer),
  suggestTool(reviewer),
  structuredTool(
    "nothing_to_say",
    "Ends the review. Call it when you have said all there is to say, or nothing.",
    z.strictObject({}),
  ),
];

const refused = (output: string, error: ToolErrorKind = "not-found"): ToolOutcome => ({
  ok: false,
  error,
  output,
});

const who = z.string().min(1).max(200).optional();
const path = z.string().min(1).max(1_000);

const commentShape = z.strictObject({
  worker: who.describe("Whose work it is about; left out where only one is in this review."),
  change: who.describe("The same by the id of its change."),
  path: path.optional().describe("The file; left out where the change as a whole is meant."),
  line: z.int().min(1).optional().describe("The line in that file as it is now, from 1 on."),
  text: z.string().trim().min(1).max(2_000),
  relation: z.enum(commentRelations).describe("How it stands to the plan; risk: it may break something."),
  step: z.string().max(200).optional().describe("The step of the plan, by its title."),
});

const commentTool = (reviewer: Reviewer): Tool =>
  erase<z.infer<typeof commentShape>>({
    name: "comment",
    description:
      "Says something about a line, a file or a change. It blocks nothing; a person decides who reads it.",
    input: commentShape,
    writes: false,
    async run(input) {
      const { run, archangel, said } = reviewer;
      if (said.comments.length >= mostComments)
        return refused(
          `A review has at most ${mostComments} comments. Keep the rest, or say what matters most.`,
          "not-allowed",
        );
      const worker = whoseWork(reviewer, input.worker, input.change);
      if (typeof worker !== "string") return worker;
      const anchor = await anchorOf(reviewer, worker, input.path, input.line);
      if ("ok" in anchor) return anchor;
      const known = [...run.facts.archangels.comments, ...said.comments].find(
        (one) =>
          one.archangel === archangel &&
          one.worker === workerOrNull(run, worker) &&
          one.path === (input.path ?? null) &&
          one.lineText === anchor.lineText &&
          one.text === input.text,
      );
      if (known) return refused(`You said so already: ${known.id}.`, "not-allowed");
      const id = nextId(run, archangel, said);
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
        repliesKnown: 0,
        placedIn: anchor.commit,
      };
      said.comments = [...said.comments, comment];
      return { ok: true, output: `Kept as ${id}.` };
    },
  });

/** Counted through the run, so that people can name it. */
const nextId = ({ facts }: Run, archangel: string, said: Said): string =>
  `${archangel}-${facts.archangels.comments.filter((one) => one.archangel === archangel).length + said.comments.length + 1}`;

const workerOrNull = (run: Run, name: string): string | null => (run.workers.has(name) ? name : null);

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
      : refused(`Nobody called ${worker} has work in this run. ${there}`);
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

/** The line as it stands in the work; what is not there cannot be spoken about. */
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
      : refused("A line stands in a file: give its path too, or leave the line out.", "invalid-input");
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

/** A file of somebody's work as the archangel sees it. */
async function textIn(reviewer: Reviewer, worker: string, file: string): Promise<string | null> {
  const { run, work } = reviewer;
  const commit = commitOf(reviewer, worker);
  if (commit !== null) return (await run.repository.readTexts(commit, [file])).get(file) ?? null;
  const files = work.find((one) => one.who === worker)?.files;
  return files?.includes(file) ? (await run.workspaces.home().files().readText(file)).text : null;
}

const partSize = 30_000;
const readShape = z.strictObject({
  worker: who.describe("Whose work; left out where only one is in this review."),
  path: path.describe("From the root of the repository."),
  part: z.int().min(1).optional().describe("Of a long file; default 1."),
});

const readWorkTool = (reviewer: Reviewer): Tool =>
  erase<z.infer<typeof readShape>>({
    name: "read_work",
    description: "Reads a file as it stands in somebody's work, with the numbers of its lines.",
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

const replyTool = ({ run, archangel, said }: Reviewer): Tool =>
  erase<z.infer<typeof replyShape>>({
    name: "reply",
    description: "Answers somebody who answered one of your comments.",
    input: replyShape,
    writes: false,
    async run({ comment, text }) {
      const own = run.facts.archangels.comments.filter((one) => one.archangel === archangel);
      if (!own.some(({ id }) => id === comment))
        return refused(
          `You have no comment ${comment}. There are: ${own.map(({ id }) => id).join(", ") || "none"}.`,
        );
      said.replies = { ...said.replies, [comment]: text };
      return { ok: true, output: "Kept." };
    },
  });

const suggestShape = z.strictObject({
  suggestion: z.string().trim().min(1).max(200).describe("What should be done, in one line."),
  context: z.string().trim().min(1).max(4_000).describe("Why, and what whoever does it has to know."),
  priority: z.enum(priorities),
  files: z.array(path).max(20).default([]),
  worker: who.describe("Whose work led to it."),
});

const suggestTool = ({ run, archangel, said, work }: Reviewer): Tool =>
  erase<z.infer<typeof suggestShape>>({
    name: "suggest_task",
    description: "Suggests a task that nobody has. Nothing happens before a person takes it.",
    input: suggestShape,
    writes: false,
    async run({ worker, ...suggestion }) {
      if (said.suggestions.length >= mostSuggestions)
        return refused(
          `A review has at most ${mostSuggestions} suggestions. Make the most of them.`,
          "not-allowed",
        );
      const key = suggestionKey(suggestion);
      const isKnown =
        [...run.facts.archangels.suggestions, ...said.suggestions].some(
          (one) => suggestionKey(one) === key,
        ) || run.journal.isSuggestionRefused(key);
      if (isKnown)
        return refused("This was suggested already, or refused: it does not come again.", "not-allowed");
      const nth =
        run.facts.archangels.suggestions.filter((one) => one.agent === archangel).length +
        said.suggestions.length +
        1;
      said.suggestions = [
        ...said.suggestions,
        {
          ...suggestion,
          id: `${archangel}-task-${nth}`,
          agent: archangel,
          session: worker ?? work[0]?.who ?? null,
          at: run.now(),
          state: "open",
        },
      ];
      return { ok: true, output: "Kept." };
    },
  });
