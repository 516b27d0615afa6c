import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseDescription, readMetadata } from "#shared/domain/change-metadata/trailers.ts";
import { bodyOf, withBody } from "./write-trailers.ts";

const described =
  "Add profiles\n\nThe API first.\n\nHox-Status: open\nSigned-off-by: Ada <ada@example.org>\n";

describe("editing the words of a description", () => {
  test("trailers are kept out of sight and stay as they are", () => {
    expect(bodyOf(described)).toBe("Add profiles\n\nThe API first.");
    const edited = withBody(described, "Add user profiles\n\nClient first.");
    expect(edited).toBe(
      "Add user profiles\n\nClient first.\n\nHox-Status: open\nSigned-off-by: Ada <ada@example.org>\n",
    );
  });

  test("without trailers everything is words", () => {
    expect(bodyOf("Fix it\n")).toBe("Fix it");
    expect(withBody("Fix it\n", "Mend it")).toBe("Mend it\n");
    expect(withBody("Fix it\n", "")).toBe("");
  });

  test("whatever is typed, the metadata stays", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), (words) => {
        const edited = withBody(described, words);
        expect(readMetadata(edited)).toEqual(readMetadata(described));
        expect(parseDescription(edited).trailers).toEqual(parseDescription(described).trailers);
      }),
    );
  });
});
