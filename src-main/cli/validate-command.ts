import { microDollars, oneLine, orNone, wholeNumber } from "./command-line.ts";
import type { CommandList } from "./command-list.ts";

/** A verdict on any change, without a run. */
export function addValidateCommand({ command, end }: CommandList): void {
  command("validate", "have the panel judge any change, without a run")
    .argument("<change>", "a revset of one change, for instance @-", oneLine)
    .option("--goal <text>", "what the change should do (default: its description)")
    .option("--from <revset>", "what it is compared with (default: its parents)", oneLine)
    .option("--max-tokens <n>", "hard stop after so many tokens, or none", orNone(wholeNumber(1, 1e12)))
    .option("--max-budget-usd <amount>", "hard stop after so many US dollars, or none", orNone(microDollars))
    .action(async (change, options) => end(await (await import("./validate.ts")).validate(change, options)));
}
