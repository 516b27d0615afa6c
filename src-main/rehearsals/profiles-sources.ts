/** Code that the scripted agents of the rehearsal "profiles" write. It really runs: see the checks of the example. */

export const paths = {
  contract: "src/contracts/profile.js",
  contractTest: "test/profile-contract.test.js",
  acceptance: "acceptance/profiles.test.js",
  intent: "docs/intent/profiles.md",
  api: "src/profiles.js",
  apiTest: "test/profile-api.test.js",
  client: "src/client.js",
  clientTest: "test/profile-client.test.js",
  store: "src/store.js",
  storeTest: "test/profile-store.test.js",
  app: "src/app.js",
  wholeTest: "test/profiles.test.js",
  changelog: "CHANGELOG.md",
  readme: "README.md",
} as const;

export const commands = {
  lint: "node tools/lint.js",
  tests: "node tools/test.js",
  acceptance: "node --test acceptance/*.test.js",
} as const;

/** The placeholder that the contract begins with, and the two names that are asked about. */
export const undecided = "user";
export type OwnerName = "user_id" | "userId";

const ownerLine = (name: string): string => `export const ownerField = "${name}";`;

/** What stands in the contract about the owner's field: a comment and the line under it. */
export const ownerLines = {
  first: `/** The field that names the user of a profile. */\n${ownerLine(undecided)}`,
  agent: `/** The field that names the user of a profile. The API speaks camel case. */\n${ownerLine("userId")}`,
  decided: (name: OwnerName): string =>
    `/** The field that names the user of a profile, on the wire and in storage. Decided for all. */\n${ownerLine(name)}`,
};

/** The comment and line as they stand in a text, whoever wrote them; at least the line; or null. */
export const ownerLinesIn = (text: string): string | null =>
  (/^\/\*\* The field that names[^\n]*\*\/\nexport const ownerField = "\w+";/mu.exec(text) ??
    /^export const ownerField = "\w+";/mu.exec(text))?.[0] ?? null;

export const ownerNameIn = (text: string): string | null =>
  /^export const ownerField = "(\w+)";/mu.exec(text)?.[1] ?? null;

export const contract = `/**
 * What a profile is, for API, client and store alike. Tasks import from here and write no name out twice.
 *
 * @typedef {object} Profile  Beside the field that names its user:
 * @property {string} headline  One line, shown beside the address.
 * @property {string} bio  Plain text.
 */

${ownerLines.first}

/** The longest text of each field, in characters. */
export const limits = { headline: 80, bio: 500 };

/** Every field, in the order of the answers. */
export const profileFields = [ownerField, ...Object.keys(limits)];
`;

export const contractTest = `import assert from "node:assert/strict";
import { test } from "node:test";
import { limits, ownerField, profileFields } from "../src/contracts/profile.js";

test("a profile names its user first, then every text that has a limit", () => {
  assert.deepEqual(profileFields, [ownerField, "headline", "bio"]);
  assert.deepEqual(limits, { headline: 80, bio: 500 });
});
`;

export const acceptance = `// What the goal means, from outside. It passes when the parts are wired together, not before.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createApp } from "../src/app.js";
import { createClient } from "../src/client.js";
import { ownerField } from "../src/contracts/profile.js";
import { createStore } from "../src/store.js";

test("a profile that was saved is read back, and names its user", async () => {
  const client = createClient(createApp(createStore()).handle);
  const ann = await client.addUser("ann@example.org");
  await client.saveProfile(ann.id, { headline: "Harbour master", bio: "Keeps the lights on." });
  assert.deepEqual(await client.profile(ann.id), {
    [ownerField]: ann.id,
    headline: "Harbour master",
    bio: "Keeps the lights on.",
  });
});

test("nobody can save a profile for a user who is not there", async () => {
  const client = createClient(createApp(createStore()).handle);
  await assert.rejects(client.saveProfile("u9", { headline: "Ghost", bio: "" }), { code: "no-such-user" });
});
`;

export const intent = `# Profiles: what we want and what we leave

A user can say who they are: one line and a short text. Profiles are read with the user's id and replaced as a whole.

- One profile per user; saving again replaces it.
- Texts have limits (\`src/contracts/profile.js\`); the API refuses what is longer and says so.
- Not now: pictures, links, a history of changes.
`;

/** As agent-1 writes it first: with its own idea of the owner's name, a limit that is off by one and a line to debug. */
export const api = `import { limits } from "./contracts/profile.js";
import { answer, problem } from "./http.js";

/** @returns {import("./http.js").Route[]} */
export const profileRoutes = (store) => [
  {
    method: "GET",
    path: "/users/:id/profile",
    handle: ({ id }) => {
      if (!store.users.get(id)) return noSuchUser(id);
      const profile = store.profiles.get(id);
      return profile ? answer(200, profile) : problem(404, "no-profile", \`User \${id} has no profile yet.\`);
    },
  },
  {
    method: "PUT",
    path: "/users/:id/profile",
    handle: ({ id }, body) => {
      console.log("profile", id, body);
      if (!store.users.get(id)) return noSuchUser(id);
      if (body?.userId !== undefined && body.userId !== id) {
        return problem(400, "other-user", \`This is the profile of user \${id}.\`);
      }
      const texts = {};
      for (const [field, most] of Object.entries(limits)) {
        const text = body?.[field] ?? "";
        if (typeof text !== "string" || text.length >= most) {
          return problem(400, \`invalid-\${field}\`, \`Send \${field} as a text of at most \${most} characters.\`);
        }
        texts[field] = text;
      }
      return answer(200, store.profiles.put({ userId: id, ...texts }));
    },
  },
];

const noSuchUser = (id) => problem(404, "no-such-user", \`There is no user \${id}.\`);
`;

