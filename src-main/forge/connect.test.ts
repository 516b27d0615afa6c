import { chmodSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { tempDir } from "../testing/kit.ts";
import { createForges, findForgeToken } from "./connect.ts";
import { systemForgeClock } from "./forge-http.ts";
import { forgeFixture, standIns } from "./testing/forge-fixture.ts";
import { everything, ownToken } from "./testing/forge-world.ts";

const asksNobody = async () => null;
const forgesWith = (env: NodeJS.ProcessEnv) =>
  createForges({ env, clock: systemForgeClock, ask: asksNobody });
afterEach(() => void vi.unstubAllEnvs());

describe.each(standIns)("a repository on a $kind of one's own", (standIn) => {
  const variables = (host: string) =>
    standIn.kind === "github"
      ? { GH_HOST: host, GH_ENTERPRISE_TOKEN: ownToken }
      : { GITLAB_HOST: `http://${host}`, GITLAB_TOKEN: ownToken };

  it("is recognized by its remote, and used with the token that is for its host", async () => {
    const { running, world } = await forgeFixture(standIn);
    world.tokens.set("private", { user: world.user("x"), permissions: [] });
    const forges = forgesWith(variables(running.host));
    const remotes = [
      { name: "backup", url: "/srv/backup.git" },
      { name: "origin", url: running.cloneUrl },
    ];
    const found = await forges.ofRemotes(remotes);
    expect(found).toMatchObject({
      remote: "origin",
      repository: { forge: standIn.kind, path: "acme/widgets" },
    });
    // Another one asks no second time what the host is.
    expect((await forges.ofRemotes(remotes)).forge).toBe(found.forge);
    expect(await forges.ofAddress({ host: running.host, path: "acme/widgets" })).toMatchObject({
      remote: null,
    });
  });

  it("gets the token of gh or glab once the one of the environment is refused", async () => {
    const { running, world } = await forgeFixture(standIn);
    world.tokens.set("private", { user: world.user("x"), permissions: [] });
    const asked: string[] = [];
    const forges = createForges({
      env: variables(running.host),
      clock: systemForgeClock,
      async ask(program) {
        asked.push(program);
        return "token-of-today";
      },
    });
    const remotes = [{ name: "origin", url: running.cloneUrl }];
    await forges.ofRemotes(remotes);
    expect(asked).toEqual([]);
    world.tokens.set(ownToken, { user: world.user("me"), permissions: [], isExpired: true });
    world.tokens.set("token-of-today", { user: world.user("me"), permissions: everything });
    expect(await forges.ofRemotes(remotes)).toMatchObject({ repository: { path: "acme/widgets" } });
    expect(asked).toEqual([standIn.kind === "github" ? "gh" : "glab"]);
  });

  it("gets no token that is for another host", async () => {
    const { running, world } = await forgeFixture(standIn);
    world.tokens.set("private", { user: world.user("x"), permissions: [] });
    const forges = forgesWith({ GH_TOKEN: ownToken, GITHUB_TOKEN: ownToken, GITLAB_TOKEN: ownToken });
    await expect(forges.ofRemotes([{ name: "origin", url: running.cloneUrl }])).rejects.toMatchObject({
      kind: "no-token",
    });
  });
});

describe("createForges", () => {
  it("says that there is no remote, or none on a forge", async () => {
    const forges = forgesWith({});
    await expect(forges.ofRemotes([])).rejects.toMatchObject({
      message: expect.stringContaining("no remote"),
    });
    const unknown = [{ name: "origin", url: "https://127.0.0.1:1/a/b.git" }];
    await expect(forges.ofRemotes(unknown)).rejects.toMatchObject({
      kind: "no-forge",
      message: expect.stringContaining("origin"),
    });
    await expect(forges.ofAddress({ host: "127.0.0.1:1", path: "a/b" })).rejects.toMatchObject({
      message: expect.stringContaining("127.0.0.1:1 is no GitHub or GitLab"),
    });
  });
});

describe("findForgeToken", () => {
  it("takes variables as gh and glab do", async () => {
    const found = (forge: "github" | "gitlab", host: string, env: NodeJS.ProcessEnv) =>
      findForgeToken(forge, host, env, asksNobody);
    expect(await found("github", "github.com", { GITHUB_TOKEN: "github-token", GH_TOKEN: "gh-token" })).toBe(
      "gh-token",
    );
    expect(await found("github", "github.com", { GITHUB_TOKEN: " " })).toBeNull();
    expect(await found("gitlab", "gitlab.com", { GITLAB_TOKEN: "gitlab-token" })).toBe("gitlab-token");
    expect(
      await found("gitlab", "gitlab.com", { GITLAB_TOKEN: "gitlab-token", GITLAB_HOST: "git.example" }),
    ).toBeNull();
    expect(await found("github", "acme.ghe.com", { GH_TOKEN: "gh-token-1" })).toBe("gh-token-1");
  });

  it("takes nothing that would be more than a header", async () => {
    expect(
      await findForgeToken("github", "github.com", { GH_TOKEN: "token\r\nx-evil: 1" }, asksNobody),
    ).toBeNull();
  });

  it("asks gh and glab for the token of this host", async () => {
    const folder = tempDir();
    for (const name of ["gh", "glab"]) {
      writeFileSync(join(folder, name), `#!/bin/sh\necho "$*" | tr ' ' '-' | cut -c1-60\n`);
      chmodSync(join(folder, name), 0o755);
    }
    vi.stubEnv("PATH", `${folder}${delimiter}${process.env.PATH}`);
    expect(await findForgeToken("github", "git.example", {})).toBe("auth-token---hostname-git.example");
    expect(await findForgeToken("gitlab", "git.example", {})).toBe("config-get-token---host-git.example");
  });

  it("has none where these programs are not there", async () => {
    vi.stubEnv("PATH", tempDir());
    expect(await findForgeToken("github", "github.com", {})).toBeNull();
  });
});
