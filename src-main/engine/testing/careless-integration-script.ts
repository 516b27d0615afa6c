/** Tasks whose work is thrown away by an integrator, or by each other. */
import type { Scene, Script } from "../../model/stand-in/script.ts";
import { call, scriptOf, works } from "./merge-request-script.ts";
import { done, write } from "./three-agents-script.ts";

const api = "export const route = '/users';\nexport const method = 'GET';\n";
const apiTest = 'test("routes users", () => {\n  expect(route).toBe("/users");\n});\n';

/**
 * Two tasks, and an integrator that throws the work of one away and brings back half of it when it is asked.
 * @param seats what the seats say; default: they approve
 */
export const carelessIntegration = (seats: Readonly<Record<string, readonly Scene[]>> = {}): Script =>
  scriptOf({
    "agent-1": works(write("src/store.ts", "export const users = [];\n"), done("The store keeps users.")),
    "agent-2": works(
      write("src/api.ts", api),
      write("src/api.test.ts", apiTest),
      done("The API has a test."),
    ),
    integrator: [
      {
        name: "brings back half",
        prompt: "The user returned the result before it landed",
        steps: [write("src/api.ts", api), done("The API is back.")],
      },
      {
        name: "throws one away",
        steps: [call("run_command", { command: "rm src/api.ts src/api.test.ts" }), done("All is together.")],
      },
    ],
    ...seats,
  });

export const oldApi = "export const path = '/user';\nexport const verb = 'POST';\n";

/**
 * The first task adds one file and deletes another one. The second task asks, and when the first one was merged and it is
 * answered, it removes that file; the integrator restores the other.
 */
export const undoneByOthers = (): Script =>
  scriptOf(
    {
      "agent-1": works(
        write("src/api.ts", api),
        call("run_command", { command: "rm src/old.ts" }),
        done("The API replaces the old one."),
      ),
      "agent-2": [
        {
          name: "removes",
          prompt: /Go on\./u,
          steps: [
            call("run_command", { command: "rm src/api.ts" }),
            write("src/store.ts", "export const users = [];\n"),
            done("The store keeps users."),
          ],
        },
        {
          name: "asks",
          steps: [call("align_request", { question: "Go on?", options: ["yes"], blocking: true })],
        },
      ],
      integrator: works(write("src/old.ts", oldApi), done("All is together.")),
    },
    [
      {
        name: "asks the user",
        prompt: /^\[EVENT align-request\]/,
        steps: [call("ask_user", { question: "Shall it go on?", options: ["Go on"] })],
      },
      {
        name: "answers",
        prompt: /^\[EVENT user answered\]/,
        steps: [call("answer_agent", { agent: "agent-2", answer: "Go on." })],
      },
    ],
  );
