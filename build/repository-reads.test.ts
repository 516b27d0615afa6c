import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const project = fileURLToPath(new URL("..", import.meta.url));

/** Files that a lint for reads of a repository names, when one of these has the import. */
function refusedIn(text: string, paths: readonly string[]): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), "hox-lint-"));
  try {
    cpSync(join(project, "biome.json"), join(folder, "biome.json"));
    for (const path of paths) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const biome = join(project, "node_modules/@biomejs/biome/bin/biome");
    const args = [
      biome,
      "lint",
      "--vcs-enabled=false",
      "--reporter=json",
      "--only=style/noRestrictedImports",
      "src-main",
    ];
    const { stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { location: { path: string } }[] };
    return diagnostics.map(({ location }) => location.path).toSorted();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const [repository, ownFile, reader] = [
  "src-main/sessions/planted.ts",
  "src-main/config/settings.ts",
  "src-main/disk/folder.ts",
];

it.each([
  'import { readFileSync } from "node:fs";\nexport const read = readFileSync;\n',
  'import { readFile as other } from "node:fs/promises";\nexport const read = other;\n',
  'import { createReadStream } from "node:fs";\nexport const read = createReadStream;\n',
])("refuses a planted read by path outside the readers: %s", (text) => {
  expect(refusedIn(text, [repository, ownFile, reader])).toEqual([repository]);
});
