import { expect, test } from "vitest";
import { type RefusedNamespaces, refusedNamespaces } from "./refused-namespaces.ts";

const onSystem = (settings: Readonly<Record<string, number>>, isRoot = false): RefusedNamespaces | null =>
  refusedNamespaces(isRoot, (name) => settings[name] ?? null);
const open = {
  "user/max_user_namespaces": 96_365,
  "kernel/unprivileged_userns_clone": 1,
  "kernel/apparmor_restrict_unprivileged_userns": 0,
};

test("a system that denies user namespaces is reported with its setting and the remedy", () => {
  expect(onSystem({})).toBeNull();
  expect(onSystem(open)).toBeNull();
  expect(onSystem({ ...open, "user/max_user_namespaces": 0 })).toEqual({
    setting: "user.max_user_namespaces is 0",
    remedy: "Allow them with `sudo sysctl -w user.max_user_namespaces=10000`.",
  });
  expect(onSystem({ ...open, "kernel/unprivileged_userns_clone": 0 })?.remedy).toContain(
    "sysctl -w kernel.unprivileged_userns_clone=1",
  );
  expect(onSystem({ ...open, "kernel/apparmor_restrict_unprivileged_userns": 1 })?.remedy).toContain(
    "bwrap-userns-restrict",
  );
});

test("root is limited by the number only", () => {
  const closed = { "kernel/unprivileged_userns_clone": 0, "kernel/apparmor_restrict_unprivileged_userns": 1 };
  expect(onSystem(closed, true)).toBeNull();
  expect(onSystem({ ...closed, "user/max_user_namespaces": 0 }, true)?.setting).toContain(
    "max_user_namespaces",
  );
});
