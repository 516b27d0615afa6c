import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import type { AskedCall } from "#shared/contract/cards/mutation.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";

const maxInput = 2_000;
const maxCommand = 4_000;
const maxDiff = 60_000;
/** Of one file's text: a card is no place for more. */
const maxText = 200_000;
const maxLocations = 20;

/**
 * What a call would do, for the user who is asked for it. All of it is the agent's word, and only text.
 *
 * @param shownPath how a path of the agent's is shown
 */
export function describeCall(
  { content = [], locations = [], rawInput }: ToolCall,
  shownPath: (path: string) => string,
): AskedCall {
  const diff = (content ?? [])
    .flatMap((part) => (part?.type === "diff" ? [patchOf({ ...part, path: shownPath(part.path) })] : []))
    .join("\n");
  return {
    locations: (locations ?? [])
      .slice(0, maxLocations)
      .map(({ path, line }) => ({ path: shownPath(path).slice(0, 1_000), line: line ?? null })),
    command: commandOf(rawInput)?.slice(0, maxCommand) ?? null,
    input: inputOf(rawInput).slice(0, maxInput),
    diff: diff.slice(0, maxDiff),
    isDiffCut: diff.length > maxDiff,
  };
}

/** Without a command that is one text: it is shown by itself. */
function inputOf(input: unknown): string {
  const shown = ["command", "cmd"].find((name) => commandOf(input) === Object(input)[name]);
  const rest =
    shown === undefined
      ? input
      : Object.fromEntries(Object.entries(Object(input)).filter(([name]) => name !== shown));
  const text = JSON.stringify(rest, null, 2) ?? "";
  return text === "{}" ? "" : text;
}

/** As the agents write it: one text, or a program with its arguments. */
function commandOf(input: unknown): string | null {
  if (typeof input !== "object" || input === null) return null;
  const { command, cmd } = input as Readonly<Record<string, unknown>>;
  const given = command ?? cmd;
  if (typeof given === "string") return given;
  return Array.isArray(given) ? given.map(String).join(" ") : null;
}

/** What an agent says of a call. */
interface ToolCall {
  readonly content?:
    | readonly (({ readonly type: "diff" } & FileDiff) | { readonly type: "content" } | null)[]
    | null
    | undefined;
  readonly locations?:
    | readonly { readonly path: string; readonly line?: number | null | undefined }[]
    | null
    | undefined;
  readonly rawInput?: unknown;
}

interface FileDiff {
  readonly path: string;
  readonly oldText?: string | null | undefined;
  readonly newText: string;
}

/** As Git writes it. */
function patchOf({ path, oldText, newText }: FileDiff): string {
  const name = shownName(path);
  const patch = createTwoFilesPatch(
    oldText == null ? "/dev/null" : `a/${name}`,
    `b/${name}`,
    (oldText ?? "").slice(0, maxText),
    newText.slice(0, maxText),
    "",
    "",
    { headerOptions: FILE_HEADERS_ONLY, timeout: 1_000 },
  );
  const head = `diff --git a/${name} b/${name}\n${oldText == null ? "new file mode 100644\n" : ""}`;
  return patch === undefined ? `${name} is changed in too many places to be shown.\n` : `${head}${patch}`;
}
