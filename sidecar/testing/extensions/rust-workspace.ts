/**
 * Small Rust workspace in a temporary folder: the library `alpha`, with one failing test, and the program `beta`, which
 * depends on it. A real cargo builds it in a second or two without a registry.
 */
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import { temporaryFolder } from "../drive";

const member = (name: string, dependencies = ""): string =>
  `[package]\nname = "${name}"\nversion = "0.1.0"\nedition = "2021"\n\n[lib]\ndoctest = false\n\n[dependencies]\n${dependencies}`;

export const RUST_FILES: Readonly<Record<string, string>> = {
  "Cargo.toml": `[workspace]\nmembers = ["alpha", "beta"]\nresolver = "2"\n\n[profile.dev]\ndebug = false\n`,
  "alpha/Cargo.toml": member("alpha"),
  "alpha/src/lib.rs": `pub fn add(a: i32, b: i32) -> i32 {
    a + b
}

#[cfg(test)]
mod tests {
    #[test]
    fn adds() {
        assert_eq!(super::add(1, 2), 3);
    }

    #[test]
    fn adds_wrongly() {
        println!("about to add");
        assert_eq!(super::add(1, 2), 4, "one and two");
    }
}
`,
  "beta/Cargo.toml": member("beta", `alpha = { path = "../alpha" }\n`).replace("[lib]\ndoctest = false\n\n", ""),
  "beta/src/main.rs": `fn main() {
    let words: Vec<String> = std::env::args().collect();
    println!("{} {:?}", alpha::add(1, 2), &words[1..]);
    eprintln!("to stderr");
    if words.get(1).map(String::as_str) == Some("forever") {
        loop { std::thread::sleep(std::time::Duration::from_secs(1)); }
    }
    std::process::exit(words.len() as i32 - 1);
}
`,
};

export class RustWorkspace implements Disposable {
  readonly #folder = temporaryFolder();

  /** `files`: adds to or replaces `RUST_FILES`. */
  constructor(files: Readonly<Record<string, string>> = {}) {
    for (const [file, text] of Object.entries({ ...RUST_FILES, ...files })) this.write(file, text);
  }

  /** Real path of the folder, with links resolved. */
  get path(): string {
    return realpathSync(this.#folder.path);
  }

  write(file: string, text: string): void {
    const at = path.join(this.path, file);
    mkdirSync(path.dirname(at), { recursive: true });
    writeFileSync(at, text);
  }

  read(file: string): string {
    return readFileSync(path.join(this.path, file), "utf8");
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }
}
