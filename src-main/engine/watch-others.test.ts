import { setTimeout as later } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { createTestRepository, type TestRepository } from "../jj/testing/create-test-repository.ts";
import { eventually } from "../testing/kit.ts";
import { watchOthers } from "./follow-repository.ts";

let made: TestRepository | undefined;
afterEach(() => made?.remove());

test("looks do not pile up during constant writes, and the last write is seen", async () => {
  made = await createTestRepository({ files: { "readme.md": "# Example\n" } });
  const { repository, terminal } = made;
  let looking = 0;
  let most = 0;
  let seen = "";
  const failures: string[] = [];
  const stop = watchOthers(
    repository,
    async () => {
      looking += 1;
      most = Math.max(most, looking);
      await later(700);
      seen = (await repository.query("@"))[0]?.description ?? "";
      looking -= 1;
    },
    (event) => failures.push(JSON.stringify(event)),
  );
  let turn = 0;
  for (const until = Date.now() + 2_500; Date.now() < until; turn++)
    await terminal(["describe", "-m", `turn ${turn}`]);
  await eventually(() => expect(seen).toBe(`turn ${turn - 1}\n`));
  stop();
  expect(most).toBe(1);
  expect(failures).toEqual([]);
});
