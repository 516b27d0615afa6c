import { mkdirSync, renameSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { identityOf } from "../../disk/folder.ts";
import { tempDir } from "../../testing/kit.ts";
import { namespaceInit } from "./process-tree.ts";
import { verifyMounts } from "./run-in-bubblewrap.ts";

let folder: string;
beforeEach(() => {
  folder = tempDir();
});

test.runIf(process.platform === "linux")(
  "a mount's parent that became a link stops the command, even with the same target",
  async () => {
    mkdirSync(join(folder, "frontend/node_modules"), { recursive: true });
    const identity = (path: string): string => identityOf(statSync(join(folder, path)));
    const above = [{ path: "frontend", identity: identity("frontend"), link: null }];
    const verify = (): Promise<void> =>
      verifyMounts(namespaceInit(process.pid), folder, identity("."), above);
    await verify();
    renameSync(join(folder, "frontend"), join(folder, "moved"));
    symlinkSync("moved", join(folder, "frontend"));
    await expect(verify()).rejects.toThrow("frontend was replaced while the sandbox was being set up");
  },
);
