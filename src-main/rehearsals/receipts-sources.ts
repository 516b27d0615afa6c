/** What the agents of the rehearsal `receipts` write. */
import { writtenFile } from "./written-files.ts";

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

const written = (...files: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(files.map((path) => [path, writtenFile("receipts", path)]));

export const contract = writtenFile("receipts", paths.contract);
export const intent = writtenFile("receipts", paths.intent);

/** Every file of the task, by its path. */
export const amountFiles = (style: Style): Readonly<Record<string, string>> => ({
  [paths.money]: writtenFile("receipts", `${style}/${paths.money}`),
  ...written(paths.label, paths.poster),
  [paths.moneyTest]: writtenFile("receipts", `${style}/${paths.moneyTest}`),
});

/** The style of what somebody wrote already; null where nobody did. */
export const styleOf = (money: string | null | undefined): Style | null =>
  money?.includes("currency.code") ? "code" : money?.includes("currency.sign") ? "sign" : null;

export const dayFiles = written(paths.day, paths.dayTest);
export const printFiles = written(paths.print, paths.printTest);
/** Holds for either way of writing. */
export const refundFiles = written(paths.refundTest);
