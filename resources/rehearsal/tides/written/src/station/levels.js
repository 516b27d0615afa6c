/** Shared inside the station: how far the water must rise between two readings to count as rising. */
export const risingBy = 5;
