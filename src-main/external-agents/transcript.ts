import { OMIT_HEADERS } from "diff";
import { z } from "zod";
import type { RequestedCall } from "#shared/contract/cards/mutation.ts";
import type { ConversationEntry } from "#shared/domain/conversation/conversation.ts";
import { endOf, withoutMiddle } from "#shared/domain/text/format-text.ts";
import { type Redactor, redactTexts } from "../tools/redact.ts";
import { patchMaker } from "./file-patches.ts";
import { describeCall } from "./requested-call.ts";

const text = z.object({ type: z.literal("text"), text: z.string() });
const content = z.union([
  z.object({ type: z.literal("content"), content: text }),
  z.object({
    type: z.literal("diff"),
    path: z.string(),
    oldText: z.string().nullish(),
    newText: z.string(),
  }),
  z.unknown().transform(() => null),
]);
const toolCall = z.object({
  toolCallId: z.string(),
  title: z.string().nullish(),
  name: z.string().nullish(),
  kind: z.string().nullish(),
  status: z.string().nullish(),
  content: z.array(content).nullish(),
  locations: z.array(z.object({ path: z.string(), line: z.number().nullish() })).nullish(),
  rawInput: z.unknown().optional(),
  rawOutput: z.unknown().optional(),
  /** Where adapters put what a command printed, for clients that have no terminal. */
  _meta: z.object({ terminal_output_delta: z.object({ data: z.string() }).optional() }).nullish(),
});
type ToolCall = z.infer<typeof toolCall>;

const update = z.union([
  z.object({
    sessionUpdate: z.enum(["agent_message_chunk", "agent_thought_chunk"]),
    content: text,
  }),
  toolCall.extend({ sessionUpdate: z.enum(["tool_call", "tool_call_update"]) }),
  z.object({
    sessionUpdate: z.literal("plan"),
    entries: z.array(z.object({ content: z.string(), status: z.string(), priority: z.string().optional() })),
  }),
]);

/** Of one output. */
const maxOutput = 24_000;

/** What is kept at least of the last message, and of what a command prints. */
const maxLast = 100_000;
/** Of one turn. */
const maxTurn = 16_000_000;
/** More calls at once are not followed. */
const maxOpen = 200;

/** A call that the agent has made, as far as it was told. */
interface OpenCall {
  call: ToolCall;
  printed: string;
  isTold: boolean;
  readonly begun: number;
}

export interface TranscriptOptions {
  /** The workspace as the agent sees it now: paths in it are shown without it. */
  readonly view: () => string;
  readonly onEntry: (entry: ConversationEntry) => void;
  readonly redact: (text: string) => string;
  /** Hides secrets that messages could hold in pieces. Default: they hold none. */
  readonly redactor?: Pick<Redactor, "stream"> | undefined;
  /** Names of Hox's tools: their calls come from the endpoint that serves them. */
  readonly ownTools: readonly string[];
  readonly monotonic: () => number;
}

/** What an agent says, as far as it was not passed on. */
interface Waiting {
  readonly kind: "text" | "thinking";
  text: string;
  readonly stream: ReturnType<Redactor["stream"]> | null;
}

/** Turns an agent's updates into entries of its conversation. Updates are untrusted; what is none is left out. */
export class Transcript {
  readonly #options: TranscriptOptions;
  readonly #open = new Map<string, OpenCall>();
  #waiting: Waiting | null = null;
  #plan = "";
  #plans = 0;
  #last = "";
  /** Bytes of this turn's entries so far. */
  #size = 0;

  constructor(options: TranscriptOptions) {
    this.#options = options;
  }

  /** The agent's last message of this turn, since its last call. */
  get lastText(): string {
    return this.#options.redact(this.#last);
  }

