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
 * The same tools in the same words for every event after the plan, so that the cached prefix holds; one that does not
 * fit the event is refused when it is called. A plan needs none of what comes after it, and a goal that is one task has
 * no event after its plan.
 */
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
  if (hasOwnPrefix(event))
    return [
      ...readingTools(),
      ...made.filter((one) => one.isForPlanning || answering.includes(one.name)).map(({ tool }) => tool),
    ];
  const others = lends ? borrowedAgentTools(run, name, made) : [];
  const fitting = new Set([
    ...readingTools().map((tool) => tool.name),
    ...made.flatMap((one) => (one.isAlwaysAllowed ? [one.name] : [])),
    ...answering,
  ]);
  return [
    ...agentTools().filter(({ name: tool }) => tool !== "run_command" && tool !== "align_request"),
    ...made.map(({ tool }) => tool),
    ...others,
  ].map((tool) => (fitting.has(tool.name) ? tool : refused(tool, event, answering)));
}

const planning: ReadonlySet<OrchestratorEvent> = new Set(["plan", "plan changed"]);

/** Whether system prompt and tools of an event are its own, so that no other event finds them remembered. */
export const hasOwnPrefix = (event: OrchestratorEvent): boolean => planning.has(event);

/**
 * The system prompt of an orchestrator: the same for every event after its plan, so that the cached prefix is
 * kept. The plan has separate tools and so a separate prefix, and omits how to answer other events, which a
 * goal of one task never meets.
 *
 * @param parent the orchestrator that delegated to it; null for the root
 */
export function orchestratorSystem(name: string, parent: string | null, event: OrchestratorEvent): string {
  const place = parent === null ? loadPrompt("place-of-root", {}) : loadPrompt("place-of-part", { parent });
  const whole = systemPrompt("orchestrator", name, { place });
  return hasOwnPrefix(event) ? whole.split("\n\n").filter(isAboutPlans).join("\n\n") : whole;
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

/** Paragraphs on another event, and on what is added to a plan while it is carried out, say nothing to who plans. */
const isAboutPlans = (paragraph: string): boolean =>
  !/^\[EVENT (?!plan[ \]])/u.test(paragraph) && !paragraph.startsWith("Adding tasks:");

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
