import { ORPCError } from "@orpc/server";
import type { HostEvent } from "#shared/contract/events.ts";
import { RemediedError, remedyOf } from "#shared/domain/text/remedied-error.ts";
import { log } from "../log/log.ts";

/** A request that the host turns down; the message says why and the remedy what to do. */
export class Refusal extends RemediedError<string | null> {
  override readonly name: string = "Refusal";
  constructor(message: string, remedy: string | null = null) {
    super(message, remedy);
  }
}

/** The request needs an open repository, and none is open, or the one that it names is not. */
export class NotOpen extends Refusal {
  override readonly name = "NotOpen";
  constructor(root: string | null = null) {
    if (root === null) super("No repository is open.", "Open one first.");
    else super(`${root} is no longer open.`, "Open it again.");
  }
}

const place = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);

/**
 * Domain errors (jj's, the engine's, a revset's) have a remedy, which tells them from defects. A defect
 * becomes oRPC's internal error, and its message stays in the host's log.
 */
export function toContractError(error: unknown): unknown {
  if (error instanceof ORPCError || !(error instanceof Error)) return error;
  const parts = error as Error & { remedy?: unknown; start?: unknown; end?: unknown };
  if (error instanceof NotOpen)
    return new ORPCError("NOT_OPEN", {
      message: error.message,
      data: { remedy: error.remedy },
      defined: true,
    });
  if (parts.name === "StaleAnswer") {
    return new ORPCError("STALE", {
      message: error.message,
      data: { remedy: remedyOf(error) },
      defined: true,
    });
  }
  if (!("remedy" in parts)) return error;
  const start = place(parts.start);
  const end = place(parts.end);
  return new ORPCError("REFUSED", {
    message: error.message,
    data: {
      remedy: remedyOf(error),
      ...(start === undefined ? {} : { start }),
      ...(end === undefined ? {} : { end }),
    },
    defined: true,
    cause: error,
  });
}

/** An error for the user, with its remedy. */
export function noticeOf(what: string, error: unknown): Extract<HostEvent, { kind: "notice" }> {
  log.warn("notice", { what, error });
  const message = error instanceof Error ? error.message : String(error);
  return { kind: "notice", level: "error", text: `${what}: ${message}`, remedy: remedyOf(error) };
}
