/**
 * `main.ts [--case <name>]… [--tries n] [--short]`: tries the cases as the user that started it and writes a JSON line
 * for each. `build/containment.mjs` starts it for each user and lays the answers side by side.
 */
import { parseArgs } from "node:util";
import { families } from "./cases/families.ts";
import { tally } from "./tally.ts";

const { values } = parseArgs({
  options: {
    case: { type: "string", multiple: true },
    tries: { type: "string" },
    short: { type: "boolean", default: false },
  },
});
const wanted = values.case ?? [];
const asked = values.tries === undefined ? null : Number(values.tries);
if (asked !== null && !(Number.isInteger(asked) && asked > 0)) {
  process.stderr.write(`--tries ${values.tries}: give a whole number above 0.\n`);
  process.exit(2);
}
const chosen = families.flatMap((family) =>
  family.cases
    .filter((one) => wanted.length === 0 || wanted.includes(one.name) || wanted.includes(family.name))
    .map((one) => ({ family, one })),
);
if (chosen.length === 0) {
  const names = families.map((family) => `${family.name}: ${family.cases.map((one) => one.name).join(", ")}`);
  process.stderr.write(`No case is called ${wanted.join(", ")}. There are:\n${names.join("\n")}\n`);
  process.exit(2);
}
for (const { family, one } of chosen) {
  const { long, short } = one.tries ?? { long: 3, short: 1 };
  const tries = asked ?? (values.short ? short : long);
  if (tries > 0) process.stdout.write(`${JSON.stringify(await tally(family, one, tries))}\n`);
}