  /** @returns what it was: after the end of a call a turn can be interrupted; null: nothing to show */
  add(untrusted: unknown): "content" | "call-ended" | null {
    const read = update.safeParse(untrusted);
    if (!read.success) return null;
    const one = read.data;
    switch (one.sessionUpdate) {
      case "agent_message_chunk":
        this.#say("text", one.content.text);
        return "content";
      case "agent_thought_chunk":
        this.#say("thinking", one.content.text);
        return "content";
      case "plan":
        this.#showPlan(one.entries);
        return "content";
      default:
        return this.#follow(one) ? "call-ended" : "content";
    }
  }

  /** A call that the agent asks for, with what it said of it before. Untrusted; null: it is none. */
  asked(untrusted: unknown): RequestedCall | null {
    const read = toolCall.safeParse(untrusted);
    if (!read.success) return null;
    const given = Object.entries(read.data).filter(([, value]) => value !== null && value !== undefined);
    const before = this.#open.get(read.data.toolCallId)?.call;
    const call = { ...(before ?? read.data), ...Object.fromEntries(given) };
    // Before it is cut: half a secret would not be found.
    return describeCall(redactTexts(call, this.#options.redact), (path) => this.#shown(path));
  }

  /** Passes on what waited to be joined; a message may continue. */
  pass(): void {
    const waiting = this.#waiting;
    if (waiting === null || waiting.text === "") return;
    const { kind, text: said } = waiting;
    waiting.text = "";
    this.#tell({ kind, text: said });
  }

  /** Passes on what waited to be joined: something else comes. */
  flush(): void {
    const rest = this.#waiting?.stream?.end() ?? "";
    if (this.#waiting) this.#add(this.#waiting, rest);
    this.pass();
    this.#waiting = null;
  }

  /** Another turn begins. */
  begin(): void {
    this.#last = "";
    this.#size = 0;
  }

  /** The turn is over: calls that are open have no result. */
  end(): void {
    this.flush();
    for (const one of [...this.#open.values()])
      this.#tellResult(one, "cancelled", "The turn ended before it did.");
  }

  /** What an agent says costs nothing, so a turn of it could fill the disk. */
  #tell(entry: ConversationEntry): void {
    const before = this.#size;
    this.#size += JSON.stringify(entry).length;
    if (this.#size <= maxTurn) this.#options.onEntry(entry);
    else if (before <= maxTurn)
      this.#options.onEntry({
        kind: "notice",
        text: `The rest of this turn is not recorded: it is longer than ${maxTurn / 1e6} MB.`,
      });
  }

  #say(kind: "text" | "thinking", delta: string): void {
    if (this.#waiting?.kind !== kind) {
      this.flush();
      this.#waiting = { kind, text: "", stream: this.#options.redactor?.stream() ?? null };
    }
    const waiting = this.#waiting;
    this.#add(waiting, waiting.stream?.push(delta) ?? delta);
  }

  #add(waiting: Waiting, said: string): void {
    waiting.text += said;
    if (waiting.kind === "text") this.#last = this.#endOf(this.#last + said);
  }

  #showPlan(entries: readonly { readonly content: string; readonly status: string }[]): void {
    const key = JSON.stringify(entries);
    if (key === this.#plan) return;
    this.#plan = key;
    this.#plans += 1;
    this.flush();
    const call = { id: `plan-${this.#plans}`, tool: "plan" };
    this.#tell({ kind: "tool-call", ...call, input: { entries } });
    const output = entries.map(({ content: step, status }) => `${marks[status] ?? "·"} ${step}`).join("\n");
    this.#tell({ kind: "tool-result", ...call, output, error: null, ms: 0 });
  }

  #follow(change: ToolCall): boolean {
    this.flush();
    this.#last = "";
    const known = this.#open.get(change.toolCallId);
    const one = known ?? { call: change, printed: "", isTold: false, begun: this.#options.monotonic() };
    const isOver = change.status === "completed" || change.status === "failed";
    // What comes after a call's end belongs to no call.
    if (known === undefined && !isOver && change.title == null) return false;
    const given = Object.entries(change).filter(([, value]) => value !== null && value !== undefined);
    one.call = { ...one.call, ...Object.fromEntries(given) };
    one.printed = this.#endOf(one.printed + (change._meta?.terminal_output_delta?.data ?? ""));
    this.#open.set(change.toolCallId, one);
    const [oldest] = this.#open.values();
    if (this.#open.size > maxOpen && oldest)
      this.#tellResult(oldest, "cancelled", "Too many calls are open.");
    if (change.status === "in_progress" || hasInput(one.call)) this.#tellCall(one);
    if (!isOver) return false;
    this.#tellResult(one, change.status === "failed" ? "failed" : null);
    return true;
  }

  /** Without secrets where it is cut, of which half would not be found. Not cut for each piece that is added to it. */
  #endOf(whole: string): string {
    return whole.length > 2 * maxLast ? endOf(this.#options.redact(whole), maxLast) : whole;
  }

  /** Agents show a tool of the server `hox` in different forms. */
  #isOwn({ title, name }: ToolCall): boolean {
    const forms = ["mcp__hox__*", "mcp_hox_*", "hox_*", "hox.*", "hox/*", "mcp.hox.*", "* (hox MCP Server)"];
    return this.#options.ownTools.some((tool) =>
      forms.some((form) => [name, title].includes(form.replace("*", tool))),
    );
  }

