/** What a setting may be: the words in which a schema refuses a value follow that value. */
import { z } from "zod";
import { disabledToolMistake } from "#shared/domain/agent-file/tool-names.ts";
import { parseRule } from "#shared/domain/dependencies/request.ts";
import { parseAllowedHost } from "#shared/domain/network/network-hosts.ts";

/** One key of the configuration file. */
export interface Setting<Value> {
  /** What the file may say. */
  readonly schema: z.ZodType<Value>;
  /** What holds where it says nothing. */
  readonly standard: Value;
  /** What null as a value means, in words; null for a key that always has a value. */
  readonly meaningOfNone: string | null;
}

/** A key that always has a value. */
export const setting = <Value>(schema: z.ZodType<Value>, standard: NoInfer<Value>): Setting<Value> => ({
  schema,
  standard,
  meaningOfNone: null,
});

/** A key that may be left out: null then. */
export const optional = <Value>(schema: z.ZodType<Value>, meaningOfNone: string): Setting<Value | null> => ({
  schema,
  standard: null,
  meaningOfNone,
});

export const text = z.string().min(1, "must not be empty").max(1_000);

/** Names a variable, never holds a key. */
export const variable = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/u, "must be the name of an environment variable, never the key itself");

/** A path or glob of the repository. */
export const inside = text.refine(
  (path) => !path.split(/[\\/]/u).includes("..") && !/^([\\/]|[A-Za-z]:)/u.test(path),
  "must be a path or glob inside the repository",
);

export const command = z
  .string()
  .trim()
  .min(1, "must be a command")
  .max(4_000)
  .refine((line) => !/[\r\n\0]/u.test(line), "must be one line");

const allowedHost = z.string().check(({ value, issues }) => {
  const read = parseAllowedHost(value);
  if ("mistake" in read) issues.push({ code: "custom", input: value, message: read.mistake });
});
export const hosts = z.array(allowedHost).max(200, "must be at most 200 hosts");

const dependencyRule = z
  .string()
  .max(300)
  .check(({ value, issues }) => {
    const read = parseRule(value);
    if ("mistake" in read) issues.push({ code: "custom", input: value, message: read.mistake });
  });
export const dependencyRules = z.array(dependencyRule).max(500, "must be at most 500 rules");

const toolOfClones = z.string().check(({ value, issues }) => {
  const message = disabledToolMistake(value);
  if (message !== null) issues.push({ code: "custom", input: value, message });
});
export const toolsOfClones = z.array(toolOfClones).max(100, "must be at most 100 tools");

export const count = (min: number, max: number) =>
  z
    .number()
    .int("must be a whole number")
    .min(min, `must be at least ${min}`)
    .max(max, `must be at most ${max}`);

export const amount = z.number().positive("must be more than 0");

export const gate = z.enum(["ask", "auto"]);
