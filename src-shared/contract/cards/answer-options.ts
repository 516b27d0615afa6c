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

/** What a person types in a terminal to answer a card. @param name see `cardName` */
export const answerCommand = (name: string, { typed }: AnswerOption): string => `hox answer ${name} ${typed}`;

/** What the keys of cards do, each once, for the help. */
export function keysOfCards(): readonly (readonly [key: string, what: string])[] {
  const { approve, reject, hold, abandon, again } = decisionKeys;
  return [
    [approve, "approve, accept, extend, or try again"],
    [reject, "reject, or say why not"],
    [hold, "let the agent of the trouble wait"],
    [abandon, "give the task up"],
    [again, "look at the project again"],
    ["m", "tell an agent what was suggested"],
    ["i", "keep a suggestion as an idea"],
    ["1", "the options of a question"],
  ];
}
