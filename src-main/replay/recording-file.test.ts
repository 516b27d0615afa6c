import { gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, it } from "vitest";
import { openRecordingFile } from "./open-recording-file.ts";
import { ReplayRefusal } from "./recording.ts";
import { readRecordingFile, writeRecordingFile } from "./recording-file.ts";
import { createReplay } from "./replay.ts";
import { anyMoments, anyRecording, smallRecording } from "./testing/any-recording.ts";

const [moments = []] = fc.sample(anyMoments(30), { numRuns: 1, seed: 7 });
const recording = smallRecording({ moments });
const file = writeRecordingFile(recording, "1.2.3");

function refusalOf(bytes: Uint8Array): ReplayRefusal {
  try {
    readRecordingFile(bytes);
  } catch (error) {
    if (error instanceof ReplayRefusal) return error;
    throw error;
  }
  throw new Error("It was opened.");
}

const linesOf = (bytes: Uint8Array): string[] => gunzipSync(bytes).toString("utf8").split("\n").slice(0, -1);
const packed = (lines: readonly string[]): Buffer => gzipSync(lines.map((line) => `${line}\n`).join(""));
/** Without its last line, which counts the others. */
const changed = (change: (lines: string[]) => string[]): Buffer => {
  const lines = change(linesOf(file).slice(0, -1));
  return packed([...lines, JSON.stringify({ end: lines.length })]);
};

it("is the same recording when reopened, with any content", () => {
  fc.assert(
    fc.property(anyRecording, (one) => {
      const read = readRecordingFile(writeRecordingFile(one, "1.2.3"));
      expect(read).toEqual(one);
      const [before, after] = [createReplay(one), createReplay(read)];
      expect(after.times).toEqual(before.times);
      for (const at of before.times) expect(after.viewsAt(at)).toEqual(before.viewsAt(at));
    }),
    { numRuns: 30 },
  );
});

it("is refused wherever it was truncated", () => {
  for (let length = 0; length < file.length; length += 7) {
    const { message, remedy } = refusalOf(file.subarray(0, length));
    expect(message).toMatch(/^(?:The recording is incomplete: .+|This is not a Hox recording\.)/u);
    expect(remedy).not.toBe("");
  }
  const lines = linesOf(file);
  for (let length = 0; length < lines.length; length++) refusalOf(packed(lines.slice(0, length)));
  const text = gunzipSync(file);
  expect(refusalOf(gzipSync(text.subarray(0, -1))).message).toContain("its last line is cut off");
});

it("is refused or unchanged when one byte was changed", () => {
  const same = JSON.stringify(readRecordingFile(file));
  // Every third place: each try unpacks and reads the whole file.
  for (let place = 0; place < file.length; place += 3) {
    const bytes = Buffer.from(file);
    bytes[place] = (bytes[place] ?? 0) ^ 0x55;
    let read: string | null = null;
    try {
      read = JSON.stringify(readRecordingFile(bytes));
    } catch (error) {
      expect(error).toBeInstanceOf(ReplayRefusal);
    }
    // Of the header of gzip some bytes mean nothing.
    if (read !== null) expect(read).toBe(same);
  }
});

it.each([
  ["a line less", (lines: string[]) => lines.slice(0, -1), "lines are missing"],
  ["a line of text", (lines: string[]) => [...lines, "words"], "is not JSON"],
  ["a line of no kind", (lines: string[]) => [...lines, '{"run":{"rm":"-rf"}}'], "of an unknown kind"],
  ["a part more than there is", (lines: string[]) => [...lines, '{"config":{},"moment":1}'], "unknown kind"],
  [
    "another nature",
    (lines: string[]) => [...lines, '{"card":{"item":{"__proto__":{"id":"x"}}}}'],
    "an unknown key",
  ],
  ["no settings", (lines: string[]) => lines.filter((line) => !line.startsWith('{"config"')), "the settings"],
  [
    "an event that cannot be",
    (lines: string[]) => [...lines, broken({ kind: "WorkerJoined" })],
    "is inconsistent",
  ],
  [
    "work of nobody",
    (lines: string[]) => [...lines, broken({ kind: "VotesCounted", validation: 3 })],
    "is inconsistent",
  ],
])("is refused with %s", (name, change, words) => {
  const bytes = name === "a line less" ? packed(change(linesOf(file))) : changed(change);
  const { message, remedy } = refusalOf(bytes);
  expect(message).toContain(words);
  expect(remedy.length).toBeGreaterThan(10);
});

const broken = (event: object): string => JSON.stringify({ moment: { at: moments.at(-1)?.at ?? 0, event } });

it("says so when a newer Hox wrote it", () => {
  const newer = changed(([first = "", ...rest]) => [
    JSON.stringify({ ...JSON.parse(first), version: 99, somethingNew: true }),
    ...rest,
  ]);
  expect(refusalOf(newer)).toMatchObject({
    message: "This recording has format 99; this Hox reads formats up to 1.",
    remedy: "Update Hox.",
  });
});

it.each([
  ["nothing", Buffer.alloc(0)],
  ["a picture", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a])],
  ["plain text", Buffer.from("hox-recording\n")],
  ["something else that is packed", gzipSync('{"format":"something else","version":1}\n')],
])("is refused when it is %s", (_, bytes) => {
  expect(refusalOf(bytes).message).toBe("This is not a Hox recording.");
});

it("is not unpacked further than a recording can be", () => {
  const many = gzipSync(Buffer.alloc(64 * 1024 * 1024, "a line\n"), { level: 1 });
  const { message } = refusalOf(Buffer.concat(Array.from({ length: 5 }, () => many)));
  expect(message).toBe("This file is larger than 256 MB when unpacked.");
  expect(refusalOf(Buffer.alloc(64 * 1024 * 1024 + 1)).message).toContain("max 64 MB");
});

it("refuses a small file of very many lines", async () => {
  const [head = "", ...rest] = linesOf(writeRecordingFile(recording, "0.1.0"));
  const file = packed([head, "\n".repeat(1_000_000), ...rest]);
  expect(file.byteLength).toBeLessThan(100_000);
  await expect(openRecordingFile(file)).rejects.toMatchObject({
    name: "ReplayRefusal",
    message: "This file has more than 1,000,000 lines.",
  });
});

it("opens in a worker thread what it opens in this one", async () => {
  const file = writeRecordingFile(recording, "0.1.0");
  expect(await openRecordingFile(file)).toEqual(readRecordingFile(file));
});
