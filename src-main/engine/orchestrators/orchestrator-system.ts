import { loadPrompt, systemPrompt } from "../../config/system-prompt.ts";
import type { OrchestratorEvent } from "../orchestrator-protocol.ts";

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

/** Paragraphs on another event, and on what is added to a plan while it is carried out, say nothing to who plans. */
const isAboutPlans = (paragraph: string): boolean =>
  !/^\[EVENT (?!plan[ \]])/u.test(paragraph) && !paragraph.startsWith("Adding tasks:");
