import { microDollars, oneLine, orNone, wholeNumber } from "./command-line.ts";
import type { CommandList } from "./command-list.ts";

/** A verdict on any change, without a run. */
export function addValidateCommand({ command, end }: CommandList): void {
  command("validate", "ask the panel for a verdict on any change, without a run")
    .argument("<change>", "revset of one change, for example @-", oneLine)
    .option("--goal <text>", "what the change should do (default: its description)")
    .option("--from <revset>", "compare with this revision (default: its parents)", oneLine)
    .option("--max-tokens <n>", "maximum number of tokens, or none", orNone(wholeNumber(1, 1e12)))
    .option("--max-budget-usd <amount>", "maximum cost in US dollars, or none", orNone(microDollars))
    .action(async (change, options) => end(await (await import("./validate.ts")).validate(change, options)));
}
