import { describe, expect, it } from "vitest";
import { runInWorker } from "./run-in-worker.ts";

const what = "a text";

describe("runInWorker", () => {
  it("ends a job at its deadline, while the host responds, and does the next one", async () => {
    let turns = 0;
    const turning = setInterval(() => {
      turns += 1;
    }, 10);
    const ended = await runInWorker(
      "loop",
      { takesMemory: false, end: null },
      { what, deadlineMs: 300 },
    ).catch((error) => error);
    clearInterval(turning);
    expect(ended).toMatchObject({ name: "TextRefused", reason: "time" });
    expect(ended.message).toBe("Could not read a text: it takes more than 0.3 s.");
    // One turn is enough: with the job on the same thread there would be none.
    expect(turns).toBeGreaterThan(0);
    const check = {
      output: "FAILED test_a.py::test_one - x\n1 failed in 0.1s\n",
      workspace: "/w",
      command: "pytest",
      exitCode: 1,
    };
    expect(await runInWorker("readReport", check, { what })).toEqual({
      outcome: "failed",
      failures: ["test_a.py::test_one"],
    });
  });

  it("does jobs in parallel", async () => {
    const check = {
      output: "FAILED test_a.py::test_one - x\n1 failed in 0.1s\n",
      workspace: "/w",
      command: "pytest",
      exitCode: 1,
    };
    const end = new Int32Array(new SharedArrayBuffer(4));
    const looping = runInWorker("loop", { takesMemory: false, end }, { what, deadlineMs: 600_000 });
    expect(await runInWorker("readReport", check, { what })).toEqual({
      outcome: "failed",
      failures: ["test_a.py::test_one"],
    });
    // The other one is still at it.
    Atomics.store(end, 0, 1);
    await looping;
  });

  it("refuses a job that needs more memory than its thread has", async () => {
    const job = runInWorker("loop", { takesMemory: true, end: null }, { what, maxMemoryMb: 128 });
    await expect(job).rejects.toMatchObject({
      name: "TextRefused",
      reason: "memory",
    });
  });

  it("does one job after the other in one thread", async () => {
    for (const name of ["test_one", "test_two", "test_three"]) {
      const output = `FAILED test_a.py::${name} - x\n1 failed in 0.1s\n`;
      expect(
        await runInWorker(
          "readReport",
          { output, workspace: "/w", command: "pytest", exitCode: 1 },
          { what },
        ),
      ).toEqual({
        outcome: "failed",
        failures: [`test_a.py::${name}`],
      });
    }
  });

  it("reports a job's own error", async () => {
    const bytes = null as unknown as Uint8Array;
    await expect(runInWorker("readRecording", bytes, { what })).rejects.toThrow("null");
  });
});
