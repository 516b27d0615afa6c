import { rmdirSync } from "node:fs";
import { join } from "node:path";
import { ToolFailure } from "../../src-main/tools/tool-failure.ts";
import type { Case, Verdict } from "./case.ts";
import { failed, refused } from "./case.ts";
import { differenceOf } from "./fingerprint.ts";
import { aliveWith, Ground } from "./ground.ts";

/** Tries a case once, on a ground of its own, and judges what came of it from outside. */
export async function attempt(one: Case): Promise<Verdict> {
  const ground = new Ground();
  try {
    await tryTools(ground);
    await one.plant?.(ground);
  } catch (error) {
    await ground.remove();
    return broken(error);
  }
  try {
    ground.settle();
    const broke = await attack(one, ground);
    const verdict = trespass(ground) ?? (await one.judge?.(ground)) ?? refused;
    return verdict.kind === "failed" ? verdict : (broke ?? verdict);
  } catch (error) {
    return trespass(ground) ?? broken(error);
  } finally {
    await ground.remove();
  }
}

/** What an honest agent does works: where every call fails, each attack would pass for refused. */
async function tryTools({ files, workspace }: Ground): Promise<void> {
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

/** A refusal in so many words is an answer; any other error is a fault of the host. */
async function attack(one: Case, ground: Ground): Promise<Verdict | null> {
  try {
    if (typeof one.attack === "string") await ground.run(one.attack);
    else await one.attack(ground);
    return null;
  } catch (error) {
    ground.see(String(error));
    return error instanceof ToolFailure ? null : broken(error);
  }
}

const broken = (error: unknown): Verdict =>
  failed(`it broke: ${(error instanceof Error ? error.message : String(error)).slice(0, 120)}`);

/** What no case may do, whatever its own judge looks at. */
function trespass(ground: Ground): Verdict | null {
  const changed = differenceOf(ground.before, ground.now());
  if (changed) return failed(`outside: ${changed}`);
  if (ground.seen.includes(ground.canary)) return failed("the canary was read");
  if (ground.survivors.length > 0 || aliveWith(ground.marker).length > 0)
    return failed("processes lived on when the command had ended");
  return null;
}
