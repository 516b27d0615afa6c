import { readdirSync, readFileSync } from "node:fs";
import { z } from "zod";
import { RemediedError } from "#shared/domain/text/remedied-error.ts";
import { resourcePath } from "../config/resources-folder.ts";

const shape = z.strictObject({
  title: z.string(),
  description: z.string(),
  /** From its start to its landing at the usual pace, answered at once; measured (docs/numbers.md). */
  seconds: z.number().positive(),
  goal: z.string(),
  /** Name of the copied folder. */
  project: z.string().regex(/^[a-z][a-z0-9-]*$/u),
  /** What its script plans with; no other number of a user's can be had. */
  orchestrators: z.number().int().positive(),
  budget: z.strictObject({ tokens: z.number().int().positive(), microDollars: z.number().int().positive() }),
  author: z.strictObject({ name: z.string(), email: z.string() }),
  /** The example's past, oldest first: which of its files came with which commit. */
  history: z
    .array(
      z.strictObject({
        at: z.iso.datetime({ offset: true }),
        message: z.string(),
        files: z.array(z.string()),
      }),
    )
    .min(1),
});

export interface Rehearsal extends z.infer<typeof shape> {
  readonly name: string;
  /** The bundled example; never worked on itself. */
  readonly example: string;
}

/** There is no rehearsal of that name; the remedy lists those that there are. */
export class NoSuchRehearsal extends RemediedError {
  override readonly name = "NoSuchRehearsal";
  constructor(name: string) {
    const names = listRehearsals().map((one) => one.name);
    super(`No rehearsal named "${name}".`, `Available: ${names.join(", ")}.`);
  }
}

let read: readonly Rehearsal[] | null = null;

/** The rehearsals that come with Hox: the folders under `resources/rehearsal`, read once. */
export function listRehearsals(): readonly Rehearsal[] {
  read ??= readdirSync(resourcePath("rehearsal"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    // Whatever order the disk has them in: the first one is what the welcome screen offers.
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name }) => ({
      name,
      example: resourcePath("rehearsal", name, "example"),
      ...shape.parse(JSON.parse(readFileSync(resourcePath("rehearsal", name, "rehearsal.json"), "utf8"))),
    }));
  return read;
}

export function rehearsalNamed(name: string): Rehearsal {
  const found = listRehearsals().find((one) => one.name === name);
  if (!found) throw new NoSuchRehearsal(name);
  return found;
}
