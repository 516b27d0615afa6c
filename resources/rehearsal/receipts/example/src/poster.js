/** What hangs on the door: the offer of the day. */
export const poster = ({ name, cents, before }) =>
  `Today: ${name} ${(cents / 100).toFixed(2)} instead of ${(before / 100).toFixed(2)}`;
