import { expect, test } from "vitest";
import { lineTextOf, withLines } from "./line-remark.ts";

const at = (line: number, lastLine = line) => ({ path: "src/api.ts", line, lastLine });

test("a comment is on existing lines, and begins with the text of the first", () => {
  expect(lineTextOf("a\n  b\nc\n", at(2, 3))).toEqual({ lineText: "  b" });
  expect(lineTextOf("a\n\nc", at(2))).toEqual({ lineText: "" });
});

test("a comment on missing lines is refused with the remedy", () => {
  const refusal = (text: string | null, place: ReturnType<typeof at>) => {
    const found = lineTextOf(text, place);
    return "refusal" in found ? found.refusal : null;
  };
  expect(refusal(null, at(1))).toMatch(/^src\/api\.ts is not a text file .* without a line\.$/u);
  expect(refusal("a\nb\n", at(3))).toMatch(/has 2 lines .* no line 3\. Read the file/u);
  expect(refusal("a\n", at(1, 4))).toMatch(/has 1 line .* no line 4\./u);
  expect(refusal("a\nb\n", at(2, 1))).toMatch(/last_line 1 comes before line 2/u);
});

test("a reader without the diff gets the lines in the text", () => {
  const remark = { ...at(2, 3), commit: "c", lineText: "b", text: "Name it." };
  expect(withLines("Nearly.", [remark])).toBe("Nearly.\n\n- src/api.ts:2-3: Name it.");
  expect(withLines("", [remark])).toBe("- src/api.ts:2-3: Name it.");
  expect(withLines(" Nearly. ", [])).toBe("Nearly.");
});
