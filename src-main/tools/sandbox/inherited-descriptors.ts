import { openSync, readdirSync, readFileSync } from "node:fs";

const closeOnExec = 0o2000000;
let nothing: number | undefined;

/**
 * What to put in place of descriptors that we were started with ourselves, from the third on: an editor or a terminal
 * may leak an open folder, which no mount and no namespace closes. Node marks all of its own, and hides the first
 * sixteen of these.
 */
export function withoutInherited(): ("ignore" | number)[] {
  const inherited = inheritedDescriptors();
  if (inherited.length === 0) return [];
  nothing ??= openSync("/dev/null", "r");
  const put = nothing;
  const last = Math.max(...inherited);
  // "ignore" leaves a place as it is.
  return Array.from({ length: last - 2 }, (_, index) => (inherited.includes(index + 3) ? put : "ignore"));
}

function inheritedDescriptors(): readonly number[] {
  let names: string[];
  try {
    names = readdirSync("/proc/self/fdinfo");
  } catch (error) {
    // Only Linux tells.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  return names.map(Number).filter((descriptor) => descriptor > 2 && survives(descriptor));
}

function survives(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8"))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch (error) {
    // Closed since it was listed.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}
