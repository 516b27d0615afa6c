/** Says what is wrong with a value of the file in words of the file, where a schema has none of its own. */
import type { z } from "zod";

const kinds: Readonly<Record<string, string>> = {
  boolean: "true or false",
  number: "a number",
  string: "text in quotes",
  array: "a list in [brackets]",
  object: "a table of settings",
};

const quoted = (values: readonly unknown[]): string[] => values.map((value) => JSON.stringify(value));
const choice = new Intl.ListFormat("en", { type: "disjunction" });

/** For zod's option `error`; undefined leaves it to zod to say it. */
export const translateIssue: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case "invalid_value":
      return `must be ${choice.format(quoted(issue.values))}`;
    case "invalid_type":
      return issue.input === undefined ? "is missing" : `must be ${kinds[issue.expected] ?? issue.expected}`;
    case "unrecognized_keys":
      return `has no setting ${choice.format(quoted(issue.keys))}`;
    default:
      return undefined;
  }
};