export const apiTest = `import assert from "node:assert/strict";
import { test } from "node:test";
import { profileRoutes } from "../src/profiles.js";

/** A store of two users, as small as the routes allow. */
function routes() {
  const profiles = new Map();
  const store = {
    users: { get: (id) => (["u1", "u2"].includes(id) ? { id } : null) },
    profiles: {
      get: (id) => profiles.get(id) ?? null,
      put: (profile) => {
        profiles.set(profile.userId, profile);
        return profile;
      },
    },
  };
  const [get, put] = profileRoutes(store);
  return { get: (id) => get.handle({ id }), put: (id, body) => put.handle({ id }, body) };
}

test("a profile is saved, answered with its user and read again", () => {
  const { get, put } = routes();
  const ann = { userId: "u1", headline: "Harbour master", bio: "" };
  assert.deepEqual(put("u1", { headline: "Harbour master" }), { status: 200, body: ann });
  assert.deepEqual(get("u1"), { status: 200, body: ann });
});

test("a text may be as long as its limit and no longer", () => {
  const { put } = routes();
  assert.equal(put("u1", { headline: "x".repeat(80), bio: "x".repeat(500) }).status, 200);
  assert.equal(put("u1", { headline: "x".repeat(81) }).body.error.code, "invalid-headline");
  assert.equal(put("u1", { bio: 7 }).body.error.code, "invalid-bio");
});

test("a profile belongs to the user in the path", () => {
  const { get, put } = routes();
  assert.equal(put("u1", { userId: "u2" }).body.error.code, "other-user");
  assert.equal(put("u9", {}).body.error.code, "no-such-user");
  assert.equal(get("u2").body.error.code, "no-profile");
});
`;

export const clientRead = `    profile: (id) => call("GET", \`/users/\${encodeURIComponent(id)}/profile\`),`;
export const clientSave = `    saveProfile: (id, texts) =>
      call("PUT", \`/users/\${encodeURIComponent(id)}/profile\`, { ...texts, [ownerField]: id }),`;
export const clientImport = `import { ownerField } from "./contracts/profile.js";\n\n`;

export const clientTest = `import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "../src/client.js";

/** A client whose requests are kept instead of sent. */
function recorded(answer) {
  const requests = [];
  const client = createClient(async (request) => {
    requests.push(request);
    return answer;
  });
  return { client, requests };
}

test("a profile is asked for by the user's id, whatever it holds", async () => {
  const { client, requests } = recorded({ status: 200, body: { headline: "Harbour master", bio: "" } });
  assert.equal((await client.profile("a/b")).headline, "Harbour master");
  assert.deepEqual(requests, [{ method: "GET", path: "/users/a%2Fb/profile", body: undefined }]);
});
`;

export const clientTestImport = `import { ownerField } from "../src/contracts/profile.js";\n`;
export const clientSaveTest = `
test("a saved profile names its user as the contract says", async () => {
  const { client, requests } = recorded({ status: 200, body: {} });
  await client.saveProfile("u1", { headline: "Harbour master" });
  assert.deepEqual(requests[0].body, { headline: "Harbour master", [ownerField]: "u1" });
});
`;

export const wholeTest = `import assert from "node:assert/strict";
import { test } from "node:test";
import { createApp } from "../src/app.js";
import { createClient } from "../src/client.js";
import { ownerField, profileFields } from "../src/contracts/profile.js";
import { createStore } from "../src/store.js";

test("client, routes and store agree on what a profile is", async () => {
  const client = createClient(createApp(createStore()).handle);
  const ann = await client.addUser("ann@example.org");
  const saved = await client.saveProfile(ann.id, { headline: "Harbour master", bio: "Keeps the lights on." });
  assert.deepEqual(Object.keys(saved), profileFields);
  assert.equal(saved[ownerField], ann.id);
  assert.deepEqual(await client.profile(ann.id), saved);
});

test("a user without a profile is told apart from no user", async () => {
  const client = createClient(createApp(createStore()).handle);
  const ann = await client.addUser("ann@example.org");
  await assert.rejects(client.profile(ann.id), { code: "no-profile" });
  await assert.rejects(client.profile("u9"), { code: "no-such-user" });
});
`;

export const readmeRows = `| \`GET /users/:id/profile\` | the user's profile, or 404 |
| \`PUT /users/:id/profile\` with \`{headline, bio}\` | the profile as saved |
`;
