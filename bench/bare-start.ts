import { execa } from "execa";
import { toolPath } from "../src-main/config/tools.ts";
import { percentile } from "./row.ts";

/** Milliseconds that Node takes to start and end with nothing to do: what every start is measured beside. */
export async function bareStart(): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 5; round++) {
    const begun = performance.now();
    await execa(toolPath("node"), ["--eval", ""], { stdin: "ignore" });
    times.push(performance.now() - begun);
  }
  return percentile(times, 50);
}
