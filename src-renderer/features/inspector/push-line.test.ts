import { expect, test } from "vitest";
import { pushMoveText } from "./push-line.tsx";

const [a, b] = ["1bee2940c0ffee", "e60c1c031c9e00"];

test.each([
  [`bookmark: main [add to ${a}]`, "Creates main at 1bee2940"],
  [`bookmark: feature/[x] [move forward from ${a} to ${b}]`, "Moves feature/[x] from 1bee2940 to e60c1c03"],
  [
    `bookmark: main [move sideways from ${a} to ${b}]`,
    "Moves main from 1bee2940 to e60c1c03, replacing commits there",
  ],
  [`bookmark: main [delete from ${a}]`, "Deletes main, now at 1bee2940"],
  ["something else", "something else"],
])("says in a sentence what a push does: %s", (line, text) => expect(pushMoveText(line)).toBe(text));
