/** What agents of the profiles rehearsal do whatever their task is. */
import { startOf } from "#shared/domain/text/format-text.ts";
import { sectionOf } from "#shared/domain/text/prompt-text.ts";
import type { Step } from "../model/stand-in/script.ts";
import { call, conflictRegions, edit, type Knowledge, type Wish, write, writtenFile } from "./reading.ts";

export const testOf = (path: string): string => `node --test ${path}`;
export const text = (know: Knowledge, path: string): string | null => know.files.get(path) ?? null;

/** The name of the owner's field in the contract as this agent sees it; null while it is open or unreadable. */
export function settledName(know: Knowledge): string | null {
  const name = ownerNameIn(text(know, paths.contract) ?? "");
  return name === undecided ? null : name;
}

/**
 * Code that the scripted agents of the rehearsal "profiles" write. It really runs: see the checks of the example.
 */
export const paths = {
  contract: "src/contracts/profile.js",
  contractTest: "test/profile-contract.test.js",
  acceptance: "acceptance/profiles.test.js",
  intent: "docs/intent/profiles.md",
  api: "src/profiles.js",
  apiTest: "test/profile-api.test.js",
  client: "src/client.js",
  clientTest: "test/profile-client.test.js",
  store: "src/store.js",
  storeTest: "test/profile-store.test.js",
  app: "src/app.js",
  wholeTest: "test/profiles.test.js",
  changelog: "CHANGELOG.md",
  readme: "README.md",
} as const;

export const commands = {
  lint: "node tools/lint.js",
  tests: "node tools/test.js",
  acceptance: "node --test acceptance/*.test.js",
} as const;

/** The placeholder in the contract, and the two names that are asked about. */
export const undecided = "user";
export type OwnerName = "user_id" | "userId";

const ownerLine = (name: string): string => `export const ownerField = "${name}";`;

/** The lines about the owner's field that replace those of the contract: a comment and the line under it. */
export const ownerLines = {
  agent: `/** The field that names the user of a profile. The API speaks camel case. */\n${ownerLine("userId")}`,
  decided: (name: OwnerName): string =>
    `/** The field that names the user of a profile, on the wire and in storage. Decided for all. */\n${ownerLine(name)}`,
};

/** The comment and line in a text by any author; at least the line; or null. */
export const ownerLinesIn = (text: string): string | null =>
  (/^\/\*\* The field that names[^\n]*\*\/\nexport const ownerField = "\w+";/mu.exec(text) ??
    /^export const ownerField = "\w+";/mu.exec(text))?.[0] ?? null;

export const ownerNameIn = (text: string): string | null =>
  /^export const ownerField = "(\w+)";/mu.exec(text)?.[1] ?? null;

export const contract = writtenFile("profiles", paths.contract);
export const contractTest = writtenFile("profiles", paths.contractTest);
export const acceptance = writtenFile("profiles", paths.acceptance);
export const intent = writtenFile("profiles", paths.intent);

/** As agent-1 writes it first: with its own idea of the owner's name, a limit that is off by one and a line to debug. */
export const api = writtenFile("profiles", paths.api);
export const apiTest = writtenFile("profiles", paths.apiTest);

/** The client as it reads profiles, then as it saves them too. */
export const clientReads = writtenFile("profiles", paths.client);
export const clientSaves = writtenFile("profiles", `saves/${paths.client}`);
export const clientTest = writtenFile("profiles", paths.clientTest);
export const clientSaveTest = writtenFile("profiles", `saves/${paths.clientTest}`);

export const wholeTest = writtenFile("profiles", paths.wholeTest);

export const readmeRows = `| \`GET /users/:id/profile\` | the user's profile, or 404 |
| \`PUT /users/:id/profile\` with \`{headline, bio}\` | the profile as saved |
`;

/** The store with a table that only adds rows, then replaces them, then keeps copies of what it is given. */
export const storeAdds = writtenFile("profiles", paths.store);
export const storeReplaces = writtenFile("profiles", `replaces/${paths.store}`);
export const storeCopies = writtenFile("profiles", `copies/${paths.store}`);
export const storeCopyTest = writtenFile("profiles", `copies/${paths.storeTest}`);

