/** `[[archangel]]`: reviewers in the background, as the file says them. */
import { z } from "zod";
import { archangelWakes, commentDeliveries, commentReaders } from "#shared/domain/archangel/archangel.ts";
import { archangelPresets } from "#shared/domain/archangel/presets.ts";
import { amount, count, inside, text } from "./setting.ts";

const names = Object.keys(archangelPresets);
const quoted = new Intl.ListFormat("en").format(names.map((name) => `"${name}"`));

/** What it does not say is null: an archangel that comes with Hox has its own, others have what is usual. */
const archangelTable = z
  .strictObject({
    name: z
      .string()
      .max(40, "must be at most 40 characters")
      .regex(
        /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/u,
        "must be lower-case letters, digits and hyphens, such as api-names",
      ),
    /** Default: true for one of your own; one that comes with Hox is off until this is true. */
    enabled: z.boolean().nullable().default(null),
    purpose: z
      .string()
      .trim()
      .min(1, "must say what it looks for")
      .max(20_000, "must be at most 20000 characters")
      .nullable()
      .default(null),
    /** Of the repository. */
    purpose_file: inside.nullable().default(null),
    paths: z.array(inside).max(100, "must be at most 100 paths").nullable().default(null),
    wakes: z
      .array(z.enum(archangelWakes))
      .min(1, "must list at least one event that wakes it")
      .nullable()
      .default(null),
    model: text.nullable().default(null),
    budget_usd: amount.nullable().default(null),
    budget_tokens: count(1, Number.MAX_SAFE_INTEGER).nullable().default(null),
    comments: z.enum(commentReaders).default("person"),
    deliver: z.enum(commentDeliveries).default("person"),
  })
  .check(({ value, issues }) => {
    const { name, purpose, purpose_file } = value;
    const wrong = (path: string, message: string): void => {
      issues.push({ code: "custom", input: value, path: [path], message });
    };
    if (purpose !== null && purpose_file !== null)
      wrong("purpose_file", "can't be combined with purpose: set only one of them");
    if (purpose === null && purpose_file === null && !Object.hasOwn(archangelPresets, name))
      wrong("name", `must have a purpose or a purpose_file; only ${quoted} have a built-in one`);
  });

export const archangelTables = z
  .array(archangelTable)
  .max(20, "must be at most 20 archangels")
  .check(({ value, issues }) => {
    for (const [place, { name }] of value.entries())
      if (value.findIndex((one) => one.name === name) < place)
        issues.push({
          code: "custom",
          input: value,
          path: [place, "name"],
          message: `must be unique: another table is named "${name}"`,
        });
  });
