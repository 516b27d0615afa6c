import { RemediedError } from "#shared/domain/text/remedied-error.ts";
import type { TurnEnd } from "../agent/agent-interface.ts";
import type { Dialect } from "./dialects.ts";
import type { AgentFailure, RunnerEvent } from "./runner/runner-protocol.ts";

export type TurnOutcome = Extract<RunnerEvent, { kind: "turn" }>;

/** An agent of another make could not do what it was asked for. */
class AgentError extends RemediedError {
  override readonly name = "AgentError";
}

/** A session was not opened. */
export class NotOpened extends Error {
  readonly failure: AgentFailure;
  constructor(failure: AgentFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/**
 * How a turn ended that Hox did not end.
 *
 * @param text the agent's last message
 */
export function turnEnd(
  { stopReason, failure }: Pick<TurnOutcome, "stopReason" | "failure">,
  text: string,
  dialect: Dialect,
): TurnEnd {
  switch (stopReason) {
    case "end_turn":
      return { kind: "ended", text };
    case "max_tokens":
      return { kind: "cut", reason: "max_tokens" };
    case "max_turn_requests":
      return { kind: "turn-limit" };
    case "refusal":
      return { kind: "refused", text };
    case "cancelled":
      return failed(`${dialect.label} cancelled its turn, which Hox did not ask for.`, retry);
  }
  if (failure === null)
    return failed(`${dialect.label} ended its turn for an unknown reason: ${stopReason}.`, retry);
  const meaning = dialect.readFailure(failure);
  if (meaning === "turn-limit") return { kind: "turn-limit" };
  if (meaning === "logged-out")
    return failed(
      `${dialect.label} is not logged in, or its model refused the key: ${failure.message}`,
      dialect.loginRemedy ?? `Check the key of ${dialect.label}'s endpoint in the settings.`,
    );
  const code = failure.code === null ? "" : ` (${failure.code})`;
  return failed(`${dialect.label} failed${code}: ${failure.message}`, retry);
}

const retry = "Resume the run to try again, or assign the task to another agent.";

const failed = (message: string, remedy: string): TurnEnd => ({
  kind: "failed",
  error: new AgentError(message, remedy),
});

/** Why a session could not be opened. */
export function openingError(error: unknown, dialect: Dialect): Error {
  const failure = error instanceof NotOpened ? error.failure : { code: null, message: String(error) };
  const end = turnEnd({ stopReason: null, failure }, "", dialect);
  if (failure.code !== null && end.kind === "failed") return end.error;
  const message = error instanceof Error ? error.message : String(error);
  const remedy = "Run hox doctor to see whether it is installed.";
  return new AgentError(`${dialect.label} could not be started: ${message}`, remedy);
}
