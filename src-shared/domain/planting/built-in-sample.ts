/**
 * A small commit for the kinds of mistakes that a person's own has no place for. Its figures are marked: how a panel judges
 * code that it finds easy says less of the code at hand.
 */
export interface SampleProject {
  readonly description: string;
  /** What was there before. */
  readonly base: Readonly<Record<string, string>>;
  /** What the commit brought. */
  readonly files: Readonly<Record<string, string>>;
}

const retry = `/** Waits so long before a call is made again, and twice as long each time after. */
const firstDelayMs = 200;
const longestDelayMs = 30_000;

/**
 * Calls something that may fail until it succeeds.
 *
 * @param attempts how often at most; at least once
 * @throws what the last attempt threw
 */
export async function withRetry(call, { attempts, sleep, report }) {
  if (!Number.isInteger(attempts)) throw new RangeError("attempts is no whole number");
  if (attempts < 1) throw new RangeError("attempts has to be 1 or more");
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    try {
      return await call(attempt);
    } catch (error) {
      if (attempt >= attempts) throw error;
      report({ attempt, error });
    }
    await sleep(delayAfter(attempt));
  }
}

/** Milliseconds before the next attempt. */
export function delayAfter(attempt) {
  const delay = firstDelayMs * 2 ** (attempt - 1);
  return delay <= longestDelayMs ? delay : longestDelayMs;
}

/** What a server asks for, in milliseconds; it says seconds. */
export function askedDelay(header) {
  const seconds = Number(header);
  if (Number.isNaN(seconds)) return null;
  return Math.min(seconds * 1000, longestDelayMs);
}
`;

const fetchJson = `import { askedDelay, withRetry } from "./retry.js";

/**
 * Reads JSON from a server, again where it is busy.
 *
 * @throws Error with the status where the server refuses
 */
export async function fetchJson(url, { request, sleep, report }) {
  return withRetry(
    async () => {
      const response = await request(url);
      if (response.status === 503) {
        await sleep(askedDelay(response.headers["retry-after"]) ?? 0);
      }
      if (response.status >= 400) {
        throw new Error(\`\${url} answered \${response.status}\`);
      }
      try {
        return JSON.parse(response.body);
      } catch (error) {
        throw new Error(\`\${url} answered no JSON\`, { cause: error });
      }
    },
    { attempts: 3, sleep, report },
  );
}
`;

const tests = `import assert from "node:assert/strict";
import { test } from "node:test";
import { askedDelay, delayAfter, withRetry } from "../src/retry.js";

const asked = (fails) => {
  const slept = [];
  const call = async (attempt) => {
    if (attempt <= fails) throw new Error(\`attempt \${attempt}\`);
    return attempt;
  };
  return { call, slept, options: { attempts: 3, sleep: async (ms) => slept.push(ms), report: () => undefined } };
};

test("calls until it succeeds", async () => {
  const { call, slept, options } = asked(2);
  assert.equal(await withRetry(call, options), 3);
  assert.deepEqual(slept, [200, 400]);
});

test("throws what the last attempt threw", async () => {
  const { call, options } = asked(3);
  await assert.rejects(withRetry(call, options), /attempt 3/);
});

test("refuses to try less than once", async () => {
  const { call, options } = asked(0);
  await assert.rejects(withRetry(call, { ...options, attempts: 0 }), RangeError);
});

test("never waits longer than half a minute", () => {
  assert.equal(delayAfter(1), 200);
  assert.equal(delayAfter(20), 30_000);
});

test("takes the seconds of a server for what they are", () => {
  assert.equal(askedDelay("2"), 2_000);
  assert.equal(askedDelay("soon"), null);
});
`;

export const builtInSample: SampleProject = {
  description:
    "Ask a busy server again\n\nA call that fails is made again, at most three times, after 0.2 s and then twice as long each time, never longer than 30 s. What the server asks for in Retry-After holds. The last error is thrown.",
  base: {
    "package.json": `${JSON.stringify({ name: "weather", type: "module", private: true, scripts: { test: "node --test" } }, null, 2)}\n`,
    "README.md": "# Weather\n\nReads the weather from a server.\n",
    "src/fetch-json.js":
      "/** Reads JSON from a server. */\nexport async function fetchJson(url, { request }) {\n  const response = await request(url);\n  return JSON.parse(response.body);\n}\n",
  },
  files: { "src/retry.js": retry, "src/fetch-json.js": fetchJson, "test/retry.test.js": tests },
};
