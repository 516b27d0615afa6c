/** Which programs open a place of a change, and with which arguments. Plain data: nothing here starts anything. */

/** What a place is opened in. */
export const openerKinds = ["editor", "terminal", "files"] as const;
export type OpenerKind = (typeof openerKinds)[number];

/** A known program with its arguments; `{path}`, `{folder}`, `{line}` and `{column}` are placeholders. */
export interface Opener {
  readonly name: string;
  /** Its program and arguments as in the settings. */
  readonly command: string;
}

/** A file or a folder on the machine of the host. */
export interface Place {
  /** Absolute. */
  readonly path: string;
  /** The path if it is a folder, else its parent. Absolute. */
  readonly folder: string;
  /** From 1 on; null: none is meant, as of a folder. */
  readonly line: number | null;
}

const editors: readonly Opener[] = [
  { name: "Visual Studio Code", command: "code --goto {path}:{line}:{column}" },
  { name: "Cursor", command: "cursor --goto {path}:{line}:{column}" },
  { name: "VSCodium", command: "codium --goto {path}:{line}:{column}" },
  { name: "Zed", command: "zed {path}:{line}:{column}" },
  { name: "Zed (zeditor)", command: "zeditor {path}:{line}:{column}" },
  { name: "Sublime Text", command: "subl {path}:{line}:{column}" },
  { name: "IntelliJ IDEA", command: "idea --line {line} --column {column} {path}" },
  { name: "PyCharm", command: "pycharm --line {line} --column {column} {path}" },
  { name: "WebStorm", command: "webstorm --line {line} --column {column} {path}" },
  { name: "Emacs", command: "emacsclient -n +{line}:{column} {path}" },
];

// No editor "of the system" on Linux: what opens any file there may start what the file asks for.
const byPlatform: Readonly<
  Record<"linux" | "darwin" | "win32", Readonly<Record<OpenerKind, readonly Opener[]>>>
> = {
  linux: {
    editor: [
      ...editors,
      { name: "Kate", command: "kate --line {line} --column {column} {path}" },
      { name: "Text Editor", command: "gnome-text-editor {path}" },
      { name: "gedit", command: "gedit +{line}:{column} {path}" },
    ],
    terminal: [
      { name: "Ghostty", command: "ghostty --working-directory={folder}" },
      { name: "kitty", command: "kitty --directory {folder}" },
      { name: "Alacritty", command: "alacritty --working-directory {folder}" },
      { name: "WezTerm", command: "wezterm start --cwd {folder}" },
      { name: "GNOME Terminal", command: "gnome-terminal --working-directory={folder}" },
      { name: "Konsole", command: "konsole --workdir {folder}" },
      { name: "Xfce Terminal", command: "xfce4-terminal --working-directory={folder}" },
      // They begin in the folder in which they are started.
      { name: "System terminal", command: "x-terminal-emulator" },
      { name: "xterm", command: "xterm" },
    ],
    files: [{ name: "Files", command: "xdg-open {folder}" }],
  },
  darwin: {
    editor: [...editors, { name: "TextEdit", command: "open -t {path}" }],
    terminal: [
      { name: "Terminal", command: "open -a Terminal {folder}" },
      { name: "iTerm", command: "open -a iTerm {folder}" },
      { name: "Ghostty", command: "open -a Ghostty {folder}" },
      { name: "kitty", command: "kitty --directory {folder}" },
      { name: "Alacritty", command: "alacritty --working-directory {folder}" },
      { name: "WezTerm", command: "wezterm start --cwd {folder}" },
    ],
    files: [{ name: "Finder", command: "open {folder}" }],
  },
  win32: {
    editor: [
      { name: "Visual Studio Code", command: "Code.exe --goto {path}:{line}:{column}" },
      { name: "Sublime Text", command: "subl.exe {path}:{line}:{column}" },
      { name: "Notepad", command: "notepad.exe {path}" },
    ],
    terminal: [
      { name: "Windows Terminal", command: "wt.exe -d {folder}" },
      { name: "PowerShell", command: "powershell.exe -NoExit" },
    ],
    files: [{ name: "Explorer", command: "explorer.exe {folder}" }],
  },
};

/** The programs known on a platform, the first one first. @param platform as Node names it; unknown ones are taken for Linux */
export const openersOn = (platform: string): Readonly<Record<OpenerKind, readonly Opener[]>> =>
  platform === "darwin" || platform === "win32" ? byPlatform[platform] : byPlatform.linux;

/**
 * The arguments of a command for one path. No shell parses them: a path stays one argument. Without a line
 * the part with its placeholder is left out (`:{line}`), or it is the first.
 *
 * @param words the program and its arguments
 */
export function argumentsFor(words: readonly string[], { path, folder, line }: Place): readonly string[] {
  const hasLine = line !== null;
  const filled = words.map((word, index) => {
    if (index === 0) return word;
    const shortened = hasLine ? word : word.replace(/[:+]\{line\}(?::\{column\})?|:\{column\}/gu, "");
    return shortened.replace(/\{(path|folder|line|column)\}/gu, (_, name: string) =>
      name === "path" ? path : name === "folder" ? folder : name === "line" ? String(line ?? 1) : "1",
    );
  });
  // Drops an argument that was only `+{line}` and is empty now.
  return filled.filter((word, index) => index === 0 || word !== "" || words[index] === "");
}
