import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { execa } from "execa";
import { kinds, priorities, statuses } from "#shared/domain/change-metadata/metadata.ts";
import { writeMetadata } from "#shared/domain/change-metadata/write-trailers.ts";
import { toolPath } from "../../config/tools.ts";
import { initInGitRepository } from "../init.ts";

export interface Generated {
  readonly changes: number;
  /** Parallel lines of work at the top (default 12). */
  readonly lanes?: number;
  /** Share of the changes that is mutable work above `main` (default 0.1). */
  readonly mutable?: number;
  /** Share of the mutable changes that carries Hox trailers (default 0.5). */
  readonly tasks?: number;
  /** Files at the root of history (default 40). */
  readonly files?: number;
  /** Figures of a change that carries Hox trailers, by its number from 1 (default: none). */
  readonly metrics?: (index: number) => string | null;
}

const author = "Generated <generated@example.org>";

/**
 * Makes a jj repository of many changes fast, for benchmarks: a trunk with merges up to `main`, and above it
 * lanes with Hox trailers that merge now and then. The same numbers give the same graph.
 * @param folder an empty or absent folder
 */
export async function generateRepository(
  folder: string,
  { changes, lanes = 12, mutable = 0.1, tasks = 0.5, files = 40, metrics = () => null }: Generated,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const git = toolPath("git");
  await execa(git, ["init", "--quiet", "--initial-branch=main", folder]);
  const scratch = await mkdtemp(join(tmpdir(), "hox-generate-"));
  try {
    const script = join(scratch, "import");
    const out = createWriteStream(script);
    const trunk = Math.max(1, Math.round(changes * (1 - mutable)));
    const tips = new Array<number>(lanes).fill(trunk);
    const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;
    for (let index = 1; index <= changes; index++) {
      const lane = index % lanes;
      const above = index > trunk;
      // Every 25th trunk commit brings a side commit back in; above it, every 40th joins two lanes.
      const side = !above && index > 30 && index % 25 === 24;
      const parents = above
        ? [tips[lane] ?? trunk, ...(index % 40 === 0 ? [tips[(lane + 1) % lanes] ?? trunk] : [])]
        : side
          ? [index - 7]
          : [
              ...(index > 1 ? [index % 25 === 0 && index > 30 ? index - 2 : index - 1] : []),
              ...(index % 25 === 0 && index > 30 ? [index - 1] : []),
            ];
      if (above) tips[lane] = index;
      const plain = `Change ${index} of the example\n\nA sentence or two that says why it was made, as people write them.\n`;
      const message =
        above && (index * 7919) % 100 < tasks * 100
          ? writeMetadata(plain, {
              kind: kinds[index % kinds.length] ?? "task",
              status: statuses[index % statuses.length] ?? "open",
              priority: priorities[index % priorities.length] ?? "medium",
              rank: `a${index}`,
              run: "run-1",
              agent: `agent-${lane}`,
              orchestrator: "O-A-1",
              metrics: metrics(index),
            })
          : plain;
      const branch = above ? `lane-${lane}` : side ? "side" : "main";
      const [first, ...merged] = [...new Set(parents)];
      let text = `commit refs/heads/${branch}\nmark :${index}\ncommitter ${author} ${1_600_000_000 + index * 60} +0000\n${data(message)}`;
      if (first !== undefined) text += `from :${first}\n`;
      for (const parent of merged) text += `merge :${parent}\n`;
      if (index === 1)
        for (let file = 0; file < files; file++)
          text += `M 100644 inline src/file-${file}.txt\n${data(`line ${file}\n`.repeat(20))}`;
      text += `M 100644 inline work/${above ? `lane-${lane}` : `part-${index % 20}`}.txt\n${data(`${index}\n`)}\n`;
      if (!out.write(text)) await once(out, "drain");
    }
    out.end(`reset refs/heads/main\nfrom :${trunk}\n\n`);
    await finished(out);
    await execa(git, ["-C", folder, "fast-import", "--quiet"], { inputFile: script });
    await execa(git, ["-C", folder, "branch", "--quiet", "-D", "side"], { reject: false });
    await execa(git, ["-C", folder, "reset", "--quiet", "--hard", "main"]);
    await initInGitRepository(folder);
    // Without a remote jj takes nothing for trunk; here `main` plays that part.
    await execa(
      toolPath("jj"),
      ["-R", folder, "config", "set", "--repo", 'revset-aliases."trunk()"', "main"],
      { stdin: "ignore" },
    );
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
