/** `hox patterns`: the library of what earlier runs taught. Its texts are of others: shown, never obeyed. */
import type { PatternDiff, PatternSuggestion, PatternView } from "#shared/contract/views/pattern.ts";
import { formatFitting, formatUses } from "#shared/domain/patterns/pattern-use.ts";
import { startOf } from "#shared/domain/text/cut-text.ts";
import { nearestWord } from "#shared/domain/text/nearest-word.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { block } from "#shared/domain/text/text-block.ts";
import { CommandError, type CommonOptions, type ExitCode, exitCode } from "./command-line.ts";
import { consent } from "./consent.ts";
import { tableLines } from "./metrics-table.ts";
import { print, printJson } from "./output.ts";
import { type RunClient, withRunClient } from "./run-client.ts";

type Client = Pick<RunClient, "execute">;
type Asks = CommonOptions & { readonly yes?: boolean };

export const listPatterns = (options: CommonOptions): Promise<ExitCode> =>
  withRunClient(options, async (client) => {
    const patterns = await client.execute("pattern.list");
    if (options.json) printJson({ kind: "patterns", patterns });
    else for (const line of listLines(patterns)) print(line);
    return exitCode.done;
  });

/** Titles are shortened to this. */
const maxTitleLength = 60;

export function listLines(patterns: readonly PatternView[]): readonly string[] {
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

export const showPattern = (id: string, options: CommonOptions): Promise<ExitCode> =>
  withRunClient(options, async (client) => {
    const pattern = await patternNamed(client, id);
    if (options.json) printJson({ kind: "pattern", pattern });
    else for (const line of patternLines(pattern)) print(line);
    return exitCode.done;
  });

/** The pattern of an id, or an error that names the nearest one and all there are. */
export async function patternNamed(client: Client, id: string): Promise<PatternView> {
  const patterns = await client.execute("pattern.list");
  const ids = patterns.map((pattern) => pattern.id);
  // Most are called by their name alone where it is the only one.
  const found =
    patterns.find((pattern) => pattern.id === id) ?? only(patterns.filter(({ name }) => name === id));
  if (found) return found;
  const near = nearestWord(id, ids);
  throw new CommandError(
    `No pattern ${startOf(shownLine(id), 100)}.`,
    ids.length === 0
      ? "No patterns yet."
      : `${near ? `Did you mean ${near}? ` : ""}Available: ${ids.join(", ")}.`,
    exitCode.usage,
  );
}

const only = <T>(all: readonly T[]): T | undefined => (all.length === 1 ? all[0] : undefined);

const percent = (share: number): string => `${Math.round(share * 100)} %`;

export function patternLines(pattern: PatternView): readonly string[] {
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

export const diffPattern = (
  id: string,
  options: CommonOptions & { readonly from?: number; readonly to?: number },
): Promise<ExitCode> =>
  withRunClient(options, async (client) => {
    const { from, to } = options;
    const pattern = await patternNamed(client, id);
    const diff = await client.execute("pattern.diff", {
      id: pattern.id,
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
    });
    if (options.json) printJson({ kind: "diff", ...diff });
    else for (const line of diffLines(diff)) print(line);
    return exitCode.done;
  });

/** As in a patch, whole: patterns are short. */
export const diffLines = ({ from, to, lines }: PatternDiff): readonly string[] => [
  `From ${from} to ${to}:`,
  ...lines.map(({ kind, text }) =>
    `  ${kind === "added" ? "+" : kind === "removed" ? "-" : " "} ${text}`.trimEnd(),
  ),
];

export const retirePattern = (id: string, options: Asks & { readonly reason: string }): Promise<ExitCode> =>
  withRunClient(options, async (client) => {
    const pattern = await patternNamed(client, id);
    await consent(options, `Retire ${shownName(pattern.id)}? Later runs no longer use it.`);
    await client.execute("pattern.retire", { id: pattern.id, reason: options.reason });
    if (options.json) printJson({ kind: "done", retired: pattern.id });
    else print(`Retired ${shownName(pattern.id)}. To undo: hox patterns restore ${pattern.id}`);
    return exitCode.done;
  });

export const restorePattern = (
  id: string,
  options: Asks & { readonly version?: number },
): Promise<ExitCode> =>
  withRunClient(options, async (client) => {
    const pattern = await patternNamed(client, id);
    const wanted = options.version;
    const which = wanted === undefined ? "the last version" : `version ${wanted}`;
    await consent(options, `Restore ${which} of ${shownName(pattern.id)}? Later runs will use it.`);
    const { version } = await client.execute("pattern.restore", {
      id: pattern.id,
      ...(wanted === undefined ? {} : { version: wanted }),
    });
    if (options.json) printJson({ kind: "done", restored: pattern.id, version });
    else print(`Restored version ${version} of ${shownName(pattern.id)}.`);
    return exitCode.done;
  });

export const suggestPatterns = (goal: string, options: CommonOptions): Promise<ExitCode> =>
  withRunClient(options, async (client) => {
    const suggestions = await client.execute("pattern.suggest", { goal });
    if (options.json) printJson({ kind: "suggestions", suggestions });
    else if (suggestions.length === 0) print("No approved pattern matches this goal.");
    else for (const line of suggestions.flatMap(suggestionLines)) print(line);
    return exitCode.done;
  });

export const suggestionLines = (one: PatternSuggestion): readonly string[] => [
  `${shownName(one.id)} (${percent(one.confidence)}): ${shownLine(one.title)}`,
  `   ${shownLine(one.why.join("; "))}. ${formatUses(one.uses)}`,
];

export const pullPatterns = (options: CommonOptions): Promise<ExitCode> =>
  withRunClient(options, async (client) => {
    const pull = await client.execute("pattern.pull");
    if (options.json) {
      printJson({ kind: "pulled", ...pull });
      return exitCode.done;
    }
    const { remote, received, replaced, kept } = pull;
    print(
      received.length === 0
        ? `${shownName(remote)} has no new patterns.`
        : `From ${shownName(remote)}, not approved here: ${received.map(shownName).join(", ")}`,
    );
    if (replaced.length > 0)
      print(`No longer approved, because the text changed: ${replaced.map(shownName).join(", ")}`);
    if (kept.length > 0)
      print(`Changed on both sides; your version is kept: ${kept.map(shownName).join(", ")}`);
    if (received.length > 0) print("Read each with `hox patterns show`, then approve or retire it.");
    return exitCode.done;
  });
