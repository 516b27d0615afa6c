import { matchPath, problem } from "./http.js";
import { userRoutes } from "./users.js";

/** Every route of the service. */
const routes = (store) => [...userRoutes(store)];

/** Turns requests into answers; a socket, a test or the client may call it. */
export function createApp(store) {
  const table = routes(store);
  return {
    /** @param {import("./http.js").Request} request @returns {Promise<import("./http.js").Answer>} */
    async handle({ method, path, body }) {
      const fitting = table.flatMap((route) => {
        const params = matchPath(route.path, path);
        return params ? [{ route, params }] : [];
      });
      if (fitting.length === 0) return problem(404, "no-such-path", `There is nothing at ${path}.`);
      const found = fitting.find(({ route }) => route.method === method);
      if (!found) return problem(405, "method-not-allowed", `${method} is not possible at ${path}.`);
      return found.route.handle(found.params, body);
    },
  };
}
