import { limits } from "./contracts/profile.js";
import { answer, problem } from "./http.js";

/** @returns {import("./http.js").Route[]} */
export const profileRoutes = (store) => [
  {
    method: "GET",
    path: "/users/:id/profile",
    handle: ({ id }) => {
      if (!store.users.get(id)) return noSuchUser(id);
      const profile = store.profiles.get(id);
      return profile ? answer(200, profile) : problem(404, "no-profile", `User ${id} has no profile yet.`);
    },
  },
  {
    method: "PUT",
    path: "/users/:id/profile",
    handle: ({ id }, body) => {
      console.log("profile", id, body);
      if (!store.users.get(id)) return noSuchUser(id);
      if (body?.userId !== undefined && body.userId !== id) {
        return problem(400, "other-user", `This is the profile of user ${id}.`);
      }
      const texts = {};
      for (const [field, most] of Object.entries(limits)) {
        const text = body?.[field] ?? "";
        if (typeof text !== "string" || text.length >= most) {
          return problem(400, `invalid-${field}`, `Send ${field} as a text of at most ${most} characters.`);
        }
        texts[field] = text;
      }
      return answer(200, store.profiles.put({ userId: id, ...texts }));
    },
  },
];

const noSuchUser = (id) => problem(404, "no-such-user", `There is no user ${id}.`);
