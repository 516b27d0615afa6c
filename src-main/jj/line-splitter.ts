import { StringDecoder } from "node:string_decoder";

/** Cuts bytes as they come into lines, without their newlines. */
export interface LineSplitter {
  /** @returns false when enough was heard */
  write(bytes: Uint8Array): boolean;
  /** What came after the last newline is a line too. */
  end(): void;
}

/**
 * Makes a splitter of one output.
 * @param onLine answers `false` when it has heard enough; nothing is told to it afterwards
 */
export function createLineSplitter(onLine: (line: string) => boolean | undefined): LineSplitter {
  const decoder = new StringDecoder("utf8");
  // Pieces of a line that has not ended: joined once, or a file of one endless line would be searched anew with every
  // chunk.
  let pieces: string[] = [];
  let isEnough = false;
  return {
    write(bytes) {
      const text = decoder.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      let from = 0;
      for (let to = text.indexOf("\n"); to >= 0 && !isEnough; to = text.indexOf("\n", from)) {
        isEnough = onLine(pieces.join("") + text.slice(from, to)) === false;
        pieces = [];
        from = to + 1;
      }
      pieces.push(text.slice(from));
      return !isEnough;
    },
    end() {
      const last = pieces.join("") + decoder.end();
      if (!isEnough && last !== "") onLine(last);
    },
  };
}
