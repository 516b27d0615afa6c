/** Code that the scripted agents of the rehearsal "profiles" write. It really runs: see the checks of the example. */
import { writtenFile } from "./written-files.ts";

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

/** The placeholder in the contract, and the two names that are asked about. */
export const undecided = "user";
export type OwnerName = "user_id" | "userId";

const ownerLine = (name: string): string => `export const ownerField = "${name}";`;

/** The lines about the owner's field that replace those of the contract: a comment and the line under it. */
export const ownerLines = {
  agent: `/** The field that names the user of a profile. The API speaks camel case. */\n${ownerLine("userId")}`,
  decided: (name: OwnerName): string =>
    `/** The field that names the user of a profile, on the wire and in storage. Decided for all. */\n${ownerLine(name)}`,
};

/** The comment and line in a text by any author; at least the line; or null. */
export const ownerLinesIn = (text: string): string | null =>
  (/^\/\*\* The field that names[^\n]*\*\/\nexport const ownerField = "\w+";/mu.exec(text) ??
    /^export const ownerField = "\w+";/mu.exec(text))?.[0] ?? null;

export const ownerNameIn = (text: string): string | null =>
  /^export const ownerField = "(\w+)";/mu.exec(text)?.[1] ?? null;

export const contract = writtenFile("profiles", paths.contract);
export const contractTest = writtenFile("profiles", paths.contractTest);
export const acceptance = writtenFile("profiles", paths.acceptance);
export const intent = writtenFile("profiles", paths.intent);

/** As agent-1 writes it first: with its own idea of the owner's name, a limit that is off by one and a line to debug. */
export const api = writtenFile("profiles", paths.api);
export const apiTest = writtenFile("profiles", paths.apiTest);

export const clientRead = `    profile: (id) => call("GET", \`/users/\${encodeURIComponent(id)}/profile\`),`;
export const clientSave = `    saveProfile: (id, texts) =>
      call("PUT", \`/users/\${encodeURIComponent(id)}/profile\`, { ...texts, [ownerField]: id }),`;
export const clientImport = `import { ownerField } from "./contracts/profile.js";\n\n`;

export const clientTest = writtenFile("profiles", paths.clientTest);

export const clientTestImport = `import { ownerField } from "../src/contracts/profile.js";\n`;
export const clientSaveTest = `
test("a saved profile names its user as the contract says", async () => {
  const { client, requests } = recorded({ status: 200, body: {} });
  await client.saveProfile("u1", { headline: "Harbour master" });
  assert.deepEqual(requests[0].body, { headline: "Harbour master", [ownerField]: "u1" });
});
`;

export const wholeTest = writtenFile("profiles", paths.wholeTest);

export const readmeRows = `| \`GET /users/:id/profile\` | the user's profile, or 404 |
| \`PUT /users/:id/profile\` with \`{headline, bio}\` | the profile as saved |
`;

/** What the store's agent of the profiles rehearsal writes. */
export const storeImport = `import { ownerField } from "./contracts/profile.js";\n`;
export const storeTable = `  const profiles = table(folder, "profiles");\n`;
export const storeFirst = `    profiles: {
      get: (id) => profiles.find((profile) => profile[ownerField] === id),
      put: (profile) => profiles.add(profile),
    },
`;
export const storePut = {
  before: "      put: (profile) => profiles.add(profile),\n",
  after: "      put: (profile) => profiles.put((row) => row[ownerField] === profile[ownerField], profile),\n",
};
export const tablePut = `    put: (fits, row) => {
      const place = rows.findIndex(fits);
      if (place < 0) rows.push(row);
      else rows[place] = row;
      save();
      return { ...row };
    },
`;

/** The line of it that a review finds: the caller's object becomes the row. */
export const keptAsGiven = "      else rows[place] = row;";
export const tableKeepsCopies = (source: string): string =>
  source
    .replace("      if (place < 0) rows.push(row);\n", "      if (place < 0) rows.push({ ...row });\n")
    .replace(keptAsGiven, "      else rows[place] = { ...row };");
export const storeCopyTest = `
test("what is put is kept as it was then, whatever becomes of the object", () => {
  const { profiles } = createStore();
  const mine = profile("Harbour master");
  profiles.put(mine);
  profiles.put(mine);
  mine.headline = "Changed by accident";
  assert.equal(profiles.get("u1").headline, "Harbour master");
});
`;

export const storeTest = writtenFile("profiles", paths.storeTest);
