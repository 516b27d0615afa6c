import { shortened, startOf } from "#shared/domain/text/cut-text.ts";
import type { WireBlock, WireBody } from "./request.ts";
import type { Matcher, Scene, Script, Seen, SeenResult, Step } from "./script.ts";

export interface Chosen {
  readonly step: Step;
  /** `role / scene / index`, for reports. */
  readonly place: string;
}

/** The script has nothing for this request; the message shows what was asked. */
export class Unmatched extends Error {
  override readonly name = "Unmatched";
}

export function see(request: WireBody): Seen {
  const system = (request.system ?? []).map((one) => one.text).join("\n");
  const role = [...system.matchAll(/^Hox-Role:[ \t]*(\S+)[ \t]*$/gm)].at(-1)?.[1] ?? "";
  const { messages } = request;
  const withText = messages.flatMap((message, index) =>
    message.role === "user" && message.content.some((one) => one.type === "text" && !isNote(one.text))
      ? [index]
      : [],
  );
  const latest = withText.at(-1) ?? 0;
  const calls = new Map<string, { name: string; input: unknown }>();
  for (const block of messages.flatMap((message) => message.content)) {
    if (block.type === "tool_use") calls.set(block.id, { name: block.name, input: block.input });
  }
  const results = (blocks: readonly WireBlock[]): SeenResult[] =>
    blocks.flatMap((one) => {
      if (one.type !== "tool_result") return [];
      const call = calls.get(one.tool_use_id);
      return [
        { tool: call?.name ?? "", input: call?.input, output: outputOf(one), isError: one.is_error ?? false },
      ];
    });
  return {
    role,
    model: request.model,
    system,
    tools: (request.tools ?? []).map((tool) => tool.name),
    opening: textOf(messages[withText[0] ?? 0]?.content ?? []),
    prompt: textOf(messages[latest]?.content ?? []),
    turn: messages.slice(latest).filter((message) => message.role === "assistant").length,
    turns: messages.filter((message) => message.role === "assistant").length,
    results: results(messages.at(-1)?.content ?? []),
    history: results(messages.flatMap((message) => message.content)),
  };
}

const textOf = (blocks: readonly WireBlock[]): string =>
  blocks.flatMap((one) => (one.type === "text" && !isNote(one.text) ? [one.text] : [])).join("\n");

/** A word of Hox in the middle of what was asked is nothing else that is asked. */
const isNote = (text: string): boolean => text.startsWith("[NOTE] ");

const outputOf = (result: Extract<WireBlock, { type: "tool_result" }>): string =>
  typeof result.content === "string"
    ? result.content
    : (result.content ?? [])
        .map((one) => (one.type === "text" ? one.text : `[${one.source.media_type}]`))
        .join("\n");

/** The step for a request, from its content alone. Throws `Unmatched`. */
export function choose(script: Script, seen: Seen): Chosen {
  const name = routeFor(script, seen.role);
  const scenes = name === undefined ? undefined : script.routes[name];
  const shown = shortened(seen.prompt, 300);
  if (!scenes) throw new Unmatched(`No route for the role "${seen.role}". Its prompt was: ${shown}`);
  const scene = scenes.find((one) => matches(one.prompt, seen));
  if (!scene) throw new Unmatched(`No scene of ${name} fits the prompt of ${seen.role}: ${shown}`);
  const scripted = scene.steps[seen.turn];
  if (!scripted) {
    throw new Unmatched(
      `The scene "${scene.name}" of ${seen.role} has ${scene.steps.length} steps; asked for step ${seen.turn}. ` +
        `Last results: ${startOf(JSON.stringify(seen.results), 600)}`,
    );
  }
  const step = typeof scripted === "function" ? scripted(seen) : scripted;
  return { step, place: `${name} / ${scene.name} / ${seen.turn}` };
}

/** Every step that a complete run would use, as `role / scene / index`. */
export const places = (script: Script): readonly string[] =>
  Object.entries(script.routes).flatMap(([role, scenes]) =>
    scenes
      .filter((scene: Scene) => !scene.optional)
      .flatMap((scene) => scene.steps.map((_, index) => `${role} / ${scene.name} / ${index}`)),
  );

function routeFor(script: Script, role: string): string | undefined {
  if (Object.hasOwn(script.routes, role)) return role;
  return Object.keys(script.routes)
    .filter((name) => name.endsWith("*") && role.startsWith(name.slice(0, -1)))
    .sort((a, b) => b.length - a.length)[0];
}

function matches(matcher: Matcher | undefined, seen: Seen): boolean {
  if (matcher === undefined) return true;
  if (typeof matcher === "string") return seen.prompt.includes(matcher);
  if (typeof matcher === "function") return matcher(seen);
  // A global expression keeps its place between calls, which would make the choice depend on history.
  return new RegExp(matcher.source, matcher.flags.replace(/[gy]/g, "")).test(seen.prompt);
}
