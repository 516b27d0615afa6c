/** What `hox run` takes. */
import { gates } from "#shared/contract/cards/gates.ts";
import { maxAttempts } from "#shared/domain/plan/attempts-of-plan.ts";
import { validatorChoices } from "#shared/domain/validation/panel-choice.ts";
import { microDollars, oneLine, oneOf, orNone, someOf, wholeNumber } from "./command-line.ts";
import type { Given } from "./command-table.ts";

export const maxTokens = ["maximum number of tokens, or none", orNone(wholeNumber(1, 1e12))] as const;
export const maxBudget = ["maximum cost in US dollars, or none", orNone(microDollars)] as const;

export const runTakes = {
  "--goal <text>": "what the run should achieve",
  "--idea <n>": ["use this idea of `hox ideas` as the goal; --goal rewords it", wholeNumber(1, 100_000)],
  "--again": "repeat the goal of the last failed or stopped run, based on its combined work",
  "--orchestrators <n>": [
    "number of orchestrators (default: the root orchestrator decides)",
    wholeNumber(1, 32),
  ],
  "--attempts <n>": [
    "number of agents that try each task in parallel; you choose one, and the cost multiplies",
    wholeNumber(1, maxAttempts),
  ],
  "--quick": "one agent, no plan or votes: it works, checks run, you land the result",
  "--no-quick": "make a plan even if run.quick is set",
  "--validators <who>": [
    "one, or panel (validation.validator_count of them); default: one, or a panel for a large or risky result",
    oneOf(validatorChoices),
  ],
  "--max-tokens <n>": maxTokens,
  "--max-budget-usd <amount>": maxBudget,
  "--max-iterations <n>": [
    "maximum iterations of each agent on its task before Hox asks you",
    wholeNumber(1, 1_000),
  ],
  "--onto <revset>": "change to build on, or branch to build and land on (default: your current branch)",
  "--model <name>": ["model of this run", oneLine],
  "--rehearsal <name>": [
    "use a scripted model; without --repo, on a copy of its example repository",
    oneLine,
  ],
  "--approve <gates>": [
    `cards to approve automatically: ${gates.join(", ")} (questions: picks the first option; patterns: only in a rehearsal)`,
    someOf(gates),
  ],
  "--take-over": "take over from the Hox process that has this repository open",
  "--pace <ms>": { help: "delay of the scripted model", parse: wholeNumber(0, 10_000), isHidden: true },
} as const;

/** With `watch`, archangels review sessions outside Hox and nothing is planned. */
export type RunOptions = Given<typeof runTakes> & { readonly watch?: boolean };
