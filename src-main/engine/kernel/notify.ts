/** Notices to the user: what happened, and what to do about it. */
import type { EngineEvent } from "../engine-interface.ts";

interface Notifier {
  emit(event: EngineEvent): void;
}

export const inform = (to: Notifier, text: string, remedy: string | null = null): void =>
  to.emit({ kind: "notice", level: "info", text, remedy });

export const warn = (to: Notifier, text: string, remedy: string | null = null): void =>
  to.emit({ kind: "notice", level: "warning", text, remedy });
