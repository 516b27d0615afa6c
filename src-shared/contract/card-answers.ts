/** How every kind of card is answered: in the window by a key, at a terminal by a word. Cards, terminal and help read it here. */
import type { InboxItem, InboxKind } from "./cards.ts";

/** Keys of the decisions that cards share, while a card is open. */
export const decisionKeys = { approve: "a", reject: "r", hold: "p", abandon: "x", again: "t" } as const;

export interface AnswerOption {
  /** In the window; null: by what is typed or chosen there. */
  readonly key: string | null;
  /** At a terminal, as it is typed. */
  readonly typed: string;
  readonly does: string;
}

const { approve, reject, hold, abandon, again } = decisionKeys;

const yesOrWhyNot = (yes: string, no: string): readonly AnswerOption[] => [
  { key: approve, typed: "y", does: yes },
  { key: reject, typed: "n", does: no },
  { key: reject, typed: "because …", does: `${no}, with your words` },
];

/** By kind; an agent's trouble is answered otherwise than the run's. */
export const cardAnswers: Readonly<Record<InboxKind | "task-trouble", readonly AnswerOption[]>> = {
  plan: yesOrWhyNot("approves the plan", "sends it back to its author"),
  depth: yesOrWhyNot("allows the level", "has it planned without"),
  amendment: yesOrWhyNot("adds the tasks", "leaves the plan as it is"),
  mutation: yesOrWhyNot("applies the decision for everybody whom it binds", "leaves everything as it is"),
  votes: yesOrWhyNot("accepts the result", "sends it back to be repaired"),
  pattern: yesOrWhyNot("keeps the pattern for later runs", "drops it"),
  protected: yesOrWhyNot("allows the change", "leaves it out"),
  dependency: [
    { key: approve, typed: "y", does: "installs it, for everybody below" },
    { key: null, typed: "y run", does: "installs it, and asks no more for this package in this run" },
    { key: null, typed: "y rule", does: "installs it, and writes the rule to .hox/config.toml" },
    { key: reject, typed: "n", does: "goes on without" },
    { key: reject, typed: "because …", does: "goes on without, with your words to the agent" },
  ],
  sandbox: yesOrWhyNot("lets commands run without a sandbox", "runs none"),
  "align-request": [
    { key: "1", typed: "1", does: "takes that option, where there are some" },
    { key: null, typed: "use text", does: "answers in your own words" },
  ],
  budget: [
    { key: approve, typed: "5", does: "extends it by so much" },
    { key: null, typed: "none", does: "takes the limit away" },
    { key: reject, typed: "n", does: "extends nothing: the run stops, or the worker stays paused" },
  ],
  fold: [
    { key: approve, typed: "y", does: "accepts the work" },
    { key: reject, typed: "rename it", does: "sends it back with what has to change" },
    { key: abandon, typed: "abandon", does: "gives the task up" },
  ],
  land: [
    { key: approve, typed: "y", does: "lands on the suggested bookmark" },
    { key: null, typed: "release", does: "lands on the bookmark of that name" },
    { key: reject, typed: "n", does: "leaves the result where it is" },
  ],
  "first-look": [
    { key: approve, typed: "y", does: "goes on, and counts only what gets worse" },
    { key: null, typed: "out test", does: "goes on without these checks" },
    { key: null, typed: "use make check", does: "checks with these commands instead" },
    { key: again, typed: "again", does: "looks again" },
    { key: reject, typed: "stop", does: "ends the run; nothing was paid for" },
  ],
  trouble: [
    { key: approve, typed: "y", does: "tries again" },
    { key: reject, typed: "stop", does: "ends the run; all work is saved" },
  ],
  "task-trouble": [
    { key: approve, typed: "y", does: "tries again" },
    { key: approve, typed: "y use the other file", does: "tries again, with a word to the agent" },
    { key: hold, typed: "pause", does: "lets the agent wait" },
    { key: abandon, typed: "abandon", does: "gives its task up" },
  ],
};

/** The row of the table for a card. */
export const answersOf = (
  item: Pick<InboxItem, "kind"> & { readonly task?: boolean },
): readonly AnswerOption[] =>
  cardAnswers[item.kind === "trouble" && item.task === true ? "task-trouble" : item.kind];

/** What a person types in a terminal to answer a card, by its number among those that wait (1 is the first). */
export const answerCommand = (number: number, { typed }: AnswerOption): string =>
  `hox answer ${number} ${typed}`;

/** What the keys of cards do, each once, for the help. */
export function keysOfCards(): readonly (readonly [key: string, what: string])[] {
  return [
    [approve, "approve, accept, extend, or try again"],
    [reject, "reject, or say why not"],
    [hold, "let the agent of the trouble wait"],
    [abandon, "give the task up"],
    [again, "look at the project again"],
    ["1", "the first option of a question, to 9"],
  ];
}
