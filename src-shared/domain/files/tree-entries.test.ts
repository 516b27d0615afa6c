import { expect, it } from "vitest";
import { entriesOfFolder, filesWithText, maxTreeEntries } from "./tree-entries.ts";

const paths = ["b.txt", "a.txt", "src/main.ts", "src/app/one.ts", "src/app/two.ts", "source/x.ts"];

it("lists what is directly in a folder, folders first", () => {
  expect(entriesOfFolder(paths, "").entries).toEqual([
    { path: "source", kind: "folder" },
    { path: "src", kind: "folder" },
    { path: "a.txt", kind: "file" },
    { path: "b.txt", kind: "file" },
  ]);
  expect(entriesOfFolder(paths, "src").entries.map(({ path }) => path)).toEqual(["src/app", "src/main.ts"]);
  expect(entriesOfFolder(paths, "sr").entries).toEqual([]);
});

it("finds files anywhere by a part of their path, ignoring case", () => {
  expect(filesWithText(paths, "APP/").entries.map(({ path }) => path)).toEqual([
    "src/app/one.ts",
    "src/app/two.ts",
  ]);
});

it("cuts a folder with very many files and says so", () => {
  const many = Array.from({ length: maxTreeEntries + 1 }, (_, at) => `f${at}`);
  const { entries, isCut } = entriesOfFolder(many, "");
  expect([entries.length, isCut]).toEqual([maxTreeEntries, true]);
});
