import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergeDescriptions } from "./join-versions.ts";
import type { Metadata, MetadataField, MetadataPatch } from "./metadata.ts";
import { kinds, messageTypes, priorities, statuses, trailerKeys } from "./metadata.ts";
import { metadataProblems, parseDescription, readMetadata } from "./trailers.ts";
import { TrailerError, writeMetadata } from "./write-trailers.ts";

const oneLine = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 12 })
  .filter((text) => !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(text) && text.trim() === text && text !== "");
const wholeNumber = fc.nat({ max: 1_000_000 });

const values: { [F in MetadataField]: fc.Arbitrary<NonNullable<Metadata[F]>> } = {
  kind: fc.constantFrom(...kinds),
  status: fc.constantFrom(...statuses),
  priority: fc.constantFrom(...priorities),
  rank: oneLine,
  run: oneLine,
  orchestrator: oneLine,
  agent: oneLine,
  phase: wholeNumber,
  msgTo: oneLine,
  msgType: fc.constantFrom(...messageTypes),
  replyTo: oneLine,
  iteration: wholeNumber,
  overruled: oneLine,
  metrics: fc.json().filter((text) => text.trim() === text && !/[\p{Cs}\u2028\u2029\p{Cc}]/u.test(text)),
};
const metadata = fc.record(values, { requiredKeys: [] });
const patch: fc.Arbitrary<MetadataPatch> = fc.record(
  Object.fromEntries(
    Object.entries(values).map(([field, value]) => [field, fc.option(value as fc.Arbitrary<unknown>)]),
  ),
  { requiredKeys: [] },
);

// Lines that sit on every edge of the trailer rules, and free text between them.
const line = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "\t",
    "Signed-off-by: A User <a@example.org>",
    "Change-Id: I0123",
    "odd  :   spacing  ",
    "empty:",
    " continued",
    "not a trailer",
    "under_score: no",
    "(cherry picked from commit 0123)",
    "Hox-Status: open",
    "Hox-Status: done",
    "Hox-Status: sideways",
    "Hox-Priority : high ",
    "Hox-Unknown: kept",
    "Hox-Phase: 3",
    "windows: line\r",
  ),
  fc.string({ maxLength: 12 }),
);
const description = fc
  .tuple(fc.array(line, { maxLength: 9 }), fc.constantFrom("", "\n", "\n\n \n"))
  .map(([lines, ending]) => lines.join("\n") + ending);

const foreign = (text: string) =>
  parseDescription(text)
    .trailers.filter(
      ({ key }) => !Object.values(trailerKeys).includes(key as (typeof trailerKeys)[MetadataField]),
    )
    // jj cuts white space from the end of a description, so a value loses its own when its trailer becomes the last.
    .map(({ key, value }) => ({ key, value: value.trimEnd() }));

