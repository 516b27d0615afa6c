import { spawn } from "node:child_process";
import { expect, it } from "vitest";
import { NamespaceHangs, namespaceInit, refuseHanging, rememberHanging } from "./process-tree.ts";

it.runIf(process.platform === "linux")(
  "no command runs in a workspace with a process that cannot be ended, until it is gone",
  async () => {
    const sleeper = spawn("sleep", ["60"]);
    const ended = new Promise((resolve) => sleeper.once("exit", resolve));
    const hangs = new NamespaceHangs(namespaceInit(sleeper.pid ?? 0));
    await expect(rememberHanging("/workspace", () => Promise.reject(hangs))).rejects.toBe(hangs);
    expect(() => refuseHanging("/workspace")).toThrow("hangs in the kernel");
    expect(() => refuseHanging("/another")).not.toThrow();
    sleeper.kill("SIGKILL");
    await ended;
    expect(() => refuseHanging("/workspace")).not.toThrow();
  },
);
