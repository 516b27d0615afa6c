import { shortened } from "#shared/domain/text/format-text.ts";

/** Why something was not let through. */
export type RefusalReason =
  | "not-listed"
  | "port-not-listed"
  | "not-a-host"
  | "not-public"
  | "names-differ"
  | "not-tls"
  | "plain-http"
  | "hidden-name"
  | "malformed"
  | "limit"
  /** A fault of Hox. */
  | "failed";

/** For the audit: what a command tried to reach. */
export interface RefusedConnection {
  readonly reason: RefusalReason;
  /** As far as it could be read, cut and free of control characters. */
  readonly target: string;
  /** One sentence with the remedy, as shown to the command. */
  readonly message: string;
}

/** Refused on purpose; the message goes to the command and into the audit. */
export class NetworkRefusal extends Error {
  override readonly name = "NetworkRefusal";
  readonly reason: RefusalReason;
  readonly target: string;

  constructor(reason: RefusalReason, target: string, message: string) {
    super(message);
    this.reason = reason;
    this.target = shown(target);
  }
}

/** The host was allowed, and could not be reached. */
export class HostUnreachable extends Error {
  override readonly name = "HostUnreachable";
}

export const settingOfHosts = "hosts in [sandbox] of .hox/config.toml";

/** A text of a stranger for one line: printable ASCII, and not much of it. */
export function shown(text: string): string {
  const plain = text.replace(/[^\x20-\x7e]/gu, "\u{fffd}");
  return shortened(plain, 121);
}
