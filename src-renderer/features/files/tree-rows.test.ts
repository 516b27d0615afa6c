import { expect, it } from "vitest";
import { folderAbove, rowsOfFolders } from "./feature.tsx";

it("shows what is in expanded folders, each a level deeper, and nothing of one that is not read yet", () => {
  const folders = new Map([
    [
      "",
      [
        { path: "src", kind: "folder" as const },
        { path: "a.txt", kind: "file" as const },
      ],
    ],
    [
      "src",
      [
        { path: "src/app", kind: "folder" as const },
        { path: "src/b.ts", kind: "file" as const },
      ],
    ],
  ]);
  const shown = (expanded: readonly string[]) =>
    rowsOfFolders(folders, new Set(expanded)).map(({ name, level }) => `${level} ${name}`);
  expect(shown([])).toEqual(["1 src", "1 a.txt"]);
  expect(shown(["src", "src/app"])).toEqual(["1 src", "2 app", "2 b.ts", "1 a.txt"]);
  expect(shown(["src/app"])).toEqual(["1 src", "1 a.txt"]);
  expect([folderAbove("src/app/x"), folderAbove("x")]).toEqual(["src/app", ""]);
});
