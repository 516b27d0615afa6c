import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { createEnding } from "./ending.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

describe("orEnd", () => {
  it("keeps no answer that has come", async () => {
    const { orEnd } = createEnding();
    const answered = async () => new WeakRef(await orEnd(Promise.resolve({ answer: 1 })));
    const kept = await answered();
    await pause(0);
    collectGarbage();
    expect(kept.deref()).toBeUndefined();
  });

  it("rejects those that wait at the end and those that come later", async () => {
    const { orEnd, end } = createEnding();
    const early = orEnd(new Promise(() => undefined));
    end(new Error("gone"));
    end(new Error("again"));
    await expect(early).rejects.toThrow("gone");
    await expect(orEnd(new Promise(() => undefined))).rejects.toThrow("gone");
  });
});
