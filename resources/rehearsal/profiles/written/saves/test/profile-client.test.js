import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "../src/client.js";
import { ownerField } from "../src/contracts/profile.js";

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

test("a saved profile names its user as the contract says", async () => {
  const { client, requests } = recorded({ status: 200, body: {} });
  await client.saveProfile("u1", { headline: "Harbour master" });
  assert.deepEqual(requests[0].body, { headline: "Harbour master", [ownerField]: "u1" });
});
