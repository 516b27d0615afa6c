import { microDollars, oneLine, wholeNumber } from "./command-line.ts";
import type { CommandList } from "./command-list.ts";

/** Hox on this machine: the app for a browser, settings, and what is missing. */
export function addHostCommands({ command, end }: CommandList): void {
  command("serve", "serve the app to a browser on this machine")
    .option("--port <n>", "port (default: any free port)", wholeNumber(0, 65_535))
    .option("--state <folder>", "folder for settings and journals", oneLine)
    .option(
      "--take-over",
      "take over from the Hox process that has --repo open; it saves and becomes read-only",
    )
    .action(async (options) => end(await (await import("./serve.ts")).serve(options)));

  command("address", "print a new address of the running `hox serve`; valid once, for ten minutes")
    .option("--port <n>", "only the `hox serve` on this port", wholeNumber(1, 65_535))
    .option("--state <folder>", "state folder of that `hox serve`", oneLine)
    .action(async (options) => end(await (await import("./address.ts")).address(options)));

  command("config", "show the effective settings, where each comes from, and errors")
    .option("--check", "show only errors; exits 1 if a run would not start")
    .option("--model <name>", "as for `hox run`", oneLine)
    .option("--max-tokens <n>", "as for `hox run`", wholeNumber(1, 1e12))
    .option("--max-budget-usd <amount>", "as for `hox run`", microDollars)
    .option("--max-iterations <n>", "as for `hox run`", wholeNumber(1, 1_000))
    .action(async (options) => end(await (await import("./config.ts")).config(options)));

  command("trust", "show repository settings that loosen your limits, and apply them if you confirm")
    .option("--ignore", "don't apply them, and don't ask again until one changes")
    .option("-y, --yes", "don't ask for confirmation")
    .action(async (options) => end(await (await import("./trust.ts")).trust(options)));

  command("doctor", "check what Hox needs on this machine, and how to fix what is missing")
    .option("--fetch-jj", "first download the jj version that this Hox was built with, and use it")
    .action(async (options) => end(await (await import("./doctor.ts")).doctor(options)));
}
