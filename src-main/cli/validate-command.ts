import { microDollars, oneLine, orNone, wholeNumber } from "./command-line.ts";
import type { CommandList } from "./command-list.ts";

/** A verdict on any change, and how far verdicts can be trusted. */
export function addValidateCommand({ command, end }: CommandList): void {
  command(
    "validate",
    "have the panel judge any change, without a run; with --calibrate measure how far the panel can be trusted",
  )
    .argument("[change]", "a revset of one change, for instance @-", oneLine)
    .option("--goal <text>", "what the change should do (default: its description)")
    .option("--from <revset>", "what it is compared with (default: its parents)", oneLine)
    .option("--calibrate", "plant known mistakes into a good commit and count what the panel lets through")
    .option(
      "--change <revset>",
      "with --calibrate: the good commit (default: what a run would build on)",
      oneLine,
    )
    .option(
      "--per-kind <n>",
      "with --calibrate: commits with each kind of mistake (default: 2)",
      wholeNumber(1, 20),
    )
    .option("--max-tokens <n>", "hard stop after so many tokens, or none", orNone(wholeNumber(1, 1e12)))
    .option("--max-budget-usd <amount>", "hard stop after so many US dollars, or none", orNone(microDollars))
    .option("-y, --yes", "do not ask before a calibration is paid")
    .action(async (change, options) => end(await (await import("./validate.ts")).validate(change, options)));
}
