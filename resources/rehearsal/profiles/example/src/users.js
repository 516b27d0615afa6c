import { answer, problem } from "./http.js";

/** @returns {import("./http.js").Route[]} */
export const userRoutes = (store) => [
  {
    method: "GET",
    path: "/users",
    handle: () => answer(200, store.users.list()),
  },
  {
    method: "POST",
    path: "/users",
    handle: (_params, body) => {
      const email = typeof body?.email === "string" ? body.email.trim() : "";
      if (!/^\S+@\S+$/.test(email)) return problem(400, "invalid-email", "Send an e-mail address as `email`.");
      if (store.users.list().some((user) => user.email === email)) {
        return problem(409, "email-taken", `There is a user with the address ${email} already.`);
      }
      return answer(201, store.users.add({ email }));
    },
  },
  {
    method: "GET",
    path: "/users/:id",
    handle: ({ id }) => {
      const user = store.users.get(id);
      return user ? answer(200, user) : problem(404, "no-such-user", `There is no user ${id}.`);
    },
  },
];
