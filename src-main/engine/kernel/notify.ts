/** Notices to the user: what happened, and what to do about it. */
import { explain } from "../engine-errors.ts";
import type { EngineEvent } from "../engine-interface.ts";

interface Notifier {
  emit(event: EngineEvent): void;
}

export const inform = (to: Notifier, text: string, remedy: string | null = null): void =>
  to.emit({ kind: "notice", level: "info", text, remedy });

export const warn = (to: Notifier, text: string, remedy: string | null = null): void =>
  to.emit({ kind: "notice", level: "warning", text, remedy });

/** @param what failed; left out where the error says so itself */
export function warnOf(to: Notifier, error: unknown, what?: string): void {
  const { message, remedy } = explain(error);
  warn(to, what === undefined ? message : `${what}: ${message}`, remedy);
}
