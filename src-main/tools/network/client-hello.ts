/** What the beginning of a connection is, as far as it has come. */
export type ClientHello =
  | { readonly kind: "incomplete" }
  | { readonly kind: "not-tls" }
  /** A second, encrypted name hides behind the one in the clear. */
  | { readonly kind: "hidden-name" }
  /** `serverName` as the client wrote it; null: none. */
  | { readonly kind: "hello"; readonly serverName: string | null };

/** More than any client sends; beyond it the connection is abuse. */
export const maxClientHelloBytes = 16 * 1024;
const maxRecords = 16;

const notTls = { kind: "not-tls" } as const;
const handshakeRecord = 22;
const clientHelloMessage = 1;
const serverNameExtension = 0;
/** Encrypted Client Hello and the draft before it. A made-up one ("GREASE") looks the same, as it is meant to. */
const hidingExtensions: readonly number[] = [0xfe0d, 0xffce];

/** Thrown by `Reader` where a length leads beyond what holds it. */
class OutOfBounds extends Error {
  override readonly name = "OutOfBounds";
}

/** Reads the name in a TLS ClientHello (RFC 8446, RFC 6066), also one in several records, with every length checked. */
export function readClientHello(bytes: Uint8Array): ClientHello {
  const message = handshakeMessage(bytes);
  if (message === "incomplete") return bytes.length > maxClientHelloBytes ? notTls : { kind: "incomplete" };
  if (message === null) return notTls;
  try {
    return readExtensions(message);
  } catch (error) {
    if (error instanceof OutOfBounds) return notTls;
    throw error;
  }
}

/** The body of the first handshake message, put together from the records that it is in; null: there is none. */
function handshakeMessage(bytes: Uint8Array): Uint8Array | "incomplete" | null {
  let message: Uint8Array = new Uint8Array();
  let at = 0;
  for (let record = 0; record < maxRecords; record += 1) {
    const [type = handshakeRecord, major = 3, minor = 0, high = 0, low] = bytes.subarray(at, at + 5);
    if (type !== handshakeRecord || major !== 3 || minor > 4 || high > 0x40) return null;
    if (low === undefined) return "incomplete";
    const length = high * 256 + low;
    if (length === 0) return null;
    if (at + 5 + length > bytes.length) return "incomplete";
    message = Buffer.concat([message, bytes.subarray(at + 5, at + 5 + length)]);
    at += 5 + length;
    if (message[0] !== clientHelloMessage) return null;
    const [, a, b = 0, c] = message;
    if (a === undefined || c === undefined) continue;
    const whole = 4 + a * 65_536 + b * 256 + c;
    // Nothing may follow in the same record: what is sent on is exactly what was read.
    if (whole > maxClientHelloBytes || message.length > whole) return null;
    if (message.length === whole) return message.subarray(4);
  }
  return null;
}

function readExtensions(message: Uint8Array): ClientHello {
  const hello = new Reader(message);
  hello.take(2 + 32);
  hello.vector(1);
  hello.vector(2);
  hello.vector(1);
  // Before TLS 1.2 there may be none.
  if (hello.isAtEnd) return { kind: "hello", serverName: null };
  const extensions = hello.vector(2);
  if (!hello.isAtEnd) return notTls;
  const seen = new Set<number>();
  let serverName: string | null = null;
  let isHiding = false;
  while (!extensions.isAtEnd) {
    const type = extensions.number(2);
    const body = extensions.vector(2);
    if (seen.has(type)) return notTls;
    seen.add(type);
    if (hidingExtensions.includes(type)) isHiding = true;
    if (type === serverNameExtension) {
      const names = body.vector(2);
      const kind = names.number(1);
      serverName = Buffer.from(names.vector(2).rest).toString("latin1");
      if (kind !== 0 || !names.isAtEnd || !body.isAtEnd || serverName === "") return notTls;
    }
  }
  return isHiding ? { kind: "hidden-name" } : { kind: "hello", serverName };
}

class Reader {
  #at = 0;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  get rest(): Uint8Array {
    return this.#bytes.subarray(this.#at);
  }

  take(length: number): Uint8Array {
    if (this.#at + length > this.#bytes.length) throw new OutOfBounds();
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  number(size: number): number {
    return this.take(size).reduce((value, byte) => value * 256 + byte, 0);
  }

  /** Something that begins with its length. */
  vector(size: number): Reader {
    return new Reader(this.take(this.number(size)));
  }
}
