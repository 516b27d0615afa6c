/** An answer that was not a success. */
export class HarbourError extends Error {
  constructor(status, { code, message }) {
    super(message);
    this.name = "HarbourError";
    this.status = status;
    this.code = code;
  }
}

/**
 * @param {(request: import("./http.js").Request) => Promise<import("./http.js").Answer>} send
 */
export function createClient(send) {
  const call = async (method, path, body) => {
    const { status, body: content } = await send({ method, path, body });
    if (status >= 400) throw new HarbourError(status, content.error);
    return content;
  };
  return {
    users: () => call("GET", "/users"),
    user: (id) => call("GET", `/users/${encodeURIComponent(id)}`),
    addUser: (email) => call("POST", "/users", { email }),
    profile: (id) => call("GET", `/users/${encodeURIComponent(id)}/profile`),
  };
}

/** A `send` over the network. */
export const overHttp = (baseUrl) => async ({ method, path, body }) => {
  const response = await fetch(new URL(path, baseUrl), {
    method,
    headers: { "content-type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
};
