/** From this height on the water is high: as the harbour decided. */
export const highFrom = 400;

export const isHigh = ({ height }) => height >= highFrom;
