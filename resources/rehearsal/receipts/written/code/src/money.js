import { currency } from "./contracts/currency.js";

/** Whole cents as text: the number, then the code of the currency. */
export const amount = (cents) => `${(cents / 100).toFixed(2)} ${currency.code}`;
