/** Which tools an orchestrator has, and which of them answer an event: as the capabilities offer them. */
import { contextAt } from "#shared/domain/plan/plan.ts";
import { type PromptText, prompt, promptLine, resourceText } from "#shared/domain/text/prompt-text.ts";
import { loadPrompt, systemPrompt } from "../../config/resources-folder.ts";
import { agentTools, readingTools } from "../../tools/agent-tools.ts";
import type { Tool } from "../../tools/tool-interface.ts";
import type { Feature, OrchestratorTool } from "../kernel/feature.ts";
import type { OrchestratorEvent } from "../orchestrator-protocol.ts";
import type { Run, RunReader } from "../ports.ts";
import { parentOf, rootOf } from "../workers/hierarchy.ts";
import { lenderOf } from "../workers/inherited-context.ts";

type Offers = Pick<Run, "features">;

const offered = ({
  features,
}: {
  readonly features: readonly Feature<Run>[];
}): readonly OrchestratorTool<Run>[] => features.flatMap(({ orchestratorTools = [] }) => orchestratorTools);

/** Names of the tools that an event may be answered with, what it is about first. */
export const answersTo = (
  offers: Offers,
  orchestrator: string,
  event: OrchestratorEvent,
): readonly string[] =>
  offered(offers)
    .flatMap(({ name, answers = {}, isFor }) => {
      const place = answers[event];
      return place === undefined || isFor?.(orchestrator) === false ? [] : [{ name, place }];
    })
    .toSorted((one, other) => one.place - other.place)
    .map(({ name }) => name);

/** Who carries out what is called before the event is answered; null for what answers it. */
export const handlerFor = (
  offers: Offers,
  tool: string,
): NonNullable<OrchestratorTool<Run>["execute"]> | null =>
  offered(offers).find(({ name, execute }) => name === tool && execute)?.execute ?? null;

/**
 * Events that share system prompt and tools, so that the cached prefix of one serves the others; a tool that does not fit
 * the event is refused when it is called. Most runs have no others than these: each group carries only its own. What a
 * run taught is asked at the end of the conversation that planned it.
 */
const prefixGroups: readonly ReadonlySet<OrchestratorEvent>[] = [
  new Set(["plan", "plan changed", "learn"]),
  new Set(["merge request ready", "conflict forecast"]),
];
const groupOf = (event: OrchestratorEvent): ReadonlySet<OrchestratorEvent> | null =>
  prefixGroups.find((group) => group.has(event)) ?? null;

/** Tools of an orchestrator for an event: those of its group, or all. */
export function toolsFor(
  run: Run,
  name: string,
  { event, key }: { readonly event: OrchestratorEvent; readonly key: string },
  /**
   * Whether workers inherit its conversation: then it is shown the tools that they need, and may not use
   * them.
   */
  lends = isLender(run, name),
): readonly Tool[] {
  const made = offered(run).flatMap((one) => {
    const tool = one.isFor?.(name) === false ? undefined : one.make?.(run, name, key);
    return tool ? [{ ...one, tool }] : [];
  });
  const answering = answersTo(run, name, event);
  const fitting = new Set([
    ...fitsAll,
    ...made.flatMap((one) => (one.isAlwaysAllowed ? [one.name] : [])),
    ...answering,
  ]);
  const group = groupOf(event);
  const inGroup = new Set(group === null ? [] : [...group].flatMap((one) => answersTo(run, name, one)));
  const isOffered = (one: (typeof made)[number]): boolean =>
    group === null ||
    inGroup.has(one.name) ||
    (isPlanning(event) ? one.isForPlanning : one.isAlwaysAllowed) === true;
  const files = agentTools().filter(({ name: tool }) =>
    group === null
      ? tool !== "run_command" && tool !== "align_request"
      : fitsAll.has(tool) || inGroup.has(tool),
  );
  const others = group === null && lends ? borrowedAgentTools(run, name, made) : [];
  return [...files, ...made.filter(isOffered).map(({ tool }) => tool), ...others].map((tool) =>
    fitting.has(tool.name) ? tool : refused(tool, event, answering),
  );
}

