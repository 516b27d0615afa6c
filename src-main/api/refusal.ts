import { ORPCError } from "@orpc/server";
import type { HostEvent } from "#shared/contract/events.ts";
import { log } from "../log/log.ts";

/** A request that the host turns down; the message says why and the remedy what to do. */
export class Refusal extends Error {
  override readonly name: string = "Refusal";
  readonly remedy: string | null;
  constructor(message: string, remedy: string | null = null) {
    super(message);
    this.remedy = remedy;
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

const text = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);
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
      data: { remedy: text(parts.remedy) },
      defined: true,
    });
  }
  if (!("remedy" in parts)) return error;
  const start = place(parts.start);
  const end = place(parts.end);
  return new ORPCError("REFUSED", {
    message: error.message,
    data: {
      remedy: text(parts.remedy),
      ...(start === undefined ? {} : { start }),
      ...(end === undefined ? {} : { end }),
    },
    defined: true,
    cause: error,
  });
}

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