  #tellCall(one: OpenCall): void {
    if (one.isTold) return;
    one.isTold = true;
    const { call } = one;
    if (this.#isOwn(call)) return;
    const locations = call.locations?.map(({ path, line }) => ({
      path: this.#shown(path),
      ...(line == null ? {} : { line }),
    }));
    const input = {
      ...(call.title == null ? {} : { title: call.title }),
      ...(locations?.length ? { locations } : {}),
      ...(call.rawInput === undefined ? {} : { input: call.rawInput }),
    };
    this.#tell({ kind: "tool-call", id: call.toolCallId, tool: toolOf(call), input });
  }

  #tellResult(one: OpenCall, error: string | null, output?: string): void {
    this.#tellCall(one);
    const { call, begun } = one;
    this.#open.delete(call.toolCallId);
    if (this.#isOwn(call)) return;
    const whole = output ?? (this.#outputOf(call) || one.printed);
    this.#tell({
      kind: "tool-result",
      id: call.toolCallId,
      tool: toolOf(call),
      output: withoutMiddle(
        this.#options.redact(whole),
        maxOutput,
        (left) => `\n… ${left} characters left out …\n`,
      ),
      error,
      ms: Math.round(this.#options.monotonic() - begun),
    });
  }

  #outputOf({ content: parts, rawOutput }: ToolCall): string {
    const makePatch = patchMaker(OMIT_HEADERS);
    const shown = (parts ?? []).flatMap((part) => {
      if (part === null) return [];
      if (part.type === "content") return [part.content.text];
      const path = this.#shown(part.path);
      const { oldText, newText } = part;
      const patch = makePatch({ names: [path, path], oldText: oldText ?? "", newText });
      return [`${path}\n${patch ?? `${path} was changed in too many places to be shown.`}`];
    });
    if (shown.length > 0) return shown.join("\n");
    return typeof rawOutput === "string"
      ? rawOutput
      : rawOutput === undefined
        ? ""
        : JSON.stringify(rawOutput);
  }

  #shown(path: string): string {
    const view = this.#options.view();
    return path.startsWith(`${view}/`) ? path.slice(view.length + 1) : path;
  }
}

/** Before the steps of a plan. */
const marks: Readonly<Record<string, string>> = { completed: "✓", in_progress: "▸" };

/** An agent's own name of a tool, or what it does in the protocol's words. */
const toolOf = ({ name, kind }: ToolCall): string => name ?? kind ?? "tool";

const hasInput = ({ rawInput }: ToolCall): boolean =>
  typeof rawInput === "object" && rawInput !== null && Object.keys(rawInput).length > 0;
