import { currency } from "./contracts/currency.js";

/** Whole cents as text: the sign of the currency, then the number. */
export const amount = (cents) => `${currency.sign} ${(cents / 100).toFixed(2)}`;
