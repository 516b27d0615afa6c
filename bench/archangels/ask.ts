import { createConversation } from "../../src-main/agent/conversation.ts";
import { loadPrompt, systemPrompt } from "../../src-main/config/resources-folder.ts";
import { endLine } from "../../src-main/engine/features/reviewers/archangels/review-prompt.ts";
import type { ModelDriver } from "../../src-main/model/driver-interface.ts";
import { priceOf } from "../../src-main/model/price-table.ts";
import { createSandbox } from "../../src-main/tools/sandbox/sandbox.ts";
import { workspaceFiles } from "../../src-main/tools/workspace-files.ts";
import { archangelWorker } from "../../src-shared/domain/archangel/archangel.ts";
import { prompt, promptLine, quoteText, section } from "../../src-shared/domain/text/prompt-text.ts";
import { answerTools, type BenchStatements } from "./answer-tools.ts";
import { diffOf, goal, plan, type Seed } from "./seed.ts";

export interface Asked {
  readonly statements: BenchStatements;
  readonly microDollars: number;
}

const promptFor = (seed: Seed) =>
  prompt(
    promptLine`[REVIEW]`,
    section("Goal", [quoteText(goal)]),
    section(
      "Plan",
      plan.map(({ id, title, does }) => promptLine`- ${id}: ${title}. ${does}`),
    ),
    section("What happened", [promptLine`- agent-1: saved an iteration.`]),
    section("Work of agent-1", [
      promptLine`It is the step ${seed.step} of the plan.`,
      promptLine`What changed since you looked:`,
      quoteText(diffOf(seed)),
    ]),
    endLine,
  );

/**
 * One archangel looks at one change, in a separate conversation.
 *
 * @param workspace an empty folder
 * @throws Error as the conversation failed
 */
export async function askArchangel(
  name: string,
  seed: Seed,
  { driver, model, workspace }: { driver: ModelDriver; model: string; workspace: string },
): Promise<Asked> {
  const statements: BenchStatements = { comments: [], suggestions: 0 };
  const worker = archangelWorker(name);
  const sandbox = await createSandbox({ allowUnsandboxed: true });
  const { signal } = new AbortController();
  let microDollars = 0;
  const conversation = createConversation({
    driver,
    model,
    price: priceOf,
    system: systemPrompt("archangel", worker, { purpose: loadPrompt(`archangel-${name}`, {}) }),
    tools: answerTools(statements),
    toolContext: {
      agent: worker,
      signal,
      files: workspaceFiles({ workspace }),
      run: (command) => sandbox.run({ ...command, workspace }),
      environment: {},
    },
    requester: worker,
    maxTokens: 4_000,
    maxTurns: 10,
    gate: () => null,
    onEntry: () => undefined,
    onSpent: (spent) => {
      microDollars += spent.microDollars;
    },
  });
  const end = await conversation.run(promptFor(seed), signal);
  if (end.kind === "failed") throw end.error;
  return { statements, microDollars };
}
