/** One import of a Python file: `from ..a.b import c, d` is level 2, module "a.b", names c and d. */
export interface PythonImport {
  /** Dots before the name; 0 is an absolute import. */
  readonly level: number;
  /** Dotted name after the dots; may be empty: `from . import x`. */
  readonly module: string;
  /** What is taken from the module; each may be a module itself. Empty for `import a.b` and `from a import *`. */
  readonly names: readonly string[];
}

/** One item of a Rust file that names another module. */
export type RustImport =
  | {
      readonly kind: "use";
      /** Segments as written: `crate`, `self`, `super` and names; an empty first one is a leading `::`. */
      readonly path: readonly string[];
      /** Inline modules around it, outermost first. */
      readonly within: readonly string[];
    }
  | {
      readonly kind: "mod";
      readonly name: string;
      /** Of `#[path = "…"]`, else null. */
      readonly file: string | null;
      readonly within: readonly string[];
    };

/** What one source file names of others, as written: no path has been looked for yet. */
export type FileImports =
  | { readonly language: "JavaScript"; readonly specifiers: readonly string[] }
  | { readonly language: "Python"; readonly imports: readonly PythonImport[] }
  | { readonly language: "Rust"; readonly items: readonly RustImport[] };
