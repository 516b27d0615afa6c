import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { metadataProblems, parseDescription } from "#shared/domain/change-metadata/trailers.ts";
import { writeMetadata } from "#shared/domain/change-metadata/write-trailers.ts";
import { toolPath } from "../config/tools.ts";

const folder = await mkdtemp(join(tmpdir(), "hox-trailers-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

const line = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      "",
      " ",
      "\t",
      "Signed-off-by: A <a@example.org>",
      "Signed-off-by : B",
      "odd  :   spacing  ",
      "tab:\tvalue\t",
      "empty:",
      ":",
      " continued: more ",
      "  ",
      "not a trailer",
      "under_score: no",
      "(cherry picked from commit 0123)",
      "Hox-Status: open",
      "Hox-Phase: 3",
      "Hox-Agent:agent-1",
      "windows: line\r",
      "\r",
      "inner\rreturn: x\ry",
      "vertical: \u000b",
      "nbsp:\u00a0x\u00a0",
      "separator: a\u2028b",
      "ключ: нет",
    ),
  },
  {
    weight: 1,
    arbitrary: fc
      .string({ unit: "binary", maxLength: 10 })
      .map((text) => text.replace(/[\0\ud800-\udfff]/g, "")),
  },
);
const description = fc
  .tuple(fc.array(line, { maxLength: 7 }), fc.constantFrom("", "\n", "\n\n", "\n \n", "\r\n"))
  .map(([lines, ending]) => lines.join("\n") + ending);

it("Hox parses trailers as jj does, on any description", async () => {
  const config = join(folder, "config.toml");
  await writeFile(config, '[user]\nname = "T"\nemail = "t@example.org"\n');
  const texts = fc.sample(description, { numRuns: 300, seed: 20 });
  const all = [
    ...texts,
    ...texts.slice(0, 100).map((text) => writeMetadata(text, { status: "done", rank: "a0" })),
    ...texts.slice(0, 100).map((text) => writeMetadata(text, { status: null, phase: null, agent: null })),
    "\nempty:\n \nHox-Status: done",
    writeMetadata("\nempty:\n \nHox-Status: done", { status: null }),
  ];
  const import_ = all
    .map(
      (text, index) =>
        `commit refs/heads/b${index}\ncommitter T <t@example.org> ${index} +0000\ndata ${Buffer.byteLength(text)}\n${text}\n`,
    )
    .join("");
  const root = join(folder, "repo");
  await execa(toolPath("git"), ["init", "--quiet", root]);
  await execa(toolPath("git"), ["-C", root, "fast-import", "--quiet", "--force"], { input: import_ });
  const env = { JJ_CONFIG: config };
  await execa(toolPath("jj"), ["git", "init", "--colocate", "--quiet", root], { env, stdin: "ignore" });
  const { stdout } = await execa(
    toolPath("jj"),
    [
      "-R",
      root,
      "--quiet",
      "log",
      "--no-graph",
      "-r",
      "bookmarks()",
      "-T",
      '"[" ++ json(description) ++ ",[" ++ trailers.map(|t| "[" ++ json(t.key()) ++ "," ++ json(t.value()) ++ "]").join(",") ++ "]]\\n"',
    ],
    { env, stdin: "ignore" },
  );
  const rows = stdout
    .split("\n")
    .filter((row) => row !== "")
    .map((row) => JSON.parse(row) as [string, [string, string][]]);
  expect(rows).toHaveLength(all.length);
  let withTrailers = 0;
  for (const [text, trailers] of rows) {
    const ours = parseDescription(text).trailers.map(({ key, value }) => [key, value]);
    expect(ours, JSON.stringify(text)).toEqual(trailers);
    if (trailers.length > 0) withTrailers++;
  }
  // Neither side may win by finding nothing.
  expect(withTrailers).toBeGreaterThan(120);
  expect(all.some((text) => metadataProblems(text).length > 0)).toBe(true);
});
