import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseIssueReference, parseRemoteUrl } from "./forge-address.ts";

describe("parseRemoteUrl", () => {
  it.each([
    ["https://github.com/acme/widgets.git", "github.com", "acme/widgets"],
    ["https://github.com/acme/widgets", "github.com", "acme/widgets"],
    ["https://me:secret-token@GitHub.com/acme/widgets.git/", "github.com", "acme/widgets"],
    ["git@github.com:acme/widgets.git", "github.com", "acme/widgets"],
    ["github.com:acme/widgets", "github.com", "acme/widgets"],
    ["ssh://git@ssh.github.com:443/acme/widgets.git", "github.com", "acme/widgets"],
    ["ssh://git@gitlab.example.org:2222/a/b/c.git", "gitlab.example.org", "a/b/c"],
    ["http://127.0.0.1:8080/acme/widgets.git", "127.0.0.1:8080", "acme/widgets"],
  ])("reads %s", (url, host, path) => {
    expect(parseRemoteUrl(url)).toEqual({ host, path });
  });

  it.each([
    ...["/srv/git/widgets.git", "../widgets", "C:\\work\\widgets", "C:/work/widgets", "file:///srv/widgets"],
    ...["https://github.com/", "https://github.com/widgets", "git@github.com:widgets", ""],
    ...["https://github.com/acme/../widgets", "https://github.com/acme/wid gets"],
  ])("reads no forge from %s", (url) => {
    expect(parseRemoteUrl(url)).toBeNull();
  });

  it("never keeps a password, and never throws", () => {
    fc.assert(
      fc.property(fc.string(), fc.stringMatching(/^[a-z0-9-]{8,20}$/u), (text, password) => {
        parseRemoteUrl(text);
        const found = parseRemoteUrl(`https://me:${password}@example.org/a/b.git`);
        expect(JSON.stringify(found)).not.toContain(password);
      }),
    );
  });
});

describe("parseIssueReference", () => {
  it.each([
    ["33", null],
    ["#33", null],
    ["https://github.com/acme/widgets/issues/33", { host: "github.com", path: "acme/widgets" }],
    [
      "https://github.com/acme/widgets/issues/33#issuecomment-1",
      { host: "github.com", path: "acme/widgets" },
    ],
    ["https://gitlab.com/a/b/c/-/issues/33", { host: "gitlab.com", path: "a/b/c" }],
    ["https://gitlab.com/a/b/-/work_items/33", { host: "gitlab.com", path: "a/b" }],
  ])("reads %s", (text, address) => {
    expect(parseIssueReference(text)).toEqual({ address, number: 33 });
  });

  it.each([
    "",
    "0",
    "-3",
    "3.5",
    "issue 3",
    "https://github.com/acme/widgets/pull/3",
    "ftp://x/a/b/issues/3",
  ])("reads no issue from %j", (text) => {
    expect(parseIssueReference(text)).toBeNull();
  });
});
