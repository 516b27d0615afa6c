/** What the agents of the rehearsal `receipts` write. */

export const paths = {
  contract: "src/contracts/currency.js",
  intent: "docs/amounts.md",
  money: "src/money.js",
  label: "src/label.js",
  poster: "src/poster.js",
  moneyTest: "test/money.test.js",
  day: "src/day.js",
  dayTest: "test/day.test.js",
  print: "src/print.js",
  printTest: "test/print.test.js",
  refundTest: "test/refund.test.js",
} as const;

/** Where the currency stands: after the number, by its code, or before it, by its sign. */
export type Style = "code" | "sign";

export const contract = `/** The one currency of the kiosk. */
export const currency = { code: "EUR", sign: "€" };
`;

export const intent = `# Amounts

Whoever reads a receipt, a label or a poster sees in which currency the amount is. Amounts stay whole cents until they
are printed. Left out: a second currency, rounding to five cents.
`;

const written: Readonly<
  Record<Style, { readonly of: string; readonly line: string; readonly shown: string }>
> = {
  code: {
    of: "the number, then the code of the currency",
    line: `\`\${(cents / 100).toFixed(2)} \${currency.code}\``,
    shown: "2.80 EUR",
  },
  sign: {
    of: "the sign of the currency, then the number",
    line: `\`\${currency.sign} \${(cents / 100).toFixed(2)}\``,
    shown: "€ 2.80",
  },
};

const imports = 'import assert from "node:assert/strict";\nimport { test } from "node:test";\n';

/** Every file of the task, by its path. */
export const amountFiles = (style: Style): Readonly<Record<string, string>> => ({
  [paths.money]: `import { currency } from "./contracts/currency.js";

/** Whole cents as text: ${written[style].of}. */
export const amount = (cents) => ${written[style].line};
`,
  [paths.label]: `import { amount } from "./money.js";

/** What stands on the shelf below a thing. */
export const label = ({ name, cents }) => \`\${name.toUpperCase()}\\n\${amount(cents)}\`;
`,
  [paths.poster]: `import { amount } from "./money.js";

/** What hangs on the door: the offer of the day. */
export const poster = ({ name, cents, before }) => \`Today: \${name} \${amount(cents)} instead of \${amount(before)}\`;
`,
  [paths.moneyTest]: `${imports}import { amount } from "../src/money.js";
import { poster } from "../src/poster.js";

test("an amount says its currency", () => {
  assert.equal(amount(280), "${written[style].shown}");
});

test("a poster says both amounts in the same way", () => {
  assert.equal(poster({ name: "Coffee", cents: 280, before: 320 }), \`Today: Coffee \${amount(280)} instead of \${amount(320)}\`);
});
`,
});

/** The style of what somebody wrote already; null where nobody did. */
export const styleOf = (money: string | null | undefined): Style | null =>
  money?.includes("currency.code") ? "code" : money?.includes("currency.sign") ? "sign" : null;

export const dayFiles: Readonly<Record<string, string>> = {
  [paths.day]: `/** What was taken on a day, in whole cents. */
export const takings = (receipts) => receipts.flat().reduce((sum, { cents }) => sum + cents, 0);
`,
  [paths.dayTest]: `${imports}import { takings } from "../src/day.js";

test("the takings of a day are all that was sold", () => {
  assert.equal(takings([[{ cents: 280 }], [{ cents: 320 }, { cents: 50 }]]), 650);
  assert.equal(takings([]), 0);
});
`,
};

export const printFiles: Readonly<Record<string, string>> = {
  [paths.print]: `import { takings } from "./day.js";
import { amount } from "./money.js";
import { receipt } from "./receipt.js";

/** The roll of a day: every receipt, then what was taken. */
export const roll = (receipts) =>
  [...receipts.map(receipt), \`Taken today  \${amount(takings(receipts))}\`].join("\\n\\n");
`,
  [paths.printTest]: `${imports}import { amount } from "../src/money.js";
import { roll } from "../src/print.js";

test("the roll of a day ends with what was taken, with its currency", () => {
  const sold = [[{ name: "Coffee", cents: 280 }], [{ name: "Paper", cents: 320 }]];
  assert.ok(roll(sold).endsWith(\`Taken today  \${amount(600)}\`));
});
`,
};

/** Holds for either way of writing. */
export const refundFiles: Readonly<Record<string, string>> = {
  [paths.refundTest]: `${imports}import { amount } from "../src/money.js";

test("what is given back is written with its minus", () => {
  assert.match(amount(-150), /-1\\.50/u);
});
`,
};
