import { inspectParts } from "../doctor/doctor.ts";
import { type CommonOptions, type ExitCode, exitCode, print, printJson } from "./command-line.ts";

/** One line per part. Without jj nothing works, so its absence is an error; the rest limits what is possible. */
export async function doctor(options: CommonOptions): Promise<ExitCode> {
  const parts = await inspectParts();
  for (const part of parts) {
    if (options.json) {
      printJson(part);
      continue;
    }
    const line = [part.found ? "found" : "not found", part.version ?? "", part.note ?? ""].filter(
      (word) => word !== "",
    );
    print(`${part.part.padEnd(14)} ${line.join(", ")}`);
    if (part.remedy) print(`${" ".repeat(15)}${part.remedy}`);
  }
  return parts.some((part) => part.part === "jj" && !part.found) ? exitCode.error : exitCode.done;
}
