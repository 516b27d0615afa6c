import type { HostEvent } from "#shared/contract/events.ts";
import { log } from "../log/log.ts";

/** An error for the user, with its remedy. */
export function noticeOf(what: string, error: unknown): HostEvent {
  log.warn("notice", { what, error });
  const { message, remedy } =
    error instanceof Error
      ? (error as Error & { remedy?: unknown })
      : { message: String(error), remedy: null };
  return {
    kind: "notice",
    level: "error",
    text: `${what}: ${message}`,
    remedy: typeof remedy === "string" ? remedy : null,
  };
}
