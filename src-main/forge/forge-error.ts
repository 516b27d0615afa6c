import { type ForgeKind, forgeNames } from "#shared/domain/forge/forge-facts.ts";
import { shortened } from "#shared/domain/text/format-text.ts";
import { RemediedError } from "#shared/domain/text/remedied-error.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";

/** What a token has to be allowed to do. */
export type Permission = "read" | "issues" | "checks" | "actions" | "statuses" | "pull-requests" | "merge";

export type ForgeErrorKind =
  /** There is no token, and without one the forge does not answer this. */
  | "no-token"
  /** The token is wrong, expired or revoked. */
  | "token-rejected"
  /** The token may not do this; it may do other things. */
  | "permission"
  | "not-found"
  /** No remote of the repository leads to a forge. */
  | "no-forge"
  | "rate-limit"
  /** The forge cannot be reached or answers with a failure of its own. */
  | "unavailable"
  | "slow"
  | "too-large"
  /** The forge understood, and did not do it. */
  | "refused"
  /** The answer is not what the forge's API says. */
  | "malformed";

/** A request to a forge that did not succeed: what failed, why, and what to do. Nothing in it is or contains a token. */
export class ForgeError extends RemediedError {
  override readonly name = "ForgeError";
  readonly kind: ForgeErrorKind;
  /** ms since 1970, before which it makes no sense to ask again; null: unknown. */
  readonly retryAt: number | null;
  /** What the token lacks; null for every other kind. */
  readonly permission: Permission | null;

  constructor(
    kind: ForgeErrorKind,
    message: string,
    remedy: string,
    details: {
      readonly retryAt?: number | null;
      readonly permission?: Permission | null;
      cause?: unknown;
    } = {},
  ) {
    super(message, remedy, { cause: details.cause });
    this.kind = kind;
    this.retryAt = details.retryAt ?? null;
    this.permission = details.permission ?? null;
  }
}

/** Whether it passes without anybody doing something. */
export const isTemporary = ({ kind }: ForgeError): boolean =>
  kind === "rate-limit" || kind === "unavailable" || kind === "slow";

/** The permission as the settings of a token call it. */
const permissionNames: Readonly<Record<ForgeKind, Readonly<Record<Permission, string>>>> = {
  github: {
    read: "Metadata: read",
    issues: "Issues: read and write",
    checks: "Checks: read",
    actions: "Actions: read",
    statuses: "Commit statuses: read",
    "pull-requests": "Pull requests: read and write",
    merge: "Contents: read and write",
  },
  gitlab: {
    read: "read_api",
    issues: "api",
    checks: "read_api",
    actions: "read_api",
    statuses: "read_api",
    "pull-requests": "api",
    merge: "api",
  },
};

const permissionName = (forge: ForgeKind, permission: Permission): string =>
  permissionNames[forge][permission];

/** Where a user makes a token, and where Hox looks for it. */
const tokenRemedies: Readonly<Record<ForgeKind, string>> = {
  github:
    "Run `gh auth login`: Hox takes the new token at once. Or set GITHUB_TOKEN to a fine-grained token for this repository and start Hox again.",
  gitlab:
    "Run `glab auth login`: Hox takes the new token at once. Or set GITLAB_TOKEN to an access token and start Hox again.",
};

export const tokenRemedy = (forge: ForgeKind): string => tokenRemedies[forge];

/** Words of a forge, as the end of a sentence of ours. */
export const wordsOf = (text: string): string => shortened(shownLine(text.trim()), 300).replace(/\.$/u, "");

/** No request is sent for what was refused before. */
export function noPermission(forge: ForgeKind, permission: Permission, why: string): ForgeError {
  return new ForgeError(
    "permission",
    `The token may not do this on ${forgeNames[forge]}${why === "" ? "" : ` (${wordsOf(why)})`}.`,
    `Give the token the permission "${permissionName(forge, permission)}" for this repository. Everything else continues without it.`,
    { permission },
  );
}
