/** How a card is answered: in the window by a key, at a terminal by a word. */

/** Keys of the decisions that cards share, while a card is open. */
export const decisionKeys = { approve: "a", reject: "r", hold: "p", abandon: "x", again: "t" } as const;

export interface AnswerOption {
  /** In the window; null: by what is typed or chosen there. */
  readonly key: string | null;
  /** At a terminal, as it is typed. */
  readonly typed: string;
  readonly does: string;
}

/** The command that answers a card in a terminal. @param name see `cardName` */
export const answerCommand = (name: string, { typed }: AnswerOption): string => `hox answer ${name} ${typed}`;

/** What the keys of cards do, each once, for the help. */
export function keysOfCards(): readonly (readonly [key: string, what: string])[] {
  const { approve, reject, hold, abandon, again } = decisionKeys;
  return [
    [approve, "approve, accept, extend, or retry"],
    [reject, "reject, or give a reason"],
    [hold, "pause the failed agent"],
    [abandon, "abandon the task"],
    [again, "run preflight again"],
    ["m", "send the suggestion to an agent"],
    ["i", "save a suggestion as an idea"],
    ["1", "the options of a question"],
  ];
}
