#!/usr/bin/env node
/**
 * Makes the packages of the system it runs on. Arguments go to electron-builder, as in `npm run dist -- --dir` or
 * `npm run dist -- -c.electronDist=<folder of an unpacked Electron>`. `HOX_HOMEPAGE` and `HOX_AUTHOR` say where they come
 * from, in place of `package.json`.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { bundleJj } from "./bundled-jj.mjs";
import { handOver } from "./hand-over.mjs";
import { packageMetadata } from "./package-metadata.mjs";
import { project, sayOnStderr, setUp } from "./setup/set-up.mjs";
import { buildIfNeeded } from "./stamped-build.mjs";

async function dist() {
  const { node } = await setUp();
  if (!node.path) throw new Error(`${node.note}. ${node.remedy}`);
  const metadata = packageMetadata(
    JSON.parse(readFileSync(join(project, "package.json"), "utf8")),
    process.env,
  );
  if (metadata.warning !== null) sayOnStderr(metadata.warning);
  await buildIfNeeded(node.path, sayOnStderr);
  const args = process.argv.slice(2);
  const named = ["x64", "arm64"].filter((arch) => args.includes(`--${arch}`));
  for (const arch of named.length > 0 ? named : [process.arch])
    await bundleJj({
      folder: join(project, ".cache", "package"),
      platform: process.platform,
      arch,
      say: sayOnStderr,
    });
  // Without a certificate Apple silicon starts what is signed by nobody in particular, and nothing unsigned.
  const hasCertificate = Boolean(process.env.CSC_NAME || process.env.CSC_LINK);
  const signing = process.platform === "darwin" && !hasCertificate ? ["-c.mac.identity=-"] : [];
  const builder = join(project, "node_modules", "electron-builder", "cli.js");
  const config = args.includes("--config") ? [] : ["--config", join("build", "electron-builder.yml")];
  return handOver(
    node.path,
    [builder, ...config, "--publish", "never", ...signing, ...metadata.args, ...args],
    {
      cwd: project,
    },
  );
}

process.exit(
  await dist().catch((error) => {
    sayOnStderr(error.message);
    return 1;
  }),
);
