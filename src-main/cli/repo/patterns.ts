/** The library of what earlier runs taught. Its texts are of others: shown, never obeyed. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type {
  PatternDiff,
  PatternPreview,
  PatternSuggestion,
  PatternView,
} from "#shared/contract/commands/pattern.ts";
import { formatFitting, formatUses } from "#shared/domain/patterns/pattern-record.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import { block, shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import {
  CommandError,
  type CommonOptions,
  exitCode,
  invocationFolder,
  oneLine,
  wholeNumber,
} from "../command-line.ts";
import { type CommandRow, clientRow, isConfirmed, row, unknownName } from "../command-table.ts";
import { consent } from "../consent.ts";
import { printError, show, tableLines } from "../output.ts";
import type { RunClient } from "../run/run-client.ts";

type Client = Pick<RunClient, "execute">;
type Asks = CommonOptions & { readonly yes?: boolean };

const ofPattern = { "<id>": ["for example decomposition/types-first", oneLine] } as const;
const version = wholeNumber(1, 100_000);

const listPatterns = async (given: CommonOptions, client: Client): Promise<void> => {
  const patterns = await client.execute("pattern.list");
  show(given, { kind: "patterns", patterns }, listLines(patterns));
};

export const patternRows: readonly CommandRow[] = [
  clientRow("patterns", "list the patterns from earlier runs, and which you approved", {}, listPatterns),
  clientRow("patterns list", "list each pattern: approved here, not approved, or retired", {}, listPatterns),
  clientRow(
    "patterns show",
    "show its text, evidence and origin, and how runs that used it went",
    ofPattern,
    async (given, client) => {
      const pattern = await patternNamed(client, given.id);
      show(given, { kind: "pattern", pattern }, patternLines(pattern));
    },
  ),
  clientRow(
    "patterns diff",
    "compare the text on the branch with the version approved before it",
    {
      ...ofPattern,
      "--from <version>": ["compare from this version", version],
      "--to <version>": ["compare to this version", version],
    },
    async (given, client) => {
      const { from, to } = given;
      const { id } = await patternNamed(client, given.id);
      const diff = await client.execute("pattern.diff", { id, from, to });
      show(given, { kind: "diff", ...diff }, diffLines(diff));
    },
  ),
  row(
    "patterns edit",
    "edit its text in your editor and approve it",
    {
      ...ofPattern,
      "--file <file>": ["read the text from this file instead of an editor", oneLine],
      "-y, --yes": isConfirmed,
    },
    async (given) => {
      const { withRunClient } = await import("../run/run-client.ts");
      const { id, text, name } = await withRunClient(given, (client) => patternNamed(client, given.id));
      // Nothing is held while somebody writes: the approval sees changes made meanwhile.
      const own = given.file === undefined ? await editedText(name, text) : null;
      const markdown = own?.text ?? (await readGiven(given.file ?? ""));
      if (markdown.trim() === text.trim()) {
        await own?.remove();
        show(given, { kind: "done", unchanged: id }, `${shownName(id)} was not changed.`);
        return exitCode.done;
      }
      try {
        await withRunClient(given, (client) => approveText(client, { id, markdown }, given));
        await own?.remove();
        return exitCode.done;
      } catch (error) {
        if (own)
          printError(
            `Your text is kept in ${own.file}. To use it: hox patterns edit ${id} --file ${own.file}`,
          );
        throw error;
      }
    },
  ),
  clientRow(
    "patterns approve",
    "show the text on the branch, and approve it for later runs",
    { ...ofPattern, "-y, --yes": isConfirmed },
    async (given, client) => {
      const pattern = await patternNamed(client, given.id);
      if (pattern.state === "approved")
        throw new CommandError(
          `${pattern.id} is already approved as version ${pattern.version}.`,
          `To change it: hox patterns edit ${pattern.id}`,
        );
      if (pattern.state === "retired")
        throw new CommandError(
          `${pattern.id} is not on the branch.`,
          `Restore it: hox patterns restore ${pattern.id}`,
        );
      await approveText(client, { id: pattern.id }, given);
    },
  ),
  clientRow(
    "patterns retire",
    "remove it from the branch; later runs no longer use it",
    {
      ...ofPattern,
      "--reason <text>": { help: "the reason, which is recorded", isRequired: true },
      "-y, --yes": isConfirmed,
    },
    async (given, client) => {
      const { id } = await patternNamed(client, given.id);
      await consent(given, `Retire ${shownName(id)}? Later runs no longer use it.`);
      await client.execute("pattern.retire", { id, reason: given.reason });
      const text = `Retired ${shownName(id)}. To undo: hox patterns restore ${id}`;
      show(given, { kind: "done", retired: id }, text);
    },
  ),
  clientRow(
    "patterns restore",
    "restore a text that was approved here",
    {
      ...ofPattern,
      "--version <n>": ["which version (default: the last one)", version],
      "-y, --yes": isConfirmed,
    },
    async (given, client) => {
      const { id } = await patternNamed(client, given.id);
      const which = given.version === undefined ? "the last version" : `version ${given.version}`;
      await consent(given, `Restore ${which} of ${shownName(id)}? Later runs will use it.`);
      const restored = await client.execute("pattern.restore", { id, version: given.version });
      const text = `Restored version ${restored.version} of ${shownName(id)}.`;
      show(given, { kind: "done", restored: id, version: restored.version }, text);
    },
  ),
  clientRow(
    "patterns suggest",
    "list approved patterns that match a goal",
    { "<goal>": "the goal, as you would give it to a run" },
    async (given, client) => {
      const suggestions = await client.execute("pattern.suggest", { goal: given.goal });
      const lines = suggestions.flatMap(suggestionLines);
      const none = ["No approved pattern matches this goal."];
      show(given, { kind: "suggestions", suggestions }, lines.length === 0 ? none : lines);
    },
  ),
  row(
    "patterns push",
    "push the branch hox-patterns to its remote, after a preview",
    { "-y, --yes": isConfirmed },
    async (given) => (await import("../inspect/log.ts")).push("hox-patterns", given),
  ),
  clientRow("patterns pull", "fetch what others pushed; this approves nothing", {}, async (given, client) => {
    const pull = await client.execute("pattern.pull");
    const [remote, received, replaced, kept] = [
      shownName(pull.remote),
      ...[pull.received, pull.replaced, pull.kept].map((ids) => ids.map(shownName).join(", ")),
    ];
    show(given, { kind: "pulled", ...pull }, [
      received === "" ? `${remote} has no new patterns.` : `From ${remote}, not approved here: ${received}`,
      ...(replaced === "" ? [] : [`No longer approved, because the text changed: ${replaced}`]),
      ...(kept === "" ? [] : [`Changed on both sides; your version is kept: ${kept}`]),
      ...(received === "" ? [] : ["Read each with `hox patterns show`, then approve or retire it."]),
    ]);
  }),
];

const maxTitleLength = 60;

function listLines(patterns: readonly PatternView[]): readonly string[] {
  if (patterns.length === 0)
    return ["No patterns yet. When a run ends, Hox asks you about patterns worth keeping."];
  return tableLines(
    ["pattern", "state", "title", "confidence", "complete", "failed", "stopped"],
    patterns.map(({ id, state, version, title, confidence, uses }) => [
      shownName(id),
      state === "approved" ? `approved, version ${version}` : state.replace("-", " "),
      startOf(shownLine(title), maxTitleLength),
      percent(confidence),
      String(uses.complete),
      String(uses.failed),
      String(uses.stopped),
    ]),
    3,
  );
}

/** The pattern of an id, or of a name that only one has. @throws CommandError that names the nearest one */
async function patternNamed(client: Client, id: string): Promise<PatternView> {
  const patterns = await client.execute("pattern.list");
  const named = patterns.filter(({ name }) => name === id);
  const found = patterns.find((pattern) => pattern.id === id) ?? (named.length === 1 ? named[0] : undefined);
  if (found) return found;
  const message = `No pattern ${startOf(shownLine(id), 100)}.`;
  if (patterns.length === 0) throw new CommandError(message, "No patterns yet.", exitCode.usage);
  throw unknownName(
    message,
    id,
    patterns.map((pattern) => pattern.id),
  );
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;

function patternLines(pattern: PatternView): readonly string[] {
  const { evidence, sourceRun, uses, taskTypes, contexts } = pattern;
  const fits = [
    ...(taskTypes.length > 0 ? [`tasks of type ${taskTypes.join(", ")}`] : []),
    ...(contexts.languages.length > 0 ? [`files in ${contexts.languages.join(", ")}`] : []),
    ...(contexts.folders.length > 0 ? [`folders ${contexts.folders.join(", ")}`] : []),
    ...(contexts.words.length > 0 ? [`tasks that mention ${contexts.words.join(", ")}`] : []),
  ];
  return [
    `${shownName(pattern.id)}: ${shownLine(pattern.title)}`,
    pattern.state === "approved"
      ? `Approved here as version ${pattern.version}; confidence ${percent(pattern.confidence)}`
      : `${pattern.state === "retired" ? "Retired" : "Not approved"}; agents don't get it. ${shownLine(pattern.whyNotTrusted ?? "")}`,
    `For ${fits.length === 0 ? "any task" : shownLine(fits.join("; "))}`,
    sourceRun === null
      ? "Source run: not recorded"
      : `From the run ${sourceRun.goal === null ? `${shownLine(sourceRun.id)}, not recorded here` : `“${startOf(shownLine(sourceRun.goal), 80)}” (${shownLine(sourceRun.id)})`}`,
    formatUses(uses),
    ...(evidence === null
      ? []
      : [
          `Evidence: ${evidence.claims.map(({ text, value }) => `${text}${value === null ? "" : ` (was ${value})`}`).join(", ")}`,
          `  ${formatFitting(evidence.fitting)}`,
        ]),
    ...block(pattern.body),
  ];
}

/** As in a patch, whole: patterns are short. */
const diffLines = ({ from, to, lines }: PatternDiff): readonly string[] => [
  `From ${from} to ${to}:`,
  ...lines.map(({ kind, text }) =>
    `  ${kind === "added" ? "+" : kind === "removed" ? "-" : " "} ${text}`.trimEnd(),
  ),
];

export const suggestionLines = (one: PatternSuggestion): readonly string[] => [
  `${shownName(one.id)} (${percent(one.confidence)}): ${shownLine(one.title)}`,
  `   ${shownLine(one.why.join("; "))}. ${formatUses(one.uses)}`,
];

/** Shows it with what the gates say, asks, and approves just that. @throws CommandError where a gate fails */
async function approveText(
  client: Client,
  asked: { readonly id: string; readonly markdown?: string },
  given: Asks,
): Promise<void> {
  const preview = await client.execute("pattern.preview", asked);
  show(given, { kind: "preview", ...preview }, previewLines(preview));
  const failed = preview.gates.filter(({ passed }) => !passed);
  if (failed.length > 0)
    throw new CommandError(
      `${asked.id} failed the automatic checks: ${failed.map(({ name, detail }) => `${name}: ${shownLine(detail)}`).join(" ")}`,
      `Edit its text: hox patterns edit ${asked.id}`,
    );
  const id = shownName(asked.id);
  await consent(given, `Approve this as version ${preview.version} of ${id}, for all matching runs?`);
  const approved = await client.execute("pattern.approve", { ...asked, shown: preview.shown });
  const text = `Approved: version ${approved.version} of ${id}.`;
  show(given, { kind: "done", approved: asked.id, version: approved.version }, text);
}

const previewLines = ({ id, text, gates, diff }: PatternPreview): readonly string[] => [
  `${shownName(id)}, as it would be saved:`,
  ...block(text),
  ...(diff === null ? [] : diffLines({ ...diff, lines: diff.lines.filter(({ kind }) => kind !== "same") })),
  ...gates.map(
    ({ name, passed, detail }) => `${passed ? "passed" : "failed"}: ${name}. ${shownLine(detail)}`,
  ),
];

async function readGiven(file: string): Promise<string> {
  try {
    return await readFile(resolve(invocationFolder(), file), "utf8");
  } catch (error) {
    throw new CommandError(
      `${file} cannot be read: ${(error as Error).message}`,
      "Give a file with the pattern's text.",
      exitCode.usage,
    );
  }
}

async function editedText(name: string, text: string) {
  const editor = process.env.VISUAL || process.env.EDITOR;
  if (!editor)
    throw new CommandError(
      "No editor is configured.",
      "Set EDITOR, or use a file: hox patterns edit <id> --file <file>",
      exitCode.usage,
    );
  const folder = await mkdtemp(join(tmpdir(), "hox-pattern-"));
  const file = join(folder, `${name}.md`);
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  await writeFile(file, text);
  const { runEditor } = await import("../../processes/run-editor.ts");
  const problem = await runEditor(editor, file);
  if (problem !== null) {
    await remove();
    throw new CommandError(`The editor failed: ${problem}`, "Nothing was changed.");
  }
  return { file, text: await readFile(file, "utf8"), remove };
}
