/** Readings of the water level, oldest first: `{ at: Date, height }` with the height in whole centimetres. */
export function createReadings() {
  const readings = [];
  return {
    add(at, height) {
      if (!Number.isInteger(height)) throw new TypeError(`A height is in whole centimetres, not ${height}.`);
      readings.push({ at, height });
    },
    all: () => [...readings],
    latest: () => readings.at(-1) ?? null,
  };
}
