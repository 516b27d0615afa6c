import { FILE_HEADERS_ONLY } from "diff";
import type { RequestedCall } from "#shared/contract/cards/mutation.ts";
import { startOf, withoutMiddle } from "#shared/domain/text/format-text.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import type { Tool } from "../tools/tool-interface.ts";
import type { AcpDriverOptions, PermissionRequest } from "./acp-options.ts";
import { patchMaker } from "./file-patches.ts";
import type { PermissionEvent } from "./runner/runner-protocol.ts";

const maxInput = 2_000;
const maxCommand = 4_000;
const maxDiff = 60_000;
/** Of one file's text: a card is no place for more. */
const maxText = 200_000;
const maxLocations = 20;
const maxDiffs = 20;
const maxPath = 1_000;

/**
 * What a call would do, for the user who is asked for it. All of it is the agent's word, and only text.
 *
 * @param shownPath how a path of the agent's is shown
 */
export function describeCall(
  { content = [], locations = [], rawInput }: ToolCall,
  shownPath: (path: string) => string,
): RequestedCall {
  let isCut = false;
  const cut = (text: string, max: number, shorten = bothEnds): string => {
    isCut ||= text.length > max;
    return shorten(text, max);
  };
  const diffs = (content ?? []).flatMap((part) => (part?.type === "diff" ? [part] : []));
  isCut ||= diffs.length > maxDiffs;
  const makePatch = patchMaker(FILE_HEADERS_ONLY);
  let diff = "";
  for (const { path, oldText, newText } of diffs.slice(0, maxDiffs)) {
    if (diff.length > maxDiff) break;
    const name = shownName(shownPath(path));
    const patch = makePatch({
      names: [oldText == null ? "/dev/null" : `a/${name}`, `b/${name}`],
      oldText: cut(oldText ?? "", maxText, startOf),
      newText: cut(newText, maxText, startOf),
    });
    isCut ||= patch === null;
    const head = `diff --git a/${name} b/${name}\n${oldText == null ? "new file mode 100644\n" : ""}`;
    diff += `${diff === "" ? "" : "\n"}${patch === null ? `${name} is changed in too many places to be shown.\n` : head + patch}`;
  }
  const command = commandOf(rawInput);
  const shownLocations = (locations ?? []).slice(0, maxLocations);
  isCut ||= shownLocations.length < (locations ?? []).length;
  return {
    locations: shownLocations.map(({ path, line }) => ({
      path: cut(shownPath(path), maxPath),
      line: line ?? null,
    })),
    command: command === null ? null : cut(command, maxCommand),
    input: cut(inputOf(rawInput), maxInput),
    diff: cut(diff, maxDiff, startOf),
    isCut,
  };
}

/** What matters may be at the end. */
const bothEnds = (text: string, max: number): string =>
  withoutMiddle(text, max, (left) => `\n… ${left} characters are not shown …\n`);

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

/**
 * Answers an agent's request for permission. Without a policy that asks, the sandbox decides what a call can do, and Hox's
 * own tools never need a permission.
 *
 * @param describe what the call would do, which is worth its work only for a user who is asked
 * @returns the id of the chosen option, or null; and what the transcript says of it
 */
export async function answerPermission(
  request: PermissionEvent,
  describe: () => PermissionRequest["call"],
  policy: AcpDriverOptions["permissions"],
  tools: readonly Tool[],
  signal: AbortSignal,
): Promise<{ readonly option: string | null; readonly notice: string }> {
  const { toolCall, options } = request;
  const { title, name } = toolCall;
  const isOwn = tools.some((tool) => name === `mcp__hox__${tool.name}`);
  const asks = policy === "sandbox" || isOwn ? null : policy;
  const wanted =
    asks === null
      ? options.find(({ kind }) => kind === "allow_once")?.optionId
      : await asks({ ...request, call: describe() }, signal);
  const chosen = options.find(({ optionId }) => optionId === wanted);
  const by = asks === null ? "The sandbox decides what it can do" : "You decided";
  const shown = typeof title === "string" ? title : "a call";
  return {
    option: chosen?.optionId ?? null,
    notice: `Asked for permission: ${shown}. ${by}: ${chosen?.name ?? "cancelled"}.`,
  };
}
