/** What stands on the shelf below a thing. */
export const label = ({ name, cents }) => `${name.toUpperCase()}\n${(cents / 100).toFixed(2)}`;
