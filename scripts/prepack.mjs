// Before `npm pack`: builds what the npm package holds, which is the command line only. (`npm run package` makes the
// extension.)
//   node scripts/prepack.mjs
import { writeFileSync } from "node:fs";
import path from "node:path";
import { prepare } from "./package.mjs";
import { fail, root } from "./project.mjs";

await prepare().catch(error => fail(error.message));
// "files" in package.json is for both packages, and vsce knows no exceptions there; npm does, in the folder itself.
writeFileSync(path.join(root, "dist/.npmignore"), "extension.js\nwebview.js\nsettings.js\n");
