import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { cacheFolder } from "../../src-main/config/state-folder.ts";
import { projects } from "./projects/projects.ts";
import { walk } from "./walk.ts";

const command = fileURLToPath(new URL("../../src-main/cli.ts", import.meta.url));
/** The quickest of three languages, a red one among them; `npm run -s test:real` walks through all. */
const quick = ["json-stable-stringify", "six", "builder"];

/** The first time on a machine its packages are fetched and installed as well. */
const ceilingMs = 600_000;

describe("preflight, a run that lands, and its tests afterwards", () => {
  for (const project of projects.filter(({ name }) => quick.includes(name)))
    test(`${project.name}, ${project.language}`, {
      timeout: ceilingMs,
      tags: ["long"],
    }, async ({ skip }) => {
      const { impossible, ...walked } = await walk(project, {
        cache: join(cacheFolder(), "real"),
        command: [process.execPath, command],
        say: () => undefined,
      });
      // Nothing was tried, and nothing passed.
      if (impossible !== null) skip(`not run: ${impossible.reason}. ${impossible.remedy}`);
      expect(walked).toMatchObject({ landed: true, ownTests: true, wrong: [] });
    });
});
