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
 * The system prompt of an orchestrator: the same for every event after its plan, so that the cached prefix holds. The
 * plan has tools of its own and so a prefix of its own, and leaves out how the other events are answered: a goal that is
 * one task meets none of them.
 *
 * @param parent who gave it its part; null for the root
 */
export function orchestratorSystem(name: string, parent: string | null, event: OrchestratorEvent): string {
  const place = parent === null ? loadPrompt("place-of-root", {}) : loadPrompt("place-of-part", { parent });
  const whole = systemPrompt("orchestrator", name, { place });
  return hasOwnPrefix(event) ? whole.split("\n\n").filter(isAboutPlans).join("\n\n") : whole;
}

/** The system prompt of an orchestrator's events after its plan, which whoever inherits its conversation goes on with. */
export const lenderSystem = (run: RunReader, lender: string): string =>
  orchestratorSystem(lender, lender === rootOf(run) ? null : parentOf(run, lender), "user message");

/** Who an orchestrator is that plans in the conversation that it inherits; nothing for who has one of its own. */
export function inheritedPlace(run: RunReader, name: string): PromptText {
  const lender = lenderOf(run, name);
  return lender === null
    ? promptLine``
    : prompt(
        promptLine`[FORK] The conversation above is that of ${lender}, which goes on without you. From here on you are ${name}, an orchestrator below it with agents, a change and a workspace of your own.`,
        resourceText(loadPrompt("place-of-part", { parent: lender })),
      );
}

/** Paragraphs on another event, and on what is added to a plan while it is carried out, say nothing to who plans. */
const isAboutPlans = (paragraph: string): boolean =>
  !/^\[EVENT (?!plan[ \]])/u.test(paragraph) && !paragraph.startsWith("Adding tasks:");
