import { expect, it } from "vitest";
import { refusalOf } from "./role.ts";

it("judges a command about the app by the role in the app, and another by that in the repository on screen", () => {
  const shown = (role: string | null, here: string) =>
    ({
      app: { me: { name: "Ann", role, repositories: { "/shop": here }, owners: ["Otto"] } },
      repository: { path: "/shop" },
    }) as unknown as Parameters<typeof refusalOf>[0];
  expect(refusalOf(shown("own", "watch"), "settings.change")).toBeNull();
  expect(refusalOf(shown(null, "own"), "settings.change")).toContain("yours is watch");
  expect(refusalOf(shown("own", "watch"), "run.start")).toContain("yours is watch");
  expect(refusalOf(shown(null, "own"), "run.start")).toBeNull();
});
