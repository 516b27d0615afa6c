import { expect, test } from "vitest";
import { lfsPointerText, maxLfsPointerBytes, readLfsPointer } from "./lfs-pointer.ts";

const oid = "3b27c678c14e6b3bbfa59385d50e4d701d4906e70f19eceb812a603c94292ae1";

test("a pointer in git-lfs format is recognised, and content never is one", () => {
  const text = lfsPointerText({ oid, size: 300_000 });
  expect(text).toBe(`version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize 300000\n`);
  expect(readLfsPointer(text)).toEqual({ oid, size: 300_000 });
  expect(readLfsPointer(text.replace("oid", `ext-0-foo sha256:${oid}\noid`))).toEqual({ oid, size: 300_000 });
  expect(
    readLfsPointer(text.replace("git-lfs.github.com/spec/v1", "hawser.github.com/spec/v1")),
  ).not.toBeNull();
  for (const other of [
    "",
    "\u0089PNG\r\n",
    text.slice(1),
    text.replace("size 300000", "size many"),
    text.replace("sha256", "md5"),
    text + "x".repeat(maxLfsPointerBytes),
  ])
    expect(readLfsPointer(other)).toBeNull();
});
