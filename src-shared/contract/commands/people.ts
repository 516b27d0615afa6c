import { z } from "zod";
import { maxPersonName, type PersonRole, peopleRoles } from "../../domain/people/role.ts";
import { line } from "../fields.ts";
import { answers, appCommand, nothing } from "./command.ts";

const path = z.string().min(1).max(4096);

/** Name of a person: one line without signs that no screen shows. */
export const personName = line(maxPersonName)
  .trim()
  .min(1)
  .regex(/^[\p{L}\p{N}][\p{L}\p{N} ._@'+-]*$/u, "must be a name of letters, digits, spaces and . _ @ ' + -");

/** How long an invitation is good. */
export const invitationHours = { standard: 24, most: 24 * 14 } as const;
const hours = z.number().int().min(1).max(invitationHours.most);

/** Somebody who was invited and not removed. */
export interface PersonView {
  readonly name: string;
  /** In every repository; null: only in those that are named. */
  readonly role: PersonRole | null;
  readonly repositories: Readonly<Record<string, PersonRole>>;
  /** Browsers that they have signed in with. */
  readonly identities: number;
  /** ms since 1970, until when an unused invitation is good; null: there is none. */
  readonly invitedUntil: number | null;
  readonly isPresent: boolean;
}

/** One thing that somebody did, or wanted to do. */
export interface PeopleLogEntry {
  /** ms since 1970. */
  readonly at: number;
  readonly name: string;
  /** As in "paused the run agent-2". */
  readonly did: string;
  readonly repository: string | null;
  readonly run: string | null;
  /** `unknown`: Hox ended before it was done. */
  readonly outcome: "done" | "refused" | "failed" | "unknown";
}

/** Several people on one host. */
export const peopleCommands = {
  /** What the window looks at, for the others; only sent where there are others. */
  "presence.look": appCommand(
    z.strictObject({
      repository: path.nullable(),
      run: line(100).nullable(),
      worker: line(200).nullable(),
      card: line(400).nullable(),
    }),
    nothing,
  ),
  "people.list": appCommand(nothing, answers<readonly PersonView[]>()),
  /** Answers an address that lets one browser in, once. For a known name: another browser, and the role from now on. */
  "people.invite": appCommand(
    z.strictObject({
      name: personName,
      role: z.enum(peopleRoles),
      /** The role is for this repository only; null: for all. */
      repository: path.nullable(),
      hours: hours.default(invitationHours.standard),
    }),
    answers<{ address: string; until: number }>(),
  ),
  /** At once: their windows are closed. What they did stays in the log. */
  "people.remove": appCommand(z.strictObject({ name: personName }), nothing),
  /** Newest first. */
  "people.log": appCommand(
    z.strictObject({ limit: z.number().int().min(1).max(10_000).default(200) }),
    answers<readonly PeopleLogEntry[]>(),
  ),
};
