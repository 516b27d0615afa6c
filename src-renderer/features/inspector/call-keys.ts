/** The keys of the calls in a conversation. Each call is a button, so Enter unfolds it. */
import { type KeyTable, takeKey } from "../../kit/key-table.ts";

interface CallPlace {
  readonly button: HTMLElement;
  readonly copy: () => void;
}

const walk =
  (by: -1 | 1) =>
  ({ button }: CallPlace): boolean => {
    const list = button.closest("[data-conversation]");
    const calls = [...(list?.querySelectorAll<HTMLElement>("[data-call]") ?? [])];
    const next = calls[calls.indexOf(button) + by];
    next?.focus();
    return next !== undefined;
  };

export const callKeys: KeyTable<CallPlace> = {
  place: "On a tool call in a conversation",
  rows: [
    { keys: "ArrowUp", what: "the previous call", run: walk(-1) },
    { keys: "ArrowDown", what: "the next call", run: walk(1) },
    {
      keys: "Enter",
      what: "expand it to show its input and full output",
      run: ({ button }) => button.click(),
    },
    { keys: "c", what: "copy its output", run: ({ copy }) => copy() },
  ],
};

export const pressAtCall = (event: React.KeyboardEvent<HTMLElement>, copy: () => void): boolean =>
  takeKey(callKeys, event, { button: event.currentTarget, copy });
