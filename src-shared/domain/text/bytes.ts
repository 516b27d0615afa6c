const units = ["kB", "MB", "GB", "TB"] as const;

/**
 * An amount of data for display, in powers of 1000 as disks are sold: `812 bytes`, `4.2 MB`, `130 GB`.
 * @param bytes 0 or more
 */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  let amount = bytes;
  let unit = -1;
  // 999.5 of a unit would read as 1000 of it.
  while (amount >= 999.5 && unit < units.length - 1) {
    amount /= 1000;
    unit += 1;
  }
  return `${amount < 9.95 ? amount.toFixed(1) : Math.round(amount)} ${units[unit]}`;
}