describe("trailers", () => {
  it("reads the fields of the last paragraph and leaves out what is invalid", () => {
    const text =
      "Add login\n\nWhy it is needed.\n\nHox-Kind: task\nHox-Priority: urgent\nHox-Phase: 2\nSigned-off-by: A <a@b.c>\n";
    expect(parseDescription(text)).toEqual({
      subject: "Add login",
      body: "Why it is needed.",
      trailers: [
        { key: "Hox-Kind", value: "task" },
        { key: "Hox-Priority", value: "urgent" },
        { key: "Hox-Phase", value: "2" },
        { key: "Signed-off-by", value: "A <a@b.c>" },
      ],
      metadata: { kind: "task", phase: 2 },
    });
    expect(metadataProblems(text)).toEqual([
      { key: "Hox-Priority", value: "urgent", reason: "it must be one of critical, high, medium, low" },
    ]);
  });

  it("reports fields outside the trailers' paragraph", () => {
    const text = "Subject\n\nHox-Status: open\nand a sentence\n";
    expect(readMetadata(text)).toEqual({});
    expect(metadataProblems(text).map(({ key }) => key)).toEqual(["Hox-Status"]);
    expect(writeMetadata(text, { status: "done" })).toBe(`${text}\nHox-Status: done\n`);
  });

  it("adds to the one paragraph, replaces in place, and removes the paragraph with its last field", () => {
    const signed = "Subject\n\nBody.\n\nSigned-off-by: A <a@b.c>\n";
    const open = writeMetadata(signed, { status: "open", kind: "task" });
    expect(open).toBe(`${signed}Hox-Kind: task\nHox-Status: open\n`);
    expect(writeMetadata(open, { kind: "base" })).toBe(`${signed}Hox-Kind: base\nHox-Status: open\n`);
    expect(writeMetadata(open, { kind: null, status: null })).toBe(signed);
    expect(writeMetadata(writeMetadata("Subject\n", { rank: "a0" }), { rank: null })).toBe("Subject\n");
    expect(writeMetadata("Subject", { rank: "a0" })).toBe("Subject\n\nHox-Rank: a0\n");
    expect(readMetadata(writeMetadata("", { rank: "a0" }))).toEqual({ rank: "a0" });
  });

  it("does not activate a hidden field when the paragraph that hid it is removed", () => {
    const text = "Subject\n\nHox-Agent: agent-1\n\nHox-Status: open\n";
    expect(readMetadata(writeMetadata(text, { status: null }))).toEqual({});
  });

  it("keeps a trailer's blank continuation in the text, even if jj no longer counts it to the value", () => {
    const text = "Subject\n\nempty:\n \nHox-Status: done";
    expect(parseDescription(text).trailers[0]).toEqual({ key: "empty", value: "\n" });
    const cleared = writeMetadata(text, { status: null });
    expect(cleared).toBe("Subject\n\nempty:\n \n");
    expect(parseDescription(cleared).trailers).toEqual([{ key: "empty", value: "" }]);
  });

  it("refuses values that are not one line or invalid for their field", () => {
    const refused: MetadataPatch[] = [
      { agent: "a\nHox-Status: done" },
      { agent: "a\rb" },
      { agent: "\u001b[31m" },
      { agent: "a\u2028b" },
      { agent: "" },
      { agent: " a" },
      { phase: -1 },
      { phase: 1.5 },
      { metrics: "{" },
      { status: "finished" as "done" },
    ];
    for (const each of refused) expect(() => writeMetadata("Subject\n", each)).toThrow(TrailerError);
  });

  it("merges two concurrent edits, unless both set the same field", () => {
    const base = "Subject\n\nSigned-off-by: A <a@b.c>\nHox-Status: open\n";
    const described = base.replace("Subject", "Told anew");
    const moved = writeMetadata(base, { priority: "high", status: "in_progress" });
    const joined = "Told anew\n\nSigned-off-by: A <a@b.c>\nHox-Status: in_progress\nHox-Priority: high\n";
    for (const [one, other] of [
      [described, moved],
      [moved, described],
    ] as const) {
      const text = mergeDescriptions(base, one, other) ?? "";
      expect(readMetadata(text)).toEqual(readMetadata(joined));
      expect(text.startsWith("Told anew\n\nSigned-off-by: A <a@b.c>\n")).toBe(true);
    }
    expect(mergeDescriptions(base, described, `${base}x`)).toBeUndefined();
    expect(mergeDescriptions(base, moved, writeMetadata(base, { status: "done" }))).toBeUndefined();
    fc.assert(
      fc.property(description, patch, (text, change) => {
        const changed = writeMetadata(text, change);
        const joinedText = mergeDescriptions(text, changed, text);
        expect(joinedText).toBeDefined();
        expect(readMetadata(joinedText ?? "")).toEqual(readMetadata(changed));
      }),
    );
  });

  it("keeps any description byte for byte when nothing changes", () => {
    fc.assert(
      fc.property(description, (text) => {
        expect(writeMetadata(text, {})).toBe(text);
        // Only a twin of a key that is set again may go.
        const keys = parseDescription(text).trailers.map(({ key }) => key);
        if (new Set(keys).size === keys.length) expect(writeMetadata(text, readMetadata(text))).toBe(text);
      }),
    );
  });

  it("gets what was set, loses what was removed, and keeps the rest", () => {
    fc.assert(
      fc.property(description, patch, (text, change) => {
        const before = readMetadata(text);
        const written = writeMetadata(text, change);
        const after = readMetadata(written);
        for (const [field, value] of Object.entries(change)) {
          expect(after[field as MetadataField]).toEqual(value ?? undefined);
        }
        const sets = Object.values(change).some((value) => value !== null);
        for (const [field, value] of Object.entries(before)) {
          if (change[field as MetadataField] === undefined)
            expect(after[field as MetadataField]).toEqual(value);
        }
        // Written again, nothing moves; and foreign trailers stand as they stood.
        expect(writeMetadata(written, change)).toBe(written);
        if (sets || foreign(text).length > 0)
          expect(foreign(written).slice(0, foreign(text).length)).toEqual(foreign(text));
        const lines = text.split("\n").filter((each) => !each.startsWith("Hox-") && each.trim() !== "");
        const left = written.split("\n");
        for (const each of lines) if (!each.startsWith(" ")) expect(left).toContain(each);
      }),
      { numRuns: 500, examples: [["\nempty:\n \nHox-Status: done", { status: null }]] },
    );
  });

  it("restores the original description", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 30 }), metadata, (subject, set) => {
        const text = `${subject.replace(/[\r\n]/g, " ").trim()}x\n`;
        const cleared = Object.fromEntries(Object.keys(set).map((field) => [field, null]));
        expect(writeMetadata(writeMetadata(text, set), cleared)).toBe(text);
      }),
    );
  });
});
