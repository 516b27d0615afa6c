/** The one currency of the kiosk. */
export const currency = { code: "EUR", sign: "€" };
