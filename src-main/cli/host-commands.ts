import { microDollars, oneLine, wholeNumber } from "./command-line.ts";
import type { CommandList } from "./command-list.ts";

/** Hox on this machine: the app for a browser, settings, and what is missing. */
export function addHostCommands({ command, end }: CommandList): void {
  command("serve", "the app for a browser, on this machine only")
    .option("--port <n>", "default: any free one", wholeNumber(0, 65_535))
    .option("--state <folder>", "where settings and journals are kept", oneLine)
    .option("--take-over", "also where another Hox works on --repo: it saves, lets go and looks on")
    .action(async (options) => end(await (await import("./serve.ts")).serve(options)));

  command("address", "another address for a browser, from the Hox that serves; good once, for ten minutes")
    .option("--port <n>", "of this one only", wholeNumber(1, 65_535))
    .option("--state <folder>", "where that Hox keeps settings and journals", oneLine)
    .action(async (options) => end(await (await import("./address.ts")).address(options)));

  command("config", "the settings that hold here, where each comes from, and what is wrong with them")
    .option("--check", "only what is wrong; exits 1 where a run would be refused")
    .option("--model <name>", "as of `hox run`", oneLine)
    .option("--max-tokens <n>", "as of `hox run`", wholeNumber(1, 1e12))
    .option("--max-budget-usd <amount>", "as of `hox run`", microDollars)
    .option("--max-iterations <n>", "as of `hox run`", wholeNumber(1, 1_000))
    .action(async (options) => end(await (await import("./config.ts")).config(options)));

  command(
    "trust",
    "the settings of this repository that would loosen your limits; puts them in force after a yes",
  )
    .option("--ignore", "leave them out of force, and do not ask again until one changes")
    .option("-y, --yes", "do not ask")
    .action(async (options) => end(await (await import("./trust.ts")).trust(options)));

  command("doctor", "what Hox needs on this machine, and what to do where it is missing")
    .option("--fetch-jj", "put the jj that Hox was made with into its own cache first, and use that one")
    .action(async (options) => end(await (await import("./doctor.ts")).doctor(options)));
}
