import { expect, test } from "vitest";
import { placedRemarks } from "./use-remark-notes.tsx";

const paths = ["src/api.ts", "api.ts", "a+b.js"];

test("a remark is shown in full at each line that it names", () => {
  const words =
    "Nearly there.\n\n- `src/api.ts`:12 forgets the owner\n  and its test.\n- a+b.js, line 3: and line 9 too.\n\nSee src/api.ts:40.";
  expect(placedRemarks(words, paths)).toEqual([
    { path: "src/api.ts", line: 12, text: "- `src/api.ts`:12 forgets the owner\n  and its test." },
    { path: "a+b.js", line: 3, text: "- a+b.js, line 3: and line 9 too." },
    { path: "src/api.ts", line: 40, text: "See src/api.ts:40." },
  ]);
});

test("a name within a longer one is another file, and a version is no line", () => {
  expect(placedRemarks("lib/api.ts:3 and api.ts 1.2 and src/api.tsx:4", paths)).toEqual([]);
  expect(placedRemarks("api.ts:0", paths)).toEqual([]);
});
