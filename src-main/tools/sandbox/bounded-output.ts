import { StringDecoder } from "node:string_decoder";
import { endOf, startOf } from "#shared/domain/text/cut-text.ts";
import type { Redactor } from "../redact.ts";
import { OutputLog } from "./output-log.ts";

const headSize = 12_000;
const tailSize = 12_000;

/** Head and tail of a stream of bytes: escapes removed, secrets hidden, memory bounded however much comes. */
export class BoundedOutput {
  readonly #decoder = new StringDecoder("utf8");
  readonly #redaction: ReturnType<Redactor["stream"]>;
  readonly #onText: ((text: string) => void) | undefined;
  #escape = "";
  #head = "";
  #tail = "";
  #left = 0;
  #bytes = 0;
  readonly #log: OutputLog | null;

  /** `logFolder` keeps the whole of an output that is too long for the record. */
  constructor(redactor: Redactor, onText: ((text: string) => void) | undefined, logFolder?: string) {
    this.#redaction = redactor.stream();
    this.#onText = onText;
    this.#log = logFolder === undefined ? null : new OutputLog(logFolder);
  }

  /** Path of the log, once there is one. */
  get log(): string | null {
    return this.#log?.path ?? null;
  }

  get bytes(): number {
    return this.#bytes;
  }

  push(chunk: Buffer): void {
    this.#bytes += chunk.length;
    this.#add(this.#redaction.push(this.#plain(this.#decoder.write(chunk))));
  }

  end(): string {
    this.#add(this.#redaction.push(this.#plain(this.#decoder.end())) + this.#redaction.end());
    this.#log?.close();
    if (this.#left === 0) return this.#head + this.#tail;
    return `${this.#head}\n… ${this.#left} characters left out (${this.#bytes} bytes in all) …\n${this.#tail}`;
  }

  #add(text: string): void {
    if (text === "") return;
    // All of it: a report of tests stands at the end of what they print.
    this.#onText?.(text);
    if (this.#log?.path) this.#log.append(text);
    // Once something came after it the head is closed, also where a sign did not fit into what was left of it.
    const head = this.#tail === "" ? startOf(text, headSize - this.#head.length) : "";
    this.#head += head;
    this.#tail += text.slice(head.length);
    if (this.#tail.length > tailSize * 2) this.#shorten();
  }

  #shorten(): void {
    if (this.#log && !this.#log.path) this.#log.append(this.#head + this.#tail);
    const kept = endOf(this.#tail, tailSize);
    this.#left += this.#tail.length - kept.length;
    this.#tail = kept;
  }

  /** Removes terminal control; an escape that is cut at the end of a chunk waits for the rest. */
  #plain(text: string): string {
    const all = this.#escape + text;
    this.#escape = "";
    const open = openEscape.exec(all);
    const cut = open && open[0].length < 4096 ? open.index : all.length;
    this.#escape = all.slice(cut);
    return withoutEscapes(all.slice(0, cut));
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is being removed
const openEscape = /\u001b(?:\[[0-?]*[ -/]*|[\]PX^_][^\u0007\u001b]*\u001b?)?$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is being removed
const escapes = /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)|[ -/]*[0-~])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is being removed
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|[\u202a-\u202e\u2066-\u2069]/g;

const withoutEscapes = (text: string): string =>
  text.replace(escapes, "").replace(/\r\n?/g, "\n").replace(controls, "");
