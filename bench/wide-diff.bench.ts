import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Playground } from "../e2e/host.ts";
import { now, openApp } from "./app-in-browser.ts";
import { type Bench, percentile, row } from "./row.ts";

const lines = 60_000;
const rounds = 7;

/** From the keys that open a diff of 60,000 lines to its first lines on screen, beside the bare `jj diff` of the same. */
const bench: Bench = {
  name: "wide-diff",
  async *run() {
    const playground = await Playground.make();
    try {
      const root = await playground.repository("repository", ["begin"]);
      const text = Array.from({ length: lines }, (_, at) => `let l${at} = 1;\n`).join("");
      await writeFile(join(root, "huge.ts"), text);
      await playground.jj(root, ["describe", "-m", "write very much"]);
      const app = await openApp(playground, root);
      const change = app.page
        .getByRole("row", { name: /write very much/u })
        .or(app.page.getByRole("treeitem", { name: /write very much/u }));
      await change.first().click();
      const wide = app.page.getByRole("region", { name: "Diff", exact: true });
      const times: number[] = [];
      const bare: number[] = [];
      for (let round = 0; round <= rounds; round++) {
        const started = now();
        await app.page.keyboard.press("Alt+r");
        await wide.getByText("let l3 = 1;").first().waitFor();
        // The first one also fetches what the page is made of, as only the first one does.
        if (round > 0) times.push(now() - started);
        await app.page.keyboard.press("Escape");
        await wide.waitFor({ state: "detached" });
        const begun = performance.now();
        await playground.jj(root, ["--ignore-working-copy", "diff", "--git", "-r", "@"]);
        if (round > 0) bare.push(performance.now() - begun);
      }
      await app.close();
      const value = percentile(times, 50);
      yield row({
        name: "open a diff of 60,000 lines → its first lines on screen",
        value,
        unit: "ms",
        reference: percentile(bare, 50),
        hold: "≤ 1,000 ms",
        ok: value <= 1_000,
      });
    } finally {
      await playground.remove();
    }
  },
};

export default bench;
