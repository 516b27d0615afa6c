import { amount } from "./money.js";

/** One line for each thing sold, and the total. */
export function receipt(sold) {
  const total = sold.reduce((sum, { cents }) => sum + cents, 0);
  return [...sold.map(({ name, cents }) => `${name}  ${amount(cents)}`), `Total  ${amount(total)}`].join("\n");
}
