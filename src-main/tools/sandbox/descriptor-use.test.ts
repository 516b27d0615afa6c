import { expect, test } from "vitest";
import { type DescriptorUse, reasonToStop } from "./descriptor-use.ts";

const limits = { descriptors: 1000, awaited: 100, watchers: 16, onTheirWay: 128 };
const use: DescriptorUse = { ...limits, hidden: 0 };

test("a tree goes on at its limits, and is stopped above each of them with the reason", () => {
  expect(reasonToStop(use, limits, 0)).toBeNull();
  const reasons = Object.keys(limits).map((name) =>
    reasonToStop({ ...use, [name]: limits[name as keyof typeof limits] + 1 }, limits, 0),
  );
  expect(reasons).toEqual([
    "it held more than 1000 descriptors in all",
    "it waited for more than 100 descriptors with epoll",
    "it watched files with more than 16 descriptors",
    "it had more than 128 descriptors under way in sockets",
  ]);
});

test("a socket may be under way in another one for a moment, and not for as long as one likes", () => {
  const hiding = { ...use, hidden: 1 };
  expect(reasonToStop(hiding, limits, 1)).toBeNull();
  expect(reasonToStop(hiding, limits, 5)).toBeNull();
  expect(reasonToStop(hiding, limits, 6)).toContain("sockets under way in other sockets");
});
