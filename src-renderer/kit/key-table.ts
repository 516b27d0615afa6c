/**
 * The keys of a part of the window that has the focus: one table says what each does and does it, and the help lists the same
 * table. Keys that work everywhere are actions.
 */
import { isTyping, type KeyPress, matches } from "./keyboard.ts";

export interface KeyRow<Here> {
  /** As in `mod+shift+p`. */
  readonly keys: string;
  /** Others that do the same; the help does not list them. */
  readonly also?: readonly string[];
  /** The last of several, in the help: “1 to 9”. */
  readonly to?: string;
  /** In a few words, without a full stop. */
  readonly what: string;
  /** @returns false when there is nothing to do here: the next handler may take the key */
  // biome-ignore lint/suspicious/noConfusingVoidType: most do something and have nothing to say
  readonly run: (here: Here, press: KeyPress) => boolean | void;
}

export interface KeyTable<Here> {
  /** Where its keys work, as the heading of the help. */
  readonly place: string;
  readonly rows: readonly KeyRow<Here>[];
}

/** For the help, which lists a table and runs nothing of it. */
export type ListedKeys = KeyTable<never>;

/** The parts of an event that decide, of the browser's own and of React's. */
interface PressEvent extends KeyPress {
  readonly target: EventTarget | null;
  readonly preventDefault: () => void;
  readonly stopPropagation: () => void;
}

/** Does what a key does here. @returns whether it was taken */
export function takeKey<Here>(table: KeyTable<Here>, event: PressEvent, here: Here): boolean {
  if (isTyping(event.target)) return false;
  const row = table.rows.find(
    ({ keys, also = [], run }) =>
      [keys, ...also].some((one) => matches(event, one)) && run(here, event) !== false,
  );
  if (!row) return false;
  event.preventDefault();
  event.stopPropagation();
  return true;
}
