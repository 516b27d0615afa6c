import { rmdirSync } from "node:fs";
import { join } from "node:path";
import { ToolFailure } from "../../src-main/tools/tool-interface.ts";
import type { Case, Verdict } from "./case.ts";
import { failed, refused } from "./case.ts";
import { differenceOf } from "./fingerprint.ts";
import { testBedOnWorker } from "./place-on-worker.ts";
import { aliveWith, TestBed } from "./test-bed.ts";

/** Tries a case once on a new test bed, and judges the result from outside. */
export async function attempt(one: Case): Promise<Verdict> {
  const testBed = await testBedFor(one);
  try {
    await tryTools(testBed);
    await one.plant?.(testBed);
  } catch (error) {
    await testBed.remove();
    return broken(error);
  }
  try {
    testBed.settle();
    const broke = await attack(one, testBed);
    const verdict = trespass(testBed) ?? (await one.judge?.(testBed)) ?? refused;
    return verdict.kind === "failed" ? verdict : (broke ?? verdict);
  } catch (error) {
    return trespass(testBed) ?? broken(error);
  } finally {
    await testBed.remove();
  }
}

async function testBedFor({ where }: Case): Promise<TestBed> {
  if (where === undefined) return new TestBed();
  return testBedOnWorker({ keepsPlaces: where === "worker that keeps places" });
}

/** What an honest agent does works: where every call fails, each attack would pass for refused. */
async function tryTools({ files, workspace }: TestBed): Promise<void> {
  await files.writeText("honest/one.txt", "honest");
  await files.move("honest/one.txt", "honest/two.txt");
  const { text } = await files.readText("honest/two.txt");
  const names = await files.list("honest", { recursive: true, limit: 5 });
  const { matches } = await files.search("^hon", { path: "honest", regex: true, limit: 5 });
  await files.remove("honest/two.txt");
  rmdirSync(join(workspace, "honest"));
  if (text !== "honest" || names.join() !== "honest/two.txt" || matches.length !== 1)
    throw new Error("the file tools do not do what an honest agent asks for");
}

/** A stated refusal is an answer; any other error is a fault of the host. */
async function attack(one: Case, testBed: TestBed): Promise<Verdict | null> {
  try {
    if (typeof one.attack === "string") await testBed.run(one.attack);
    else await one.attack(testBed);
    return null;
  } catch (error) {
    testBed.see(String(error));
    return error instanceof ToolFailure ? null : broken(error);
  }
}

const broken = (error: unknown): Verdict =>
  failed(`it broke: ${(error instanceof Error ? error.message : String(error)).slice(0, 120)}`);

/** What no case may do, whatever its own judge looks at. */
function trespass(testBed: TestBed): Verdict | null {
  const changed = differenceOf(testBed.before, testBed.now());
  if (changed) return failed(`outside: ${changed}`);
  if (testBed.seen.includes(testBed.canary)) return failed("the canary was read");
  if (testBed.survivors.length > 0 || aliveWith(testBed.marker).length > 0)
    return failed("processes lived on when the command had ended");
  return null;
}