/** The line of it that a test finds: a second save adds a second row. */
export const addsOnly = "      put: (profile) => profiles.add(profile),\n";
/** The line of it that a review finds: the caller's object becomes the row. */
export const keptAsGiven = "      else rows[place] = row;";
export const storeTest = writtenFile("profiles", paths.storeTest);

/** In a conflict with a decision its side holds; in any other both sides stay where they are lists. */
export const mendConflicts: Wish = (know) => {
  const mended = [...know.files].flatMap(([path, content]) => {
    const regions = content === null ? [] : conflictRegions(content);
    if (content === null || regions.length === 0) return [];
    let after = content;
    for (const { region, sides } of regions) {
      const chosen = sides.find((side) => side.includes("Decided for all")) ?? allEntries(sides);
      if (chosen === null) return [];
      after = after.replace(region, () => chosen);
    }
    return [write(path, after)];
  });
  if (mended.length === 0) return null;
  const contradiction = sectionOf(know.seen.prompt, "Conflict with a decision") !== "";
  return contradiction
    ? {
        thinking:
          "The markers show my line against the decision's. A decision binds me, whatever I had guessed.",
        say: "My line in the contract contradicts the decision. I take the decision's side unchanged, then follow it in my own files.",
        calls: mended,
      }
    : {
        say: "Everyone added to the same list. No entry excludes another, so all of them stay.",
        calls: mended,
      };
};

/** Lists of which each side added some: every entry once, with the blank lines around them. Null for anything else. */
function allEntries(sides: readonly string[]): string | null {
  const entries = [...new Set(sides.flatMap((side) => side.split("\n")))].filter((line) => line !== "");
  if (!entries.every((line) => line.startsWith("- "))) return null;
  const before = sides.some((side) => side.startsWith("\n")) ? "\n" : "";
  const after = sides.some((side) => side.endsWith("\n\n")) ? "\n" : "";
  return `${before}${entries.join("\n")}\n${after}`;
}

/** Conflicts that no script can resolve are reported. */
export const giveUpOnConflicts: Wish = (know) => {
  const left = [...know.files].filter(
    ([, content]) => content !== null && conflictRegions(content).length > 0,
  );
  if (left.length === 0) return null;
  const names = left.map(([path]) => path).join(", ");
  return {
    say: `I cannot tell which side of ${names} is meant.`,
    calls: [
      call("report_done", {
        summary: `Stopped at ${names}.`,
        blocked: `Both sides of the conflict in ${names} say something else. Decide which one holds.`,
      }),
    ],
  };
};

/** Reads the files that the prompt says are in conflict. */
export const lookAtConflicts: Wish = (know) => {
  const named = ["Conflict with a decision", "Conflicts"].flatMap((title) =>
    [...sectionOf(know.seen.prompt, title).matchAll(/^- (\S+)$/gmu)].map((match) => match[1] ?? ""),
  );
  const unread = named.filter((path) => path !== "" && !know.files.has(path));
  return unread.length === 0
    ? null
    : {
        say: "First the files with conflict markers.",
        calls: unread.map((path) => call("read_file", { path })),
      };
};

export const changelog =
  (line: string): Wish =>
  (know) => {
    const before = text(know, paths.changelog);
    if (before === null || before.includes(line)) return null;
    const heading = "## Unreleased\n";
    if (before.split(heading).length !== 2) return null;
    const first = before.includes(`${heading}\n- `);
    return {
      say: "A line for the changelog.",
      calls: [
        first
          ? edit(paths.changelog, `${heading}\n`, `${heading}\n- ${line}\n`)
          : edit(paths.changelog, heading, `${heading}\n- ${line}\n`),
      ],
    };
  };

/** A failing check with nothing left to fix ends the round: the next prompt shows it. */
export const endOnFailure: Wish = ({ runs }) => {
  const failed = [...runs].find(([, result]) => result.isError);
  if (!failed) return null;
  const words =
    failed[1].output.split("\n").find((line) => /not ok|rror|problem|not run/u.test(line)) ??
    "see its output";
  return {
    say: `\`${failed[0]}\` fails: ${startOf(words.trim(), 200)}. I end this round with the work saved.`,
  };
};

export const done =
  (summary: string): Wish =>
  () => ({ calls: [call("report_done", { summary })] });
export const endRound = (say: string): Step => ({ say });
