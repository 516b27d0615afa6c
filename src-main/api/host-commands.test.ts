import { expect, it } from "vitest";
import { createUploads } from "./host-commands.ts";

const bytes = (...values: readonly number[]): Uint8Array => Uint8Array.from(values);

it("assembles a file from its parts once, and refuses an incomplete one", () => {
  const uploads = createUploads();
  const id = uploads.begin("run.hoxrun", 5);
  uploads.add(id, bytes(1, 2, 3));
  const other = uploads.begin("other.hoxrun", 1);
  uploads.add(id, bytes(4, 5));
  expect(uploads.take(id)).toMatchObject({ name: "run.hoxrun", content: bytes(1, 2, 3, 4, 5) });
  expect(() => uploads.take(id)).toThrow("no longer active");
  expect(() => uploads.take(other)).toThrow("other.hoxrun was not fully uploaded.");
});

it("accepts no more than announced, and keeps at most two files", () => {
  const uploads = createUploads();
  const first = uploads.begin("a", 1);
  expect(() => uploads.add(first, bytes(1, 2))).toThrow("a grew while it was being read.");
  const [oldest] = ["b", "c", "d"].map((name) => uploads.begin(name, 1));
  expect(() => uploads.add(oldest ?? "", bytes(1))).toThrow("no longer active");
});
