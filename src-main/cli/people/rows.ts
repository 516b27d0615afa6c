/** People who share this host. */
import { InvalidArgumentError } from "commander";
import { invitationHours, personName } from "#shared/contract/commands/people.ts";
import { peopleRoles, roleMeanings } from "#shared/domain/people/role.ts";
import { oneLine, oneOf, wholeNumber } from "../command-line.ts";
import { type CommandRow, row } from "../command-table.ts";

const state = ["state folder of that host", oneLine] as const;

function name(text: string): string {
  const read = personName.safeParse(text);
  if (read.success) return read.data;
  throw new InvalidArgumentError("Letters, digits, spaces and . _ @ ' + - only.");
}

export const peopleRows: readonly CommandRow[] = [
  row(
    "people",
    "list the people who may use this host, and their roles",
    { "--state <folder>": state },
    async (given) => (await import("./people.ts")).list(given),
  ),
  row(
    "people invite",
    "let one browser of a person in, once; for a known name: another browser, and another role",
    {
      "<name>": ["the person\u2019s name, or as your proxy calls them", name],
      "--role <role>": {
        help: peopleRoles.map((role) => `${role}: ${roleMeanings[role]}`).join("; "),
        parse: oneOf(peopleRoles),
        isRequired: true,
      },
      "--here": "only in the repository of this folder (default: in every repository)",
      "--hours <n>": [
        `how long the invitation is good (default: ${invitationHours.standard})`,
        wholeNumber(1, invitationHours.most),
      ],
      "--state <folder>": state,
    },
    async (given) => (await import("./people.ts")).invite(given),
  ),
  row(
    "people remove",
    "take a person\u2019s access away at once",
    { "<name>": ["as in `hox people`", name], "--state <folder>": state },
    async (given) => (await import("./people.ts")).remove(given),
  ),
  row(
    "people log",
    "list what people did, newest first",
    {
      "-n, --limit <n>": ["number of entries (default: 50)", wholeNumber(1, 10_000)],
      "--state <folder>": state,
    },
    async (given) => (await import("./people.ts")).log(given),
  ),
];
