import { join } from "node:path";
import { setTimeout as later } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { expect, test } from "vitest";
import { createTestRepository } from "../jj/testing/create-test-repository.ts";
import { openJournal } from "../journal/journal.ts";
import { startStandIn } from "../model/stand-in/stand-in.ts";
import { askedAgain } from "./testing/asked-again.ts";
import { exampleFiles, threeAgents } from "./testing/three-agents-script.ts";

const host = fileURLToPath(new URL("testing/child-host.ts", import.meta.url));

test("a host that is killed again and again comes to the same result, and nothing is charged twice", async () => {
  const repo = await createTestRepository({ files: exampleFiles });
  await repo.terminal(["bookmark", "set", "main", "-r", "@-"]);
  const standIn = await startStandIn({ script: threeAgents, pace: 2 });
  const stateFolder = join(repo.folder, "state");
  const begin = () =>
    execa(process.execPath, [host, repo.repository.root, stateFolder, standIn.url, standIn.apiKey], {
      stdin: "ignore",
      reject: false,
    });
  try {
    let kills = 0;
    let result = "";
    let words = "";
    const deaths: number[] = [];
    // Each life is a little longer than the last, so that the run comes forward and death meets it at another place.
    for (let life = 700; result === "" && kills < 40; life = 1.06 * life + 120) {
      const child = begin();
      const timer = setTimeout(() => child.kill("SIGKILL"), life);
      const { stdout, stderr, signal } = await child;
      clearTimeout(timer);
      words = String(stderr);
      if (signal === "SIGKILL") {
        kills += 1;
        // What the dead one had sent arrives.
        await later(50);
        deaths.push(standIn.requests().length);
      } else result = String(stdout);
    }
    expect(result, words).not.toBe("");
    expect(kills).toBeGreaterThan(3);
    expect(JSON.parse(result)).toMatchObject({ stage: "complete", failure: null });
    const show = (path: string) => repo.terminal(["file", "show", "-r", "main", path]);
    expect(await show("src/contract.txt")).toBe("id: user_id # kept by the store\nname: text");
    expect(await show("src/index.txt")).toBe("the store\nthe view");
    const count = async (kind: string) =>
      (
        await repo.terminal([
          "log",
          "--no-graph",
          "-r",
          `description(regex:"(?m)^Hox-Kind: ${kind}$")`,
          "-T",
          '"x"',
        ])
      ).length;
    expect([
      await count("task"),
      await count("mutation"),
      await count("integration"),
      await count("base"),
    ]).toEqual([3, 1, 1, 1]);
    expect(await count("message")).toBe(2);
    expect(askedAgain(standIn.requests(), deaths)).toEqual([]);
    const journal = openJournal(join(stateFolder, "journal.sqlite"), () => 0);
    const run = journal.runs()[0];
    expect(journal.runs()).toHaveLength(1);
    const answeredRequests = standIn.requests().filter((request) => request.outcome === 200).length;
    expect(journal.spending(run?.id ?? "").length).toBeLessThanOrEqual(answeredRequests);
    journal.close();
  } finally {
    await standIn.close();
    await repo.remove();
  }
}, 300_000);
