/** A ClientHello of our own with these extensions. */
export function helloWith(...extensions: readonly (readonly [number, Buffer])[]): Buffer {
  const u16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255]);
  const list = Buffer.concat(extensions.flatMap(([type, body]) => [u16(type), u16(body.length), body]));
  const body = Buffer.concat([
    ...[Buffer.from([3, 3]), Buffer.alloc(32), Buffer.from([0]), u16(2), u16(0x1301), Buffer.from([1, 0])],
    ...[u16(list.length), list],
  ]);
  const message = Buffer.concat([Buffer.from([1, 0]), u16(body.length), body]);
  return Buffer.concat([Buffer.from([22, 3, 1]), u16(message.length), message]);
}

/** The extension's body: a list of names, each with its kind (0 is a host). */
export const serverNames = (...names: readonly (readonly [number, string])[]): Buffer => {
  const list = Buffer.concat(
    names.map(([kind, name]) =>
      Buffer.concat([Buffer.from([kind, name.length >> 8, name.length & 255]), Buffer.from(name, "latin1")]),
    ),
  );
  return Buffer.concat([Buffer.from([list.length >> 8, list.length & 255]), list]);
};
