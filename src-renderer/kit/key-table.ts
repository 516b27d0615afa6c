/**
 * The keys of a part of the window that has the focus: one table says what each does and does it, and the help lists the same
 * table. Keys that work everywhere are actions.
 */

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

/** The parts of a key event that are matched; a DOM event has them all. */
export interface KeyPress {
  readonly key: string;
  /** The place of the key, whatever it types: `KeyI`, `Digit1`. */
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

const onMac = typeof navigator !== "undefined" && /Mac|iP(hone|ad)/u.test(navigator.platform);

/** Signs that need Shift on many keyboards: there Shift is part of the sign, not of the combination. */
const isSign = (key: string): boolean => key === "plus" || (key.length === 1 && !/[a-z0-9]/iu.test(key));

/** Keys that a combination cannot name by what they type. */
const typedBy: Readonly<Record<string, string>> = { space: " ", plus: "+" };

const placesOfSigns: Readonly<Record<string, string>> = { ",": "Comma", ".": "Period" };
const placeOf = (key: string): string =>
  placesOfSigns[key] ?? (/^\d$/u.test(key) ? `Digit${key}` : `Key${key.toUpperCase()}`);

/** With ⌥ a Mac types another sign (⌥1 is “¡”): there the place of the key says which one it is. */
const isKey = (press: KeyPress, key: string, mac: boolean): boolean =>
  press.key.toLowerCase() === (typedBy[key] ?? key) || (mac && press.altKey && press.code === placeOf(key));

/** Whether a key press is this combination; `mod` is ⌘ on a Mac and Ctrl elsewhere. */
export function matches(press: KeyPress, combination: string, mac = onMac): boolean {
  const parts = combination.toLowerCase().split("+");
  const key = parts.at(-1) ?? "";
  const wants = (modifier: string): boolean => parts.slice(0, -1).includes(modifier);
  if (!isKey(press, key, mac)) return false;
  const control = wants("ctrl") || (wants("mod") && !mac);
  const meta = wants("mod") && mac;
  if (press.ctrlKey !== control || press.metaKey !== meta || press.altKey !== wants("alt")) return false;
  return isSign(key) || press.shiftKey === wants("shift");
}

const signs: Readonly<Record<string, readonly [mac: string, other: string]>> = {
  mod: ["⌘", "Ctrl"],
  ctrl: ["⌃", "Ctrl"],
  alt: ["⌥", "Alt"],
  shift: ["⇧", "Shift"],
  space: ["Space", "Space"],
  plus: ["+", "+"],
  enter: ["↩", "Enter"],
  escape: ["Esc", "Esc"],
  arrowup: ["↑", "↑"],
  arrowdown: ["↓", "↓"],
  arrowleft: ["←", "←"],
  arrowright: ["→", "→"],
  delete: ["⌦", "Del"],
  backspace: ["⌫", "Backspace"],
  pageup: ["⇞", "Page up"],
  pagedown: ["⇟", "Page down"],
};

/** The keys of a combination as this platform writes them. */
export function shownKeys(combination: string, mac = onMac): readonly string[] {
  return combination.split("+").map((part) => {
    const sign = signs[part.toLowerCase()];
    if (sign) return mac ? sign[0] : sign[1];
    return part.length === 1 ? part.toUpperCase() : part;
  });
}

/** Into these nothing is typed. */
const switches: ReadonlySet<string> = new Set(["checkbox", "radio", "range", "button", "submit", "file"]);

/** Whether plain keys belong to what has the focus. */
export function isTyping(target: EventTarget | null): boolean {
  if (typeof HTMLElement === "undefined" || !(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement && switches.has(target.type)) return false;
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/u.test(target.tagName);
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
