import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, it } from "vitest";
import { withoutMachine } from "./export-recording.ts";
import type { Recording } from "./recording.ts";
import { readRecordingFile, writeRecordingFile } from "./recording-file.ts";
import { anyRecording, smallRecording } from "./testing/any-recording.ts";

const home = "/srv/people/mwinter";
const machine = {
  places: [
    { folder: `${home}/work/shop "old"`, name: "<repository>" },
    { folder: `${home}/.local/state/hox`, name: "<state>" },
    { folder: home, name: "<home>" },
  ],
  secrets: ["correct horse battery staple"],
  people: ["mwinter", "winter-laptop", "root", "me"],
};

const clean = (recording: Recording): Recording => withoutMachine(recording, machine);

/** What may stand anywhere in what commands print, and must not in a file for others. */
const planted: readonly (readonly [string, string])[] = [
  [`${home}/work/shop "old"/src/a.ts`, "people"],
  [JSON.stringify({ file: `${home}/work/shop "old"/a.ts` }), "people"],
  [encodeURI(`file://${home}/work/shop "old"/a.ts`), "people"],
  [`${home}/.local/state/hox/journal.sqlite`, "people"],
  ["-rw-r--r-- 1 mwinter staff 12 a.ts", "mwinter"],
  ["mwinter@winter-laptop:~$ ls", "winter"],
  ["Maria <maria.winter@example.org>", "maria.winter"],
  ["/home/gitta/.ssh/id_ed25519", "gitta"],
  ["/Users/gitta/Library/x", "gitta"],
  ["C:\\Users\\gitta\\x", "gitta"],
  [JSON.stringify("C:\\Users\\gitta\\x"), "gitta"],
  ["/private/var/folders/zz/abc/T/x", "folders"],
  ["/tmp/build-of-gitta/x", "gitta"],
  ["correct horse battery staple", "horse battery"],
  [encodeURIComponent("correct horse battery staple"), "battery"],
  [Buffer.from("correct horse battery staple").toString("base64"), "Y29ycmVjdCBob3JzZSBiYXR0ZXJ5"],
  ["sk-ant-api03-abcdefghijklmnopqrstuvwx", "abcdefghijkl"],
  ["ghp_abcdefghijklmnopqrstuvwxyz0123456789", "abcdefghijkl"],
  ["AKIAABCDEFGHIJKLMNOP", "AKIAABCD"],
  ["password = hunter2hunter2", "hunter2"],
  ['{"api_key": "hunter2hunter2"}', "hunter2"],
  ["https://gitta:hunter2hunter2@example.org/x.git", "hunter2"],
  ["-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjE\n-----END OPENSSH PRIVATE KEY-----", "b3BlbnNz"],
];

/** Each text of it, keys left as they are. */
function textsOf(value: unknown, at: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value === "string") return [at];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) =>
    textsOf(one, [...at, Array.isArray(value) ? +key : key]),
  );
}

function withText(value: unknown, [key, ...rest]: readonly (string | number)[], text: string): unknown {
  if (key === undefined) return `${String(value)} ${text} `;
  if (Array.isArray(value))
    return value.map((one, index) => (index === key ? withText(one, rest, text) : one));
  const before = value as Record<string, unknown>;
  return { ...before, [key]: withText(before[key], rest, text) };
}

it("contains no data of the machine", () => {
  fc.assert(
    fc.property(anyRecording, fc.nat(), fc.constantFrom(...planted), (recording, place, [text, trace]) => {
      const places = textsOf(recording);
      const dirty = withText(recording, places[place % places.length] ?? [], text) as Recording;
      expect(JSON.stringify(dirty).includes(JSON.stringify(text).slice(1, -1))).toBe(true);
      const written = gunzipSync(writeRecordingFile(clean(dirty), "1")).toString("utf8");
      expect(written).not.toContain(trace);
    }),
    { numRuns: 400 },
  );
});

it.each(planted)("hides %s", (text, trace) => {
  const row = {
    index: 0,
    at: 1,
    kind: "tool-result",
    id: "1",
    tool: "run",
    output: `a\n${text}\nb`,
    error: null,
    ms: 1,
  } as const;
  const cleaned = clean(smallRecording({ conversations: { "agent-1": [row] } }));
  const output = JSON.stringify(cleaned.conversations);
  expect(output).not.toContain(trace);
  expect(output).toMatch(/"a\\n.*\\nb"/u);
});

it("hides it inside a name too", () => {
  const call = {
    index: 0,
    at: 1,
    kind: "tool-call",
    id: "1",
    tool: "run",
    input: { [`${home}/.ssh`]: "x" },
  } as const;
  const cleaned = clean(smallRecording({ conversations: { "agent-1": [call] } }));
  expect(cleaned.conversations["agent-1"]?.[0]).toMatchObject({ input: { "<home>/.ssh": "x" } });
});

it("names no user, and cannot answer a card", () => {
  const change = (name: string) => ({
    commitId: name,
    changeId: "k",
    parents: [],
    description: "x",
    author: { name, email: `${name}@example.org` },
    timestamp: 1,
    metadata: {} as never,
    immutable: false,
    divergent: false,
    conflict: false,
  });
  const plain = fc.sample(anyRecording, { numRuns: 40, seed: 3 }).find(({ cards }) => cards.length > 0);
  if (!plain) throw new Error("No recording has a card.");
  const cards = plain.cards.map((card) => ({ ...card, item: { ...card.item, nonce: "n-123456" } }));
  const cleaned = clean({
    ...plain,
    cards,
    conversations: {
      "O-A-1": [{ index: 0, at: 1, kind: "text", text: "Author: Gitta Sommer, of agent-1" }],
    },
    graphs: { changes: [change("Gitta Sommer"), change("agent-1")], graphs: [] },
  });
  expect(cleaned.graphs.changes.map(({ author }) => author)).toEqual([
    { name: "a user", email: "" },
    { name: "a user", email: "" },
  ]);
  expect(cleaned.conversations["O-A-1"]).toMatchObject([{ text: "Author: <user>, of agent-1" }]);
  expect(JSON.stringify(cleaned)).not.toContain("n-123456");
});

it("keeps the text of the work, and opens again", () => {
  const plain = smallRecording();
  const goal =
    "Show the home page at /home and /tmp, let users sign in, and answer root requests at a@ and @b, with react@19.1.0";
  const one = { ...plain, input: { ...plain.input, goal } };
  const cleaned = clean(one);
  expect(cleaned.input.goal).toBe(goal);
  expect(readRecordingFile(writeRecordingFile(cleaned, "1")).input.goal).toBe(goal);
});
