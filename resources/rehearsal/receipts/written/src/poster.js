import { amount } from "./money.js";

/** What hangs on the door: the offer of the day. */
export const poster = ({ name, cents, before }) => `Today: ${name} ${amount(cents)} instead of ${amount(before)}`;