const fitsAll = new Set(readingTools().map(({ name }) => name));

/** Whether an event is answered in the prefix of plans, which no other event finds remembered. */
export const isPlanning = (event: OrchestratorEvent): boolean => groupOf(event)?.has("plan") === true;

/**
 * The system prompt of an orchestrator: the same for all events that share a prefix. Paragraphs on other events, and on
 * what is added to a plan where that answers none, are left out.
 *
 * @param parent the orchestrator that delegated to it; null for the root
 */
export function orchestratorSystem(name: string, parent: string | null, event: OrchestratorEvent): string {
  const place = parent === null ? loadPrompt("place-of-root", {}) : loadPrompt("place-of-part", { parent });
  const whole = systemPrompt("orchestrator", name, { place });
  const group = groupOf(event);
  if (group === null) return whole;
  const isNeeded = (paragraph: string): boolean => {
    const [, about] = /^\[EVENT ([a-z -]+)\]/u.exec(paragraph) ?? [];
    if (about !== undefined) return group.has(about as OrchestratorEvent);
    return !(isPlanning(event) && paragraph.startsWith("Adding tasks:"));
  };
  return whole.split("\n\n").filter(isNeeded).join("\n\n");
}

/** The system prompt after the plan, for workers that inherit the conversation. */
export const lenderSystem = (run: RunReader, lender: string): string =>
  orchestratorSystem(lender, lender === rootOf(run) ? null : parentOf(run, lender), "user message");

/** Tells an orchestrator who it is when it plans in an inherited conversation; empty if it has its own. */
export function inheritedPlace(run: RunReader, name: string): PromptText {
  const lender = lenderOf(run, name);
  return lender === null
    ? promptLine``
    : prompt(
        promptLine`[FORK] The conversation above belongs to ${lender}, which continues without you. From here on you are ${name}, an orchestrator below it with your own agents, change and workspace.`,
        resourceText(loadPrompt("place-of-part", { parent: lender })),
      );
}

const isLender = (run: RunReader, name: string): boolean =>
  run.orchestratorFacts(name).plan?.tasks.some((task) => contextAt(task) === "inherit") === true;

/** Tools of agents that an orchestrator has not. */
function borrowedAgentTools(
  run: Run,
  name: string,
  made: readonly { readonly name: string }[],
): readonly Tool[] {
  const { commandTimeoutSeconds } = run.config.loopDefaults;
  const has = new Set(made.map((one) => one.name));
  return [
    ...agentTools({ commandTimeoutSeconds }).filter(
      (tool) => tool.name === "run_command" || tool.name === "align_request",
    ),
    ...run.features.flatMap((feature) => feature.agents?.tools?.(run, name) ?? []),
  ].filter((tool) => !has.has(tool.name));
}

/**
 * Tools of a worker in an orchestrator's conversation: identical descriptions, so that the cached prefix is
 * kept. Tools of the same name do what the worker's own do, and the others refuse by name.
 *
 * @param own the worker's
 */
export function lentTools(run: Run, lender: string, own: readonly Tool[]): readonly Tool[] {
  const names = own.map(({ name }) => name).join(", ");
  return toolsFor(run, lender, { event: "user message", key: "" }, true).map((lent) => {
    const { name, description, input } = lent;
    const mine = own.find((tool) => tool.name === name);
    return mine
      ? { ...mine, description, input }
      : {
          ...lent,
          onlySignals: false,
          run: async () => ({
            ok: false,
            error: "not-allowed",
            output: `${name} is for ${lender}, not for you. Use one of: ${names}.`,
          }),
        };
  });
}

const refused = (tool: Tool, event: OrchestratorEvent, answering: readonly string[]): Tool => ({
  ...tool,
  run: async () => ({
    ok: false,
    error: "not-allowed",
    output: `${tool.name} does not answer [EVENT ${event}]. Use one of: ${answering.join(", ")}.`,
  }),
});
