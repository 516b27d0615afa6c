/** How the orchestrator of the rehearsal `receipts` plans and answers. */
import type { Plan } from "#shared/domain/plan/plan.ts";
import type { Scene } from "../model/stand-in/script.ts";
import { call, follow, look } from "./reading.ts";
import { contract, intent, paths } from "./receipts-sources.ts";
import { acceptsWork, asksUser, learnsNothing, passesAnswerOn, plans, puts } from "./usual-scenes.ts";

const planOf = (goal: string, remark: string): Plan => ({
  goal,
  summary: `The currency stands in one place; one agent puts it into whatever is printed, another one sums up the day meanwhile.${remark}`,
  orchestrators: { count: 1, reason: "Two tasks that share one line fit into one head." },
  contracts: {
    title: "The currency",
    description: "Code and sign of the one currency, and a note of what is left out.",
    files: [paths.contract, paths.intent],
  },
  phases: [{ number: 1, title: "Amounts and takings" }],
  tasks: [
    {
      id: "amounts",
      title: "Write amounts with their currency",
      description: `amount(cents) in ${paths.money} says the currency of ${paths.contract}. Whatever writes an amount by itself uses it. Whether code or sign, before or after the number, is seen by customers: ask.`,
      phase: 1,
      priority: "high",
      files: [paths.money, paths.label, paths.poster, paths.moneyTest],
      after: [],
    },
    {
      id: "takings",
      title: "Sum up the day",
      description: `takings(receipts) in ${paths.day} is what was taken on a day, in whole cents.`,
      phase: 1,
      priority: "medium",
      files: [paths.day, paths.dayTest],
      after: [],
    },
  ],
  integration: {
    title: "Print the roll of a day",
    description: `roll(receipts) in ${paths.print}: every receipt, then the takings with their currency, with a test.`,
  },
  budget: { tokens: 2_000_000, microDollars: 5_000_000 },
});

export const orchestratorScenes: readonly Scene[] = [
  acceptsWork("Inside the task, with its test, and the checks pass on it."),
  plans(
    ["README.md", paths.money, "src/receipt.js"],
    "Write every amount with its currency",
    "One line that all share, and two tasks with files of their own.",
    planOf,
  ),
  {
    name: "contracts",
    prompt: "[EVENT contracts]",
    steps: follow(
      look("What stands here already?", [paths.money], [paths.contract, paths.intent]),
      puts("One currency, and a note of what the goal wants.", () => ({
        [paths.contract]: contract,
        [paths.intent]: intent,
      })),
      () => ({
        calls: [call("report_done", { summary: "Code and sign of the currency stand in one place." })],
      }),
    ),
  },
  asksUser("Customers see it, and neither goal nor repository says it: that is for the user.", [
    "2.80 EUR",
    "€ 2.80",
  ]),
  passesAnswerOn("One task needs it, so it is an answer and no decision for all."),
  learnsNothing("Two tasks around one shared line went side by side. That is known already."),
];
