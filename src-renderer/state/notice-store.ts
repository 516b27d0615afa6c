/** Short sentences that say what happened and what to do. */
import { create } from "zustand";
import { toFailure } from "../client.ts";

export interface Notice {
  readonly id: number;
  readonly level: "info" | "warning" | "error";
  readonly text: string;
  readonly remedy: string | null;
  /** What can be done about it at once. */
  readonly action?: { readonly label: string; readonly run: () => void };
  /** How often the same thing was said in a row. */
  readonly count: number;
}

interface NoticeState {
  readonly notices: readonly Notice[];
}

export const useNotices = create<NoticeState>(() => ({ notices: [] }));

let nextId = 1;
const kept = 4;

/** Adds a notice; the same words again only raise its count. */
export function addNotice(
  notices: readonly Notice[],
  notice: Omit<Notice, "id" | "count">,
): readonly Notice[] {
  const same = notices.find((other) => other.text === notice.text && other.level === notice.level);
  if (same)
    return notices.map((other) =>
      other === same ? { ...same, ...notice, id: nextId++, count: same.count + 1 } : other,
    );
  return [...notices, { ...notice, id: nextId++, count: 1 }].slice(-kept);
}

/** @returns how to take it back before its time */
export function notify(
  level: Notice["level"],
  text: string,
  remedy: string | null = null,
  action?: Notice["action"],
): () => void {
  useNotices.setState((state) => ({
    notices: addNotice(state.notices, { level, text, remedy, ...(action ? { action } : {}) }),
  }));
  return () =>
    useNotices.setState((state) => ({
      notices: state.notices.filter((notice) => notice.text !== text || notice.level !== level),
    }));
}

export function dismissNotice(id: number): void {
  useNotices.setState((state) => ({ notices: state.notices.filter((notice) => notice.id !== id) }));
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
