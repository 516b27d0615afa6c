import { type PromptText, prompt, promptLine, resourceText } from "#shared/domain/text/prompt-text.ts";
import { loadPrompt, systemPrompt } from "../../config/system-prompt.ts";
import type { OrchestratorEvent } from "../orchestrator-protocol.ts";
import type { RunReader } from "../ports.ts";
import { parentOf, rootOf } from "../workers/hierarchy.ts";
import { lenderOf } from "../workers/inherited-context.ts";

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
