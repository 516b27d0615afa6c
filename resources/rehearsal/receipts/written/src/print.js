import { takings } from "./day.js";
import { amount } from "./money.js";
import { receipt } from "./receipt.js";

/** The roll of a day: every receipt, then what was taken. */
export const roll = (receipts) =>
  [...receipts.map(receipt), `Taken today  ${amount(takings(receipts))}`].join("\n\n");
