import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const util = "../node_modules/app-builder-lib/out/targets/appimage/appImageUtil.js";
const { generateAppRunScript } = createRequire(import.meta.url)(
  fileURLToPath(new URL(util, import.meta.url)),
) as {
  generateAppRunScript(config: object): string;
};

it.runIf(process.platform === "linux")(
  "an AppImage starts without a sandbox when user namespaces are refused, and passes the flag that the app checks",
  () => {
    const folder = mkdtempSync(join(tmpdir(), "hox-appimage-"));
    try {
      for (const [name, text] of [
        [
          "AppRun",
          generateAppRunScript({ ExecutableName: "hox", DesktopFileName: "hox", ProductName: "Hox" }),
        ],
        ["hox", '#!/bin/sh\necho "started: $*"\n'],
      ] as const) {
        writeFileSync(join(folder, name), text);
        chmodSync(join(folder, name), 0o755);
      }
      // A namespace in which the kernel gives out no further one; where it gives out none at all, that is the same.
      const refused = `exec unshare -Ur sh -c 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$0" "$@"'`;
      const start = `{ unshare -Ur true && ${refused} "$0" "$@"; } 2>/dev/null || exec "$0" "$@"`;
      const output = execFileSync("sh", ["-c", start, join(folder, "AppRun"), "project"], {
        env: { PATH: process.env.PATH, APPDIR: folder },
        encoding: "utf8",
      });
      expect(output).toBe("started: --no-sandbox project\n");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
