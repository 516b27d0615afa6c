/** What was taken on a day, in whole cents. */
export const takings = (receipts) => receipts.flat().reduce((sum, { cents }) => sum + cents, 0);
