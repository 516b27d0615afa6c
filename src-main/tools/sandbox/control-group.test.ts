import { expect, test } from "vitest";
import { groupCall, missingLimits } from "./control-group.ts";

const limits = { processes: 60, wholeMemory: 300 };

test("a command's processes are put into a control group with limits, over systemd's bus", () => {
  const call = groupCall({ args: ["--user"] }, "hox-command-1.scope", [7, 8], limits);
  const from = call.indexOf("StartTransientUnit");
  expect(call[0]).toBe("--user");
  expect(call.slice(from)).toEqual([
    ...["StartTransientUnit", "ssa(sv)a(sa(sv))", "hox-command-1.scope", "fail", "6"],
    ...["PIDs", "au", "2", "7", "8", "MemoryMax", "t", "300", "MemorySwapMax", "t", "0"],
    ...["TasksMax", "t", "136", "CPUWeight", "t", "50", "CollectMode", "s", "inactive-or-failed", "0"],
  ]);
});

test("a limit that is not in force is reported", () => {
  const group = (files: Record<string, string>) => missingLimits((file) => files[file] ?? null, limits);
  // The kernel counts in whole pages, so it may have taken a little less.
  expect(group({ "memory.max": "0\n", "pids.max": "136\n" })).toEqual([]);
  expect(group({ "memory.max": "max\n", "pids.max": "136\n" })).toEqual(["the limit on memory"]);
  expect(group({ "memory.max": "300\n", "pids.max": "137\n" })).toEqual(["the limit on processes"]);
  expect(group({})).toEqual(["the limit on memory", "the limit on processes"]);
});
