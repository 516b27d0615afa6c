import { execa } from "execa";
import { expect, it } from "vitest";

it("prints an error that nothing handled, and keeps the process running", async () => {
  const module = JSON.stringify(new URL("./end-signals.ts", import.meta.url).href);
  const script = `import { reportUnhandledErrors } from ${module};
    reportUnhandledErrors(console.log);
    Promise.reject(new Error("no jj"));
    setTimeout(() => console.log("still here"), 10);`;
  const { stdout } = await execa(process.execPath, ["--input-type=module", "-e", script]);
  expect(stdout).toMatch(/^Internal error: Error: no jj\n[\s\S]*Please report this\.\nstill here$/u);
});
