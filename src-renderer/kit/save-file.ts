/** Hands a text to the user as a file: a browser puts it among the downloads, Electron asks where. */
export function saveFile(name: string, type: string, content: BlobPart): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The download has begun with the click; a large one is read by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** Of more arguments at once a call runs out of room. */
const argumentsAtOnce = 8_192;

export async function toBase64(content: Blob): Promise<string> {
  const bytes = new Uint8Array(await content.arrayBuffer());
  let binary = "";
  for (let from = 0; from < bytes.length; from += argumentsAtOnce)
    binary += String.fromCharCode(...bytes.subarray(from, from + argumentsAtOnce));
  return btoa(binary);
}
