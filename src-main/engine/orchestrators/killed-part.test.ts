import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { expect, test } from "vitest";
import { createTestRepository } from "../../jj/testing/create-test-repository.ts";
import type { Script, Seen } from "../../model/stand-in/script.ts";
import { startStandIn } from "../../model/stand-in/stand-in.ts";
import { askedAgain } from "../testing/asked-again.ts";
import { withDefaultConfig } from "../testing/default-config.ts";
import { acceptsMergeRequests } from "../testing/three-agents-script.ts";
import { oneDelegated, partPlan, twoLevelFiles, twoLevelsWith } from "../testing/two-levels-script.ts";

const host = fileURLToPath(new URL("../testing/child-host.ts", import.meta.url));

/** One part with one agent, and nothing beside it. */
const { routes, ...rest } = twoLevelsWith({
  root: { ...oneDelegated, tasks: oneDelegated.tasks.filter(({ delegate }) => delegate) },
  part: (part) => ({ ...partPlan(part), tasks: partPlan(part).tasks.slice(0, 1) }),
});
const script: Script = {
  ...rest,
  routes: Object.fromEntries(
    Object.entries(routes).map(([role, scenes]) => [
      role,
      role.startsWith("O-") ? [...scenes, acceptsMergeRequests] : scenes,
    ]),
  ),
};

/** In the middle of a conversation of the part: while its contracts are written, its task is done, and it comes together. */
const moments: readonly ((seen: Seen) => boolean)[] = [
  ({ role, prompt, turn }) => role === "O-B-1" && prompt.startsWith("[EVENT contracts]") && turn === 1,
  ({ role, turn }) => role === "agent-1" && turn === 1,
  ({ role, turn }) => role === "integrator-b-1" && turn === 1,
];

test("a host killed inside a part resumes there, and repeats no answered question", {
  tags: ["long"],
  timeout: 1_200_000,
}, async () => {
  const repo = await createTestRepository({ files: withDefaultConfig(twoLevelFiles) });
  const standIn = await startStandIn({ script });
  try {
    await repo.terminal(["bookmark", "set", "main", "-r", "@-"]);
    const live = () =>
      execa(
        process.execPath,
        [host, repo.repository.root, join(repo.folder, "state"), standIn.url, standIn.apiKey],
        { stdin: "ignore", reject: false, timeout: 300_000, killSignal: "SIGTERM" },
      );
    const deaths: number[] = [];
    for (const moment of moments) {
      const child = live();
      let ended = false;
      const end = child.finally(() => {
        ended = true;
      });
      while (!ended && !standIn.requests().some(({ seen }) => moment(seen))) await setTimeout(5);
      child.kill("SIGKILL");
      expect(await end).toMatchObject({ signal: "SIGKILL" });
      await standIn.alone();
      deaths.push(standIn.requests().length);
    }
    const { exitCode, stdout, stderr } = await live();
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toMatchObject({ stage: "complete", failure: null });

    expect(standIn.unmatched()).toEqual([]);
    expect(askedAgain(standIn.requests(), deaths)).toEqual([]);
    const show = (path: string) => repo.terminal(["file", "show", "-r", "main", path]);
    expect(await show("src/server/contract.txt")).toBe("port: 4000");
    expect(await show("src/server/routes.txt")).toBe("works");
    expect(await show("src/server/index.txt")).toBe("server together on port 4000");
    expect(await show("src/index.txt")).toBe("all together");
    const left = ["log", "--no-graph", "-r", "conflicts() | divergent()", "-T", "change_id"];
    expect(await repo.terminal(left)).toBe("");
  } finally {
    await standIn.close();
    await repo.remove();
  }
});
