/** One length-delimited field of a message. Numbers and the like are passed over: nothing that is read here is one. */
export interface Field {
  readonly field: number;
  readonly bytes: Buffer;
}

const wire = { number: 0, eight: 1, bytes: 2, four: 5 } as const;

/**
 * The fields of a protobuf message that hold bytes, texts or messages, in the order in which they stand.
 * @throws RangeError when it is no such message
 */
export function fieldsOf(message: Buffer): readonly Field[] {
  const fields: Field[] = [];
  let at = 0;
  const number = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 0x80) {
      const group = message.readUInt8(at++);
      value += (group & 0x7f) * factor;
      if (group < 0x80) return value;
    }
  };
  while (at < message.length) {
    const key = number();
    const kind = key % 8;
    if (kind === wire.number) number();
    else if (kind === wire.eight) at += 8;
    else if (kind === wire.four) at += 4;
    else if (kind === wire.bytes) {
      const length = number();
      if (at + length > message.length) throw new RangeError("A field is longer than its message.");
      fields.push({ field: Math.floor(key / 8), bytes: message.subarray(at, at + length) });
      at += length;
    } else throw new RangeError(`A field is of the unknown kind ${kind}.`);
  }
  return fields;
}

/** A text field. */
export const textOf = (bytes: Buffer): string => bytes.toString("utf8");
