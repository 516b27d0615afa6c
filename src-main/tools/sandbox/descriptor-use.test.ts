import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { serve } from "../network/testing/servers.ts";
import { type DescriptorUse, reasonToStop } from "./descriptor-use.ts";
import { createSandbox } from "./sandbox.ts";

const limits = { descriptors: 1000, awaited: 100, watchers: 16, onTheirWay: 128 };
const use: DescriptorUse = { ...limits, hidden: 0 };

test("a tree runs at its limits, and is stopped above each of them with the reason", () => {
  expect(reasonToStop(use, limits, 0)).toBeNull();
  const reasons = Object.keys(limits).map((name) =>
    reasonToStop({ ...use, [name]: limits[name as keyof typeof limits] + 1 }, limits, 0),
  );
  expect(reasons).toEqual([
    "it used more than 1000 descriptors in total",
    "it waited for more than 100 descriptors with epoll",
    "it watched files with more than 16 descriptors",
    "it had more than 128 descriptors under way in sockets",
  ]);
});

test("a socket may be sent through another one for a moment, and not for long", () => {
  const hiding = { ...use, hidden: 1 };
  expect(reasonToStop(hiding, limits, 1)).toBeNull();
  expect(reasonToStop(hiding, limits, 5)).toBeNull();
  expect(reasonToStop(hiding, limits, 6)).toContain("sockets under way in other sockets");
});

test.runIf(process.platform === "linux")(
  "a command may wait for a listed host without limit: our end of its connection is visible",
  async () => {
    const workspace = realpathSync(mkdtempSync(join(tmpdir(), "hox-waits-")));
    const server = await serve((_, response) => void setTimeout(() => response.end("late"), 3_000));
    try {
      const sandbox = await createSandbox({
        allowUnsandboxed: false,
        hosts: ["allowed.example"],
        network: {
          resolveName: async () => [{ address: "93.184.216.34", family: 4 }],
          dial: () => connect(server.port, "127.0.0.1"),
        },
      });
      const { output } = await sandbox.run({
        command: `node -e 'require("http").get({ port: 3128, path: "http://allowed.example/", headers: { host: "allowed.example" } }, (answer) => answer.pipe(process.stdout))'`,
        workspace,
        environment: {},
        timeoutMs: 30_000,
        signal: new AbortController().signal,
      });
      expect(output.trim()).toBe("late");
    } finally {
      await server.close();
      rmSync(workspace, { recursive: true });
    }
  },
);
