/** A small project with one module in the manner of which others are written, and the texts of those others. */

/** One task's part of the goal: what it is about, and what its two functions are called. */
export interface Part {
  readonly word: string;
  readonly read: string;
  readonly write: string;
  readonly file: string;
  readonly test: string;
}

const words = [
  ["invoice", "Invoice"],
  ["parcel", "Parcel"],
  ["ticket", "Ticket"],
  ["recipe", "Recipe"],
  ["journey", "Journey"],
  ["harvest", "Harvest"],
  ["lesson", "Lesson"],
  ["tenancy", "Tenancy"],
] as const;

export const partsOf = (count: number): readonly Part[] =>
  Array.from({ length: count }, (_, at) => {
    const [word, name] = words[at % words.length] ?? words[0];
    const turn = Math.floor(at / words.length);
    const suffix = turn === 0 ? "" : String.fromCharCode(96 + turn);
    const stem = `${word}${suffix}`;
    return {
      word: stem,
      read: `parse${name}${suffix.toUpperCase()}`,
      write: `format${name}${suffix.toUpperCase()}`,
      file: `src/${stem}.js`,
      test: `test/${stem}.test.js`,
    };
  });

/** A typical project: a module in the manner that the others shall follow, its test, a runner, a page. */
export const files = (): Readonly<Record<string, string>> => ({
  "README.md": readme,
  "package.json":
    '{\n  "name": "ledger",\n  "private": true,\n  "type": "module",\n  "scripts": { "test": "node --test" }\n}\n',
  "src/receipt.js": source({
    word: "receipt",
    read: "parseReceipt",
    write: "formatReceipt",
    file: "",
    test: "",
  }),
  "test/receipt.test.js": test({
    word: "receipt",
    read: "parseReceipt",
    write: "formatReceipt",
    file: "src/receipt.js",
    test: "",
  }),
  "check.sh":
    "for file in src/*.js test/*.js; do test -s \"$file\" || exit 1; done\n! grep -rn '<<<<<<<' src test\n",
  ".hox/config.toml":
    '[backpressure]\nfast_checks = ["sh check.sh"]\nslow_checks = []\n\n[loop_defaults]\nmax_turns = 1000\n\n[limits]\nchildren_per_orchestrator = 40\n',
});

const readme = `# Ledger

Small text formats for a bookkeeper. Each format has one module in \`src\` and one test in \`test\`.

- A module has two functions: one reads a text and answers with a record, or throws a \`RangeError\` that names the line
  and what was expected there; the other writes a record as text, so that reading gives the same record again.
- Texts are UTF-8 with one field in each line, \`name: value\`. Amounts are whole cents, dates are ISO 8601.
- Unknown fields are kept in the order in which they came, because other programs write them too.
- No module imports another one. There are no dependencies.

\`npm test\` runs everything.
`;

/** The module of one part. */
export function source({ word, read, write }: Part): string {
  return `/** Reads and writes one ${word}: a field in each line, \`name: value\`. */

const required = ["number", "date", "amount"];

/**
 * @param {string} text as it stands in the file
 * @returns {Record<string, string | number>} its fields in the order of the file; \`amount\` in whole cents
 * @throws {RangeError} naming the line and what was expected there
 */
export function ${read}(text) {
  const record = {};
  for (const [index, line] of text.split("\\n").entries()) {
    if (line.trim() === "") continue;
    const at = line.indexOf(":");
    if (at < 1) throw new RangeError(\`Line \${index + 1} of the ${word} is "\${line}"; expected "name: value".\`);
    const name = line.slice(0, at).trim();
    const value = line.slice(at + 1).trim();
    if (Object.hasOwn(record, name))
      throw new RangeError(\`Line \${index + 1} of the ${word} names \${name} a second time.\`);
    record[name] = name === "amount" ? cents(value, index + 1) : value;
  }
  for (const name of required)
    if (!Object.hasOwn(record, name)) throw new RangeError(\`The ${word} has no \${name}.\`);
  if (!/^\\d{4}-\\d{2}-\\d{2}$/u.test(String(record.date)))
    throw new RangeError(\`The date of the ${word} is "\${record.date}"; expected a day such as 2026-03-01.\`);
  return record;
}

/** The text that gives the same record when it is read again. */
export function ${write}(record) {
  return Object.entries(record)
    .map(([name, value]) => \`\${name}: \${name === "amount" ? euros(value) : value}\`)
    .join("\\n")
    .concat("\\n");
}

function cents(value, line) {
  const match = /^(-?)(\\d+)\\.(\\d{2})$/u.exec(value);
  if (!match) throw new RangeError(\`Line \${line} of the ${word} has the amount "\${value}"; expected one such as 12.50.\`);
  const [, sign, whole, part] = match;
  return (sign === "-" ? -1 : 1) * (Number(whole) * 100 + Number(part));
}

const euros = (amount) =>
  \`\${amount < 0 ? "-" : ""}\${Math.floor(Math.abs(amount) / 100)}.\${String(Math.abs(amount) % 100).padStart(2, "0")}\`;
`;
}

/** Its test. */
export function test({ word, read, write }: Part): string {
  return `import assert from "node:assert/strict";
import { test } from "node:test";
import { ${write}, ${read} } from "../src/${word}.js";

const text = "number: 2026-17\\ndate: 2026-03-01\\namount: 12.50\\nnote: paid at the door\\n";

test("a ${word} is read field by field, with its amount in cents", () => {
  assert.deepEqual(${read}(text), {
    number: "2026-17",
    date: "2026-03-01",
    amount: 1250,
    note: "paid at the door",
  });
});

test("what was written reads as the same ${word} again, also below nothing", () => {
  for (const amount of [0, 5, 1250, -5, -120_099]) {
    const record = { number: "1", date: "2026-03-01", amount, other: "kept" };
    assert.deepEqual(${read}(${write}(record)), record);
  }
});

test("what cannot be read is refused with its line", () => {
  assert.throws(() => ${read}("number 1\\n"), /Line 1 of the ${word}/);
  assert.throws(() => ${read}(text.replace("12.50", "12,5")), /Line 3 .*expected one such as 12\\.50/);
  assert.throws(() => ${read}("number: 1\\nnumber: 2\\n"), /a second time/);
  assert.throws(() => ${read}("number: 1\\namount: 1.00\\n"), /has no date/);
});
`;
}
