import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { packageMetadata } from "./package-metadata.mjs";

const own = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const real = { homepage: "https://example.org/hox", author: "A. User <a@example.org>" };

it("lists in one line which package metadata are placeholders, and how to set them", () => {
  const { args, warning } = packageMetadata(own, {});
  expect(args).toEqual([]);
  expect(warning).toMatch(
    /placeholder for homepage and author: set HOX_HOMEPAGE and HOX_AUTHOR, or .*package\.json/u,
  );
  expect(warning).not.toContain("\n");
  expect(packageMetadata({ ...own, homepage: real.homepage }, {}).warning).toMatch(
    /for author: set HOX_AUTHOR,/u,
  );
  expect(packageMetadata({}, {}).warning).toContain("homepage and author");
  expect(packageMetadata(real, {})).toEqual({ args: [], warning: null });
});

it("takes them from the environment, for the package only", () => {
  expect(packageMetadata(own, { HOX_HOMEPAGE: real.homepage, HOX_AUTHOR: real.author })).toEqual({
    args: [`-c.extraMetadata.homepage=${real.homepage}`, `-c.extraMetadata.author=${real.author}`],
    warning: null,
  });
  expect(packageMetadata(own, { HOX_HOMEPAGE: " ", HOX_AUTHOR: real.author }).warning).toContain(
    "for homepage:",
  );
});
