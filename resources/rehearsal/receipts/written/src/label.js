import { amount } from "./money.js";

/** What stands on the shelf below a thing. */
export const label = ({ name, cents }) => `${name.toUpperCase()}\n${amount(cents)}`;
