/** The one way to tell the user something: a notification in the window, by the system, or both. */
import { Toast } from "@base-ui/react/toast";
import { toFailure } from "../client.ts";
import { showWindow } from "../desktop.ts";

export type NoticeLevel = "info" | "success" | "warning" | "error";

interface NoticeAction {
  readonly label: string;
  readonly run: () => void;
}

/** What the notification of the window shows in addition to its text. */
export interface NoticeData {
  /** How many times it was repeated in a row. */
  readonly count: number;
  readonly action?: NoticeAction | undefined;
}

interface NoticeOptions {
  readonly action?: NoticeAction | undefined;
  /** A later notification with the same key replaces this one. Otherwise the same text raises a count. */
  readonly key?: string;
  /** What the system shows while the window is in the background; null: nothing, or the user switched it off. */
  readonly system?: SystemNotice | null;
  /** False: it is on screen already, or the user switched it off; then only the system may show it. */
  readonly isInWindow?: boolean;
  readonly onClose?: () => void;
}

export interface SystemNotice {
  /** Several windows show the same notification once. */
  readonly id: string;
  readonly title: string;
  readonly body: string;
  /** A click brings the window to the front and calls this. */
  readonly open: () => void;
}

const shownMs: Readonly<Record<NoticeLevel, number>> = {
  info: 6_000,
  success: 6_000,
  warning: 12_000,
  error: 20_000,
};

export const notices = Toast.createToastManager<NoticeData>();

/** Repetitions of the notifications that are on screen, by key. */
const counts = new Map<string, number>();

/**
 * Shows a notification where the user is: in the window, and by the system while the window is in the background.
 * @param remedy what to do about it
 * @returns closes it early
 */
export function notify(
  level: NoticeLevel,
  text: string,
  remedy: string | null = null,
  { action, key, system = null, isInWindow = true, onClose }: NoticeOptions = {},
): () => void {
  if (system !== null && isAway() && !notifyBySystem(system)) missed = system;
  if (!isInWindow) return () => undefined;
  const id = key ?? `${level} ${text}`;
  const count = key === undefined ? (counts.get(id) ?? 0) + 1 : 1;
  counts.set(id, count);
  notices.add({
    id,
    type: level,
    title: text,
    description: remedy,
    timeout: shownMs[level],
    data: { count, action },
    onClose: () => {
      counts.delete(id);
      onClose?.();
    },
  });
  return () => notices.close(id);
}

/** Tells a failed intent: what was tried, why it failed, what to do. */
export function notifyFailure(tried: string, error: unknown): void {
  const failure = toFailure(error);
  notify("error", `${tried}: ${failure.text}`, failure.remedy);
}

/** Carries out an intent and tells when it fails; answers whether it was done. */
export async function attempt(tried: string, intent: () => Promise<unknown>): Promise<boolean> {
  try {
    await intent();
    return true;
  } catch (error) {
    notifyFailure(tried, error);
    return false;
  }
}

/** Copies a text, and says so. @param what as in “The path was not copied” */
export const copyText = (what: string, text: string): Promise<boolean> =>
  attempt(`The ${what} was not copied`, async () => {
    await navigator.clipboard.writeText(text);
    notify("info", `Copied the ${what}.`);
  });

/** The window is in the background. */
export const isAway = (): boolean => document.visibilityState !== "visible" || !document.hasFocus();

let missed: SystemNotice | null = null;

/** The newest notification that the system did not show while the window was in the background; forgets it. */
export function takeMissed(): SystemNotice | null {
  const last = missed;
  missed = null;
  return last;
}

/** Whether the system may show notifications; `default`: the browser was not asked yet. */
export const systemPermission = (): NotificationPermission =>
  typeof Notification === "undefined" ? "denied" : Notification.permission;

/** @returns false if system notifications are not allowed */
function notifyBySystem({ id, title, body, open }: SystemNotice): boolean {
  if (systemPermission() !== "granted") return false;
  new Notification(title, { body, tag: `hox:${id}` }).addEventListener("click", () => {
    showWindow();
    open();
  });
  return true;
}
