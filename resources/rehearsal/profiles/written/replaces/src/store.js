import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ownerField } from "./contracts/profile.js";

/**
 * Rows in memory, and in one JSON file per table when a folder is given.
 * A file is replaced in one step, so a crash leaves the old rows or the new ones.
 */
export function createStore({ folder = null, now = () => new Date(), newId = counter() } = {}) {
  const users = table(folder, "users");
  const profiles = table(folder, "profiles");
  return {
    users: {
      list: () => users.all(),
      get: (id) => users.find((user) => user.id === id),
      add: ({ email }) => users.add({ id: newId(), email, created_at: now().toISOString() }),
    },
    profiles: {
      get: (id) => profiles.find((profile) => profile[ownerField] === id),
      put: (profile) => profiles.put((row) => row[ownerField] === profile[ownerField], profile),
    },
  };
}

function table(folder, name) {
  const path = folder === null ? null : join(folder, `${name}.json`);
  const rows = path !== null && existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : [];
  const save = () => {
    if (path === null) return;
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${path}.new`, `${JSON.stringify(rows, null, 2)}\n`);
    renameSync(`${path}.new`, path);
  };
  return {
    all: () => rows.map((row) => ({ ...row })),
    find: (fits) => {
      const row = rows.find(fits);
      return row ? { ...row } : null;
    },
    put: (fits, row) => {
      const place = rows.findIndex(fits);
      if (place < 0) rows.push(row);
      else rows[place] = row;
      save();
      return { ...row };
    },
    add: (row) => {
      rows.push(row);
      save();
      return { ...row };
    },
  };
}

function counter() {
  let last = 0;
  return () => `u${++last}`;
}
