type Present<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Leaves out keys that a client sent as undefined: inside the host a key is there, or it is not. */
export function present<T extends object>(value: T): Present<T> {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as Present<T>;
}
